//! Charsets of one octet a character, by table: text to octets.

use super::ascii_runs;
use super::lookup::{Half, half};
use super::units::{self, FEW, GROUP, Units, boundary};
use crate::kernel::simd::{self, Loop, Simd, WIDTH};

/// What a character is encoded to: 4000 and an octet, or another number that the codec gives a
/// meaning to. Nought is nothing.
pub type Answer = u16;

/// Of an [`Answer`]: it is an octet.
pub const OCTET: Answer = 0x4000;

/// The answer for each character up to U+FFFF.
#[derive(Debug)]
pub struct Answers {
    /// By code point. Memory that is never written is not taken from the system.
    all: Box<[Answer; 0x1_0000]>,
    low: Low,
}

/// What ASCII is encoded to, as far as that is quickly told.
#[derive(Debug)]
enum Low {
    /// To itself.
    Itself,
    /// To these octets.
    Octets(Box<Half>),
    /// To something else, or not all of it.
    Other,
}

impl Answers {
    /// Answers for characters up to U+FFFF; of several for one character the last holds.
    pub fn new(given: impl IntoIterator<Item = (char, Answer)>) -> Answers {
        let mut all = vec![0; 0x1_0000].into_boxed_slice();
        for (character, answer) in given {
            if let Some(place) = all.get_mut(u32::from(character) as usize) {
                *place = answer;
            }
        }
        Answers { low: low(&all[..0x80]), all: all.try_into().expect("so many") }
    }

    /// The answer for a character.
    pub fn of(&self, character: char) -> Answer {
        self.all.get(u32::from(character) as usize).copied().unwrap_or(0)
    }

    /// Encodes characters at the front of `src` while `dst` has room to spare and each has an octet.
    /// Says how many bytes it has read and written.
    pub fn encode(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        simd::run(Encode { answers: self, src: src.as_bytes(), dst })
    }

    /// Writes the octets of these units; whether each has one.
    #[inline(always)]
    fn put(&self, units: &[u16; GROUP], room: &mut [u8; GROUP]) -> bool {
        let mut all = OCTET;
        for (unit, room) in units.iter().zip(room) {
            let answer = self.all[usize::from(*unit)];
            *room = answer as u8;
            all &= answer;
        }
        all != 0
    }
}

/// What ASCII is encoded to.
fn low(ascii: &[Answer]) -> Low {
    if !ascii.iter().all(|answer| answer & OCTET != 0) {
        return Low::Other;
    }
    let itself = ascii.iter().zip(0..).all(|(answer, value)| *answer == OCTET | value);
    let octets = || half(|value| ascii[usize::from(value)] as u8);
    if itself { Low::Itself } else { Low::Octets(Box::new(octets())) }
}

struct Encode<'a> {
    answers: &'a Answers,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Encode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Encode { answers, src, dst } = self;
        let (mut read, mut written, mut vectors) = (0, 0, FEW);
        let mut units = Units::new();
        loop {
            let run = ascii(simd, &answers.low, &src[read..], &mut dst[written..]);
            read += run;
            written += run;
            let room = &mut dst[written..];
            let taken = units.take(simd, &src[read..], vectors.min(room.len() / WIDTH));
            let groups = units.groups().iter().zip(room.as_chunks_mut().0);
            let good =
                groups.map(|(units, room)| answers.put(units, room)).take_while(|good| *good);
            let good = good.count() * GROUP;
            let all = units.all();
            if taken == 0 || good < all.len() {
                let good = &all[..good.min(all.len())];
                return (boundary(src, read) + units::length(good), written + good.len());
            }
            read += taken;
            written += all.len();
            vectors = (2 * vectors).min(units::MOST);
        }
    }
}

