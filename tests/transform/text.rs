//! Tests of the line endings, escapes and forms of characters, between texts.

use crate::inputs::Seeds;

/// Inputs of the contract for each transform.
pub const SEEDS: Seeds = &[];
