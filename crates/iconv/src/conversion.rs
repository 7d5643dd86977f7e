//! A conversion with the semantics of iconv(3): input and output may end at any byte, and what was read
//! is exactly what was written.
//!
//! Codecs convert in bulk through a buffer of text. When the output is full or a character cannot be
//! encoded, the decoder is restored and runs again up to the character in question, as the transcoder
//! does to find positions. Two kinds of input are read without being written at once, as in glibc:
//! a character that the next one may change (a letter before a combining mark), and the rest of a
//! sequence of several characters of which only the first ones fit. Both are kept and written first
//! by the next call.

use std::fmt;

use charpipe_encoding::codec::{DecodeStage, EncodeStage, Progress, State, Status};
use charpipe_encoding::conversion_error::{ActionTaken, Malformed, Unmappable};
use charpipe_encoding::encoding;
use charpipe_transcode::error_policy::Replacer;

use super::encoding_name::EncodingName;
use super::locale::Locale;
use super::{ErrorRules, conversion_options};

/// The maximum length of text that is decoded at a time.
const TEXT_LEN: usize = 16 * 1024;

/// The minimum length of text that is decoded at a time if an encoder follows.
const MIN_TEXT_LEN: usize = 64;

/// The largest [`expansion`](IconvConversion::expansion): ASCII in UTF-32.
const MAX_EXPANSION: u32 = 2;

/// The maximum number of bytes that are decoded together with those of an earlier call.
const HELD_BYTES_STEP: usize = 64;

/// The length of buffers for one step of a codec, and for replay. Short calls are frequent, and it is
/// cleared in each.
const SCRATCH_LEN: usize = 512;

/// The minimum length of a buffer that grows.
const MIN_BUFFER_LEN: usize = 512;

/// Where a conversion writes.
pub trait IconvOutput {
    /// Returns the number of bytes that can still be written.
    fn space(&self) -> usize;

    /// Writes bytes, at most as many as there is space for.
    fn write(&mut self, bytes: &[u8]);
}

/// Why a call returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IconvStatus {
    /// All input was read.
    Complete,
    /// The next character does not fit: `E2BIG`.
    OutputFull,
    /// The next sequence is malformed, or its character cannot be encoded; or all input was read, but
    /// some of it was skipped: `EILSEQ`.
    Invalid,
    /// The input ends in an incomplete sequence, which was not read: `EINVAL`.
    Incomplete,
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IconvOutcome {
    /// The number of bytes read.
    pub read: usize,
    /// The number of characters that were transliterated, replaced or skipped.
    pub irreversible: usize,
    /// Why the call returned.
    pub status: IconvStatus,
}

/// A conversion descriptor.
pub struct IconvConversion {
    decoder: Box<dyn DecodeStage>,
    encoder: Box<dyn EncodeStage>,
    replacer: Replacer,
    /// Whether text is read as it is.
    reads_utf8: bool,
    /// Whether text is written as it is.
    writes_utf8: bool,
    /// Bytes that were read but not decoded, because the next ones may change their meaning.
    held_bytes: Vec<u8>,
    /// Decoded text, of which the first [`held_text_len`](Self::held_text_len) bytes are from earlier calls.
    text: Vec<u8>,
    held_text_len: usize,
    /// The bytes of one step of the encoder. A caller's buffer is not changed after what is written.
    encoded: Vec<u8>,
    /// The binary logarithm of the length of output for a byte of text, as far as it was seen.
    expansion: u32,
}

/// The counts of a running call.
#[derive(Debug, Default)]
struct Counts {
    read: usize,
    /// Characters that were transliterated or replaced.
    irreversible: usize,
    has_skipped_bytes: bool,
    has_skipped_characters: bool,
}

/// Why encoding ended, and at which byte of the text.
#[derive(Debug, Clone, Copy)]
enum EncodeEnd {
    /// The text is encoded, except for characters that the next ones may change.
    TextEmpty(usize),
    /// The next character does not fit.
    OutputFull(usize),
    /// The next character, of this length, cannot be encoded.
    Unmappable(usize, usize),
}

impl IconvConversion {
    /// Opens a conversion between the encodings with these names, of which the first may have suffixes.
    /// `locale` returns the name of the locale's category `LC_CTYPE` and its encoding, which an empty
    /// name means and which `//TRANSLIT` depends on. Returns `None` if a name is unknown.
    pub fn open(
        to: &[u8],
        from: &[u8],
        locale: impl Fn() -> (String, String),
    ) -> Option<IconvConversion> {
        let locale = || {
            let (name, encoding) = locale();
            Locale::of_process(&name, &encoding)
        };
        let resolve = |name: &EncodingName| {
            let encoding = if name.is_locale() { &locale().encoding } else { "" };
            // UTF-8-MAC is an encoding with a transform.
            name.resolve(encoding).filter(|spec| spec.transforms.is_empty())
        };
        let (from_name, to_name) = (EncodingName::parse(from), EncodingName::parse(to));
        let (from, to) = (resolve(&from_name)?, resolve(&to_name)?);
        let rules = ErrorRules {
            skips: to_name.ignores,
            transliterates: to_name.transliterates,
            ..ErrorRules::default()
        };
        let options = conversion_options(from, to, &rules, locale);
        let (encoder, replacer) = options.encoder_and_replacer().ok()?;
        Some(IconvConversion {
            decoder: options.from.encoding.decoder(&options.from.options),
            encoder,
            replacer,
            reads_utf8: encoding::is_utf8(options.from.encoding),
            writes_utf8: encoding::is_utf8(options.to.encoding),
            held_bytes: Vec::new(),
            text: Vec::new(),
            held_text_len: 0,
            encoded: Vec::new(),
            expansion: 0,
        })
    }

