//! The command under test.

#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use tempfile::TempDir;

use charpipe_test_support::{is_superuser, missing, watch};

const PROGRAM: &str = env!("CARGO_BIN_EXE_charpipe");

/// Runs a check for each item in a thread of its own, which has the name of the test: the checks wait for seconds.
#[cfg(unix)]
pub fn at_once<T: Send>(items: impl IntoIterator<Item = T>, check: impl Fn(T) + Sync) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    std::thread::scope(|scope| {
        for item in items {
            let thread = std::thread::Builder::new().name(test.clone());
            thread.spawn_scoped(scope, || check(item)).unwrap();
        }
    });
}

/// Returns the command, with the buffer size that the environment sets.
pub fn charpipe() -> Command {
    Command::from_std(plain())
}

/// Returns the command for tests that interact with it while it runs.
pub fn plain() -> process::Command {
    let mut command = neutral(watch::command(PROGRAM));
    command.args(buffer_size_args());
    command
}

/// Sets the environment so that on terminals there are neither colors nor progress.
fn neutral(mut command: process::Command) -> process::Command {
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command.env("TERM", "dumb");
    command
}

/// Returns the command with a subcommand.
pub fn subcommand(subcommand: &str) -> Command {
    Command::from_std(plain_subcommand(subcommand))
}

/// Returns the command with a subcommand for tests that interact with it while it runs.
pub fn plain_subcommand(subcommand: &str) -> process::Command {
    let mut command = neutral(watch::command(PROGRAM));
    command.arg(subcommand).args(buffer_size_args());
    command
}

/// Returns a shell that runs a script in which `"$@"` is the command.
pub fn shell(script: &str) -> Command {
    let mut command = Command::from_std(neutral(watch::command("sh")));
    command.args(["-c", script, "sh", PROGRAM]).args(buffer_size_args());
    command
}

/// Returns a shell that runs a script in which `"$@"` is the command with a subcommand.
pub fn shell_subcommand(subcommand: &str, script: &str) -> Command {
    let mut command = Command::from_std(neutral(watch::command("sh")));
    command.args(["-c", script, "sh", PROGRAM, subcommand]).args(buffer_size_args());
    command
}

/// Returns whether tests run with small buffers, with which a run takes up to a thousand times as long.
pub fn has_small_buffers() -> bool {
    std::env::var_os("CHARPIPE_TEST_BUFFER_SIZE").is_some()
}

fn buffer_size_args() -> Vec<String> {
    match std::env::var("CHARPIPE_TEST_BUFFER_SIZE") {
        Ok(bytes) => vec!["--buffer-size".to_owned(), bytes],
        Err(_) => Vec::new(),
    }
}

/// Returns the message of a system error, which differs between C libraries.
#[cfg(unix)]
pub fn system_message(error: rustix::io::Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    text[..text.rfind(" (os error").unwrap()].to_owned()
}

/// Creates a temporary directory with these files.
pub fn create_directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, content) in files {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

/// Returns the sorted names in a directory.
pub fn names(directory: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let entries = std::fs::read_dir(directory).unwrap().map(name);
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the lines that a run wrote to standard error.
pub fn messages_of(run: &Assert) -> Vec<String> {
    let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Returns a shell that runs a script in a mount namespace of its own, in which file systems may be mounted and `"$@"` is
/// the command, or none if the system does not permit that.
#[cfg(target_os = "linux")]
pub fn shell_with_mounts(directory: &Path, script: &str) -> Option<Command> {
    // Users other than root may mount only if they are root of a user namespace.
    for option in ["-m", "-rm"] {
        let mut probe = watch::command("unshare");
        probe.args([option, "sh", "-c", "mount -t tmpfs none /proc"]);
        if probe.output().is_ok_and(|output| output.status.success()) {
            let mut command = Command::from_std(neutral(watch::command("unshare")));
            command.args([option, "sh", "-c", script, "sh", PROGRAM]).args(buffer_size_args());
            command.current_dir(directory);
            return Some(command);
        }
    }
    missing("the permission to mount a file system");
    None
}

/// Returns the command as an unprivileged user, if tests run as root.
#[cfg(unix)]
pub fn as_unprivileged_user() -> Option<process::Command> {
    unprivileged(plain)
}

/// Returns the command with a subcommand as an unprivileged user, if tests run as root.
#[cfg(unix)]
pub fn subcommand_as_unprivileged_user(subcommand: &str) -> Option<process::Command> {
    unprivileged(|| plain_subcommand(subcommand))
}

#[cfg(unix)]
fn unprivileged(command: impl Fn() -> process::Command) -> Option<process::Command> {
    const UNPRIVILEGED_UID: u32 = 65_534;
    let mut result = command();
    if is_superuser() {
        result.uid(UNPRIVILEGED_UID).gid(UNPRIVILEGED_UID);
        if result.arg("--version").output().is_err() {
            missing("a directory of the program that other users may read");
            return None;
        }
        result = command();
        result.uid(UNPRIVILEGED_UID).gid(UNPRIVILEGED_UID);
        result.envs([watch::NO_PROFILE]);
    }
    Some(result)
}
