//! Completions, typed into real shells.
//!
//! Each shell runs in a terminal of its own with a `charpipe` that lists candidates as the real one
//! does, and otherwise writes its arguments to a file. So the arguments after some keys, among them
//! Tab, show what the shell inserted.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

use super::{CHARPIPE, REPOSITORY_ROOT, read};
use charpipe_test_support::{Requirement, require, watch};

/// Keys after `charpipe `, and the arguments that result. `\t` is Tab.
const TYPED: [(&str, &[&str]); 22] = [
    // Subcommands, options and their values.
    ("dete\t", &["detect"]),
    ("list --ts\t", &["list", "--tsv"]),
    ("check --max-f\t3", &["check", "--max-findings", "3"]),
    ("check --newl\tcrl\t", &["check", "--newline", "crlf"]),
    ("check --format=gith\t", &["check", "--format=github"]),
    ("--on-inv\tperc\t", &["--on-invalid", "percent"]),
    ("inst\t", &["install-links"]),
    ("iconv --unic\t%x", &["iconv", "--unicode-subst", "%x"]),
    ("iconv -f KOI8-RU\t", &["iconv", "-f", "KOI8-RU"]),
    // Encodings, in any case, with their options.
    ("-f koi8-ru\t", &["-f", "koi8-ru"]),
    ("-f EUC-T\t", &["-f", "EUC-TW"]),
    ("-t utf-7:clo\talw\t", &["-t", "utf-7:close=always"]),
    ("-t ascii//TR\t", &["-t", "ascii//TRANSLIT"]),
    // Transforms, after what names them or an encoding.
    ("list htm\t", &["list", "html"]),
    ("list --about htm\t", &["list", "--about", "html"]),
    ("list --about=KOI8-RU\t", &["list", "--about=KOI8-RU"]),
    ("--chain idn\t", &["--chain", "idna"]),
    ("--chain utf-8..idn\t", &["--chain", "utf-8..idna"]),
    // Files.
    ("check oth\t", &["check", "other.txt"]),
    ("some\t", &["some file.txt"]),
    ("check some\t", &["check", "some file.txt"]),
    ("-o some\t", &["-o", "some file.txt"]),
];

struct Shell {
    command: &'static [&'static str],
    /// Loads the completions.
    start: &'static str,
    /// Whether to leave out words that have to be quoted: Elvish shows a list even of one of them.
    only_plain_words: bool,
}

#[test]
fn bash_inserts_completions() {
    check_shell(&Shell {
        command: &["bash", "--norc", "-i"],
        start: ". completions/charpipe.bash\r",
        only_plain_words: false,
    });
}

#[test]
fn zsh_inserts_completions() {
    check_shell(&Shell {
        command: &["zsh", "-f", "-i"],
        start: "fpath=($PWD/completions $fpath); autoload -U compinit; compinit -u -D\r",
        only_plain_words: false,
    });
}

#[test]
fn fish_inserts_completions() {
    check_shell(&Shell {
        command: &["fish", "-N", "-i"],
        start: "source completions/charpipe.fish\r",
        only_plain_words: false,
    });
}

#[test]
fn elvish_inserts_completions() {
    check_shell(&Shell {
        command: &["elvish", "-norc"],
        start: "eval (slurp < completions/charpipe.elv)\r",
        only_plain_words: true,
    });
}

#[test]
fn nushell_lists_completions() {
    if !require(Requirement::Program("nu")) {
        return;
    }
    let directory = create_directory();
    for (line, expected) in [
        ("dete", "detect"),
        ("check --max-f", "--max-findings"),
        ("check --newline crl", "crlf"),
        ("check --format=gith", "--format=github"),
        ("-f koi8-", "koi8-ru"),
        ("-t utf-7:close=al", "utf-7:close=always"),
        ("some", "some file.txt"),
        ("check some", "some file.txt"),
    ] {
        let script = format!("source completions/charpipe.nu\ncharpipe {line}");
        fs::write(directory.path().join("line.nu"), &script).unwrap();
        let mut command = shell_command("nu", directory.path());
        let run = command.args(["-n", "--ide-complete", &script.len().to_string(), "line.nu"]);
        let shown = String::from_utf8(run.output().unwrap().stdout).unwrap();
        assert!(shown.contains(expected), "{line:?}: {expected} is not in {shown}");
    }
}

#[test]
fn shells_list_several_candidates() {
    for (command, start) in [
        (&["bash", "--norc", "-i"][..], ". completions/charpipe.bash\r"),
        (
            &["zsh", "-f", "-i"],
            "fpath=($PWD/completions $fpath); autoload -U compinit; compinit -u -D\r",
        ),
        (&["fish", "-N", "-i"], "source completions/charpipe.fish\r"),
        (&["elvish", "-norc"], "eval (slurp < completions/charpipe.elv)\r"),
    ] {
        if !require(Requirement::Program(command[0])) {
            continue;
        }
        let directory = create_directory();
        let mut terminal = Terminal::start(command, directory.path());
        terminal.wait_for_prompt();
        terminal.press(start);
        terminal.wait_for_prompt();
        terminal.press("charpipe check --format \t\t");
        // zsh once offered the options of a conversion after a subcommand.
        terminal.wait_until(|shown| {
            ["sarif", "gitlab", "junit"].iter().all(|value| shown.contains(value))
        });
    }
}

