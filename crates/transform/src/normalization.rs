//! Unicode normalization: `nfc`, `nfd`, `nfkc`, `nfkd` (UAX #15), and `utf8-mac`.
//!
//! The data are those of the package `unicode-normalization`. (`icu_normalizer` needs 28 packages instead of two, and is
//! slower than this module: `benches/normalization`.) Text is converted a segment at a time:
//! a character before which the form has a boundary, and the characters after it up to the next
//! such character. Nothing before a boundary interacts with anything after it, so the codec has no
//! state; a segment that may continue is left unread. A segment also ends
//!
//! * before a starter that does not compose with what precedes it, as in runs of conjoining jamo;
//! * before the 31st nonstarter in a row, where U+034F is inserted, as the Stream-Safe Text Process
//!   requires (UAX #15, section 13). Nonstarters are counted in the decomposition of the form itself:
//!   the halfwidth voicing marks U+FF9E and U+FF9F count in NFKC and NFKD, but not in NFC and NFD,
//!   where they are starters. So a segment is short, however many marks the text has.
//!
//! Text that is certainly in the form already is copied: runs of [inert](Form::inert_len) characters
//! by a kernel, other characters by their [class](Form::class). What follows is converted in
//! [`normalization_run`](super::normalization_run) if it needs no reordering, and a segment at a time otherwise. A
//! control character of ASCII is written at once, because it composes with nothing: a line does not wait for the next
//! one.
//!
//! The decoders, which check a form, are in [`normalization_check`](super::normalization_check).
//!
//! # UTF-8-MAC
//!
//! `utf8-mac` is the form of file names in HFS+: NFD, except that the characters from U+2000 to
//! U+2FFF, U+F900 to U+FAFF and U+2F800 to U+2FAFF are not decomposed (Apple, Technical Q&A QA1173).
//! Reading it composes as NFC does, except that these characters are neither decomposed nor created,
//! so that reading what was written restores NFC text. HFS+ itself uses the decompositions of Unicode
//! 3.2, and has none for characters that were added later.

use unicode_normalization::char::{
    canonical_combining_class, compose, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfkc_quick};

use super::normalization_cache::{CharacterCache, Entry, NormalizedChar};
use super::normalization_check::NormalizationChecker;
use super::normalization_run::normalize_prefix;
use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{Checkpoint, Progress, TextTransform};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_kernel::bulk_copy;
use charpipe_kernel::utf8_patterns::Utf8Patterns;

/// NFC.
pub static NFC: Transform = Transform {
    name: "nfc",
    aliases: &[],
    title: "NFC",
    description: "Normalization Form C: canonical composition (UAX #15)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(NormalizationChecker::new(&NFC_FORM))),
        encoder: |_| Box::new(Normalizer { form: &NFC_FORM }),
    },
};

/// NFD.
pub static NFD: Transform = Transform {
    name: "nfd",
    aliases: &[],
    title: "NFD",
    description: "Normalization Form D: canonical decomposition (UAX #15)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(NormalizationChecker::new(&NFD_FORM))),
        encoder: |_| Box::new(Normalizer { form: &NFD_FORM }),
    },
};

/// NFKC.
pub static NFKC: Transform = Transform {
    name: "nfkc",
    aliases: &[],
    title: "NFKC",
    description: "Normalization Form KC: compatibility decomposition, canonical composition (UAX #15)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(NormalizationChecker::new(&NFKC_FORM))),
        encoder: |_| Box::new(Normalizer { form: &NFKC_FORM }),
    },
};

/// NFKD.
pub static NFKD: Transform = Transform {
    name: "nfkd",
    aliases: &[],
    title: "NFKD",
    description: "Normalization Form KD: compatibility decomposition (UAX #15)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(NormalizationChecker::new(&NFKD_FORM))),
        encoder: |_| Box::new(Normalizer { form: &NFKD_FORM }),
    },
};

/// The form of file names in HFS+.
pub static UTF8_MAC: Transform = Transform {
    name: "utf8-mac",
    aliases: &["utf-8-hfs"],
    title: "UTF-8-MAC",
    description: "File names of macOS: NFD with exceptions (QA1173); reading it composes",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(Normalizer { form: &HFS_COMPOSED_FORM })),
        encoder: |_| Box::new(Normalizer { form: &HFS_FORM }),
    },
};

