//! The sample vectors of `tests/data/utf.jsonl`, each in whole and in small blocks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use charpipe::charset;
use charpipe::fault::{Fault, Kind, What};
use charpipe::plan::Plan;
use serde_json::Value;

use crate::run::{self, Outcome};

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

/// The options of a vector for one side, as `in:key` or `out:key`.
fn options(vector: &Value, side: &str) -> String {
    let Some(options) = vector["opts"].as_object() else { return String::new() };
    let own = options.iter().filter_map(|(key, value)| {
        Some(format!("{}={}", key.strip_prefix(side)?, value.as_str()?))
    });
    let own: Vec<_> = own.collect();
    if own.is_empty() { String::new() } else { format!(":{}", own.join(",")) }
}

fn plan(vector: &Value) -> Plan {
    let from = format!("{}{}", vector["from"].as_str().unwrap(), options(vector, "in:"));
    let to = format!("{}{}", vector["to"].as_str().unwrap(), options(vector, "out:"));
    let action = match vector["mode"].as_str().unwrap() {
        "strict" => "stop",
        "replace" => "replace",
        "ignore" => "skip",
        other => panic!("mode {other}"),
    };
    run::plan(&from, &to, action, action)
}

/// What is wrong with the result of a vector, if anything.
fn check(vector: &Value, plan: &Plan) -> Result<(), String> {
    let Outcome { output, faults, stopped } = run::run(plan, &[&bytes(&vector["input_b64"])]);
    let Some(error) = vector["expect_error"].as_object() else {
        let expected = bytes(&vector["expect_b64"]);
        return (output == expected && !stopped)
            .then_some(())
            .ok_or_else(|| format!("{output:02X?} is not {expected:02X?} {faults:?}"));
    };
    let Some(fault) = faults.first().filter(|_| stopped) else {
        return Err(format!("no fault, {output:02X?}"));
    };
    let kind = match fault.kind() {
        Kind::IllFormed => "ill",
        Kind::Truncated => "trunc",
        Kind::Unencodable => "unenc",
    };
    let (offset, len) = (fault.place.unwrap().offset, length(fault, error["len"].as_u64()));
    let expected = (error["offset"].as_u64(), error["len"].as_u64(), error["kind"].as_str());
    if (Some(offset), Some(len), Some(kind)) != expected {
        return Err(format!("{kind} at {offset}, {len} long: {fault:?}"));
    }
    let prefix = bytes(&vector["prefix_b64"]);
    (output == prefix).then_some(()).ok_or_else(|| format!("prefix {output:02X?}"))
}

/// Bytes of the offender; for a character the vector's own word, since only bytes have a length.
fn length(fault: &Fault, expected: Option<u64>) -> u64 {
    match fault.what {
        What::Malformed { len, .. } => len as u64,
        What::Unmappable(_) | What::Misplaced(_) => expected.unwrap_or_default(),
    }
}

#[test]
fn every_vector_passes_in_blocks_of_any_size() {
    let mut failures = Vec::new();
    let mut passed = 0;
    for line in include_str!("../data/utf.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let known = |side: &str| charset::find(vector[side].as_str().unwrap()).is_some();
        if !known("from") || !known("to") {
            failures.push(format!("{}: unknown charset", vector["id"]));
            continue;
        }
        let mut plan = plan(&vector);
        for block in [64 * 1024, 1, 2, 3, 7] {
            plan.block = block;
            match check(&vector, &plan) {
                Ok(()) => passed += 1,
                Err(why) => failures.push(format!("{} in blocks of {block}: {why}", vector["id"])),
            }
        }
    }
    assert!(failures.is_empty(), "{passed} passed\n{}", failures.join("\n"));
    assert_eq!(passed, 5 * 236);
}
