//! Checks every registered transform, with each value of each of its options and in both directions,
//! against the clauses of the contract in `crates/encoding/src/codec.rs`, and compares the transforms with slow
//! models and with other programs.
//!
//! `TRANSFORM=base64 cargo test --test transform` examines a single one in the contract.

#[path = "../contract/allocation.rs"]
mod allocation;
mod bytes;
#[path = "../common/call_clauses.rs"]
mod call_clauses;
mod chains;
#[path = "../common/codec_driver.rs"]
mod codec_driver;
mod contract;
#[path = "../contract/driver.rs"]
mod counted_driver;
mod driver;
#[path = "../common/encoding_options.rs"]
mod encoding_options;
mod header_parameters;
mod inputs;
mod mojibake;
mod text;
mod tools;
mod unicode;
