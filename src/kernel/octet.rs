//! Charsets of one octet a character, by table.

/// Octets that are looked at together.
pub const STEP: usize = 16;

/// Octets that are looked up together.
const HALF: usize = STEP / 2;

/// Bytes that a step may take: the longest forms, and what the last store writes too much.
const ROOM: usize = 3 * STEP + 1;

/// For each octet the UTF-8 form of its character, first byte lowest, and its length in the highest
/// byte: nought where there is no such character. No form is longer than three bytes.
pub type Forms = [u32; 0x100];

/// Code points that UTF-8 writes in one or two bytes.
const SHORT: usize = 0x800;

/// Code points of a block.
const BLOCK: usize = 0x40;

/// What a character is encoded to: 0100 and an octet, or a number that the codec gives a meaning
/// to. Nought is nothing.
pub type Answer = u16;

/// Of an [`Answer`]: it is an octet.
pub const OCTET: Answer = 0x0100;

/// The answer for each character up to U+FFFF.
#[derive(Debug)]
pub struct Answers {
    short: Box<[Answer; SHORT]>,
    /// Which block a row of 64 code points has. The first is empty.
    places: Box<[u8; 0x1_0000 / BLOCK]>,
    blocks: Vec<[Answer; BLOCK]>,
}

impl Answers {
    /// No answer for any character.
    pub fn new() -> Answers {
        let places = Box::new([0; 0x1_0000 / BLOCK]);
        Answers { short: Box::new([0; SHORT]), places, blocks: vec![[0; BLOCK]] }
    }

    /// The answer for a character.
    pub fn of(&self, character: char) -> Answer {
        match u32::from(character) as usize {
            value @ ..SHORT => self.short[value],
            value @ SHORT..0x1_0000 => {
                self.blocks[usize::from(self.places[value / BLOCK])][value % BLOCK]
            }
            _ => 0,
        }
    }

    /// Encodes the characters that stand wholly in `near`, as far as each has an octet. Bytes read
    /// and written, and whether it came to the end.
    #[inline(always)]
    fn each(&self, near: &[u8; STEP], room: &mut [u8; STEP]) -> (usize, usize, bool) {
        let (mut at, mut put) = (0, 0);
        while at + 3 <= STEP {
            let low = |place: usize| usize::from(near[place] & 0x3F);
            let (len, answer) = match near[at] {
                one @ ..0x80 => (1, self.short[usize::from(one)]),
                two @ 0x80..0xE0 => (2, self.short[usize::from(two & 0x1F) << 6 | low(at + 1)]),
                three @ 0xE0..0xF0 => {
                    let place = self.places[usize::from(three & 0x0F) << 6 | low(at + 1)];
                    (3, self.blocks[usize::from(place)][low(at + 2)])
                }
                _ => (4, 0),
            };
            if answer & 0xFF00 != OCTET {
                return (at, put, false);
            }
            room[put] = answer as u8;
            put += 1;
            at += len;
        }
        (at, put, true)
    }

    /// Gives an answer for a character up to U+FFFF; one above has none.
    pub fn set(&mut self, character: char, answer: Answer) {
        let value = u32::from(character) as usize;
        if value < SHORT {
            self.short[value] = answer;
        } else if let Some(place) = self.places.get_mut(value / BLOCK) {
            // Not even 256 characters of one octet each reach the last number of a block.
            if *place == 0 && self.blocks.len() <= usize::from(u8::MAX) {
                *place = self.blocks.len() as u8;
                self.blocks.push([0; BLOCK]);
            }
            if *place != 0 {
                self.blocks[usize::from(*place)][value % BLOCK] = answer;
            }
        }
    }
}

/// Decodes octets at the front of `src` while `dst` has room to spare and each is a character.
/// Says how many it has read and written. `ascii`: octets below 80 are ASCII.
pub fn decode(src: &[u8], dst: &mut [u8], forms: &Forms, ascii: bool) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    for step in src.as_chunks::<STEP>().0 {
        let Some(room) = dst[written..].first_chunk_mut::<ROOM>() else { break };
        if ascii && step.is_ascii() {
            room[..STEP].copy_from_slice(step);
            written += STEP;
        } else {
            let [one, other] = step.as_chunks::<HALF>().0 else { break };
            let Some(first) = put(one, room, forms) else { break };
            let Some(second) = put(other, &mut room[first..], forms) else { break };
            written += first + second;
        }
        read += STEP;
    }
    (read, written)
}

/// Writes the forms of these octets side by side; how many bytes, if each octet is a character.
///
/// All are looked up before the first is written: a third faster than one after the other.
#[inline(always)]
fn put(octets: &[u8; HALF], room: &mut [u8], forms: &Forms) -> Option<usize> {
    let room = room.first_chunk_mut::<{ 3 * HALF + 1 }>()?;
    let forms: [u32; HALF] = std::array::from_fn(|lane| forms[usize::from(octets[lane])]);
    if !forms.iter().fold(true, |all, form| all & (*form != 0)) {
        return None;
    }
    let mut at = 0;
    for form in forms {
        if let Some(place) = room[at..].first_chunk_mut() {
            *place = form.to_le_bytes();
        }
        at += (form >> 24) as usize;
    }
    Some(at)
}

