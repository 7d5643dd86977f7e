//! Fuzzes the promise `user_defined`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::check_property("user_defined", input));
