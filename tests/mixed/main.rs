//! Decoders of lists of encodings: the clauses of the contract in `crates/encoding/src/codec.rs`, and a slow model of
//! whole inputs.

#[path = "../contract/allocation.rs"]
mod allocation;
#[path = "../common/call_clauses.rs"]
mod call_clauses;
#[path = "../common/codec_driver.rs"]
mod codec_driver;
mod contract;
#[path = "../contract/driver.rs"]
mod counted_driver;
mod inputs;
mod model;
mod report;
