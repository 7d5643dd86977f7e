//! Runs the examples of the README, the guide, and the pages on installation and continuous
//! integration, and compares their output.
//!
//! An example is in a fenced block of the kind `console`. A line `$ COMMAND` is given to `sh`;
//! the lines up to the next one are what it prints, whether or not the last of them ends in a line
//! feed. What begins with `charpipe: ` is expected on the standard error, the rest on the standard
//! output. A last line `# exit N` names the exit code, which is zero otherwise.
//!
//! The examples of a page run one after the other in a directory of their own in which `tests` leads
//! to the one of the repository, and which is the home directory.

use charpipe_test_support::{Requirement, require};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");
pub const REPOSITORY_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Programs without which an example is skipped.
const OPTIONAL_PROGRAMS: [&str; 2] = ["make", "parallel"];

/// How the README calls a charpipe that is not installed yet.
const FROM_SOURCE: &str = "cargo run --release -- ";

#[derive(Debug, PartialEq, Eq)]
struct ExampleOutput {
    output: String,
    messages: String,
    exit: i32,
}

struct ShellExample {
    line: usize,
    command: String,
    expected: ExampleOutput,
}

#[test]
fn readme_examples_print_the_shown_output() {
    assert!(run_page("README.md") >= 5);
}

#[test]
fn guide_examples_print_the_shown_output() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide");
    let mut pages: Vec<_> =
        fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name()).collect();
    pages.sort();
    assert!(pages.len() > 20, "{pages:?}");
    let counts = pages.iter().map(|page| count_examples(&format!("docs/guide/{}", page.display())));
    let (examples, wrong): (Vec<usize>, Vec<usize>) = counts.unzip();
    assert_eq!(wrong.iter().sum::<usize>(), 0, "number of wrong examples: {pages:?} {wrong:?}");
    assert!(examples.iter().sum::<usize>() > 150, "only {examples:?} examples");
}

#[test]
fn ci_page_examples_print_the_shown_output() {
    assert!(run_page("docs/ci.md") >= 5);
}

#[test]
fn chains_page_examples_print_the_shown_output() {
    assert!(run_page("docs/chains.md") >= 5);
}

#[test]
fn install_page_examples_print_the_shown_output() {
    assert!(run_page("docs/install.md") >= 5);
}

#[test]
fn first_ten_minutes_print_the_shown_output() {
    assert!(run_page("docs/first-ten-minutes.md") >= 10);
}

#[test]
fn page_about_ranges_prints_the_shown_output() {
    assert!(run_page("docs/ranges.md") >= 5);
}

/// The start of the advice for malformed input that was assumed to be UTF-8.
const ASSUMPTION: &str = "UTF-8 was assumed; ";

/// The advice where the encoding cannot be guessed.
const GENERIC_ADVICE: &str = "UTF-8 was assumed; use -f ENCODING, or -f detect to detect it";

/// Runs the examples of a page, which must have some.
pub fn run_page(page: &str) -> usize {
    let (examples, wrong) = count_examples(page);
    assert_eq!(wrong, 0, "number of wrong examples in {page}");
    examples
}

/// Runs the examples of a page in a directory of their own. Returns their number, and that of the wrong ones.
fn count_examples(page: &str) -> (usize, usize) {
    let text = fs::read_to_string(Path::new(REPOSITORY_ROOT).join(page)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    symlink(Path::new(REPOSITORY_ROOT).join("tests"), directory.path().join("tests")).unwrap();
    let commands = tempfile::tempdir().unwrap();
    install(commands.path());
    let examples = examples(&text);
    let mut wrong = 0;
    for ShellExample { line, command, expected } in &examples {
        let is_used = |program: &&str| command.split(' ').any(|word| word == *program);
        let needed = OPTIONAL_PROGRAMS.iter().filter(|program| is_used(program));
        if needed.copied().any(|program| !require(Requirement::Program(program))) {
            continue;
        }
        let mut met = run(command, directory.path(), commands.path());
        // A block of one byte is too short to guess from.
        let is_advice_missing = std::env::var("CHARPIPE_TEST_BUFFER_SIZE").as_deref() == Ok("1")
            && met.messages.ends_with(GENERIC_ADVICE);
        if is_advice_missing && let Some((begin, _)) = expected.messages.split_once(ASSUMPTION) {
            met.messages = met.messages.replace(GENERIC_ADVICE, &expected.messages[begin.len()..]);
        }
        if met != *expected {
            eprintln!("{page}:{line}: {command}\nprints {met:#?}\nnot {expected:#?}");
            wrong += 1;
        }
    }
    (examples.len(), wrong)
}

/// Puts a `charpipe` into a directory: the one under test, in blocks of the size that is requested.
pub fn install(directory: &Path) {
    let block = std::env::var("CHARPIPE_TEST_BUFFER_SIZE");
    let option = block.map(|bytes| format!("--buffer-size={bytes}")).unwrap_or_default();
    // The option follows a subcommand, which must be the first argument.
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in list|show|split|iconv|install-links) exec '{CHARPIPE}' \"$@\" ;; \
         check|detect|fix|repair) subcommand=$1; shift ;; *) subcommand= ;; esac\n\
         exec '{CHARPIPE}' $subcommand {option} \"$@\"\n"
    );
    let path = directory.join("charpipe");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(command: &str, directory: &Path, commands: &Path) -> ExampleOutput {
    let path = std::env::var("PATH").unwrap_or_default();
    let run = charpipe_test_support::watch::command("sh")
        .args(["-c", &command.replace(FROM_SOURCE, "charpipe ")])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", commands.display()))
        .env("HOME", directory)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().trim_end_matches('\n').to_owned();
    let exit = run.status.code().unwrap_or(-1);
    ExampleOutput { output: text(run.stdout), messages: text(run.stderr), exit }
}

/// The examples of a page, in order.
fn examples(text: &str) -> Vec<ShellExample> {
    let mut examples = Vec::new();
    let mut lines = text.lines().enumerate();
    while lines.by_ref().any(|(_, line)| line == "```console") {
        let block: Vec<_> = lines.by_ref().take_while(|(_, line)| *line != "```").collect();
        assert!(block.first().is_some_and(|(_, line)| line.starts_with("$ ")), "{block:?}");
        for part in block.chunk_by(|_, (_, next)| !next.starts_with("$ ")) {
            examples.push(example(part));
        }
    }
    examples
}

/// An example from its numbered lines, the first of which is the command.
fn example(lines: &[(usize, &str)]) -> ShellExample {
    let (index, command) = lines[0];
    let mut printed: Vec<&str> = lines[1..].iter().map(|(_, line)| *line).collect();
    let exit = printed.last().and_then(|line| line.strip_prefix("# exit ")).map(str::parse);
    let exit = exit.map_or(0, Result::unwrap);
    printed.truncate(printed.len() - usize::from(exit != 0));
    let (messages, output): (Vec<_>, Vec<_>) =
        printed.into_iter().partition(|line| line.starts_with("charpipe: "));
    let expected = ExampleOutput { output: output.join("\n"), messages: messages.join("\n"), exit };
    ShellExample { line: index + 1, command: command["$ ".len()..].to_owned(), expected }
}
