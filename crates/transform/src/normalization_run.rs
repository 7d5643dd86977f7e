//! Normalizes characters one after the other, as long as no mark has to be reordered.
//!
//! Most text needs no more: letters are replaced by their cached forms, Hangul is computed, and a mark in canonical
//! order is appended or composes with the letter that directly precedes it. Whatever else occurs ends the run before
//! its segment.

use super::normalization::{Form, INTERACTING, MAX_FAST_NONSTARTERS, REPLACED, STARTER};
use super::normalization_cache::{Entry, MAX_NORMALIZED_LEN, NormalizedChar};

/// The highest bit of each byte.
const NON_ASCII: u64 = u64::from_ne_bytes([0x80; 8]);

/// A value that is not a code point.
const NO_CHARACTER: u32 = u32::MAX;

const FIRST_SYLLABLE: u32 = 0xAC00;
const FIRST_LEADING: u32 = 0x1100;
const FIRST_VOWEL: u32 = 0x1161;
/// One before the first trailing consonant.
const BEFORE_TRAILING: u32 = 0x11A7;
const LEADING_COUNT: u32 = 19;
const VOWEL_COUNT: u32 = 21;
/// The number of trailing consonants, and one for none.
const TRAILING_COUNT: u32 = 28;
const SYLLABLE_COUNT: u32 = LEADING_COUNT * VOWEL_COUNT * TRAILING_COUNT;

/// Normalizes characters from the start of `src`. Returns the numbers of bytes read and written: whole segments, none
/// if the first one is not simple, may continue after `src`, or does not fit. Ends after `max_unchanged` bytes in a
/// row that were unchanged.
pub fn normalize_prefix(
    form: &Form,
    src: &str,
    dst: &mut [u8],
    end: bool,
    max_unchanged: usize,
) -> (usize, usize) {
    let mut run = Run::new(form, dst);
    let (mut read, mut changed_at) = (0, 0);
    while read - changed_at < max_unchanged {
        let character = match run.push_kept(src, read) {
            Next::Kept(len) => {
                read += len;
                continue;
            }
            Next::Other(code_point) => char::from_u32(code_point),
            Next::Unknown => src[read..].chars().next(),
        };
        let Some(character) = character else {
            let is_complete = end || src.ends_with(|last: char| last.is_ascii_control());
            return if is_complete { (read, run.written) } else { run.complete };
        };
        match run.push(character, read) {
            None => break,
            Some(IsKept(true)) => {}
            Some(IsKept(false)) => changed_at = read,
        }
        read += character.len_utf8();
    }
    run.complete
}

/// What follows in the input.
enum Next {
    /// This many bytes, which were written unchanged.
    Kept(usize),
    /// A character that may have to be changed.
    Other(u32),
    /// The end of a buffer is near, or a character of four bytes.
    Unknown,
}

/// Whether a character was written unchanged.
struct IsKept(bool);

/// The output of a run, and what the next character depends on.
struct Run<'a> {
    form: &'a Form,
    dst: &'a mut [u8],
    written: usize,
    /// The numbers of bytes read and written before the last segment.
    complete: (usize, usize),
    /// The last starter if it is known, or [`NO_CHARACTER`].
    starter: u32,
    /// The entry of the starter if `last_ccc` has to be taken from it.
    starter_entry: Option<Entry>,
    /// The combining class of the last nonstarter in the decomposition of the segment, or zero.
    last_ccc: u8,
    /// The number of nonstarters after the starter, including those that composed with it.
    nonstarters: usize,
    /// Whether a nonstarter follows the starter in the output.
    has_marks: bool,
}

