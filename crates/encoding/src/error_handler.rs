//! Error handling in bulk, inside one call of a codec.
//!
//! A codec returns at each error, which is slow for input that consists of errors. If the caller
//! would do the same for each of them, the loops here write the replacement and continue. The codec
//! still decides what is an error, and the [`ErrorHandler`] what to write for it.

use crate::codec::{DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{ActionTaken, ErrorClass, Malformed, MalformedReason, Unmappable};
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::utf8::floor_char_boundary;
use charpipe_kernel::utf8_replace::{self, MAX_REPLACEMENT_LEN, Replaced};

/// The maximum number of bytes between two errors that are frequent.
const MAX_FREQUENT_GAP: usize = 32;

/// The number of bytes that a codec receives after an error, if errors are frequent: it converts so few
/// one character at a time, without the fixed cost of a kernel.
const NEAR_LEN: usize = 64;

/// The highest maximum lookahead of a codec that can convert so few bytes.
const MAX_NEAR_LOOKAHEAD: usize = 16;

/// Provides the replacements for errors, and counts the errors.
pub trait ErrorHandler {
    /// Determines the replacement for a malformed sequence. Returns the action taken, or `None` if the caller
    /// must handle the error.
    fn on_malformed(&mut self, bytes: &[u8], reason: MalformedReason) -> Option<ActionTaken>;

    /// Determines the replacement for a character. Returns the action taken, or `None` if the caller must
    /// handle the error.
    fn on_unmappable(&mut self, error: Unmappable) -> Option<ActionTaken>;

    /// Returns the replacement that was determined last.
    fn replacement(&self) -> &str;

    /// Returns the text to write for an unmappable character of a replacement.
    fn default_replacement(&self) -> &str;

    /// Returns whether the replacement and the action are the same for all errors of this class.
    fn is_constant(&self) -> bool;

    /// Adds `count` errors of a class for which the replacement was written.
    fn add_count(&mut self, class: ErrorClass, action_taken: ActionTaken, count: usize);

    /// Returns the recent replacements, which are kept between calls.
    fn cache(&mut self) -> &mut Option<Box<ReplacementCache>>;
}

/// Returns the number of bytes that a codec receives while errors are frequent.
#[inline]
fn near_len(max_lookahead: usize) -> usize {
    if max_lookahead <= MAX_NEAR_LOOKAHEAD { NEAR_LEN } else { usize::MAX }
}

/// Implements [`DecodeStage::decode_with_handler`] with statically dispatched calls.
#[inline]
pub(crate) fn decode_with_handler<D: DecodeStage + ?Sized>(
    decoder: &mut D,
    src: &[u8],
    dst: &mut [u8],
    end: bool,
    handler: &mut dyn ErrorHandler,
) -> Progress<Malformed> {
    let (mut read, mut written, mut max_len) = (0, 0, usize::MAX);
    let near_len = near_len(decoder.max_lookahead());
    let mut errors = Replacements::new(handler);
    loop {
        let rest = &src[read..];
        let part = &rest[..rest.len().min(max_len)];
        let is_whole = part.len() == rest.len();
        let progress = decoder.decode(part, &mut dst[written..], end && is_whole);
        read += progress.read;
        written += progress.written;
        let error = match progress.status {
            Status::Error(error) => error,
            Status::InputEmpty if !is_whole => {
                max_len = max_len.saturating_mul(4);
                continue;
            }
            status => return Progress { read, written, status },
        };
        let (rest, output) = (&src[read..], &mut dst[written..]);
        let len = match errors.malformed(&rest[..error.len.min(rest.len())], error.reason, output) {
            Ok(len) => len,
            // A larger output buffer may have space for the replacement.
            Err(Unhandled::NoSpace) if written > 0 => return Progress::output_full(read, written),
            Err(_) => return Progress::error(read, written, error),
        };
        let count = run_length(decoder, error, rest, || max_repeats(len, output));
        errors.repeat_last(count - 1);
        written += fill_repeated(output, len, count);
        read += count * error.resume_len;
        decoder.restore_state(error.resume_state);
        if progress.read >= MAX_FREQUENT_GAP {
            max_len = usize::MAX;
            continue;
        }
        max_len = near_len;
        if count == 1 {
            let done = decoder.decode_replacing(&src[read..], &mut dst[written..], &mut errors);
            read += done.0;
            written += done.1;
        }
    }
}

/// Returns how many replacements of `len` bytes fit into `output`.
#[inline]
fn max_repeats(len: usize, output: &[u8]) -> usize {
    output.len().checked_div(len).unwrap_or(usize::MAX)
}

/// Returns how many times the malformed sequence at the start of `src` is repeated, at most `max()`.
#[inline]
fn run_length<D: DecodeStage + ?Sized>(
    decoder: &D,
    error: Malformed,
    src: &[u8],
    max: impl FnOnce() -> usize,
) -> usize {
    // Comparing one byte avoids the call for most errors.
    if error.resume_len != error.len || src.get(error.len) != src.first() {
        return 1;
    }
    let max_len = max().saturating_mul(error.len);
    decoder.repeat_count(&src[..src.len().min(max_len)], error)
}

/// Implements [`EncodeStage::encode_with_handler`] with statically dispatched calls.
#[inline]
pub(crate) fn encode_with_handler<E: EncodeStage + ?Sized>(
    encoder: &mut E,
    src: &str,
    dst: &mut [u8],
    end: bool,
    handler: &mut dyn ErrorHandler,
) -> Progress<Unmappable> {
    let (mut read, mut written, mut max_len) = (0, 0, usize::MAX);
    let near_len = near_len(encoder.max_lookahead());
    let mut errors = Replacements::new(handler);
    loop {
        let rest = &src[read..];
        let part = &rest[..floor_char_boundary(rest, max_len)];
        let is_whole = part.len() == rest.len();
        let progress = encoder.encode(part, &mut dst[written..], end && is_whole);
        read += progress.read;
        written += progress.written;
        let error = match progress.status {
            Status::Error(error) => error,
            Status::InputEmpty if !is_whole => {
                max_len = max_len.saturating_mul(4);
                continue;
            }
            status => return Progress { read, written, status },
        };
        let Some(len) = errors.encode_unmappable(encoder, error, &mut dst[written..]) else {
            return Progress::error(read, written, error);
        };
        read += error.character.len_utf8();
        written += len;
        max_len = usize::MAX;
        if progress.read < MAX_FREQUENT_GAP {
            max_len = near_len;
            if errors.shift().is_some() {
                let done = encoder.encode_replacing(&src[read..], &mut dst[written..], &mut errors);
                read += done.0;
                written += done.1;
            }
        }
    }
}

/// Encodes the replacement. Returns the number of bytes written, or `None` and the old state if it
/// does not fit or the encoder buffers a part of it.
fn encode_replacement<E: EncodeStage + ?Sized>(
    encoder: &mut E,
    handler: &dyn ErrorHandler,
    output: &mut [u8],
) -> Option<usize> {
    let before = encoder.save_state();
    let (text, default) = (handler.replacement(), handler.default_replacement());
    let written = encode_replacement_lossy(encoder, text, default, output);
    if written.is_none() {
        encoder.restore_state(before);
    }
    written
}

/// Encodes `text`, and `default_replacement` for each unmappable character of it.
fn encode_replacement_lossy<E: EncodeStage + ?Sized>(
    encoder: &mut E,
    mut text: &str,
    default_replacement: &str,
    output: &mut [u8],
) -> Option<usize> {
    let mut written = 0;
    while !text.is_empty() {
        let progress = encoder.encode(text, &mut output[written..], false);
        text = &text[progress.read..];
        written += progress.written;
        match progress.status {
            Status::Error(error) => {
                text = &text[error.character.len_utf8()..];
                let replacement_progress =
                    encoder.encode(default_replacement, &mut output[written..], false);
                written += replacement_progress.written;
                if replacement_progress.read < default_replacement.len() {
                    return None;
                }
            }
            _ if text.is_empty() => {}
            Status::InputEmpty | Status::OutputFull => return None,
        }
    }
    Some(written)
}

/// The number of characters without errors after which errors are no longer frequent.
pub(crate) const MAX_CLEAN_CHARACTERS: usize = 64;

/// The output space for one character.
pub(crate) type CharacterSpace = [u8; SHORT_LEN];

/// Implements [`DecodeStage::decode_replacing`] with a function that decodes the first character of a window
/// and returns the number of bytes read and written, or else the length of the malformed sequence and the
/// reason; `None` to stop.
#[inline(always)]
pub(crate) fn replace_malformed<const WINDOW: usize>(
    src: &[u8],
    dst: &mut [u8],
    errors: &mut Replacements<'_>,
    mut decode: impl FnMut(
        &[u8; WINDOW],
        &mut CharacterSpace,
    ) -> Option<Result<(usize, usize), (usize, MalformedReason)>>,
) -> (usize, usize) {
    let (mut read, mut written, mut clean_characters) = (0, 0, 0);
    let constant = errors.constant.filter(|constant| constant.class == ErrorClass::Malformed);
    let FewBytes { bytes: replacement, len: replacement_len } =
        constant.map_or(FewBytes::default(), |constant| constant.bytes);
    let mut replaced = RunCount { kind: constant.map_or(0, |constant| constant.kind), errors: 0 };
    while let (Some(window), Some(space)) =
        (src[read..].first_chunk(), dst[written..].first_chunk_mut())
    {
        let (len, len_written) = match decode(window, space) {
            Some(Ok(lengths)) => {
                clean_characters += 1;
                lengths
            }
            Some(Err((len, reason)))
                if constant.is_some() && reason.class() == ErrorClass::Malformed =>
            {
                *space = replacement;
                replaced.errors += 1;
                clean_characters = 0;
                (len, replacement_len)
            }
            Some(Err((len, reason))) => {
                let bytes = &window[..len.min(WINDOW)];
                let Ok(len_written) = errors.malformed(bytes, reason, &mut dst[written..]) else {
                    break;
                };
                clean_characters = 0;
                (len, len_written)
            }
            None => break,
        };
        read += len;
        written += len_written;
        if clean_characters == MAX_CLEAN_CHARACTERS {
            break;
        }
    }
    errors.add_run(replaced);
    (read, written)
}

/// The code of a character.
pub(crate) enum CharacterCode {
    /// The bytes, and their number.
    Bytes([u8; 4], usize),
    /// It is unmappable, whatever follows.
    None,
    /// It depends on what follows, or is too long.
    Unknown,
}

/// Implements [`EncodeStage::encode_replacing`] with a function that returns the code of a character, given
/// the text from it on.
#[inline(always)]
pub(crate) fn replace_unmappable(
    src: &str,
    dst: &mut [u8],
    errors: &mut Replacements<'_>,
    mut code_of: impl FnMut(char, &str) -> CharacterCode,
) -> (usize, usize) {
    let (mut read, mut written, mut clean_characters) = (0, 0, 0);
    let mut count = RunCount::default();
    let mut characters = src.chars();
    loop {
        let text = characters.as_str();
        let (Some(character), Some(space)) =
            (characters.next(), dst[written..].first_chunk_mut::<4>())
        else {
            break;
        };
        match code_of(character, text) {
            CharacterCode::Bytes(bytes, len) => {
                *space = bytes;
                written += len;
                clean_characters += 1;
            }
            CharacterCode::None => {
                let error = Unmappable::new(character);
                let Some((len, kind)) = errors.encoded(error, &mut dst[written..]) else { break };
                errors.count_in(&mut count, kind);
                written += len;
                clean_characters = 0;
            }
            CharacterCode::Unknown => break,
        }
        read += character.len_utf8();
        if clean_characters == MAX_CLEAN_CHARACTERS {
            break;
        }
    }
    errors.add_run(count);
    (read, written)
}

/// The replacements for errors in one call of a codec, and the numbers of errors.
#[allow(missing_debug_implementations, reason = "the handler has no representation as text")]
pub struct Replacements<'a> {
    handler: &'a mut dyn ErrorHandler,
    /// The replacement for all errors of a class.
    constant: Option<ConstantReplacement>,
    cache: Option<Box<ReplacementCache>>,
    /// The numbers of errors that the handler has not counted yet, by class and action.
    counts: [usize; CLASSES.len() * ACTIONS.len()],
    /// The class and the action of the last error.
    last_kind: CountIndex,
}

