//! Determines an encoding from what leaves no doubt: a byte order mark, valid UTF-8, or a declaration.

use super::declared::{Declaration, DeclarationProber};
use super::utf8_sniffer::Utf8Sniffer;
use charpipe_encoding::encoding::Encoding;

/// The evidence of `auto`.
#[derive(Default)]
#[allow(missing_debug_implementations, reason = "as its parts")]
pub struct AutoSniffer {
    utf8: Utf8Sniffer,
    declared: DeclarationProber,
}

/// The result of [`AutoSniffer::finish`].
#[derive(Debug, Clone)]
pub struct AutoResult {
    /// The encoding, if something determines it.
    pub encoding: Option<&'static Encoding>,
    /// Whether the input contains NUL.
    pub has_nul: bool,
    /// A declaration that the bytes contradict.
    pub ignored_declaration: Option<Declaration>,
}

impl AutoSniffer {
    /// Examines the next bytes of the input.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.utf8.feed(bytes);
        self.declared.feed(bytes);
    }

    /// Returns the result: by a byte order mark, by UTF-8 that is not ASCII, by a declaration, or as
    /// UTF-8. `is_truncated` means that the input continues.
    pub fn finish(mut self, is_truncated: bool) -> AutoResult {
        if !is_truncated {
            self.utf8.finish();
        }
        self.declared.finish(is_truncated);
        let is_certain = self.utf8.bom_encoding().is_some() || !self.utf8.is_ascii();
        let of_bytes = self.utf8.encoding();
        let has_nul = self.utf8.has_nul();
        let accepted = self.declared.accepted(has_nul).map(|accepted| accepted.encoding);
        let (encoding, is_confirmed) = match (of_bytes, accepted) {
            (Some(found), accepted) if is_certain => {
                let is_confirmed = accepted == Some(found);
                (Some(found), is_confirmed)
            }
            (_, Some(declared)) => (Some(declared), true),
            (found, None) => (found, false),
        };
        let ignored_declaration = self.declared.declaration(is_confirmed).filter(|_| !is_confirmed);
        AutoResult { encoding, has_nul, ignored_declaration }
    }
}
