//! The sample vectors of `tests/data/utf.jsonl`, each in whole and in small blocks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use charpipe::TranscodeOptions;
use charpipe::internals::conversion_error::{ErrorClass, ErrorEvent, ErrorKind};
use charpipe::internals::encoding;
use serde_json::Value;

use crate::conversion::driver::{self, ConversionOutcome};

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

/// The options of a vector for one side, as `in:key` or `out:key`.
fn options(vector: &Value, side: &str) -> String {
    let Some(options) = vector["opts"].as_object() else { return String::new() };
    let own = options.iter().filter_map(|(key, value)| {
        let key = match key.strip_prefix(side)? {
            "setO" => "optional",
            key => key,
        };
        Some(format!("{key}={}", value.as_str()?))
    });
    let own: Vec<_> = own.collect();
    if own.is_empty() { String::new() } else { format!(":{}", own.join(",")) }
}

fn transcode_options(vector: &Value) -> TranscodeOptions {
    let from = format!("{}{}", vector["from"].as_str().unwrap(), options(vector, "in:"));
    let to = format!("{}{}", vector["to"].as_str().unwrap(), options(vector, "out:"));
    let action = match vector["mode"].as_str().unwrap() {
        "strict" => "stop",
        "replace" => "replace",
        "ignore" => "skip",
        other => panic!("mode {other}"),
    };
    driver::conversion_options(&from, &to, action, action)
}

/// Checks the result of a vector.
fn check(vector: &Value, options: &TranscodeOptions) -> Result<(), String> {
    let ConversionOutcome { output, errors, stopped } =
        driver::run_conversion(options, &[&bytes(&vector["input_b64"])]);
    let Some(error) = vector["expect_error"].as_object() else {
        let expected = bytes(&vector["expect_b64"]);
        return (output == expected && !stopped)
            .then_some(())
            .ok_or_else(|| format!("{output:02X?} is not {expected:02X?} {errors:?}"));
    };
    let Some(failure) = errors.first().filter(|_| stopped) else {
        return Err(format!("no error, {output:02X?}"));
    };
    let kind = match failure.class() {
        ErrorClass::Malformed => "ill",
        ErrorClass::Truncated => "trunc",
        ErrorClass::Unmappable => "unenc",
    };
    let (offset, len) = (failure.position.unwrap().offset, length(failure, error["len"].as_u64()));
    let expected = (error["offset"].as_u64(), error["len"].as_u64(), error["kind"].as_str());
    if (Some(offset), Some(len), Some(kind)) != expected {
        return Err(format!("{kind} at {offset}, {len} long: {error:?}"));
    }
    let prefix = bytes(&vector["prefix_b64"]);
    (output == prefix).then_some(()).ok_or_else(|| format!("prefix {output:02X?}"))
}

/// The length in bytes of the malformed sequence; for a character that of the vector, since only bytes have a length.
fn length(error: &ErrorEvent, expected: Option<u64>) -> u64 {
    match error.kind {
        ErrorKind::Malformed { len, .. } => len as u64,
        _ => expected.unwrap_or_default(),
    }
}

#[test]
fn vectors_pass_with_any_buffer_size() {
    let mut failures = Vec::new();
    let mut passed = 0;
    for line in include_str!("../../data/utf.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let known = |side: &str| encoding::for_label(vector[side].as_str().unwrap()).is_some();
        if !known("from") || !known("to") {
            failures.push(format!("{}: unknown encoding", vector["id"]));
            continue;
        }
        let mut options = transcode_options(&vector);
        for block in [64 * 1024, 1, 2, 3, 7] {
            options.buffer_size = block;
            match check(&vector, &options) {
                Ok(()) => passed += 1,
                Err(why) => failures.push(format!("{} in blocks of {block}: {why}", vector["id"])),
            }
        }
    }
    assert!(failures.is_empty(), "{passed} passed\n{}", failures.join("\n"));
    assert_eq!(passed, 5 * 236);
}
