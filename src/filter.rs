//! Filters: what happens to text between decoder and encoder.

mod bom;

pub(crate) use bom::{MARK, NEXT_FILE, Opening, PAST};
