//! The command under `strace`, which counts its system calls and makes one of them fail.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use charpipe_test_support::{missing, watch};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_charpipe");

/// The first call that is ours. What the loader and Rust's runtime do before `main` is not in our
/// hands: they end the process themselves.
const MAIN: &str = "rt_sigaction(SIGABRT, NULL";

/// A run that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often each system call is made after the beginning of `main`: from which on, up to which.
/// `strace` counts for each thread, and so is this the most of any thread.
pub type Calls = BTreeMap<String, (usize, usize)>;

/// Whether processes can be traced here.
pub fn is_permitted() -> bool {
    let mut command = watch::command("strace");
    command.args(["-f", "--seccomp-bpf", "-e", "trace=close", "-e", "inject=close:error=EIO"]);
    let traced = command.args(["-o", "/dev/null", "true"]).output().is_ok();
    let attached = watch::command("strace").args(["-o", "/dev/null", "true"]).status();
    let permitted = traced && attached.is_ok_and(|status| status.success());
    if !permitted {
        missing("the permission to trace with strace");
    }
    permitted
}

/// A run without disturbance that writes its calls to `log`.
pub fn counting(log: &Path) -> Command {
    let mut command = watch::command("strace");
    command.args(["-f", "-o"]).arg(log).arg(PROGRAM);
    command
}

/// A run in which something happens at one call: `inject` is what `strace` calls the event, such
/// as `read:error=EIO:when=3`.
pub fn with_injection(log: &Path, inject: &str) -> Command {
    let call = inject.split(':').next().unwrap_or_default();
    let mut command = watch::command("strace");
    // The faster way, but signals do not come through.
    if !inject.contains(":signal=") {
        command.arg("--seccomp-bpf");
    }
    command.args(["-f", "-o"]).arg(log);
    command.args(["-e", &format!("trace={call}"), "-e", &format!("inject={inject}")]).arg(PROGRAM);
    command
}

/// The calls in a log.
pub fn calls(log: &Path) -> Calls {
    let log = fs::read_to_string(log).unwrap();
    let mut made: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    let mut in_main = false;
    for line in log.lines() {
        let Some((thread, event)) = line.split_once(' ') else { continue };
        let event = event.trim_start();
        in_main |= event.starts_with(MAIN);
        let Some((call, _)) = event.split_once('(') else { continue };
        if call.is_empty()
            || call.contains(|letter: char| !letter.is_alphanumeric() && letter != '_')
        {
            continue;
        }
        *made.entry((thread, call)).or_default() += 1;
        if !in_main {
            *before.entry(call).or_default() += 1;
        }
    }
    assert!(in_main, "no {MAIN} in\n{log}");
    let mut calls = Calls::new();
    for ((_, call), count) in made {
        let first = before.get(call).copied().unwrap_or(0) + 1;
        let entry = calls.entry(call.to_owned()).or_insert((first, 0));
        entry.1 = entry.1.max(count);
    }
    calls.retain(|_, (first, last)| first <= last);
    calls
}

/// Runs a command to its end. None if it does not come to one; then it is killed with all that it
/// has started.
pub fn finish(
    mut command: Command,
    input: Stdio,
    output: File,
    messages: File,
) -> Option<ExitStatus> {
    command.stdin(input).stdout(output).stderr(messages).process_group(0);
    let mut child = command.spawn().unwrap();
    drop(command);
    let begin = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if begin.elapsed() > TIMEOUT {
            let group = Pid::from_child(&child);
            let _ = kill_process_group(group, Signal::KILL);
            let _ = child.wait();
            return None;
        }
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(8));
    }
}
