//! MARC-8 of library catalogs and its Latin sets alone, ANSEL: marks precede their letter.
//!
//! MARC-8 (MARC 21 Specifications, "Character Sets and Encoding Options", part 2) is ISO 2022 with ASCII as G0 in bytes 21 to
//! 7E and Extended Latin as G1 in bytes A1 to FE, until escape sequences designate others of [`SETS`](tables::SETS). ANSEL
//! (ANSI/NISO Z39.47) is these two without escape sequences, and GEDCOM has its own form of it. What the specification leaves
//! open, or programs do otherwise:
//!
//! - A cluster is a letter and up to [`MAX_MARKS`] marks, which are decoded after it in the order of the bytes, as in yaz and
//!   pymarc. Escape sequences may be between them. Marks without a letter are malformed, and a mark that follows no letter
//!   is unmappable.
//! - A letter and its marks are composed as in NFC, as in pymarc, as long as the bytes are encoded again from the result; the
//!   transform `nfd` gives the decomposed form of the Library of Congress.
//! - 1D, 1E and 1F, which separate records, fields and subfields, designate the initial sets, as programs read each subfield
//!   by itself. The encoder returns to the initial sets before each control character and at the end.
//! - An unknown escape sequence is an error of its first byte.
//! - Of several sets with a character the encoder uses an active one, or else the first one in the file.

mod decode;
mod encode;
mod tables;
#[cfg(test)]
mod tests;

use super::split_rule::{ByteSet, SplitRule, SplitTarget};
use super::{Encoding, EncodingOptions, FnFactory};
use crate::codec::{DecodeStage, EncodeStage, State};
use decode::Marc8Decoder;
use encode::Marc8Encoder;
use tables::Repertoire;

/// The encodings, in the order of the manual.
pub const ALL: &[&Encoding] = &[&MARC_8, &ANSEL, &ANSEL_GEDCOM];

/// The sets of MARC 21.
pub static MARC_8: Encoding = Encoding::new(
    "MARC-8",
    "library catalogs: Latin, Cyrillic, Greek, Hebrew, Arabic and East Asian sets (MARC 21)",
    &FnFactory {
        decoder: |options| decoder(options, tables::marc8()),
        encoder: |options| encoder(options, tables::marc8()),
        split_rule: |_| MARC_SPLIT_RULE,
    },
);

/// The Latin sets, without escape sequences.
pub static ANSEL: Encoding = Encoding::new(
    "ANSEL",
    "library catalogs: Latin (ANSI/NISO Z39.47, with ß and the euro of MARC 21)",
    &FnFactory {
        decoder: |options| decoder(options, tables::ansel()),
        encoder: |options| encoder(options, tables::ansel()),
        split_rule: |_| ANSEL_SPLIT_RULE,
    },
);

/// ANSEL with the additions of GEDCOM.
pub static ANSEL_GEDCOM: Encoding = Encoding::new(
    "ANSEL-GEDCOM",
    "genealogy: ANSEL with the additions of GEDCOM 5.5.1",
    &FnFactory {
        decoder: |options| decoder(options, tables::gedcom()),
        encoder: |options| encoder(options, tables::gedcom()),
        split_rule: |_| ANSEL_SPLIT_RULE,
    },
);

/// The separators of MARC designate the initial sets. The encoder returns to them before each control character.
const MARC_SPLIT_RULE: SplitRule =
    SplitRule::after(ByteSet::from_bytes(b"\x1D\x1E\x1F"), ByteSet::EMPTY)
        .with_unverified(ByteSet::from_bytes(b"\n"))
        .with_target(SplitTarget::AfterLineFeed { header: false });

const ANSEL_SPLIT_RULE: SplitRule =
    SplitRule::AFTER_LINE_FEED.with_target(SplitTarget::AfterLineFeed { header: false });

/// The maximum number of marks of a letter.
const MAX_MARKS: usize = 7;

/// An upper bound of the bytes of a cluster and of its text, with the bytes of an incomplete escape sequence after it.
const MAX_LOOKAHEAD: usize = 64;

fn decoder(_: &EncodingOptions, repertoire: &'static Repertoire) -> Box<dyn DecodeStage> {
    Box::new(Marc8Decoder::new(repertoire))
}

fn encoder(_: &EncodingOptions, repertoire: &'static Repertoire) -> Box<dyn EncodeStage> {
    Box::new(Marc8Encoder::new(repertoire))
}

/// The designated sets, as indexes in [`SETS`](tables::SETS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Designated {
    g0: u8,
    g1: u8,
}

impl Designated {
    /// ASCII and Extended Latin.
    const INITIAL: Designated = Designated { g0: tables::BASIC_LATIN, g1: tables::EXTENDED_LATIN };

    fn pack(self) -> State {
        State::new(u64::from(self.g0) | u64::from(self.g1 ^ tables::EXTENDED_LATIN) << 8)
    }

    fn unpack(state: State) -> Designated {
        let [g0, g1, ..] = state.bits().to_le_bytes();
        Designated { g0, g1: g1 ^ tables::EXTENDED_LATIN }
    }
}

/// Text or bytes of a cluster.
struct Buffer {
    bytes: [u8; MAX_LOOKAHEAD],
    len: usize,
}

impl Buffer {
    const fn new() -> Buffer {
        Buffer { bytes: [0; MAX_LOOKAHEAD], len: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        // A cluster has at most a letter of three bytes and seven marks, each after a sequence of four bytes.
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    fn push_char(&mut self, character: char) {
        self.push(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Copies the contents to `dst` from `written` on, and returns whether there was enough space.
    fn write_to(&self, dst: &mut [u8], written: &mut usize) -> bool {
        let Some(space) = dst[*written..].get_mut(..self.len) else { return false };
        space.copy_from_slice(&self.bytes[..self.len]);
        *written += self.len;
        true
    }
}
