//! Calls that handle errors themselves, compared with single calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use charpipe::internals::codec::{ErrorHandler, Progress, ReplacementCache, State, Status};
use charpipe::internals::conversion_error::{
    ActionTaken, ErrorClass, Malformed, MalformedReason, Unmappable,
};

use charpipe_test_support::is_exhaustive;

use crate::codec_driver::{CodecError, ErrorReason, TestCodec};
use crate::codec_pair::CodecKind;
use crate::counted_driver::single_chunk;
use crate::runner::check_all;
use crate::{allocation, call_clauses, codec_driver};

const CODECS: &[CodecKind] = &[CodecKind::Decoder, CodecKind::Encoder];

/// Inputs are repeated until they have this many bytes: shortcuts convert blocks.
const MIN_LEN: usize = 160;

/// The length of the longest input that is converted error by error, in bytes.
const MAX_LEN: usize = 200;

/// The number of errors of an input at which shortcuts are called.
const MAX_ERRORS: usize = 4;

/// Replacements for all errors; without one, each error has its own. `CHARPIPE_TEST_EXHAUSTIVE=1` tries all with each
/// input, otherwise they take turns.
const REPLACEMENTS: [Option<&str>; 3] = [Some(""), Some("REPLACED"), None];

/// The result of a conversion with a replacement for each error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Conversion {
    out: Vec<u8>,
    errors: Vec<ErrorClass>,
}

impl Conversion {
    fn add_errors(&mut self, count: usize, class: ErrorClass) {
        self.errors.extend(std::iter::repeat_n(class, count));
    }
}

fn class_of(error: CodecError) -> ErrorClass {
    match error.reason {
        ErrorReason::Malformed(reason) => reason.class(),
        ErrorReason::Unmappable(_) => ErrorClass::Unmappable,
    }
}

/// Converts the rest of an input from the state of the codec, error by error.
fn convert(
    codec: &mut TestCodec,
    src: &[u8],
    replacement: &[u8],
    mut done: Conversion,
) -> Result<Conversion, String> {
    let mut at_end = 0;
    let start = done.out.len();
    let transcript =
        codec_driver::drive(codec, src, &single_chunk(), allocation::count, &mut |_, call| {
            done.out.extend_from_slice(call.out);
            if let Status::Error(error) = call.progress.status {
                done.out.extend_from_slice(replacement);
                done.errors.push(class_of(error));
            }
            at_end = done.out.len() - start;
            Ok(())
        })?;
    let expected = transcript.out.len() + transcript.errors.len() * replacement.len();
    call_clauses::fail_if(at_end != expected, "the calls wrote something else")?;
    Ok(done)
}

/// Handles all errors, and counts them.
#[derive(Debug, Default)]
struct TestHandler {
    constant: Option<&'static str>,
    replacement: String,
    counts: [usize; 3],
    cache: Option<Box<ReplacementCache>>,
}

impl TestHandler {
    fn replace(&mut self, text: String) -> Option<ActionTaken> {
        self.replacement = self.constant.map_or(text, str::to_owned);
        Some(ActionTaken::Replaced)
    }
}

impl ErrorHandler for TestHandler {
    fn on_malformed(&mut self, bytes: &[u8], _: MalformedReason) -> Option<ActionTaken> {
        self.replace(bytes.iter().map(|byte| format!("{byte:02X}")).collect())
    }

    fn on_unmappable(&mut self, error: Unmappable) -> Option<ActionTaken> {
        self.replace(format!("{:X}", u32::from(error.character)))
    }

    fn replacement(&self) -> &str {
        &self.replacement
    }

    fn default_replacement(&self) -> &'static str {
        "?"
    }

    fn is_constant(&self) -> bool {
        self.constant.is_some()
    }

    fn add_count(&mut self, class: ErrorClass, _: ActionTaken, count: usize) {
        self.counts[class as usize] += count;
    }

    fn cache(&mut self) -> &mut Option<Box<ReplacementCache>> {
        &mut self.cache
    }
}

