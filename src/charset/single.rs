//! Charsets of one octet a character: one decoder and one encoder for all of them.
//!
//! What tells them apart is data, in `single/tables.txt`. A few have more than octets: accents in
//! front of their letters (ISO 6937), or marks behind letters that compose with them (CP1255,
//! CP1258, TCVN5712-1).

use super::{Charset, Codecs, Mark, Settings};
use crate::codec::{Decoder, Encoder};

mod composing;
mod decoder;
mod encoder;
mod pairs;
mod sheet;
mod table;

use composing::Composing;
use decoder::Octets;
use encoder::Characters;
use sheet::SHEET;
use table::{Kind, Table};

/// The first tables of the sheet have engines of their own, and are there for others to begin
/// from: US-ASCII and ISO-8859-1.
const GROUND: usize = 2;

/// Every charset of the sheet, in its order.
pub static CHARSETS: [Charset; SHEET.tables.len() - GROUND] = {
    const UNNAMED: Charset = Charset {
        name: "",
        about: "",
        options: &[],
        mark: Mark::Character,
        codecs: &Table::EMPTY,
        wide: None,
    };
    let mut all = [UNNAMED; SHEET.tables.len() - GROUND];
    let mut index = 0;
    while index < all.len() {
        let table = &SHEET.tables[GROUND + index];
        assert!(!table.about.is_empty(), "a charset needs a description");
        all[index] = Charset { name: table.name, about: table.about, codecs: table, ..UNNAMED };
        index += 1;
    }
    all
};

impl Codecs for Table {
    fn decoder(&self, _: &Settings) -> Box<dyn Decoder> {
        if self.joined(Kind::Composed).is_empty() {
            Box::new(Octets::new(self))
        } else {
            Box::new(Composing::new(self))
        }
    }

    fn encoder(&self, _: &Settings) -> Box<dyn Encoder> {
        Box::new(Characters::new(self))
    }

    fn engine(&self) -> Option<&'static str> {
        let (_, both) = self.parted();
        Some(match both.first().map(|code| code.kind) {
            Some(Kind::Composed) => "octets with marks behind",
            Some(_) => "octets with accents in front",
            None if self.holds_ascii() => "octets with ASCII",
            None => "octets",
        })
    }
}
