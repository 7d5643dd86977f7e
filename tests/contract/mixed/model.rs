//! A slow model: it looks at whole inputs, lines and characters, and keeps nothing between them.

use std::cell::{RefCell, RefMut};

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe::internals::conversion_error::MalformedReason;

use crate::codec_driver::{ErrorReason, TestCodec, Transcript};
use crate::counted_driver::{Chunking, OutputSpace, drive, single_chunk};
use crate::mixed::inputs::{LISTS, decoder, long_inputs, short_inputs, spec, window_inputs};

const WINDOW: usize = 4096;

/// The single-byte encodings of the lists.
const SINGLE_BYTE: [&str; 4] = ["windows-1252", "windows-1253", "latin1", "koi8-r"];

/// Offset, length and reason.
type Error = (usize, usize, MalformedReason);

/// The text with U+FFFD for each error, and the errors.
type Decoded = (String, Vec<Error>);

/// A list, as the test names it.
struct Model {
    members: Vec<Member>,
    per_line: bool,
    lossy: bool,
}

/// An encoding of the list. Its codecs are put in their initial state for each use.
struct Member {
    name: &'static str,
    counts_malformed: bool,
    decoder: RefCell<Box<dyn DecodeStage>>,
    encoder: RefCell<Box<dyn EncodeStage>>,
}

impl Member {
    fn new(label: &str) -> Member {
        let spec = spec(label);
        Member {
            name: spec.encoding().name(),
            counts_malformed: spec.encoding().is_ascii_compatible()
                && !SINGLE_BYTE.contains(&label),
            decoder: RefCell::new(spec.encoding.decoder(&spec.options)),
            encoder: RefCell::new(spec.encoding.encoder(&spec.options)),
        }
    }

    fn decoder(&self) -> RefMut<'_, Box<dyn DecodeStage>> {
        let mut decoder = self.decoder.borrow_mut();
        decoder.restore_state(State::INITIAL);
        decoder
    }
}

/// The start of some bytes in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// A character of this number of bytes.
    Character(usize),
    /// A malformed sequence.
    Malformed(usize, MalformedReason),
    Incomplete,
}

impl Model {
    fn new(label: &str) -> Model {
        let (names, options) = label.split_once(':').unwrap_or((label, ""));
        let members = names.split(',').map(Member::new).collect();
        // These are the single-byte encodings among those after the first.
        let mut others = names.split(',').skip(1);
        let are_single_byte = others.all(|name| SINGLE_BYTE.contains(&name));
        let first_is_stateful =
            ["utf-7", "iso-2022", "hz"].iter().any(|name| names.starts_with(name));
        let per_line = match options {
            _ if options.contains("per=line") => true,
            _ if options.contains("per=run") => false,
            _ => !are_single_byte || first_is_stateful,
        };
        Model { members, per_line, lossy: options.contains("lossy") }
    }

    fn decode(&self, input: &[u8]) -> Decoded {
        let mut decoded = (String::new(), Vec::new());
        let has_utf8 = self.members.iter().any(|member| member.name == "UTF-8");
        let has_bom = has_utf8 && input.starts_with(b"\xEF\xBB\xBF");
        let start = if has_bom { 3 } else { 0 };
        if has_bom {
            decoded.0.push('\u{FEFF}');
        }
        match self.per_line {
            true => self.decode_lines(input, start, &mut decoded),
            false => self.decode_runs(input, start, &mut decoded),
        }
        decoded
    }

    fn decode_lines(&self, input: &[u8], start: usize, decoded: &mut Decoded) {
        let mut at = start;
        for line in input[start..].split_inclusive(|byte| *byte == b'\n') {
            let examined = &line[..line.len().min(WINDOW)];
            let is_whole = examined.ends_with(b"\n") || line.len() < WINDOW;
            let validity = |index: usize| {
                let member = &self.members[index];
                let Some((text, is_initial)) = decode_part(member, examined, is_whole) else {
                    return (false, false);
                };
                let is_valid = !(is_whole && line.ends_with(b"\n") && !is_initial);
                let again = encode(member, &text);
                let is_same = match is_whole {
                    true => again.as_deref() == Some(examined),
                    false => again.is_some_and(|again| examined.starts_with(&again)),
                };
                (is_valid, is_valid && (index == 0 || self.lossy || is_same))
            };
            let results: Vec<_> = (0..self.members.len()).map(validity).collect();
            let member = results.iter().position(|(_, is_usable)| *is_usable);
            let is_irreversible = member.is_none() && results.iter().any(|(is_valid, _)| *is_valid);
            let used = match member {
                Some(member) => member,
                None if is_irreversible => 0,
                None => {
                    let counts = (0..self.members.len()).filter_map(|index| {
                        Some((self.malformed_count(index, examined, is_whole)?, index))
                    });
                    counts.min().unwrap().1
                }
            };
            let (text, errors) = decode_all(&self.members[used], line);
            decoded.0.push_str(&text);
            decoded.1.extend(errors.into_iter().map(|(offset, len, reason)| {
                (at + offset, len, with_reason(reason, is_irreversible))
            }));
            at += line.len();
        }
    }

