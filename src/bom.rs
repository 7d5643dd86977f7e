//! Filters: what happens to text between decoder and encoder.

mod bom_filter;

pub(crate) use bom_filter::{AFTER_START, AT_LATER_FILE, BOM, BomFilter};
