//! Tests of the transfer encodings, between bytes.

use crate::inputs::Seeds;

/// Inputs of the contract for each transform.
pub const SEEDS: Seeds = &[];
