//! Which sets are in use and designated, in one word.

use super::{Newline, Scheme, Slot};
use crate::codec::State;

/// The state of a codec with shifts. Sets are told by their numbers; 0 is not designated anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shifts {
    /// The set in use.
    pub current: u8,
    designated: [u8; 3],
    /// Whether the header has been written.
    pub begun: bool,
    /// Whether a sequence was read last, where another one would be a fault.
    pub idle: bool,
}

impl Shifts {
    pub fn designated(self, slot: Slot) -> u8 {
        self.designated[slot as usize]
    }

    /// Designates a set. If that changes G1 while it is in use, the new set is in use.
    pub fn designate(&mut self, slot: Slot, set: u8) {
        self.designated[slot as usize] = set;
        if slot == Slot::G1 && self.current != 0 {
            self.current = set;
        }
    }

    /// What holds behind a character or a fault.
    pub fn busy(self) -> Shifts {
        Shifts { idle: false, ..self }
    }

    /// What holds behind a newline.
    pub fn newline(self, scheme: &Scheme) -> Shifts {
        match scheme.newline {
            Newline::Keeps => self,
            Newline::Forgets => Shifts { begun: self.begun, ..Shifts::default() },
            Newline::Designations => Shifts { designated: [0; 3], ..self },
            Newline::Returns => Shifts { current: 0, ..self },
        }
    }
}

impl From<Shifts> for State {
    fn from(shifts: Shifts) -> State {
        let [g1, g2, g3] = shifts.designated;
        let bytes = [shifts.current, g1, g2, g3, shifts.begun.into(), shifts.idle.into(), 0, 0];
        State::new(u64::from_le_bytes(bytes))
    }
}

impl From<State> for Shifts {
    fn from(state: State) -> Shifts {
        let [current, g1, g2, g3, begun, idle, ..] = state.bits().to_le_bytes();
        Shifts { current, designated: [g1, g2, g3], begun: begun != 0, idle: idle != 0 }
    }
}
