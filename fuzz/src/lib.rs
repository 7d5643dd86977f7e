//! What must hold for every input, as plain functions: each takes the bytes of one input and
//! panics where they break the promise.
//!
//! The targets of the fuzzer call them, and `tests/fuzz_replay.rs` calls them with what the fuzzer
//! has kept, so they need nothing but a stable compiler.

pub mod bytes;
mod check;
mod convert;
mod decode;
mod detect;
mod encode;
mod encodings;
mod header_decode;
mod header_encode;
mod labels;
mod policies;
pub mod run;
pub mod subject;
mod utf8;
pub mod walk;
mod web;

/// A promise: its name and what checks it.
pub type Promise = (&'static str, fn(&[u8]));

/// Every promise, by the name of its target.
pub const PROMISES: &[Promise] = &[
    ("decode", decode::holds),
    ("encode", encode::holds),
    ("convert", convert::holds),
    ("policies", policies::holds),
    ("header_decode", header_decode::holds),
    ("header_encode", header_encode::holds),
    ("check", check::holds),
    ("detect", detect::holds),
    ("labels", labels::holds),
    ("utf8", utf8::holds),
    ("web", web::holds),
];

/// Holds an input to the promise of this name.
///
/// # Panics
///
/// Where the promise is broken, or where there is none of this name.
pub fn hold(name: &str, input: &[u8]) {
    let promise = PROMISES.iter().find(|promise| promise.0 == name);
    promise.expect("a promise of this name").1(input);
}
