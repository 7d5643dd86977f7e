//! How the lines of an input end, counted over bytes that come in pieces.

use memchr::memchr2_iter;

use super::LineEndings;

/// Line ends of each kind so far.
#[derive(Debug, Clone, Default)]
pub(super) struct LineEndingCounter {
    lf: u64,
    crlf: u64,
    cr: u64,
    /// Whether the last byte was a CR, which may be the first half of a CR LF.
    pending_cr: bool,
}

impl LineEndingCounter {
    /// Counts in the next bytes of an encoding that has CR and LF where ASCII has them.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        if self.pending_cr && *first != b'\n' {
            self.cr += 1;
            self.pending_cr = false;
        }
        for at in memchr2_iter(b'\r', b'\n', bytes) {
            let after_cr = if at == 0 { self.pending_cr } else { bytes[at - 1] == b'\r' };
            if bytes[at] == b'\r' {
                self.pending_cr = at + 1 == bytes.len();
                self.cr += u64::from(!self.pending_cr && bytes[at + 1] != b'\n');
            } else {
                self.pending_cr = false;
                *(if after_cr { &mut self.crlf } else { &mut self.lf }) += 1;
            }
        }
    }

    /// How the lines end, if the input ends here.
    pub(super) fn result(&self) -> LineEndings {
        let cr = self.cr + u64::from(self.pending_cr);
        match (self.lf > 0, self.crlf > 0, cr > 0) {
            (false, false, false) => LineEndings::None,
            (true, false, false) => LineEndings::Lf,
            (false, true, false) => LineEndings::CrLf,
            (false, false, true) => LineEndings::Cr,
            _ => LineEndings::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_does_not_depend_on_chunk_size() {
        for (text, expected) in [
            ("", LineEndings::None),
            ("a", LineEndings::None),
            ("a\nb\n\n", LineEndings::Lf),
            ("a\r\nb\r\n\r\n", LineEndings::CrLf),
            ("a\rb\r\r", LineEndings::Cr),
            ("\r", LineEndings::Cr),
            ("a\nb\r\n", LineEndings::Mixed),
            ("\r\r\n", LineEndings::Mixed),
            ("\n\r", LineEndings::Mixed),
            ("a\r\nb\r", LineEndings::Mixed),
        ] {
            for size in 1..=text.len().max(1) {
                let mut counter = LineEndingCounter::default();
                text.as_bytes().chunks(size).for_each(|piece| counter.feed(piece));
                assert_eq!(counter.result(), expected, "{text:?} {size}");
            }
        }
    }
}
