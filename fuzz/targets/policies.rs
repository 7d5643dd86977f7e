//! Fuzzes the promise `policies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| charpipe_fuzz::hold("policies", input));
