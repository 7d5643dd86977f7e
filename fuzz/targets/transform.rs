//! Fuzzes the promise `transform`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::check_property("transform", input));