    /// Converts `src`.
    pub fn convert(&mut self, src: &[u8], output: &mut dyn IconvOutput) -> IconvOutcome {
        let mut counts = Counts::default();
        let status = loop {
            if let Some(status) = self.step(src, output, &mut counts) {
                break status;
            }
        };
        let is_skipped = status == IconvStatus::Complete && counts.has_reported_skip();
        let status = if is_skipped { IconvStatus::Invalid } else { status };
        IconvOutcome { read: counts.read, irreversible: counts.irreversible, status }
    }

    /// Returns to the initial state. If there is an output, writes what is held and the sequence that
    /// ends the shift state; on [`IconvStatus::OutputFull`] nothing is written or changed.
    pub fn reset(&mut self, output: Option<&mut dyn IconvOutput>) -> IconvOutcome {
        let (mut status, mut counts) = (IconvStatus::Complete, Counts::default());
        if let Some(output) = output {
            let states = (self.decoder.save_state(), self.encoder.save_state());
            let (bytes, is_encoded) = self.rest(&mut counts);
            if bytes.len() > output.space() {
                self.decoder.restore_state(states.0);
                self.encoder.restore_state(states.1);
                return IconvOutcome { read: 0, irreversible: 0, status: IconvStatus::OutputFull };
            }
            output.write(&bytes);
            if !is_encoded || counts.has_reported_skip() {
                status = IconvStatus::Invalid;
            }
        }
        self.decoder.restore_state(State::INITIAL);
        self.encoder.restore_state(State::INITIAL);
        self.held_bytes.clear();
        self.held_text_len = 0;
        IconvOutcome { read: 0, irreversible: counts.irreversible, status }
    }

    /// Decodes, encodes and writes once. Returns a status at the end.
    fn step(
        &mut self,
        src: &[u8],
        output: &mut dyn IconvOutput,
        counts: &mut Counts,
    ) -> Option<IconvStatus> {
        if let Some(status) = self.step_of_utf8(src, output, counts) {
            return status;
        }
        let rest = &src[counts.read..];
        let joined = self.join_held_bytes(rest);
        let input = joined.as_deref().unwrap_or(rest);
        let is_all = input.len() == self.held_bytes.len() + rest.len();
        let before = self.decoder.save_state();
        let start = self.held_text_len;
        let progress = self.decode(input, output.space());
        let end = start + progress.written;
        match self.encode(end, output, counts) {
            EncodeEnd::TextEmpty(at) => self.hold_text(at, end),
            EncodeEnd::OutputFull(at) => {
                self.adapt_expansion(end - start, at.max(start) - start);
                let read = self.roll_back(before, input, start, at);
                self.consume(read, counts);
                return Some(IconvStatus::OutputFull);
            }
            EncodeEnd::Unmappable(at, len) => {
                // A character that an earlier call has read cannot be left to the caller.
                let at = if at < start { at + len } else { at };
                let read = self.roll_back(before, input, start, at);
                let silent = self.pass_silent_sequences(&input[read..]);
                self.consume(read + silent, counts);
                return Some(IconvStatus::Invalid);
            }
        }
        match progress.status {
            Status::InputEmpty if is_all => {
                Some(self.end_input(&input[progress.read..], progress.read, output, counts))
            }
            Status::OutputFull | Status::InputEmpty => {
                self.consume(progress.read, counts);
                None
            }
            Status::Error(error) => {
                self.consume(progress.read, counts);
                self.replace_malformed(&input[progress.read..], &error, counts)
            }
        }
    }

    /// Encodes and writes valid UTF-8 without decoding it. Returns the result of the step, unless the input is not
    /// UTF-8 or the next sequence must be decoded.
    fn step_of_utf8(
        &mut self,
        src: &[u8],
        output: &mut dyn IconvOutput,
        counts: &mut Counts,
    ) -> Option<Option<IconvStatus>> {
        if !self.reads_utf8 || self.held_text_len > 0 {
            return None;
        }
        let read = self.encode_unvalidated(&src[counts.read..], output);
        counts.read += read;
        let rest = &src[counts.read..];
        if read > 0 && rest.is_empty() {
            return Some(Some(IconvStatus::Complete));
        }
        let text = valid_prefix(rest, output.space().saturating_mul(4).saturating_add(4));
        if !text.is_empty() {
            let next = match &rest[text.len()..] {
                [] => Some(IconvStatus::Complete),
                next if is_incomplete(next) => Some(IconvStatus::Incomplete),
                _ => None,
            };
            return Some(self.step_of_valid_text(text, next, output, counts));
        }
        is_incomplete(rest).then_some(Some(IconvStatus::Incomplete))
    }

    /// Returns the bytes that an earlier call has read together with the next ones, if there are any.
    fn join_held_bytes(&self, rest: &[u8]) -> Option<Vec<u8>> {
        if self.held_bytes.is_empty() {
            return None;
        }
        let mut joined = self.held_bytes.clone();
        joined.extend_from_slice(&rest[..rest.len().min(HELD_BYTES_STEP)]);
        Some(joined)
    }

    /// Adapts how much is decoded. What was decoded in vain is decoded again, so less is decoded next time.
    fn adapt_expansion(&mut self, decoded: usize, encoded: usize) {
        if decoded > MIN_TEXT_LEN && encoded * 2 <= decoded {
            self.expansion = (self.expansion + 1).min(MAX_EXPANSION);
        }
    }

