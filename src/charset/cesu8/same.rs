//! Runs that are the same in UTF-8: all but surrogates, forms of 4 octets and, in modified UTF-8,
//! the octet 00.

use super::Nul;
use crate::kernel;

/// Octets that are looked at together.
const BLOCK: usize = 32;

/// Octets that are looked at before any is copied, so that they are still near when they are.
const RUN: usize = 1024;

/// Octets that may not hold a fault for more of them to be looked at.
const FEW: usize = 16;

/// Copies blocks that are well-formed and the same in UTF-8, as many as fit; says how many octets.
pub fn copy(src: &[u8], dst: &mut [u8], nul: Nul) -> usize {
    let mut copied = 0;
    while begins_well(&src[copied..]) {
        let most = RUN.min(src.len() - copied).min(dst.len() - copied);
        let run = &src[copied..copied + blocks(&src[copied..copied + most], nul)];
        if run.is_empty() {
            break;
        }
        let valid = kernel::utf8::prefix(run);
        dst[copied..copied + valid].copy_from_slice(&run[..valid]);
        copied += valid;
    }
    copied
}

/// Whether the first few octets hold no fault.
///
/// Faults come in crowds, and each begins a new look. Without this one a file of nothing but faults
/// took four times as long.
fn begins_well(src: &[u8]) -> bool {
    match std::str::from_utf8(&src[..src.len().min(FEW)]) {
        Ok(few) => !few.is_empty(),
        Err(error) => error.error_len().is_none(),
    }
}

/// How many octets at the front of `src`, which need not be well-formed, are in whole blocks
/// without one that has another form in UTF-8.
pub fn blocks(src: &[u8], nul: Nul) -> usize {
    let differs = |octet: u8, next: u8| {
        (octet >= 0xF0) | (octet == 0xED) & (next >= 0xA0) | (octet == 0) & (nul == Nul::Pair)
    };
    let mut run = 0;
    // One octet more is looked at, for what stands behind an ED.
    while let Some(block) = src[run..].first_chunk::<{ BLOCK + 1 }>()
        && !(0..BLOCK).fold(false, |any, at| any | differs(block[at], block[at + 1]))
    {
        run += BLOCK;
    }
    run
}
