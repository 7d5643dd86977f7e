//! A streaming encoder with an output buffer or a `Vec` of the caller.

use std::fmt;

use crate::codec::{self, EncodeStage, Progress, State, Status};
use crate::codec_cache::KeptCodec;
use crate::coder_result::CoderResult;
use crate::conversion_error::Unmappable;
use crate::encoding::Encoding;
use crate::short_text::{bytes_len, len_of_rest, with_buffer};
use charpipe_kernel::utf8::floor_char_boundary;

/// The maximum number of bytes of text that are encoded together with pending ones, at a time.
const PENDING_STEP: usize = 64;

/// A character that is not in the target encoding, found by [`Encoder::encode_strict`].
///
/// ```
/// let mut encoder = charpipe::KOI8_R.new_encoder();
/// let error = encoder.encode_strict("да é", &mut Vec::new(), true).unwrap_err();
/// assert_eq!((error.character, error.offset), ('é', 5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmappableError {
    /// The character.
    pub character: char,
    /// Its offset in the whole text, in bytes.
    pub offset: u64,
    /// The number of bytes of this call's text that have been read. To continue, pass the text after
    /// them.
    pub read: usize,
    pub(crate) encoding: &'static str,
    pub(crate) unmappable: Unmappable,
}

/// Encodes text that arrives in parts. [`Encoding::new_encoder`] returns one.
///
/// ```
/// let mut encoder = charpipe::ISO_2022_JP.new_encoder();
/// let mut bytes = Vec::new();
/// encoder.encode("日", &mut bytes, false);
/// encoder.encode("本", &mut bytes, true);
/// assert_eq!(bytes, b"\x1B$BF|K\\\x1B(B");
/// ```
pub struct Encoder {
    encoding: &'static Encoding,
    codec: KeptCodec<dyn EncodeStage>,
    /// The last characters, if their encoding depends on what follows.
    pending: String,
    /// The number of bytes of text encoded, without the pending ones.
    offset: u64,
    /// The replacement of unmappable characters, from the first one on.
    replacement: Option<&'static str>,
}

impl Encoder {
    /// The size of an output buffer, in bytes, that always allows
    /// [`encode_from_utf8`](Encoder::encode_from_utf8) to make progress.
    pub const MIN_OUTPUT_LEN: usize = 64;

    pub(crate) fn new(encoding: &'static Encoding) -> Encoder {
        let codec = KeptCodec::new(encoding);
        Encoder { encoding, codec, pending: String::new(), offset: 0, replacement: None }
    }

    /// Returns the encoding.
    ///
    /// ```
    /// assert_eq!(charpipe::BIG5.new_encoder().encoding(), charpipe::BIG5);
    /// ```
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Encodes `src` to the end of `dst`. An unmappable character is replaced by U+FFFD, by `?` if the
    /// encoding does not have that either. Returns whether there was one. `last` means that no text
    /// follows.
    ///
    /// ```
    /// let mut bytes = Vec::new();
    /// assert!(charpipe::ISO_8859_1.new_encoder().encode("3 € or £2", &mut bytes, true));
    /// assert_eq!(bytes, b"3 ? or \xA32");
    /// ```
    pub fn encode(&mut self, src: &str, dst: &mut Vec<u8>, last: bool) -> bool {
        let mut had_errors = false;
        // With `true` it returns no error.
        let _ = self.encode_to_vec(src, dst, last, |_| {
            had_errors = true;
            true
        });
        had_errors
    }

    /// Puts the replacement of an unmappable character before the text that is encoded next.
    fn prepend_replacement(&mut self) {
        let encoding = self.encoding;
        let find_replacement = || {
            let mut codec = KeptCodec::<dyn EncodeStage>::new(encoding);
            default_replacement(encoding, |text| first_unmappable(codec.get(), text).is_none())
        };
        let replacement = *self.replacement.get_or_insert_with(find_replacement);
        self.pending.insert_str(0, replacement);
        self.offset = self.offset.wrapping_sub(replacement.len() as u64);
    }

