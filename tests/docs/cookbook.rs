//! The tables of docs/cookbook.md: each command of charpipe has the result that its case in
//! [`cases`] describes, and so has that of the other tool if that is installed.

mod cases;
mod formats;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process_group};

use crate::examples::{REPOSITORY_ROOT, install, run_page};
use charpipe_test_support::{is_installed, missing, watch};

/// Programs without which a command is skipped.
const TOOLS: &[&str] = &[
    "/dev/full",
    "bash",
    "base64",
    "dos2unix",
    "enca",
    "file",
    "find",
    "git",
    "gzip",
    "iconv",
    "jq",
    "msgconv",
    "nkf",
    "perl",
    "preconv",
    "python3",
    "pv",
    "recode",
    "script",
    "sed",
    "setpriv",
    "timeout",
    "uchardet",
    "uconv",
    "unix2dos",
    "vim",
    "xargs",
    "yaz-iconv",
    "yaz-iconv",
];

/// A user and a group without permissions.
const UNPRIVILEGED: u32 = 65534;

/// The commands of a task.
struct Row {
    task: String,
    charpipe: String,
    /// Empty if no other tool is named.
    other: String,
}

/// The result of a command that is expected.
#[derive(Clone, Default)]
struct Expected {
    /// Standard output.
    output: Text,
    /// Standard error.
    messages: Text,
    exit: i32,
    /// Files that have changed, or are new.
    files: BTreeMap<&'static str, Text>,
}

#[derive(Clone)]
enum Text {
    Is(Vec<u8>),
    Contains(&'static str),
    Any,
}

impl Default for Text {
    fn default() -> Text {
        Text::Is(Vec::new())
    }
}

impl Text {
    fn matches(&self, text: &[u8]) -> bool {
        match self {
            Text::Is(expected) => expected == text,
            Text::Contains(part) => text.windows(part.len()).any(|at| at == part.as_bytes()),
            Text::Any => true,
        }
    }

    fn describe(&self) -> String {
        match self {
            Text::Is(expected) => escape_start(expected),
            Text::Contains(part) => format!("… {} …", part.escape_default()),
            Text::Any => "…".to_owned(),
        }
    }
}

/// Returns the start of a text for a message.
fn escape_start(text: &[u8]) -> String {
    text[..text.len().min(1000)].escape_ascii().to_string()
}

/// How a command is run.
#[derive(Clone, Copy, Default, PartialEq)]
enum Mode {
    #[default]
    Plain,
    /// Its input stays open: the output is compared while it runs.
    Endless,
    /// On a terminal.
    Terminal,
    /// As a user who owns the directory, but not the files in it.
    Unprivileged,
}

/// What is expected of the other tool.
#[derive(Clone)]
enum Other {
    /// The same output and the same files. Messages and exit codes differ.
    Same,
    Different(Expected),
}

/// A task: what there is before a command, and its result.
struct Case {
    task: &'static str,
    stdin: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
    links: Vec<(&'static str, &'static str)>,
    /// A command that is run first.
    prepare: &'static str,
    mode: Mode,
    expected: Expected,
    other: Other,
}

fn task(task: &'static str) -> Case {
    Case {
        task,
        stdin: Vec::new(),
        files: BTreeMap::new(),
        links: Vec::new(),
        prepare: "",
        mode: Mode::Plain,
        expected: Expected::default(),
        other: Other::Same,
    }
}

/// The result of another tool that differs.
fn output(output: impl AsRef<[u8]>) -> Expected {
    Expected {
        output: Text::Is(output.as_ref().into()),
        messages: Text::Any,
        ..Expected::default()
    }
}

fn any_output() -> Expected {
    Expected { output: Text::Any, ..output("") }
}

fn output_among_others(part: &'static str) -> Expected {
    Expected { output: Text::Contains(part), ..output("") }
}

fn leaves(name: &'static str, content: impl AsRef<[u8]>) -> Expected {
    output("").leaves(name, content)
}

impl Expected {
    fn leaves(mut self, name: &'static str, content: impl AsRef<[u8]>) -> Expected {
        self.files.insert(name, Text::Is(content.as_ref().into()));
        self
    }

    fn exits(mut self, code: i32) -> Expected {
        self.exit = code;
        self
    }
}

impl Case {
    fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Case {
        self.stdin = bytes.as_ref().into();
        self
    }

    fn file(mut self, name: impl Into<String>, content: impl AsRef<[u8]>) -> Case {
        self.files.insert(name.into(), content.as_ref().into());
        self
    }

    fn link(mut self, name: &'static str, target: &'static str) -> Case {
        self.links.push((name, target));
        self
    }

    fn after(mut self, command: &'static str) -> Case {
        self.prepare = command;
        self
    }

    fn runs(mut self, mode: Mode) -> Case {
        self.mode = mode;
        self
    }

