//! Signals and overdue processes.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::{Pid, Signal, getpid, kill_process};
use signal_hook::consts::{FORBIDDEN, SIGPIPE};

/// Prepares this process once: its children get the default signal actions and do not run for too long.
pub fn prepare() {
    static BEGIN: Once = Once::new();
    BEGIN.call_once(|| {
        default_signals();
        thread::spawn(|| kill_overdue(getpid(), longest()));
    });
}

/// How long a process may run. Exhaustive tests take their time.
fn longest() -> Duration {
    Duration::from_secs(if crate::is_exhaustive() { 14_400 } else { 600 })
}

/// Gives the signals that this process ignores a handler that does nothing: a handler is not
/// inherited, the new program gets the default action. Rust itself does that for SIGPIPE.
fn default_signals() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    for signal in 1..32 {
        if ignored & (1 << (signal - 1)) != 0 && signal != SIGPIPE && !FORBIDDEN.contains(&signal) {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).unwrap();
        }
    }
}

/// Kills the descendants of a process that have been running for longer than this, and never returns.
pub fn kill_overdue(of: Pid, longest: Duration) {
    let mut seen: HashMap<Process, Instant> = HashMap::new();
    loop {
        thread::sleep(longest / 30);
        let running = descendants(of);
        seen.retain(|process, _| running.contains(process));
        for process in running {
            if seen.entry(process).or_insert_with(Instant::now).elapsed() > longest {
                eprintln!("killed after {} s: {}", longest.as_secs(), process.command());
                let _ = kill_process(process.id, Signal::KILL);
            }
        }
    }
}

/// A process; the time of its start distinguishes it from a later one with the same number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Process {
    id: Pid,
    start: u64,
}

impl Process {
    fn command(self) -> String {
        let words = fs::read(format!("/proc/{}/cmdline", self.id.as_raw_nonzero()));
        String::from_utf8_lossy(&words.unwrap_or_default()).replace('\0', " ")
    }
}

/// The running descendants of a process; none without `/proc`.
fn descendants(of: Pid) -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let all: Vec<_> = names.filter_map(|name| look_up(name.parse().ok()?)).collect();
    let mut parents = vec![of];
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        let children = all.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process);
        for child in children {
            parents.push(child.id);
            found.push(child);
        }
    }
    found
}

/// The process with this number, and its parent.
fn look_up(id: i32) -> Option<(Process, Pid)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The second field is the name in parentheses, and may have spaces in it.
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let parent = Pid::from_raw(fields.get(1)?.parse().ok()?)?;
    Some((Process { id: Pid::from_raw(id)?, start: fields.get(19)?.parse().ok()? }, parent))
}
