//! Characters of one length that stand side by side at the front of UTF-8 text.
//!
//! Words are written in one script, so the next characters mostly are as long as the first. All of
//! a step's lanes are worked out without asking how many there are, then the count says how far to
//! go: one branch a step in place of one a character.
//!
//! The order of the lines matters. Where the count is asked for before the values, the compiler
//! takes them from the words that it has in hand, lane by lane, at half the speed.

/// Octets that a step looks at.
pub const NEAR: usize = 16;

/// Octets of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
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
pub fn length(near: &[u8; NEAR]) -> Length {
    match near[0] {
        0x00..=0x7F => Length::One,
        0x80..=0xDF => Length::Two,
        0xE0..=0xEF => Length::Three,
        _ => Length::Four,
    }
}

/// How many characters of ASCII stand first.
#[inline(always)]
pub fn ones(near: &[u8; NEAR]) -> usize {
    let others = u128::from_le_bytes(*near) & u128::from_le_bytes([0x80; NEAR]);
    // To ask lets the processor go on before it has counted: twice as fast in English.
    if others == 0 { NEAR } else { others.trailing_zeros() as usize / 8 }
}

// The places of lead octets of three.
const THREES: u128 = 1 | 1 << 24 | 1 << 48 | 1 << 72;

/// How many characters of three octets stand first, up to four, and their values, as far as they
/// go.
#[inline(always)]
pub fn threes(near: &[u8; NEAR]) -> (usize, [u32; 4]) {
    let mut values = [0; 4];
    for (lane, value) in values.iter_mut().enumerate() {
        let quad = near[3 * lane..].first_chunk().map_or(0, |quad| u32::from_le_bytes(*quad));
        *value = (quad & 0x0F) << 12 | quad >> 2 & 0xFC0 | quad >> 16 & 0x3F;
    }
    let others = u128::from_le_bytes(*near) & (THREES * 0xF0) ^ (THREES * 0xE0);
    (if others == 0 { 4 } else { others.trailing_zeros() as usize / 24 }, values)
}

/// The value of the character of four octets that stands first.
#[inline(always)]
pub fn four(near: &[u8; NEAR]) -> u32 {
    let [lead, first, second, third] = [near[0], near[1], near[2], near[3]].map(u32::from);
    (lead & 0x07) << 18 | (first & 0x3F) << 12 | (second & 0x3F) << 6 | third & 0x3F
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each number of characters of each length, and another length behind them.
    fn fronts(length: usize) -> impl Iterator<Item = (String, [u8; NEAR])> {
        let samples = [['a', '\0', '\x7F'], ['\u{80}', 'ж', '\u{7FF}']];
        let more = [['\u{800}', '中', '\u{FFFF}'], ['\u{10000}', '🎂', '\u{10FFFF}']];
        let all = [samples, more].concat();
        let others: Vec<_> = (0..4).filter(|other| other + 1 != length).collect();
        (0..=NEAR).flat_map(move |count| {
            let all = all.clone();
            others.clone().into_iter().map(move |other| {
                let front: String = all[length - 1].iter().cycle().take(count).collect();
                let rest = all[other].iter().cycle().take(NEAR);
                let text: String = front.chars().chain(rest.copied()).collect();
                (front, *text.as_bytes().first_chunk().unwrap())
            })
        })
    }

    #[test]
    fn each_count_ends_where_the_length_changes() {
        for (front, near) in fronts(1) {
            assert_eq!(ones(&near), front.len().min(NEAR), "{front:?}");
        }
        for (front, near) in fronts(3) {
            let (count, values) = threes(&near);
            assert_eq!(count, front.chars().count().min(4), "{front:?}");
            assert!(front.chars().zip(values).all(|(c, value)| u32::from(c) == value));
        }
        for (front, near) in fronts(4).filter(|(front, _)| !front.is_empty()) {
            assert_eq!(Some(four(&near)), front.chars().next().map(u32::from));
        }
    }

    #[test]
    fn the_lead_octet_tells_the_length() {
        for (text, expected) in [
            ("\x7F", Length::One),
            ("\u{80}", Length::Two),
            ("\u{7FF}", Length::Two),
            ("\u{800}", Length::Three),
            ("\u{FFFF}", Length::Three),
            ("\u{10000}", Length::Four),
            ("\u{10FFFF}", Length::Four),
        ] {
            assert_eq!(length(text.repeat(NEAR).as_bytes().first_chunk().unwrap()), expected);
        }
    }
}
