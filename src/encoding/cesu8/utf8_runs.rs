//! Runs that are the same in UTF-8: all but surrogates, forms of 4 bytes and, in modified UTF-8,
//! the byte 00.

use super::NulEncoding;
use crate::kernel;

/// Bytes that are looked at together.
const BLOCK_LEN: usize = 32;

/// Bytes that are looked at before any is copied, so that they are still near when they are.
const MAX_RUN: usize = 1024;

/// Bytes that may not hold an error for more of them to be looked at.
const PROBE_LEN: usize = 16;

/// Copies blocks that are well-formed and the same in UTF-8, as many as fit; says how many bytes.
pub fn copy_shared(src: &[u8], dst: &mut [u8], nul: NulEncoding) -> usize {
    let mut copied = 0;
    while starts_well_formed(&src[copied..]) {
        let max = MAX_RUN.min(src.len() - copied).min(dst.len() - copied);
        let run = &src[copied..copied + shared_prefix_blocks(&src[copied..copied + max], nul)];
        if run.is_empty() {
            break;
        }
        let valid = kernel::utf8::valid_prefix_len(run);
        dst[copied..copied + valid].copy_from_slice(&run[..valid]);
        copied += valid;
    }
    copied
}

/// Whether the first few bytes hold no error.
///
/// Errors come in crowds, and each begins a new look. Without this one a file of nothing but errors
/// took four times as long.
fn starts_well_formed(src: &[u8]) -> bool {
    match std::str::from_utf8(&src[..src.len().min(PROBE_LEN)]) {
        Ok(few) => !few.is_empty(),
        Err(error) => error.error_len().is_none(),
    }
}

/// How many bytes at the start of `src`, which need not be well-formed, are in whole blocks
/// without one that has another form in UTF-8.
pub fn shared_prefix_blocks(src: &[u8], nul: NulEncoding) -> usize {
    let differs = |byte: u8, next: u8| {
        (byte >= 0xF0)
            | (byte == 0xED) & (next >= 0xA0)
            | (byte == 0) & (nul == NulEncoding::Overlong)
    };
    let mut run = 0;
    // One byte more is looked at, for what stands after an ED.
    while let Some(block) = src[run..].first_chunk::<{ BLOCK_LEN + 1 }>()
        && !(0..BLOCK_LEN).fold(false, |any, at| any | differs(block[at], block[at + 1]))
    {
        run += BLOCK_LEN;
    }
    run
}
