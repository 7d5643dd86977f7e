//! The decoder of MARC-8 and ANSEL.

use super::tables::{self, Designation, EAST_ASIAN, EscapeMatch, Repertoire};
use super::{Buffer, Designated, MAX_LOOKAHEAD, MAX_MARKS};
use crate::codec::{Checkpoint, DecodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};

/// The maximum length of the bytes before a letter, marks and escape sequences.
const MAX_CLUSTER_LEN: usize = 48;

/// A decoder, whose state is the designated sets: bytes of an incomplete cluster are left unread.
pub(super) struct Marc8Decoder {
    repertoire: &'static Repertoire,
    designated: Designated,
}

/// What is at the start of the input.
enum Item {
    /// A character with the number of its bytes, and whether it precedes its letter.
    Character(char, usize, bool),
    /// A control character of one byte.
    Control(char),
    /// An escape sequence of this length, and the sets after it.
    Escape(usize, Designated),
    NeedMore,
    Malformed(usize, MalformedReason),
}

/// A letter with its marks, or why there is none.
enum Cluster {
    /// The text, the number of bytes, and the sets after them.
    Text(Buffer, usize, Designated),
    NeedMore,
    Malformed(Malformed),
}

impl Marc8Decoder {
    pub fn new(repertoire: &'static Repertoire) -> Marc8Decoder {
        Marc8Decoder { repertoire, designated: Designated::INITIAL }
    }

    /// Returns the number of bytes at the start of `src` that are ASCII in ASCII, and no control characters.
    fn ascii_len(&self, src: &[u8]) -> usize {
        match self.designated.g0 {
            tables::BASIC_LATIN => {
                src.iter().position(|byte| !matches!(byte, 0x20..0x7F)).unwrap_or(src.len())
            }
            _ => 0,
        }
    }

    /// Returns what is at the start of `src`, which is not empty.
    fn item(&self, src: &[u8], designated: Designated, end: bool) -> Item {
        let byte = src[0];
        let set = if byte < 0x80 { designated.g0 } else { designated.g1 };
        match (byte, byte & 0x7F) {
            (0x1B, _) if self.repertoire.is_marc() => match self.repertoire.escape_sequence(src) {
                EscapeMatch::Found(len, designation) => Item::Escape(
                    len,
                    match designation {
                        Designation::G0(g0) => Designated { g0, ..designated },
                        Designation::G1(g1) => Designated { g1, ..designated },
                    },
                ),
                EscapeMatch::Incomplete if !end => Item::NeedMore,
                EscapeMatch::Incomplete => Item::Malformed(src.len(), MalformedReason::Truncated),
                EscapeMatch::Unknown => Item::Malformed(1, MalformedReason::UnknownEscapeSequence),
            },
            (..0x20 | 0x7F, _) => Item::Control(char::from(byte)),
            (0x88, _) if self.repertoire.is_marc() => Item::Control('\u{98}'),
            (0x89, _) if self.repertoire.is_marc() => Item::Control('\u{9C}'),
            (0x8D, _) if self.repertoire.is_marc() => Item::Control('\u{200D}'),
            (0x8E, _) if self.repertoire.is_marc() => Item::Control('\u{200C}'),
            (0x80..=0xA0 | 0xFF, _) => Item::Malformed(1, MalformedReason::InvalidLeadByte),
            (_, 0x21..) if set == EAST_ASIAN => self.east_asian_item(src, end),
            (_, low) => match self.repertoire.cell(set, low) {
                Some(cell) => Item::Character(cell.character, 1, cell.is_mark),
                None => Item::Malformed(1, MalformedReason::Unassigned),
            },
        }
    }

    /// Returns the character of three bytes at the start of `src`, which are in the same half.
    fn east_asian_item(&self, src: &[u8], end: bool) -> Item {
        let half = src[0] & 0x80;
        let mut code = 0;
        for len in 0..3 {
            match src.get(len) {
                Some(byte) if byte & 0x80 == half && (0x20..0x7F).contains(&(byte & 0x7F)) => {
                    code = code << 8 | u32::from(byte & 0x7F);
                }
                Some(_) => return Item::Malformed(len, MalformedReason::MissingTrailByte),
                None if end => return Item::Malformed(len, MalformedReason::Truncated),
                None => return Item::NeedMore,
            }
        }
        match self.repertoire.east_asian_character(code) {
            Some(character) => Item::Character(character, 3, false),
            None => Item::Malformed(3, MalformedReason::Unassigned),
        }
    }