    /// The number of malformed sequences of a line in an encoding, if the line may be decoded with it.
    fn malformed_count(&self, index: usize, examined: &[u8], is_whole: bool) -> Option<usize> {
        let member = &self.members[index];
        let (_, mut errors) = decode_all(member, examined);
        if !is_whole {
            // What follows may complete it.
            errors.retain(|(_, _, reason)| *reason != MalformedReason::Truncated);
        }
        if index > 0 {
            if !member.counts_malformed {
                return None;
            }
            let mut start = 0;
            for (offset, len) in errors.iter().map(|(offset, len, _)| (*offset, *len)) {
                let part = &examined[start..offset];
                let again = encode(member, &decode_all(member, part).0);
                if !self.lossy && again.as_deref() != Some(part) {
                    return None;
                }
                start = offset + len;
            }
            let (text, incomplete) = decode_all(member, &examined[start..]);
            let part_len = examined.len() - start - incomplete.iter().map(|it| it.1).sum::<usize>();
            let text =
                text.strip_suffix('\u{FFFD}').filter(|_| !incomplete.is_empty()).unwrap_or(&text);
            let part = &examined[start..start + part_len];
            if !self.lossy && encode(member, text).as_deref() != Some(part) {
                return None;
            }
        }
        Some(errors.len())
    }

    fn decode_runs(&self, input: &[u8], start: usize, decoded: &mut Decoded) {
        let first = &self.members[0];
        let (mut at, mut rejected_up_to, mut is_irreversible) = (start, 0, false);
        while at < input.len() {
            let (len, reason) = match start_of(first, &input[at..], true) {
                Start::Character(len) => {
                    decoded.0.push_str(&decode_all(first, &input[at..at + len]).0);
                    at += len;
                    continue;
                }
                Start::Malformed(len, reason) => (len, reason),
                Start::Incomplete => unreachable!("this is the end"),
            };
            if at >= rejected_up_to {
                let found = (1..self.members.len()).map(|index| self.run(index, &input[at..]));
                let found: Vec<_> = found.collect();
                let used = found.iter().position(|run| run.is_usable);
                if let Some(index) = used {
                    let run = &input[at..at + found[index].len];
                    let (text, errors) = decode_all(&self.members[index + 1], run);
                    assert_eq!(errors, [], "{run:X?}");
                    decoded.0.push_str(&text);
                    at += run.len();
                    continue;
                }
                let longest = found.iter().map(|run| run.len).max();
                rejected_up_to = at + longest.unwrap_or(0).max(len);
                is_irreversible = found.iter().any(|run| run.is_valid);
            }
            decoded.0.push('\u{FFFD}');
            decoded.1.push((at, len, with_reason(reason, is_irreversible)));
            at += len;
        }
    }

    /// The run at the start of `input` in another encoding than the first.
    fn run(&self, index: usize, input: &[u8]) -> Run {
        let member = &self.members[index];
        let examined = &input[..input.len().min(WINDOW)];
        let is_end = input.len() < WINDOW;
        let mut len = 0;
        let is_valid = loop {
            match start_of(member, &examined[len..], is_end) {
                Start::Malformed(..) => break false,
                Start::Incomplete => break len > 0,
                Start::Character(more) => len += more,
            }
            match examined.get(len) {
                None | Some(0..=0x7F) => break true,
                Some(_) => match start_of(&self.members[0], &examined[len..], is_end) {
                    Start::Malformed(..) => {}
                    Start::Character(_) | Start::Incomplete => break true,
                },
            }
        };
        let text = decode_all(member, &examined[..len]).0;
        let is_same = self.lossy || encode(member, &text).as_deref() == Some(&examined[..len]);
        Run { len, is_valid, is_usable: is_valid && is_same }
    }
}

struct Run {
    len: usize,
    is_valid: bool,
    is_usable: bool,
}

fn with_reason(reason: MalformedReason, is_irreversible: bool) -> MalformedReason {
    match reason {
        MalformedReason::Truncated => reason,
        _ if is_irreversible => MalformedReason::Irreversible,
        reason => reason,
    }
}

