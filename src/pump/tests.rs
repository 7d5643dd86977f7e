//! Chains that no charset makes yet: a transfer encoding in front of the decoder, and an encoder
//! that must see a whole word. An offset must be right in them too, in blocks of any size.

mod stages;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::chain::links;
use super::link::Stage;
use super::*;
use crate::error::{Error, Stopped};
use crate::fault::{Done, Place, What, Why};
use crate::policy::Action;
use stages::{Counting, Hex, Words};

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
    let chain = Chain { links: links(stages, plan), text, per_file, strip: None, add: None };
    let substitutes = Substitutes { fallback: "?", transliterator: None };
    let mut pump = Pump::over(chain, plan, substitutes);
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
