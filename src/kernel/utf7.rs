//! UTF-7 (RFC 2152) and its mailbox form, as far as it is well-formed.
//!
//! Words are short, and so are the runs of base64 that they make. So what counts is the way from
//! the beginning of a run to its end, and over the few bytes after it that stand for themselves.
//! A window of bytes is sorted into rows of bits; where runs begin and end is then a matter of
//! counting bits, and waits neither for memory nor for what is in the runs.

pub mod decode;
pub mod encode;
pub mod utf16_to_utf8;
pub mod utf8_to_utf16;

#[cfg(test)]
mod tests;

use super::simd::WIDTH;

/// Bytes that are sorted together.
const WINDOW_LEN: usize = 64;

/// Where a step through a window led to, and how many bytes it has read and written.
enum RunStep {
    /// Into the midst of a run.
    InRun(usize, usize),
    /// After a run.
    AfterRun(usize, usize),
    /// Nowhere: the window ends in the run.
    Truncated,
    /// Nowhere: there is something that is not for a kernel.
    Fallback,
}

/// Copies the bytes from `at` on that stand for themselves, each of which has a bit in `direct`;
/// says how many. What stands after them in `dst` is of no meaning.
#[inline(always)]
fn copy_direct(input: &[u8], at: usize, direct: u64, dst: &mut [u8]) -> usize {
    let count = (direct >> at).trailing_ones() as usize;
    let input = &input[at..];
    if let Some(from) = input.first_chunk::<WIDTH>()
        && let Some(to) = dst.first_chunk_mut()
    {
        *to = *from;
    }
    if count > WIDTH {
        dst[WIDTH..count].copy_from_slice(&input[WIDTH..count]);
    }
    count
}
