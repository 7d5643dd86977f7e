//! Filters: what happens to text between decoder and encoder.

mod bom;

pub(crate) use bom::{Opening, PAST};