/// The maximum number of nonstarters in a row (UAX #15, section 13).
const MAX_NONSTARTERS: usize = 30;

/// The number of nonstarters up to which the fast path copies them without counting exactly. A
/// starter decomposes to at most 4 trailing nonstarters.
pub const MAX_FAST_NONSTARTERS: usize = 20;

/// The capacity of a segment in characters: a compatibility decomposition of 18, a few starters that
/// compose, and the nonstarters.
const SEGMENT_CAPACITY: usize = 80;

/// The maximum number of characters in a decomposition, that of U+FDFA.
const MAX_DECOMPOSITION: usize = 18;

/// The number of bytes that are examined and then copied, while the cache still has them.
pub const COPY_SIZE: usize = 4096;

/// A character that the form keeps, with a boundary before it.
pub const STARTER: u8 = 2;
/// A character that the form replaces, with a boundary before it.
pub const REPLACED: u8 = 3;
/// A character that may interact with what precedes it.
pub const INTERACTING: u8 = 4;

/// A normalization form.
#[derive(Debug)]
pub struct Form {
    /// Whether it is composed: NFC and NFKC.
    pub is_composed: bool,
    /// Whether it uses compatibility decompositions: NFKC and NFKD.
    is_compatible: bool,
    /// Whether it excludes the characters that HFS+ does not decompose.
    is_hfs: bool,
    /// The characters that may be in another class than [`STARTER`]. The others are inert.
    active: &'static Utf8Patterns,
    /// What is known of the characters.
    cache: &'static CharacterCache,
}

static NFC_CACHE: CharacterCache = CharacterCache::new();
static NFD_CACHE: CharacterCache = CharacterCache::new();
static NFKC_CACHE: CharacterCache = CharacterCache::new();
static NFKD_CACHE: CharacterCache = CharacterCache::new();
static HFS_CACHE: CharacterCache = CharacterCache::new();
static HFS_COMPOSED_CACHE: CharacterCache = CharacterCache::new();

/// NFC.
static NFC_FORM: Form = Form {
    is_composed: true,
    is_compatible: false,
    is_hfs: false,
    active: &ACTIVE_IN_NFC,
    cache: &NFC_CACHE,
};

/// NFD.
static NFD_FORM: Form = Form {
    is_composed: false,
    is_compatible: false,
    is_hfs: false,
    active: &ACTIVE_IN_NFD,
    cache: &NFD_CACHE,
};

/// NFKC.
static NFKC_FORM: Form = Form {
    is_composed: true,
    is_compatible: true,
    is_hfs: false,
    active: &ACTIVE_IN_NFKC,
    cache: &NFKC_CACHE,
};

/// NFKD.
static NFKD_FORM: Form = Form {
    is_composed: false,
    is_compatible: true,
    is_hfs: false,
    active: &ACTIVE_IN_NFKD,
    cache: &NFKD_CACHE,
};

/// The form of file names in HFS+.
static HFS_FORM: Form = Form {
    is_composed: false,
    is_compatible: false,
    is_hfs: true,
    active: &ACTIVE_IN_NFD,
    cache: &HFS_CACHE,
};

/// The composed form of file names in HFS+.
static HFS_COMPOSED_FORM: Form = Form {
    is_composed: true,
    is_compatible: false,
    is_hfs: true,
    active: &ACTIVE_IN_NFC,
    cache: &HFS_COMPOSED_CACHE,
};

/// Combining marks, characters that they compose with as the second one, and those with a singleton
/// decomposition. Whole blocks of scripts with such characters.
static ACTIVE_IN_NFC: Utf8Patterns = Utf8Patterns::new(
    &[
        "C[CD] ..",
        "CE 87",
        "D[6CDEF] ..",
        "D[27] 8.",
        "D[89B] 9.",
        "D9 8[BCDEF]",
        "D[9B] [AB].",
        "F0 AF",
    ],
    &[
        "E[0F] B[0123456789ABEF] ..",
        "E[01AF] [89A]. ..",
        "E[012] B[0357CDEF] ..",
        "E2 [8A][34BC] ..",
        "E2 80 8[01]",
        "E3 80 A[ABCDEF]",
        "E3 82 9[9A]",
        "F. .[0123456789ABCDE] ..",
    ],
);

