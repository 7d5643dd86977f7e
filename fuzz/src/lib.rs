//! The properties of every input, as plain functions: each takes the bytes of one input and
//! panics where they break the promise.
//!
//! The targets of the fuzzer call them, and `tests/fuzz/fuzz_replay.rs` calls them with what the fuzzer
//! has kept, so they need nothing but a stable compiler.

pub mod cases;
mod chain;
mod check;
#[path = "../../tests/contract/codec_driver.rs"]
pub mod codec_driver;
pub mod conversion;
mod convert;
mod decode;
mod detect;
pub mod driver;
mod encode;
#[path = "../../tests/contract/encoding_options.rs"]
mod encoding_options;
mod encoding_standard;
mod encodings;
mod error_policies;
mod header_decode;
mod header_encode;
mod iconv;
mod labels;
pub mod params;
#[allow(dead_code, reason = "the command uses all of it")]
#[path = "../../src/cli/quote.rs"]
mod quote;
mod ranges;
mod repair;
mod streams;
mod threads;
pub mod transform;
mod user_defined;
mod utf8;

/// A promise: its name and what checks it.
pub type FuzzProperty = (&'static str, fn(&[u8]));

/// Every promise, by the name of its target.
pub const PROPERTIES: &[FuzzProperty] = &[
    ("decode", decode::check),
    ("encode", encode::check),
    ("convert", convert::check),
    ("error_policies", error_policies::check),
    ("header_decode", header_decode::check),
    ("header_encode", header_encode::check),
    ("check", check::check),
    ("detect", detect::check),
    ("labels", labels::check),
    ("utf8", utf8::check),
    ("encoding_standard", encoding_standard::check),
    ("transform", transform::check),
    ("chain", chain::check),
    ("ranges", ranges::check),
    ("streams", streams::check),
    ("threads", threads::check),
    ("user_defined", user_defined::check),
    ("iconv", iconv::check),
    ("repair", repair::check),
];

/// Holds an input to the promise of this name.
///
/// # Panics
///
/// Where the promise is broken, or where there is none of this name.
pub fn check_property(name: &str, input: &[u8]) {
    let promise = PROPERTIES.iter().find(|promise| promise.0 == name);
    promise.expect("a promise of this name").1(input);
}
