//! Control characters that text does not have.

use memchr::memchr_iter;

/// The byte that ends a text file of DOS or CP/M, perhaps many times to fill a sector.
const END_OF_TEXT_FILE: u8 = 0x1A;

/// NEL, the only one of the C1 control characters that text has: the line end of EBCDIC.
const NEXT_LINE: u8 = 0x85;

/// Counts control characters in content that arrives in pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Controls {
    chars: u64,
    found: u64,
    shifts: u64,
    /// Characters 1A at the end of what has been counted.
    at_end: u64,
}

impl Controls {
    /// Counts the next bytes in an unknown superset of ASCII. SO and SI may be the shifts of an encoding
    /// then, so they are counted apart.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.chars += bytes.len() as u64;
        self.count(bytes);
    }

    /// Counts the next piece of decoded text.
    pub(crate) fn add_text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.chars += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        self.count(bytes);
        self.found += std::mem::take(&mut self.shifts);
        // In UTF-8 C1 control characters are C2 80 to C2 9F.
        let after_c2 = memchr_iter(0xC2, bytes).filter_map(|at| bytes.get(at + 1));
        self.found += after_c2.filter(|byte| **byte < 0xA0 && **byte != NEXT_LINE).count() as u64;
    }

    fn count(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|byte| *byte != END_OF_TEXT_FILE).map_or(0, |at| at + 1);
        if end > 0 {
            self.found += std::mem::take(&mut self.at_end);
        }
        self.at_end += (bytes.len() - end) as u64;
        let (mut found, mut shifts) = (0, 0);
        for byte in &bytes[..end] {
            found += u64::from(is_control(*byte));
            shifts += u64::from(is_shift(*byte));
        }
        self.found += found;
        self.shifts += shifts;
    }

    /// Returns whether there was nothing to count.
    pub(crate) fn is_empty(&self) -> bool {
        self.chars == 0
    }

    /// The number of characters.
    pub(crate) fn chars(&self) -> u64 {
        self.chars
    }

    /// Returns whether there is any control character.
    pub(crate) fn any(&self) -> bool {
        self.found > 0
    }

    /// Returns whether more than one character in this number is a control character.
    pub(crate) fn exceed(&self, per_control: u64) -> bool {
        self.found * per_control > self.chars
    }

    /// Counts SO and SI among the control characters, because the encoding cannot use them as shifts.
    pub(crate) fn with_shifts(&self) -> Controls {
        Controls { found: self.found + self.shifts, shifts: 0, ..self.clone() }
    }
}

/// All control characters but those of text: BEL to CR, ESC, and the shifts. Terminals and printers
/// gave them their place in text: overstrikes, bells, tabs, page ends, colors.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x10..=0x1A | 0x1C..=0x1F | 0x7F)
}

/// SO and SI.
fn is_shift(byte: u8) -> bool {
    matches!(byte, 0x0E | 0x0F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(text: &[u8]) -> bool {
        let found = |size| {
            let mut controls = Controls::default();
            text.chunks(size).for_each(|piece| controls.add(piece));
            controls.any()
        };
        let whole = found(text.len());
        assert!((1..text.len()).all(|size| found(size) == whole), "{text:?}");
        whole
    }

    #[test]
    fn text_may_have_the_controls_of_terminals_and_printers() {
        for text in [
            &b"a\tb\r\n\x0C\x0B"[..],
            b"\x1B[1mbold\x1B[0m \x07",
            b"b\x08bo\x08o",
            b"\x1B$B0!\x1B(B",
            b"dos\r\n\x1A",
            b"\x1A\x1A\x1A",
        ] {
            assert!(!any(text), "{text:?}");
        }
    }

    #[test]
    fn text_has_no_other_controls() {
        for byte in (0..32).chain([127]).filter(|byte| !matches!(byte, 7..=15 | 0x1B)) {
            assert!(any(&[byte, b'a']), "{byte:02X}");
        }
    }

    #[test]
    fn c1_controls_count_in_decoded_text_but_for_nel() {
        for (text, found) in [("a\u{80}", true), ("\u{9F}", true), ("\u{85}\u{A0}é", false)] {
            let mut controls = Controls::default();
            controls.add_text(text);
            assert_eq!(controls.any(), found, "{text:?}");
        }
    }
}