/// As in NFC, and Latin letters with diacritics, kana with voicing marks and Hangul syllables, but not jamo.
static ACTIVE_IN_NFD: Utf8Patterns = Utf8Patterns::new(
    &[
        "C[345678CDEF] ..",
        "D0 8[0137CDE]",
        "D0 [9B]9",
        "D1 9[0137CDE]",
        "D1 B[67]",
        "D[236789BCDEF] ..",
        "[EF][0ABCDF] ..",
        "E1 [9AB].",
    ],
    &[
        "E1 8[012389ABCDEF] ..",
        "E2 8[3456789ABC] ..",
        "E2 [AB]. ..",
        "E2 80 8[01]",
        "E3 8[123] ..",
        "E3 80 A[ABCDEF]",
    ],
);

/// As in NFC, and symbols and letters with compatibility decompositions.
static ACTIVE_IN_NFKC: Utf8Patterns = Utf8Patterns::new(
    &[
        "C[27ABCD] ..",
        "C4 B[23F]",
        "C5 [8B][09F]",
        "CE 8[457]",
        "CF [9B].",
        "D[256789BCDEF] ..",
        "[EF][0AF] ..",
        "E1 [89A].",
    ],
    &[
        "E2 8[123456789ABCDEF] ..",
        "E2 [9AB]. ..",
        "E1 B[0123456789CDEF] ..",
        "E2 80 [8AB].",
        "E[12] [8B][0A] 9[17AB]",
        "E3 80 [08AB][06789ABCDEF]",
        "E3 8[23] [9B][9ABCF]",
        "E3 8[456789ABCDEF] ..",
    ],
);

/// As in NFD, and symbols and letters with compatibility decompositions.
static ACTIVE_IN_NFKD: Utf8Patterns = Utf8Patterns::new(
    &[
        "C[2345678ABCDEF] ..",
        "D0 8[0137CDE]",
        "D0 [9B]9",
        "D1 9[0137CDE]",
        "D1 B[67]",
        "D[2356789BCDEF] ..",
        "[EF][0ABCDF] ..",
        "E1 [9AB].",
    ],
    &[
        "E1 8[012389ABCDEF] ..",
        "E2 8[123456789ABCDEF] ..",
        "E2 [9AB]. ..",
        "E2 80 [8B].",
        "E2 80 9[17]",
        "E2 80 A[456F]",
        "E3 8[123456789ABCDEF] ..",
        "E3 80 [08AB][06789ABCDEF]",
    ],
);

impl Form {
    /// Returns the class of a character: [`STARTER`], [`REPLACED`], [`INTERACTING`] or, for a
    /// nonstarter that the form keeps and that never composes, its combining class.
    #[inline]
    pub fn class(&self, character: char) -> u8 {
        self.entry(character).class()
    }

    /// Returns what is known of a character.
    #[inline]
    pub fn entry(&self, character: char) -> Entry {
        self.cache.entry(self, character)
    }

    /// Returns what is known of a code point so far.
    #[inline]
    pub fn known_entry(&self, code_point: u32) -> Entry {
        self.cache.known_entry(code_point)
    }

    /// Returns the character of an entry, normalized by itself, if that is known.
    #[inline]
    pub fn normalized(&self, entry: Entry) -> Option<NormalizedChar> {
        self.cache.normalized(entry)
    }

    /// Normalizes a character by itself, unless the form keeps it and nothing reorders before it, or it becomes
    /// too long.
    #[cold]
    pub fn normalize_char(&self, character: char, class: u8) -> Option<NormalizedChar> {
        let mut segment = Segment::new();
        self.decompose(character, |part| segment.push((part, canonical_combining_class(part))));
        let part_count = segment.len;
        let last_ccc = segment.characters[..part_count].last().map_or(0, |(_, ccc)| *ccc);
        if class == STARTER && last_ccc == 0 || class == last_ccc {
            return None;
        }
        segment.finish(self);
        let mut normalized = NormalizedChar {
            ccc: segment.characters[0].1,
            last_ccc,
            is_single: segment.len == 1 && (class != INTERACTING || part_count == 1),
            ..NormalizedChar::default()
        };
        normalized.len = segment.write(&mut normalized.utf8)? as u8;
        Some(normalized)
    }

