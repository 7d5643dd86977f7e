//! Runs of characters of the same length at the start of UTF-8 text.
//!
//! Most texts are in one script, so the next characters usually are as long as the first one. A
//! step decodes all its lanes without testing how many are valid, and then counts them: one branch
//! per step instead of one per character.
//!
//! The order of the statements matters. If the count is computed before the values, the compiler
//! extracts the values lane by lane from the registers that hold the count, at half the speed.

/// The number of bytes that a step reads.
pub const WINDOW_LEN: usize = 16;

/// Bit masks of the lead bytes of adjacent characters of two, three and four bytes.
pub const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
/// Every third bit, from bit 0 on.
pub const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;
/// Every fourth bit, from bit 0 on.
pub const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

/// The length of a character in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceLen {
    /// One byte: ASCII.
    One,
    /// Two bytes: U+0080 to U+07FF.
    Two,
    /// Three bytes: U+0800 to U+FFFF.
    Three,
    /// Four bytes: from U+10000.
    Four,
}

/// Returns the length of the first character.
#[inline(always)]
pub fn sequence_len(input: &[u8; WINDOW_LEN]) -> SequenceLen {
    match input[0] {
        0x00..=0x7F => SequenceLen::One,
        0x80..=0xDF => SequenceLen::Two,
        0xE0..=0xEF => SequenceLen::Three,
        _ => SequenceLen::Four,
    }
}

/// Returns the number of leading ASCII bytes.
#[inline(always)]
pub fn ascii_len(input: &[u8; WINDOW_LEN]) -> usize {
    let others = u128::from_le_bytes(*input) & u128::from_le_bytes([0x80; WINDOW_LEN]);
    // The branch lets the processor continue before the count is known: twice as fast for English.
    if others == 0 { WINDOW_LEN } else { others.trailing_zeros() as usize / 8 }
}

/// A bit at the position of each lead byte of four three-byte characters.
const THREE_BYTE_LEADS: u128 = 1 | 1 << 24 | 1 << 48 | 1 << 72;

/// Returns the number of leading three-byte characters, at most four, and their values. Values
/// after that number are meaningless.
#[inline(always)]
pub fn three_byte_run(input: &[u8; WINDOW_LEN]) -> (usize, [u32; 4]) {
    let mut values = [0; 4];
    for (lane, value) in values.iter_mut().enumerate() {
        let bytes = input[3 * lane..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        *value = (bytes & 0x0F) << 12 | bytes >> 2 & 0xFC0 | bytes >> 16 & 0x3F;
    }
    let others =
        u128::from_le_bytes(*input) & (THREE_BYTE_LEADS * 0xF0) ^ (THREE_BYTE_LEADS * 0xE0);
    (if others == 0 { 4 } else { others.trailing_zeros() as usize / 24 }, values)
}

/// Returns the value of the first character, which must have four bytes.
#[inline(always)]
pub fn decode_four_byte<const N: usize>(input: &[u8; N]) -> u32 {
    let [lead, first, second, third] = [input[0], input[1], input[2], input[3]].map(u32::from);
    (lead & 0x07) << 18 | (first & 0x3F) << 12 | (second & 0x3F) << 6 | third & 0x3F
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns inputs with each number of leading characters of `length` bytes, and those
    /// characters.
    fn same_length_prefixes(length: usize) -> impl Iterator<Item = (String, [u8; WINDOW_LEN])> {
        let samples = [['a', '\0', '\x7F'], ['\u{80}', 'ж', '\u{7FF}']];
        let more = [['\u{800}', '中', '\u{FFFF}'], ['\u{10000}', '🎂', '\u{10FFFF}']];
        let all = [samples, more].concat();
        let others: Vec<_> = (0..4).filter(|other| other + 1 != length).collect();
        (0..=WINDOW_LEN).flat_map(move |count| {
            let all = all.clone();
            others.clone().into_iter().map(move |other| {
                let prefix: String = all[length - 1].iter().cycle().take(count).collect();
                let rest = all[other].iter().cycle().take(WINDOW_LEN);
                let text: String = prefix.chars().chain(rest.copied()).collect();
                (prefix, *text.as_bytes().first_chunk().unwrap())
            })
        })
    }

    #[test]
    fn each_count_ends_where_the_length_changes() {
        for (prefix, input) in same_length_prefixes(1) {
            assert_eq!(ascii_len(&input), prefix.len().min(WINDOW_LEN), "{prefix:?}");
        }
        for (prefix, input) in same_length_prefixes(3) {
            let (count, values) = three_byte_run(&input);
            assert_eq!(count, prefix.chars().count().min(4), "{prefix:?}");
            assert!(prefix.chars().zip(values).all(|(c, value)| u32::from(c) == value));
        }
        for (prefix, input) in same_length_prefixes(4).filter(|(prefix, _)| !prefix.is_empty()) {
            assert_eq!(Some(decode_four_byte(&input)), prefix.chars().next().map(u32::from));
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
