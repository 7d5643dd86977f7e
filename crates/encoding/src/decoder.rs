//! A streaming decoder with an output buffer or a `String` of the caller.

use std::fmt;

use crate::codec::{DecodeStage, Progress, Status};
use crate::codec_cache::KeptCodec;
use crate::coder_result::CoderResult;
use crate::conversion_error::{ErrorEvent, Malformed};
use crate::encoding::Encoding;
use crate::short_text::{len_of_rest, text_len, validate, with_buffer};

/// The maximum number of bytes that are decoded together with pending ones, at a time.
const PENDING_STEP: usize = 64;

/// A malformed sequence that [`Decoder::decode_strict`] found.
///
/// ```
/// let mut decoder = charpipe::EUC_KR.new_decoder();
/// let error = decoder.decode_strict(b"ab\xFF", &mut String::new(), true).unwrap_err();
/// assert_eq!((error.offset, error.len), (2, 1));
/// assert!(error.to_string().starts_with("byte 2: invalid EUC-KR sequence FF"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MalformedError {
    /// The offset of the sequence in the whole input, in bytes.
    pub offset: u64,
    /// The length of the sequence, in bytes. Zero if something is missing at the end of the input.
    pub len: usize,
    /// The number of bytes of this call's input that have been read. To continue, pass the bytes after
    /// them.
    pub read: usize,
    pub(crate) event: ErrorEvent,
    encoding: &'static str,
}

/// Decodes text that arrives in parts. [`Encoding::new_decoder`] returns one.
///
/// ```
/// let mut decoder = charpipe::SHIFT_JIS.new_decoder();
/// let mut text = String::new();
/// // A character may be split between two calls.
/// decoder.decode(b"\x93\xFA\x96", &mut text, false);
/// assert_eq!(text, "日");
/// let had_errors = decoder.decode(b"\x7B\xFF", &mut text, true);
/// assert_eq!((text.as_str(), had_errors), ("日本\u{FFFD}", true));
/// ```
pub struct Decoder {
    encoding: &'static Encoding,
    codec: KeptCodec<dyn DecodeStage>,
    /// The first bytes of a sequence whose end has not arrived.
    pending: Vec<u8>,
    /// The number of bytes decoded, without the pending ones.
    offset: u64,
}

impl Decoder {
    /// The size of an output buffer, in bytes, that always allows
    /// [`decode_to_utf8`](Decoder::decode_to_utf8) to make progress.
    pub const MIN_OUTPUT_LEN: usize = 64;

    pub(crate) fn new(encoding: &'static Encoding) -> Decoder {
        let codec = KeptCodec::new(encoding);
        Decoder { encoding, codec, pending: Vec::new(), offset: 0 }
    }

    /// Returns the encoding.
    ///
    /// ```
    /// assert_eq!(charpipe::BIG5.new_decoder().encoding(), charpipe::BIG5);
    /// ```
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Decodes `src` to the end of `dst`, with U+FFFD for each malformed sequence. Returns whether there
    /// was one. `last` means that no input follows.
    ///
    /// ```
    /// let mut text = String::new();
    /// assert!(!charpipe::KOI8_R.new_decoder().decode(b"\xED\xC9\xD2", &mut text, true));
    /// assert_eq!(text, "Мир");
    /// ```
    pub fn decode(&mut self, src: &[u8], dst: &mut String, last: bool) -> bool {
        let mut had_errors = false;
        // With `true` it returns no error.
        let _ = self.decode_to_string(src, dst, last, |_| {
            had_errors = true;
            true
        });
        had_errors
    }

    /// Decodes `src` to the end of `dst`. `last` means that no input follows.
    ///
    /// ```
    /// let mut text = String::new();
    /// let mut decoder = charpipe::UTF_8.new_decoder();
    /// let error = decoder.decode_strict(b"caf\xE9 noir", &mut text, true).unwrap_err();
    /// assert_eq!((text.as_str(), error.offset, error.len, error.read), ("caf", 3, 1, 4));
    /// decoder.decode_strict(b" noir", &mut text, true)?;
    /// assert_eq!(text, "caf noir");
    /// # Ok::<(), charpipe_encoding::MalformedError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`MalformedError`] for the first malformed sequence, after everything before it. The
    /// decoder can continue after it.
    #[doc(hidden)]
    pub fn decode_strict(
        &mut self,
        src: &[u8],
        dst: &mut String,
        last: bool,
    ) -> Result<(), MalformedError> {
        self.decode_to_string(src, dst, last, |_| false)
    }

