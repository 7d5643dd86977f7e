//! Chains that no charset makes yet: a transfer encoding in front of the decoder, and an encoder
//! that must see a whole word. An offset must be right in them too, in blocks of any size.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::chain::links;
use super::link::Stage;
use super::*;
use crate::codec::{Encoder, Filter, Progress, Resume, State, Surface};
use crate::error::{Error, Stopped};
use crate::fault::{Done, Malformed, Place, Unmappable, What, Why};
use crate::policy::Action;

/// Two hexadecimal digits a byte; blanks and line feeds between bytes do not count.
struct Hex;

impl Resume for Hex {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        2
    }
}

impl Surface for Hex {
    fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
        let bad = |len, why| Malformed::new(len, why, State::START);
        loop {
            match src[read..] {
                [] => return Progress::input(read, written),
                [b' ' | b'\n', ..] => read += 1,
                [one, ..] if digit(one).is_none() => {
                    return Progress::fault(read, written, bad(1, Why::Stray));
                }
                [_] if end => return Progress::fault(read, written, bad(1, Why::Truncated)),
                [_] => return Progress::input(read, written),
                [one, two, ..] => match (digit(one), digit(two)) {
                    (Some(_), Some(_)) if written == dst.len() => {
                        return Progress::output(read, written);
                    }
                    (Some(high), Some(low)) => {
                        dst[written] = high << 4 | low;
                        (read, written) = (read + 2, written + 1);
                    }
                    _ => return Progress::fault(read, written, bad(1, Why::Continuation)),
                },
            }
        }
    }
}

/// Passes text on, and counts the bytes that it was offered.
struct Counting(Arc<AtomicUsize>);

impl Resume for Counting {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Filter for Counting {
    fn filter(&mut self, src: &str, dst: &mut [u8], _: bool) -> Progress<Infallible> {
        self.0.fetch_add(src.len(), Ordering::Relaxed);
        let count = src.floor_char_boundary(dst.len());
        dst[..count].copy_from_slice(&src.as_bytes()[..count]);
        match count == src.len() {
            true => Progress::input(count, count),
            false => Progress::output(count, count),
        }
    }
}

/// Writes word by word, so it leaves up to a word unread; has no `#` and nothing above U+00FF.
struct Words;

const WORD: usize = 24;

impl Resume for Words {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        WORD
    }
}

impl Encoder for Words {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            let near = &rest[..rest.floor_char_boundary(WORD)];
            let len = match near.find(' ') {
                Some(blank) => blank + 1,
                None if end || rest.len() >= WORD => rest.len(),
                None => return Progress::input(read, written),
            };
            let word = &rest[..rest.floor_char_boundary(len.min(WORD))];
            if word.is_empty() {
                return Progress::input(read, written);
            }
            let lacks = |character: &char| *character == '#' || u32::from(*character) > 0xFF;
            if word.chars().count() > dst.len() - written {
                return Progress::output(read, written);
            }
            for character in word.chars() {
                if lacks(&character) {
                    return Progress::fault(read, written, Unmappable::new(character));
                }
                dst[written] = u32::from(character) as u8;
                (read, written) = (read + character.len_utf8(), written + 1);
            }
        }
    }
}

#[derive(Default)]
struct Told(Vec<Fault>);

impl Report for Told {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        self.0.push(*fault);
    }
}

fn pump(block: usize, invalid: Action, unmappable: Action) -> Pump {
    let mut plan = Plan::new("utf-8".parse().unwrap(), "latin1".parse().unwrap());
    (plan.policy, plan.block) = (Policy { invalid, unmappable }, block);
    let stages = vec![
        Stage::Surface(Box::new(Hex)),
        Stage::Decoder(plan.from.charset.decoder(&plan.from.settings)),
        Stage::Encoder(Box::new(Words)),
    ];
    of(stages, 1, 2, &plan)
}

fn of(stages: Vec<Stage>, text: usize, per_file: usize, plan: &Plan) -> Pump {
    let chain = Chain { links: links(stages, plan), text, per_file, strip: None };
    let mut pump = Pump::over(chain, plan, "?");
    pump.in_place = false;
    pump
}

fn run(mut pump: Pump, mut input: &[u8]) -> (Vec<u8>, Vec<Fault>) {
    let (mut out, mut told) = (Vec::new(), Told::default());
    while !input.is_empty() {
        let space = pump.space();
        let count = space.len().min(input.len());
        space[..count].copy_from_slice(&input[..count]);
        pump.filled(count, &mut out, &mut told).unwrap();
        input = &input[count..];
    }
    pump.end_of_file(&mut out, &mut told).unwrap();
    pump.finish(&mut out, &mut told).unwrap();
    (out, told.0)
}

/// Text in hexadecimal with a blank behind every third byte, and the place of every character.
fn hex(text: &[u8]) -> (Vec<u8>, Vec<u64>) {
    let (mut hex, mut offsets) = (Vec::new(), Vec::new());
    for (index, byte) in text.iter().enumerate() {
        offsets.push(hex.len() as u64);
        hex.extend_from_slice(format!("{byte:02x}").as_bytes());
        if index % 3 == 2 {
            hex.push(b' ');
        }
    }
    (hex, offsets)
}

const BLOCKS: [usize; 10] = [1, 2, 3, 4, 5, 7, 16, 33, 100, 4096];

