//! Fuzzes the promise `utf8`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::check_property("utf8", input));
