//! Control characters that text does not have.

use memchr::memchr_iter;

/// The byte that ends a text file of DOS or CP/M, perhaps many times to fill a sector.
const DOS_EOF: u8 = 0x1A;

/// NEL, the only one of the C1 control characters that text has: the line end of EBCDIC.
const NEXT_LINE: u8 = 0x85;

/// Counts control characters in content that arrives in pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct ControlCharCounter {
    chars: u64,
    controls: u64,
    shifts: u64,
    /// Characters 1A at the end of what has been counted.
    trailing_eof: u64,
}

impl ControlCharCounter {
    /// Counts the next bytes in an unknown superset of ASCII. SO and SI may be the shifts of an encoding
    /// then, so they are counted apart.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.chars += bytes.len() as u64;
        self.count(bytes);
    }

    /// Counts the next piece of decoded text.
    pub(crate) fn feed_text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.chars += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        self.count(bytes);
        self.controls += std::mem::take(&mut self.shifts);
        // In UTF-8 C1 control characters are C2 80 to C2 9F.
        let after_c2 = memchr_iter(0xC2, bytes).filter_map(|at| bytes.get(at + 1));
        self.controls +=
            after_c2.filter(|byte| **byte < 0xA0 && **byte != NEXT_LINE).count() as u64;
    }

    fn count(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|byte| *byte != DOS_EOF).map_or(0, |at| at + 1);
        if end > 0 {
            self.controls += std::mem::take(&mut self.trailing_eof);
        }
        self.trailing_eof += (bytes.len() - end) as u64;
        let (mut found, mut shifts) = (0, 0);
        for byte in &bytes[..end] {
            found += u64::from(is_unusual_control(*byte));
            shifts += u64::from(is_shift(*byte));
        }
        self.controls += found;
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
    pub(crate) fn has_any(&self) -> bool {
        self.controls > 0
    }

    /// Returns whether more than one character in this number is a control character.
    pub(crate) fn exceeds_threshold(&self, per_control: u64) -> bool {
        self.controls * per_control > self.chars
    }

    /// Counts SO and SI among the control characters, because the encoding cannot use them as shifts.
    pub(crate) fn including_shifts(&self) -> ControlCharCounter {
        ControlCharCounter { controls: self.controls + self.shifts, shifts: 0, ..self.clone() }
    }
}

/// All control characters but those of text: BEL to CR, ESC, and the shifts. Terminals and printers
/// gave them their position in text: overstrikes, bells, tabs, page ends, colors.
fn is_unusual_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x10..=0x1A | 0x1C..=0x1F | 0x7F)
}

/// SO and SI.
fn is_shift(byte: u8) -> bool {
    matches!(byte, 0x0E | 0x0F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_controls(text: &[u8]) -> bool {
        let found = |size| {
            let mut counter = ControlCharCounter::default();
            text.chunks(size).for_each(|piece| counter.feed(piece));
            counter.has_any()
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
            assert!(!has_controls(text), "{text:?}");
        }
    }

    #[test]
    fn text_has_no_other_controls() {
        for byte in (0..32).chain([127]).filter(|byte| !matches!(byte, 7..=15 | 0x1B)) {
            assert!(has_controls(&[byte, b'a']), "{byte:02X}");
        }
    }

    #[test]
    fn c1_controls_except_nel_count_in_decoded_text() {
        for (text, found) in [("a\u{80}", true), ("\u{9F}", true), ("\u{85}\u{A0}é", false)] {
            let mut counter = ControlCharCounter::default();
            counter.feed_text(text);
            assert_eq!(counter.has_any(), found, "{text:?}");
        }
    }
}
