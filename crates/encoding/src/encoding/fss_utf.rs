//! FSS-UTF: UTF-8 of RFC 2044 and RFC 2279, 1 to 6 bytes for values up to 7FFFFFFF.
//!
//! As in UTF-8, only the shortest form is valid, and surrogates are not; but forms of five and six
//! bytes are valid, and four bytes reach beyond U+10FFFF. The first proposal of this name, of 1992,
//! with 1 to 5 bytes and other ranges, is another format, which is not supported.

use super::Encoding;
use super::code_point_codec::{
    CodePointFormat, MAX_UCS4, ReadResult, format_factory, read_rfc2044, ucs4_codecs, write_rfc2044,
};
use crate::encoding::split_rule::SplitRule;
use charpipe_kernel as kernel;

/// FSS-UTF, the 31-bit UTF-8 of RFC 2044.
pub static FSS_UTF: Encoding = Encoding {
    ucs4: ucs4_codecs!(|_| true, |_| FssUtfFormat),
    ..Encoding::new(
        "FSS-UTF",
        "31 bits in 1 to 6 bytes, UTF-8 as first published (RFC 2044); not the proposal of 1992",
        format_factory!(|_| FssUtfFormat, |_| SplitRule::AFTER_LINE_FEED),
    )
};

struct FssUtfFormat;

impl CodePointFormat for FssUtfFormat {
    const MAX_LOOKAHEAD: usize = 6;

    fn max_value(&self) -> u32 {
        MAX_UCS4
    }

    /// Copies UTF-8, which is the same in both.
    fn decode_run(&self, src: &[u8], dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let limited = &src[..src.len().min(dst.len())];
        // A call of the validator has a fixed cost, which adjacent errors should not incur.
        if !limited.first().is_some_and(|lead| matches!(lead, 0x00..=0x7F | 0xC2..=0xF4)) {
            return (0, 0);
        }
        let valid = kernel::utf8::valid_prefix_len(limited);
        dst[..valid].copy_from_slice(&limited[..valid]);
        (valid, valid)
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let len = kernel::utf8::floor_char_boundary(text, dst.len());
        dst[..len].copy_from_slice(&text.as_bytes()[..len]);
        (len, len)
    }

    fn read_one(&self, src: &[u8], end: bool, _state: &mut u64) -> ReadResult {
        read_rfc2044(src, end)
    }

    fn write_one(&self, value: u32, dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        write_rfc2044(value, dst)
    }
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason;
    use crate::encoding::testing::{
        Error, decode, decode_every_way, encode, encode_every_way, to_ucs4_every_way,
    };

    #[test]
    fn text_has_the_same_bytes_in_utf_8_and_fss_utf() {
        let text: String = ('\0'..=char::MAX).collect();
        assert!(encode("FSS-UTF", &text) == (text.clone().into_bytes(), vec![]));
        assert!(decode("FSS-UTF", text.as_bytes()) == (text, vec![]));
    }

    /// RFC 2044, section 4.
    #[test]
    fn the_examples_of_rfc_2044_hold() {
        for (bytes, text) in [
            (&b"A\xE2\x89\xA2\xCE\x91."[..], "A\u{2262}\u{391}."),
            (b"Hi Mom \xE2\x98\xBA!", "Hi Mom \u{263A}!"),
            (b"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", "\u{65E5}\u{672C}\u{8A9E}"),
        ] {
            assert_eq!(encode_every_way("FSS-UTF", text).0, bytes);
            assert_eq!(decode_every_way("FSS-UTF", bytes).0, text);
        }
    }

    #[test]
    fn value_above_unicode_is_one_error_of_full_length() {
        for (bytes, value) in [
            (&b"\xF4\x90\x80\x80"[..], 0x11_0000),
            (b"\xF7\xBF\xBF\xBF", 0x1F_FFFF),
            (b"\xF8\x88\x80\x80\x80", 0x20_0000),
            (b"\xFB\xBF\xBF\xBF\xBF", 0x3FF_FFFF),
            (b"\xFC\x84\x80\x80\x80\x80", 0x400_0000),
            (b"\xFD\xBF\xBF\xBF\xBF\xBF", 0x7FFF_FFFF),
        ] {
            let input = [b"a", bytes, b"b"].concat();
            let beyond = vec![(1, bytes.len(), MalformedReason::AboveUnicode(value))];
            assert_eq!(decode_every_way("FSS-UTF", &input), ("a\u{FFFD}b".to_owned(), beyond));
            assert_eq!(to_ucs4_every_way("FSS-UTF", &input).0, input);
        }
    }

    #[test]
    fn malformed_sequence_is_longest_well_formed_prefix_or_one_byte() {
        use MalformedReason::{InvalidLeadByte, MissingTrailByte, Overlong, Surrogate, Truncated};
        let cases: &[(&[u8], &[Error])] = &[
            (b"\xC0\x80", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
            (
                b"\xE0\x9F\xBF",
                &[(0, 1, Overlong), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
            ),
            (
                b"\xED\xA0\x80",
                &[(0, 1, Surrogate), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
            ),
            (
                b"\xED\xBF\xBF",
                &[(0, 1, Surrogate), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
            ),
            (b"\xF0\x8FA", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
            (b"\xF8\x87A", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
            (b"\xFC\x83A", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
            (b"\xFE\xFF", &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)]),
            (b"\xE1\x80A", &[(0, 2, MissingTrailByte)]),
            (b"\xFD\xBF\xBF\xBF\xBFA", &[(0, 5, MissingTrailByte)]),
            (b"\xFC\x84\x80\xE2\x82", &[(0, 3, MissingTrailByte), (3, 2, Truncated)]),
            (b"\xC3", &[(0, 1, Truncated)]),
            (b"\xF8\x88\x80\x80", &[(0, 4, Truncated)]),
            (b"\xFD\xBF\xBF\xBF\xBF", &[(0, 5, Truncated)]),
        ];
        for (input, errors) in cases {
            assert_eq!(decode_every_way("FSS-UTF", input).1, *errors, "{input:02X?}");
            assert_eq!(to_ucs4_every_way("FSS-UTF", input).1, *errors, "{input:02X?}");
        }
    }
}