/// The index of the number of errors of a class with an action.
pub(crate) type CountIndex = u8;

const fn count_index(class: ErrorClass, action_taken: ActionTaken) -> CountIndex {
    class as u8 * ACTIONS.len() as u8 + action_taken as u8
}

const CLASSES: [ErrorClass; 3] =
    [ErrorClass::Malformed, ErrorClass::Truncated, ErrorClass::Unmappable];

const ACTIONS: [ActionTaken; 6] = [
    ActionTaken::Stopped,
    ActionTaken::Skipped,
    ActionTaken::Replaced,
    ActionTaken::PassedThrough,
    ActionTaken::Transliterated,
    ActionTaken::Escaped,
];

/// The number of errors of a kind that were replaced one after another, which a loop keeps in registers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunCount {
    kind: CountIndex,
    errors: usize,
}

/// Why an error has not been handled.
pub(crate) enum Unhandled {
    /// The caller must handle it.
    ByCaller,
    /// The output has no space for the replacement.
    NoSpace,
}

/// The replacement for all errors of a class.
#[derive(Debug, Clone, Copy)]
struct ConstantReplacement {
    class: ErrorClass,
    kind: CountIndex,
    bytes: FewBytes,
    shift: EncoderShift,
}

/// The states of an encoder before and after a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct EncoderShift {
    pub before: State,
    pub after: State,
}