    /// Decodes as much as will probably fit into `space` bytes of output, after the text that is held.
    fn decode(&mut self, input: &[u8], space: usize) -> Progress<Malformed> {
        let start = self.held_text_len;
        let lookahead = self.decoder.max_lookahead();
        // Text that is written as it is fits if the space is filled exactly.
        let minimum = if self.writes_utf8 { lookahead } else { lookahead.max(MIN_TEXT_LEN) };
        let capacity = (space >> self.expansion).clamp(minimum, TEXT_LEN.max(minimum));
        // Short input needs no large buffer.
        let capacity = capacity.min(input.len().saturating_mul(4).max(MIN_BUFFER_LEN));
        grow(&mut self.text, start + capacity);
        self.decoder.decode(input, &mut self.text[start..start + capacity], false)
    }

    /// Skips or replaces the malformed sequence that the bytes held and `input` begin with. Returns a status if
    /// that is not allowed.
    fn replace_malformed(
        &mut self,
        input: &[u8],
        error: &Malformed,
        counts: &mut Counts,
    ) -> Option<IconvStatus> {
        let bytes = &input[..error.len.min(input.len())];
        let skipped_len = error.resume_len.max(1).min(input.len());
        let action_taken = self.replacer.replace_malformed(bytes, error.reason);
        if action_taken == ActionTaken::Stopped {
            // What an earlier call has read cannot be left to the caller.
            self.consume(skipped_len.min(self.held_bytes.len()), counts);
            return Some(IconvStatus::Invalid);
        }
        self.consume(skipped_len, counts);
        counts.has_skipped_bytes |= action_taken == ActionTaken::Skipped;
        self.decoder.restore_state(error.resume_state);
        let replacement = self.replacer.replacement.as_bytes();
        let (at, len) = (self.held_text_len, replacement.len());
        grow(&mut self.text, at + len);
        self.text[at..at + len].copy_from_slice(replacement);
        self.held_text_len += len;
        None
    }

    /// Encodes and writes a prefix of UTF-8 as far as the encoder validates it. Returns its length.
    fn encode_unvalidated(&mut self, src: &[u8], output: &mut dyn IconvOutput) -> usize {
        if self.writes_utf8 {
            return 0;
        }
        grow(&mut self.encoded, src.len().saturating_mul(2).min(TEXT_LEN));
        let space = output.space().min(self.encoded.len());
        let (read, written) = self.encoder.encode_unvalidated(src, &mut self.encoded[..space]);
        output.write(&self.encoded[..written]);
        read
    }

    /// Encodes and writes the first characters of UTF-8, which need no decoding. `at_end` is the status if the
    /// call ends after them. Returns a status at the end.
    fn step_of_valid_text(
        &mut self,
        text: &str,
        at_end: Option<IconvStatus>,
        output: &mut dyn IconvOutput,
        counts: &mut Counts,
    ) -> Option<IconvStatus> {
        let encode_end = if self.writes_utf8 {
            write_text(text.as_bytes(), output)
        } else {
            let IconvConversion { encoder, replacer, encoded, .. } = self;
            encode_text(&mut **encoder, replacer, encoded, text, output, counts)
        };
        match encode_end {
            EncodeEnd::TextEmpty(at) => {
                let held = &text.as_bytes()[at..];
                grow(&mut self.text, held.len());
                self.text[..held.len()].copy_from_slice(held);
                self.held_text_len = held.len();
                counts.read += text.len();
                at_end
            }
            EncodeEnd::OutputFull(at) => {
                counts.read += at;
                Some(IconvStatus::OutputFull)
            }
            EncodeEnd::Unmappable(at, _) => {
                counts.read += at;
                Some(IconvStatus::Invalid)
            }
        }
    }

    /// Records that `read` bytes have been read: those held, then bytes of the caller.
    fn consume(&mut self, read: usize, counts: &mut Counts) {
        let held = read.min(self.held_bytes.len());
        self.held_bytes.drain(..held);
        counts.read += read - held;
    }

    /// Keeps bytes `at..end` of the text for the next step.
    fn hold_text(&mut self, at: usize, end: usize) {
        self.text.copy_within(at..end, 0);
        self.held_text_len = end - at;
    }

    /// Ends a call after which the decoder left `tail` unread, and had read `read` bytes before it. What
    /// is complete is read and held, the rest is left to the caller.
    fn end_input(
        &mut self,
        tail: &[u8],
        read: usize,
        output: &mut dyn IconvOutput,
        counts: &mut Counts,
    ) -> IconvStatus {
        let unread_held = self.held_bytes.len().saturating_sub(read);
        self.consume(read, counts);
        if tail.is_empty() {
            return IconvStatus::Complete;
        }
        if self.reads_utf8 {
            return IconvStatus::Incomplete;
        }
        let (complete, unmappable) = self.complete_len(tail);
        if let Some((at, character)) = unmappable.filter(|_| unread_held == 0) {
            return if at == self.held_text_len {
                self.write_held_text(character, output)
            } else {
                IconvStatus::Invalid
            };
        }
        let complete = complete.max(unread_held);
        self.held_bytes.clear();
        self.held_bytes.extend_from_slice(&tail[..complete]);
        counts.read += complete - unread_held;
        if complete == tail.len() { IconvStatus::Complete } else { IconvStatus::Incomplete }
    }

    /// Writes the text that is held before a character that stops the conversion, and so changes none of it.
    fn write_held_text(&mut self, next: char, output: &mut dyn IconvOutput) -> IconvStatus {
        let held = std::str::from_utf8(&self.text[..self.held_text_len]).unwrap_or_default();
        let text = format!("{held}{next}");
        let (state, mut bytes) = (self.encoder.save_state(), Vec::new());
        encode_whole(&mut *self.encoder, &text, false, &mut bytes);
        if bytes.len() > output.space() {
            self.encoder.restore_state(state);
            return IconvStatus::OutputFull;
        }
        output.write(&bytes);
        self.held_text_len = 0;
        IconvStatus::Invalid
    }

