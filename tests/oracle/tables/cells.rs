//! What two converters say of one code, and of one character.

use charpipe::charset::Settings;
use charpipe::codec::{Decoder, Encoder, State, Stop};
use charpipe::fault::Kind;

use super::shared::Shared;
use crate::peers::{Answer, Mode, Peer, Peers, Question};

/// What a converter says of one code or character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Gives(Vec<u8>),
    Refuses,
    /// It refuses it because something would have to follow.
    CutShort,
}

/// One code or character, with two answers to it that are not the same.
#[derive(Debug)]
pub struct Difference {
    pub input: Vec<u8>,
    pub theirs: Verdict,
    pub ours: Verdict,
}

/// Characters in one text of those that are asked for together.
const TOGETHER: usize = 4096;

/// Codes of one length and state, or characters, that are too many to try them all: one of several is
/// tried.
pub const MANY: usize = 200_000;

/// The longest code.
const LONGEST: usize = 4;

const ESCAPE: u8 = 0x1B;

impl Verdict {
    fn gives(&self) -> bool {
        matches!(self, Verdict::Gives(_))
    }

    /// Whether two answers are the same for whoever wants the result.
    fn same(&self, other: &Verdict) -> bool {
        self == other || !self.gives() && !other.gives()
    }
}

impl Shared {
    /// The codes on which the two differ. `None` if the peer lacks the charset.
    pub fn decoding(&self, peers: &mut Peers) -> Option<Vec<Difference>> {
        let mut differences = Vec::new();
        for prefix in self.prefixes() {
            let mut leads = vec![prefix.to_vec()];
            for place in 0..LONGEST {
                leads = self.behind(&leads, prefix.len(), place, peers, &mut differences)?;
            }
        }
        Some(differences)
    }

    /// Tries every octet behind each lead. What may go on behind that is the result.
    fn behind(
        &self,
        leads: &[Vec<u8>],
        prefix: usize,
        place: usize,
        peers: &mut Peers,
        differences: &mut Vec<Difference>,
    ) -> Option<Vec<Vec<u8>>> {
        let mut decoder = self.charset.decoder(&Settings::default());
        let step = leads.len() * 0x100 / self.most + 1;
        let codes = leads.iter().step_by(step).flat_map(|lead| {
            (0..=0xFF).map(|byte| [&lead[..], &[byte]].concat()).collect::<Vec<_>>()
        });
        let codes: Vec<Vec<u8>> = codes.collect();
        let answers = peers.units(self.peer, &self.theirs, "UTF-8", &codes)?;
        let mut open = Vec::new();
        for (code, theirs) in codes.into_iter().zip(answers) {
            let ours = decoded(&mut *decoder, &code);
            let escapes = code[prefix..].contains(&ESCAPE);
            let more = ours == Verdict::CutShort
                || theirs == Verdict::CutShort && !ours.gives() && !escapes;
            if more && !theirs.gives() || place == 0 && self.joins() {
                open.push(code.clone());
            }
            if !theirs.same(&ours) {
                differences.push(Difference { input: code, theirs, ours });
            }
        }
        Some(open)
    }

    /// The characters on which the two differ. `None` if the peer lacks the charset.
    pub fn encoding(&self, peers: &mut Peers) -> Option<Vec<Difference>> {
        let mut encoder = self.charset.encoder(&Settings::default());
        let (mut asked, mut refused) = (Vec::new(), String::new());
        let (low, high) = self.steps;
        let above = ('\u{10000}'..=char::MAX).step_by(high);
        for character in ('\0'..='\u{FFFF}').step_by(low).chain(above) {
            let mut utf8 = [0; 4];
            let text = character.encode_utf8(&mut utf8);
            if is_ignorable(character) || encoded(&mut *encoder, text).gives() {
                asked.push(character);
            } else {
                refused.push(character);
            }
        }
        asked.extend(self.not_ignored(peers, &refused)?);
        let mut differences = Vec::new();
        let few = asked.len() < MANY;
        for characters in asked.chunks(if few { MANY } else { TOGETHER }) {
            let alike = !few && self.as_one(peers, characters, &mut *encoder)?;
            if !alike {
                self.one_by_one(peers, characters, &mut *encoder, &mut differences)?;
            }
        }
        Some(differences)
    }