/// Recent replacements: of malformed sequences as text, and of characters in the target encoding.
#[derive(Debug)]
pub struct ReplacementCache {
    /// The replacement of an error is at the index of the lowest bits of its key.
    entries: Vec<CachedReplacement>,
    /// The states of the encoder around each replacement of a character.
    shift: EncoderShift,
    /// The number of replacements that were not kept because of other states.
    other_shifts: usize,
}

/// The number of replacements that are kept, a power of two: those of the characters of a language, in 128 KiB.
const CACHE_LEN: usize = 4096;

/// The number of replacements for other states of the encoder after which those are kept.
const MAX_OTHER_SHIFTS: usize = 64;

/// The maximum length of a replacement that is kept.
const MAX_CACHED_LEN: usize = 22;

#[derive(Debug, Clone, Copy)]
struct CachedReplacement {
    key: u64,
    kind: CountIndex,
    len: u8,
    bytes: [u8; MAX_CACHED_LEN],
}

/// The key of no error.
const NO_KEY: u64 = u64::MAX;

/// Returns the key of a malformed sequence in a cache, or `None` if its replacement is not kept.
#[inline(always)]
fn key_of_bytes(bytes: &[u8], class: ErrorClass) -> Option<u64> {
    // Above all code points.
    let key = match *bytes {
        [a] => 1 << 32 | u64::from(a),
        [a, b] => 2 << 32 | u64::from(u16::from_be_bytes([a, b])),
        [a, b, c] => 3 << 32 | u64::from(u32::from_be_bytes([0, a, b, c])),
        [a, b, c, d] => 4 << 32 | u64::from(u32::from_be_bytes([a, b, c, d])),
        _ => return None,
    };
    (class == ErrorClass::Malformed).then_some(key)
}

