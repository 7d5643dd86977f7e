//! Fuzzes the promise `header_decode`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::check_property("header_decode", input));
