//! The sample vectors of `tests/data/rfc2047.jsonl`, each in whole and in small blocks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use charpipe::internals::encoding;
use serde_json::Value;

use crate::rfc2047_decode::driver::text;

/// Block sizes that results must not depend on, in bytes.
const BLOCKS: [usize; 5] = [64 * 1024, 1, 2, 3, 7];

/// All texts that one of the keys allows.
fn expected<'a>(vector: &'a Value, keys: [&str; 2]) -> Vec<&'a str> {
    let several = vector[keys[1]].as_array().into_iter().flatten();
    vector[keys[0]].as_str().into_iter().chain(several.filter_map(Value::as_str)).collect()
}

/// Whether every charset that the input names is known by now.
fn is_possible(input: &str) -> bool {
    let labels = input.split("=?").skip(1).filter_map(|word| word.split(['?', '*']).next());
    labels.into_iter().all(|label| label == "x" || encoding::for_label(label).is_some())
}

#[test]
fn every_vector_passes_in_blocks_of_any_size() {
    let mut failures = Vec::new();
    let mut passed = 0;
    for line in include_str!("../../data/rfc2047.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let input = STANDARD.decode(vector["input_b64"].as_str().unwrap()).unwrap();
        if !is_possible(std::str::from_utf8(&input).unwrap()) {
            continue;
        }
        for (mode, keys) in [
            ("rfc2047", ["expect_utf8", "accept_utf8"]),
            ("rfc2047:strict", ["strict_utf8", "strict_accept_utf8"]),
        ] {
            let expected = expected(&vector, keys);
            if expected.is_empty() {
                continue;
            }
            for block in BLOCKS {
                let output = text(mode, &input, block);
                if expected.contains(&output.as_str()) {
                    passed += 1;
                } else {
                    let id = &vector["id"];
                    failures.push(format!("{id} {mode} in blocks of {block}: {output:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{passed} passed\n{}", failures.join("\n"));
    assert!(passed >= BLOCKS.len() * 60, "{passed}");
}
