//! The GitHub Action and the hooks for pre-commit, run as their services run them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use yaml_rust2::Yaml;

use super::{CHARPIPE, REPOSITORY_ROOT, read};
use crate::packaging::release::{VERSION, create_release, yaml};
use charpipe_test_support::{Requirement, require, watch};

/// Returns a step of the action.
fn step(name: &str) -> Yaml {
    let action = yaml(&read("action.yml"));
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let mut steps = action["runs"]["steps"].clone().into_iter();
    steps.find(|step| step["name"].as_str() == Some(name)).unwrap()
}

/// Returns the command of a step with its variables: those inputs, and the defaults of the others.
fn command(name: &str, directory: &Path, inputs: &[(&str, &str)]) -> Command {
    let step = step(name);
    assert_eq!(step["shell"].as_str(), Some("bash"));
    let action = yaml(&read("action.yml"));
    let mut command = watch::command("bash");
    // As runners call bash.
    command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]);
    command.arg(step["run"].as_str().unwrap()).current_dir(directory);
    for (variable, value) in step["env"].as_hash().unwrap() {
        let expression = value.as_str().unwrap().trim_matches(['$', '{', '}', ' ']);
        let value = match expression.strip_prefix("inputs.") {
            Some(input) => inputs.iter().find(|(name, _)| *name == input).map_or_else(
                || action["inputs"][input]["default"].as_str().unwrap().to_owned(),
                |(_, value)| (*value).to_owned(),
            ),
            None => {
                assert_eq!(expression, "github.action_path");
                REPOSITORY_ROOT.to_owned()
            }
        };
        command.env(variable.as_str().unwrap(), value);
    }
    command
}

/// Runs the check step in a directory, with the program under test.
fn check(directory: &Path, inputs: &[(&str, &str)]) -> (Option<i32>, String) {
    let commands = tempfile::tempdir().unwrap();
    symlink(CHARPIPE, commands.path().join("charpipe")).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = command("Check encodings", directory, inputs);
    let run =
        command.env("PATH", format!("{}:{path}", commands.path().display())).output().unwrap();
    (run.status.code(), text(&run))
}

fn text(run: &Output) -> String {
    String::from_utf8_lossy(&[&run.stdout[..], &run.stderr].concat()).into_owned()
}

fn create_directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("a b")).unwrap();
    fs::write(directory.path().join("a b/invalid.txt"), b"caf\xE9\n").unwrap();
    fs::write(directory.path().join("good.txt"), "café\n").unwrap();
    fs::write(directory.path().join("picture.png"), b"\x89PNG\r\n\x1A\n\0\xFF").unwrap();
    directory
}

