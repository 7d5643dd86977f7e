//! Base64 (RFC 4648, sections 4 and 5; RFC 2045, section 6.8).
//!
//! `base64` writes lines of 76 digits that end in LF, as `base64` of GNU does. `base64url` writes a
//! single line without padding, as JSON Web Tokens need it (RFC 7515), and accepts both forms.
//! [`base_n`](super::base_n) lists the decisions for decoding.

use super::base_n::{self, BaseDecoder, BaseEncoder, BaseFormat, Padding};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::EncodingOptions;
use charpipe_kernel::base64::Base64Alphabet;
use charpipe_kernel::base64_bytes::{self, MIN_LINE_LEN};

/// Base64 with `+` and `/`.
pub static BASE64: Transform = Transform {
    name: "base64",
    aliases: &["b64"],
    title: "base64",
    description: "Base64 in lines of 76 characters (RFC 4648, section 4; RFC 2045)",
    options: &[base_n::LINE, base_n::NEWLINE, base_n::PADDING_REQUIRED, base_n::LENIENT],
    codecs: TransformCodecs::Bytes {
        decoder: |options| {
            let padding = Padding::from_options(options, Padding::Required);
            Box::new(BaseDecoder::new(Base64Format::standard(), options, false, Some(padding)))
        },
        encoder: |options| {
            let has_padding = pads(options, Padding::Required);
            Box::new(BaseEncoder::new(Base64Format::standard(), options, 76, has_padding))
        },
    },
};

/// Base64 with `-` and `_`.
pub static BASE64URL: Transform = Transform {
    name: "base64url",
    aliases: &["b64url"],
    title: "base64url",
    description: "Base64 for URLs and file names, without lines and padding (RFC 4648, section 5)",
    options: &[base_n::LINE, base_n::NEWLINE, base_n::PADDING_OPTIONAL, base_n::LENIENT],
    codecs: TransformCodecs::Bytes {
        decoder: |options| {
            let padding = Padding::from_options(options, Padding::Optional);
            Box::new(BaseDecoder::new(Base64Format::url(), options, false, Some(padding)))
        },
        encoder: |options| {
            let has_padding = pads(options, Padding::Optional);
            Box::new(BaseEncoder::new(Base64Format::url(), options, 0, has_padding))
        },
    },
};

fn pads(options: &EncodingOptions, default: Padding) -> bool {
    Padding::from_options(options, default) == Padding::Required
}

/// The alphabet of base64.
pub(super) struct Base64Format {
    digits: &'static [u8; 64],
    alphabet: Base64Alphabet,
}

impl Base64Format {
    pub fn standard() -> Base64Format {
        Base64Format {
            digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            alphabet: Base64Alphabet::with_last_digits(b'+', b'/'),
        }
    }

    fn url() -> Base64Format {
        Base64Format {
            digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
            alphabet: Base64Alphabet::with_last_digits(b'-', b'_'),
        }
    }
}

impl BaseFormat for Base64Format {
    const DIGIT_BITS: u32 = 6;
    const GROUP_BYTES: usize = 3;
    const GROUP_DIGITS: usize = 4;

