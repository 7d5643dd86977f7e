//! What a normalization form does with each character, computed when it is first needed.

use std::sync::atomic::{AtomicU16, AtomicU64, AtomicUsize, Ordering};

use super::normalization::{Form, INTERACTING, STARTER};

/// The number of code points that are cached: up to the end of the ideographs in use.
const CACHED_CODE_POINTS: usize = 0x3_4000;

/// The number of characters whose normalized form is cached.
const SLOT_COUNT: usize = 2048;

/// The length of the longest cached form in bytes.
pub const MAX_NORMALIZED_LEN: usize = 12;

/// The bit of an entry that has a slot.
const HAS_SLOT: u16 = 0x8000;

/// The bit from which an entry with a slot has the class, relative to [`STARTER`].
const CLASS_SHIFT: u32 = 13;

/// What is known of a character: the class, or the class and the index of a slot.
#[derive(Debug, Clone, Copy)]
pub struct Entry(u16);

impl Entry {
    /// Returns the class of the character.
    #[inline]
    pub fn class(self) -> u8 {
        match self.has_slot() {
            true => STARTER + (self.0 >> CLASS_SHIFT & 3) as u8,
            false => self.0 as u8,
        }
    }

    /// Returns whether the character is a starter that the form keeps, and has no nonstarter in its decomposition.
    #[inline]
    pub fn is_plain_starter(self) -> bool {
        self.0 == u16::from(STARTER)
    }

    /// Returns whether the character is a nonstarter that the form keeps and that never composes.
    #[inline]
    pub fn is_plain_nonstarter(self) -> bool {
        !self.has_slot() && (self.0 == 1 || self.0 > INTERACTING.into())
    }

    #[inline]
    fn has_slot(self) -> bool {
        self.0 & HAS_SLOT != 0
    }
}

/// A character, normalized by itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct NormalizedChar {
    /// The combining class of the first character.
    pub ccc: u8,
    /// The combining class of the last character of the decomposition.
    pub last_ccc: u8,
    /// Whether it is one character. For a character that may interact with what precedes it: whether its
    /// decomposition is.
    pub is_single: bool,
    /// The number of bytes.
    pub len: u8,
    /// The text.
    pub utf8: [u8; MAX_NORMALIZED_LEN],
}

impl NormalizedChar {
    /// Returns the first character.
    #[inline]
    pub fn first(&self) -> Option<char> {
        std::str::from_utf8(&self.utf8[..usize::from(self.len)]).ok()?.chars().next()
    }
}

/// The classes of code points, and the normalized forms of some. All zero at first, so that it takes no space in the
/// program, and never changed once it is set.
#[derive(Debug)]
pub struct CharacterCache {
    /// For each code point an [`Entry`], or zero if nothing is known.
    entries: [AtomicU16; CACHED_CODE_POINTS],
    /// Normalized forms.
    slots: [[AtomicU64; 2]; SLOT_COUNT],
    used_slots: AtomicUsize,
}

impl CharacterCache {
    /// Creates an empty cache.
    pub const fn new() -> CharacterCache {
        CharacterCache {
            entries: [const { AtomicU16::new(0) }; CACHED_CODE_POINTS],
            slots: [const { [const { AtomicU64::new(0) }; 2] }; SLOT_COUNT],
            used_slots: AtomicUsize::new(0),
        }
    }

    /// Returns the entry of a character in the form of this cache.
    #[inline]
    pub fn entry(&self, form: &Form, character: char) -> Entry {
        let entry = self.entries.get(character as usize);
        match entry.map_or(0, |entry| entry.load(Ordering::Acquire)) {
            0 => Entry(self.compute(form, character)),
            entry => Entry(entry),
        }
    }

    /// Returns the entry of a code point if it is known, and else one that says nothing.
    #[inline]
    pub fn known_entry(&self, code_point: u32) -> Entry {
        let entry = self.entries.get(code_point as usize);
        Entry(entry.map_or(0, |entry| entry.load(Ordering::Acquire)))
    }

    /// Returns the normalized form of the character of an entry, if it is cached.
    #[inline]
    pub fn normalized(&self, entry: Entry) -> Option<NormalizedChar> {
        entry.has_slot().then(|| {
            let slot = &self.slots[usize::from(entry.0) % SLOT_COUNT];
            NormalizedChar::from_words(slot.each_ref().map(|word| word.load(Ordering::Relaxed)))
        })
    }

    #[cold]
    fn compute(&self, form: &Form, character: char) -> u16 {
        let class = form.compute_class(character);
        let Some(entry) = self.entries.get(character as usize) else { return class.into() };
        let computed = match form.normalize_char(character, class).map(|found| self.store(&found)) {
            None => class.into(),
            Some(Some(slot)) => HAS_SLOT | u16::from(class - STARTER) << CLASS_SHIFT | slot,
            // Nothing is known of what follows it.
            Some(None) if class == STARTER => INTERACTING.into(),
            Some(None) => class.into(),
        };
        // A thread that reads the entry also sees the slot.
        entry.store(computed, Ordering::Release);
        computed
    }

    /// Stores a normalized form and returns its slot, if one is free.
    fn store(&self, normalized: &NormalizedChar) -> Option<u16> {
        let used = self.used_slots.load(Ordering::Relaxed);
        let slot = match used < SLOT_COUNT {
            true => self.used_slots.fetch_add(1, Ordering::Relaxed),
            false => used,
        };
        let words = self.slots.get(slot)?.iter().zip(normalized.words());
        words.for_each(|(stored, word)| stored.store(word, Ordering::Relaxed));
        Some(slot as u16)
    }
}

impl NormalizedChar {
    #[inline]
    fn words(&self) -> [u64; 2] {
        let mut words = [[0; 8]; 2];
        words[0][..4].copy_from_slice(&[self.ccc, self.last_ccc, self.is_single.into(), self.len]);
        words[0][4..].copy_from_slice(&self.utf8[..4]);
        words[1].copy_from_slice(&self.utf8[4..]);
        words.map(u64::from_le_bytes)
    }

    #[inline]
    fn from_words(words: [u64; 2]) -> NormalizedChar {
        let [[ccc, last_ccc, is_single, len, head @ ..], tail] = words.map(u64::to_le_bytes);
        let mut utf8 = [0; MAX_NORMALIZED_LEN];
        utf8[..4].copy_from_slice(&head);
        utf8[4..].copy_from_slice(&tail);
        NormalizedChar { ccc, last_ccc, is_single: is_single != 0, len, utf8 }
    }
}
