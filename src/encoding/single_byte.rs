//! Encodings of one byte a character: one decoder and one encoder for all of them.
//!
//! What tells them apart is data, in `single/tables.txt`. A few have more than bytes: accents in
//! front of their letters (ISO 6937), or marks after letters that compose with them (CP1255,
//! CP1258, TCVN5712-1).

use super::{BomHandling, CodecFactory, Encoding, EncodingOptions};
use crate::codec::{Decoder, Encoder};

mod combining;
mod decoder;
mod encoder;
mod pairs;
mod parse_tables;
mod table;

use combining::CombiningDecoder;
use decoder::SingleByteDecoder;
use encoder::SingleByteEncoder;
use parse_tables::TABLES;
use table::{MappingKind, SingleByteTable};

/// The first tables of the table have engines of their own, and are there for others to begin
/// from: US-ASCII and ISO-8859-1.
const BASE_TABLES: usize = 2;

/// Every encoding of the table, in its order.
pub static ENCODINGS: [Encoding; TABLES.tables.len() - BASE_TABLES] = {
    const PLACEHOLDER: Encoding = Encoding {
        name: "",
        description: "",
        options: &[],
        bom_handling: BomHandling::Ignore,
        factory: &SingleByteTable::EMPTY,
        ucs4: None,
    };
    let mut all = [PLACEHOLDER; TABLES.tables.len() - BASE_TABLES];
    let mut index = 0;
    while index < all.len() {
        let table = &TABLES.tables[BASE_TABLES + index];
        assert!(!table.description.is_empty(), "an encoding needs a description");
        all[index] = Encoding {
            name: table.name,
            description: table.description,
            factory: table,
            ..PLACEHOLDER
        };
        index += 1;
    }
    all
};

impl CodecFactory for SingleByteTable {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn Decoder> {
        if self.of_kind(MappingKind::Composed).is_empty() {
            Box::new(SingleByteDecoder::new(self))
        } else {
            Box::new(CombiningDecoder::new(self))
        }
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn Encoder> {
        Box::new(SingleByteEncoder::new(self))
    }

    fn engine(&self) -> Option<&'static str> {
        let (_, both) = self.partition();
        Some(match both.first().map(|code| code.kind) {
            Some(MappingKind::Composed) => "bytes with marks behind",
            Some(_) => "bytes with accents in front",
            None if self.is_ascii_superset() => "bytes with ASCII",
            None => "bytes",
        })
    }
}