    /// Encodes `src` to the end of `dst`. `last` means that no text follows.
    ///
    /// ```
    /// let mut bytes = Vec::new();
    /// let mut encoder = charpipe::ISO_8859_1.new_encoder();
    /// let error = encoder.encode_strict("3 € or £2", &mut bytes, true).unwrap_err();
    /// assert_eq!((error.character, error.offset, error.read), ('€', 2, 5));
    /// assert_eq!(error.to_string(), "byte 2: U+20AC cannot be encoded in ISO-8859-1");
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`UnmappableError`] for the first unmappable character, after everything before it. The
    /// encoder can continue after it.
    #[doc(hidden)]
    pub fn encode_strict(
        &mut self,
        src: &str,
        dst: &mut Vec<u8>,
        last: bool,
    ) -> Result<(), UnmappableError> {
        self.encode_to_vec(src, dst, last, |_| false)
    }

    /// Encodes as [`encode_strict`](Encoder::encode_strict), but with a replacement for each unmappable character for
    /// which `replaces` returns true.
    fn encode_to_vec(
        &mut self,
        src: &str,
        dst: &mut Vec<u8>,
        last: bool,
        mut replaces: impl FnMut(Unmappable) -> bool,
    ) -> Result<(), UnmappableError> {
        let lookahead = self.codec.get().max_lookahead();
        let expected_len = self.pending.len() + bytes_len(src);
        with_buffer(expected_len.max(lookahead), |buffer| {
            let (mut at, mut len, mut flushed_at) = (0, 0, 0);
            loop {
                let Progress { read, written, status } =
                    self.step(&src[at..], &mut buffer[len..], last);
                at += read;
                len += written;
                match status {
                    Status::InputEmpty => {
                        dst.extend_from_slice(&buffer[..len]);
                        return Ok(());
                    }
                    Status::OutputFull => {
                        dst.reserve(len + len_of_rest(len, at - flushed_at, src.len() - at));
                        dst.extend_from_slice(&buffer[..len]);
                        (len, flushed_at) = (0, at);
                    }
                    Status::Error(unmappable) if replaces(unmappable) => self.prepend_replacement(),
                    Status::Error(unmappable) => {
                        dst.extend_from_slice(&buffer[..len]);
                        let character = unmappable.character;
                        let offset = self.offset - character.len_utf8() as u64;
                        let encoding = self.encoding.name();
                        return Err(UnmappableError {
                            character,
                            offset,
                            read: at,
                            encoding,
                            unmappable,
                        });
                    }
                }
            }
        })
    }

    /// Encodes `src` in `dst`. `last` means that no text follows. Returns why it returned, the number of
    /// bytes read from `src` and the number of bytes written to `dst`.
    ///
    /// ```
    /// use charpipe::{CoderResult, WINDOWS_1252};
    ///
    /// let (mut encoder, mut buffer) = (WINDOWS_1252.new_encoder(), [0; 64]);
    /// let (result, read, written) = encoder.encode_from_utf8("3 € or 日", &mut buffer, true);
    /// assert_eq!((result, read), (CoderResult::Unmappable('日'), 12));
    /// assert_eq!(&buffer[..written], b"3 \x80 or ");
    /// ```
    pub fn encode_from_utf8(
        &mut self,
        src: &str,
        dst: &mut [u8],
        last: bool,
    ) -> (CoderResult, usize, usize) {
        let Progress { read, written, status } = self.step(src, dst, last);
        let result = match status {
            Status::InputEmpty => CoderResult::InputEmpty,
            Status::OutputFull => CoderResult::OutputFull,
            Status::Error(error) => CoderResult::Unmappable(error.character),
        };
        (result, read, written)
    }

    /// Encodes the pending text and `src` until all is read, the output is full or a character is
    /// unmappable. An unmappable character is read.
    fn step(&mut self, src: &str, dst: &mut [u8], last: bool) -> Progress<Unmappable> {
        let (mut at, mut written) = (0, 0);
        loop {
            // Pending text is encoded together with new text, until it is used up.
            let pending_len = self.pending.len();
            let max = if pending_len == 0 { 0 } else { PENDING_STEP };
            let added = floor_char_boundary(&src[at..], max);
            self.pending.push_str(&src[at..at + added]);
            let input = if pending_len == 0 { &src[at..] } else { &self.pending[..] };
            let is_last = last && (pending_len == 0 || at + added == src.len());
            let progress = self.codec.get().encode(input, &mut dst[written..], is_last);
            written += progress.written;
            let mut consumed = progress.read;
            if let Status::Error(error) = progress.status {
                consumed += error.character.len_utf8();
            }
            self.offset = self.offset.wrapping_add(consumed as u64);
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
            match progress.status {
                Status::Error(error) => return Progress::error(at, written, error),
                Status::OutputFull => return Progress::output_full(at, written),
                Status::InputEmpty if pending_len == 0 => {
                    self.pending.push_str(&src[at..]);
                    return Progress::input_empty(src.len(), written);
                }
                Status::InputEmpty if at == src.len() => {
                    return Progress::input_empty(at, written);
                }
                Status::InputEmpty => {}
            }
        }
    }
}