/// Encodes characters at the front of `src` while `dst` has room to spare and each has an octet.
/// Says how many bytes it has read and written. `ascii`: ASCII is encoded to itself.
pub fn encode(src: &str, dst: &mut [u8], answers: &Answers, ascii: bool) -> (usize, usize) {
    let bytes = src.as_bytes();
    let (mut read, mut written) = (0, 0);
    while let Some(near) = bytes[read..].first_chunk::<STEP>() {
        let Some(room) = dst[written..].first_chunk_mut::<STEP>() else { break };
        if near.is_ascii() {
            if ascii {
                *room = *near;
            } else {
                let found = near.map(|octet| answers.short[usize::from(octet)]);
                if found.iter().fold(OCTET, |all, answer| all & answer) == 0 {
                    break;
                }
                *room = found.map(|answer| answer as u8);
            }
            read += STEP;
            written += STEP;
            continue;
        }
        let (at, put, all) = answers.each(near, room);
        read += at;
        written += put;
        if !all {
            break;
        }
    }
    (read, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Octets below 80 are ASCII, then come characters of two bytes and of three, but for every
    /// seventh octet, which is none.
    fn character(octet: u8) -> Option<char> {
        match octet {
            0..0x80 => Some(char::from(octet)),
            _ if octet.is_multiple_of(7) => None,
            0x80..0xC0 => char::from_u32(0x400 + u32::from(octet)),
            _ => char::from_u32(0x2500 + u32::from(octet)),
        }
    }

    fn forms() -> Forms {
        let mut forms = [0; 0x100];
        for (octet, form) in (0..=0xFF).zip(&mut forms) {
            let text = character(octet).map(String::from).unwrap_or_default();
            let bytes = text.bytes().enumerate().map(|(at, byte)| u32::from(byte) << (8 * at));
            *form = bytes.sum::<u32>() | (text.len() as u32) << 24;
        }
        forms
    }

    fn answers() -> Answers {
        let mut answers = Answers::new();
        for octet in 0..=0xFF {
            if let Some(character) = character(octet) {
                answers.set(character, OCTET | Answer::from(octet));
            }
        }
        answers
    }

    /// Octets of each sort in runs of each length.
    fn octets() -> Vec<u8> {
        let runs = (1..40).flat_map(|len| {
            [b'a', 0x85, 0xC5].into_iter().flat_map(move |first| (0..len % 19).map(move |_| first))
        });
        runs.chain(0..=0xFF).collect()
    }

    #[test]
    fn decoding_agrees_with_the_plain_loop_as_far_as_it_goes() {
        let (octets, forms) = (octets(), forms());
        for start in 0..octets.len() {
            for room in [0, 16, 48, 49, 100, 10_000] {
                for ascii in [false, true] {
                    let src = &octets[start..];
                    let mut dst = vec![0x55; room];
                    let (read, written) = decode(src, &mut dst, &forms, ascii);
                    let plain: Option<String> =
                        src[..read].iter().copied().map(character).collect();
                    let plain = plain.expect("only characters are read");
                    assert_eq!(str::from_utf8(&dst[..written]), Ok(&plain[..]), "{start} {room}");
                    let odd =
                        src[read..].iter().take(STEP).any(|octet| character(*octet).is_none());
                    let full = room - written < ROOM;
                    assert!(odd || full || src.len() - read < STEP, "{start} {room} stops early");
                }
            }
        }
    }

    #[test]
    fn encoding_agrees_with_the_plain_loop_as_far_as_it_goes() {
        let answers = answers();
        let known: Vec<u8> =
            octets().into_iter().filter(|octet| character(*octet).is_some()).collect();
        for start in 0..known.len() {
            for odd in ["", "é", "中", "😀"] {
                let text: String =
                    known[start..].iter().filter_map(|octet| character(*octet)).collect();
                let text = text + odd + "abcdefghijklmnopqrstuvwxyz";
                for room in [0, 16, 17, 100, 10_000] {
                    for ascii in [false, true] {
                        let mut dst = vec![0x55; room];
                        let (read, written) = encode(&text, &mut dst, &answers, ascii);
                        assert!(read <= text.len() && text.is_char_boundary(read));
                        let octets = &dst[..written];
                        let back: Option<String> = octets.iter().copied().map(character).collect();
                        assert_eq!(back.as_deref(), Some(&text[..read]), "{start} {odd} {room}");
                        let stopped = !odd.is_empty() && text[read..].starts_with(odd);
                        let full = room - written < STEP;
                        assert!(stopped || full || text.len() - read < STEP, "{start} stops early");
                    }
                }
            }
        }
    }

    #[test]
    fn each_character_has_the_answer_that_it_was_given_last() {
        let mut answers = Answers::new();
        let given = ['\0', 'A', '\u{7FF}', '\u{800}', '\u{83F}', '\u{840}', '\u{FFFF}'];
        for (index, character) in given.into_iter().enumerate() {
            answers.set(character, 1);
            answers.set(character, 2 + index as Answer);
        }
        for (index, character) in given.into_iter().enumerate() {
            assert_eq!(answers.of(character), 2 + index as Answer, "{character:?}");
        }
        for character in ['\u{1}', '\u{7FE}', '\u{801}', '\u{880}', '\u{FFFE}', '\u{10000}'] {
            assert_eq!(answers.of(character), 0, "{character:?}");
        }
    }
}
