//! Checks every registered transform, with each value of each of its options and in both directions,
//! against the clauses of the contract in `crates/encoding/src/codec.rs`, and compares the transforms with slow
//! models and with other programs.
//!
//! `TRANSFORM=base64 cargo test --test contract transform` examines a single one in the contract.

mod bytes;
mod chains;
mod contract;
mod driver;
mod header_parameters;
mod inputs;
mod mojibake;
mod records;
mod text;
mod tools;
mod unicode;