/// Returns the first character of `text` that `encoder` cannot encode.
pub fn first_unmappable(encoder: &mut dyn codec::EncodeStage, mut text: &str) -> Option<char> {
    encoder.restore_state(State::INITIAL);
    let mut output = [0; 256];
    loop {
        let progress = encoder.encode(text, &mut output, false);
        text = &text[progress.read..];
        match progress.status {
            Status::Error(error) => return Some(error.character),
            Status::InputEmpty => return None,
            Status::OutputFull => {}
        }
    }
}

/// Returns the default replacement of unmappable characters: that of the encoding, or else the first of U+FFFD
/// and `?` that it has, or nothing. `has_all` returns whether all characters of a text can be encoded.
pub fn default_replacement(
    encoding: &Encoding,
    mut has_all: impl FnMut(&str) -> bool,
) -> &'static str {
    let default = encoding.factory.default_replacement();
    default
        .unwrap_or_else(|| ["\u{FFFD}", "?"].into_iter().find(|text| has_all(text)).unwrap_or(""))
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("encoding", &self.encoding.name()).finish_non_exhaustive()
    }
}

impl fmt::Display for UnmappableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnmappableError { character, offset, encoding, .. } = self;
        write!(f, "byte {offset}: U+{:04X} cannot be encoded in {encoding}", u32::from(*character))
    }
}

impl std::error::Error for UnmappableError {}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 5] = [
        "plain",
        "café € 日本 😀 end",
        "か\u{309A}か",
        "a\u{301}\u{323}ê\u{0301}",
        "~{+&\\u\u{FEFF}",
    ];

    #[test]
    fn result_does_not_depend_on_the_parts() {
        for encoding in Encoding::all() {
            for text in TEXTS {
                let whole = encoding.encode(text);
                let (mut encoder, mut bytes, mut had_errors) =
                    (encoding.new_encoder(), Vec::new(), false);
                for character in text.chars() {
                    had_errors |=
                        encoder.encode(character.encode_utf8(&mut [0; 4]), &mut bytes, false);
                }
                had_errors |= encoder.encode("", &mut bytes, true);
                assert_eq!((&bytes[..], had_errors), (&*whole.0, whole.1), "{encoding:?} {text}");
            }
        }
    }

    #[test]
    fn a_buffer_of_the_minimum_length_always_allows_progress() {
        let mut buffer = [0; Encoder::MIN_OUTPUT_LEN];
        for encoding in Encoding::all() {
            for text in TEXTS {
                let (mut encoder, mut at) = (encoding.new_encoder(), 0);
                for call in 0.. {
                    let (result, read, _) =
                        encoder.encode_from_utf8(&text[at..], &mut buffer, true);
                    at += read;
                    if result == CoderResult::InputEmpty {
                        break;
                    }
                    assert!(call < 100, "{encoding:?} {text}");
                }
                assert_eq!(at, text.len());
            }
        }
    }
}
