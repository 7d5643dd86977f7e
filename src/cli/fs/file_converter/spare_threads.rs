//! Threads that have no file left to convert.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of threads that have no file left to convert, and may convert parts of a large one.
#[derive(Debug, Default)]
pub struct SpareThreads(AtomicUsize);

impl SpareThreads {
    /// Adds threads.
    pub fn add(&self, count: usize) {
        self.0.fetch_add(count, Relaxed);
    }

    /// Takes a thread. Returns false if there is none.
    pub(super) fn try_take(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |count| count.checked_sub(1)).is_ok()
    }
}
