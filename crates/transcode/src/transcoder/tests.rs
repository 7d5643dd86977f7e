//! Tests of chains that no options build yet: a transfer encoding before the decoder, and an encoder
//! that encodes whole words. Offsets must be correct in them too, with buffers of any size.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::chain::Stage;
use super::*;
use crate::error_policy::{ErrorAction, ErrorPolicy, EscapeStyle};
use crate::io::ErrorCounts;
use charpipe_encoding::codec::{
    ByteTransform, Checkpoint, EncodeStage, Progress, State, TextTransform,
};
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorKind, Malformed, MalformedReason, Position, StageLabel, Unmappable,
};
use charpipe_encoding::error::ConversionError;

#[derive(Default)]
struct CollectedErrors(Vec<ErrorEvent>);

impl ErrorReporter for CollectedErrors {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.0.push(*error);
    }
}

fn hex_to_latin1(
    buffer_size: usize,
    malformed: ErrorAction,
    unmappable: ErrorAction,
) -> Transcoder {
    let mut options = TranscodeOptions::from_labels("utf-8", "latin1").unwrap();
    (options.error_policy, options.buffer_size) =
        (ErrorPolicy { malformed, unmappable }, buffer_size);
    let stages = vec![
        Stage::ByteTransform(Box::new(HexTransform)),
        Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
        Stage::Encoder(Box::new(WordwiseEncoder)),
    ];
    from_stages(stages, 1, 2, &options)
}

fn from_stages(
    stages: Vec<Stage>,
    text: usize,
    per_file: usize,
    options: &TranscodeOptions,
) -> Transcoder {
    let stages = stages.into_iter().map(|stage| (stage, StageLabel::Main)).collect();
    let chain = Chain::new(stages, text, per_file, options);
    let replacements =
        ReplacementTexts { default_replacement: "?", transliterator: None, untransliterable: None };
    let mut transcoder = Transcoder::with_chain(chain, options, replacements);
    transcoder.text_path = TextPath::Decode;
    transcoder
}

fn transcode_all(transcoder: Transcoder, input: &[u8]) -> (Vec<u8>, Vec<ErrorEvent>) {
    let mut reporter = CollectedErrors::default();
    let output = transcode_with(transcoder, input, &mut reporter);
    (output, reporter.0)
}

fn transcode_with(
    mut transcoder: Transcoder,
    mut input: &[u8],
    reporter: &mut dyn ErrorReporter,
) -> Vec<u8> {
    let mut output = Vec::new();
    while !input.is_empty() {
        let space = transcoder.input_buffer();
        let count = space.len().min(input.len());
        space[..count].copy_from_slice(&input[..count]);
        transcoder.process(count, &mut output, reporter).unwrap();
        input = &input[count..];
    }
    transcoder.finish_input(&mut output, reporter).unwrap();
    transcoder.finish(&mut output, reporter).unwrap();
    output
}

/// Returns text in hexadecimal with a space after every third byte, and the offset of every byte.
fn encode_hex(text: &[u8]) -> (Vec<u8>, Vec<u64>) {
    let (mut hex, mut offsets) = (Vec::new(), Vec::new());
    for (index, byte) in text.iter().enumerate() {
        offsets.push(hex.len() as u64);
        hex.extend_from_slice(format!("{byte:02x}").as_bytes());
        if index % 3 == 2 {
            hex.push(b' ');
        }
    }
    (hex, offsets)
}

const BUFFER_SIZES: [usize; 10] = [1, 2, 3, 4, 5, 7, 16, 33, 100, 4096];

#[test]
fn position_of_unmappable_character_with_encoder_lookahead() {
    let text = "a# bé#é #\nword€# x ##\n# averyveryverylongword#thatneverends# é\n#";
    let (input, offsets) = encode_hex(text.as_bytes());
    let mut expected = Vec::new();
    let (mut line, mut column) = (1, 1);
    for (index, character) in text.char_indices() {
        if "#€".contains(character) {
            expected.push(Position { offset: offsets[index], line, column });
        }
        column += 1;
        if character == '\n' {
            (line, column) = (line + 1, 1);
        }
    }
    for buffer_size in BUFFER_SIZES {
        let (output, errors) = transcode_all(
            hex_to_latin1(buffer_size, ErrorAction::Stop, ErrorAction::Replace(None)),
            &input,
        );
        let latin1: Vec<u8> = text.replace(['#', '€'], "?").chars().map(|c| c as u8).collect();
        assert_eq!(output, latin1, "{buffer_size}");
        let positions: Vec<_> = errors.iter().map(|error| error.position.unwrap()).collect();
        assert_eq!(positions, expected, "{buffer_size}");
    }
}