    /// Whether these characters together are encoded alike.
    fn as_one(
        &self,
        peers: &mut Peers,
        characters: &[char],
        encoder: &mut dyn Encoder,
    ) -> Option<bool> {
        let text: String = characters.iter().collect();
        let mut dst = vec![0; text.len() * 4];
        encoder.resume(State::START);
        let progress = encoder.encode(&text, &mut dst, true);
        let theirs = self.whole(peers, Mode::Strict, &text);
        Some(progress.stop == Stop::Input && theirs.as_deref() == Some(&dst[..progress.written]))
    }

    fn one_by_one(
        &self,
        peers: &mut Peers,
        characters: &[char],
        encoder: &mut dyn Encoder,
        differences: &mut Vec<Difference>,
    ) -> Option<()> {
        let texts: Vec<String> = characters.iter().map(char::to_string).collect();
        let inputs: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let answers = peers.units(self.peer, "UTF-8", &self.theirs, &inputs)?;
        for ((text, input), theirs) in texts.iter().zip(inputs).zip(answers) {
            let ours = encoded(encoder, text);
            if !theirs.same(&ours) {
                differences.push(Difference { input, theirs, ours });
            }
        }
        Some(())
    }

    /// Characters among which are those that the peer encodes.
    fn not_ignored(&self, peers: &mut Peers, text: &str) -> Option<Vec<char>> {
        let nothing = self.whole(peers, Mode::Ignore, "")?;
        // All in one first: mostly that is the end of it.
        if self.whole(peers, Mode::Ignore, text)? == nothing {
            return Some(Vec::new());
        }
        let mut encoded = Vec::new();
        for characters in text.chars().collect::<Vec<_>>().chunks(TOGETHER) {
            let text: String = characters.iter().collect();
            if self.whole(peers, Mode::Ignore, &text)? != nothing {
                encoded.extend(characters);
            }
        }
        Some(encoded)
    }

    /// What the peer encodes a whole text to.
    fn whole(&self, peers: &mut Peers, mode: Mode, text: &str) -> Option<Vec<u8>> {
        let (from, to, input) = ("UTF-8", &*self.theirs, text.as_bytes());
        let question = Question { peer: self.peer, mode, from, to, input };
        match peers.ask(&[question]).pop()? {
            Answer::Gives(bytes) => Some(bytes),
            Answer::Refuses => None,
        }
    }
}

impl Peers {
    /// A peer's answers to short inputs, each by itself; none if it lacks the encoding.
    pub fn units(
        &mut self,
        peer: Peer,
        from: &str,
        to: &str,
        units: &[Vec<u8>],
    ) -> Option<Vec<Verdict>> {
        let mut input = Vec::new();
        for unit in units {
            input.push(unit.len() as u8);
            input.extend_from_slice(unit);
        }
        let question = Question { peer, mode: Mode::Units, from, to, input: &input };
        let Answer::Gives(answer) = self.ask(&[question]).pop()? else { return None };
        let mut rest = &answer[..];
        let mut verdicts = Vec::new();
        while let Some((length, behind)) = rest.split_first() {
            rest = behind;
            verdicts.push(match length {
                0xFF => Verdict::Refuses,
                0xFE => Verdict::CutShort,
                _ => {
                    let (bytes, after) = behind.split_at(usize::from(*length));
                    rest = after;
                    Verdict::Gives(bytes.to_vec())
                }
            });
        }
        assert_eq!(verdicts.len(), units.len());
        Some(verdicts)
    }
}

/// Characters that a renderer may ignore, which some converters drop in silence where they should
/// refuse them. A text from which all is dropped does not show that.
fn is_ignorable(character: char) -> bool {
    matches!(u32::from(character),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
        | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE01FF)
}

fn decoded(decoder: &mut dyn Decoder, code: &[u8]) -> Verdict {
    let mut dst = [0; 64];
    decoder.resume(State::START);
    let progress = decoder.decode(code, &mut dst, true);
    match progress.stop {
        Stop::Input => Verdict::Gives(dst[..progress.written].to_vec()),
        Stop::Fault(fault) if fault.why.kind() == Kind::Truncated => Verdict::CutShort,
        _ => Verdict::Refuses,
    }
}

fn encoded(encoder: &mut dyn Encoder, text: &str) -> Verdict {
    let mut dst = [0; 64];
    encoder.resume(State::START);
    let progress = encoder.encode(text, &mut dst, true);
    match progress.stop {
        Stop::Input => Verdict::Gives(dst[..progress.written].to_vec()),
        _ => Verdict::Refuses,
    }
}
