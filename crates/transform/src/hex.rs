//! Base16 (RFC 4648, section 8), that is, hexadecimal digits.
//!
//! The encoder writes capital letters, as RFC 4648 and `basenc` of GNU do, and the decoder accepts
//! both cases, as section 8 leaves open. [`base_n`](super::base_n) lists the other decisions.
//! Padding is not allowed.

use super::base_n::{self, BaseDecoder, BaseEncoder, BaseFormat};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::{OptionSpec, OptionValues};
use charpipe_kernel as kernel;
use charpipe_kernel::hex::{LOWERCASE, UPPERCASE};

/// Base16.
pub static HEX: Transform = Transform {
    name: "hex",
    aliases: &["base16", "b16"],
    title: "hexadecimal",
    description: "Hexadecimal digits in lines of 76 characters (base16; RFC 4648, section 8)",
    options: &[
        base_n::LINE,
        base_n::NEWLINE,
        OptionSpec {
            name: "case",
            values: OptionValues::Choice(&["upper", "lower"]),
            description: "the case of the letters when encoding",
        },
        OptionSpec { description: "when decoding ignore other characters", ..base_n::LENIENT },
    ],
    codecs: TransformCodecs::Bytes {
        decoder: |options| Box::new(BaseDecoder::new(HexFormat(&UPPERCASE), options, true, None)),
        encoder: |options| {
            let is_lower = options.is_choice("case", "lower");
            let digits = if is_lower { &LOWERCASE } else { &UPPERCASE };
            Box::new(BaseEncoder::new(HexFormat(digits), options, 76, false))
        },
    },
};

struct HexFormat(&'static [u8; 16]);

impl BaseFormat for HexFormat {
    const DIGIT_BITS: u32 = 4;
    const GROUP_BYTES: usize = 1;
    const GROUP_DIGITS: usize = 2;

    fn digits(&self) -> &'static [u8] {
        self.0
    }

    fn encode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (read, written) = kernel::hex::encode(self.0, src, dst);
        let rest = base_n::encode_groups_by_digit(self, &src[read..], &mut dst[written..]);
        (read + rest.0, written + rest.1)
    }

    fn decode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        kernel::hex::decode(src, dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_testing::{decode, encode};
    use charpipe_encoding::conversion_error::MalformedReason::{InvalidCharacter, Truncated};

    #[test]
    fn test_vectors_of_the_rfc_are_converted() {
        assert_eq!(encode(&HEX, "line=0", "foobar"), "666F6F626172");
        assert_eq!(encode(&HEX, "case=lower,line=4", "foobar"), "666f\n6f62\n6172\n");
        assert_eq!(encode(&HEX, "line=3", "foo"), "666\nF6F\n");
        assert_eq!(decode(&HEX, "", "666F6f 62\n6 1 72\n"), ("foobar".into(), vec![]));
    }

    #[test]
    fn errors_are_other_bytes_and_an_odd_number_of_digits() {
        assert_eq!(decode(&HEX, "", "6G6"), ("f".into(), vec![(1, 1, InvalidCharacter)]));
        assert_eq!(decode(&HEX, "", "66="), ("f".into(), vec![(2, 1, InvalidCharacter)]));
        assert_eq!(decode(&HEX, "", "666"), ("f".into(), vec![(3, 0, Truncated)]));
        assert_eq!(decode(&HEX, "lenient", "0x66:6F"), (vec![0x06, 0x66], vec![(7, 0, Truncated)]));
    }
}
