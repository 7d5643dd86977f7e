//! A bar that shows how far a long run has come, on a terminal only.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Shorter work shows nothing.
const SHOW_AFTER: Duration = Duration::from_secs(1);
const TICK_INTERVAL: Duration = Duration::from_millis(100);
const BAR_TEMPLATE: &str = "{bar:30} {pos} of {len} files, {elapsed}";
const SPINNER_TEMPLATE: &str = "{spinner} {pos} files, {elapsed}";

/// The bar that is on the screen.
static CURRENT_BAR: RwLock<Option<ProgressBar>> = RwLock::new(None);

/// The progress of a run. It leaves the screen when this is dropped.
pub struct FileProgress {
    bar: Option<ProgressBar>,
    /// Dropped to call the bar off.
    cancel: Option<Sender<()>>,
}

impl FileProgress {
    /// Begins to count. After a second the bar appears, and `count` is asked how many files there
    /// are, if that can be said at all.
    pub fn start(count: impl FnOnce() -> Option<u64> + Send + 'static) -> FileProgress {
        if !stderr().is_terminal() {
            return FileProgress { bar: None, cancel: None };
        }
        let bar = ProgressBar::hidden().with_style(bar_style(SPINNER_TEMPLATE));
        let (ended, canceled) = channel();
        let waiting = bar.clone();
        // Without it there is no bar, and nothing else is missing.
        let _ = thread::Builder::new()
            .name("progress".into())
            .spawn(move || show_after_delay(&waiting, &canceled, count));
        FileProgress { bar: Some(bar), cancel: Some(ended) }
    }

    /// One more file is done.
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

fn show_after_delay(bar: &ProgressBar, end: &Receiver<()>, count: impl FnOnce() -> Option<u64>) {
    let is_canceled = || !matches!(end.try_recv(), Err(TryRecvError::Empty));
    if end.recv_timeout(SHOW_AFTER) != Err(RecvTimeoutError::Timeout) {
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

/// Does something on the standard error while the bar is out of the way.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    match &*CURRENT_BAR.read().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
