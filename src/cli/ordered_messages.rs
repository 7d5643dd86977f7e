//! Messages about files that are converted in parallel, printed in the order of the files.
//!
//! So the messages do not depend on the number of threads.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::messages::{Message, print_message};

/// The maximum number of lines queued for a file before its turn. Beyond that its thread waits.
const MAX_PENDING_LINES: usize = 64;

/// Queues the messages of files other than the current one.
#[derive(Debug, Default)]
pub struct MessageQueue {
    state: Mutex<QueueState>,
    advanced: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    /// The number of the file whose messages are printed immediately.
    current: u64,
    /// The number of threads that wait for it to advance.
    waiting: usize,
    /// The messages of the files after it.
    pending: BTreeMap<u64, PendingMessages>,
}

#[derive(Debug, Default)]
struct PendingMessages {
    lines: Vec<Message>,
    is_complete: bool,
}

/// Prints messages immediately, or in the order of their files.
#[derive(Debug, Clone, Copy)]
pub enum MessageSink<'a> {
    Immediate,
    Ordered(&'a MessageQueue, u64),
}

impl MessageSink<'_> {
    pub fn send(self, message: impl Into<Message>) {
        match self {
            MessageSink::Immediate => print_message(message),
            MessageSink::Ordered(queue, number) => queue.send(number, message.into()),
        }
    }
}

impl MessageQueue {
    fn send(&self, number: u64, message: Message) {
        let mut state = self.lock();
        loop {
            if number == state.current {
                return print_message(message);
            }
            let pending = &mut state.pending.entry(number).or_default().lines;
            if pending.len() < MAX_PENDING_LINES {
                return pending.push(message);
            }
            state.waiting += 1;
            state = self.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    /// Marks a file as complete. This must be called for every number, from zero on.
    pub fn finish(&self, number: u64) {
        let mut state = self.lock();
        if number != state.current {
            state.pending.entry(number).or_default().is_complete = true;
            return;
        }
        let mut complete = true;
        while complete {
            state.current += 1;
            let current = state.current;
            let pending = state.pending.remove(&current).unwrap_or_default();
            pending.lines.into_iter().for_each(print_message);
            complete = pending.is_complete;
        }
        if state.waiting > 0 {
            self.advanced.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