    /// Decodes as [`decode_strict`](Decoder::decode_strict), but with U+FFFD for each malformed sequence for which
    /// `replaces` returns true.
    fn decode_to_string(
        &mut self,
        src: &[u8],
        dst: &mut String,
        last: bool,
        mut replaces: impl FnMut(Malformed) -> bool,
    ) -> Result<(), MalformedError> {
        let expected_len = self.pending.len() + text_len(src);
        let lookahead = self.codec.get().max_lookahead();
        with_buffer(expected_len.max(lookahead), |buffer| {
            let (mut at, mut len, mut flushed_at) = (0, 0, 0);
            loop {
                let Progress { read, written, status } =
                    self.step(&src[at..], &mut buffer[len..], last);
                at += read;
                len += written;
                match status {
                    Status::InputEmpty => {
                        append_text(dst, buffer, len, 0);
                        return Ok(());
                    }
                    Status::OutputFull => {
                        append_text(
                            dst,
                            buffer,
                            len,
                            len_of_rest(len, at - flushed_at, src.len() - at),
                        );
                        (len, flushed_at) = (0, at);
                    }
                    Status::Error((malformed, _)) if replaces(malformed) => {
                        let replacement = "\u{FFFD}".as_bytes();
                        if buffer.len() - len < replacement.len() {
                            append_text(dst, buffer, len, src.len() - at);
                            (len, flushed_at) = (0, at);
                        }
                        buffer[len..len + replacement.len()].copy_from_slice(replacement);
                        len += replacement.len();
                    }
                    Status::Error((malformed, event)) => {
                        append_text(dst, buffer, len, 0);
                        let offset = self.offset - malformed.resume_len as u64;
                        let encoding = self.encoding.name();
                        let len = malformed.len;
                        return Err(MalformedError { offset, len, read: at, event, encoding });
                    }
                }
            }
        })
    }

    /// Decodes `src` to UTF-8 in `dst`. `last` means that no input follows. Returns why it returned, the
    /// number of bytes read from `src` and the number of bytes written to `dst`, which are valid UTF-8.
    ///
    /// ```
    /// use charpipe::{CoderResult, UTF_16LE};
    ///
    /// let (mut decoder, mut buffer) = (UTF_16LE.new_decoder(), [0; 64]);
    /// let (result, read, written) = decoder.decode_to_utf8(b"h\0\xE9\0", &mut buffer, true);
    /// assert_eq!((result, read, &buffer[..written]), (CoderResult::InputEmpty, 4, "hé".as_bytes()));
    /// ```
    pub fn decode_to_utf8(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        last: bool,
    ) -> (CoderResult, usize, usize) {
        let Progress { read, written, status } = self.step(src, dst, last);
        let result = match status {
            Status::InputEmpty => CoderResult::InputEmpty,
            Status::OutputFull => CoderResult::OutputFull,
            Status::Error((malformed, _)) => CoderResult::Malformed(malformed.len),
        };
        (result, read, written)
    }

    /// Decodes the pending bytes and `src` until all is read, the output is full or a sequence is
    /// malformed. A malformed sequence is read.
    fn step(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        last: bool,
    ) -> Progress<(Malformed, ErrorEvent)> {
        let (mut at, mut written) = (0, 0);
        loop {
            // Pending bytes are decoded together with new ones, until they are used up.
            let pending_len = self.pending.len();
            let added = if pending_len == 0 { 0 } else { (src.len() - at).min(PENDING_STEP) };
            self.pending.extend_from_slice(&src[at..at + added]);
            let input = if pending_len == 0 { &src[at..] } else { &self.pending[..] };
            let is_last = last && (pending_len == 0 || at + added == src.len());
            let codec = self.codec.get();
            let progress = codec.decode(input, &mut dst[written..], is_last);
            written += progress.written;
            let mut consumed = progress.read;
            let mut error = None;
            if let Status::Error(malformed) = progress.status {
                let is_ascii = self.encoding.factory.counts_source_lines();
                error =
                    Some((malformed, ErrorEvent::stopped(malformed, &input[consumed..], is_ascii)));
                codec.restore_state(malformed.resume_state);
                consumed += malformed.resume_len;
            }
            self.offset += consumed as u64;
            if consumed >= pending_len {
                at += consumed - pending_len;
                self.pending.clear();
            } else if progress.status == Status::InputEmpty {
                at += added;
                self.pending.drain(..consumed);
            } else {
                self.pending.truncate(pending_len);
                self.pending.drain(..consumed);
            }
            match (error, progress.status) {
                (Some(error), _) => return Progress::error(at, written, error),
                (None, Status::OutputFull) => return Progress::output_full(at, written),
                _ if pending_len == 0 => {
                    // What is left begins a sequence.
                    self.pending.extend_from_slice(&src[at..]);
                    return Progress::input_empty(src.len(), written);
                }
                _ if at == src.len() => return Progress::input_empty(at, written),
                _ => {}
            }
        }
    }
}

