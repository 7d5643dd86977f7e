//! Base32 (RFC 4648, sections 6 and 7).
//!
//! Lower-case letters are errors, as in RFC 4648 and in `basenc` of GNU, unless the option `lenient`
//! is set. [`base_n`](super::base_n) lists the other decisions.

use super::base_n::{self, BaseDecoder, BaseEncoder, BaseFormat, Padding};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::OptionSpec;
use charpipe_kernel::simd::AsArrays;

macro_rules! codecs {
    ($format:expr) => {
        TransformCodecs::Bytes {
            decoder: |options| {
                let padding = Padding::from_options(options, Padding::Required);
                Box::new(BaseDecoder::new($format, options, false, Some(padding)))
            },
            encoder: |options| {
                let padding = Padding::from_options(options, Padding::Required);
                Box::new(BaseEncoder::new($format, options, 76, padding == Padding::Required))
            },
        }
    };
}

const OPTIONS: &[OptionSpec] = &[
    base_n::LINE,
    base_n::NEWLINE,
    base_n::PADDING_REQUIRED,
    OptionSpec {
        description: "when decoding accept lower case, and ignore other characters, missing \
                      padding and padding bits",
        ..base_n::LENIENT
    },
];

/// Base32 with the letters and the digits 2 to 7.
pub static BASE32: Transform = Transform {
    name: "base32",
    aliases: &["b32"],
    title: "base32",
    description: "Base32 in lines of 76 characters (RFC 4648, section 6)",
    options: OPTIONS,
    codecs: codecs!(&STANDARD),
};

/// Base32 that sorts as the bytes do.
pub static BASE32HEX: Transform = Transform {
    name: "base32hex",
    aliases: &["b32hex"],
    title: "base32hex",
    description: "Base32 with the digits 0 to V, in lines of 76 characters (RFC 4648, section 7)",
    options: OPTIONS,
    codecs: codecs!(&HEX),
};

/// Digits with the tables for both directions.
struct Base32Format {
    digits: &'static [u8; 32],
    /// The two digits of each ten bits.
    pairs: [[u8; 2]; 1024],
    /// The value of each digit, and 0x80 for other bytes.
    values: [u8; 256],
}

static STANDARD: Base32Format = Base32Format::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
static HEX: Base32Format = Base32Format::new(b"0123456789ABCDEFGHIJKLMNOPQRSTUV");

impl Base32Format {
    const fn new(digits: &'static [u8; 32]) -> Base32Format {
        let (mut pairs, mut values) = ([[0; 2]; 1024], [0x80; 256]);
        let mut index = 0;
        while index < 1024 {
            pairs[index] = [digits[index >> 5], digits[index & 31]];
            index += 1;
        }
        let mut value = 0;
        while value < 32 {
            values[digits[value] as usize] = value as u8;
            value += 1;
        }
        Base32Format { digits, pairs, values }
    }
}

impl BaseFormat for &'static Base32Format {
    const DIGIT_BITS: u32 = 5;
    const GROUP_BYTES: usize = 5;
    const GROUP_DIGITS: usize = 8;

    fn digits(&self) -> &'static [u8] {
        self.digits
    }

    fn encode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (src, dst) = (src.as_arrays::<5>().0, dst.as_arrays_mut::<8>().0);
        for ([a, b, c, d, e], to) in src.iter().zip(&mut *dst) {
            let bits = u64::from_be_bytes([0, 0, 0, *a, *b, *c, *d, *e]) as usize;
            for (index, to) in to.as_arrays_mut::<2>().0.iter_mut().enumerate() {
                *to = self.pairs[bits >> (30 - 10 * index) & 1023];
            }
        }
        let groups = src.len().min(dst.len());
        (5 * groups, 8 * groups)
    }

    fn decode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(digits) = src[read..].first_chunk::<8>() {
            let Some(to) = dst[written..].first_chunk_mut::<5>() else { break };
            let (mut bits, mut all) = (0_u64, 0);
            for digit in digits {
                let value = self.values[usize::from(*digit)];
                all |= value;
                bits = bits << 5 | u64::from(value);
            }
            if all & 0x80 == 0 {
                to.copy_from_slice(&bits.to_be_bytes()[3..]);
                read += 8;
                written += 5;
                continue;
            }
            read += match digits {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => break,
            };
        }
        (read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_testing::{decode, encode};
    use charpipe_encoding::conversion_error::MalformedReason;

    /// RFC 4648, section 10.
    const VECTORS: [(&str, &str, &str); 7] = [
        ("", "", ""),
        ("f", "MY======", "CO======"),
        ("fo", "MZXQ====", "CPNG===="),
        ("foo", "MZXW6===", "CPNMU==="),
        ("foob", "MZXW6YQ=", "CPNMUOG="),
        ("fooba", "MZXW6YTB", "CPNMUOJ1"),
        ("foobar", "MZXW6YTBOI======", "CPNMUOJ1E8======"),
    ];

    #[test]
    fn test_vectors_of_the_rfc_are_converted() {
        for (plain, encoded, hex) in VECTORS {
            for (transform, encoded) in [(&BASE32, encoded), (&BASE32HEX, hex)] {
                assert_eq!(encode(transform, "line=0", plain), encoded);
                assert_eq!(decode(transform, "", encoded), (plain.into(), vec![]));
                let unpadded = encoded.trim_end_matches('=');
                assert_eq!(encode(transform, "line=0,padding=no", plain), unpadded);
                assert_eq!(decode(transform, "padding=no", unpadded), (plain.into(), vec![]));
                let lower = encoded.to_ascii_lowercase();
                assert_eq!(decode(transform, "lenient", lower), (plain.into(), vec![]));
            }
        }
    }

    #[test]
    fn invalid_ends_are_errors() {
        use MalformedReason::{InvalidCharacter, InvalidPadding, NonZeroPadding, Truncated};
        let decode_to = |src| decode(&BASE32, "", src);
        assert_eq!(decode_to("MZ======"), ("f".into(), vec![(2, 1, NonZeroPadding)]));
        assert_eq!(decode_to("MY"), ("f".into(), vec![(2, 0, InvalidPadding)]));
        assert_eq!(
            decode_to("MZXW6YR"),
            ("foob".into(), vec![(7, 0, NonZeroPadding), (7, 0, InvalidPadding)])
        );
        for digits in ["M", "MZX", "MZXW6Y"] {
            assert_eq!(decode_to(digits).1, [(digits.len(), 0, Truncated)]);
        }
        assert_eq!(decode_to("MZX=W6YTB"), ("fooba".into(), vec![(3, 1, InvalidPadding)]));
        assert_eq!(
            decode_to("my1MY======").1,
            [(0, 1, InvalidCharacter), (1, 1, InvalidCharacter), (2, 1, InvalidCharacter)]
        );
    }
}
