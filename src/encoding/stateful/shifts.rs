//! Which sets are in use and designated, in one word.

use super::{GraphicSet, NewlineReset, StatefulEncoding};
use crate::codec::State;

/// The state of a codec with shifts. Sets are told by their numbers; 0 is not designated anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShiftState {
    /// The set in use.
    pub active: u8,
    designated: [u8; 3],
    /// Whether the header has been written.
    pub header_written: bool,
    /// Whether a sequence was read last, where another one would be an error.
    pub after_escape: bool,
}

impl ShiftState {
    pub fn designated(self, slot: GraphicSet) -> u8 {
        self.designated[slot as usize]
    }

    /// Designates a set. If that changes G1 while it is in use, the new set is in use.
    pub fn designate(&mut self, slot: GraphicSet, set: u8) {
        self.designated[slot as usize] = set;
        if slot == GraphicSet::G1 && self.active != 0 {
            self.active = set;
        }
    }

    /// What holds after a character or an error.
    pub fn after_character(self) -> ShiftState {
        ShiftState { after_escape: false, ..self }
    }

    /// What holds after a newline.
    pub fn after_newline(self, encoding: &StatefulEncoding) -> ShiftState {
        match encoding.newline_reset {
            NewlineReset::None => self,
            NewlineReset::All => {
                ShiftState { header_written: self.header_written, ..ShiftState::default() }
            }
            NewlineReset::Designations => ShiftState { designated: [0; 3], ..self },
            NewlineReset::ShiftState => ShiftState { active: 0, ..self },
        }
    }
}

impl From<ShiftState> for State {
    fn from(shift_state: ShiftState) -> State {
        let [g1, g2, g3] = shift_state.designated;
        let bytes = [
            shift_state.active,
            g1,
            g2,
            g3,
            shift_state.header_written.into(),
            shift_state.after_escape.into(),
            0,
            0,
        ];
        State::new(u64::from_le_bytes(bytes))
    }
}

impl From<State> for ShiftState {
    fn from(state: State) -> ShiftState {
        let [current, g1, g2, g3, begun, idle, ..] = state.bits().to_le_bytes();
        ShiftState {
            active: current,
            designated: [g1, g2, g3],
            header_written: begun != 0,
            after_escape: idle != 0,
        }
    }
}
