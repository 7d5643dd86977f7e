//! Detection in input that is not text: random bytes, NUL, truncated and endless input.

use super::{detect_output, text_in};
use crate::cli::command::shell_subcommand;
use charpipe_test_support::XorShift;

#[test]
fn empty_input_is_empty_and_noise_is_binary() {
    assert_eq!(detect_output(b""), "empty");
    let mut random = XorShift::new(0x9E37_79B9_7F4A_7C15);
    let noise: Vec<u8> = (0..100_000).map(|_| random.byte()).collect();
    assert_eq!(detect_output(&noise), "binary");
    // Without NUL and without the first byte, which might be part of a byte order mark.
    let noise: Vec<u8> = noise.into_iter().filter(|byte| *byte != 0).collect();
    assert_eq!(detect_output(&noise[1..]), "binary");
    for bytes in
        [&b"\0"[..], b"\0\0\0\0\0\0\0\0", b"\x01\x02\x03", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"]
    {
        assert_eq!(detect_output(bytes), "binary", "{bytes:?}");
    }
}

#[test]
fn text_with_a_nul_in_it_is_binary() {
    for text in ["plain\0text and more of it\n", "é\0é\n"] {
        assert_eq!(detect_output(text.as_bytes()), "binary");
    }
    let late = ["x".repeat(300_000).as_bytes(), b"\0"].concat();
    assert_eq!(detect_output(&late), "binary");
}

#[test]
fn every_prefix_of_a_text_gets_a_result() {
    let text = "Привет, мир! 日本 😀\r\n";
    for encoding in ["UTF-8", "UTF-16", "UTF-16LE", "UTF-32BE", "UTF-7"] {
        let bytes = text_in(encoding, text);
        for end in 0..bytes.len() {
            let output = detect_output(&bytes[..end]);
            assert_eq!(output.lines().count(), 1, "{encoding} {end}: {output}");
        }
    }
}

#[test]
fn a_hundred_megabytes_of_one_byte_take_bounded_memory() {
    for (byte, expected) in [
        ("A", "US-ASCII, certain, none"),
        ("\\351", "unknown"),
        ("\\0", "binary"),
        ("+", "US-ASCII, certain, none"),
    ] {
        // In kilobytes; the program and its stack are about half of that.
        let script = format!(
            "head -c 100000000 /dev/zero | tr '\\0' '{byte}' | \
             (ulimit -v 40000; \"$@\" --buffer-size 65536)"
        );
        let run = shell_subcommand("detect", &script).assert().stderr("");
        let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert!(output.ends_with(&format!("{expected}\n")), "{byte}: {output}");
    }
}

#[test]
fn a_binary_file_is_not_read_to_its_end() {
    // It is endless.
    let run = shell_subcommand("detect", "\"$@\" /dev/zero").assert().code(1);
    run.stdout("/dev/zero: binary\n").stderr("");
}
