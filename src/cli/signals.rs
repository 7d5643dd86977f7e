//! Signals: no temporary file outlives the process, and a full quota is an error like any other.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{process, thread};

use anyhow::{Context, Result};
use charpipe::output::TempFileRegistry;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::exit::ExitStatus;

const TERMINATING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// Makes HUP, INT and TERM remove the temporary files before they end the process as they would
/// have without us; but for those that our parent has told us to ignore (`nohup`, a job in the
/// background).
pub fn install_cleanup(temporaries: &TempFileRegistry) -> Result<()> {
    let ignored = ignored_signals();
    let terminating = TERMINATING.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(terminating)?;
    let temporaries = temporaries.clone();
    let thread = thread::Builder::new().name("signals".into());
    let started = thread.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            temporaries.remove_all();
            // Returns only where the signal cannot be raised.
            let _ = emulate_default_handler(signal);
            process::exit(ExitStatus::Failure as i32);
        }
    });
    started.context("cannot start a thread")?;
    Ok(())
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail instead of killing the process,
/// so that it ends with a message and cleans up.
pub fn ignore_sigxfsz() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// The set of signals that are ignored, bit by bit. Where the system does not tell: none.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}
