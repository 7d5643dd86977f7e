//! Access to files: opening, reading, writing, atomic replacement, and conversion in place.

pub mod directory;
pub mod file_id;
pub mod in_place;
pub mod input;
pub mod output;
