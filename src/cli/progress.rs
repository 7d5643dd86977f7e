//! A progress bar for long runs, on a terminal only.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The delay before the bar is shown.
const SHOW_AFTER: Duration = Duration::from_secs(1);
const TICK_INTERVAL: Duration = Duration::from_millis(100);
const BAR_TEMPLATE: &str = "{bar:30} {pos} of {len} files, {elapsed}";
const SPINNER_TEMPLATE: &str = "{spinner} {pos} files, {elapsed}";

/// The bar on the screen.
static CURRENT_BAR: RwLock<Option<ProgressBar>> = RwLock::new(None);

/// The progress of a run. Dropping it removes the bar from the screen.
pub struct FileProgress {
    bar: Option<ProgressBar>,
    /// Dropped to cancel the bar.
    cancel: Option<Sender<()>>,
}

impl FileProgress {
    /// Starts counting. After a second the bar appears, and `count` is called for the total number of
    /// files, if that can be determined.
    pub fn start(count: impl FnOnce() -> Option<u64> + Send + 'static) -> FileProgress {
        if !stderr().is_terminal() {
            return FileProgress { bar: None, cancel: None };
        }
        let bar = ProgressBar::hidden().with_style(bar_style(SPINNER_TEMPLATE));
        let (cancel, canceled) = channel();
        let waiting = bar.clone();
        // If the thread cannot be started, the bar is not shown.
        let _ = thread::Builder::new()
            .name("progress".into())
            .spawn(move || show_after_delay(&waiting, &canceled, count));
        FileProgress { bar: Some(bar), cancel: Some(cancel) }
    }

    /// Counts a file.
    pub fn advance(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        let mut shown = CURRENT_BAR.write().unwrap_or_else(PoisonError::into_inner);
        self.cancel = None;
        *shown = None;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn show_after_delay(
    bar: &ProgressBar,
    canceled: &Receiver<()>,
    count: impl FnOnce() -> Option<u64>,
) {
    let is_canceled = || !matches!(canceled.try_recv(), Err(TryRecvError::Empty));
    if canceled.recv_timeout(SHOW_AFTER) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    {
        let mut shown = CURRENT_BAR.write().unwrap_or_else(PoisonError::into_inner);
        if is_canceled() {
            return;
        }
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK_INTERVAL);
        *shown = Some(bar.clone());
    }
    if let Some(count) = count() {
        bar.set_length(count);
        bar.set_style(bar_style(BAR_TEMPLATE));
    }
}

fn bar_style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Calls `write`, which writes to standard error, while the bar is hidden.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    match &*CURRENT_BAR.read().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
