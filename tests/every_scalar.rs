//! Every Unicode scalar value that a charset can express comes back from it, in one long text and
//! alone; and so does every octet of an 8-bit charset. The charsets of tables are not asked: they are
//! compared with the truth (`tests/charmaps`), which does not promise as much.

use charpipe::codec::{Decoder, Encoder, State, Stop};

#[path = "contract/lossy.rs"]
mod lossy;
#[path = "contract/subject.rs"]
mod subject;

use subject::{Subject, variants};

/// One of this number of scalar values is tried alone with each option set.
const STRIDE: usize = 61;

/// The same without options. `CHARPIPE_TEST_WHOLE=1` tries all.
fn stride_without_options() -> usize {
    if std::env::var_os("CHARPIPE_TEST_WHOLE").is_some() { 1 } else { 7 }
}

/// Bytes of output that one call is given.
const ROOM: usize = 1 << 16;

fn subjects() -> Vec<Subject> {
    let all = subject::subjects().into_iter();
    all.filter(|subject| subject.charset.codecs.engine().is_none()).collect()
}

fn scalars() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// Puts into `out` what the encoder writes without the characters that it has no code for, and
/// gives those.
fn encode(encoder: &mut dyn Encoder, text: &str, out: &mut Vec<u8>) -> Vec<char> {
    encoder.resume(State::START);
    let (mut missing, mut read, mut written) = (Vec::new(), 0, 0);
    loop {
        out.resize(written + ROOM.min(8 * (text.len() - read) + 64), 0);
        let progress = encoder.encode(&text[read..], &mut out[written..], true);
        read += progress.read;
        written += progress.written;
        match progress.stop {
            Stop::Input => {
                out.truncate(written);
                return missing;
            }
            Stop::Output => {}
            Stop::Fault(fault) => {
                missing.push(fault.character);
                read += fault.character.len_utf8();
            }
        }
    }
}

/// Puts into `out` what the decoder reads, and says whether it found no fault.
fn decode(decoder: &mut dyn Decoder, octets: &[u8], out: &mut Vec<u8>) -> bool {
    decoder.resume(State::START);
    let (mut read, mut written) = (0, 0);
    loop {
        out.resize(written + ROOM.min(8 * (octets.len() - read) + 64), 0);
        let progress = decoder.decode(&octets[read..], &mut out[written..], true);
        read += progress.read;
        written += progress.written;
        if progress.stop != Stop::Output {
            out.truncate(written);
            return progress.stop == Stop::Input;
        }
    }
}

fn decoder(subject: &Subject) -> Box<dyn Decoder> {
    subject.charset.decoder(&subject.settings)
}

fn encoder(subject: &Subject) -> Box<dyn Encoder> {
    subject.charset.encoder(&subject.settings)
}

/// Settings may be for one of the two halves alone, so other settings of the charset may read
/// what was written. Without settings, a charset reads what it writes.
fn comes_back(subject: &Subject, octets: &[u8], text: &str) -> bool {
    let reads = |by: &Subject| {
        let mut out = Vec::new();
        decode(&mut *decoder(by), octets, &mut out) && out == text.as_bytes()
    };
    lossy::may_change(subject, text)
        || reads(subject)
        || !subject.settings.is_empty() && variants(subject.charset).iter().any(reads)
}

#[test]
fn every_scalar_value_comes_back_in_one_long_text_and_alone() {
    let all: String = scalars().collect();
    let mut octets = Vec::new();
    for subject in subjects() {
        let missing = encode(&mut *encoder(&subject), &all, &mut octets);
        let mut absent = missing.iter().copied().peekable();
        let text: String = scalars().filter(|one| absent.next_if_eq(one).is_none()).collect();
        assert!(comes_back(&subject, &octets, &text), "{subject}");
        comes_back_alone(&subject, &missing);
    }
}

fn comes_back_alone(subject: &Subject, missing: &[char]) {
    let (mut encoder, mut decoder) = (encoder(subject), decoder(subject));
    let (mut octets, mut out) = (Vec::new(), Vec::new());
    let stride = if subject.settings.is_empty() { stride_without_options() } else { STRIDE };
    let mut absent = missing.iter().copied().peekable();
    for character in scalars().step_by(stride) {
        while absent.next_if(|one| *one < character).is_some() {}
        let mut buffer = [0; 4];
        let text: &str = character.encode_utf8(&mut buffer);
        let refused = encode(&mut *encoder, text, &mut octets);
        let expected = absent.peek() == Some(&character);
        assert_eq!(refused == [character], expected, "{subject}: {character:?} in a text");
        let back = decode(&mut *decoder, &octets, &mut out) && out == text.as_bytes();
        assert!(
            expected || back || comes_back(subject, &octets, text),
            "{subject}: {character:?} is b\"{}\", which is b\"{}\"",
            octets.escape_ascii(),
            out.escape_ascii()
        );
    }
}

/// Whether the charset writes each character of its small repertoire as one octet.
fn is_of_single_octets(subject: &Subject) -> bool {
    let mut octets = Vec::new();
    let text = "A\u{E9}\u{3A9}\u{416}\u{5D0}\u{3042}";
    let missing = encode(&mut *encoder(subject), text, &mut octets);
    missing.len() > 1 && octets.len() + missing.len() == text.chars().count()
}

#[test]
fn every_octet_of_an_8_bit_charset_is_one_character_that_is_written_as_this_octet() {
    for subject in subjects().iter().filter(|subject| is_of_single_octets(subject)) {
        let (mut encoder, mut decoder) = (encoder(subject), decoder(subject));
        let (mut octets, mut out) = (Vec::new(), Vec::new());
        for octet in 0..=0xFF {
            if decode(&mut *decoder, &[octet], &mut out) {
                let text = str::from_utf8(&out).expect("a decoder writes UTF-8");
                assert_eq!(text.chars().count(), 1, "{subject}: {octet:02X} is {text:?}");
                let refused = encode(&mut *encoder, text, &mut octets);
                assert_eq!((&octets[..], refused), (&[octet][..], vec![]), "{subject}: {text:?}");
            }
        }
    }
}

#[test]
fn no_two_characters_of_an_8_bit_charset_are_written_as_the_same_octet() {
    let all: String = scalars().collect();
    for subject in subjects().iter().filter(|subject| is_of_single_octets(subject)) {
        let mut octets = Vec::new();
        encode(&mut *encoder(subject), &all, &mut octets);
        let distinct: std::collections::BTreeSet<u8> = octets.iter().copied().collect();
        assert_eq!(octets.len(), distinct.len(), "{subject}");
    }
}
