//! Lines about files that are worked on at once, told in the order in which the files were begun.
//!
//! So what is told is the same however many work at once.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::messages::print_message;

/// Lines that are kept of a file whose turn has not come. Then it has to wait for its turn.
const MAX_PENDING_LINES: usize = 64;

/// The order of the files.
#[derive(Debug, Default)]
pub struct MessageQueue {
    state: Mutex<QueueState>,
    advanced: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    /// The number of the file whose lines go out as they come.
    current: u64,
    /// What the files after it have to tell.
    pending: BTreeMap<u64, PendingMessages>,
}

#[derive(Debug, Default)]
struct PendingMessages {
    lines: Vec<String>,
    is_complete: bool,
}

/// Tells lines at once, or when it is the turn of their file.
#[derive(Debug, Clone, Copy)]
pub enum MessageSink<'a> {
    Immediate,
    Ordered(&'a MessageQueue, u64),
}

impl MessageSink<'_> {
    pub fn send(self, message: &str) {
        match self {
            MessageSink::Immediate => print_message(message),
            MessageSink::Ordered(queue, number) => queue.send(number, message),
        }
    }
}

impl MessageQueue {
    fn send(&self, number: u64, message: &str) {
        let mut state = self.lock();
        loop {
            if number == state.current {
                return print_message(message);
            }
            let pending = &mut state.pending.entry(number).or_default().lines;
            if pending.len() < MAX_PENDING_LINES {
                return pending.push(message.to_owned());
            }
            state = self.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A file has nothing more to tell. Each number from zero on has to come to an end.
    pub fn finish(&self, number: u64) {
        let mut state = self.lock();
        if number != state.current {
            state.pending.entry(number).or_default().is_complete = true;
            return;
        }
        let mut ended = true;
        while ended {
            state.current += 1;
            let current = state.current;
            let pending = state.pending.remove(&current).unwrap_or_default();
            pending.lines.iter().for_each(|line| print_message(line));
            ended = pending.is_complete;
        }
        self.advanced.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
