//! Header lines are decoded record by record: nothing that a word says ends a line or brings in a
//! control character, and one record does not change another.
//!
//! Input: one byte for the options, two for the length of the input, then the input. Whatever is looked
//! for, the work is linear: where bytes that are looked at are counted, in the fuzzer's build, that is
//! a few times each.

use charpipe::{EncodingSpec, TranscodeOptions};

use super::conversion::{FuzzOutcome, run_options};
use super::params::FuzzInput;

const LABELS: &[&str] = &["rfc2047", "rfc2047:strict"];

/// Bytes of a block.
const BUFFER_SIZE: usize = 1 << 16;

/// Bytes within which nothing is too far away to be seen; twice, for what may precede it.
const MAX_LOOKAHEAD: usize = 32 * 1024;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let label = bytes.choose(LABELS);
    let encoding: EncodingSpec = label.parse().expect("a label");
    // Long inputs show where the work grows faster than they do.
    let times = [1, 1, 1, 1, 1, 1, 1, 64][bytes.below(8)];
    let content = bytes.with_ascii_prefix().repeat(times);
    #[cfg(fuzzing)]
    is_little_work(&encoding, &content);
    let decoded = decode(&encoding, &content, BUFFER_SIZE);
    let text = std::str::from_utf8(&decoded.out).expect("UTF-8 comes out");
    check_no_new_controls(&content, text);
    check_line_structure(&content, text);
    if content.is_ascii() && !content.windows(2).any(|two| two == b"=?") {
        assert_eq!(text.as_bytes(), content, "{label}: no word, no change");
        assert_eq!(decoded.errors, [], "{label}");
    }
    if content.len() < MAX_LOOKAHEAD {
        check_fields_independent(&encoding, &content, &decoded);
        let small = decode(&encoding, &content, 1 + content.len() % 50);
        assert_eq!(small, decoded, "{label} in small blocks");
    }
}

/// Each byte is looked at eight times at the most, but for those that are looked at again at an error.
#[cfg(fuzzing)]
fn is_little_work(encoding: &EncodingSpec, content: &[u8]) {
    use charpipe::internals::codec::Status;
    let mut decoder = encoding.encoding.decoder(&encoding.options);
    let mut space = vec![0; BUFFER_SIZE + MAX_LOOKAHEAD];
    let (mut at, mut seen, mut errors) = (0, 0, 0);
    charpipe::rfc2047::take_work_counter();
    loop {
        let end = seen == content.len();
        let progress = decoder.decode(&content[at..seen], &mut space, end);
        at += progress.read;
        match progress.status {
            Status::Error(malformed) => {
                at += malformed.resume_len;
                decoder.restore_state(malformed.resume_state);
                errors += 1;
            }
            Status::OutputFull => {}
            Status::InputEmpty if end => break,
            Status::InputEmpty => seen = content.len().min(seen + BUFFER_SIZE),
        }
    }
    let examined = charpipe::rfc2047::take_work_counter();
    let most = 8 * content.len() as u64 + 256 * errors + 1024;
    assert!(examined <= most, "{} bytes, {errors} errors, {examined} examined", content.len());
}

fn decode(encoding: &EncodingSpec, content: &[u8], block: usize) -> FuzzOutcome {
    let mut options = TranscodeOptions::new(encoding.clone(), charpipe::UTF_8);
    options.error_policy.malformed = "skip".parse().expect("a word of the vocabulary");
    options.buffer_size = block;
    run_options(&options, content).expect("no replacement is written")
}

/// Controls, but for TAB, and separators of lines that come out have been there before.
fn check_no_new_controls(content: &[u8], text: &str) {
    let before = String::from_utf8_lossy(content);
    let is_control = |c: &char| c.is_control() && *c != '\t';
    let informative = |c: &char| is_control(c) || matches!(c, '\u{2028}' | '\u{2029}');
    let count = |text: &str, wanted: char| text.chars().filter(|c| *c == wanted).count();
    let mut seen: Vec<char> = text.chars().filter(informative).collect();
    seen.sort_unstable();
    seen.dedup();
    for control in seen {
        let (now, then) = (count(text, control), count(&before, control));
        assert!(now <= then, "{control:?} {now} times, not {then}");
    }
}

/// A line end that no blank follows stays.
fn check_line_structure(content: &[u8], text: &str) {
    let records = header_fields(content).count();
    let lines = text.matches('\n').count();
    assert!(records <= lines + 1, "{records} records, {lines} lines");
}

/// Lines, each with the lines after it that begin with a blank.
fn header_fields(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let is_end = |two: &[u8]| two[0] == b'\n' && !matches!(two[1], b' ' | b'\t');
        let end = rest.windows(2).position(is_end).map_or(rest.len(), |at| at + 1);
        let (record, after) = rest.split_at(end);
        rest = after;
        (!record.is_empty()).then_some(record)
    })
}

fn check_fields_independent(encoding: &EncodingSpec, content: &[u8], whole: &FuzzOutcome) {
    let mut out = Vec::new();
    for record in header_fields(content).take(64) {
        out.extend(decode(encoding, record, 1 << 16).out);
    }
    let out = std::str::from_utf8(&out).expect("UTF-8 comes out");
    let text = std::str::from_utf8(&whole.out).expect("UTF-8 comes out");
    assert!(text.starts_with(out), "{encoding}: alone {out:?}, together {text:?}");
}
