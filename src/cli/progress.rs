//! Progress of long runs, on a terminal only: one line on standard error.
//!
//! The line appears after a second and is erased at the end, before each message, and when a signal
//! terminates or stops the process.

use std::io::{IsTerminal, stdin};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::fs::byte_count;

use super::paths::{FoundFile, SelectedFile, Selection};
use super::streams::{self, Input};
use super::{cleanup, color, terminal};

mod status_line;

use status_line::{RateMeter, StatusLine};

/// The delay before the progress is shown.
const SHOW_AFTER: Duration = Duration::from_secs(1);
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// The width if the terminal does not report it.
const DEFAULT_WIDTH: usize = 80;

/// The number of files that have been processed.
static FILES_DONE: AtomicU64 = AtomicU64::new(0);

/// The progress of a run. Dropping it erases it from the screen.
#[derive(Debug)]
pub struct ProgressDisplay {
    /// Dropped to end the thread that shows the progress; `None` if there is none.
    cancel: Option<Sender<()>>,
}

/// The sizes of the inputs, as far as they are known. They are counted while the run goes on.
type Sizes = Box<dyn Iterator<Item = Option<u64>> + Send>;

impl ProgressDisplay {
    /// Returns the progress of a run that shows none.
    pub fn hidden() -> ProgressDisplay {
        ProgressDisplay { cancel: None }
    }

    /// Shows the number of bytes of inputs that are processed one after the other.
    pub fn of_inputs(inputs: &[Input]) -> ProgressDisplay {
        if !can_be_shown(inputs.contains(&Input::Stdin)) {
            return ProgressDisplay::hidden();
        }
        let inputs = inputs.to_vec();
        ProgressDisplay::start(false, Some(Box::new(inputs.into_iter().map(|input| input.size()))))
    }

    /// Shows the number of files and bytes. A single file is shown as
    /// [`of_inputs`](Progress::of_inputs) does.
    pub fn of_files(selection: &Selection) -> ProgressDisplay {
        if !can_be_shown(selection.operands_include_stdin()) {
            return ProgressDisplay::hidden();
        }
        let selection = selection.clone();
        let sizes = selection.can_be_repeated().then(|| {
            let size = |found: FoundFile| match found {
                Ok(file) => file.size(),
                Err(_) => Some(0),
            };
            Box::new(selection.files().map(size)) as Sizes
        });
        ProgressDisplay::start(true, sizes)
    }

    fn start(with_files: bool, sizes: Option<Sizes>) -> ProgressDisplay {
        let (cancel, canceled) = channel();
        let started = Instant::now();
        // If the thread cannot be started, progress is not shown.
        let _ = thread::Builder::new()
            .name("progress".into())
            .spawn(move || show(&canceled, started, with_files, sizes));
        ProgressDisplay { cancel: Some(cancel) }
    }

    /// Counts a file.
    pub fn finish_file(&self) {
        FILES_DONE.fetch_add(1, Relaxed);
    }

    /// Counts the rest of a file that was not read to its end. `start` is the number of bytes that had
    /// been processed before it.
    pub fn skip_rest(&self, start: u64, file: &SelectedFile) {
        if self.cancel.is_some() {
            let read = byte_count::processed() - start;
            byte_count::add(file.size().unwrap_or(0).saturating_sub(read));
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        let Some(cancel) = self.cancel.take() else { return };
        let mut shown = terminal::status_line();
        // The thread checks this before it writes, while the text is locked.
        drop(cancel);
        terminal::erase(&mut shown);
    }
}

/// Returns whether progress can be shown. It would disturb a user who types the input.
fn can_be_shown(reads_stdin: bool) -> bool {
    if !color::stderr_supports_escapes() || reads_stdin && stdin().is_terminal() {
        return false;
    }
    streams::stdin_start();
    true
}

/// Shows the progress until it is canceled.
fn show(canceled: &Receiver<()>, started: Instant, with_files: bool, sizes: Option<Sizes>) {
    let is_canceled = |timeout| canceled.recv_timeout(timeout) != Err(RecvTimeoutError::Timeout);
    if is_canceled(SHOW_AFTER) || cleanup::install_for_status_line().is_err() {
        return;
    }
    let mut total = Total::new(sizes);
    let mut meter = RateMeter::default();
    loop {
        total.count_until(Instant::now() + UPDATE_INTERVAL);
        let (done_bytes, elapsed) = (byte_count::processed(), started.elapsed());
        let files = (FILES_DONE.load(Relaxed), total.files());
        let line = StatusLine {
            done_bytes,
            total_bytes: total.bytes(),
            files: (with_files && total.files() != Some(1)).then_some(files),
            rate: meter.update(done_bytes, elapsed),
            elapsed,
        };
        let width = terminal_size::terminal_size_of(std::io::stderr());
        let width = width.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
        let text = line.text(width.saturating_sub(1));
        let mut shown = terminal::status_line();
        if is_canceled(Duration::ZERO) {
            return;
        }
        terminal::draw(&mut shown, text);
        drop(shown);
        if is_canceled(UPDATE_INTERVAL) {
            return;
        }
    }
}

/// The total, while it is counted.
struct Total {
    files: u64,
    /// `None` if the size of an input is unknown.
    bytes: Option<u64>,
    /// The inputs that have not been counted; `None` if they cannot be.
    rest: Option<Sizes>,
    is_complete: bool,
}

impl Total {
    fn new(sizes: Option<Sizes>) -> Total {
        Total { files: 0, bytes: Some(0), rest: sizes, is_complete: false }
    }

    /// Counts until this time or the end of the inputs.
    fn count_until(&mut self, deadline: Instant) {
        while let (Some(sizes), false) = (&mut self.rest, self.is_complete) {
            match sizes.next() {
                Some(size) => {
                    self.files += 1;
                    self.bytes = self.bytes.zip(size).map(|(sum, size)| sum + size);
                }
                None => self.is_complete = true,
            }
            if Instant::now() >= deadline {
                return;
            }
        }
    }

    fn files(&self) -> Option<u64> {
        self.is_complete.then_some(self.files)
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes.filter(|_| self.is_complete)
    }
}
