//! The clauses, each looked at in every single call.

use charpipe::internals::codec::State;
use charpipe::internals::iconv::IconvConversion;

use crate::call_clauses::{self as clauses, describe_call, fail_if};
use crate::codec_pair::{ALL_KINDS, CodecKind, DECODERS, TestCodec, codec_cases};
use crate::counted_driver::{CodecCall, drive, single_chunk};
use crate::runner::{TestBench, check_all};
use crate::{allocation, chunkings, rfc2044};

/// Checks the clauses, and another one, in each call of a few walks through every input, and repeats the end.
fn check_every_call(
    kinds: &[CodecKind],
    check: impl Fn(&TestCodec, &CodecCall) -> Result<(), String>,
) {
    check_all(kinds, |bench, input| {
        let TestBench { codec: half, second: reference, .. } = bench;
        for options in chunkings::few_chunkings(half, input) {
            half.restore_state(State::INITIAL);
            drive(half, input, &options, &mut |half, call| {
                let space = half.max_lookahead();
                check(half, call)
                    .and_then(|()| clauses::each_clause(half, reference, call, space))
                    .map_err(|why| format!("{why}, {}", describe_call(call)))
            })?;
            clauses::repeated_end_has_no_effect(half)?;
        }
        Ok(())
    });
}

#[test]
fn decoders_keep_the_clauses_in_every_call_and_write_whole_characters() {
    check_every_call(DECODERS, |half, call| match half {
        TestCodec::Decoder(_) => {
            fail_if(std::str::from_utf8(call.out).is_err(), "has written no UTF-8")
        }
        _ => fail_if(!rfc2044::is_well_formed(call.out), "has written no 1 to 6 bytes"),
    });
}

#[test]
fn encoders_keep_the_clauses_in_every_call_and_read_whole_characters() {
    check_every_call(&[CodecKind::Encoder], |_, call| {
        let text = std::str::from_utf8(call.src).expect("cut between characters");
        fail_if(!text.is_char_boundary(call.progress.read), "has read part of a character")
    });
}

#[test]
fn wide_encoders_keep_the_clauses_in_every_call() {
    check_every_call(&[CodecKind::WideEncoder], |_, _| Ok(()));
}

#[test]
fn lookahead_is_1_to_64_bytes() {
    for stage in codec_cases(ALL_KINDS) {
        let window = TestBench::new(&stage).codec.max_lookahead();
        assert!((1..=64).contains(&window), "{stage}: window of {window} bytes");
    }
}

/// The most that the codecs of an encoding allocate, unless they are its first ones, in bytes.
const MAX_CODEC_BYTES: usize = 1024;

#[test]
fn codecs_of_an_encoding_share_their_tables() {
    let mut large = Vec::new();
    for encoding in charpipe::Encoding::all() {
        drop((encoding.new_decoder(), encoding.new_encoder()));
        let before = allocation::bytes();
        let codecs = (encoding.new_decoder(), encoding.new_encoder());
        let len = allocation::bytes() - before;
        drop(codecs);
        if len > MAX_CODEC_BYTES {
            large.push(format!("{}: {len} bytes", encoding.name()));
        }
    }
    assert!(large.is_empty(), "{large:?}");
}

/// The most that opening a conversion allocates, unless it is the first one of its encoding: a program may
/// open one for each string. The GNU C library allocates about as often.
const MAX_ALLOCATIONS_OF_OPEN: usize = 8;

#[test]
fn opening_a_conversion_tries_no_text_and_allocates_little() {
    let mut slow = Vec::new();
    for encoding in charpipe::Encoding::all() {
        for is_target in [false, true] {
            let names =
                if is_target { (encoding.name(), "UTF-8") } else { ("UTF-8", encoding.name()) };
            let locale = || unreachable!("neither is the encoding of the locale");
            let open = || IconvConversion::open(names.0.as_bytes(), names.1.as_bytes(), locale);
            if open().is_none() {
                continue;
            }
            let before = (allocation::count(), allocation::bytes());
            let conversion = open();
            let counts = (allocation::count() - before.0, allocation::bytes() - before.1);
            drop(conversion);
            if counts.0 > MAX_ALLOCATIONS_OF_OPEN || counts.1 > 2 * MAX_CODEC_BYTES {
                slow.push(format!("{names:?}: {counts:?}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn codec_resumed_at_the_start_state_is_like_new() {
    check_all(ALL_KINDS, |bench, input| {
        let mut fresh = TestBench::new(&bench.stage).codec;
        fail_if(fresh.state() != State::INITIAL, "does not start in the initial state")?;
        let new = drive(&mut fresh, input, &single_chunk(), &mut |_, _| Ok(()))?;
        let used = bench.reference(input)?;
        if new == used {
            return Ok(());
        }
        Err(format!("makes {new:X?} when new, but {used:X?} when used"))
    });
}
