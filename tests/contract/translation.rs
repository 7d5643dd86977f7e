//! What an encoder writes reads back, and it says rightly what it cannot write.

use charpipe::codec::State;
use charpipe::fault::Why;

use crate::examine::{Bench, every};
use crate::half::{Part, Reason, Stage};
use crate::lossy;
use crate::pivot;
use crate::subject::variants;
use crate::walk::{Transcript, at_once, walk};

/// The text without the characters that the transcript names as unmappable.
fn mappable(text: &[u8], transcript: &Transcript) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut at = 0;
    for found in &transcript.found {
        kept.extend_from_slice(&text[at..found.at]);
        at = found.at + found.next;
    }
    kept.extend_from_slice(&text[at..]);
    kept
}

/// What a decoder of this stage reads, if it finds no fault.
fn reads(stage: &Stage, octets: &[u8]) -> Option<Vec<u8>> {
    let transcript = walk(&mut stage.make()?, octets, &at_once(), &mut |_, _| Ok(())).ok()?;
    transcript.found.is_empty().then_some(transcript.out)
}

/// Settings may be for the encoder alone (how lines are folded) or for the decoder alone (which
/// forms are refused), so that some other settings of the same charset have to read the text.
/// Without settings, a charset reads what it writes.
fn comes_back(bench: &mut Bench, decoder: Part, text: &[u8]) -> Result<(), String> {
    let transcript = bench.reference(text)?;
    let wanted = mappable(text, &transcript);
    let own = bench.stage.beside(decoder);
    if str::from_utf8(&wanted).is_ok_and(|text| lossy::may_change(&own.subject, text)) {
        return Ok(());
    }
    let read = reads(&own, &transcript.out);
    if read.as_ref() == Some(&wanted) {
        return Ok(());
    }
    let octets = transcript.out.escape_ascii();
    let others =
        variants(own.subject.charset).into_iter().map(|subject| Stage { subject, part: decoder });
    let set = !own.subject.settings.is_empty();
    if set
        && others.into_iter().any(|other| reads(&other, &transcript.out).as_ref() == Some(&wanted))
    {
        return Ok(());
    }
    let read = read.map(|read| read.escape_ascii().to_string());
    Err(format!("comes out as b\"{octets}\", which is read as {read:?}"))
}

#[test]
fn text_comes_back_from_what_an_encoder_wrote() {
    every(&[Part::Encoder], |bench, text| comes_back(bench, Part::Decoder, text));
}

#[test]
fn values_to_7fffffff_come_back_from_what_a_wide_encoder_wrote() {
    every(&[Part::WideEncoder], |bench, text| comes_back(bench, Part::WideDecoder, text));
}

#[test]
fn a_character_is_unmappable_in_a_text_just_where_it_is_so_alone() {
    every(&[Part::Encoder], |bench, text| {
        let in_text = bench.reference(text)?.found;
        let text = std::str::from_utf8(text).expect("encoders are given text");
        for (at, character) in text.char_indices() {
            let alone = bench.reference(character.to_string().as_bytes())?.found;
            let here = in_text.iter().find(|found| found.at == at);
            if here.map(|found| found.why) != alone.first().map(|found| found.why) {
                return Err(format!("{here:?} at {at}, but alone {alone:?}"));
            }
            if here.is_some_and(|found| found.why != Reason::Unmappable(character)) {
                return Err(format!("{here:?} where {character:?} stands"));
            }
        }
        Ok(())
    });
}

/// The transcript with values above U+10FFFF as output instead of faults.
fn widened(narrow: Transcript) -> (Vec<u8>, Vec<(usize, usize, Reason)>) {
    let (mut out, mut found, mut done) = (Vec::new(), Vec::new(), 0);
    for one in narrow.found {
        out.extend_from_slice(&narrow.out[done..one.behind]);
        done = one.behind;
        match one.why {
            Reason::Malformed(Why::Beyond(value)) => out.extend(pivot::octets(value)),
            why => found.push((one.at, one.len, why)),
        }
    }
    out.extend_from_slice(&narrow.out[done..]);
    (out, found)
}

#[test]
fn a_wide_decoder_reads_just_what_the_narrow_one_reads_or_calls_beyond_unicode() {
    every(&[Part::WideDecoder], |bench, octets| {
        let wide = bench.reference(octets)?;
        let wide: (_, Vec<_>) =
            (wide.out, wide.found.iter().map(|found| (found.at, found.len, found.why)).collect());
        let narrow = &mut bench.stage.beside(Part::Decoder).make().expect("every charset decodes");
        narrow.resume(State::START);
        let narrow = widened(walk(narrow, octets, &at_once(), &mut |_, _| Ok(()))?);
        if wide == narrow { Ok(()) } else { Err(format!("wide {wide:X?}, narrow {narrow:X?}")) }
    });
}

#[test]
fn a_wide_encoder_writes_just_what_the_narrow_one_writes() {
    every(&[Part::WideEncoder], |bench, text| {
        if std::str::from_utf8(text).is_err() {
            return Ok(());
        }
        let wide = bench.reference(text)?;
        let narrow = &mut bench.stage.beside(Part::Encoder).make().expect("every charset encodes");
        let narrow = walk(narrow, text, &at_once(), &mut |_, _| Ok(()))?;
        if wide.out == narrow.out && wide.found.len() == narrow.found.len() {
            return Ok(());
        }
        Err(format!("wide {wide:X?}, narrow {narrow:X?}"))
    });
}