impl<'a> Run<'a> {
    fn new(form: &'a Form, dst: &'a mut [u8]) -> Run<'a> {
        Run {
            form,
            dst,
            written: 0,
            complete: (0, 0),
            starter: NO_CHARACTER,
            starter_entry: None,
            last_ccc: 0,
            nonstarters: 0,
            has_marks: false,
        }
    }

    /// Writes ASCII characters, or another character if it is certain that it is kept, which begin at the byte `read` of
    /// the input.
    #[inline(always)]
    fn push_kept(&mut self, src: &str, read: usize) -> Next {
        let Some(bytes) = src.as_bytes()[read..].first_chunk::<8>() else { return Next::Unknown };
        let Some(to) = self.dst[self.written..].first_chunk_mut::<8>() else {
            return Next::Unknown;
        };
        *to = *bytes;
        let non_ascii = u64::from_le_bytes(*bytes) & NON_ASCII;
        let ascii_len = match non_ascii {
            0 => 8,
            _ => non_ascii.trailing_zeros() as usize / 8,
        };
        if ascii_len > 0 {
            self.written += ascii_len - 1;
            self.start(read + ascii_len - 1, bytes[ascii_len - 1].into(), None);
            self.written += 1;
            return Next::Kept(ascii_len);
        }
        let [first, second, third, ..] = *bytes;
        let [first, second, third] = [first, second, third].map(u32::from);
        let (code_point, len) = match first {
            0..0xE0 => ((first & 0x1F) << 6 | second & 0x3F, 2),
            0xE0..0xF0 => ((first & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F, 3),
            _ => return Next::Unknown,
        };
        let entry = self.form.known_entry(code_point);
        if entry.is_plain_starter() {
            self.start(read, code_point, None);
        } else if entry.is_plain_nonstarter() {
            self.resolve_starter();
            if self.nonstarters == MAX_FAST_NONSTARTERS || entry.class() < self.last_ccc {
                return Next::Other(code_point);
            }
            self.nonstarters += 1;
            self.last_ccc = entry.class();
            self.has_marks = true;
        } else {
            return Next::Other(code_point);
        }
        self.written += len;
        Next::Kept(len)
    }

    /// Writes a character that begins at the byte `read` of the input. Returns `None` if it cannot.
    #[inline(always)]
    fn push(&mut self, character: char, read: usize) -> Option<IsKept> {
        if self.form.is_composed {
            if let Some(syllable) = self.compose_hangul(character) {
                return self.replace_starter(syllable, 0);
            }
        } else if let Some(jamo) = decompose_syllable(character) {
            self.start(read, NO_CHARACTER, None);
            return self.write(&jamo);
        }
        let entry = self.form.entry(character);
        match entry.class() {
            STARTER => {
                self.start(read, character.into(), Some(entry));
                self.write_char(character).map(|()| IsKept(true))
            }
            REPLACED => {
                let normalized = self.form.normalized(entry)?;
                let single = normalized.first().filter(|_| normalized.is_single);
                self.start(read, single.map_or(NO_CHARACTER, u32::from), None);
                self.last_ccc = normalized.last_ccc;
                self.write(&normalized)
            }
            INTERACTING => {
                let normalized = self.form.normalized(entry).filter(|found| found.is_single)?;
                self.push_interacting(&normalized, read)
            }
            ccc => {
                self.resolve_starter();
                self.count_nonstarter(ccc)?;
                self.has_marks = true;
                self.write_char(character).map(|()| IsKept(true))
            }
        }
    }

    /// Begins a segment with a starter.
    #[inline(always)]
    fn start(&mut self, read: usize, starter: u32, entry: Option<Entry>) {
        self.complete = (read, self.written);
        self.starter = starter;
        self.starter_entry = entry;
        self.last_ccc = 0;
        self.nonstarters = 0;
        self.has_marks = false;
    }

    /// Takes the combining class of the last nonstarter from the entry of a starter, if it is not known.
    #[inline(always)]
    fn resolve_starter(&mut self) {
        if let Some(normalized) =
            self.starter_entry.take().and_then(|entry| self.form.normalized(entry))
        {
            self.last_ccc = normalized.last_ccc;
        }
    }

    /// Returns `None` if a nonstarter with this class has to be reordered, or is one of too many.
    #[inline(always)]
    fn count_nonstarter(&mut self, ccc: u8) -> Option<()> {
        self.nonstarters += 1;
        if ccc < self.last_ccc || self.nonstarters > MAX_FAST_NONSTARTERS {
            return None;
        }
        self.last_ccc = ccc;
        Some(())
    }

    /// Writes a character that may compose with the starter.
    #[inline(always)]
    fn push_interacting(&mut self, normalized: &NormalizedChar, read: usize) -> Option<IsKept> {
        self.resolve_starter();
        let (character, ccc) = (normalized.first()?, normalized.ccc);
        let is_blocked = self.has_marks && self.last_ccc >= ccc;
        if ccc != 0 {
            self.count_nonstarter(ccc)?;
        }
        if self.form.is_composed && !is_blocked {
            if let Some(composite) = self.form.compose(char::from_u32(self.starter)?, character) {
                return match self.has_marks {
                    true => None,
                    false => self.replace_starter(composite, ccc),
                };
            }
        }
        match ccc {
            0 => self.start(read, character.into(), None),
            _ => self.has_marks = true,
        }
        self.write(normalized)
    }

    /// Writes a composite instead of the starter, which is the last character of the output.
    #[inline(always)]
    fn replace_starter(&mut self, composite: char, last_ccc: u8) -> Option<IsKept> {
        self.written = self.complete.1;
        self.starter = composite.into();
        self.starter_entry = None;
        self.last_ccc = last_ccc;
        self.write_char(composite).map(|()| IsKept(false))
    }

    /// Returns the syllable of the starter and a vowel or a trailing consonant.
    #[inline(always)]
    fn compose_hangul(&self, character: char) -> Option<char> {
        let character = u32::from(character);
        if !(FIRST_VOWEL..BEFORE_TRAILING + TRAILING_COUNT).contains(&character) || self.has_marks {
            return None;
        }
        let starter = self.starter;
        let (leading, vowel) = (starter.wrapping_sub(FIRST_LEADING), character - FIRST_VOWEL);
        if leading < LEADING_COUNT && vowel < VOWEL_COUNT {
            let index = (leading * VOWEL_COUNT + vowel) * TRAILING_COUNT;
            return char::from_u32(FIRST_SYLLABLE + index);
        }
        let (syllable, trailing) =
            (starter.wrapping_sub(FIRST_SYLLABLE), character.wrapping_sub(BEFORE_TRAILING));
        let composes = syllable < SYLLABLE_COUNT
            && syllable % TRAILING_COUNT == 0
            && (1..TRAILING_COUNT).contains(&trailing);
        composes.then(|| char::from_u32(starter + trailing)).flatten()
    }

    #[inline(always)]
    fn write_char(&mut self, character: char) -> Option<()> {
        let to = self.dst[self.written..].first_chunk_mut::<4>()?;
        self.written += character.encode_utf8(to).len();
        Some(())
    }

    #[inline(always)]
    fn write(&mut self, normalized: &NormalizedChar) -> Option<IsKept> {
        *self.dst[self.written..].first_chunk_mut::<MAX_NORMALIZED_LEN>()? = normalized.utf8;
        self.written += usize::from(normalized.len);
        Some(IsKept(false))
    }
}

/// Returns the decomposition of a Hangul syllable.
#[inline(always)]
fn decompose_syllable(character: char) -> Option<NormalizedChar> {
    let index = u32::from(character).wrapping_sub(FIRST_SYLLABLE);
    if index >= SYLLABLE_COUNT {
        return None;
    }
    let leading = (index / (VOWEL_COUNT * TRAILING_COUNT)) as u8;
    let vowel = (index / TRAILING_COUNT % VOWEL_COUNT) as u8;
    let trailing = (index % TRAILING_COUNT) as u8;
    // U+1100 is E1 84 80, U+1161 is E1 85 A1, U+11A7 is E1 86 A7, and U+11C0 is E1 87 80.
    let [next, last] = match trailing {
        0..25 => [0x86, 0xA7 + trailing],
        _ => [0x87, 0x80 + (trailing - 25)],
    };
    let (lead, first) = (0xE1, 0x80 + leading);
    let utf8 = [lead, 0x84, first, lead, 0x85, 0xA1 + vowel, lead, next, last, 0, 0, 0];
    let len = if trailing == 0 { 6 } else { 9 };
    Some(NormalizedChar { len, utf8, ..NormalizedChar::default() })
}