/// Returns the text of bytes without errors, and whether the decoder is in its initial state.
fn decode_part(member: &Member, bytes: &[u8], end: bool) -> Option<(String, bool)> {
    let (mut decoder, mut text) = (member.decoder(), vec![0; 16 * bytes.len() + 64]);
    let progress = decoder.decode(bytes, &mut text, end);
    text.truncate(progress.written);
    let is_initial = decoder.save_state() == State::INITIAL;
    (progress.status == Status::InputEmpty).then(|| (String::from_utf8(text).unwrap(), is_initial))
}

/// Returns the whole text, with U+FFFD for each error.
fn decode_all(member: &Member, bytes: &[u8]) -> Decoded {
    let (mut decoder, mut text) = (member.decoder(), String::new());
    let (mut at, mut errors) = (0, Vec::new());
    let mut space = vec![0; 16 * bytes.len() + 64];
    loop {
        let progress = decoder.decode(&bytes[at..], &mut space, true);
        text.push_str(std::str::from_utf8(&space[..progress.written]).unwrap());
        at += progress.read;
        let Status::Error(error) = progress.status else { return (text, errors) };
        text.push('\u{FFFD}');
        errors.push((at, error.len, error.reason));
        at += error.resume_len;
        decoder.restore_state(error.resume_state);
    }
}

/// Returns the bytes of a text, if all of it can be encoded.
fn encode(member: &Member, text: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 16 * text.len() + 64];
    let mut encoder = member.encoder.borrow_mut();
    encoder.restore_state(State::INITIAL);
    let progress = encoder.encode(text, &mut bytes, true);
    bytes.truncate(progress.written);
    (progress.status == Status::InputEmpty).then_some(bytes)
}

/// Returns what the start of `bytes` is: the shortest prefix after which the decoder is in its initial
/// state.
fn start_of(member: &Member, bytes: &[u8], end: bool) -> Start {
    let mut space = [0; 256];
    for len in 1..=bytes.len().min(16) {
        let mut decoder = member.decoder();
        let progress = decoder.decode(&bytes[..len], &mut space, false);
        if matches!(progress.status, Status::Error(_)) {
            break;
        }
        if progress.read > 0 && decoder.save_state() == State::INITIAL {
            return Start::Character(progress.read);
        }
    }
    let progress = member.decoder().decode(bytes, &mut space, end);
    match progress.status {
        Status::Error(error) => Start::Malformed(error.len, error.reason),
        _ if end => Start::Character(bytes.len()),
        _ => Start::Incomplete,
    }
}

/// Returns the text with U+FFFD for each error, and the errors, of a decoder of charpipe.
fn transcript_to_decoded(transcript: &Transcript) -> Decoded {
    let (mut text, mut at, mut errors) = (Vec::new(), 0, Vec::new());
    for error in &transcript.errors {
        text.extend(&transcript.out[at..error.output_offset]);
        text.extend("\u{FFFD}".bytes());
        at = error.output_offset;
        let ErrorReason::Malformed(reason) = error.reason else { panic!("{error:?}") };
        errors.push((error.input_offset, error.len, reason));
    }
    text.extend(&transcript.out[at..]);
    (String::from_utf8(text).unwrap(), errors)
}

/// A decoder of charpipe and the model of its list.
struct Pair {
    label: &'static str,
    codec: TestCodec,
    model: Model,
}

impl Pair {
    fn new(label: &'static str) -> Pair {
        Pair { label, codec: decoder(label), model: Model::new(label) }
    }

    /// Decodes an input in several ways, and compares the results with that of the model.
    fn compare(&mut self, input: &[u8], chunkings: &[Chunking]) {
        let Pair { label, codec, model } = self;
        let expected = model.decode(input);
        for chunking in chunkings {
            codec.restore_state(State::INITIAL);
            let transcript = drive(codec, input, chunking, &mut |_, _| Ok(()));
            let transcript = transcript.unwrap_or_else(|why| panic!("{label} {input:X?}: {why}"));
            let actual = transcript_to_decoded(&transcript);
            assert!(
                actual == expected,
                "{label} b\"{}\" {chunking:?}\n{actual:X?}\nexpected {expected:X?}",
                input.escape_ascii()
            );
        }
    }
}

#[test]
fn short_inputs_are_decoded_as_by_the_model() {
    for (seed, label) in (1..).zip(LISTS) {
        let mut pair = Pair::new(label);
        for input in short_inputs(700, seed) {
            pair.compare(&input, &[single_chunk()]);
        }
    }
}