    fn prints(mut self, output: impl AsRef<[u8]>) -> Case {
        self.expected.output = Text::Is(output.as_ref().into());
        self
    }

    fn prints_among_others(mut self, part: &'static str) -> Case {
        self.expected.output = Text::Contains(part);
        self
    }

    /// Messages without the prefix `charpipe: ` and the line feed.
    fn reports(mut self, messages: &[&str]) -> Case {
        let lines: String = messages.iter().map(|line| format!("charpipe: {line}\n")).collect();
        self.expected.messages = Text::Is(lines.into());
        self
    }

    fn exits(mut self, code: i32) -> Case {
        self.expected.exit = code;
        self
    }

    fn leaves(mut self, name: &'static str, content: impl AsRef<[u8]>) -> Case {
        self.expected.files.insert(name, Text::Is(content.as_ref().into()));
        self
    }

    fn leaves_among_others(mut self, name: &'static str, part: &'static str) -> Case {
        self.expected.files.insert(name, Text::Contains(part));
        self
    }

    fn other(mut self, other: Expected) -> Case {
        self.other = Other::Different(other);
        self
    }

    /// Creates the files of the task.
    fn create_files(&self, directory: &Path) {
        for (name, content) in &self.files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        for (name, target) in &self.links {
            symlink(target, directory.join(name)).unwrap();
        }
    }
}

/// Returns the content of all files in a directory, except those of git, by their paths.
fn read_files(directory: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
            found.insert(name, [b"-> ", target.as_slice()].concat());
        } else if path.is_file() {
            found.insert(name, fs::read(&path).unwrap());
        } else if name != ".git" {
            read_files(&path, root, found);
        }
    }
}