#[test]
fn a_character_that_an_encoder_with_look_ahead_lacks_is_placed_in_the_file() {
    let text = "a# bé#é #\nword€# x ##\n# averyveryverylongword#thatneverends# é\n#";
    let (input, offsets) = hex(text.as_bytes());
    let mut expected = Vec::new();
    let (mut line, mut column) = (1, 1);
    for (index, character) in text.char_indices() {
        if "#€".contains(character) {
            expected.push(Place { offset: offsets[index], line, column });
        }
        column += 1;
        if character == '\n' {
            (line, column) = (line + 1, 1);
        }
    }
    for block in BLOCKS {
        let (out, faults) = run(pump(block, Action::Stop, Action::Replace(None)), &input);
        let latin1: Vec<u8> = text.replace(['#', '€'], "?").chars().map(|c| c as u8).collect();
        assert_eq!(out, latin1, "{block}");
        let places: Vec<_> = faults.iter().map(|fault| fault.place.unwrap()).collect();
        assert_eq!(places, expected, "{block}");
    }
}

#[test]
fn bytes_that_are_no_text_behind_a_surface_are_placed_in_the_file() {
    let (input, offsets) = hex(b"one two \xFF three \xC3\xA9\xE2\x82 end\n \x80");
    for block in BLOCKS {
        let (out, faults) = run(pump(block, Action::Replace(None), Action::Stop), &input);
        assert_eq!(out, b"one two ? three \xE9? end\n ?", "{block}");
        let places: Vec<_> = faults.iter().map(|fault| fault.place.unwrap()).collect();
        let place = |index: usize, line, column| Place { offset: offsets[index], line, column };
        assert_eq!(places, [place(8, 1, 9), place(18, 1, 18), place(26, 2, 2)], "{block}");
    }
}

#[test]
fn a_fault_of_the_surface_itself_is_answered_in_the_text() {
    for block in BLOCKS {
        let (out, faults) = run(pump(block, Action::Replace(None), Action::Stop), b"61!62 6g63 6");
        assert_eq!(out, b"a?b??c?", "{block}");
        let offsets: Vec<_> = faults.iter().map(|fault| fault.place.unwrap().offset).collect();
        assert_eq!(offsets, [2, 6, 7, 11], "{block}");
        assert_eq!(faults[3].what, What::Malformed { len: 1, why: Why::Truncated });
        assert!(faults.iter().all(|fault| fault.done == Done::Replaced));
    }
}

#[test]
fn finding_the_places_of_many_faults_behind_a_filter_takes_linear_time() {
    let mut plan = Plan::new("utf-8".parse().unwrap(), "latin1".parse().unwrap());
    plan.policy.unmappable = Action::Skip;
    let offered = Arc::new(AtomicUsize::new(0));
    let stages = vec![
        Stage::Decoder(plan.from.charset.decoder(&plan.from.settings)),
        Stage::Filter(Box::new(Counting(offered.clone()))),
        Stage::Encoder(plan.to.charset.encoder(&plan.to.settings)),
    ];
    let input = "€".repeat(10_000);
    let (out, faults) = run(of(stages, 0, 1, &plan), input.as_bytes());
    assert_eq!((out.len(), faults.len()), (0, 10_000));
    let offered = offered.load(Ordering::Relaxed);
    assert!(offered < 20 * input.len(), "{offered} bytes");
}

fn places(faults: &[Fault]) -> Vec<u64> {
    faults.iter().map(|fault| fault.place.unwrap().offset).collect()
}

/// Runs until it stops.
fn stop(mut pump: Pump, input: &[u8]) -> (Vec<u8>, Vec<Fault>, Stopped) {
    let (mut out, mut told) = (Vec::new(), Told::default());
    for byte in input {
        pump.space()[0] = *byte;
        match pump.filled(1, &mut out, &mut told) {
            Ok(()) => {}
            Err(Error::Stopped(stopped)) => return (out, told.0, *stopped),
            Err(error) => panic!("{error}"),
        }
    }
    panic!("{}", out.escape_ascii());
}

#[test]
fn a_stop_tells_what_stands_before_it_first_and_nothing_behind_it() {
    // An encoder that looks ahead still holds a character that it lacks.
    let (input, _) = hex(b"a b#c\xFFd");
    let (out, faults, stopped) = stop(pump(1, Action::Stop, Action::Replace(None)), &input);
    assert_eq!((&out[..], &places(&faults)[..]), (&b"a b?c"[..], &[7, 11][..]));
    assert_eq!(stopped.fault, faults[1]);
    let (out, faults, stopped) = stop(pump(1, Action::Stop, Action::Stop), &input);
    assert_eq!((&out[..], &places(&faults)[..]), (&b"a b"[..], &[7][..]));
    assert_eq!(stopped.fault, faults[0]);
}

#[test]
fn a_stop_inside_a_character_is_one_fault() {
    let (out, faults, stopped) = stop(pump(1, Action::Stop, Action::Stop), b"61C3!!A9");
    assert_eq!((&out[..], &places(&faults)[..]), (&b"a"[..], &[4][..]));
    assert_eq!(stopped.fault, faults[0]);
}

#[test]
fn an_end_that_lacks_something_is_placed_at_the_end_of_the_file() {
    for (input, expected) in [
        (&b"26414f6b"[..], &[8][..]),
        (b"26 414f 6b \n ", &[13]),
        (b"26 414f 6b 0", &[11, 12]),
        (b"26 414f 6b 0 ", &[11, 13]),
    ] {
        for block in BLOCKS {
            let mut plan = Plan::new("utf-7-imap".parse().unwrap(), "utf-8".parse().unwrap());
            (plan.policy.invalid, plan.block) = (Action::Skip, block);
            let decoder = plan.from.charset.decoder(&plan.from.settings);
            let stages = vec![Stage::Surface(Box::new(Hex)), Stage::Decoder(decoder)];
            let (out, faults) = run(of(stages, 1, 2, &plan), input);
            assert_eq!(out, "é".as_bytes());
            assert_eq!(places(&faults), expected, "{block} {}", input.escape_ascii());
        }
    }
}
