//! UTF-5 (draft-jseng-utf5-00, July 1999): a value as hexadecimal digits, the first one apart.
//!
//! The digits are as few as can be. The first is one of G to V, the others are 0 to 9 and A to F,
//! so a character ends where the next begins. All text becomes letters and digits: LF is `Q`, and
//! nothing tells a cut file from a whole one. The draft's formula for the number of bytes fails
//! for 0, 1 and every power of 16; a value of n hexadecimal digits, with one digit for 0, is meant.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

use super::code_point_codec::{
    CodePointFormat, FormatDecoder, FormatEncoder, MAX_UCS4, MAX_UNICODE, ReadResult, ucs4_codecs,
};
use super::{BomHandling, Encoding, EncodingOptions, FnFactory, OptionSpec, OptionValues};
use crate::kernel::utf5::{decode, encode};

/// The draft's UTF-5.
pub static UTF_5: Encoding = Encoding {
    name: "UTF-5",
    description: "Unicode in the letters A to V and digits (draft-jseng-utf5-00)",
    options: OPTIONS,
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |options: &EncodingOptions| Box::new(FormatDecoder::new(Utf5Format::new(options))),
        encoder: |options: &EncodingOptions| Box::new(FormatEncoder::new(Utf5Format::new(options))),
    },
    ucs4: ucs4_codecs(
        |options| options.flag("ucs4"),
        |options: &EncodingOptions| Box::new(FormatDecoder::new(Utf5Format::new(options))),
        |options: &EncodingOptions| Box::new(FormatEncoder::new(Utf5Format::new(options))),
    ),
};

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "eol",
        values: OptionValues::Choice(&["final", "reject", "skip", "keep"]),
        description: "raw CR and LF: one break dropped at the very end, none allowed, all dropped, \
                or passed both ways as they are",
    },
    OptionSpec {
        name: "case",
        values: OptionValues::Choice(&["exact", "fold"]),
        description: "whether the decoder takes small letters for capital ones",
    },
    OptionSpec {
        name: "overlong",
        values: OptionValues::Flag,
        description: "the decoder takes leading zeros, up to 31 bytes in all",
    },
    OptionSpec {
        name: "ucs4",
        values: OptionValues::Flag,
        description: "31-bit values, to and from the other encodings that have them",
    },
    OptionSpec {
        name: "wrap",
        values: OptionValues::Integer(8, 1_000_000),
        description: "the encoder ends a line after at most so many bytes; read it with eol=skip",
    },
    OptionSpec {
        name: "dns",
        values: OptionValues::Flag,
        description: "a full stop stands for itself both ways, as between the labels of a domain name",
    },
];

/// What raw CR and LF are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Eol {
    Final,
    Reject,
    Skip,
    Keep,
}

struct Utf5Format {
    eol: Eol,
    fold_case: bool,
    allow_overlong: bool,
    dns: bool,
    max_value: u32,
    /// Bytes that a line may have, breaks not counted.
    max_line_len: u64,
}

impl Utf5Format {
    fn new(options: &EncodingOptions) -> Utf5Format {
        let eol = match () {
            () if options.is_choice("eol", "reject") => Eol::Reject,
            () if options.is_choice("eol", "skip") => Eol::Skip,
            () if options.is_choice("eol", "keep") => Eol::Keep,
            () => Eol::Final,
        };
        Utf5Format {
            eol,
            fold_case: options.is_choice("case", "fold"),
            allow_overlong: options.flag("overlong"),
            dns: options.flag("dns"),
            max_value: if options.flag("ucs4") { MAX_UCS4 } else { MAX_UNICODE },
            max_line_len: options.integer("wrap").map_or(u64::MAX, u64::from),
        }
    }
}

impl CodePointFormat for Utf5Format {
    const MAX_LOOKAHEAD: usize = decode::MAX_LOOKAHEAD;

    fn max_value(&self) -> u32 {
        self.max_value
    }

    fn decode_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        // Errors and line breaks come in crowds: what begins with one is not worth a try.
        let classes = self.byte_classes();
        let is_head =
            |byte: &u8| matches!(classes[usize::from(*byte)], decode::Utf5ByteClass::Lead(_));
        if *state == decode::BETWEEN_CHARS && src.first().is_some_and(is_head) {
            decode(self.fold_case, src, dst)
        } else {
            (0, 0)
        }
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], column: &mut u64) -> (usize, usize) {
        if self.dns || self.eol == Eol::Keep {
            return (0, 0);
        }
        let line = usize::try_from(self.max_line_len.saturating_sub(*column)).unwrap_or(usize::MAX);
        let output = dst.len().min(line);
        let (read, written) = encode(text, &mut dst[..output]);
        *column += written as u64;
        (read, written)
    }

    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        self.decode_one(src, end, state)
    }

    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        self.encode_one(value, dst, state)
    }
}
