//! The recipes of docs/ci.md: what is YAML has the form that its service wants, and every command
//! is run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

const REPOSITORY_ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(REPOSITORY_ROOT).join(path)).unwrap()
}

/// The fenced blocks of this kind.
fn fenced_blocks(kind: &str) -> Vec<String> {
    let page = read("docs/ci.md");
    let fence = format!("```{kind}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn yaml(text: &str) -> Yaml {
    let mut documents = YamlLoader::load_from_str(text).unwrap();
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// The recipes in YAML that have this key.
fn recipes(key: &str) -> Vec<Yaml> {
    let all = fenced_blocks("yaml");
    all.iter().map(|text| yaml(text)).filter(|recipe| !recipe[key].is_badvalue()).collect()
}

fn string_list(list: &Yaml) -> Vec<String> {
    let list = list.as_vec().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// The steps of the workflows.
fn workflow_steps() -> Vec<Yaml> {
    let mut all = Vec::new();
    for workflow in recipes("jobs") {
        assert!(workflow["on"].is_array() && workflow["permissions"].is_hash());
        for job in workflow["jobs"].as_hash().unwrap().values() {
            assert_eq!(job["runs-on"].as_str(), Some("ubuntu-latest"));
            all.extend(job["steps"].as_vec().unwrap().clone());
        }
    }
    all
}

/// A repository of git with a branch `origin/main` and one commit more. `invalid` is in latin1.
fn create_repository(invalid: bool) -> TempDir {
    let directory = TempDir::new().unwrap();
    let write =
        |name: &str, content: &[u8]| fs::write(directory.path().join(name), content).unwrap();
    let git = |words: &[&str]| {
        let mut git = charpipe_test_support::watch::command("git");
        git.current_dir(&directory).args(["-c", "user.name=x", "-c", "user.email=x@example.org"]);
        let run = git.args(words).output().unwrap();
        assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    };
    git(&["init", "-q"]);
    write("old.txt", "é\n".as_bytes());
    write("picture.png", b"\x89PNG\r\n\x1A\n\0\xFF");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "one"]);
    git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    write("new name.txt", if invalid { b"caf\xE9\n" } else { "café\n".as_bytes() });
    git(&["rm", "-q", "old.txt"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "two"]);
    directory
}

/// Runs a command of a recipe; its exit code and what it prints.
fn run_script(script: &str, directory: &Path) -> (i32, String) {
    let commands = TempDir::new().unwrap();
    symlink(env!("CARGO_BIN_EXE_charpipe"), commands.path().join("charpipe")).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let run = charpipe_test_support::watch::command("sh")
        .args(["-e", "-c", script])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", commands.path().display()))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{script}");
    (run.status.code().unwrap(), String::from_utf8(run.stdout).unwrap())
}

#[test]
fn recipe_commands_find_exactly_the_errors() {
    let mut commands = fenced_blocks("sh");
    commands
        .extend(workflow_steps().iter().filter_map(|step| step["run"].as_str()).map(str::to_owned));
    for job in recipes("encoding") {
        commands.extend(string_list(&job["encoding"]["script"]));
    }
    commands.retain(|command| !command.starts_with("cargo install"));
    assert_eq!(commands.len(), 10, "{commands:#?}");
    for command in commands {
        assert_eq!(run_script(&command, create_repository(false).path()).0, 0, "{command}");
        let directory = create_repository(true);
        let (code, printed) = run_script(&command, directory.path());
        assert_eq!(code, 1, "{command}");
        let report = command.split("> ").nth(1).map(|name| directory.path().join(name.trim()));
        let report = report.map_or(printed, |path| fs::read_to_string(path).unwrap());
        assert!(report.contains("new name.txt") || report.contains("new%20name.txt"), "{report}");
        assert!(!report.contains("picture.png:"), "{report}");
    }
}

#[test]
fn workflow_steps_run_or_use_something() {
    let steps = workflow_steps();
    assert!(steps.len() >= 6);
    for step in &steps {
        assert!(step["run"].as_str().is_some() != step["uses"].as_str().is_some(), "{step:?}");
        if let Some(uses) = step["uses"].as_str() {
            assert!(uses.contains('@'), "{uses}");
        }
    }
    let upload = steps.iter().find(|step| !step["with"]["sarif_file"].is_badvalue()).unwrap();
    let file = upload["with"]["sarif_file"].as_str().unwrap();
    let written = format!("> {file}");
    assert!(
        steps.iter().any(|step| step["run"].as_str().is_some_and(|run| run.ends_with(&written)))
    );
}

