//! Direct pairs: from one charset straight to another, without a codec.
//!
//! A pair is an optimisation and nothing else. It converts what it is certain about and says how
//! far it came; every fault, and whatever else it does not know, is left to the codecs. So output
//! with and without pairs is identical, which `tests/conversion/pairs.rs` holds them to.

use crate::charset;
use crate::kernel;
use crate::plan::{Bom, Plan};

/// A direct conversion between charsets without state.
pub(crate) trait Pair: Sync {
    /// Converts whole characters from the front of `src`, as many as fit and are beyond doubt;
    /// says how many bytes it read and wrote.
    fn advance(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize);

    /// Which side of a conversion is UTF-8, for the counting of lines.
    fn text<'a>(&self, src: &'a [u8], dst: &'a [u8]) -> &'a [u8];
}

/// UTF-8 to UTF-8: a validated copy.
struct Checked;

impl Pair for Checked {
    fn advance(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let near = &src[..src.len().min(dst.len())];
        let valid = kernel::utf8::prefix(near);
        dst[..valid].copy_from_slice(&near[..valid]);
        (valid, valid)
    }

    fn text<'a>(&self, src: &'a [u8], _: &'a [u8]) -> &'a [u8] {
        src
    }
}

/// Runs of ASCII between two charsets that have it at the same octets.
struct Ascii;

impl Pair for Ascii {
    fn advance(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let run = kernel::ascii::copy(src, dst);
        (run, run)
    }

    fn text<'a>(&self, src: &'a [u8], _: &'a [u8]) -> &'a [u8] {
        src
    }
}

/// The pair for a plan, if there is one.
pub(crate) fn find(plan: &Plan) -> Option<&'static dyn Pair> {
    let (from, to) = (plan.from.charset, plan.to.charset);
    if plan.bom != Bom::Keep {
        return None;
    }
    if charset::is_utf8(from) && charset::is_utf8(to) {
        return Some(&Checked);
    }
    (charset::holds_ascii(from) && charset::holds_ascii(to)).then_some(&Ascii)
}
