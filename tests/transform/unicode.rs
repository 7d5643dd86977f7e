//! Tests of the normalization forms and transliterations, between texts.

use crate::inputs::Seeds;

/// Inputs of the contract for each transform.
pub const SEEDS: Seeds = &[];
