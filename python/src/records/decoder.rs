//! The decoder of a range of a file that arrives in blocks.

use std::io;

use charpipe::EncodingSpec;
use charpipe::internals::codec::{DecodeStage, State, Status};
use charpipe::internals::conversion_error::{Malformed, MalformedReason};

/// The length of the buffer between the decoder and the text, in bytes.
const BUFFER_LEN: usize = 64 * 1024;

/// The number of bytes that are decoded again at a time to find an offset.
const STEP: usize = 256;

/// U+FEFF and U+0085 in UTF-8.
const BOM: &[u8] = "\u{FEFF}".as_bytes();
const NEXT_LINE: &[u8] = "\u{85}".as_bytes();

/// U+FFFD in UTF-8.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// A malformed sequence in a file, for which U+FFFD was written.
pub struct MalformedSequence {
    /// The offset of the sequence in the file, in bytes.
    pub offset: u64,
    /// The number of bytes of the sequence.
    pub len: usize,
    /// The first bytes of the sequence.
    excerpt: [u8; 4],
    reason: MalformedReason,
    /// The offset of U+FFFD in the text, in bytes.
    pub text_offset: usize,
}

impl MalformedSequence {
    /// Returns a message for an encoding with this name.
    pub fn message(&self, encoding: &str) -> String {
        if self.reason == MalformedReason::Truncated {
            return format!("incomplete {encoding} sequence at the end of the file");
        }
        let shown = &self.excerpt[..self.len.min(self.excerpt.len())];
        let bytes: Vec<_> = shown.iter().map(|byte| format!("{byte:02X}")).collect();
        format!("invalid {encoding} sequence {} ({})", bytes.join(" "), self.reason)
    }
}

/// Decodes a range of a file, with U+FFFD for malformed sequences.
pub struct RangeDecoder {
    decoder: Box<dyn DecodeStage>,
    /// An incomplete sequence at the end of the last block.
    unread: Vec<u8>,
    /// The offset in the file of the first byte that was not decoded.
    offset: u64,
    /// Whether the text may begin with a byte order mark.
    is_file_start: bool,
    /// Whether U+0085 ends lines, and becomes a line feed.
    maps_next_line: bool,
    buffer: Vec<u8>,
    /// The number of bytes of text that were returned.
    text_len: i64,
    /// The input of the last call, its offset in the file, and positions in it.
    block: Vec<u8>,
    block_offset: u64,
    checkpoints: Vec<Checkpoint>,
}

/// A position in the last block. The text up to the next one has no errors.
struct Checkpoint {
    /// The number of bytes of text before it.
    text_len: i64,
    /// The number of bytes of the block before it.
    read: usize,
    state: State,
}