/// Returns the positions of the characters outside ASCII, of which each has a length in bytes.
fn positions_of_foreign(text: &str, len: impl Fn(char) -> usize) -> Vec<Position> {
    let mut positions = Vec::new();
    let (mut offset, mut line, mut column) = (0, 1, 1);
    for character in text.chars() {
        if !character.is_ascii() {
            positions.push(Position { offset, line, column });
        }
        offset += len(character) as u64;
        (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    positions
}

#[test]
fn positions_count_the_text_and_not_its_replacements() {
    let text = "aébécé\nédé\n\né".repeat(3);
    let latin1: Vec<u8> = text.chars().map(|character| character as u8).collect();
    let expected = positions_of_foreign(&text, |_| 1);
    for buffer_size in BUFFER_SIZES {
        for fast_paths in [false, true] {
            let mut options = TranscodeOptions::from_labels("latin1", "ascii")
                .unwrap()
                .on_unmappable(ErrorAction::Escape(EscapeStyle::Xml))
                .buffer_size(buffer_size);
            options.fast_paths = fast_paths;
            let (output, errors) = transcode_all(options.build().unwrap(), &latin1);
            assert_eq!(output, text.replace('é', "&#233;").into_bytes(), "{buffer_size}");
            let positions: Vec<_> = errors.iter().map(|error| error.position.unwrap()).collect();
            assert_eq!(positions, expected, "{buffer_size} {fast_paths}");
        }
    }
}

#[test]
fn errors_in_a_replacement_have_the_position_of_what_it_replaces() {
    // The replacement is `\u00E9`, and the byte of its backslash is a yen sign in Shift_JIS.
    let text = "aébé\né\n\nxé".repeat(3);
    let positions = positions_of_foreign(&text, char::len_utf8);
    let expected: Vec<_> = positions.into_iter().flat_map(|position| [position; 2]).collect();
    let find = |label| charpipe_encoding::encoding::for_label(label).unwrap();
    for buffer_size in BUFFER_SIZES {
        let options = TranscodeOptions::from_labels("utf-8", "big5")
            .unwrap()
            .on_unmappable(ErrorAction::Escape(EscapeStyle::Java))
            .buffer_size(buffer_size);
        let stages = vec![
            Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
            Stage::Encoder(find("shift_jis").encoder(&options.to.options)),
            Stage::Decoder(find("shift_jis").decoder(&options.from.options)),
            Stage::Encoder(options.to.encoding.encoder(&options.to.options)),
        ];
        let (_, errors) = transcode_all(from_stages(stages, 0, 1, &options), text.as_bytes());
        let positions: Vec<_> = errors.iter().map(|error| error.position.unwrap()).collect();
        assert_eq!(positions, expected, "{buffer_size}");
    }
}

/// Wants the position of the first error only.
#[derive(Default)]
struct FirstPosition(Vec<ErrorEvent>);

impl ErrorReporter for FirstPosition {
    fn wants_position(&self) -> bool {
        self.0.is_empty()
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.0.push(*error);
    }
}

#[test]
fn errors_have_the_order_of_the_input_without_positions_too() {
    let (input, _) = encode_hex(b"a# \xFF word# \xFF x\xE2\x82\xACy# \xFF\xFF # end\xFF");
    for buffer_size in BUFFER_SIZES {
        let replace = || ErrorAction::Replace(None);
        let kinds = |errors: &[ErrorEvent]| errors.iter().map(|it| it.kind).collect::<Vec<_>>();
        let (_, all) = transcode_all(hex_to_latin1(buffer_size, replace(), replace()), &input);
        let mut reporter = FirstPosition::default();
        transcode_with(hex_to_latin1(buffer_size, replace(), replace()), &input, &mut reporter);
        assert_eq!(kinds(&reporter.0), kinds(&all), "{buffer_size}");
        let offsets: Vec<_> = all.iter().map(|error| error.position.unwrap().offset).collect();
        assert!(offsets.is_sorted(), "{offsets:?}");
    }
}

#[test]
fn position_of_malformed_bytes_after_a_byte_transform() {
    let (input, offsets) = encode_hex(b"one two \xFF three \xC3\xA9\xE2\x82 end\n \x80");
    for buffer_size in BUFFER_SIZES {
        let (output, errors) = transcode_all(
            hex_to_latin1(buffer_size, ErrorAction::Replace(None), ErrorAction::Stop),
            &input,
        );
        assert_eq!(output, b"one two ? three \xE9? end\n ?", "{buffer_size}");
        let positions: Vec<_> = errors.iter().map(|error| error.position.unwrap()).collect();
        let position =
            |index: usize, line, column| Position { offset: offsets[index], line, column };
        assert_eq!(
            positions,
            [position(8, 1, 9), position(18, 1, 18), position(26, 2, 2)],
            "{buffer_size}"
        );
    }
}

#[test]
fn byte_transform_errors_are_replaced_in_the_text() {
    for buffer_size in BUFFER_SIZES {
        let (output, errors) = transcode_all(
            hex_to_latin1(buffer_size, ErrorAction::Replace(None), ErrorAction::Stop),
            b"61!62 6g63 6",
        );
        assert_eq!(output, b"a?b??c?", "{buffer_size}");
        let offsets: Vec<_> = errors.iter().map(|error| error.position.unwrap().offset).collect();
        assert_eq!(offsets, [2, 6, 7, 11], "{buffer_size}");
        assert_eq!(
            errors[3].kind,
            ErrorKind::Malformed { len: 1, reason: MalformedReason::Truncated }
        );
        assert!(errors.iter().all(|failure| failure.action_taken == ActionTaken::Replaced));
    }
}

/// What a transform of text was offered to locate errors.
struct OfferedText {
    bytes: usize,
    calls: usize,
    errors: Vec<ErrorEvent>,
}

/// Converts text to ISO-8859-1 through a transform, and skips what cannot be encoded.
fn skip_unmappable_after_a_transform(input: &str) -> OfferedText {
    let mut options = TranscodeOptions::from_labels("utf-8", "latin1").unwrap();
    options.error_policy.unmappable = ErrorAction::Skip;
    let transform = CountingTransform::default();
    let (offered, calls) = (transform.offered.clone(), transform.calls.clone());
    let stages = vec![
        Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
        Stage::TextTransform(Box::new(transform)),
        Stage::Encoder(options.to.encoding.encoder(&options.to.options)),
    ];
    let (_, errors) = transcode_all(from_stages(stages, 0, 1, &options), input.as_bytes());
    let (bytes, calls) = (offered.load(Ordering::Relaxed), calls.load(Ordering::Relaxed));
    OfferedText { bytes, calls, errors }
}

#[test]
fn locating_many_errors_after_a_text_transform_is_linear() {
    let input = "€".repeat(10_000);
    let OfferedText { bytes, errors, .. } = skip_unmappable_after_a_transform(&input);
    assert_eq!(errors.len(), 10_000);
    assert!(bytes < 20 * input.len(), "{bytes} bytes");
}

#[test]
fn locating_an_error_far_into_a_buffer_takes_few_calls() {
    let input = "a".repeat(10_000) + "€";
    let OfferedText { bytes, calls, errors } = skip_unmappable_after_a_transform(&input);
    assert_eq!(error_offsets(&errors), [10_000]);
    assert!(calls < 20 && bytes < 4 * input.len(), "{calls} calls with {bytes} bytes");
}

#[test]
fn held_output_is_written_when_it_is_released() {
    let mut transcoder = TranscodeOptions::from_labels("latin1", "utf-8").unwrap().build().unwrap();
    let (mut output, mut errors) = (Vec::new(), CollectedErrors::default());
    transcoder.hold_output(100);
    for byte in *b"\xE9a" {
        transcoder.input_buffer()[0] = byte;
        transcoder.process(1, &mut output, &mut errors).unwrap();
    }
    assert_eq!((output.len(), transcoder.held_output_len()), (0, 3));
    transcoder.release_output(&mut output).unwrap();
    assert_eq!((output.as_slice(), transcoder.held_output_len()), ("éa".as_bytes(), 0));
    transcoder.input_buffer()[0] = b'b';
    transcoder.process(1, &mut output, &mut errors).unwrap();
    assert_eq!((output.as_slice(), transcoder.held_output_len()), ("éab".as_bytes(), 0));
}

/// Counts the bytes that are written from a buffer.
struct OutputOfBuffer {
    buffer: Range<usize>,
    len: usize,
}

impl Write for OutputOfBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.contains(&bytes.as_ptr().addr()) {
            self.len += bytes.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Encodes ASCII except `#`. Whether it can encode `€` depends on what follows, which it never can.
struct WaitingEncoder;

impl Checkpoint for WaitingEncoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl EncodeStage for WaitingEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        for (count, (at, character)) in src.char_indices().enumerate() {
            let is_last = at + character.len_utf8() == src.len();
            match character {
                '€' if is_last && !end => return Progress::input_empty(at, count),
                '#' | '€' => return Progress::error(at, count, Unmappable::new(character)),
                _ if count == dst.len() => return Progress::output_full(at, count),
                _ => dst[count] = character as u8,
            }
        }
        Progress::input_empty(src.len(), src.len())
    }
}

#[test]
fn replacement_that_waits_for_input_is_not_another_error() {
    for buffer_size in BUFFER_SIZES {
        let mut options = TranscodeOptions::from_labels("utf-8", "ascii").unwrap();
        options.error_policy.unmappable = ErrorAction::Replace(Some("€".to_owned()));
        options.buffer_size = buffer_size;
        let stages = vec![
            Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
            Stage::Encoder(Box::new(WaitingEncoder)),
        ];
        let (output, errors) = transcode_all(from_stages(stages, 0, 1, &options), b"a#bc##d#");
        assert_eq!(output, b"a?bc??d?", "{buffer_size}");
        assert_eq!(error_offsets(&errors), [1, 4, 5, 7], "{buffer_size}");
    }
}

/// Encodes ASCII except one character. What follows a run of `w` must be known.
struct RunEncoder {
    missing: u8,
}

impl Checkpoint for RunEncoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl EncodeStage for RunEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let known = if end { src.len() } else { src.trim_end_matches('w').len() };
        for (at, byte) in src.bytes().enumerate() {
            match byte {
                _ if byte == self.missing => {
                    return Progress::error(at, at, Unmappable::new(byte.into()));
                }
                _ if at >= known => return Progress::input_empty(at, at),
                _ if at == dst.len() => return Progress::output_full(at, at),
                _ => dst[at] = byte,
            }
        }
        Progress::input_empty(src.len(), src.len())
    }
}

