//! Characters of one length that stand side by side at the start of UTF-8 text.
//!
//! Words are written in one script, so the next characters mostly are as long as the first. All of
//! a step's lanes are worked out without asking how many there are, then the count says how far to
//! go: one branch a step in place of one a character.
//!
//! The order of the lines matters. Where the count is requested before the values, the compiler
//! takes them from the words that it has in hand, lane by lane, at half the speed.

/// Bytes that a step looks at.
pub const WINDOW_LEN: usize = 16;

/// Bytes of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceLen {
    /// ASCII.
    One,
    /// U+0080 to U+07FF.
    Two,
    /// U+0800 to U+FFFF.
    Three,
    /// U+10000 and up.
    Four,
}

/// How long the character is that stands first in text.
#[inline(always)]
pub fn sequence_len(input: &[u8; WINDOW_LEN]) -> SequenceLen {
    match input[0] {
        0x00..=0x7F => SequenceLen::One,
        0x80..=0xDF => SequenceLen::Two,
        0xE0..=0xEF => SequenceLen::Three,
        _ => SequenceLen::Four,
    }
}

/// How many characters of ASCII stand first.
#[inline(always)]
pub fn ascii_len(input: &[u8; WINDOW_LEN]) -> usize {
    let others = u128::from_le_bytes(*input) & u128::from_le_bytes([0x80; WINDOW_LEN]);
    // To ask lets the processor go on before it has counted: twice as fast in English.
    if others == 0 { WINDOW_LEN } else { others.trailing_zeros() as usize / 8 }
}

// The positions of lead bytes of three.
const THREE_BYTE_LEADS: u128 = 1 | 1 << 24 | 1 << 48 | 1 << 72;

/// How many characters of three bytes stand first, up to four, and their values, as far as they
/// go.
#[inline(always)]
pub fn three_byte_run(input: &[u8; WINDOW_LEN]) -> (usize, [u32; 4]) {
    let mut values = [0; 4];
    for (lane, value) in values.iter_mut().enumerate() {
        let quad = input[3 * lane..].first_chunk().map_or(0, |quad| u32::from_le_bytes(*quad));
        *value = (quad & 0x0F) << 12 | quad >> 2 & 0xFC0 | quad >> 16 & 0x3F;
    }
    let others =
        u128::from_le_bytes(*input) & (THREE_BYTE_LEADS * 0xF0) ^ (THREE_BYTE_LEADS * 0xE0);
    (if others == 0 { 4 } else { others.trailing_zeros() as usize / 24 }, values)
}

/// The value of the character of four bytes that stands first.
#[inline(always)]
pub fn decode_four_byte(input: &[u8; WINDOW_LEN]) -> u32 {
    let [lead, first, second, third] = [input[0], input[1], input[2], input[3]].map(u32::from);
    (lead & 0x07) << 18 | (first & 0x3F) << 12 | (second & 0x3F) << 6 | third & 0x3F
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each number of characters of each length, and another length after them.
    fn same_length_prefixes(length: usize) -> impl Iterator<Item = (String, [u8; WINDOW_LEN])> {
        let samples = [['a', '\0', '\x7F'], ['\u{80}', 'ж', '\u{7FF}']];
        let more = [['\u{800}', '中', '\u{FFFF}'], ['\u{10000}', '🎂', '\u{10FFFF}']];
        let all = [samples, more].concat();
        let others: Vec<_> = (0..4).filter(|other| other + 1 != length).collect();
        (0..=WINDOW_LEN).flat_map(move |count| {
            let all = all.clone();
            others.clone().into_iter().map(move |other| {
                let front: String = all[length - 1].iter().cycle().take(count).collect();
                let rest = all[other].iter().cycle().take(WINDOW_LEN);
                let text: String = front.chars().chain(rest.copied()).collect();
                (front, *text.as_bytes().first_chunk().unwrap())
            })
        })
    }

    #[test]
    fn each_count_ends_where_the_length_changes() {
        for (front, input) in same_length_prefixes(1) {
            assert_eq!(ascii_len(&input), front.len().min(WINDOW_LEN), "{front:?}");
        }
        for (front, input) in same_length_prefixes(3) {
            let (count, values) = three_byte_run(&input);
            assert_eq!(count, front.chars().count().min(4), "{front:?}");
            assert!(front.chars().zip(values).all(|(c, value)| u32::from(c) == value));
        }
        for (front, input) in same_length_prefixes(4).filter(|(front, _)| !front.is_empty()) {
            assert_eq!(Some(decode_four_byte(&input)), front.chars().next().map(u32::from));
        }
    }

    #[test]
    fn lead_byte_determines_the_length() {
        for (text, expected) in [
            ("\x7F", SequenceLen::One),
            ("\u{80}", SequenceLen::Two),
            ("\u{7FF}", SequenceLen::Two),
            ("\u{800}", SequenceLen::Three),
            ("\u{FFFF}", SequenceLen::Three),
            ("\u{10000}", SequenceLen::Four),
            ("\u{10FFFF}", SequenceLen::Four),
        ] {
            assert_eq!(
                sequence_len(text.repeat(WINDOW_LEN).as_bytes().first_chunk().unwrap()),
                expected
            );
        }
    }
}