    /// Computes the class of a character.
    #[cold]
    pub fn compute_class(&self, character: char) -> u8 {
        let first = self.first_decomposed(character);
        let first_ccc = canonical_combining_class(first);
        let may_compose =
            self.is_composed && is_nfc_quick([first].into_iter()) == IsNormalized::Maybe;
        let is_kept = self.keeps(character) == IsNormalized::Yes;
        match (first_ccc, is_kept) {
            (0, true) if !may_compose => STARTER,
            (0, false) if !may_compose => REPLACED,
            // No combining class has the value of a class of this type.
            (ccc @ (1 | 5..), true) if ccc == canonical_combining_class(character) => ccc,
            _ => INTERACTING,
        }
    }

    /// Returns whether the character may be in text of the form: for certain, never, or depending on
    /// what precedes it.
    pub fn keeps(&self, character: char) -> IsNormalized {
        match (self.is_composed, self.is_compatible) {
            _ if self.is_hfs && is_excluded_in_hfs(character) => IsNormalized::Yes,
            (true, false) => is_nfc_quick([character].into_iter()),
            (true, true) => is_nfkc_quick([character].into_iter()),
            (false, _) => {
                let (mut is_same, mut count) = (true, 0);
                self.decompose(character, |decomposed| {
                    is_same &= decomposed == character;
                    count += 1;
                });
                match is_same && count == 1 {
                    true => IsNormalized::Yes,
                    false => IsNormalized::No,
                }
            }
        }
    }

    pub fn first_decomposed(&self, character: char) -> char {
        let mut first = None;
        self.decompose(character, |decomposed| {
            first.get_or_insert(decomposed);
        });
        first.unwrap_or(character)
    }

    /// Calls a function with each character of the decomposition.
    #[inline]
    fn decompose(&self, character: char, mut emit: impl FnMut(char)) {
        match self.is_compatible {
            _ if self.is_hfs && is_excluded_in_hfs(character) => emit(character),
            true => decompose_compatible(character, emit),
            false => decompose_canonical(character, emit),
        }
    }

    /// Returns the primary composite of two characters.
    pub fn compose(&self, first: char, second: char) -> Option<char> {
        compose(first, second).filter(|composite| !(self.is_hfs && is_excluded_in_hfs(*composite)))
    }

    /// Returns the number of leading bytes in inert characters: some of the characters of the class
    /// [`STARTER`].
    pub fn inert_len(&self, src: &str) -> usize {
        self.active.prefix_len(src)
    }

    /// Normalizes the first segment, and returns its length in `src`. Returns `None` if it may
    /// continue after `src`.
    fn read_segment(&self, src: &str, end: bool, segment: &mut Segment) -> Option<usize> {
        segment.clear();
        let mut nonstarters = 0;
        for (at, character) in src.char_indices() {
            let is_boundary = at > 0 && matches!(self.class(character), STARTER | REPLACED);
            if is_boundary {
                segment.finish(self);
                return Some(at);
            }
            let mut decomposed = Decomposition::default();
            self.decompose(character, |part| decomposed.push(part));
            let parts = decomposed.parts();
            let leading = parts.iter().take_while(|(_, ccc)| *ccc != 0).count();
            if nonstarters + leading > MAX_NONSTARTERS {
                segment.finish(self);
                segment.push(('\u{34F}', 0));
                return Some(at);
            }
            let starts_segment = leading == 0 && at > 0 && !segment.joins(self, parts[0].0);
            if starts_segment || segment.len + parts.len() >= SEGMENT_CAPACITY {
                segment.finish(self);
                return Some(at);
            }
            for &(part, ccc) in parts {
                segment.push((part, ccc));
                nonstarters = if ccc == 0 { 0 } else { nonstarters + 1 };
            }
        }
        let is_complete = end || src.ends_with(|last: char| last.is_ascii_control());
        segment.finish(self);
        is_complete.then_some(src.len())
    }

    /// Returns whether a character would compose with the starter of its segment. Before it are
    /// `starter`, which is in the form, and nonstarters that did not compose, the last with the
    /// combining class `last_ccc`, or zero for none.
    pub fn composes_after(&self, starter: Option<char>, last_ccc: u8, character: char) -> bool {
        let Some(starter) = starter else { return false };
        let first = self.first_decomposed(character);
        let ccc = canonical_combining_class(first);
        if last_ccc != 0 && last_ccc >= ccc {
            return false;
        }
        // In canonical order the character precedes the marks of the starter with a higher class.
        let mut base = None;
        let mut is_before = true;
        decompose_canonical(starter, |part| match base {
            None => base = Some(part),
            Some(so_far) => {
                let part_ccc = canonical_combining_class(part);
                is_before &= part_ccc == 0 || ccc == 0 || part_ccc <= ccc;
                if is_before {
                    base = self.compose(so_far, part).or(base);
                }
            }
        });
        base.is_some_and(|base| self.compose(base, first).is_some())
    }
}

