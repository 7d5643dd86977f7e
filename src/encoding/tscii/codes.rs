//! The codes of TSCII beyond ASCII, and how the longest of them is found.

/// A code in a line: its bytes, and the characters that they are. `<` marks one that is only
/// decoded, `>` one that is only encoded. From the GNU C library 2.36, whose encoder does not put a
/// sign before the last letter of `>8AC3`.
const CODES: &str = include_str!("codes.tsv");

/// A code as it is converted: from these bytes to those.
type CodePair = (Vec<u8>, Vec<u8>);

/// A line of the codes.
pub struct TsciiCode {
    bytes: Vec<u8>,
    utf8: Vec<u8>,
    one_way: Option<char>,
}

impl TsciiCode {
    fn all() -> impl Iterator<Item = TsciiCode> {
        CODES.lines().filter_map(|line| {
            let only = line.chars().next().filter(|mark| "<>".contains(*mark));
            let (bytes, text) = line.trim_start_matches(['<', '>']).split_once('\t')?;
            let bytes = (0..bytes.len()).step_by(2).map(|at| &bytes[at..at + 2]);
            let bytes = bytes.filter_map(|byte| u8::from_str_radix(byte, 16).ok());
            let character = |number| char::from_u32(u32::from_str_radix(number, 16).ok()?);
            let text: String = text.split(' ').filter_map(character).collect();
            Some(TsciiCode { bytes: bytes.collect(), utf8: text.into_bytes(), one_way: only })
        })
    }

    /// From bytes to UTF-8.
    pub fn bytes(self) -> CodePair {
        (self.bytes, self.utf8)
    }

    /// From UTF-8 to bytes.
    pub fn text(self) -> CodePair {
        (self.utf8, self.bytes)
    }

    /// Whether it is decoded.
    pub fn is_decoded(&self) -> bool {
        self.one_way != Some('>')
    }

    /// Whether it is encoded.
    pub fn is_encoded(&self) -> bool {
        self.one_way != Some('<')
    }
}

/// The codes in one direction.
pub struct TsciiDirection {
    /// Sorted.
    pairs: Vec<CodePair>,
    /// For each byte the index of the first code that begins with it or a higher one, so that what
    /// begins none, which may come by the million, is no search.
    first_index: [u16; 0x101],
}

/// What stands next.
pub enum LongestMatch<'a> {
    /// This in place of so many bytes.
    Match(&'a [u8], usize),
    /// No code.
    NoMatch,
    /// What is not there yet decides.
    NeedMore,
}

impl TsciiDirection {
    /// The codes of which `is_of` holds, in this direction.
    pub fn new(
        direction: fn(TsciiCode) -> CodePair,
        is_of: fn(&TsciiCode) -> bool,
    ) -> TsciiDirection {
        let mut codes: Vec<CodePair> = TsciiCode::all().filter(is_of).map(direction).collect();
        codes.sort();
        let before = |byte| codes.partition_point(|(code, _)| usize::from(code[0]) < byte);
        let begin = std::array::from_fn(|raw_byte| before(raw_byte) as u16);
        TsciiDirection { pairs: codes, first_index: begin }
    }

    /// The longest code at the start of `src`, which is not empty and whose first byte or character has `lead` bytes;
    /// `end` says that nothing follows.
    pub fn longest_match(&self, src: &[u8], lead: usize, end: bool) -> LongestMatch<'_> {
        let mut found = LongestMatch::NoMatch;
        let byte = usize::from(src[0]);
        let codes = &self.pairs[self.first_index[byte].into()..self.first_index[byte + 1].into()];
        let lead = &src[..lead.min(src.len())];
        // A code that begins another one comes before it.
        let from = codes.partition_point(|(code, _)| &code[..] < lead);
        for (code, other) in codes[from..].iter().take_while(|two| two.0.starts_with(lead)) {
            if src.starts_with(code) {
                found = LongestMatch::Match(other, code.len());
            } else if !end && code.starts_with(src) {
                return LongestMatch::NeedMore;
            }
        }
        found
    }
}