    /// Returns the number of bytes of `tail` that are complete characters if nothing follows them, and the
    /// first character that stops the conversion, with its position in the text that is held and these.
    fn complete_len(&mut self, tail: &[u8]) -> (usize, Option<(usize, char)>) {
        let state = self.decoder.save_state();
        let (text, read) = decode_held(&mut *self.decoder, &self.text[..self.held_text_len], tail);
        self.decoder.restore_state(state);
        if read == 0 || self.writes_utf8 {
            return (read, None);
        }
        let text = std::str::from_utf8(&text).unwrap_or_default();
        let state = self.encoder.save_state();
        let unmappable = encode_whole(&mut *self.encoder, text, false, &mut Vec::new());
        self.encoder.restore_state(state);
        let mut stops = |error| self.replacer.replace_unmappable(error) == ActionTaken::Stopped;
        let stop = unmappable.filter(|(_, error)| stops(*error));
        (read, stop.map(|(at, error)| (at, error.character)))
    }

    /// Encodes the first `end` bytes of the text, and writes them.
    fn encode(
        &mut self,
        end: usize,
        output: &mut dyn IconvOutput,
        counts: &mut Counts,
    ) -> EncodeEnd {
        let IconvConversion { encoder, replacer, text, encoded, writes_utf8, .. } = self;
        if *writes_utf8 {
            return write_text(&text[..end], output);
        }
        // A decoder writes valid text.
        let text = simdutf8::basic::from_utf8(&text[..end]).unwrap_or_default();
        encode_text(&mut **encoder, replacer, encoded, text, output, counts)
    }

    /// Reads sequences that are no characters, such as a shift sequence or a byte order mark, before a
    /// character that cannot be encoded, so that the caller finds the character there, wherever its call
    /// began. Returns their length.
    fn pass_silent_sequences(&mut self, input: &[u8]) -> usize {
        let (mut scratch, mut read) = ([0; SCRATCH_LEN], 0);
        if self.held_text_len > 0 {
            return 0;
        }
        loop {
            let state = self.decoder.save_state();
            let rest = &input[read..];
            let step = (1..=rest.len().min(HELD_BYTES_STEP)).find_map(|len| {
                let progress = self.decoder.decode(&rest[..len], &mut scratch, false);
                (progress != Progress::input_empty(0, 0)).then_some(progress)
            });
            match step {
                Some(Progress { read: len @ 1.., written: 0, .. }) => read += len,
                _ => {
                    self.decoder.restore_state(state);
                    return read;
                }
            }
        }
    }

    /// Restores the decoder to the start of the byte sequence of byte `at` of the text, of which it has
    /// written the bytes from `start` on since the state `before`. Returns the number of bytes of `input`
    /// before it. If the sequence is that of several characters, the text from `at` on is held.
    fn roll_back(&mut self, before: State, input: &[u8], start: usize, at: usize) -> usize {
        if at <= start {
            // None of the new text was encoded.
            self.decoder.restore_state(before);
            self.hold_text(at, start);
            return 0;
        }
        let target = at - start;
        self.decoder.restore_state(before);
        let (mut scratch, mut read, mut written) = ([0; SCRATCH_LEN], 0, 0);
        // First with an output buffer that ends at the character.
        while written < target {
            let capacity = (target - written).min(SCRATCH_LEN);
            let progress = self.decoder.decode(&input[read..], &mut scratch[..capacity], false);
            read += progress.read;
            written += progress.written;
            if progress.read + progress.written == 0 || matches!(progress.status, Status::Error(_))
            {
                break;
            }
        }
        // Then in the smallest steps.
        while written < target {
            let step = (1..=input.len() - read).find_map(|len| {
                let input = &input[read..read + len];
                let progress = self.decoder.decode(input, &mut scratch, false);
                (progress.read + progress.written > 0).then_some(progress)
            });
            let step = step.expect("the same bytes have been decoded before");
            read += step.read;
            written += step.written;
        }
        self.hold_text(at, start + written);
        read
    }

    /// Returns what ends the output, and whether all text that is held could be encoded, replaced or skipped.
    fn rest(&mut self, counts: &mut Counts) -> (Vec<u8>, bool) {
        let held_text = &self.text[..self.held_text_len];
        let (text, _) = decode_held(&mut *self.decoder, held_text, &self.held_bytes);
        if self.writes_utf8 {
            return (text, true);
        }
        let mut text = std::str::from_utf8(&text).unwrap_or_default();
        let (mut bytes, mut is_encoded) = (Vec::new(), true);
        while let Some((read, error)) = encode_whole(&mut *self.encoder, text, true, &mut bytes) {
            text = &text[read + error.character.len_utf8()..];
            match self.replacer.replace_unmappable(error) {
                ActionTaken::Stopped => is_encoded = false,
                action_taken => {
                    let replacement = &self.replacer.replacement;
                    encode_whole(&mut *self.encoder, replacement, false, &mut bytes);
                    counts.add(action_taken);
                }
            }
        }
        (bytes, is_encoded)
    }
}

impl Counts {
    /// Counts an unmappable character.
    fn add(&mut self, action_taken: ActionTaken) {
        match action_taken {
            ActionTaken::Skipped => self.has_skipped_characters = true,
            _ => self.irreversible += 1,
        }
    }

