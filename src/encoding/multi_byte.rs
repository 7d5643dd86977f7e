//! Encodings of codes of one to four bytes without shifts: EUC, Shift_JIS, Big5, GBK, GB 18030, …
//!
//! One engine serves all of them. An encoding is a [`Mapping`](mapping::Mapping): a directory of what each lead
//! byte leads to, and cells that all encodings share. The files in `mappings/` are made from the maps in
//! `tests/mappings/`; nothing is unpacked when a decoder is made, and an encoder turns its mapping
//! round.
//!
//! # What an error is
//!
//! Bytes that are no code are one offender, up to and including the byte that shows it, but without
//! an ASCII byte after the first byte, and without what follows that: a lead byte never takes a
//! quotation mark or a newline with it. Two exceptions: a four-byte code of GB 18030 of the right
//! shape is one offender, digits and all, and in a set without ASCII an invalid pair is.
//! This is how the Encoding Standard counts.

pub(super) mod cells;
mod decoder;
pub(super) mod encode_table;
pub(super) mod encode_table_builder;
mod encoder;
pub(super) mod fast_encode;
mod gb18030_ranges;
mod japanese;
mod korean;
pub(super) mod mapping;
pub(super) mod pair_table;
#[cfg(test)]
mod pair_table_tests;
mod raw_94x94;
mod simplified_chinese;
#[cfg(test)]
mod tests;
pub(super) mod text;
mod traditional_chinese;
pub(super) mod trail_bytes;
mod trie;

use super::{BomHandling, CodecFactory, Encoding, EncodingOptions, const_concat};
use crate::codec::{Decoder, Encoder};
use decoder::MultiByteDecoder;
use encoder::MultiByteEncoder;
use mapping::MultiByteMapping;

const ENCODING_LISTS: &[&[&Encoding]] = &[
    japanese::ALL,
    korean::ALL,
    simplified_chinese::ALL,
    traditional_chinese::ALL,
    raw_94x94::ALL,
];

/// All encodings that are nothing but a mapping, in the order of the manual.
pub const ALL: &[&Encoding] =
    &const_concat::concat::<{ const_concat::total_len(ENCODING_LISTS) }>(ENCODING_LISTS);

impl CodecFactory for MultiByteMapping {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn Decoder> {
        Box::new(MultiByteDecoder::new(*self))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn Encoder> {
        Box::new(MultiByteEncoder::new(self))
    }

    fn engine(&self) -> Option<&'static str> {
        Some(match (self.gb18030_ranges, self.ascii) {
            (Some(_), _) => "grid with four-byte codes",
            (None, true) => "grid with ASCII",
            (None, false) => "grid alone",
        })
    }
}

/// An encoding that is nothing but a mapping.
const fn encoding(
    name: &'static str,
    description: &'static str,
    mapping: &'static MultiByteMapping,
) -> Encoding {
    Encoding {
        name,
        description,
        options: &[],
        bom_handling: BomHandling::Ignore,
        factory: mapping,
        ucs4: None,
    }
}