#[test]
fn action_annotates_findings() {
    let directory = create_directory();
    let (code, printed) = check(directory.path(), &[]);
    assert_eq!(code, Some(1));
    assert!(printed.starts_with("::error file=a b/invalid.txt,line=1,"), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

#[test]
fn action_passes_its_inputs() {
    let directory = create_directory();
    for (inputs, code, start) in [
        (&[("paths", "good.txt")][..], 0, ""),
        (&[("paths", "good.txt\na b\n")], 1, "::error file=a b/invalid.txt,"),
        (&[("encoding", "latin1"), ("paths", "a b")], 0, ""),
        (&[("format", "text"), ("paths", "a b")], 1, "a b/invalid.txt:1:4: "),
        (&[("args", "--newline=crlf"), ("paths", "good.txt")], 1, "::error file=good.txt,"),
        (&[("args", ""), ("paths", "good.txt")], 0, ""),
        // A path is not an option, and nothing is expanded.
        (&[("paths", "--help")], 2, "::error "),
        (&[("paths", "$(touch x)"), ("args", "")], 2, "::error "),
        (&[("paths", "")], 2, "no paths"),
    ] {
        let (met, printed) = check(directory.path(), inputs);
        assert_eq!(met, Some(code), "{inputs:?}: {printed}");
        assert!(printed.starts_with(start), "{inputs:?}: {printed}");
    }
    assert!(!directory.path().join("x").exists());
}

/// Names that are options, or several words or lines for a shell.
const HOSTILE_NAMES: [&str; 9] = [
    "--encoding=latin1",
    "--from=latin1",
    "--help",
    "-i",
    "-r",
    "--",
    "-e",
    "a\nb",
    "$(touch x) `touch x`",
];

#[test]
fn hooks_take_no_file_name_for_an_option() {
    let commands = tempfile::tempdir().unwrap();
    symlink(CHARPIPE, commands.path().join("charpipe")).unwrap();
    for hook in yaml(&read(".pre-commit-hooks.yaml")) {
        let directory = tempfile::tempdir().unwrap();
        for name in HOSTILE_NAMES {
            fs::write(directory.path().join(name), b"caf\xE9\r\n").unwrap();
        }
        // The hook, its arguments and the names, as pre-commit calls it.
        let mut words = hook["entry"].as_str().unwrap().split(' ');
        let mut command = watch::command(commands.path().join(words.next().unwrap()));
        command
            .args(words)
            .args(hook["args"].as_vec().unwrap().iter().map(|arg| arg.as_str().unwrap()));
        let run = command.args(HOSTILE_NAMES).current_dir(&directory).output().unwrap();
        let printed = text(&run);
        assert_eq!(run.status.code(), Some(1), "{printed}");
        let reports = printed.lines().filter(|line| {
            line.contains("invalid UTF-8 sequence E9") || line.contains("cannot determine encoding")
        });
        assert_eq!(reports.count(), HOSTILE_NAMES.len(), "{printed}");
        for name in HOSTILE_NAMES {
            assert_eq!(fs::read(directory.path().join(name)).unwrap(), b"caf\xE9\r\n", "{name}");
        }
    }
}

#[test]
fn action_takes_no_file_name_for_an_option() {
    let directory = tempfile::tempdir().unwrap();
    let names = HOSTILE_NAMES.map(|name| name.replace('\n', " "));
    for name in &names {
        fs::write(directory.path().join(name), b"caf\xE9\n").unwrap();
    }
    let paths = names.join("\n");
    let (code, printed) = check(directory.path(), &[("paths", &paths)]);
    assert_eq!(code, Some(1), "{printed}");
    assert_eq!(printed.matches("::error file=").count(), names.len(), "{printed}");
    let (code, printed) = check(directory.path(), &[("paths", &paths), ("fix", "true")]);
    assert_eq!(code, Some(1), "{printed}");
    assert_eq!(printed.matches("cannot determine encoding").count(), names.len(), "{printed}");
}

#[test]
fn action_fixes_files() {
    let directory = create_directory();
    let invalid = directory.path().join("a b/invalid.txt");
    let content = || fs::read(&invalid).unwrap();
    fs::write(directory.path().join("good.txt"), "\u{FEFF}x\r\n").unwrap();
    for (inputs, code, start) in [
        (&[("fix", "yes")][..], 2, "fix: expected true, diff or false"),
        (
            &[("fix", "diff"), ("fix-args", "-q -f latin1"), ("paths", "a b")],
            1,
            "--- a b/invalid.txt",
        ),
        (&[("fix", "true")], 1, "charpipe: ./a b/invalid.txt: cannot determine encoding"),
        (&[("fix", "true"), ("paths", "good.txt")], 0, "charpipe: 0 fixed, 1 unchanged"),
        (&[("fix", "true"), ("paths", "--help")], 2, "charpipe: ./--help: cannot be read"),
    ] {
        let (met, printed) = check(directory.path(), inputs);
        assert_eq!(met, Some(code), "{inputs:?}: {printed}");
        assert!(printed.starts_with(start), "{inputs:?}: {printed}");
    }
    assert_eq!(content(), b"caf\xE9\n");
    let inputs = [("fix", "true"), ("fix-args", "-q -f latin1"), ("format", "")];
    assert_eq!(check(directory.path(), &inputs), (Some(1), String::new()));
    assert_eq!(content(), "café\n".as_bytes());
    assert_eq!(check(directory.path(), &inputs), (Some(0), String::new()));
}

#[test]
fn action_installs_the_program_of_a_release() {
    if !require(Requirement::Program("curl")) {
        return;
    }
    let action = yaml(&read("action.yml"));
    assert_eq!(action["inputs"]["version"]["default"].as_str(), Some(VERSION));
    let releases = tempfile::tempdir().unwrap();
    let release = create_release();
    let tag = releases.path().join(format!("v{VERSION}"));
    symlink(release.path(), &tag).unwrap();
    let install = |system: &str, architecture: &str| {
        let directory = tempfile::tempdir().unwrap();
        let added = directory.path().join("added");
        let run = command("Install charpipe", directory.path(), &[])
            .env("CHARPIPE_RELEASES", format!("file://{}", releases.path().display()))
            .env("RUNNER_OS", system)
            .env("RUNNER_ARCH", architecture)
            .env("RUNNER_TEMP", directory.path())
            .env("GITHUB_PATH", &added)
            .output()
            .unwrap();
        let added = fs::read_to_string(added).unwrap_or_default();
        let program = Path::new(added.trim_end()).join("charpipe");
        let version = program
            .exists()
            .then(|| text(&watch::command(program).arg("--version").output().unwrap()));
        (run.status.code(), text(&run), version)
    };
    let version = Some(format!("charpipe {VERSION}\n"));
    for (system, architecture) in
        [("Linux", "X64"), ("Linux", "ARM64"), ("macOS", "X64"), ("macOS", "ARM64")]
    {
        assert_eq!(install(system, architecture), (Some(0), String::new(), version.clone()));
    }
    assert_eq!(install("Linux", "S390X").0, Some(2));
    // A file that does not have its checksum is not installed.
    let archive = format!("charpipe-{VERSION}-x86_64-unknown-linux-musl.tar.gz");
    fs::write(release.path().join(archive), "other").unwrap();
    let (code, printed, version) = install("Linux", "X64");
    assert_eq!((code, version), (Some(1), None), "{printed}");
}

#[test]
fn pre_commit_runs_the_hook_on_the_files_given() {
    if !require(Requirement::Program("pre-commit"))
        || !Path::new(REPOSITORY_ROOT).join(".git").exists()
    {
        return;
    }
    let directory = create_directory();
    let commands = tempfile::tempdir().unwrap();
    symlink(CHARPIPE, commands.path().join("charpipe")).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let run = |program: &str, args: &[&str]| {
        let mut command = watch::command(program);
        command
            .args(args)
            .current_dir(&directory)
            .env("PATH", format!("{}:{path}", commands.path().display()))
            .env("PRE_COMMIT_HOME", commands.path().join("cache"));
        let run = command.output().unwrap();
        (run.status.code(), text(&run))
    };
    assert_eq!(run("git", &["init", "-q"]).0, Some(0));
    assert_eq!(run("git", &["add", "."]).0, Some(0));
    let hook = ["try-repo", REPOSITORY_ROOT, "charpipe-check-system"];
    let (code, printed) = run("pre-commit", &[&hook[..], &["--all-files"]].concat());
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("a b/invalid.txt:1:4: byte 3: invalid UTF-8"), "{printed}");
    assert!(!printed.contains("good.txt") && !printed.contains("picture.png"), "{printed}");
    let (code, printed) = run("pre-commit", &[&hook[..], &["--files", "good.txt"]].concat());
    assert_eq!(code, Some(0), "{printed}");
    // A hook that changes files fails; after that there is nothing to change.
    fs::write(directory.path().join("good.txt"), "\u{FEFF}caf\u{E9}\r\n").unwrap();
    fs::write(directory.path().join(".gitattributes"), "*.txt eol=lf\n").unwrap();
    let hook = ["try-repo", REPOSITORY_ROOT, "charpipe-fix-system", "--files", "good.txt"];
    let (code, printed) = run("pre-commit", &hook);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("good.txt: fixed"), "{printed}");
    let expected = "\u{FEFF}café\n".as_bytes();
    assert_eq!(fs::read(directory.path().join("good.txt")).unwrap(), expected);
    let (code, printed) = run("pre-commit", &hook);
    assert_eq!(code, Some(0), "{printed}");
}
