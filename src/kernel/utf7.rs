//! UTF-7 (RFC 2152) and its mailbox form, as far as it is well-formed.
//!
//! Words are short, and so are the runs of base64 that they make. So what counts is the way from
//! the beginning of a run to its end, and over the few octets behind it that stand for themselves.
//! A window of octets is sorted into rows of bits; where runs begin and end is then a matter of
//! counting bits, and waits neither for memory nor for what is in the runs.

pub mod decode;
pub mod encode;
pub mod text;
pub mod units;

#[cfg(test)]
mod tests;

use super::simd::WIDTH;

/// Octets that are sorted together.
const WINDOW: usize = 64;

/// Where a step through a window led to, and how many octets it has read and written.
enum Step {
    /// Into the midst of a run.
    Inside(usize, usize),
    /// Behind a run.
    Outside(usize, usize),
    /// Nowhere: the window ends in the run.
    Cut,
    /// Nowhere: there is something that is not for a kernel.
    Doubt,
}

/// Copies the octets from `at` on that stand for themselves, each of which has a bit in `direct`;
/// says how many. What stands behind them in `dst` is of no meaning.
#[inline(always)]
fn copy(near: &[u8], at: usize, direct: u64, dst: &mut [u8]) -> usize {
    let count = (direct >> at).trailing_ones() as usize;
    let near = &near[at..];
    if let Some(from) = near.first_chunk::<WIDTH>()
        && let Some(to) = dst.first_chunk_mut()
    {
        *to = *from;
    }
    if count > WIDTH {
        dst[WIDTH..count].copy_from_slice(&near[WIDTH..count]);
    }
    count
}