/// Returns the rows of all tables of the page.
fn rows(page: &str) -> Vec<Row> {
    let is_heading = |line: &&str| line.starts_with("|---") || line.starts_with("| task |");
    let lines = page.lines().filter(|line| line.starts_with('|') && !is_heading(line));
    lines
        .map(|line| {
            let cells = line.trim_start_matches("| ").trim_end_matches(" |");
            let cells: Vec<_> = cells.split(" | ").map(|cell| cell.replace("\\|", "|")).collect();
            let code = |cell: &String| {
                cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`')).map(str::to_owned)
            };
            let Some(charpipe) = cells.get(1).and_then(code) else { panic!("{line}") };
            let other = cells.get(2).map_or(String::new(), |cell| code(cell).expect(line));
            Row { task: cells[0].clone(), charpipe, other }
        })
        .collect()
}

/// Returns a tool of the command that is not installed.
fn missing_tool(command: &str, mode: Mode) -> Option<&'static str> {
    let words: Vec<_> = command.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let is_needed = |tool: &&str| match *tool {
        "/dev/full" => command.contains(tool),
        "bash" => needs_bash(command),
        "script" => mode == Mode::Terminal,
        "setpriv" => mode == Mode::Unprivileged && geteuid().is_root(),
        tool if tool.contains('-') => command.contains(tool),
        tool => words.contains(&tool),
    };
    TOOLS.iter().copied().filter(is_needed).find(|tool| !is_installed(tool))
}

/// Returns whether a command has a process substitution.
fn needs_bash(command: &str) -> bool {
    command.contains("<(") || command.contains(">(")
}

struct Met {
    output: Vec<u8>,
    messages: Vec<u8>,
    exit: i32,
    files: BTreeMap<String, Vec<u8>>,
}

/// Returns the shell that runs a command in this mode.
fn shell(command: &str, mode: Mode) -> Command {
    let program = if needs_bash(command) { "bash" } else { "sh" };
    let mut shell = match mode {
        Mode::Unprivileged if geteuid().is_root() => {
            let mut shell = watch::command("setpriv");
            let id = UNPRIVILEGED.to_string();
            shell.args(["--reuid", &id, "--regid", &id, "--clear-groups", program, "-c", command]);
            shell.envs([watch::NO_PROFILE]);
            shell
        }
        Mode::Terminal => {
            let mut shell = watch::command("script");
            shell.args(["-qec", command, "/dev/null"]);
            shell
        }
        _ => {
            let mut shell = watch::command(program);
            shell.args(["-c", command]);
            shell
        }
    };
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    shell
}

/// Reads until the expected output has come, and terminates the processes.
fn read_and_terminate(child: &mut Child, expected: &Text) -> Vec<u8> {
    let Text::Is(expected) = expected else { panic!("no output is expected") };
    let mut output = vec![0; expected.len()];
    let read = child.stdout.take().unwrap().read_exact(&mut output);
    let group = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    kill_process_group(group, Signal::TERM).unwrap();
    read.expect("output ended before");
    output
}

/// Runs a command in a directory with the files of the task.
fn run(command: &str, case: &Case, commands: &Path) -> Met {
    let directory = tempfile::tempdir().unwrap();
    case.create_files(directory.path());
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", commands.display());
    let start = |command: &str, mode: Mode| {
        let mut shell = shell(command, mode);
        shell.current_dir(&directory).env("PATH", &path).env("LC_ALL", "C.UTF-8");
        shell.env("subject", "Grüße aus Köln").env("TERM", "xterm").spawn().unwrap()
    };
    let prepared = start(case.prepare, Mode::Plain).wait_with_output().unwrap();
    assert!(prepared.status.success(), "{}: {}", case.prepare, prepared.stderr.escape_ascii());
    if case.mode == Mode::Unprivileged && geteuid().is_root() {
        fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
        chown(&directory, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).unwrap();
        for name in case.files.keys() {
            chown(directory.path().join(name), None, Some(UNPRIVILEGED)).unwrap();
        }
    }
    let mut child = start(command, case.mode);
    // A command that fails does not read it.
    let _ = child.stdin.take().unwrap().write_all(&case.stdin);
    let early =
        (case.mode == Mode::Endless).then(|| read_and_terminate(&mut child, &case.expected.output));
    let ended = child.wait_with_output().unwrap();
    let exit = if early.is_some() { 0 } else { ended.status.code().unwrap_or(-1) };
    let mut files = BTreeMap::new();
    read_files(directory.path(), directory.path(), &mut files);
    Met { output: early.unwrap_or(ended.stdout), messages: ended.stderr, exit, files }
}

/// Returns the differences between a result and the expected one.
fn differences(met: &Met, expected: &Expected, case: &Case) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, met: &[u8], expected: &Text| {
        if !expected.matches(met) {
            found.push(format!("  {what} is {}\n  not {}", escape_start(met), expected.describe()));
        }
    };
    compare("output", &met.output, &expected.output);
    compare("standard error", &met.messages, &expected.messages);
    let exit = Text::Is(expected.exit.to_string().into());
    compare("exit code", met.exit.to_string().as_bytes(), &exit);
    let links = case.links.iter().map(|(name, target)| (*name, format!("-> {target}").into()));
    let mut files: BTreeMap<&str, Text> = links.map(|(name, is)| (name, Text::Is(is))).collect();
    let before = case.files.iter().map(|(name, is)| (name.as_str(), Text::Is(is.clone())));
    files.extend(before);
    files.extend(expected.files.clone());
    for (name, is) in &files {
        compare(name, met.files.get(*name).map_or(b"(missing)", Vec::as_slice), is);
    }
    // As part of `.ci/run coverage` a process without environment creates such a file.
    let created = met.files.keys().filter(|name| !name.ends_with(".profraw"));
    for name in created.filter(|name| !files.contains_key(name.as_str())) {
        found.push(format!("  {name} was created"));
    }
    found
}

/// Returns what is expected of the other tool, if it can be run.
fn expected_of_other(case: &Case) -> Option<Expected> {
    match &case.other {
        // Options of sed, find and grep differ.
        _ if cfg!(not(target_os = "linux")) => None,
        Other::Same => Some(Expected { messages: Text::Any, ..case.expected.clone() }),
        Other::Different(expected) => Some(expected.clone()),
    }
}

#[test]
fn every_task_has_the_described_result() {
    let page = fs::read_to_string(Path::new(REPOSITORY_ROOT).join("docs/cookbook.md")).unwrap();
    let rows = rows(&page);
    let cases = cases::all();
    let tasks: Vec<_> = rows.iter().map(|row| row.task.as_str()).collect();
    let described: Vec<_> = cases.iter().map(|case| case.task).collect();
    assert_eq!(tasks, described, "tasks on the page and their cases");
    let commands = tempfile::tempdir().unwrap();
    install(commands.path());
    fs::set_permissions(&commands, Permissions::from_mode(0o755)).unwrap();
    let (mut wrong, mut compared) = (0, 0);
    for (row, case) in rows.iter().zip(&cases) {
        let mut check = |command: &str, expected: &Expected, ignores_exit: bool| {
            if let Some(tool) = missing_tool(command, case.mode) {
                missing(tool);
                return 0;
            }
            let mut met = run(command, case, commands.path());
            if ignores_exit {
                met.exit = expected.exit;
            }
            let differences = differences(&met, expected, case);
            if !differences.is_empty() {
                eprintln!("{}: {command}\n{}", case.task, differences.join("\n"));
                wrong += 1;
            }
            1
        };
        check(&row.charpipe, &case.expected, false);
        if let (false, Some(expected)) = (row.other.is_empty(), expected_of_other(case)) {
            let ignores_exit = matches!(case.other, Other::Same);
            compared += check(&row.other, &expected, ignores_exit);
        }
    }
    eprintln!("{} tasks, {compared} compared with another tool", rows.len());
    assert_eq!(wrong, 0, "number of commands with another result");
}

#[test]
fn examples_print_the_shown_output() {
    assert!(run_page("docs/cookbook.md") >= 5);
}