#[test]
fn replacement_that_waits_for_input_has_the_position_of_what_it_replaces() {
    let text = b"aw#bw##\nw#aw#w";
    let mut expected = Vec::new();
    for (offset, byte) in (0..).zip(text) {
        // The replacement is two characters that the second encoder does not have.
        let count = match byte {
            b'#' => 3,
            b'w' => 1,
            _ => 0,
        };
        expected.extend(std::iter::repeat_n(offset, count));
    }
    for buffer_size in BUFFER_SIZES {
        let mut options = TranscodeOptions::from_labels("utf-8", "ascii").unwrap();
        options.error_policy.unmappable = ErrorAction::Replace(Some("ww".to_owned()));
        options.buffer_size = buffer_size;
        let stages = vec![
            Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
            Stage::Encoder(Box::new(RunEncoder { missing: b'#' })),
            Stage::Decoder(options.to.encoding.decoder(&options.to.options)),
            Stage::Encoder(Box::new(RunEncoder { missing: b'w' })),
        ];
        let (_, errors) = transcode_all(from_stages(stages, 0, 1, &options), text);
        assert_eq!(error_offsets(&errors), expected, "{buffer_size}");
    }
}

#[test]
fn valid_text_is_written_from_the_input_buffer() {
    let options = TranscodeOptions::from_labels("utf-8", "utf-8").unwrap();
    let mut transcoder = options.build().unwrap();
    let buffer = transcoder.input_buffer();
    let text = "é".repeat(buffer.len() / 2);
    buffer[..text.len()].copy_from_slice(text.as_bytes());
    let start = buffer.as_ptr().addr();
    let mut output = OutputOfBuffer { buffer: start..start + buffer.len(), len: 0 };
    transcoder.process(text.len(), &mut output, &mut CollectedErrors::default()).unwrap();
    assert_eq!(output.len, text.len());
}