/// Encodes ASCII, so many vectors at once; how many octets.
#[inline(always)]
fn ascii<S: Simd>(simd: S, low: &Low, src: &[u8], dst: &mut [u8]) -> usize {
    match low {
        Low::Itself => ascii_runs(simd, src, dst, None),
        Low::Octets(table) => ascii_runs(simd, src, dst, Some(table)),
        Low::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CHARSETS, octets};
    use super::*;
    use crate::kernel::simd::Level;

    /// The answers for a charset.
    fn answers(character: fn(u8) -> Option<char>) -> Answers {
        let known =
            |octet| character(octet).map(|character| (character, OCTET | Answer::from(octet)));
        Answers::new((0..=0xFF).filter_map(known))
    }

    #[test]
    fn encoding_agrees_with_the_plain_loop_as_far_as_it_goes() {
        for character in CHARSETS {
            let answers = answers(character);
            let known: String = octets().into_iter().filter_map(character).collect();
            let starts = known
                .char_indices()
                .enumerate()
                .filter(|(index, _)| *index < 250 || index.is_multiple_of(7));
            for ((_, (start, _)), odd) in starts.zip(["", "\u{3A9}", "中", "😀"].iter().cycle())
            {
                let text = known[start..].to_owned() + odd + "abcdefghijklmnopqrstuvwxyz";
                for (level, room) in Level::all()
                    .flat_map(|level| [0, 16, 17, 100, 10_000].map(|room| (level, room)))
                {
                    let mut dst = vec![0x55; room];
                    let (answers, src) = (&answers, text.as_bytes());
                    let (read, written) = level.run(Encode { answers, src, dst: &mut dst });
                    let back: Option<String> =
                        dst[..written].iter().map(|octet| character(*octet)).collect();
                    assert_eq!(back.as_deref(), text.get(..read), "{start} {odd} {room}");
                    let near: Vec<char> = text[read..].chars().take(WIDTH).collect();
                    let stopped = near.iter().any(|character| answers.of(*character) == 0);
                    let full = room - written < WIDTH;
                    let short = text.len() - read < WIDTH + units::BEHIND;
                    assert!(stopped || full || short, "{start} {room} stops early: {near:?}");
                }
            }
        }
    }

    #[test]
    fn it_stops_at_the_very_group_where_a_character_has_no_octet() {
        let answers = answers(CHARSETS[0]);
        for before in 0..200 {
            let text = format!("{}\u{3A9}{}", "a\u{69E}".repeat(before), "b".repeat(50));
            let mut dst = vec![0; 1000];
            let (read, written) = answers.encode(&text, &mut dst);
            assert_eq!(text[..read].chars().count(), written);
            assert!(read <= 3 * before && 3 * before < read + 2 * WIDTH, "{before} {read}");
        }
    }

    #[test]
    fn what_ascii_is_encoded_to_is_told_where_it_is_an_octet() {
        assert!(matches!(answers(CHARSETS[0]).low, Low::Itself));
        assert!(matches!(answers(CHARSETS[2]).low, Low::Octets(octets) if octets[4][1] == 0x24));
        let given = (0..0x80).map(|octet: u8| (octet.into(), Answer::from(octet)));
        assert!(matches!(Answers::new(given.clone()).low, Low::Other));
        assert!(matches!(Answers::new(given.take(0x7F)).low, Low::Other));
    }

    #[test]
    fn each_character_has_the_answer_that_it_was_given_last() {
        let given = ['\0', 'A', '\u{7FF}', '\u{800}', '\u{83F}', '\u{840}', '\u{FFFF}'];
        let numbered = || given.into_iter().zip(2..);
        let answers =
            Answers::new(given.map(|character| (character, 1)).into_iter().chain(numbered()));
        for (character, number) in numbered() {
            assert_eq!(answers.of(character), number, "{character:?}");
        }
        for character in ['\u{1}', '\u{7FE}', '\u{801}', '\u{880}', '\u{FFFE}', '\u{10000}'] {
            assert_eq!(answers.of(character), 0, "{character:?}");
        }
    }
}