    fn digits(&self) -> &'static [u8] {
        self.digits
    }

    fn encode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (read, written) = base64_bytes::encode(&self.alphabet, src, dst);
        let rest = base_n::encode_groups_by_digit(self, &src[read..], &mut dst[written..]);
        (read + rest.0, written + rest.1)
    }

    fn encode_lines(
        &self,
        src: &[u8],
        dst: &mut [u8],
        line_len: usize,
        newline: &[u8],
    ) -> (usize, usize) {
        if line_len < MIN_LINE_LEN {
            return (0, 0);
        }
        base64_bytes::encode_lines(&self.alphabet, src, dst, line_len, newline)
    }

    fn decode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        base64_bytes::decode(&self.alphabet, src, dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_testing::{decode, encode};
    use charpipe_encoding::conversion_error::MalformedReason;

    /// RFC 4648, section 10.
    const VECTORS: [(&str, &str); 7] = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];

    #[test]
    fn test_vectors_of_the_rfc_are_converted() {
        for (plain, encoded) in VECTORS {
            assert_eq!(encode(&BASE64, "line=0", plain), encoded);
            assert_eq!(decode(&BASE64, "", encoded), (plain.into(), vec![]));
            let unpadded = encoded.trim_end_matches('=');
            assert_eq!(encode(&BASE64URL, "", plain), unpadded);
            assert_eq!(decode(&BASE64URL, "", unpadded), (plain.into(), vec![]));
            assert_eq!(decode(&BASE64URL, "", encoded), (plain.into(), vec![]));
        }
    }

    #[test]
    fn lines_have_the_given_length() {
        assert_eq!(encode(&BASE64, "line=4", "foobar"), "Zm9v\nYmFy\n");
        assert_eq!(encode(&BASE64, "line=3,newline=crlf", "foob"), "Zm9\r\nvYg\r\n==\r\n");
        assert_eq!(encode(&BASE64, "", ""), "");
        let line = "YWFh".repeat(19);
        assert_eq!(encode(&BASE64, "", "a".repeat(57)), format!("{line}\n"));
        assert_eq!(encode(&BASE64, "", "a".repeat(60)), format!("{line}\nYWFh\n"));
    }

    #[test]
    fn white_space_is_skipped_and_other_bytes_are_errors() {
        use MalformedReason::{InvalidCharacter, InvalidPadding};
        assert_eq!(decode(&BASE64, "", "Z m\r\n9\tv\n"), ("foo".into(), vec![]));
        assert_eq!(
            decode(&BASE64, "", "Zm*9v-"),
            ("foo".into(), vec![(2, 1, InvalidCharacter), (5, 1, InvalidCharacter)])
        );
        assert_eq!(decode(&BASE64, "lenient", "Zm*9v-Zg"), ("foof".into(), vec![]));
        assert_eq!(
            decode(&BASE64, "", "=Zm9v="),
            ("foo".into(), vec![(0, 1, InvalidPadding), (5, 1, InvalidPadding)])
        );
        assert_eq!(decode(&BASE64URL, "", "_-8="), (vec![0xFF, 0xEF], vec![]));
    }

    #[test]
    fn padding_must_be_exact() {
        use MalformedReason::{InvalidPadding, NonZeroPadding, Truncated};
        let decode_to = |options, src: &str| decode(&BASE64, options, src);
        assert_eq!(decode_to("", "Zg"), ("f".into(), vec![(2, 0, InvalidPadding)]));
        assert_eq!(decode_to("", "Zg="), ("f".into(), vec![(3, 0, InvalidPadding)]));
        assert_eq!(decode_to("", "Zg==="), ("f".into(), vec![(4, 1, InvalidPadding)]));
        assert_eq!(decode_to("", "Zg==Zg=="), ("ff".into(), vec![(4, 1, InvalidPadding)]));
        assert_eq!(decode_to("", "Zg=Zg=="), ("ff".into(), vec![(3, 1, InvalidPadding)]));
        assert_eq!(decode_to("", "Zh=="), ("f".into(), vec![(2, 1, NonZeroPadding)]));
        assert_eq!(decode_to("padding=no", "Zh"), ("f".into(), vec![(2, 0, NonZeroPadding)]));
        assert_eq!(decode_to("padding=no", "Zg="), ("f".into(), vec![(2, 1, InvalidPadding)]));
        assert_eq!(
            decode_to("padding=optional", "Zg="),
            ("f".into(), vec![(3, 0, InvalidPadding)])
        );
        assert_eq!(decode_to("", "Z"), ("".into(), vec![(1, 0, Truncated)]));
        assert_eq!(decode_to("lenient", "Zh=Zg===Zh"), ("fff".into(), vec![]));
    }
}