/// Returns whether HFS+ does not decompose the character.
fn is_excluded_in_hfs(character: char) -> bool {
    matches!(character, '\u{2000}'..='\u{2FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FAFF}')
}

/// Decides where to look for runs of inert characters, for which the kernel is called.
#[derive(Debug, Default)]
pub struct InertRuns {
    /// The position of the next call.
    next: usize,
    /// The number of bytes that are skipped after a short run.
    distance: usize,
}

/// The numbers of unchanged bytes after which a run of the kernel is looked for again: at first, and after short runs.
const MIN_UNCHANGED: usize = 64;
const MAX_UNCHANGED: usize = 1024;

/// The length of a run, in bytes, that is worth a call of the kernel.
const WORTHWHILE_RUN: usize = 16;

/// The maximum number of bytes that are skipped after short runs.
const MAX_DISTANCE: usize = 128;

impl InertRuns {
    /// Returns the number of bytes in inert characters at the index `at`, or zero if none are expected.
    #[inline(always)]
    pub fn len(&mut self, form: &Form, src: &str, at: usize) -> usize {
        if at < self.next {
            return 0;
        }
        let len = form.inert_len(&src[at..]);
        self.distance = match len < WORTHWHILE_RUN {
            true => (2 * self.distance).clamp(WORTHWHILE_RUN, MAX_DISTANCE),
            false => 0,
        };
        self.next = at + len + self.distance;
        len
    }
}

#[inline]
pub fn last_character_start(bytes: &[u8], end: usize) -> usize {
    bytes[..end].iter().rposition(|byte| !matches!(byte, 0x80..=0xBF)).unwrap_or(0)
}

/// Returns the longest prefix of at most `len` bytes.
pub fn prefix(src: &str, len: usize) -> &str {
    match src.len() <= len {
        true => src,
        false => {
            let boundary = (0..=len).rev().find(|at| src.is_char_boundary(*at));
            &src[..boundary.unwrap_or(0)]
        }
    }
}

/// The decomposition of a character, with combining classes.
struct Decomposition {
    parts: [(char, u8); MAX_DECOMPOSITION],
    len: usize,
}

impl Default for Decomposition {
    fn default() -> Self {
        Decomposition { parts: [('\0', 0); MAX_DECOMPOSITION], len: 0 }
    }
}

impl Decomposition {
    fn push(&mut self, part: char) {
        if let Some(slot) = self.parts.get_mut(self.len) {
            *slot = (part, canonical_combining_class(part));
            self.len += 1;
        }
    }

    fn parts(&self) -> &[(char, u8)] {
        &self.parts[..self.len]
    }
}

/// The characters of a segment, with their combining classes, in canonical order.
struct Segment {
    characters: [(char, u8); SEGMENT_CAPACITY],
    len: usize,
}

impl Segment {
    const fn new() -> Segment {
        Segment { characters: [('\0', 0); SEGMENT_CAPACITY], len: 0 }
    }

    fn clear(&mut self) {
        self.len = 0;
    }

    /// Inserts a character before the nonstarters with a higher combining class.
    fn push(&mut self, (character, ccc): (char, u8)) {
        let mut at = self.len;
        while ccc != 0 && at > 0 && self.characters[at - 1].1 > ccc {
            self.characters[at] = self.characters[at - 1];
            at -= 1;
        }
        self.characters[at] = (character, ccc);
        self.len += 1;
    }

    /// Composes the characters if the form is composed.
    fn finish(&mut self, form: &Form) {
        if !form.is_composed {
            return;
        }
        let (mut len, mut starter) = (0, None::<usize>);
        for at in 0..self.len {
            let (character, ccc) = self.characters[at];
            if let Some(starter) = starter {
                // Blocked by a starter, or by a nonstarter with the same or a higher class.
                let is_blocked = len > starter + 1 && self.characters[len - 1].1 >= ccc;
                let base = self.characters[starter].0;
                if let Some(composite) =
                    (!is_blocked).then(|| form.compose(base, character)).flatten()
                {
                    self.characters[starter].0 = composite;
                    continue;
                }
            }
            if ccc == 0 {
                starter = Some(len);
            }
            self.characters[len] = (character, ccc);
            len += 1;
        }
        self.len = len;
    }

