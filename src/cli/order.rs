//! Lines about files that are worked on at once, told in the order in which the files were begun.
//!
//! So what is told is the same however many work at once.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::report::say;

/// Lines that are kept of a file whose turn has not come. Then it has to wait for its turn.
const MOST: usize = 64;

/// The order of the files.
#[derive(Debug, Default)]
pub struct Order {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the file whose lines go out as they come.
    current: u64,
    /// What the files behind it have to tell.
    waiting: BTreeMap<u64, Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: Vec<String>,
    ended: bool,
}

/// Tells lines at once, or when it is the turn of their file.
#[derive(Debug, Clone, Copy)]
pub enum Voice<'a> {
    Direct,
    Turn(&'a Order, u64),
}

impl Voice<'_> {
    pub fn say(self, line: &str) {
        match self {
            Voice::Direct => say(line),
            Voice::Turn(order, number) => order.say(number, line),
        }
    }
}

impl Order {
    fn say(&self, number: u64, line: &str) {
        let mut state = self.lock();
        loop {
            if number == state.current {
                return say(line);
            }
            let kept = &mut state.waiting.entry(number).or_default().lines;
            if kept.len() < MOST {
                return kept.push(line.to_owned());
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A file has nothing more to tell. Each number from nought on has to come to an end.
    pub fn end(&self, number: u64) {
        let mut state = self.lock();
        if number != state.current {
            state.waiting.entry(number).or_default().ended = true;
            return;
        }
        let mut ended = true;
        while ended {
            state.current += 1;
            let current = state.current;
            let kept = state.waiting.remove(&current).unwrap_or_default();
            kept.lines.iter().for_each(|line| say(line));
            ended = kept.ended;
        }
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
