//! The number of threads.

use std::thread;

/// Returns the number of CPUs, up to 8.
pub fn thread_count() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(8))
}

/// Returns the number of CPUs, between 2 and 8. With one CPU, a second job can work while the first
/// waits for the disk.
pub fn default_jobs() -> u32 {
    thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 8) as u32)
}