/// Appends the first `len` bytes of `buffer` to `dst`, and reserves space for as many bytes more.
///
/// A decoder writes only whole characters.
fn append_text(dst: &mut String, buffer: &mut [u8], len: usize, more: usize) {
    if more > 0 {
        dst.reserve(len + more);
    }
    match validate(buffer, len) {
        Some(text) => dst.push_str(text),
        None => dst.push_str(&String::from_utf8_lossy(&buffer[..len])),
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("encoding", &self.encoding.name()).finish_non_exhaustive()
    }
}

impl fmt::Display for MalformedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.event.display(self.encoding, "UTF-8"))
    }
}

impl std::error::Error for MalformedError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes `input` in parts of `size` bytes.
    fn decode_in_parts(encoding: &'static Encoding, input: &[u8], size: usize) -> (String, bool) {
        let (mut decoder, mut text, mut had_errors) =
            (encoding.new_decoder(), String::new(), false);
        for part in input.chunks(size) {
            had_errors |= decoder.decode(part, &mut text, false);
        }
        had_errors |= decoder.decode(b"", &mut text, true);
        (text, had_errors)
    }

    const INPUTS: [&[u8]; 6] = [
        b"plain",
        b"caf\xC3\xA9 \xE2\x82\xAC \xE9 end",
        b"\xE2\x82\xE2\x82\xACa\xF0\x9F\x98",
        b"+AGEAYg- +2D3eAA- +!",
        b"\x1B$B$\"$$\x1B(B a\x1B$B\xFF",
        b"\x81\x30\x81\x30\xFE\x30\x81\xA3\xA0",
    ];

    #[test]
    fn result_does_not_depend_on_the_parts() {
        for encoding in Encoding::all() {
            for input in INPUTS {
                let whole = encoding.decode(input);
                for size in 1..=input.len() {
                    let (text, had_errors) = decode_in_parts(encoding, input, size);
                    assert_eq!((text.as_str(), had_errors), (&*whole.0, whole.1), "{encoding:?}");
                }
            }
        }
    }

    #[test]
    fn a_buffer_of_the_minimum_length_always_allows_progress() {
        let mut buffer = [0; Decoder::MIN_OUTPUT_LEN];
        for encoding in Encoding::all() {
            for input in INPUTS {
                let (mut decoder, mut text, mut at) = (encoding.new_decoder(), Vec::new(), 0);
                for _ in 0..100 {
                    let end = input.len().min(at + 3);
                    let last = end == input.len();
                    let (result, read, written) =
                        decoder.decode_to_utf8(&input[at..end], &mut buffer, last);
                    text.extend_from_slice(&buffer[..written]);
                    at += read;
                    match result {
                        CoderResult::InputEmpty if last => break,
                        CoderResult::Malformed(_) => text.extend("\u{FFFD}".bytes()),
                        CoderResult::InputEmpty | CoderResult::OutputFull => {}
                        CoderResult::Unmappable(_) => unreachable!("a decoder encodes nothing"),
                    }
                }
                assert_eq!(String::from_utf8(text).unwrap(), encoding.decode(input).0);
            }
        }
    }

    #[test]
    fn errors_have_the_offset_in_the_whole_input() {
        let (mut decoder, mut text) = (crate::UTF_8.new_decoder(), String::new());
        assert!(decoder.decode_strict(b"ab\xE2\x82", &mut text, false).is_ok());
        let error = decoder.decode_strict(b"cd", &mut text, false).unwrap_err();
        assert_eq!((error.offset, error.len, error.read), (2, 2, 0));
        assert_eq!(
            error.to_string(),
            "byte 2: invalid UTF-8 sequence E2 82 (followed by 63; continuation byte expected)"
        );
        assert!(decoder.decode_strict(b"cd", &mut text, true).is_ok());
        assert_eq!(text, "abcd");
    }
}