impl ReplacementCache {
    fn new(shift: EncoderShift) -> Box<ReplacementCache> {
        let none = CachedReplacement { key: NO_KEY, kind: 0, len: 0, bytes: [0; MAX_CACHED_LEN] };
        Box::new(ReplacementCache { entries: vec![none; CACHE_LEN], shift, other_shifts: 0 })
    }

    /// Returns the replacement with this key.
    #[inline(always)]
    fn get(&self, key: u64) -> Option<&CachedReplacement> {
        self.entries.get(key as usize % CACHE_LEN).filter(|entry| entry.key == key)
    }

    /// Returns whether replacements of characters are for these states of the encoder. If many are not, others
    /// are kept from now on.
    fn is_for(&mut self, shift: Option<EncoderShift>) -> bool {
        let Some(shift) = shift.filter(|shift| *shift != self.shift) else { return true };
        self.other_shifts += 1;
        let is_frequent = self.other_shifts % MAX_OTHER_SHIFTS == 0;
        if is_frequent {
            self.shift = shift;
            self.entries.iter_mut().for_each(|entry| entry.key = NO_KEY);
        }
        is_frequent
    }

    fn insert(&mut self, key: u64, kind: CountIndex, replacement: &[u8]) {
        let mut bytes = [0; MAX_CACHED_LEN];
        let Some(prefix) = bytes.get_mut(..replacement.len()) else { return };
        prefix.copy_from_slice(replacement);
        let entry = CachedReplacement { key, kind, len: replacement.len() as u8, bytes };
        self.entries[key as usize % CACHE_LEN] = entry;
    }
}