#[test]
fn input_that_is_resumed_after_a_stop_has_the_whole_buffer() {
    let options = TranscodeOptions::from_labels("latin1", "ascii").unwrap();
    let mut transcoder = options.build().unwrap();
    let len = transcoder.input_buffer().len();
    transcoder.input_buffer().fill(0xE9);
    let mut reporter = CollectedErrors::default();
    assert!(transcoder.process(len, &mut io::sink(), &mut reporter).is_err());
    transcoder.resume(&transcoder.initial_states(), 0, position::LineColumn::START);
    assert_eq!(transcoder.input_buffer().len(), len);
}

fn error_offsets(errors: &[ErrorEvent]) -> Vec<u64> {
    errors.iter().map(|error| error.position.unwrap().offset).collect()
}

/// Converts until an error stops the conversion.
fn transcode_until_stop(
    mut transcoder: Transcoder,
    input: &[u8],
) -> (Vec<u8>, Vec<ErrorEvent>, ConversionError) {
    let (mut output, mut reporter) = (Vec::new(), CollectedErrors::default());
    for byte in input {
        transcoder.input_buffer()[0] = *byte;
        match transcoder.process(1, &mut output, &mut reporter) {
            Ok(()) => {}
            Err(Error::Conversion(stopped)) => return (output, reporter.0, *stopped),
            Err(error) => panic!("{error}"),
        }
    }
    panic!("{}", output.escape_ascii());
}

