//! Punycode (RFC 3492): a line of text in letters, digits and hyphens, as within domain names.
//!
//! Each line is one string, without the prefix `xn--` of domain names, for which `idna` is. The
//! characters of ASCII are written first, then a hyphen if there were any, then the other characters
//! and their positions as numbers in base 36. A line has up to [`MAX_LEN`] bytes; labels of domain
//! names have up to 63. Letters that are digits are read in either case and written in lower case; the
//! case of letters is not a flag for the case of the character (RFC 3492, appendix A).
//!
//! A malformed line is an error as a whole, because every number depends on those before it.

use super::line_transform::{LineBuffer, LineFormat, LineTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::conversion_error::MalformedReason;

/// Punycode.
pub static PUNYCODE: Transform = Transform {
    name: "punycode",
    aliases: &[],
    title: "Punycode",
    description: "One string per line in letters, digits and hyphens, without xn-- (RFC 3492)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(LineTransform { format: PunycodeDecoder })),
        encoder: |_| Box::new(LineTransform { format: PunycodeEncoder }),
    },
};

/// The maximum length of a line in bytes, in either direction.
const MAX_LEN: usize = 512;

// The parameters of section 5.
const BASE: u32 = 36;
const TMIN: u32 = 1;
const TMAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const INITIAL_BIAS: u32 = 72;
const INITIAL_N: u32 = 0x80;
const DELIMITER: u8 = b'-';

/// Returns the bias after a number (section 6.1).
fn adapt(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta += delta / count;
    let mut k = 0;
    while delta > (BASE - TMIN) * TMAX / 2 {
        delta /= BASE - TMIN;
        k += BASE;
    }
    k + (BASE - TMIN + 1) * delta / (delta + SKEW)
}

/// Returns the threshold of the digit at position `k`, a multiple of the base.
fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(TMIN, TMAX)
}

struct PunycodeDecoder;

impl LineFormat for PunycodeDecoder {
    const MAX_LEN: usize = MAX_LEN;

    /// Decodes as in section 6.2.
    fn convert_line(&self, line: &str, converted: &mut LineBuffer) -> Result<(), MalformedReason> {
        let mut characters = ['\0'; MAX_LEN];
        let mut count = 0;
        let basic_len = line.bytes().rposition(|byte| byte == DELIMITER).unwrap_or(0);
        for character in line[..basic_len].chars() {
            if !character.is_ascii() {
                return Err(MalformedReason::InvalidCharacter);
            }
            characters[count] = character;
            count += 1;
        }
        let mut digits = line.as_bytes()[basic_len + usize::from(basic_len > 0)..].iter();
        let (mut n, mut i, mut bias) = (INITIAL_N, 0_u32, INITIAL_BIAS);
        while !digits.as_slice().is_empty() {
            let old_i = i;
            let (mut weight, mut k) = (1_u32, BASE);
            loop {
                let digit = digit_value(*digits.next().ok_or(MalformedReason::Truncated)?)
                    .ok_or(MalformedReason::InvalidCharacter)?;
                let step = digit.checked_mul(weight).and_then(|step| i.checked_add(step));
                i = step.ok_or(MalformedReason::OutOfRange)?;
                let threshold = threshold(k, bias);
                if digit < threshold {
                    break;
                }
                weight = weight.checked_mul(BASE - threshold).ok_or(MalformedReason::OutOfRange)?;
                k += BASE;
            }
            let next_count = count as u32 + 1;
            bias = adapt(i - old_i, next_count, old_i == 0);
            n = n.checked_add(i / next_count).ok_or(MalformedReason::OutOfRange)?;
            i %= next_count;
            let character = char::from_u32(n).ok_or(match n {
                0xD800..=0xDFFF => MalformedReason::Surrogate,
                _ => MalformedReason::OutOfRange,
            })?;
            let at = i as usize;
            characters.copy_within(at..count, at + 1);
            characters[at] = character;
            count += 1;
            i += 1;
        }
        characters[..count].iter().try_for_each(|character| converted.push(*character))
    }
}

/// Returns the value of a digit of base 36.
fn digit_value(byte: u8) -> Option<u32> {
    match byte {
        b'a'..=b'z' => Some(u32::from(byte - b'a')),
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 26),
        _ => None,
    }
}

struct PunycodeEncoder;

impl LineFormat for PunycodeEncoder {
    const MAX_LEN: usize = MAX_LEN;