    /// Decodes the cluster at the start of `src`, whose first mark has one byte.
    fn cluster(&self, src: &[u8], first: char, end: bool) -> Cluster {
        let (mut marks, mut count, mut len) = ([first; MAX_MARKS], 1, 1);
        let mut designated = self.designated;
        let malformed = |len, reason, designated: Designated| {
            Cluster::Malformed(Malformed::new(len, reason, designated.pack()))
        };
        loop {
            if len > MAX_CLUSTER_LEN {
                return malformed(1, MalformedReason::MissingTrailByte, self.designated);
            }
            if len == src.len() {
                return match end {
                    true => malformed(len, MalformedReason::Truncated, designated),
                    false => Cluster::NeedMore,
                };
            }
            match self.item(&src[len..], designated, end) {
                Item::Character(mark, mark_len, true) => {
                    if count == MAX_MARKS {
                        return malformed(1, MalformedReason::MissingTrailByte, self.designated);
                    }
                    marks[count] = mark;
                    count += 1;
                    len += mark_len;
                }
                Item::Character(letter, letter_len, false) => {
                    let text = self.compose(letter, &marks[..count]);
                    return Cluster::Text(text, len + letter_len, designated);
                }
                Item::Escape(escape_len, next) => {
                    len += escape_len;
                    designated = next;
                }
                Item::NeedMore => return Cluster::NeedMore,
                Item::Control(_) | Item::Malformed(..) => {
                    return malformed(len, MalformedReason::MissingTrailByte, designated);
                }
            }
        }
    }

    /// Returns the text of a letter and its marks, composed up to the first mark that does not compose: a mark after that one
    /// would be encoded before it.
    fn compose(&self, letter: char, marks: &[char]) -> Buffer {
        let (mut letter, mut rest) = (letter, marks);
        while let Some((mark, after)) = rest.split_first() {
            let Some(composed) = self.repertoire.composed(letter, *mark) else { break };
            (letter, rest) = (composed, after);
        }
        let mut text = Buffer::new();
        text.push_char(letter);
        rest.iter().for_each(|mark| text.push_char(*mark));
        text
    }
}

impl Checkpoint for Marc8Decoder {
    fn save_state(&self) -> State {
        self.designated.pack()
    }

    fn restore_state(&mut self, state: State) {
        self.designated = Designated::unpack(state);
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for Marc8Decoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = self.ascii_len(&src[read..]).min(dst.len() - written);
            dst[written..written + ascii].copy_from_slice(&src[read..read + ascii]);
            read += ascii;
            written += ascii;
            if read == src.len() {
                return Progress::input_empty(read, written);
            }
            let mut text = Buffer::new();
            let (len, designated) = match self.item(&src[read..], self.designated, end) {
                Item::Character(mark, _, true) => match self.cluster(&src[read..], mark, end) {
                    Cluster::Text(cluster, len, designated) => {
                        text = cluster;
                        (len, designated)
                    }
                    Cluster::NeedMore => return Progress::input_empty(read, written),
                    Cluster::Malformed(error) => return Progress::error(read, written, error),
                },
                Item::Character(letter, len, false) => {
                    text.push_char(letter);
                    (len, self.designated)
                }
                Item::Control(character) => {
                    text.push_char(character);
                    let is_separator = matches!(character, '\x1D'..='\x1F');
                    (1, if is_separator { Designated::INITIAL } else { self.designated })
                }
                Item::Escape(len, designated) => (len, designated),
                Item::NeedMore => return Progress::input_empty(read, written),
                Item::Malformed(len, reason) => {
                    let error = Malformed::new(len, reason, self.designated.pack());
                    return Progress::error(read, written, error);
                }
            };
            if !text.write_to(dst, &mut written) {
                return Progress::output_full(read, written);
            }
            read += len;
            self.designated = designated;
        }
    }
}
