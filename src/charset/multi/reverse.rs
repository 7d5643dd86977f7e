//! From characters to codes: the table of an encoder, filled when the encoder is made.

pub use crate::kernel::octet::codes::Code;
use crate::kernel::octet::codes::SHORT;

/// Marks the number of a [`Beginning`] in the place of a code. No code of four bytes ends so.
const BEGINNING: Code = 0x0100_0000;

/// Code points that tables reach: planes 0 to 2.
const LIMIT: usize = 0x3_0000;

/// The codes of all characters.
#[derive(Debug)]
pub struct Reverse {
    /// By code point. Memory that is never written is not taken from the system.
    codes: Box<[Code; LIMIT]>,
    beginnings: Vec<Beginning>,
}

/// A character that means another code together with what follows.
#[derive(Debug)]
struct Beginning {
    alone: Code,
    followers: Vec<(char, Code)>,
}

/// What a character is encoded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// It has no code.
    Nothing,
    /// Its code, and how many bytes of text it is of.
    Code(Code, usize),
    /// What follows decides, and is not there yet.
    Undecided,
}

impl Reverse {
    pub fn new() -> Reverse {
        let codes = vec![0; LIMIT].into_boxed_slice().try_into().expect("so many");
        Reverse { codes, beginnings: Vec::new() }
    }

    /// The codes of characters up to U+FFFF.
    pub fn short_codes(&self) -> &[Code; SHORT] {
        self.codes.first_chunk().expect("there are more")
    }

    /// The code of the character with this code point, or a mark of a beginning, or 0.
    #[inline(always)]
    pub fn slot(&self, value: u32) -> Code {
        self.codes.get(value as usize).copied().unwrap_or(0)
    }

    /// The code of a character that means the same whatever follows; 0 where that is not so.
    #[inline(always)]
    pub fn plain(&self, character: char) -> Code {
        let slot = self.slot(character.into());
        if is_beginning(slot) { 0 } else { slot }
    }

    /// The code of the first character of `text`, or of the first two.
    pub fn first(&self, text: &str, end: bool) -> Encoded {
        let mut characters = text.chars();
        let Some(first) = characters.next() else { return Encoded::Undecided };
        let slot = self.slot(first.into());
        let (len, beginning) = (first.len_utf8(), self.beginning(slot));
        match (slot, beginning, characters.next()) {
            (_, Some(_), None) if !end => Encoded::Undecided,
            (_, Some(beginning), next) => match next.and_then(|next| beginning.with(next)) {
                Some((code, more)) => Encoded::Code(code, len + more),
                None if beginning.alone == 0 => Encoded::Nothing,
                None => Encoded::Code(beginning.alone, len),
            },
            (0, None, _) => Encoded::Nothing,
            (code, None, _) => Encoded::Code(code, len),
        }
    }

    fn beginning(&self, slot: Code) -> Option<&Beginning> {
        is_beginning(slot).then(|| self.beginnings.get((slot - BEGINNING) as usize)).flatten()
    }

    /// The code of a character up to U+FFFF.
    #[inline(always)]
    pub fn short(&mut self, value: u16) -> &mut Code {
        &mut self.codes[usize::from(value)]
    }

    #[inline(always)]
    fn slot_mut(&mut self, character: char) -> Option<&mut Code> {
        self.codes.get_mut(u32::from(character) as usize)
    }

    /// Gives a character this code, unless it has one that `stays`.
    #[inline(always)]
    pub fn offer(&mut self, character: char, code: Code, stays: impl Fn(Code) -> bool) {
        if let Some(slot) = self.slot_mut(character)
            && (*slot == 0 || !stays(*slot))
        {
            *slot = code;
        }
    }

    /// Gives a character this code whatever it had, or none.
    pub fn insert(&mut self, character: char, code: Code) {
        if let Some(slot) = self.slot_mut(character) {
            *slot = code;
        }
    }

    /// Gives two characters together this code, unless they have one. The first by itself must
    /// have been given its code before.
    pub fn offer_pair(&mut self, (first, second): (char, char), code: Code) {
        let next = BEGINNING + self.beginnings.len() as Code;
        let Some(slot) = self.slot_mut(first) else { return };
        let mark = if is_beginning(*slot) { *slot } else { std::mem::replace(slot, next) };
        if !is_beginning(mark) {
            self.beginnings.push(Beginning { alone: mark, followers: Vec::new() });
        }
        let at = if is_beginning(mark) { mark } else { next } - BEGINNING;
        let followers = &mut self.beginnings[at as usize].followers;
        if followers.iter().all(|(known, _)| *known != second) {
            followers.push((second, code));
        }
    }
}

impl Beginning {
    /// The code together with this character, and the bytes of text that this is more.
    fn with(&self, next: char) -> Option<(Code, usize)> {
        let found = self.followers.iter().find(|(second, _)| *second == next);
        found.map(|(second, code)| (*code, second.len_utf8()))
    }
}

fn is_beginning(slot: Code) -> bool {
    slot >> 24 == 1
}
