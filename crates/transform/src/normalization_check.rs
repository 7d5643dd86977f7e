//! Decoders that check a normalization form.
//!
//! Text is copied up to the first character at which it stops being in the form: the longest prefix
//! in the form ends before it. That character is the malformed sequence, with the reason
//! [`NotNormalized`](MalformedReason::NotNormalized). In NFC it is, for example, a combining mark that
//! composes with the letter before it, a mark out of canonical order, or a singleton such as U+212B.
//! After an error the checker continues as if the character were absent, so text without the
//! characters in error is in the form.
//!
//! The check is exact for text of any kind. In particular more than 30 nonstarters in a row are not
//! an error, although the conversion to the form divides them.
//!
//! The state is the last starter and the combining class of the last nonstarter after it, which is
//! all that the next character depends on.

use unicode_normalization::IsNormalized;

use super::normalization::{
    COPY_SIZE, Form, INTERACTING, InertRuns, REPLACED, STARTER, last_character_start, prefix,
};
use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_kernel::bulk_copy;

/// Copies text that is in a form.
#[derive(Debug)]
pub struct NormalizationChecker {
    form: &'static Form,
    /// The last starter.
    starter: Option<char>,
    /// The combining class of the last nonstarter after the starter, or zero.
    last_ccc: u8,
}

/// The bit from which the state contains the combining class.
const CCC_SHIFT: u32 = 32;

impl NormalizationChecker {
    /// Returns a decoder that checks a form.
    pub fn new(form: &'static Form) -> NormalizationChecker {
        NormalizationChecker { form, starter: None, last_ccc: 0 }
    }

    /// Returns whether a character that depends on its context is in the form, and if so records it.
    fn accepts(&mut self, character: char, class: u8) -> bool {
        match class {
            REPLACED => false,
            INTERACTING => {
                let first = self.form.first_decomposed(character);
                let ccc = unicode_normalization::char::canonical_combining_class(first);
                let is_error = self.form.keeps(character) == IsNormalized::No
                    || (ccc != 0 && ccc < self.last_ccc)
                    || (self.form.is_composed
                        && self.form.composes_after(self.starter, self.last_ccc, character));
                if is_error {
                    return false;
                }
                if ccc == 0 {
                    self.starter = Some(character);
                }
                self.last_ccc = ccc;
                true
            }
            ccc => {
                let is_ordered = ccc >= self.last_ccc;
                self.last_ccc = self.last_ccc.max(ccc);
                is_ordered
            }
        }
    }

    /// Returns the length of the longest prefix in the form, and records its end.
    fn accepted_len(&mut self, src: &str) -> usize {
        let bytes = src.as_bytes();
        let mut at = 0;
        // The position of a starter that is not recorded yet.
        let mut starter_at = None;
        let mut runs = InertRuns::default();
        while at < bytes.len() {
            let inert_len = runs.len(self.form, src, at);
            if inert_len > 0 {
                at += inert_len;
                starter_at = Some(last_character_start(bytes, at));
            }
            let Some(character) = src[at..].chars().next() else { break };
            let class = self.form.class(character);
            if class == STARTER {
                starter_at = Some(at);
            } else {
                self.record_starter(src, starter_at.take());
                if !self.accepts(character, class) {
                    return at;
                }
            }
            at += character.len_utf8();
        }
        self.record_starter(src, starter_at);
        at
    }

    fn record_starter(&mut self, src: &str, at: Option<usize>) {
        if let Some(at) = at {
            self.starter = src[at..].chars().next();
            self.last_ccc = 0;
        }
    }
}

impl Checkpoint for NormalizationChecker {
    fn save_state(&self) -> State {
        let starter = self.starter.map_or(0, |starter| u64::from(u32::from(starter)) + 1);
        State::new(starter | u64::from(self.last_ccc) << CCC_SHIFT)
    }

    fn restore_state(&mut self, state: State) {
        let bits = state.bits();
        self.starter = (bits as u32).checked_sub(1).and_then(char::from_u32);
        self.last_ccc = (bits >> CCC_SHIFT) as u8;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl TextTransform for NormalizationChecker {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let mut read = 0;
        loop {
            let rest = &src[read..];
            let window = prefix(rest, (dst.len() - read).min(COPY_SIZE));
            let len = self.accepted_len(window);
            bulk_copy::copy(&window.as_bytes()[..len], &mut dst[read..]);
            read += len;
            if let Some(character) = window[len..].chars().next() {
                let reason = MalformedReason::NotNormalized;
                let error = Malformed::new(character.len_utf8(), reason, self.save_state());
                return Progress::error(read, read, error);
            }
            if read == src.len() {
                return Progress::input_empty(read, read);
            }
            if len == 0 {
                return Progress::output_full(read, read);
            }
        }
    }
}