#[test]
fn stop_reports_earlier_errors_first_and_no_later_ones() {
    // The encoder's lookahead still contains an unmappable character.
    let (input, _) = encode_hex(b"a b#c\xFFd");
    let (output, errors, stopped) = transcode_until_stop(
        hex_to_latin1(1, ErrorAction::Stop, ErrorAction::Replace(None)),
        &input,
    );
    assert_eq!((&output[..], &error_offsets(&errors)[..]), (&b"a b?c"[..], &[7, 11][..]));
    assert_eq!(stopped.event, errors[1]);
    let (out, failures, stopped) =
        transcode_until_stop(hex_to_latin1(1, ErrorAction::Stop, ErrorAction::Stop), &input);
    assert_eq!((&out[..], &error_offsets(&failures)[..]), (&b"a b"[..], &[7][..]));
    assert_eq!(stopped.event, failures[0]);
}

#[test]
fn stop_inside_a_character_reports_one_error() {
    let (output, errors, stopped) =
        transcode_until_stop(hex_to_latin1(1, ErrorAction::Stop, ErrorAction::Stop), b"61C3!!A9");
    assert_eq!((&output[..], &error_offsets(&errors)[..]), (&b"a"[..], &[4][..]));
    assert_eq!(stopped.event, errors[0]);
}

#[test]
fn missing_input_is_reported_at_the_end_of_the_file() {
    for (input, expected) in [
        (&b"26414f6b"[..], &[8][..]),
        (b"26 414f 6b \n ", &[13]),
        (b"26 414f 6b 0", &[11, 12]),
        (b"26 414f 6b 0 ", &[11, 13]),
    ] {
        for buffer_size in BUFFER_SIZES {
            let mut options = TranscodeOptions::from_labels("utf-7-imap", "utf-8").unwrap();
            (options.error_policy.malformed, options.buffer_size) =
                (ErrorAction::Skip, buffer_size);
            let decoder = options.from.encoding.decoder(&options.from.options);
            let stages =
                vec![Stage::ByteTransform(Box::new(HexTransform)), Stage::Decoder(decoder)];
            let (output, errors) = transcode_all(from_stages(stages, 1, 2, &options), input);
            assert_eq!(output, "é".as_bytes());
            assert_eq!(error_offsets(&errors), expected, "{buffer_size} {}", input.escape_ascii());
        }
    }
}

/// Decodes two hexadecimal digits per byte; spaces and line feeds between bytes are ignored.
pub struct HexTransform;

impl Checkpoint for HexTransform {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        2
    }
}

impl ByteTransform for HexTransform {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
        let error = |len, reason| Malformed::new(len, reason, State::INITIAL);
        loop {
            match src[read..] {
                [] => return Progress::input_empty(read, written),
                [b' ' | b'\n', ..] => read += 1,
                [one, ..] if digit(one).is_none() => {
                    return Progress::error(
                        read,
                        written,
                        error(1, MalformedReason::InvalidLeadByte),
                    );
                }
                [_] if end => {
                    return Progress::error(read, written, error(1, MalformedReason::Truncated));
                }
                [_] => return Progress::input_empty(read, written),
                [one, two, ..] => match (digit(one), digit(two)) {
                    (Some(_), Some(_)) if written == dst.len() => {
                        return Progress::output_full(read, written);
                    }
                    (Some(high), Some(low)) => {
                        dst[written] = high << 4 | low;
                        (read, written) = (read + 2, written + 1);
                    }
                    _ => {
                        return Progress::error(
                            read,
                            written,
                            error(1, MalformedReason::MissingTrailByte),
                        );
                    }
                },
            }
        }
    }
}

