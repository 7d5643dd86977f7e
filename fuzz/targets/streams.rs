//! Fuzzes the promise `streams`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::check_property("streams", input));