/// Calls the codec once. With `in_bulk` the handler replaces errors.
fn call(
    codec: &mut TestCodec,
    src: &[u8],
    dst: &mut [u8],
    handler: &mut TestHandler,
    in_bulk: bool,
) -> Progress<CodecError> {
    match codec {
        TestCodec::Decoder(decoder) if in_bulk => {
            let progress = decoder.decode_with_handler(src, dst, true, handler);
            codec_driver::map_error(progress, codec_driver::malformed)
        }
        TestCodec::Encoder(encoder) if in_bulk => {
            let text = codec_driver::whole_characters(src);
            let progress = encoder.encode_with_handler(text, dst, true, handler);
            let state = encoder.save_state();
            codec_driver::map_error(progress, |error| codec_driver::unmappable(error, state))
        }
        _ => codec.call(src, dst, true),
    }
}

/// Converts an input, with a replacement for each error. Returns the output and the number of errors of each
/// class.
fn replace_errors(
    codec: &mut TestCodec,
    input: &[u8],
    constant: Option<&'static str>,
    space: usize,
    in_bulk: bool,
) -> Result<(Vec<u8>, [usize; 3]), String> {
    codec.restore_state(State::INITIAL);
    let mut handler = TestHandler { constant, ..TestHandler::default() };
    let (mut rest, mut out) = (input.to_vec(), Vec::new());
    let mut dst = vec![0; space.max(codec.max_lookahead())];
    loop {
        let progress = call(codec, &rest, &mut dst, &mut handler, in_bulk);
        out.extend_from_slice(&dst[..progress.written]);
        rest.drain(..progress.read);
        match progress.status {
            Status::InputEmpty => return Ok((out, handler.counts)),
            Status::OutputFull if (progress.read, progress.written) == (0, 0) => {
                return Err("no progress".to_owned());
            }
            Status::OutputFull => {}
            Status::Error(error) => {
                handler.counts[class_of(error) as usize] += 1;
                match error.reason {
                    ErrorReason::Malformed(reason) => {
                        handler.on_malformed(&rest[..error.len.min(rest.len())], reason);
                        out.extend_from_slice(handler.replacement.as_bytes());
                        rest.drain(..error.next);
                    }
                    ErrorReason::Unmappable(character) => {
                        handler.on_unmappable(Unmappable::new(character));
                        rest.splice(..error.next, handler.replacement.bytes());
                    }
                }
                codec.restore_state(error.resume_state);
            }
        }
    }
}

/// Returns whether an encoder has the characters of all replacements.
fn has_replacements(codec: &mut TestCodec) -> bool {
    codec.restore_state(State::INITIAL);
    let text = b"?REPLACED0123456789ABCDEF";
    let progress = codec.call(text, &mut [0; 1000], true);
    progress.status == Status::InputEmpty
}