    /// Encodes as in section 6.3.
    fn convert_line(&self, line: &str, converted: &mut LineBuffer) -> Result<(), MalformedReason> {
        let basic = || line.chars().filter(char::is_ascii);
        basic().try_for_each(|character| converted.push(character))?;
        let basic_count = basic().count() as u32;
        if basic_count > 0 {
            converted.push(char::from(DELIMITER))?;
        }
        let (mut n, mut delta, mut bias, mut handled) = (INITIAL_N, 0, INITIAL_BIAS, basic_count);
        while let Some(next) = line.chars().map(u32::from).filter(|code| *code >= n).min() {
            // At most 10FFFF times 513: below 2^32.
            delta += (next - n) * (handled + 1);
            n = next;
            for code in line.chars().map(u32::from) {
                if code < n {
                    delta += 1;
                }
                if code == n {
                    push_number(delta, bias, converted)?;
                    bias = adapt(delta, handled + 1, handled == basic_count);
                    delta = 0;
                    handled += 1;
                }
            }
            delta += 1;
            n += 1;
        }
        Ok(())
    }
}

/// Writes a number with digits of variable base.
fn push_number(number: u32, bias: u32, converted: &mut LineBuffer) -> Result<(), MalformedReason> {
    let (mut rest, mut k) = (number, BASE);
    loop {
        let threshold = threshold(k, bias);
        if rest < threshold {
            return converted.push(digit(rest));
        }
        let base = BASE - threshold;
        converted.push(digit(threshold + (rest - threshold) % base))?;
        rest = (rest - threshold) / base;
        k += BASE;
    }
}

fn digit(value: u32) -> char {
    char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[value as usize])
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{decode_every_way, encode_every_way};
    use super::MAX_LEN;
    use charpipe_encoding::conversion_error::MalformedReason::{
        InvalidCharacter, InvalidLength, OutOfRange, Surrogate, Truncated,
    };

    /// RFC 3492, section 7.1, with the letters that are digits in lower case.
    const EXAMPLES: &[(&str, &str)] = &[
        (
            "\u{644}\u{64A}\u{647}\u{645}\u{627}\u{628}\u{62A}\u{643}\u{644}\u{645}\u{648}\u{634}\
             \u{639}\u{631}\u{628}\u{64A}\u{61F}",
            "egbpdaj6bu4bxfgehfvwxn",
        ),
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
        ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        (
            "PorquénopuedensimplementehablarenEspañol",
            "PorqunopuedensimplementehablarenEspaol-fmd56a",
        ),
        ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
        ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
        ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
        ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
        ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
        ("パフィーdeルンバ", "de-jg4avhby1noc0d"),
        ("そのスピードで", "d9juau41awczczp"),
        ("-> $1.00 <-", "-> $1.00 <--"),
    ];

    #[test]
    fn examples_of_rfc_3492_hold() {
        for (text, punycode) in EXAMPLES {
            assert_eq!(encode_every_way("punycode", text), *punycode);
            assert_eq!(decode_every_way("punycode", punycode), ((*text).to_owned(), vec![]));
        }
    }

    #[test]
    fn each_line_is_a_string() {
        let (text, punycode) = ("bücher\r\n\n\rü\na\n", "bcher-kva\r\n\n\rtda\na-\n");
        assert_eq!(encode_every_way("punycode", text), punycode);
        assert_eq!(decode_every_way("punycode", punycode), (text.to_owned(), vec![]));
        assert_eq!(decode_every_way("punycode", "BCHER-KVA").0, "BüCHER");
    }

    #[test]
    fn malformed_lines_are_errors_as_a_whole() {
        for (line, reason) in [
            ("bcher-kv", Truncated),
            ("kv\u{E9}", InvalidCharacter),
            ("\u{E9}-kva", InvalidCharacter),
            ("a_", InvalidCharacter),
            ("-", InvalidCharacter),
            // The weight of the digits overflows.
            ("99999999", OutOfRange),
            // U+5B54E9 and U+D800.
            ("99999b", OutOfRange),
            ("ib9b", Surrogate),
        ] {
            let (decoded, errors) = decode_every_way("punycode", &format!("tda\n{line}\ntda"));
            assert_eq!(errors, [(4, line.len(), reason)], "{line}");
            assert_eq!(decoded, "ü\n\u{FFFD}\nü", "{line}");
        }
    }

    #[test]
    fn long_lines_are_malformed() {
        let longest = "a".repeat(MAX_LEN - 1) + "-";
        assert_eq!(decode_every_way("punycode", &longest).1, []);
        let (decoded, errors) = decode_every_way("punycode", &format!("{longest}-\n"));
        assert_eq!(errors[0], (0, MAX_LEN, InvalidLength));
        assert!(decoded.starts_with('\u{FFFD}'));
    }
}
