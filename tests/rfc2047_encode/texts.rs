//! Texts of all that a header may meet, in random order.

/// Numbers that look random and are the same in every run: Marsaglia's xorshift with 64 bits.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A text of up to the given number of these pieces.
    pub fn text(&mut self, most: usize, of: &[&str]) -> String {
        (0..=self.below(most)).map(|_| self.one(of)).collect()
    }
}

pub const LATIN: &[&str] = &[
    " ",
    " ",
    " ",
    "a",
    "plain",
    "words",
    "é",
    "ü",
    "ß",
    "naïve",
    "façade",
    "  ",
    "\t",
    "=?",
    "?=",
    "=",
    "?",
    "_",
    "\u{1}",
    "\u{7F}",
    "\u{85}",
    "\u{A0}",
    "12:30",
    ":",
    "=?UTF-8?Q?x?=",
    "\"",
    "(",
    ")",
    "<",
    ">",
    "@",
    ",",
    ";",
    "\\",
    "a-token-that-is-so-long-that-it-fills-more-than-one-line-of-mail-all-by-itself-and-more",
    "                                                                                          ",
];

pub const ANY: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "a",
    "plain",
    "é",
    "ж",
    "слово",
    "中",
    "文字化け",
    "🎂",
    "👩\u{200D}👩\u{200D}👧",
    "e\u{301}",
    "\u{301}",
    "\u{FEFF}",
    "  ",
    "\t",
    "=?",
    "?=",
    "\u{1}",
    "\"",
    "(",
    ")",
    "\\",
    "@",
    "a-token-that-is-so-long-that-it-fills-more-than-one-line-of-mail-all-by-itself-and-more",
    "                                                                                          ",
];

/// The same with line ends that blanks follow.
pub const FOLDED: &[&str] = &[
    " ",
    " ",
    "\n ",
    "\r\n ",
    "\n\t",
    "\n  ",
    "\r\n \r\n ",
    "a",
    "plain",
    "words",
    "é",
    "naïve",
    "中文",
    "🎂",
    "=?",
    "\u{1}",
    "  ",
    "a-token-that-is-so-long-that-it-fills-more-than-one-line-of-mail-all-by-itself-and-more",
    "                                                                                          ",
    "\n                                                                                        ",
];

/// What lists of addresses are made of, in no order that a list would have.
pub const ADDRESSES: &[&str] = &[
    " ",
    " ",
    "é",
    "name",
    ",",
    "<a@b>",
    "(",
    ")",
    "\"",
    "\"é\"",
    "\"a b\"",
    "\\",
    ":",
    ";",
    "\n ",
    "   ",
    "(é)",
    "=?",
    "<",
    ">",
    "@",
    "[",
    "]",
    "中",
    "a-long-name-of-one-atom-a-long-name-of-one-atom-a-long-name",
    "                                                              ",
];
