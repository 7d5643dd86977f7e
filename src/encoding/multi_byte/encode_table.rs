//! From characters to codes: the table of an encoder, filled when the encoder is made.

use crate::kernel::dbcs::BMP_LEN;
pub use crate::kernel::dbcs::CodeBytes;

/// Marks the number of a [`Beginning`] in the position of a code. No code of four bytes ends so.
const PREFIX_FLAG: CodeBytes = 0x0100_0000;

/// Code points that tables reach: planes 0 to 2.
const CODE_POINT_LIMIT: usize = 0x3_0000;

/// The codes of all characters.
#[derive(Debug)]
pub struct MultiByteEncodeTable {
    /// By code point. Memory that is never written is not taken from the system.
    codes: Box<[CodeBytes; CODE_POINT_LIMIT]>,
    prefixes: Vec<SequencePrefix>,
}

/// A character that means another code together with what follows.
#[derive(Debug)]
struct SequencePrefix {
    single: CodeBytes,
    followers: Vec<(char, CodeBytes)>,
}

/// What a character is encoded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeStep {
    /// It has no code.
    Unmappable,
    /// Its code, and how many bytes of text it is of.
    Code(CodeBytes, usize),
    /// What follows decides, and is not there yet.
    NeedMore,
}

impl MultiByteEncodeTable {
    pub fn new() -> MultiByteEncodeTable {
        let codes = vec![0; CODE_POINT_LIMIT].into_boxed_slice().try_into().expect("so many");
        MultiByteEncodeTable { codes, prefixes: Vec::new() }
    }

    /// The codes of characters up to U+FFFF.
    pub fn bmp_codes(&self) -> &[CodeBytes; BMP_LEN] {
        self.codes.first_chunk().expect("there are more")
    }

    /// The code of the character with this code point, or a mark of a beginning, or 0.
    #[inline(always)]
    pub fn entry(&self, value: u32) -> CodeBytes {
        self.codes.get(value as usize).copied().unwrap_or(0)
    }

    /// The code of a character that means the same whatever follows; 0 where that is not so.
    #[inline(always)]
    pub fn single(&self, character: char) -> CodeBytes {
        let slot = self.entry(character.into());
        if is_prefix(slot) { 0 } else { slot }
    }

    /// The code of the first character of `text`, or of the first two.
    pub fn encode_first(&self, text: &str, end: bool) -> EncodeStep {
        let mut characters = text.chars();
        let Some(first) = characters.next() else { return EncodeStep::NeedMore };
        let slot = self.entry(first.into());
        let (len, beginning) = (first.len_utf8(), self.prefix(slot));
        match (slot, beginning, characters.next()) {
            (_, Some(_), None) if !end => EncodeStep::NeedMore,
            (_, Some(beginning), next) => match next.and_then(|next| beginning.code_with(next)) {
                Some((code, more)) => EncodeStep::Code(code, len + more),
                None if beginning.single == 0 => EncodeStep::Unmappable,
                None => EncodeStep::Code(beginning.single, len),
            },
            (0, None, _) => EncodeStep::Unmappable,
            (code, None, _) => EncodeStep::Code(code, len),
        }
    }

    fn prefix(&self, slot: CodeBytes) -> Option<&SequencePrefix> {
        is_prefix(slot).then(|| self.prefixes.get((slot - PREFIX_FLAG) as usize)).flatten()
    }

    /// The code of a character up to U+FFFF.
    #[inline(always)]
    pub fn bmp_entry_mut(&mut self, value: u16) -> &mut CodeBytes {
        &mut self.codes[usize::from(value)]
    }

    #[inline(always)]
    fn entry_mut(&mut self, character: char) -> Option<&mut CodeBytes> {
        self.codes.get_mut(u32::from(character) as usize)
    }

    /// Gives a character this code, unless it has one that `stays`.
    #[inline(always)]
    pub fn insert_if_better(
        &mut self,
        character: char,
        code: CodeBytes,
        stays: impl Fn(CodeBytes) -> bool,
    ) {
        if let Some(slot) = self.entry_mut(character)
            && (*slot == 0 || !stays(*slot))
        {
            *slot = code;
        }
    }

    /// Gives a character this code whatever it had, or none.
    pub fn insert(&mut self, character: char, code: CodeBytes) {
        if let Some(slot) = self.entry_mut(character) {
            *slot = code;
        }
    }

    /// Gives two characters together this code, unless they have one. The first by itself must
    /// have been given its code before.
    pub fn insert_pair(&mut self, (first, second): (char, char), code: CodeBytes) {
        let next = PREFIX_FLAG + self.prefixes.len() as CodeBytes;
        let Some(slot) = self.entry_mut(first) else { return };
        let mark = if is_prefix(*slot) { *slot } else { std::mem::replace(slot, next) };
        if !is_prefix(mark) {
            self.prefixes.push(SequencePrefix { single: mark, followers: Vec::new() });
        }
        let at = if is_prefix(mark) { mark } else { next } - PREFIX_FLAG;
        let followers = &mut self.prefixes[at as usize].followers;
        if followers.iter().all(|(known, _)| *known != second) {
            followers.push((second, code));
        }
    }
}

impl SequencePrefix {
    /// The code together with this character, and the bytes of text that this is more.
    fn code_with(&self, next: char) -> Option<(CodeBytes, usize)> {
        let found = self.followers.iter().find(|(second, _)| *second == next);
        found.map(|(second, code)| (*code, second.len_utf8()))
    }
}

fn is_prefix(slot: CodeBytes) -> bool {
    slot >> 24 == 1
}
