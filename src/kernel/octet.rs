//! Charsets of one octet a character, by table.

/// Octets that are looked at together.
pub const STEP: usize = 16;

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
        // Room for the longest forms, and for what the last store writes too much.
        let Some(room) = dst[written..].first_chunk_mut::<{ 3 * STEP + 1 }>() else { break };
        if ascii && step.is_ascii() {
            room[..STEP].copy_from_slice(step);
            written += STEP;
        } else {
            let (mut at, mut all) = (0, true);
            for octet in step {
                let form = forms[usize::from(*octet)];
                all &= form != 0;
                if let Some(place) = room[at..].first_chunk_mut() {
                    *place = form.to_le_bytes();
                }
                at += (form >> 24) as usize;
            }
            if !all {
                break;
            }
            written += at;
        }
        read += STEP;
    }
    (read, written)
}

/// Encodes characters at the front of `src` while `dst` has room to spare and each has an octet.
/// Says how many bytes it has read and written. `ascii`: ASCII is encoded to itself.
pub fn encode(src: &str, dst: &mut [u8], answers: &Answers, ascii: bool) -> (usize, usize) {
    let bytes = src.as_bytes();
    let (mut read, mut written) = (0, 0);
    while let Some(near) = bytes[read..].first_chunk::<STEP>() {
        let Some(room) = dst[written..].first_chunk_mut::<STEP>() else { break };
        if ascii && near.is_ascii() {
            *room = *near;
            read += STEP;
            written += STEP;
            continue;
        }
        let (mut at, mut put) = (0, 0);
        while at + 3 <= STEP {
            let (len, answer) = match near[at] {
                one @ ..0x80 => (1, answers.short[usize::from(one)]),
                two @ 0x80..0xE0 => {
                    let index = usize::from(two & 0x1F) << 6 | usize::from(near[at + 1] & 0x3F);
                    (2, answers.short[index])
                }
                three @ 0xE0..0xF0 => {
                    let place = usize::from(three & 0x0F) << 6 | usize::from(near[at + 1] & 0x3F);
                    let block = &answers.blocks[usize::from(answers.places[place])];
                    (3, block[usize::from(near[at + 2] & 0x3F)])
                }
                _ => (4, 0),
            };
            if answer & 0xFF00 != OCTET {
                return (read + at, written + put);
            }
            room[put] = answer as u8;
            put += 1;
            at += len;
        }
        read += at;
        written += put;
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
            _ if octet % 7 == 0 => None,
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
                    let full = room - written < 3 * STEP + 1;
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
