//! Commands of CI services in names and arguments: no output line carries one.
//!
//! GitHub Actions executes `::…` at the start of a line and `##[…` anywhere, Azure Pipelines
//! `##vso[…`, TeamCity `##teamcity[…`; Buildkite groups lines by `---`, `+++` and `~~~`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::cli::check;
use crate::cli::command::{charpipe, shell_subcommand, subcommand};

const NAMES: [&str; 14] = [
    "::error file=x::y",
    ":",
    " ::stop-commands::token",
    "\u{3000}::add-mask::a",
    "\u{200B}::error::a",
    "\n::error::a",
    "a\r\n::error::b",
    "##[error]x",
    "a##[add-mask]x",
    "###[group]x",
    "##vso[task.setvariable variable=x]y",
    "##teamcity[buildStatus text='x']",
    "--- a",
    "~~~ +++ b",
];

/// Creates a directory tree with files of these names, and directories of these names with a file.
fn tree(content: &[u8]) -> TempDir {
    let tree = TempDir::new().unwrap();
    for name in NAMES {
        fs::write(tree.path().join(name), content).unwrap();
        let directory = tree.path().join(format!("{name}.d"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("##[x]"), content).unwrap();
    }
    tree
}

/// Returns the names at the top of the tree: files, directories and missing files.
fn operands() -> impl Iterator<Item = String> {
    NAMES.iter().flat_map(|name| ["", ".d", ".missing"].map(|end| format!("{name}{end}")))
}

fn check_output(run: &mut Command, directory: &Path, commands: bool) {
    let output = run.current_dir(directory).output().unwrap();
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap();
        for line in text.split(['\n', '\r']) {
            let begins = |with| line.trim_start().starts_with(with);
            let own = commands && line.starts_with("::error file=");
            assert!(own || !begins("::"), "{run:?}: {line:?}");
            assert!(!["---", "+++", "~~~"].iter().any(|with| begins(with)), "{run:?}: {line:?}");
            assert!(!line.contains("##"), "{run:?}: {line:?}");
        }
    }
    let silent = output.stdout.is_empty() && output.stderr.is_empty();
    assert!(output.status.success() || !silent, "{run:?}");
}

#[test]
fn check_formats_print_no_unintended_ci_commands() {
    for content in [&b"caf\xE9\n"[..], b"text", b"\0"] {
        let tree = tree(content);
        for format in check::formats() {
            let commands = format == "github";
            let format = format!("--format={format}");
            let mut named = subcommand("check");
            check_output(named.arg(&format).arg("--").args(operands()), tree.path(), commands);
            let mut walked = subcommand("check");
            check_output(walked.args([&format, "-r", ".", "nothing"]), tree.path(), commands);
            let mut walked = subcommand("check");
            let walked = walked.args([&format, "-r", "--max-findings=0", "--"]).args(operands());
            check_output(walked, tree.path(), commands);
        }
    }
}

#[cfg(unix)]
#[test]
fn names_from_a_list_are_not_printed_as_commands() {
    let tree = tree(b"caf\xE9\n");
    for word in ["check", "check --format=gcc", "check --format=junit", "detect", "detect --json"] {
        let (word, options) = word.split_once(' ').unwrap_or((word, ""));
        let script = format!("find . -type f -printf '%P\\0' | \"$@\" {options} --files-from - -0");
        check_output(&mut shell_subcommand(word, &script), tree.path(), false);
    }
}

#[test]
fn detect_prints_no_ci_commands() {
    for content in [&b"caf\xE9 d\xE9j\xE0 vu\n"[..], b"text", b"", b"\0\x01"] {
        let tree = tree(content);
        for words in [&[][..], &["--json"], &["--candidates=3"], &["-r"]] {
            check_output(
                subcommand("detect").args(words).arg("--").args(operands()),
                tree.path(),
                false,
            );
        }
    }
}

#[test]
fn conversion_messages_are_not_ci_commands() {
    for words in [
        &["-c", "-t", "us-ascii", "-o", "out"][..],
        &["-v", "-f", "detect", "-o", "##[out]"],
        &["-n", "-i", "-f", "latin1", "-r"],
        &["-v", "-i", "-f", "latin1"],
        &["-v", "-i", "-f", "latin1", "-r", "--backup"],
        &["-f", "auto", "-i", "-r"],
    ] {
        let tree = tree(b"caf\xE9\n");
        check_output(charpipe().args(words).arg("--").args(operands()), tree.path(), false);
    }
}

#[test]
fn arguments_are_not_printed_as_ci_commands() {
    let directory = TempDir::new().unwrap();
    for name in NAMES {
        for option in ["-f", "-t", "--on-error", "--bom", "--list", "--glob", "-j", "--backup"] {
            for words in [format!("{option}={name}"), format!("{option}{name}")] {
                check_output(charpipe().arg(words), directory.path(), false);
            }
            if option != "--list" && option != "--backup" {
                check_output(charpipe().args([option, name]), directory.path(), false);
            }
        }
        for option in ["-e", "--format", "--newline", "--max-findings", "--bom"] {
            check_output(
                subcommand("check").arg(format!("{option}={name}")),
                directory.path(),
                false,
            );
        }
        check_output(charpipe().args(["-f", &format!("utf-7:{name}")]), directory.path(), false);
        check_output(charpipe().args(["-t", &format!("x//{name}")]), directory.path(), false);
    }
}