    /// Composes the segment and returns whether its last character composes with a starter.
    fn joins(&mut self, form: &Form, starter: char) -> bool {
        self.finish(form);
        let last = self.characters[..self.len].last();
        form.is_composed
            && last.is_some_and(|(last, ccc)| *ccc == 0 && form.compose(*last, starter).is_some())
    }

    /// Writes the characters if they fit, and returns their length.
    fn write(&self, dst: &mut [u8]) -> Option<usize> {
        let characters = || self.characters[..self.len].iter().map(|(character, _)| *character);
        let len = characters().map(char::len_utf8).sum();
        let mut dst = dst.get_mut(..len)?;
        for character in characters() {
            let (to, rest) = dst.split_at_mut(character.len_utf8());
            character.encode_utf8(to);
            dst = rest;
        }
        Some(len)
    }
}

/// Converts text to a form.
#[derive(Debug)]
struct Normalizer {
    form: &'static Form,
}

impl Checkpoint for Normalizer {
    fn max_lookahead(&self) -> usize {
        4 * SEGMENT_CAPACITY
    }
}

impl TextTransform for Normalizer {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let mut max_unchanged = MIN_UNCHANGED;
        while read < src.len() {
            let window = prefix(&src[read..], (dst.len() - written).min(COPY_SIZE));
            let inert_len = match window.len() {
                0..MIN_UNCHANGED => 0,
                _ => self.form.inert_len(window),
            };
            // The last character may interact with what follows it.
            let len = last_character_start(window.as_bytes(), inert_len);
            bulk_copy::copy(&window.as_bytes()[..len], &mut dst[written..]);
            (read, written) = (read + len, written + len);
            if inert_len == window.len() && inert_len >= COPY_SIZE / 2 {
                continue;
            }
            max_unchanged = match len < WORTHWHILE_RUN {
                true => (2 * max_unchanged).min(MAX_UNCHANGED),
                false => MIN_UNCHANGED,
            };
            let output = &mut dst[written..];
            let (run_read, run_written) =
                normalize_prefix(self.form, &src[read..], output, end, max_unchanged);
            (read, written) = (read + run_read, written + run_written);
            if len + run_read > 0 {
                continue;
            }
            let mut segment = Segment::new();
            let Some(len) = self.form.read_segment(&src[read..], end, &mut segment) else {
                return Progress::input_empty(read, written);
            };
            let Some(segment_len) = segment.write(&mut dst[written..]) else {
                return Progress::output_full(read, written);
            };
            read += len;
            written += segment_len;
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [&Form; 6] =
        [&NFC_FORM, &NFD_FORM, &NFKC_FORM, &NFKD_FORM, &HFS_FORM, &HFS_COMPOSED_FORM];

    fn convert(form: &'static Form, src: &str) -> String {
        let mut dst = vec![0; 20 * src.len() + 400];
        let progress = Normalizer { form }.transform_text(src, &mut dst, true);
        assert_eq!(progress, Progress::input_empty(src.len(), progress.written));
        dst.truncate(progress.written);
        String::from_utf8(dst).unwrap()
    }

    /// Normalizes segment by segment.
    fn convert_by_segments(form: &Form, src: &str) -> String {
        let (mut read, mut out, mut segment) = (0, Vec::new(), Segment::new());
        while read < src.len() {
            read += form.read_segment(&src[read..], true, &mut segment).unwrap();
            let mut dst = [0; 4 * SEGMENT_CAPACITY];
            let len = segment.write(&mut dst).unwrap();
            out.extend_from_slice(&dst[..len]);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn runs_give_the_result_of_segments() {
        let decomposes = |form: &Form, character| {
            form.compute_class(character) != STARTER
                || form.first_decomposed(character) != character
        };
        for character in ('\0'..='\u{33FFF}').filter(|one| !('\u{AC40}'..'\u{D780}').contains(one))
        {
            for form in FORMS.into_iter().filter(|form| decomposes(form, character)) {
                for src in [
                    format!("x{character}\u{301}{character}\u{323}{character}"),
                    format!("\u{1100}{character}\u{1161}\u{E9}{character}\u{301}\u{5B0}a"),
                    format!("{character}\u{3099}{character}{character}\u{338}\u{93C} and a tail"),
                ] {
                    assert_eq!(convert(form, &src), convert_by_segments(form, &src), "{src:?}");
                }
            }
        }
    }

    #[test]
    fn inert_characters_are_starters_that_are_kept() {
        for character in '\0'..=char::MAX {
            for form in FORMS {
                if form.inert_len(character.encode_utf8(&mut [0; 4])) > 0 {
                    assert_eq!(form.compute_class(character), STARTER, "{form:?} {character:?}");
                }
            }
        }
    }

    #[test]
    fn decompositions_fit() {
        for character in '\0'..=char::MAX {
            let mut parts = Vec::new();
            decompose_compatible(character, |part| parts.push(part));
            assert!(parts.len() <= MAX_DECOMPOSITION, "{character:?}");
            let trailing = parts
                .iter()
                .rev()
                .take_while(|part| canonical_combining_class(**part) != 0)
                .count();
            assert!(trailing <= 4, "{character:?}");
        }
    }

    #[test]
    fn hangul_composes_as_far_as_it_can() {
        for (src, composed) in [
            ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"),
            ("\u{AC00}\u{11A8}\u{11A8}", "\u{AC01}\u{11A8}"),
            ("\u{1100}\u{1161}\u{1161}\u{11A8}", "\u{AC00}\u{1161}\u{11A8}"),
            ("\u{1100}\u{1100}\u{1161}", "\u{1100}\u{AC00}"),
            ("\u{1161}\u{11A8}", "\u{1161}\u{11A8}"),
            ("\u{1100}\u{300}\u{1161}", "\u{1100}\u{300}\u{1161}"),
        ] {
            assert_eq!(convert(&NFC_FORM, src), composed, "{src:?}");
        }
    }

    #[test]
    fn grapheme_joiner_is_inserted_before_the_31st_nonstarter() {
        let marks = |count| "\u{316}".repeat(count);
        for form in FORMS {
            assert_eq!(convert(form, &format!("x{}", marks(30))), format!("x{}", marks(30)));
            let expected = format!("x{}\u{34F}{}\u{34F}{}", marks(30), marks(30), marks(1));
            assert_eq!(convert(form, &format!("x{}", marks(61))), expected);
            assert_eq!(convert(form, &expected), expected);
        }
        // Those of the decomposition count.
        let expected = format!("\u{1EA5}{}\u{34F}\u{316}", marks(28));
        let decomposed = format!("a{}\u{302}\u{301}\u{34F}\u{316}", marks(28));
        assert_eq!(convert(&NFD_FORM, &format!("\u{1EA5}{}", marks(29))), decomposed);
        assert_eq!(convert(&NFC_FORM, &format!("\u{1EA5}{}", marks(29))), expected);
    }

    #[test]
    fn hfs_keeps_symbols_and_compatibility_ideographs() {
        let kept = "\u{2126}\u{212B}\u{2260}\u{F900}\u{2F800}";
        assert_eq!(convert(&HFS_FORM, kept), kept);
        assert_eq!(convert(&HFS_COMPOSED_FORM, kept), kept);
        assert_eq!(convert(&HFS_FORM, "\u{E9}\u{AC01}"), "e\u{301}\u{1100}\u{1161}\u{11A8}");
        assert_eq!(
            convert(&HFS_COMPOSED_FORM, "e\u{301}\u{1100}\u{1161}\u{11A8}"),
            "\u{E9}\u{AC01}"
        );
        assert_eq!(convert(&HFS_COMPOSED_FORM, "=\u{338}"), "=\u{338}");
    }

    #[test]
    fn line_is_written_at_once_and_other_text_waits_for_what_follows() {
        let mut codec = Normalizer { form: &NFC_FORM };
        let mut dst = [0; 400];
        for (src, read) in [("line\n", 5), ("line", 3), ("cafe\u{301}", 3), ("\u{E9}\n", 3)] {
            let progress = codec.transform_text(src, &mut dst, false);
            assert_eq!(progress, Progress::input_empty(read, read), "{src:?}");
        }
    }
}