#[test]
fn short_inputs_are_decoded_as_by_the_model_in_every_split() {
    for (seed, label) in (100..).zip(LISTS) {
        let mut pair = Pair::new(label);
        for input in short_inputs(60, seed) {
            let bytewise = (0..=input.len()).collect();
            let splits = (0..=input.len()).map(|cut| vec![cut]).chain([bytewise]);
            let chunkings = splits.flat_map(|cuts| {
                [OutputSpace::Ample, OutputSpace::Fixed(64)]
                    .map(|output_space| Chunking { cuts: cuts.clone(), output_space })
            });
            pair.compare(&input, &chunkings.collect::<Vec<_>>());
        }
    }
}

#[test]
fn long_inputs_are_decoded_as_by_the_model() {
    for (seed, label) in (1000..).zip(LISTS) {
        let mut pair = Pair::new(label);
        for (index, input) in long_inputs(12, seed).into_iter().enumerate() {
            let cuts = (0..input.len()).step_by(97 + index).collect();
            let output_space = match index % 2 {
                0 => OutputSpace::Ample,
                _ => OutputSpace::Fixed(64 + 17 * index),
            };
            pair.compare(&input, &[Chunking { cuts, output_space }]);
        }
    }
}

#[test]
fn lines_and_runs_of_the_maximum_length_are_decoded_as_by_the_model() {
    for label in ["utf-8,windows-1252", "utf-8,windows-1252:per=line", "utf-8,gbk:per=run"] {
        let mut pair = Pair::new(label);
        for input in window_inputs() {
            let chunkings = [
                (Vec::new(), OutputSpace::Ample),
                ((0..input.len()).step_by(501).collect(), OutputSpace::Fixed(100)),
                ((4090..input.len().min(4100)).collect(), OutputSpace::Ample),
            ];
            pair.compare(
                &input,
                &chunkings.map(|(cuts, output_space)| Chunking { cuts, output_space }),
            );
        }
    }
}

/// What the examples of the documentation promise, with values that come from no decoder.
#[test]
fn lists_decode_known_texts() {
    let irreversible = MalformedReason::Irreversible;
    let invalid = MalformedReason::InvalidLeadByte;
    for (label, input, text, errors) in [
        ("utf-8,windows-1252", &b"caf\xC3\xA9 caf\xE9 \x80"[..], "café café €", &[][..]),
        ("utf-8,windows-1252:per=line", b"\xC3\xA9\n\xC3\xA9\xE9\n", "é\nÃ©é\n", &[]),
        ("utf-8,windows-1252", b"\xE9\x81\xE9", "\u{FFFD}é", &[(0, 2, invalid)]),
        ("utf-8,gbk", b"\xC4\xA3\xBA\xFD\n", "模糊\n", &[]),
        ("iso-2022-jp,utf-8", b"\x1B$BF|\x1B(B\n\xC3\xA9\n", "日\né\n", &[]),
        // CP932 encodes U+2235 as 81 E6.
        (
            "utf-8,cp932",
            b"\x87\x9A\n",
            "\u{FFFD}\u{FFFD}\n",
            &[(0, 1, irreversible), (1, 1, irreversible)],
        ),
        ("utf-8,cp932:lossy", b"\x87\x9A\n", "∵\n", &[]),
        // The line is CP932, but for one byte, and not UTF-8 from its second byte on.
        (
            "utf-8,cp932",
            b"a\x93\xFA\x96\x7B.txt b\xE9 c\n",
            "a日本.txt b\u{FFFD} c\n",
            &[(11, 1, invalid)],
        ),
        // This one is UTF-8, but for one byte.
        ("utf-8,cp932", b"\xC3\xA9 \xE9 \xC3\xA9\n", "é \u{FFFD} é\n", &[(3, 1, invalid)]),
        ("utf-8,windows-1252:per=line", b"\xEF\xBB\xBF\xE9\n", "\u{FEFF}é\n", &[]),
        ("utf-8,koi8-r", b"\xD0\x98 \xED\xC9\xD2", "И Мир", &[]),
    ] {
        let transcript = drive(&mut decoder(label), input, &single_chunk(), &mut |_, _| Ok(()));
        let (actual, found) = transcript_to_decoded(&transcript.unwrap());
        let positions = |errors: &[Error]| {
            errors.iter().map(|(offset, len, _)| (*offset, *len)).collect::<Vec<_>>()
        };
        assert_eq!(actual, text, "{label} {input:X?}");
        assert_eq!(positions(&found), positions(errors), "{label} {input:X?}");
        let is_irreversible = |error: &&Error| error.2 == irreversible;
        assert_eq!(
            found.iter().filter(is_irreversible).count(),
            errors.iter().filter(is_irreversible).count(),
            "{label} {input:X?}"
        );
    }
}