impl<'a> Replacements<'a> {
    /// Returns the replacements of a handler.
    pub fn new(handler: &'a mut dyn ErrorHandler) -> Replacements<'a> {
        Replacements {
            cache: handler.cache().take(),
            handler,
            constant: None,
            counts: [0; CLASSES.len() * ACTIONS.len()],
            last_kind: 0,
        }
    }

    /// Returns the replacement for all errors of a class, if it is short.
    #[inline]
    pub(crate) fn constant(&self, class: ErrorClass) -> Option<FewBytes> {
        self.constant.filter(|constant| constant.class == class).map(|constant| constant.bytes)
    }

    /// Counts the errors that were replaced with a constant replacement. Returns the numbers of bytes read and
    /// written.
    pub(crate) fn add_replaced(&mut self, class: ErrorClass, done: Replaced) -> (usize, usize) {
        if let Some(constant) = self.constant.filter(|constant| constant.class == class) {
            self.counts[usize::from(constant.kind)] += done.errors;
        }
        (done.read, done.written)
    }

    /// Copies the bytes of `set`, and writes the replacement for each byte that is not ASCII, if it is the same
    /// for all. Returns the numbers of bytes read and written, which may end early.
    pub(crate) fn replace_non_ascii(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        set: &AsciiByteSet,
    ) -> (usize, usize) {
        match self.constant(ErrorClass::Malformed) {
            Some(FewBytes { bytes, len }) => {
                let done = utf8_replace::replace_non_ascii(src, dst, set, bytes, len);
                self.add_replaced(ErrorClass::Malformed, done)
            }
            None => (0, 0),
        }
    }

    #[inline(always)]
    fn count(&mut self, kind: CountIndex) {
        self.counts[usize::from(kind)] += 1;
        self.last_kind = kind;
    }

    /// Counts more errors like the last one.
    fn repeat_last(&mut self, count: usize) {
        self.counts[usize::from(self.last_kind)] += count;
    }

    /// Writes the replacement for a malformed sequence, and counts it. Returns the number of bytes written.
    #[inline(always)]
    pub(crate) fn malformed(
        &mut self,
        bytes: &[u8],
        reason: MalformedReason,
        output: &mut [u8],
    ) -> Result<usize, Unhandled> {
        let class = reason.class();
        if let Some(constant) = self.constant.filter(|constant| constant.class == class) {
            let len = constant.bytes.write(output).ok_or(Unhandled::NoSpace)?;
            self.count(constant.kind);
            return Ok(len);
        }
        let cache = self.cache.as_ref().zip(key_of_bytes(bytes, class));
        match (cache.and_then(|(cache, key)| cache.get(key)), output.first_chunk_mut()) {
            (Some(entry), Some(space)) => {
                *space = entry.bytes;
                let (len, kind) = (usize::from(entry.len), entry.kind);
                self.count(kind);
                Ok(len)
            }
            _ => self.find_malformed(bytes, reason, output),
        }
    }

    #[inline(never)]
    fn find_malformed(
        &mut self,
        bytes: &[u8],
        reason: MalformedReason,
        output: &mut [u8],
    ) -> Result<usize, Unhandled> {
        let class = reason.class();
        let action_taken = self.handler.on_malformed(bytes, reason).ok_or(Unhandled::ByCaller)?;
        let text = self.handler.replacement().as_bytes();
        let len = write_bytes(text, output).ok_or(Unhandled::NoSpace)?;
        self.count(count_index(class, action_taken));
        self.keep(key_of_bytes(bytes, class), class, None, &output[..len]);
        Ok(len)
    }

    /// Counts an error in a run, after the errors of other kinds in it.
    #[inline(always)]
    pub(crate) fn count_in(&mut self, run: &mut RunCount, kind: CountIndex) {
        if run.kind != kind {
            self.add_run(*run);
            *run = RunCount { kind, errors: 0 };
        }
        run.errors += 1;
    }

    /// Counts the errors of a run.
    pub(crate) fn add_run(&mut self, run: RunCount) {
        self.counts[usize::from(run.kind)] += run.errors;
    }

    /// Writes the encoded replacement for a character, if it is known. Returns the number of bytes written, and
    /// what the caller has to count.
    #[inline(always)]
    pub(crate) fn encoded(
        &self,
        error: Unmappable,
        output: &mut [u8],
    ) -> Option<(usize, CountIndex)> {
        if let Some(constant) = &self.constant {
            return Some((constant.bytes.write(output)?, constant.kind));
        }
        let entry = self.cache.as_ref()?.get(key_of_character(error)?)?;
        *output.first_chunk_mut()? = entry.bytes;
        Some((usize::from(entry.len), entry.kind))
    }

    /// Returns the states of the encoder around the replacements that are known.
    pub(crate) fn shift(&self) -> Option<EncoderShift> {
        match self.constant {
            Some(constant) => Some(constant.shift),
            None => self.cache.as_ref().map(|cache| cache.shift),
        }
    }

    /// Writes the encoded replacement for a character, and counts it. Returns the number of bytes written, or
    /// `None` if the caller must handle the error.
    #[inline]
    fn encode_unmappable<E: EncodeStage + ?Sized>(
        &mut self,
        encoder: &mut E,
        error: Unmappable,
        output: &mut [u8],
    ) -> Option<usize> {
        let before = encoder.save_state();
        if let Some(shift) = self.shift().filter(|shift| shift.before == before) {
            if let Some((len, kind)) = self.encoded(error, output) {
                self.count(kind);
                if shift.after != before {
                    encoder.restore_state(shift.after);
                }
                return Some(len);
            }
        }
        let action_taken = self.handler.on_unmappable(error)?;
        let len = encode_replacement(encoder, self.handler, output)?;
        let class = ErrorClass::Unmappable;
        self.count(count_index(class, action_taken));
        let shift = EncoderShift { before, after: encoder.save_state() };
        self.keep(key_of_character(error), class, Some(shift), &output[..len]);
        Some(len)
    }

    /// Keeps the replacement of the last error, as it was written.
    fn keep(
        &mut self,
        key: Option<u64>,
        class: ErrorClass,
        shift: Option<EncoderShift>,
        written: &[u8],
    ) {
        if self.handler.is_constant() {
            let shift = shift.unwrap_or_default();
            self.constant = FewBytes::new(written).map(|bytes| ConstantReplacement {
                class,
                kind: self.last_kind,
                bytes,
                shift,
            });
            return;
        }
        self.constant = None;
        let Some(key) = key else { return };
        let cache =
            self.cache.get_or_insert_with(|| ReplacementCache::new(shift.unwrap_or_default()));
        if cache.is_for(shift) {
            cache.insert(key, self.last_kind, written);
        }
    }
}

/// Returns the key of a character in a cache, or `None` if its replacement is not kept.
#[inline(always)]
fn key_of_character(error: Unmappable) -> Option<u64> {
    (!error.is_escape_forbidden).then_some(u64::from(error.character))
}

impl Drop for Replacements<'_> {
    fn drop(&mut self) {
        *self.handler.cache() = self.cache.take();
        for class in CLASSES {
            for action_taken in ACTIONS {
                let count = self.counts[usize::from(count_index(class, action_taken))];
                if count > 0 {
                    self.handler.add_count(class, action_taken, count);
                }
            }
        }
    }
}
/// The maximum length of [`FewBytes`]: what a single store writes.
const SHORT_LEN: usize = MAX_REPLACEMENT_LEN;

