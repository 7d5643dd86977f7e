//! Header lines are decoded record by record: nothing that a word says ends a line or brings in a
//! control character, and one record does not change another.
//!
//! Input: one byte for the options, two for the length of the input, then the input. Whatever is looked
//! for, the work is linear: where bytes that are looked at are counted, in the fuzzer's build, that is
//! a few times each.

use charpipe::plan::{Encoding, Plan};

use super::bytes::Bytes;
use super::run::{Outcome, run};

const LABELS: &[&str] = &[
    "rfc2047",
    "rfc2047:strict",
    "rfc2047:fields=ignore",
    "rfc2047:fields=ignore,strict",
    "rfc2047:controls=raw",
    "rfc2047:controls=raw,strict",
];

/// Bytes of a block.
const BLOCK: usize = 1 << 16;

/// Bytes within which nothing is too far away to be seen; twice, for what may stand before it.
const REACH: usize = 32 * 1024;

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let label = bytes.one(LABELS);
    let encoding: Encoding = label.parse().expect("a label");
    // Long inputs show where the work grows faster than they do.
    let times = [1, 1, 1, 1, 1, 1, 1, 64][bytes.below(8)];
    let content = bytes.stretched().repeat(times);
    #[cfg(fuzzing)]
    is_little_work(&encoding, &content);
    let decoded = decode(&encoding, &content, BLOCK);
    let text = std::str::from_utf8(&decoded.out).expect("UTF-8 comes out");
    if !label.contains("raw") {
        brings_no_controls_in(&content, text);
        keeps_records(&content, text);
    }
    if content.is_ascii() && !content.windows(2).any(|two| two == b"=?") {
        assert_eq!(text.as_bytes(), content, "{label}: no word, no change");
        assert_eq!(decoded.told, [], "{label}");
    }
    if content.len() < REACH {
        records_stand_alone(&encoding, &content, &decoded);
        let small = decode(&encoding, &content, 1 + content.len() % 50);
        assert_eq!(small, decoded, "{label} in small blocks");
    }
}

/// Each byte is looked at eight times at the most, but for those that are looked at again at a fault.
#[cfg(fuzzing)]
fn is_little_work(encoding: &Encoding, content: &[u8]) {
    use charpipe::codec::Stop;
    let mut decoder = encoding.charset.decoder(&encoding.settings);
    let mut room = vec![0; BLOCK + decoder.window()];
    let (mut at, mut seen, mut faults) = (0, 0, 0);
    charpipe::header::take_visits();
    loop {
        let end = seen == content.len();
        let progress = decoder.decode(&content[at..seen], &mut room, end);
        at += progress.read;
        match progress.stop {
            Stop::Fault(fault) => {
                at += fault.next;
                decoder.resume(fault.then);
                faults += 1;
            }
            Stop::Output => {}
            Stop::Input if end => break,
            Stop::Input => seen = content.len().min(seen + BLOCK),
        }
    }
    let visits = charpipe::header::take_visits();
    let most = 8 * content.len() as u64 + 256 * faults + 1024;
    assert!(visits <= most, "{} bytes, {faults} faults, {visits} visits", content.len());
}

fn decode(encoding: &Encoding, content: &[u8], block: usize) -> Outcome {
    let mut plan = Plan::new(encoding.clone(), "utf-8".parse().expect("a label"));
    plan.policy.invalid = "skip".parse().expect("a word of the vocabulary");
    plan.block = block;
    run(&plan, content).expect("nothing is written for a fault")
}

/// Controls, but for TAB, and separators of lines that come out have been there before.
fn brings_no_controls_in(content: &[u8], text: &str) {
    let before = String::from_utf8_lossy(content);
    let is_control = |c: &char| c.is_control() && *c != '\t';
    let telling = |c: &char| is_control(c) || matches!(c, '\u{2028}' | '\u{2029}');
    let count = |text: &str, wanted: char| text.chars().filter(|c| *c == wanted).count();
    let mut seen: Vec<char> = text.chars().filter(telling).collect();
    seen.sort_unstable();
    seen.dedup();
    for control in seen {
        let (now, then) = (count(text, control), count(&before, control));
        assert!(now <= then, "{control:?} {now} times, not {then}");
    }
}

/// A line end that no blank follows stays.
fn keeps_records(content: &[u8], text: &str) {
    let records = records(content).count();
    let lines = text.matches('\n').count();
    assert!(records <= lines + 1, "{records} records, {lines} lines");
}

/// Lines, each with the lines behind it that begin with a blank.
fn records(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let is_end = |two: &[u8]| two[0] == b'\n' && !matches!(two[1], b' ' | b'\t');
        let end = rest.windows(2).position(is_end).map_or(rest.len(), |at| at + 1);
        let (record, behind) = rest.split_at(end);
        rest = behind;
        (!record.is_empty()).then_some(record)
    })
}

fn records_stand_alone(encoding: &Encoding, content: &[u8], whole: &Outcome) {
    let mut out = Vec::new();
    for record in records(content).take(64) {
        out.extend(decode(encoding, record, 1 << 16).out);
    }
    let out = std::str::from_utf8(&out).expect("UTF-8 comes out");
    let text = std::str::from_utf8(&whole.out).expect("UTF-8 comes out");
    assert!(text.starts_with(out), "{encoding}: alone {out:?}, together {text:?}");
}
