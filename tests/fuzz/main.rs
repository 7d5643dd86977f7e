//! The properties of `fuzz/src/`, which the fuzzer checks, for inputs that are known. Not in the published crate.

mod fuzz_replay;
#[path = "../../fuzz/src/lib.rs"]
mod promises;
mod short_inputs;