impl RangeDecoder {
    /// Returns a decoder for the bytes from `offset` on, which is a split point. The bytes of `context`
    /// lead to the state there.
    pub fn new(
        spec: &EncodingSpec,
        context: &[u8],
        offset: u64,
        maps_next_line: bool,
    ) -> RangeDecoder {
        let mut decoder = spec.encoding.decoder(&spec.options);
        let mut buffer = vec![0; BUFFER_LEN.max(4 * STEP).max(decoder.max_lookahead())];
        let mut read = 0;
        while read < context.len() {
            let progress = decoder.decode(&context[read..], &mut buffer, false);
            read += progress.read;
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(Malformed { resume_len, resume_state, .. }) => {
                    read += resume_len.max(1);
                    decoder.restore_state(resume_state);
                }
            }
        }
        RangeDecoder {
            decoder,
            unread: Vec::new(),
            offset,
            is_file_start: offset == 0,
            maps_next_line,
            buffer,
            text_len: 0,
            block: Vec::new(),
            block_offset: offset,
            checkpoints: Vec::new(),
        }
    }

    /// Decodes the next block to the end of `text`, and adds the malformed sequences to `errors`.
    /// `is_final` means that the file ends with the block.
    pub fn decode(
        &mut self,
        block: &[u8],
        is_final: bool,
        text: &mut Vec<u8>,
        errors: &mut Vec<MalformedSequence>,
    ) -> io::Result<()> {
        let (text_start, first_error) = (text.len(), errors.len());
        self.block.clear();
        self.block.append(&mut self.unread);
        self.block.extend_from_slice(block);
        self.block_offset = self.offset;
        self.checkpoints.clear();
        text.try_reserve(self.block.len() + self.block.len() / 2)?;
        let mut read = 0;
        loop {
            let (text_len, state) = (self.text_len, self.decoder.save_state());
            self.checkpoints.push(Checkpoint { text_len, read, state });
            let input = &self.block[read..];
            let progress = self.decoder.decode(input, &mut self.buffer, is_final);
            let decoded = &self.buffer[..progress.written];
            text.extend_from_slice(decoded);
            self.text_len += line_feed_len(decoded, self.maps_next_line) as i64;
            read += progress.read;
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(Malformed { len, reason, resume_len, resume_state }) => {
                    let mut excerpt = [0; 4];
                    let unread = &self.block[read..];
                    let shown = len.min(excerpt.len()).min(unread.len());
                    excerpt[..shown].copy_from_slice(&unread[..shown]);
                    let offset = self.block_offset + read as u64;
                    let text_offset = text.len();
                    errors.push(MalformedSequence { offset, len, excerpt, reason, text_offset });
                    text.extend_from_slice(REPLACEMENT);
                    self.text_len += REPLACEMENT.len() as i64;
                    self.decoder.restore_state(resume_state);
                    read += resume_len;
                }
            }
        }
        self.offset = self.block_offset + read as u64;
        self.unread.extend_from_slice(&self.block[read..]);
        if self.is_file_start && text.len() > text_start {
            self.is_file_start = false;
            if text[text_start..].starts_with(BOM) {
                text.drain(text_start..text_start + BOM.len());
                for error in &mut errors[first_error..] {
                    error.text_offset -= BOM.len();
                }
                for checkpoint in &mut self.checkpoints {
                    checkpoint.text_len -= BOM.len() as i64;
                }
                self.text_len -= BOM.len() as i64;
            }
        }
        if self.maps_next_line {
            map_next_line(text, text_start, &mut errors[first_error..]);
        }
        Ok(())
    }

    /// Returns the offset in the file at which the text after its first `text_len` bytes was decoded, or `None` if
    /// that was before the last block.
    pub fn input_offset(&mut self, text_len: u64) -> Option<u64> {
        let target = i64::try_from(text_len).ok()?;
        let index = self.checkpoints.partition_point(|it| it.text_len <= target).checked_sub(1)?;
        let Checkpoint { text_len: mut len, read: mut at, state } = self.checkpoints[index];
        let last_state = self.decoder.save_state();
        self.decoder.restore_state(state);
        let (mut step, mut end) = (STEP, at);
        while len < target && end < self.block.len() {
            let before = self.decoder.save_state();
            end = (end + step).min(self.block.len());
            let progress = self.decoder.decode(&self.block[at..end], &mut self.buffer, false);
            let added = line_feed_len(&self.buffer[..progress.written], self.maps_next_line) as i64;
            let is_past = len + added > target || matches!(progress.status, Status::Error(_));
            if is_past && step > 1 {
                // Again, byte by byte.
                self.decoder.restore_state(before);
                (step, end) = (1, at);
                continue;
            }
            len += added;
            at += progress.read;
            if is_past {
                break;
            }
        }
        self.decoder.restore_state(last_state);
        Some(self.block_offset + at as u64)
    }
}

/// Returns the length of a text in which U+0085 may become a line feed.
fn line_feed_len(text: &[u8], maps_next_line: bool) -> usize {
    match maps_next_line {
        true => text.len() - memchr::memmem::find_iter(text, NEXT_LINE).count(),
        false => text.len(),
    }
}

/// Replaces U+0085 by U+000A in the text from `start` on, and moves the errors there.
fn map_next_line(text: &mut Vec<u8>, start: usize, errors: &mut [MalformedSequence]) {
    let found: Vec<_> =
        memchr::memmem::find_iter(&text[start..], NEXT_LINE).map(|at| start + at).collect();
    if found.is_empty() {
        return;
    }
    for error in errors {
        error.text_offset -= found.partition_point(|at| *at < error.text_offset);
    }
    let mut target = found[0];
    for (index, at) in found.iter().enumerate() {
        text[target] = b'\n';
        let end = found.get(index + 1).copied().unwrap_or(text.len());
        text.copy_within(at + NEXT_LINE.len()..end, target + 1);
        target += 1 + end - at - NEXT_LINE.len();
    }
    text.truncate(target);
}
