//! The fast path of the encoder with shifts: runs of ASCII, and runs of characters of three bytes
//! in UTF-8 with two-byte codes.
//!
//! Between two shifts there is often only one word, so a kernel with a high fixed cost is slower.
//! The loop returns the number of bytes converted and reports no errors.

use super::encode_table::{CodeBytes, MultiByteEncodeTable};
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::same_length_run::{self, SequenceLen, WINDOW_LEN};
use charpipe_kernel::simd::AsArrays;

/// An encoder of runs of one character set.
#[derive(Debug, Clone)]
pub struct FastEncoder {
    /// The code of each ASCII character; 0 if it has none, or needs the slow path.
    ascii_codes: [CodeBytes; 0x80],
}

impl FastEncoder {
    /// Returns an encoder from the code of each ASCII character; 0 ends a run.
    pub fn new(code: impl Fn(u8) -> CodeBytes) -> FastEncoder {
        FastEncoder { ascii_codes: std::array::from_fn(|byte| code(byte as u8)) }
    }

    /// Returns the code of an ASCII character; 0 if it has none, or needs the slow path.
    #[inline]
    pub fn ascii_code(&self, byte: u8) -> CodeBytes {
        self.ascii_codes.get(usize::from(byte)).copied().unwrap_or(0)
    }

    /// Encodes characters at the start of `src`, which is UTF-8, while `dst` has spare space and
    /// each has a code with this tag, or is one of `unchanged`; returns the number of bytes read and
    /// written.
    pub fn encode(
        &self,
        reverse: &MultiByteEncodeTable,
        mark: CodeBytes,
        unchanged: Option<&AsciiByteSet>,
        src: &[u8],
        dst: &mut [u8],
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(near) = src[read..].first_chunk::<WINDOW_LEN>() {
            let Some(space) = dst[written..].first_chunk_mut::<WINDOW_LEN>() else { break };
            let (taken, put, all) = match same_length_run::sequence_len(near) {
                SequenceLen::One => self.ascii_run(mark, near, space),
                SequenceLen::Three => self.three_byte_run(reverse, mark, near, space),
                SequenceLen::Two | SequenceLen::Four => break,
            };
            read += taken;
            written += put;
            if let (WINDOW_LEN, WINDOW_LEN, Some(unchanged)) = (taken, put, unchanged) {
                let run = unchanged.copy_prefix(&src[read..], &mut dst[written..]);
                read += run;
                written += run;
            }
            if !all {
                break;
            }
        }
        (read, written)
    }

    /// Encodes the ASCII at the start; returns the number of bytes read and written, and whether
    /// every character had a code.
    #[inline(always)]
    fn ascii_run(
        &self,
        mark: CodeBytes,
        near: &[u8; WINDOW_LEN],
        space: &mut [u8; WINDOW_LEN],
    ) -> (usize, usize, bool) {
        for (at, (byte, output)) in near.iter().zip(space).enumerate() {
            let Some(code) = self.ascii_codes.get(usize::from(*byte)) else {
                return (at, at, true);
            };
            let code = code ^ mark;
            if code == 0 || code > 0xFF {
                return (at, at, false);
            }
            *output = code as u8;
        }
        (WINDOW_LEN, WINDOW_LEN, true)
    }

    /// Encodes the characters of three bytes at the start, and an ASCII character after them, which
    /// is frequent; returns the number of bytes read and written, and whether every character had a
    /// code.
    #[inline(always)]
    fn three_byte_run(
        &self,
        reverse: &MultiByteEncodeTable,
        mark: CodeBytes,
        near: &[u8; WINDOW_LEN],
        output: &mut [u8; WINDOW_LEN],
    ) -> (usize, usize, bool) {
        let (count, values) = same_length_run::three_byte_run(near);
        let codes = values.map(|value| reverse.entry(value) ^ mark);
        let two = |code: &CodeBytes| matches!(code, 0x100..=0xFFFF);
        for (output, code) in output.as_arrays_mut().0.iter_mut().zip(codes) {
            *output = (code as u16).to_le_bytes();
        }
        if count == codes.len() && codes.iter().fold(true, |all, code| all & two(code)) {
            return (12, 8, true);
        }
        let run = codes.iter().take(count).take_while(|code| two(code)).count();
        let after = self.ascii_codes.get(usize::from(near[3 * run])).map(|code| code ^ mark);
        match after {
            Some(code @ 1..=0xFF) => {
                output[2 * run] = code as u8;
                (3 * run + 1, 2 * run + 1, true)
            }
            _ => (3 * run, 2 * run, run == count),
        }
    }
}
