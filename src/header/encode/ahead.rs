//! The word that comes next, found out before its turn.

use super::line::Line;
use super::position::Position;
use super::word::Cut;

/// The first word of a run, as it was cut before the encoder came to it: whether the text before it
/// fits on a line depends on it. The run is still gathered.
#[derive(Debug, Clone, Copy)]
pub struct Ahead {
    /// Bytes of source before it.
    pub left: usize,
    pub position: Position,
    /// Characters that are left on its line.
    pub space: usize,
    pub utf8: bool,
    pub suffix: usize,
    pub cut: Cut,
}

impl Ahead {
    /// The same after so many bytes more, unless they go beyond it.
    pub fn nearer(self, read: usize) -> Option<Ahead> {
        Some(Ahead { left: self.left.checked_sub(read)?, ..self })
    }

    /// Whether it is the word that is to be written.
    pub fn is_for(&self, position: Position, line: Line, width: usize) -> bool {
        (self.left, width) == (0, 0) && (self.position, self.space) == (position, line.space())
    }
}
