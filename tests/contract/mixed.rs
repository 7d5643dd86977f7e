//! Decoders of lists of encodings: the clauses of the contract in `crates/encoding/src/codec.rs`, and a slow model of
//! whole inputs.

mod contract;
mod inputs;
mod model;
mod report;
