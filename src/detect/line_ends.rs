//! How the lines of an input end, counted over bytes that come in pieces.

use memchr::memchr2_iter;

use super::LineEnds;

/// Line ends of each kind so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Count {
    lf: u64,
    crlf: u64,
    cr: u64,
    /// Whether the last byte was a CR, which may be the first half of a CR LF.
    pending: bool,
}

impl Count {
    /// Counts in the next bytes of a charset that has CR and LF where ASCII has them.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        if self.pending && *first != b'\n' {
            self.cr += 1;
            self.pending = false;
        }
        for at in memchr2_iter(b'\r', b'\n', bytes) {
            let behind_cr = if at == 0 { self.pending } else { bytes[at - 1] == b'\r' };
            if bytes[at] == b'\r' {
                self.pending = at + 1 == bytes.len();
                self.cr += u64::from(!self.pending && bytes[at + 1] != b'\n');
            } else {
                self.pending = false;
                *(if behind_cr { &mut self.crlf } else { &mut self.lf }) += 1;
            }
        }
    }

    /// How the lines end, if the input ends here.
    pub(super) fn kind(&self) -> LineEnds {
        let cr = self.cr + u64::from(self.pending);
        match (self.lf > 0, self.crlf > 0, cr > 0) {
            (false, false, false) => LineEnds::None,
            (true, false, false) => LineEnds::Lf,
            (false, true, false) => LineEnds::CrLf,
            (false, false, true) => LineEnds::Cr,
            _ => LineEnds::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_however_the_bytes_are_cut() {
        for (text, kind) in [
            ("", LineEnds::None),
            ("a", LineEnds::None),
            ("a\nb\n\n", LineEnds::Lf),
            ("a\r\nb\r\n\r\n", LineEnds::CrLf),
            ("a\rb\r\r", LineEnds::Cr),
            ("\r", LineEnds::Cr),
            ("a\nb\r\n", LineEnds::Mixed),
            ("\r\r\n", LineEnds::Mixed),
            ("\n\r", LineEnds::Mixed),
            ("a\r\nb\r", LineEnds::Mixed),
        ] {
            for size in 1..=text.len().max(1) {
                let mut count = Count::default();
                text.as_bytes().chunks(size).for_each(|piece| count.add(piece));
                assert_eq!(count.kind(), kind, "{text:?} {size}");
            }
        }
    }
}