#[test]
fn program_prints_the_scripts() {
    for (shell, path) in [
        ("bash", "completions/charpipe.bash"),
        ("zsh", "completions/_charpipe"),
        ("fish", "completions/charpipe.fish"),
        ("powershell", "completions/_charpipe.ps1"),
        ("elvish", "completions/charpipe.elv"),
        ("nushell", "completions/charpipe.nu"),
    ] {
        let run = watch::command(CHARPIPE).args(["--completions", shell]).output().unwrap();
        assert_eq!(String::from_utf8(run.stdout).unwrap(), read(path));
    }
    let names = fs::read_dir(Path::new(REPOSITORY_ROOT).join("completions")).unwrap();
    assert_eq!(names.count(), 6);
}

fn check_shell(shell: &Shell) {
    if !require(Requirement::Program(shell.command[0])) || !require(Requirement::Program("setsid"))
    {
        return;
    }
    let directory = create_directory();
    let mut terminal = Terminal::start(shell.command, directory.path());
    terminal.wait_for_prompt();
    terminal.press(shell.start);
    let written = directory.path().join("arguments");
    for (typed, expected) in TYPED {
        if shell.only_plain_words && expected.iter().any(|word| word.contains([' ', '='])) {
            continue;
        }
        terminal.wait_for_prompt();
        terminal.press(&format!("charpipe {typed}\r"));
        terminal.wait_until(|_| written.exists());
        let arguments = fs::read_to_string(&written).unwrap();
        fs::remove_file(&written).unwrap();
        let name = shell.command[0];
        assert_eq!(arguments.lines().collect::<Vec<_>>(), expected, "{name}: {typed:?}");
    }
}

/// A directory with the scripts, a program, and files whose names can be completed.
fn create_directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::create_dir_all(path.join("bin")).unwrap();
    std::os::unix::fs::symlink(
        Path::new(REPOSITORY_ROOT).join("completions"),
        path.join("completions"),
    )
    .unwrap();
    fs::write(path.join("some file.txt"), "").unwrap();
    fs::write(path.join("other.txt"), "").unwrap();
    // The file appears with its whole content.
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in --complete=*) exec '{CHARPIPE}' \"$@\" ;; esac\n\
         printf '%s\\n' \"$@\" > '{0}/new' && mv '{0}/new' '{0}/arguments'\n",
        path.display()
    );
    fs::write(path.join("bin/charpipe"), script).unwrap();
    fs::set_permissions(path.join("bin/charpipe"), fs::Permissions::from_mode(0o755)).unwrap();
    directory
}

/// A command in this directory with its `charpipe` and without the files of a user.
fn shell_command(program: &str, directory: &Path) -> Command {
    let mut command = watch::command(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .current_dir(directory)
        .env("PATH", format!("{}/bin:{path}", directory.display()))
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8");
    for variable in ["HOME", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env(variable, directory.join("bin"));
    }
    command
}

/// A shell in a terminal.
struct Terminal {
    user: File,
    child: Child,
    shown: Vec<u8>,
    /// How many prompts have been waited for, unless the shell keeps keys pressed before.
    prompts: Option<usize>,
}

/// What shells other than fish write when they begin to read a line: bracketed paste is switched on.
const PROMPT: &str = "\x1B[?2004h";

impl Terminal {
    fn start(command: &[&str], directory: &Path) -> Terminal {
        let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&user).unwrap();
        unlockpt(&user).unwrap();
        let name = ptsname(&user, Vec::new()).unwrap();
        let program: OwnedFd = open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let size = rustix::termios::Winsize { ws_row: 40, ws_col: 150, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&user, size).unwrap();
        let prompts = (command[0] != "fish").then_some(0);
        let child = shell_command("setsid", directory)
            .arg("--ctty")
            .args(command)
            .stdin(program.try_clone().unwrap())
            .stdout(program.try_clone().unwrap())
            .stderr(program)
            .spawn()
            .unwrap();
        Terminal { user: File::from(user), child, shown: Vec::new(), prompts }
    }

    fn press(&mut self, keys: &str) {
        self.user.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the shell reads the next line. Some discard keys pressed before.
    fn wait_for_prompt(&mut self) {
        let Some(count) = self.prompts.map(|count| count + 1) else { return };
        self.prompts = Some(count);
        self.wait_until(|shown| shown.matches(PROMPT).count() >= count);
    }

    /// Reads what the terminal shows until a condition is met, and responds to queries of the
    /// position of the cursor and the kind of the terminal.
    fn wait_until(&mut self, is_met: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut buffer = [0; 4096];
        loop {
            let shown = String::from_utf8_lossy(&self.shown);
            if is_met(&shown) {
                return;
            }
            assert!(Instant::now() < deadline, "the terminal shows {shown}");
            let timeout = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
            let mut waiting = [PollFd::new(&self.user, PollFlags::IN)];
            if poll(&mut waiting, Some(&timeout)).unwrap_or(0) > 0 {
                let count = self.user.read(&mut buffer).unwrap_or(0);
                let text = buffer[..count].to_vec();
                self.shown.extend_from_slice(&text);
                let has = |query: &[u8]| text.windows(query.len()).any(|part| part == query);
                if has(b"\x1B[6n") {
                    self.press("\x1B[1;1R");
                }
                if has(b"\x1B[c") || has(b"\x1B[0c") {
                    self.press("\x1B[?1;2c");
                }
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
