//! Checks every registered encoding, with each value of each of its options, against the eight clauses of
//! the contract in `crates/encoding/src/codec.rs`.
//!
//! `ENCODING=utf-8 cargo test --test contract` examines a single one, and `CHARPIPE_TEST_EXHAUSTIVE=1` gives each
//! encoding all inputs instead of a sample.

mod allocation;
mod byte_inputs;
mod call_clauses;
mod cases;
mod chunkings;
mod clauses;
mod codec_driver;
mod codec_pair;
mod counted_driver;
mod determinism;
mod encoding_options;
mod mixed;
mod non_roundtrip;
mod options;
mod rfc2044;
mod round_trip;
mod round_trip_scalars;
mod runner;
mod shortcuts;
mod text_allocations;
mod texts;
mod transform;
