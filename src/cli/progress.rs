//! A bar that shows how far a long run has come, on a terminal only.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);
const COUNTED: &str = "{bar:30} {pos} of {len} files, {elapsed}";
const UNCOUNTED: &str = "{spinner} {pos} files, {elapsed}";

/// The bar that is on the screen.
static SHOWN: RwLock<Option<ProgressBar>> = RwLock::new(None);

/// The progress of a run. It leaves the screen when this is dropped.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Dropped to call the bar off.
    ended: Option<Sender<()>>,
}

impl Progress {
    /// Begins to count. After a second the bar appears, and `count` is asked how many files there
    /// are, if that can be said at all.
    pub fn begin(count: impl FnOnce() -> Option<u64> + Send + 'static) -> Progress {
        if !stderr().is_terminal() {
            return Progress { bar: None, ended: None };
        }
        let bar = ProgressBar::hidden().with_style(style(UNCOUNTED));
        let (ended, end) = channel();
        let waiting = bar.clone();
        // Without it there is no bar, and nothing else is missing.
        let _ = thread::Builder::new()
            .name("progress".into())
            .spawn(move || show_later(&waiting, &end, count));
        Progress { bar: Some(bar), ended: Some(ended) }
    }

    /// One more file is done.
    pub fn advance(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut shown = SHOWN.write().unwrap_or_else(PoisonError::into_inner);
        self.ended = None;
        *shown = None;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn show_later(bar: &ProgressBar, end: &Receiver<()>, count: impl FnOnce() -> Option<u64>) {
    let over = || !matches!(end.try_recv(), Err(TryRecvError::Empty));
    if end.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    {
        let mut shown = SHOWN.write().unwrap_or_else(PoisonError::into_inner);
        if over() {
            return;
        }
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
        *shown = Some(bar.clone());
    }
    if let Some(count) = count() {
        bar.set_length(count);
        bar.set_style(style(COUNTED));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Does something on the standard error while the bar is out of the way.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    match &*SHOWN.read().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