/// Copies text, and counts the bytes of its input.
#[derive(Default)]
pub struct CountingTransform {
    pub offered: Arc<AtomicUsize>,
    pub calls: Arc<AtomicUsize>,
}

impl Checkpoint for CountingTransform {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl TextTransform for CountingTransform {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], _: bool) -> Progress<Malformed> {
        self.offered.fetch_add(src.len(), Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        let count = src.floor_char_boundary(dst.len());
        dst[..count].copy_from_slice(&src.as_bytes()[..count]);
        match count == src.len() {
            true => Progress::input_empty(count, count),
            false => Progress::output_full(count, count),
        }
    }
}

/// Encodes whole words, so it leaves up to a word unread. `#` and characters above U+00FF are
/// unmappable.
pub struct WordwiseEncoder;

const MAX_WORD_LEN: usize = 24;

impl Checkpoint for WordwiseEncoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        MAX_WORD_LEN
    }
}

impl EncodeStage for WordwiseEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            let next = &rest[..rest.floor_char_boundary(MAX_WORD_LEN)];
            let len = match next.find(' ') {
                Some(blank) => blank + 1,
                None if end || rest.len() >= MAX_WORD_LEN => rest.len(),
                None => return Progress::input_empty(read, written),
            };
            let word = &rest[..rest.floor_char_boundary(len.min(MAX_WORD_LEN))];
            if word.is_empty() {
                return Progress::input_empty(read, written);
            }
            let is_unmappable =
                |character: &char| *character == '#' || u32::from(*character) > 0xFF;
            if word.chars().count() > dst.len() - written {
                return Progress::output_full(read, written);
            }
            for character in word.chars() {
                if is_unmappable(&character) {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                dst[written] = u32::from(character) as u8;
                (read, written) = (read + character.len_utf8(), written + 1);
            }
        }
    }
}

#[test]
fn lines_of_each_file_begin_at_the_first() {
    let mut options = TranscodeOptions::from_labels("rfc2047", "us-ascii").unwrap();
    options.error_policy.unmappable = ErrorAction::Skip;
    let mut transcoder = options.build().unwrap();
    let mut reporter = CollectedErrors::default();
    for file in ["Subject: a\nTo: b\nCc: c\n", "To: d\nSubject: =?utf-8?Q?=C3=A9?=\n"] {
        transcoder.input_buffer()[..file.len()].copy_from_slice(file.as_bytes());
        transcoder.process(file.len(), &mut io::sink(), &mut reporter).unwrap();
        transcoder.finish_input(&mut io::sink(), &mut reporter).unwrap();
    }
    let positions: Vec<_> = reporter.0.iter().map(|error| error.position.unwrap()).collect();
    // The encoded byte is at column 20 of the second line.
    assert_eq!(positions, [Position { offset: 25, line: 2, column: 20 }]);
}

#[test]
fn errors_counted_between_stages_for_messages_and_declarations_are_those_reported() {
    let text =
        "Subject: caf\u{E9}\u{20AC}\nTo: b\n\n<meta charset=\"windows-1252\">\u{3B1}".repeat(50);
    let bytes = text.as_bytes().split(|byte| *byte == b'T').collect::<Vec<_>>().join(&b"\xFFT"[..]);
    for change in [
        |options: TranscodeOptions| options.header_field("subject"),
        |options: TranscodeOptions| options.fix_declaration(true),
    ] {
        let mut options = change(TranscodeOptions::from_labels("utf-8", "latin1").unwrap());
        options.error_policy = ErrorPolicy {
            malformed: ErrorAction::Replace(None),
            unmappable: ErrorAction::ESCAPE_C,
        };
        let mut counts = ErrorCounts::default();
        let counted = transcode_with(options.build().unwrap(), &bytes, &mut counts);
        let (reported, errors) = transcode_all(options.build().unwrap(), &bytes);
        assert_eq!(counted.escape_ascii().to_string(), reported.escape_ascii().to_string());
        let mut expected = ErrorCounts::default();
        errors.iter().for_each(|error| expected.error(error));
        assert_eq!(format!("{counts:?}"), format!("{expected:?}"));
    }
}