/// Calls `visit` with the codec at each of the first errors of an input, the error, and the bytes from the
/// error on.
fn visit_errors(
    codec: &mut TestCodec,
    input: &[u8],
    mut visit: impl FnMut(&mut TestCodec, CodecError, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    codec.restore_state(State::INITIAL);
    let (mut at, mut count) = (0, 0);
    let mut dst = vec![0; 16 * input.len() + 64];
    while count < MAX_ERRORS {
        let Progress { read, status, .. } = codec.call(&input[at..], &mut dst, true);
        at += read;
        match status {
            Status::InputEmpty => break,
            Status::OutputFull => {}
            Status::Error(error) => {
                let rest = &input[at..];
                at += error.next;
                count += 1;
                visit(codec, error, rest)?;
                codec.restore_state(error.resume_state);
            }
        }
    }
    Ok(())
}

fn long_input(input: &[u8]) -> Vec<u8> {
    input.repeat(MIN_LEN / input.len().max(1) + 1)
}

#[test]
fn replaced_errors_are_those_of_single_calls() {
    let input_count = Cell::new(0);
    check_all(CODECS, |bench, input| {
        let codec = &mut bench.codec;
        if matches!(codec, TestCodec::Encoder(_)) && !has_replacements(codec) {
            return Ok(());
        }
        if input.len() > MAX_LEN {
            return Ok(());
        }
        let input = long_input(input);
        let turn = input_count.replace(input_count.get() + 1) % REPLACEMENTS.len();
        let replacements =
            if is_exhaustive() { &REPLACEMENTS[..] } else { &REPLACEMENTS[turn..=turn] };
        for constant in replacements.iter().copied() {
            let ample = 16 * input.len() + 64;
            let expected = replace_errors(codec, &input, constant, ample, false)?;
            for space in [40, ample] {
                let replaced = replace_errors(codec, &input, constant, space, true)?;
                if replaced != expected {
                    return Err(format!("{constant:?} {space}: {replaced:X?}, not {expected:X?}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn repeated_errors_are_those_of_single_calls() {
    check_all(&[CodecKind::Decoder], |bench, input| {
        let input = long_input(input);
        visit_errors(&mut bench.codec, &input, |codec, error, rest| {
            let state = codec.state();
            let (count, len) = match codec {
                TestCodec::Decoder(decoder) if error.next == error.len => {
                    let ErrorReason::Malformed(reason) = error.reason else { return Ok(()) };
                    let (len, resume_len, resume_state) =
                        (error.len, error.next, error.resume_state);
                    let malformed = Malformed { len, reason, resume_len, resume_state };
                    let count = decoder.repeat_count(rest, malformed);
                    call_clauses::fail_if(count == 0, "does not count the first error")?;
                    (count, count * error.len)
                }
                _ => return Ok(()),
            };
            call_clauses::fail_if(codec.state() != state, "the state changed")?;
            if count == 1 {
                return Ok(());
            }
            let mut repeated = Conversion { out: b"?".repeat(count), errors: Vec::new() };
            repeated.add_errors(count, class_of(error));
            let rest_of_input = rest.get(len..).ok_or("counts more than the input")?;
            codec.restore_state(error.resume_state);
            let repeated = convert(codec, rest_of_input, b"?", repeated)?;
            codec.restore_state(error.resume_state);
            let mut expected = Conversion { out: b"?".to_vec(), errors: Vec::new() };
            expected.add_errors(1, class_of(error));
            let expected = convert(codec, &rest[error.next..], b"?", expected)?;
            if repeated == expected {
                return Ok(());
            }
            Err(format!("{count} errors: {repeated:X?}, not {expected:X?}"))
        })
    });
}

/// Sequences that are not UTF-8, incomplete sequences, and none.
const NOT_TEXT: [&[u8]; 10] = [
    b"",
    b"\x80",
    b"\xC3",
    b"\xC3\xC3\xA9",
    b"\xC1\xBF",
    b"\xE0\x9F\xBF",
    b"\xE4\xB8",
    b"\xE4\xC3\xA9",
    b"\xED\xA0\x80",
    b"\xF5\x80\x80\x80",
];

#[test]
fn unvalidated_text_is_encoded_as_valid_text_is() {
    let with_shortcut = RefCell::new(BTreeSet::new());
    // After long text, tables are complete.
    let long = "\u{E9}\u{416}\u{4E2D}a".repeat(200);
    check_all(&[CodecKind::Encoder], |bench, input| {
        let name = bench.stage.case.encoding.name();
        let _ = bench.codec.call(long.as_bytes(), &mut vec![0; 16 * long.len()], false);
        for (not_text, after) in
            NOT_TEXT.iter().flat_map(|it| [(it, "".into()), (it, "a\u{E9}".repeat(50))])
        {
            let src = [input, not_text, after.as_bytes()].concat();
            let valid = src.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            for space in [0, 7, 40, 8 * src.len() + 64] {
                bench.codec.restore_state(State::INITIAL);
                let TestCodec::Encoder(encoder) = &mut bench.codec else { return Ok(()) };
                let mut dst = vec![0; space];
                let before = allocation::count();
                let (read, written) = encoder.encode_unvalidated(&src, &mut dst);
                call_clauses::fail_if(allocation::count() > before, "allocates")?;
                let state = encoder.save_state();
                encoder.restore_state(State::INITIAL);
                let text = valid.get(..read).ok_or("reads more than whole characters")?;
                let mut expected = vec![0; 16 * src.len() + 64];
                let progress = encoder.encode(text, &mut expected, false);
                if progress != Progress::input_empty(read, written)
                    || dst[..written] != expected[..written]
                    || read > 0 && state != encoder.save_state()
                {
                    return Err(format!("{src:X?}: {read}, {written}, not {progress:?}"));
                }
                if read > 0 {
                    with_shortcut.borrow_mut().insert(name);
                }
            }
        }
        Ok(())
    });
    if std::env::var_os("ENCODING").is_none() {
        let found = with_shortcut.into_inner();
        for name in ["ISO-8859-1", "CP1251", "SJIS", "BIG5", "GB18030", "UTF-16LE", "UTF-32LE"] {
            assert!(found.contains(name), "{name} encodes no text unvalidated: {found:?}");
        }
    }
}
