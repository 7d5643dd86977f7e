//! Signals: no temporary file outlives the process, and a full quota is an error like any other.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// The ending signals, held back until there is something to remove or nothing more to hold for.
pub struct Held(Signals);

/// Holds back HUP, INT and TERM from here on, but for those that our parent has told us to ignore
/// (`nohup`, a job in the background).
pub fn hold() -> io::Result<Held> {
    let ignored = ignored();
    let ending = ENDING.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    Ok(Held(Signals::new(ending)?))
}

impl Held {
    /// Lets the signals through again: each removes the file and then ends the process as it
    /// would have without us.
    pub fn remove_first(mut self, temporary: PathBuf) -> io::Result<()> {
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in self.0.forever() {
                // It may have been renamed by now, and then there is nothing to remove.
                let _ = fs::remove_file(&temporary);
                let _ = emulate_default_handler(signal);
            }
        })?;
        Ok(())
    }
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail instead of killing the process,
/// so that it ends with a message and cleans up.
pub fn survive_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// The set of signals that are ignored, bit by bit. Where the system does not tell: none.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}
