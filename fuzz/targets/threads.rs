//! Fuzzes the promise `threads`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::check_property("threads", input));