    /// Returns whether the call reports that something was skipped. As in glibc, a transliteration in the
    /// same call hides skipped bytes.
    fn has_reported_skip(&self) -> bool {
        self.has_skipped_characters || (self.has_skipped_bytes && self.irreversible == 0)
    }
}

/// Makes a buffer at least `len` bytes long.
fn grow(buffer: &mut Vec<u8>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len.max(MIN_BUFFER_LEN), 0);
    }
}

/// Returns the characters that `src` begins with, in at most about `max_len` bytes.
fn valid_prefix(src: &[u8], max_len: usize) -> &str {
    let limited = &src[..src.len().min(max_len).min(TEXT_LEN)];
    // The last bytes are often the start of a character.
    let is_lead = |byte: &u8| matches!(byte, 0xC2..=0xF4);
    let tail = limited.iter().rev().take(3).position(is_lead).map(|after| after + 1);
    let incomplete = tail.filter(|len| match limited[limited.len() - len] {
        0xC2..=0xDF => *len < 2,
        0xE0..=0xEF => *len < 3,
        _ => true,
    });
    let limited = &limited[..limited.len() - incomplete.unwrap_or(0)];
    simdutf8::basic::from_utf8(limited).unwrap_or_else(|_| {
        limited.utf8_chunks().next().map(|chunk| chunk.valid()).unwrap_or_default()
    })
}

/// Returns whether `src` is the start of a character of UTF-8.
fn is_incomplete(src: &[u8]) -> bool {
    src.len() < 4 && std::str::from_utf8(src).is_err_and(|error| error.error_len().is_none())
}

/// Writes the characters of UTF-8 that fit.
fn write_text(text: &[u8], output: &mut dyn IconvOutput) -> EncodeEnd {
    let mut len = text.len().min(output.space());
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, 0x80..=0xBF));
    while is_inside(len) {
        len -= 1;
    }
    output.write(&text[..len]);
    if len < text.len() { EncodeEnd::OutputFull(len) } else { EncodeEnd::TextEmpty(len) }
}

/// Encodes and writes text, with replacements.
fn encode_text(
    encoder: &mut dyn EncodeStage,
    replacer: &mut Replacer,
    encoded: &mut Vec<u8>,
    text: &str,
    output: &mut dyn IconvOutput,
    counts: &mut Counts,
) -> EncodeEnd {
    grow(encoded, text.len().saturating_mul(2).min(TEXT_LEN));
    let mut at = 0;
    loop {
        let space = output.space().min(encoded.len());
        let progress = encoder.encode(&text[at..], &mut encoded[..space], false);
        output.write(&encoded[..progress.written]);
        at += progress.read;
        let error = match progress.status {
            Status::InputEmpty => return EncodeEnd::TextEmpty(at),
            // The buffer may be smaller than the output.
            Status::OutputFull if progress.read + progress.written > 0 => continue,
            Status::OutputFull => return EncodeEnd::OutputFull(at),
            Status::Error(error) => error,
        };
        let len = error.character.len_utf8();
        let action_taken = replacer.replace_unmappable(error);
        if action_taken == ActionTaken::Stopped {
            return EncodeEnd::Unmappable(at, len);
        }
        if !write_replacement(encoder, &replacer.replacement, encoded, output) {
            return EncodeEnd::OutputFull(at);
        }
        counts.add(action_taken);
        at += len;
    }
}

/// Encodes and writes a replacement, if it fits.
fn write_replacement(
    encoder: &mut dyn EncodeStage,
    replacement: &str,
    encoded: &mut [u8],
    output: &mut dyn IconvOutput,
) -> bool {
    let state = encoder.save_state();
    let progress = encoder.encode(replacement, encoded, false);
    let is_whole = progress.status == Status::InputEmpty && progress.read == replacement.len();
    if is_whole && progress.written <= output.space() {
        output.write(&encoded[..progress.written]);
        return true;
    }
    encoder.restore_state(state);
    if is_whole {
        return false;
    }
    let mut bytes = Vec::new();
    encode_whole(encoder, replacement, false, &mut bytes);
    if bytes.len() > output.space() {
        encoder.restore_state(state);
        return false;
    }
    output.write(&bytes);
    true
}

/// Decodes the few bytes that a decoder has left unread, as if nothing followed them. Returns the text that is
/// held and theirs, and the number of bytes read, which ends at a malformed sequence.
fn decode_held(decoder: &mut dyn DecodeStage, held_text: &[u8], bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut scratch = [0; SCRATCH_LEN];
    let progress = decoder.decode(bytes, &mut scratch, true);
    ([held_text, &scratch[..progress.written]].concat(), progress.read)
}

/// Appends the encoded `text` to `bytes`, also characters that following ones could change. Returns the
/// first character that cannot be encoded, and the length of the text before it.
fn encode_whole(
    encoder: &mut dyn EncodeStage,
    text: &str,
    end: bool,
    bytes: &mut Vec<u8>,
) -> Option<(usize, Unmappable)> {
    let (mut scratch, mut read, mut end) = ([0; SCRATCH_LEN], 0, end);
    loop {
        let progress = encoder.encode(&text[read..], &mut scratch, end);
        read += progress.read;
        bytes.extend_from_slice(&scratch[..progress.written]);
        match progress.status {
            Status::Error(error) => return Some((read, error)),
            Status::OutputFull if progress.read + progress.written > 0 => {}
            Status::InputEmpty if read < text.len() && !end => end = true,
            _ => return None,
        }
    }
}