#[test]
fn gitlab_jobs_keep_their_reports() {
    let jobs = recipes("encoding");
    assert_eq!(jobs.len(), 2);
    for (job, kind) in jobs.iter().zip(["codequality", "junit"]) {
        let artifacts = &job["encoding"]["artifacts"];
        assert_eq!(artifacts["when"].as_str(), Some("always"));
        let file = artifacts["reports"][kind].as_str().unwrap();
        let script = string_list(&job["encoding"]["script"]);
        assert!(script.last().unwrap().ends_with(&format!("> {file}")), "{script:?}");
    }
}

#[test]
fn hooks_have_the_fields_pre_commit_requires() {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let mut known = BTreeSet::new();
    for hook in hooks.as_vec().unwrap() {
        assert!(known.insert(hook["id"].as_str().unwrap().to_owned()));
        assert!(hook["name"].as_str().is_some() && hook["description"].as_str().is_some());
        let id = hook["id"].as_str().unwrap().trim_end_matches("-system");
        assert_eq!(hook["entry"].as_str(), Some(&*id.replace('-', " ")));
        assert!(["rust", "system"].contains(&hook["language"].as_str().unwrap()));
        assert_eq!(string_list(&hook["types"]), ["text"]);
        assert_eq!(string_list(&hook["args"]), ["--"]);
    }
    let mut used = 0;
    for config in recipes("repos") {
        for repository in config["repos"].as_vec().unwrap() {
            assert!(repository["repo"].as_str().is_some() && repository["rev"].as_str().is_some());
            for hook in repository["hooks"].as_vec().unwrap() {
                assert!(known.contains(hook["id"].as_str().unwrap()), "{hook:?}");
                // They replace those of the hook.
                if !hook["args"].is_badvalue() {
                    assert_eq!(string_list(&hook["args"]).last().map(String::as_str), Some("--"));
                }
                used += 1;
            }
        }
    }
    assert_eq!(used, 4);
}

#[test]
fn hook_arguments_precede_file_names() {
    for config in recipes("repos") {
        for hook in config["repos"][0]["hooks"].as_vec().unwrap() {
            let args = string_list(&hook["args"]).join(" ");
            if hook["id"].as_str() == Some("charpipe-fix") {
                run_fix_hook(&args);
                continue;
            }
            let directory = TempDir::new().unwrap();
            let latin1 = args.contains("latin1");
            let good: &[u8] = if latin1 { b"caf\xE9\r\n" } else { b"caf\xC3\xA9\n" };
            fs::write(directory.path().join("good"), good).unwrap();
            // Not UTF-8, and in latin1 with the wrong line end.
            fs::write(directory.path().join("invalid"), b"caf\xE9\n").unwrap();
            assert_eq!(
                run_script(&format!("charpipe check {args} good"), directory.path()).0,
                0,
                "{args}"
            );
            let (code, printed) =
                run_script(&format!("charpipe check {args} good invalid"), directory.path());
            assert_eq!(code, 1, "{args}");
            assert!(printed.starts_with("invalid:1:"), "{printed}");
        }
    }
}

/// Runs `charpipe fix` as the hook does: it fails if it changed a file.
fn run_fix_hook(args: &str) {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("good"), "café\n").unwrap();
    fs::write(directory.path().join("invalid"), b"caf\xE9\r\n").unwrap();
    for (names, code) in [("good", 0), ("good invalid", 1), ("good invalid", 0)] {
        let (fixed, _) = run_script(&format!("charpipe fix -q {args} {names}"), directory.path());
        assert_eq!(fixed, code, "{args} {names}");
    }
    assert_eq!(fs::read(directory.path().join("invalid")).unwrap(), "café\n".as_bytes());
}

#[test]
fn page_names_every_format_and_finding_member() {
    let page = read("docs/ci.md");
    let help = charpipe_test_support::watch::command(env!("CARGO_BIN_EXE_charpipe"))
        .args(["check", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let formats = help.split("Output format [default: text]").nth(1).unwrap();
    let formats = formats.split("[possible values:").nth(1).unwrap().split(']').next().unwrap();
    assert!(formats.split(',').count() >= 8, "{formats}");
    for format in formats.split(',').map(str::trim) {
        assert!(page.contains(&format!("| `{format}` |")), "{format}");
    }
    let directory = create_repository(true);
    let (_, line) =
        run_script("charpipe check --format=jsonl *.txt || test $? = 1", directory.path());
    let finding: Value = serde_json::from_str(line.trim()).unwrap();
    for member in finding.as_object().unwrap().keys().filter(|name| *name != "type") {
        assert!(page.contains(&format!("`{member}`")), "{member}");
    }
}
