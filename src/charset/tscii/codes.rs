//! The codes of TSCII beyond ASCII, and how the longest of them is found.

/// A code in a line: its octets, and the characters that they are. `<` marks one that is only
/// decoded, `>` one that is only encoded. From the GNU C library 2.36, whose encoder does not put a
/// sign before the last letter of `>8AC3`.
const CODES: &str = include_str!("codes.tsv");

/// A code as it is converted: from these octets to those.
type Pair = (Vec<u8>, Vec<u8>);

/// A line of the codes.
pub struct Code {
    octets: Vec<u8>,
    text: Vec<u8>,
    only: Option<char>,
}

impl Code {
    fn all() -> impl Iterator<Item = Code> {
        CODES.lines().filter_map(|line| {
            let only = line.chars().next().filter(|mark| "<>".contains(*mark));
            let (octets, text) = line.trim_start_matches(['<', '>']).split_once('\t')?;
            let octets = (0..octets.len()).step_by(2).map(|at| &octets[at..at + 2]);
            let octets = octets.filter_map(|octet| u8::from_str_radix(octet, 16).ok());
            let character = |number| char::from_u32(u32::from_str_radix(number, 16).ok()?);
            let text: String = text.split(' ').filter_map(character).collect();
            Some(Code { octets: octets.collect(), text: text.into_bytes(), only })
        })
    }

    /// From octets to UTF-8.
    pub fn octets(self) -> Pair {
        (self.octets, self.text)
    }

    /// From UTF-8 to octets.
    pub fn text(self) -> Pair {
        (self.text, self.octets)
    }

    /// Whether it is decoded.
    pub fn decodes(&self) -> bool {
        self.only != Some('>')
    }

    /// Whether it is encoded.
    pub fn encodes(&self) -> bool {
        self.only != Some('<')
    }
}

/// The codes in one direction.
pub struct Side {
    /// Sorted.
    codes: Vec<Pair>,
    /// For each octet the index of the first code that begins with it or a higher one, so that what
    /// begins none, which may come by the million, is no search.
    begin: [u16; 0x101],
}

/// What stands next.
pub enum Found<'a> {
    /// This in place of so many octets.
    Other(&'a [u8], usize),
    /// No code.
    Nothing,
    /// What is not there yet decides.
    Undecided,
}

impl Side {
    /// The codes of which `is_of` holds, in this direction.
    pub fn new(direction: fn(Code) -> Pair, is_of: fn(&Code) -> bool) -> Side {
        let mut codes: Vec<Pair> = Code::all().filter(is_of).map(direction).collect();
        codes.sort();
        let before = |octet| codes.partition_point(|(code, _)| usize::from(code[0]) < octet);
        let begin = std::array::from_fn(|octet| before(octet) as u16);
        Side { codes, begin }
    }

    /// The longest code at the front of `src`, which is not empty and whose first octet or character has `lead` octets;
    /// `end` says that nothing follows.
    pub fn first(&self, src: &[u8], lead: usize, end: bool) -> Found<'_> {
        let mut found = Found::Nothing;
        let octet = usize::from(src[0]);
        let codes = &self.codes[self.begin[octet].into()..self.begin[octet + 1].into()];
        let lead = &src[..lead.min(src.len())];
        // A code that begins another one comes before it.
        let from = codes.partition_point(|(code, _)| &code[..] < lead);
        for (code, other) in codes[from..].iter().take_while(|two| two.0.starts_with(lead)) {
            if src.starts_with(code) {
                found = Found::Other(other, code.len());
            } else if !end && code.starts_with(src) {
                return Found::Undecided;
            }
        }
        found
    }
}