impl fmt::Debug for IconvConversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("IconvConversion");
        debug.field("held_bytes", &self.held_bytes).field("held_text_len", &self.held_text_len);
        debug.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::encoding_name;

    /// The buffer of a caller.
    struct Buffer {
        bytes: Vec<u8>,
        space: usize,
    }

    impl IconvOutput for Buffer {
        fn space(&self) -> usize {
            self.space - self.bytes.len()
        }

        fn write(&mut self, bytes: &[u8]) {
            assert!(bytes.len() <= self.space());
            self.bytes.extend_from_slice(bytes);
        }
    }

    #[test]
    fn a_prefix_is_without_an_incomplete_character_only() {
        for character in ["é", "€", "\u{1F600}"] {
            let text = ["a", character].concat();
            assert_eq!(valid_prefix(text.as_bytes(), TEXT_LEN), text);
            for len in 1..text.len() {
                assert_eq!(valid_prefix(text.as_bytes(), len), "a");
            }
        }
    }

    fn open(to: &str, from: &str) -> IconvConversion {
        let locale = || ("de_DE.UTF-8".to_owned(), "UTF-8".to_owned());
        IconvConversion::open(to.as_bytes(), from.as_bytes(), locale).unwrap()
    }

    /// The names, the input and the space; what is written, read and changed, and the result.
    type ConversionCase<'a> =
        (&'a str, &'a str, &'a [u8], usize, &'a [u8], usize, usize, IconvStatus);

    #[test]
    fn calls_return_what_iconv_returns() {
        use IconvStatus::{Complete, Incomplete, Invalid, OutputFull};
        // As by the GNU C library.
        #[rustfmt::skip]
        let cases: [ConversionCase; 15] = [
            ("UTF-8", "LATIN1", b"caf\xE9", 9, "café".as_bytes(), 4, 0, Complete),
            ("UTF-8", "LATIN1", b"caf\xE9", 4, b"caf", 3, 0, OutputFull),
            ("LATIN1", "UTF-8", "aé€b".as_bytes(), 9, b"a\xE9", 3, 0, Invalid),
            ("LATIN1//IGNORE", "UTF-8", "a€b".as_bytes(), 9, b"ab", 5, 0, Invalid),
            ("LATIN1//TRANSLIT", "UTF-8", "a€b".as_bytes(), 9, b"aEURb", 5, 1, Complete),
            ("UTF-16LE", "UTF-8", b"a\xC3", 9, b"a\0", 1, 0, Incomplete),
            ("UTF-16LE", "UTF-8", b"a\xFFb", 9, b"a\0", 1, 0, Invalid),
            ("UTF-16LE", "UTF-8", b"ab", 3, b"a\0", 1, 0, OutputFull),
            ("UTF-16LE", "UTF-8", "a😀".as_bytes(), 9, b"a\0\x3D\xD8\0\xDE", 5, 0, Complete),
            ("UTF-8", "UTF-8", "é€".as_bytes(), 4, "é".as_bytes(), 2, 0, OutputFull),
            ("UTF-8", "UTF-8", b"\xC3\xA9\xE2\x82", 9, "é".as_bytes(), 2, 0, Incomplete),
            ("UTF-8", "EUC-JP", b"\xC6\xFC\xC6", 9, "日".as_bytes(), 2, 0, Incomplete),
            ("LATIN1", "UTF-16", b"\xFF\xFE\x42\x30a\0", 9, b"", 2, 0, Invalid),
            ("UTF-32LE", "LATIN1", &[b'a'; 300], 9, b"a\0\0\0a\0\0\0", 2, 0, OutputFull),
            ("IBM420", "IBM1008", &[0xFF; 80], 70, &[0xFA; 70], 70, 0, OutputFull),
        ];
        for (to, from, input, space, written, read, irreversible, status) in cases {
            let mut output = Buffer { bytes: Vec::new(), space };
            let outcome = open(to, from).convert(input, &mut output);
            let name = format!("{from} {to} {input:X?}");
            assert_eq!(output.bytes, written, "{name}");
            assert_eq!(outcome, IconvOutcome { read, irreversible, status }, "{name}");
        }
    }

    #[test]
    fn output_in_small_pieces_is_that_of_one_call() {
        // Two codes of Big5-HKSCS are two characters each: U+00CA U+0304 and U+00EA U+030C.
        let input = b"a\x88\x62b\x88\xA5\xA4\xA4c\x88\x62\x88\x62";
        let text = "aÊ\u{304}bê\u{30C}中cÊ\u{304}Ê\u{304}";
        let utf_16: Vec<_> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (to, expected, smallest) in [("UTF-8", text.as_bytes(), 3), ("UTF-16LE", &utf_16, 2)] {
            for space in smallest..=12 {
                let (mut conversion, mut written, mut read) =
                    (open(to, "BIG5-HKSCS"), Vec::new(), 0);
                loop {
                    let mut output = Buffer { bytes: Vec::new(), space };
                    let outcome = conversion.convert(&input[read..], &mut output);
                    assert!(!output.bytes.is_empty(), "{to} {space}");
                    written.extend(output.bytes);
                    read += outcome.read;
                    if outcome.status == IconvStatus::Complete {
                        break;
                    }
                    assert_eq!(outcome.status, IconvStatus::OutputFull, "{to} {space}");
                }
                assert_eq!((&written[..], read), (expected, input.len()), "{to} {space}");
            }
        }
    }

    #[test]
    fn second_character_of_a_code_is_not_left_to_the_caller() {
        // U+00CA U+0304. The GNU C library returns the same for the first two calls, and remains there.
        let (mut conversion, input) = (open("LATIN1", "BIG5-HKSCS"), b"\x88\x62a");
        let mut output = Buffer { bytes: Vec::new(), space: 9 };
        let mut convert = |input| {
            let IconvOutcome { read, status, .. } = conversion.convert(input, &mut output);
            (read, status, output.bytes.clone())
        };
        assert_eq!(convert(&input[..]), (2, IconvStatus::Invalid, b"\xCA".to_vec()));
        assert_eq!(convert(&input[2..]), (0, IconvStatus::Invalid, b"\xCA".to_vec()));
        assert_eq!(convert(&input[2..]), (1, IconvStatus::Complete, b"\xCAa".to_vec()));
    }

    #[test]
    fn second_character_of_a_byte_follows_in_the_next_call() {
        // The GNU C library converts CA to U+0B9F U+0BBF.
        let (mut conversion, input) = (open("UTF-16BE", "TSCII"), b"\xCAab");
        let mut output = Buffer { bytes: Vec::new(), space: 2 };
        let mut convert = |input, space| {
            output.space = space;
            let IconvOutcome { read, status, .. } = conversion.convert(input, &mut output);
            (read, status, output.bytes.clone())
        };
        let first = b"\x0B\x9F".to_vec();
        assert_eq!(convert(&input[..], 2), (1, IconvStatus::OutputFull, first));
        let all = b"\x0B\x9F\x0B\xBF\0a\0b".to_vec();
        assert_eq!(convert(&input[1..], 99), (2, IconvStatus::Complete, all));
    }

    #[test]
    fn output_without_space_leaves_the_state() {
        let mut conversion = open("UTF-8", "ISO-2022-JP");
        let mut output = Buffer { bytes: Vec::new(), space: 2 };
        let mut convert = |input: &[u8], space| {
            output.space = space;
            let IconvOutcome { read, status, .. } = conversion.convert(input, &mut output);
            (read, status)
        };
        // RFC 1468.
        assert_eq!(convert(b"\x1B$B", 2), (3, IconvStatus::Complete));
        assert_eq!(convert(b"F|\x1B(Ba", 2), (0, IconvStatus::OutputFull));
        assert_eq!(convert(b"F|\x1B(Ba", 9), (6, IconvStatus::Complete));
        assert_eq!(output.bytes, "日a".as_bytes());
    }

    #[test]
    fn a_reset_writes_the_return_to_ascii_if_it_fits() {
        let mut conversion = open("ISO-2022-JP", "UTF-8");
        let mut output = Buffer { bytes: Vec::new(), space: 99 };
        assert_eq!(conversion.convert("日".as_bytes(), &mut output).read, 3);
        // RFC 1468.
        assert_eq!(output.bytes, b"\x1B$BF|");
        let mut short = Buffer { bytes: Vec::new(), space: 2 };
        assert_eq!(conversion.reset(Some(&mut short)).status, IconvStatus::OutputFull);
        assert!(short.bytes.is_empty());
        assert_eq!(conversion.reset(Some(&mut output)).status, IconvStatus::Complete);
        assert_eq!(output.bytes, b"\x1B$BF|\x1B(B");
        assert_eq!(conversion.convert(b"a", &mut output).read, 1);
        assert_eq!(output.bytes, b"\x1B$BF|\x1B(Ba");
    }

    /// POSIX: with a null pointer for the input the descriptor is placed into its initial shift state.
    #[test]
    fn a_reset_with_and_without_output_ends_the_state_of_the_input() {
        for has_output in [false, true] {
            let mut output = Buffer { bytes: Vec::new(), space: 9 };
            let mut conversion = open("UTF-8", "ISO-2022-JP");
            assert_eq!(conversion.convert(b"\x1B$BF|", &mut output).status, IconvStatus::Complete);
            let buffer = has_output.then_some(&mut output as &mut dyn IconvOutput);
            assert_eq!(conversion.reset(buffer).status, IconvStatus::Complete);
            assert_eq!(conversion.convert(b"F|", &mut output).status, IconvStatus::Complete);
            assert_eq!(output.bytes, "日F|".as_bytes());
        }
    }

    #[test]
    fn output_larger_than_the_buffers_is_filled() {
        // As by the GNU C library.
        for (input, space, read) in
            [(300, 400, 100), (16_000, 100_000, 16_000), (16_000, 63_999, 15_999)]
        {
            let mut output = Buffer { bytes: Vec::new(), space };
            let outcome = open("UTF-32LE", "LATIN1").convert(&vec![b'a'; input], &mut output);
            assert_eq!((outcome.read, output.bytes), (read, b"a\0\0\0".repeat(read)), "{space}");
        }
    }

    /// POSIX: a conversion stops where the next character does not fit.
    #[test]
    fn characters_that_fit_are_written_in_every_encoding() {
        let specs = encoding_name::all().into_iter().filter_map(|name| {
            let spec = encoding_name::resolve(&name).filter(|spec| spec.transforms.is_empty())?;
            Some((spec.to_string(), name))
        });
        let names: BTreeMap<_, _> = specs.collect();
        assert!(names.len() > 400);
        for name in names.values() {
            let convert = |text: &str, space| {
                let mut output = Buffer { bytes: Vec::new(), space };
                let outcome = open(name, "UTF-8").convert(text.as_bytes(), &mut output);
                (output.bytes, outcome.status)
            };
            let is_mapped =
                |character: &char| convert(&character.to_string(), 99).1 == IconvStatus::Complete;
            let text = "aé日1я\u{5D0}ก~e\u{301}か\u{309A}カ한₫\u{E000}z";
            let text: String = text.chars().filter(is_mapped).collect();
            for (at, _) in text.char_indices() {
                let (bytes, _) = convert(&text[..at], 999);
                assert_eq!(convert(&text, bytes.len()).0, bytes, "{name} {:?}", &text[..at]);
            }
        }
    }

    #[test]
    fn transliteration_is_written_whole_or_not_at_all() {
        // ANSEL writes a letter after its marks, so its encoder waits for what follows.
        for (space, written, read, irreversible, status) in
            [(1, "", 0, 0, IconvStatus::OutputFull), (2, "fi", 3, 1, IconvStatus::Complete)]
        {
            let mut output = Buffer { bytes: Vec::new(), space };
            let outcome =
                open("ANSEL//TRANSLIT", "UTF-8").convert("\u{FB01}".as_bytes(), &mut output);
            assert_eq!(outcome, IconvOutcome { read, irreversible, status });
            assert_eq!(output.bytes, written.as_bytes());
        }
    }

    #[test]
    fn held_digit_is_malformed_if_the_next_bytes_make_it_so() {
        // RFC 2152: the bits after the last character are zero, and fewer than six. The status and the output are
        // those of the GNU C library.
        for (next, status, written) in [
            (&b"\xFF"[..], IconvStatus::Invalid, "a"),
            (b"B-", IconvStatus::Invalid, "a"),
            (b"B\xFF", IconvStatus::Invalid, "a"),
            (b"-z", IconvStatus::Complete, "az"),
            (b"AYg-z", IconvStatus::Complete, "abz"),
        ] {
            let mut output = Buffer { bytes: Vec::new(), space: 9 };
            let mut conversion = open("UTF-8", "UTF-7");
            let outcome = conversion.convert(b"+AGE", &mut output);
            assert_eq!((outcome.read, outcome.status), (4, IconvStatus::Complete));
            assert_eq!(conversion.convert(next, &mut output).status, status, "{next:X?}");
            assert_eq!(output.bytes, written.as_bytes(), "{next:X?}");
        }
    }

    #[test]
    fn malformed_sequence_in_two_calls_is_skipped_as_in_one() {
        // As by the GNU C library in one call.
        for (first, second, written) in [
            (&b"+AGE"[..], &b"B-z"[..], "az"),
            (b"+AGEAYg", b"Z\xFFz", "abz"),
            (b"+AGE", b"\xFFz", "az"),
        ] {
            for parts in [&[&[first, second].concat()[..]][..], &[first, second]] {
                let mut output = Buffer { bytes: Vec::new(), space: 9 };
                let mut conversion = open("UTF-8//IGNORE", "UTF-7");
                let mut status = IconvStatus::Complete;
                for part in parts {
                    let outcome = conversion.convert(part, &mut output);
                    assert_eq!(outcome.read, part.len(), "{parts:X?}");
                    status = outcome.status;
                }
                assert_eq!(status, IconvStatus::Invalid, "{parts:X?}");
                assert_eq!(output.bytes, written.as_bytes(), "{parts:X?}");
            }
        }
    }

    #[test]
    fn a_reset_counts_and_reports_as_a_call_does() {
        // As by the GNU C library, except that it leaves the last descriptor in its state.
        for (to, from, input, status, written, irreversible) in [
            ("LATIN1//TRANSLIT", "CP1255", b"z\xE0", IconvStatus::Complete, "?", 1),
            ("ASCII//TRANSLIT", "CP1258", b"z\xE2", IconvStatus::Complete, "a", 1),
            ("LATIN1//IGNORE", "CP1255", b"z\xE0", IconvStatus::Invalid, "", 0),
            ("LATIN1", "BIG5-HKSCS", b"\x88\x62", IconvStatus::Invalid, "", 0),
        ] {
            let mut conversion = open(to, from);
            let mut output = Buffer { bytes: Vec::new(), space: 9 };
            assert_eq!(conversion.convert(input, &mut output).read, 2, "{to} {from}");
            output.bytes.clear();
            let outcome = conversion.reset(Some(&mut output));
            assert_eq!(outcome, IconvOutcome { read: 0, irreversible, status }, "{to} {from}");
            assert_eq!(output.bytes, written.as_bytes(), "{to} {from}");
            let outcome = conversion.convert(b"z", &mut output);
            assert_eq!((outcome.read, outcome.status), (1, IconvStatus::Complete), "{to} {from}");
        }
    }

    #[test]
    fn a_reset_reports_what_is_held_and_cannot_be_encoded() {
        // As by the GNU C library: shin with dagesh is composed, and ISO-8859-8 does not have it.
        let mut conversion = open("ISO-8859-8", "CP1255");
        let mut output = Buffer { bytes: Vec::new(), space: 99 };
        let read = IconvOutcome { read: 1, irreversible: 0, status: IconvStatus::Complete };
        assert_eq!(conversion.convert(b"\xF9", &mut output), read);
        assert_eq!(conversion.convert(b"\xCC", &mut output), read);
        assert_eq!(conversion.reset(Some(&mut output)).status, IconvStatus::Invalid);
        assert_eq!(output.bytes, b"");
        // It is held no longer.
        assert_eq!(conversion.reset(Some(&mut output)).status, IconvStatus::Complete);
    }

    #[test]
    fn a_conversion_needs_two_known_names() {
        let is_open = |to: &[u8], from: &[u8]| {
            IconvConversion::open(to, from, || ("C".to_owned(), "ANSI_X3.4-1968".to_owned()))
                .is_some()
        };
        assert!(is_open(b"UTF-8", b"LATIN1"));
        assert!(!is_open(b"UTF-8", b"no-such-name"));
        assert!(!is_open(b"no-such-name", b"UTF-8"));
    }
}
