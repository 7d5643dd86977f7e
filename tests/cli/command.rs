//! The command under test.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use tempfile::TempDir;

use crate::watch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_charpipe");

/// The command, in the blocks that the environment asks for.
pub fn charpipe() -> Command {
    Command::from_std(plain())
}

/// The same for tests that talk to it while it runs.
pub fn plain() -> process::Command {
    let mut command = watch::command(PROGRAM);
    command.args(block());
    command
}

/// The command with a verb.
pub fn verb(verb: &str) -> Command {
    Command::from_std(plain_verb(verb))
}

/// The same for tests that talk to it while it runs.
pub fn plain_verb(verb: &str) -> process::Command {
    let mut command = watch::command(PROGRAM);
    command.arg(verb).args(block());
    command
}

/// A shell that runs a script in which `"$@"` is the command.
pub fn shell(script: &str) -> Command {
    let mut command = Command::from_std(watch::command("sh"));
    command.args(["-c", script, "sh", PROGRAM]).args(block());
    command
}

/// The same, where `"$@"` is the command with a verb.
pub fn shell_verb(verb: &str, script: &str) -> Command {
    let mut command = Command::from_std(watch::command("sh"));
    command.args(["-c", script, "sh", PROGRAM, verb]).args(block());
    command
}

fn block() -> Vec<String> {
    match std::env::var("CHARPIPE_TEST_BLOCK") {
        Ok(bytes) => vec!["--block-size".to_owned(), bytes],
        Err(_) => Vec::new(),
    }
}

/// A folder with these files.
pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let entries = std::fs::read_dir(folder).unwrap().map(name);
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// What a run has told, line by line.
pub fn told(run: &Assert) -> Vec<String> {
    let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Whether this user is stopped by no permissions, so that a test about them says nothing.
pub fn permissions_do_not_bind() -> bool {
    let root = rustix::fs::stat("/proc/self").is_ok_and(|stat| stat.st_uid == 0);
    if root {
        println!("skipped: permissions do not bind root");
    }
    root
}

/// The command as a user with no permissions of its own, where tests run as root.
pub fn as_nobody() -> Option<process::Command> {
    const NOBODY: u32 = 65_534;
    let mut command = plain();
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
        if command.arg("--version").output().is_err() {
            println!("skipped: nobody but root can run {PROGRAM}");
            return None;
        }
        command = plain();
        command.uid(NOBODY).gid(NOBODY);
    }
    Some(command)
}