/// A short byte string that is written repeatedly.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FewBytes {
    /// The bytes, followed by zeros.
    pub(crate) bytes: [u8; SHORT_LEN],
    /// The number of bytes, at most 8.
    pub(crate) len: usize,
}

impl FewBytes {
    /// Returns a copy of `short`, or `None` if it is longer than 8 bytes.
    pub(crate) fn new(short: &[u8]) -> Option<FewBytes> {
        let mut bytes = [0; SHORT_LEN];
        bytes.get_mut(..short.len())?.copy_from_slice(short);
        Some(FewBytes { bytes, len: short.len() })
    }

    /// Writes the bytes. Returns their number, or `None` if they do not fit.
    #[inline]
    pub(crate) fn write(&self, output: &mut [u8]) -> Option<usize> {
        match output.first_chunk_mut() {
            // Bytes after the end of the output are unspecified, and a constant length is faster.
            Some(space) => {
                *space = self.bytes;
                Some(self.len)
            }
            None => write_bytes(&self.bytes[..self.len], output),
        }
    }
}

fn write_bytes(bytes: &[u8], output: &mut [u8]) -> Option<usize> {
    output.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}

/// Repeats the first `len` bytes of `output` until they occur `count` times. Returns the number of
/// bytes written.
#[inline]
fn fill_repeated(output: &mut [u8], len: usize, count: usize) -> usize {
    if count == 1 {
        return len;
    }
    let (all, mut done) = (count * len, len);
    while done < all {
        let more = done.min(all - done);
        output.copy_within(..more, done);
        done += more;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Checkpoint;

    /// Encodes ASCII, and counts the bytes that it receives in each call.
    #[derive(Default)]
    struct CallLog(Vec<usize>);

    impl Checkpoint for CallLog {
        fn max_lookahead(&self) -> usize {
            4
        }
    }

    impl EncodeStage for CallLog {
        fn encode(&mut self, src: &str, dst: &mut [u8], _: bool) -> Progress<Unmappable> {
            self.0.push(src.len());
            let len = src.bytes().take_while(u8::is_ascii).count();
            dst[..len].copy_from_slice(&src.as_bytes()[..len]);
            match src[len..].chars().next() {
                Some(character) => Progress::error(len, len, Unmappable::new(character)),
                None => Progress::input_empty(len, len),
            }
        }
    }

    /// Skips all errors.
    #[derive(Default)]
    struct Skip(Option<Box<ReplacementCache>>);

    impl ErrorHandler for Skip {
        fn on_malformed(&mut self, _: &[u8], _: MalformedReason) -> Option<ActionTaken> {
            Some(ActionTaken::Skipped)
        }

        fn on_unmappable(&mut self, _: Unmappable) -> Option<ActionTaken> {
            Some(ActionTaken::Skipped)
        }

        fn replacement(&self) -> &'static str {
            ""
        }

        fn default_replacement(&self) -> &'static str {
            "?"
        }

        fn is_constant(&self) -> bool {
            true
        }

        fn add_count(&mut self, _: ErrorClass, _: ActionTaken, _: usize) {}

        fn cache(&mut self) -> &mut Option<Box<ReplacementCache>> {
            &mut self.0
        }
    }

    #[test]
    fn an_encoder_receives_few_bytes_only_after_frequent_errors() {
        let (gap, rest) = ("a".repeat(100), "b".repeat(1000));
        for (text, calls) in [
            // The first error comes at once, the second one after a gap.
            (format!("é{gap}é{rest}"), vec![1104, NEAR_LEN, 4 * NEAR_LEN, 1000]),
            (format!("{gap}é{gap}é{rest}"), vec![1204, 1102, 1000]),
        ] {
            let (mut encoder, mut dst) = (CallLog::default(), vec![0; text.len()]);
            let progress =
                encode_with_handler(&mut encoder, &text, &mut dst, true, &mut Skip::default());
            assert_eq!((progress.read, progress.status), (text.len(), Status::InputEmpty));
            assert_eq!(&dst[..progress.written], text.replace('é', "").as_bytes());
            assert_eq!(encoder.0, calls);
        }
    }
}
