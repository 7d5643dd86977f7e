//! The clauses, each looked at in every single call.

use charpipe::internals::codec::{State, Status};

use crate::codec_pair::{ALL_KINDS, CodecKind, DECODERS, ErrorReason, TestCodec, codec_cases};
use crate::driver::{CodecCall, drive, one_call, single_chunk};
use crate::runner::{TestBench, check_all};
use crate::{chunkings, rfc2044};

/// Looks at each call of a few walks through every input. The second codec is at hand, in
/// whatever state it was left.
fn check_every_call(
    parts: &[CodecKind],
    check: impl Fn(&mut TestCodec, &mut TestCodec, &CodecCall) -> Result<(), String>,
) {
    check_all(parts, |bench, input| {
        let TestBench { codec: half, second: reference, .. } = bench;
        for options in chunkings::few_chunkings(half, input) {
            half.restore_state(State::INITIAL);
            drive(half, input, &options, &mut |half, call| {
                check(half, reference, call)
                    .map_err(|why| format!("{why}, {}", describe_call(call)))
            })?;
        }
        Ok(())
    });
}

fn describe_call(call: &CodecCall) -> String {
    let CodecCall { before, src, end, space, progress, out, after, .. } = call;
    format!(
        "in the call with b\"{}\" end {end} space {space} state {:X}: {progress:X?} b\"{}\" state {:X}",
        src.escape_ascii(),
        before.bits(),
        out.escape_ascii(),
        after.bits(),
    )
}

fn fail_if(invalid: bool, why: &str) -> Result<(), String> {
    if invalid { Err(why.to_owned()) } else { Ok(()) }
}

fn makes_no_progress(call: &CodecCall) -> bool {
    call.progress.read == 0 && call.progress.written == 0
}

#[test]
fn call_with_sufficient_output_space_makes_progress() {
    check_every_call(ALL_KINDS, |half, _, call| {
        let stuck = makes_no_progress(call) && call.progress.status == Status::OutputFull;
        fail_if(stuck && call.space >= half.max_lookahead(), "needs more space than its lookahead")
    });
}

#[test]
fn state_is_unchanged_without_progress() {
    check_every_call(ALL_KINDS, |_, _, call| {
        fail_if(makes_no_progress(call) && call.before != call.after, "state has moved alone")
    });
}

#[test]
fn unread_input_is_at_most_the_lookahead() {
    check_every_call(ALL_KINDS, |half, _, call| {
        let left = call.src.len() - call.progress.read;
        let most = if call.end { 0 } else { half.max_lookahead() };
        fail_if(call.progress.status == Status::InputEmpty && left > most, "leaves too much unread")
    });
}

#[test]
fn lookahead_is_1_to_64_bytes() {
    for stage in codec_cases(ALL_KINDS) {
        let window = TestBench::new(&stage).codec.max_lookahead();
        assert!((1..=64).contains(&window), "{stage}: window of {window} bytes");
    }
}

#[test]
fn decoder_writes_whole_characters() {
    check_every_call(DECODERS, |half, _, call| match half {
        TestCodec::Decoder(_) => {
            fail_if(std::str::from_utf8(call.out).is_err(), "has written no UTF-8")
        }
        _ => fail_if(!rfc2044::is_well_formed(call.out), "has written no 1 to 6 bytes"),
    });
}

#[test]
fn encoder_reads_whole_characters() {
    check_every_call(&[CodecKind::Encoder], |_, _, call| {
        let text = std::str::from_utf8(call.src).expect("cut between characters");
        fail_if(!text.is_char_boundary(call.progress.read), "has read part of a character")
    });
}

#[test]
fn error_is_not_consumed_and_has_the_resume_position() {
    check_every_call(ALL_KINDS, |half, _, call| {
        let Status::Error(offence) = call.progress.status else { return Ok(()) };
        let rest = &call.src[call.progress.read..];
        fail_if(
            offence.len > rest.len(),
            "malformed sequence is longer than the rest of the input",
        )?;
        fail_if(offence.next > offence.len, "resumes after the malformed sequence")?;
        let nowhere = offence.next == 0 && offence.resume_state == call.after;
        fail_if(nowhere, "goes on where it was")?;
        if let ErrorReason::Unmappable(character) = offence.reason {
            let named = rest.starts_with(character.encode_utf8(&mut [0; 4]).as_bytes());
            fail_if(!named, "names another character than that at its position")?;
        }
        let mut dst = [0; 64];
        let space = half.max_lookahead();
        let again = one_call(half, rest, &mut dst[..space], call.end);
        fail_if(!makes_no_progress(&again), "reads or writes when called again at the error")?;
        fail_if(
            again.progress.status != call.progress.status,
            "finds another error when called again",
        )?;
        fail_if(again.after != call.after, "state moves when called again at the error")
    });
}

#[test]
fn calls_do_not_allocate() {
    check_every_call(ALL_KINDS, |_, _, call| fail_if(call.allocations > 0, "allocates"));
}

#[test]
fn same_state_and_input_give_the_same_result() {
    check_every_call(ALL_KINDS, |_, reference, call| {
        reference.restore_state(call.before);
        fail_if(reference.state() != call.before, "does not restore its own state")?;
        let mut dst = vec![0x55; call.space];
        let again = one_call(reference, call.src, &mut dst, call.end);
        fail_if(again.progress != call.progress, "goes another way the second time")?;
        fail_if(again.out != call.out, "writes something else the second time")?;
        fail_if(again.after != call.after, "ends in another state the second time")
    });
}

#[test]
fn repeated_end_of_input_has_no_effect() {
    check_all(ALL_KINDS, |bench, input| {
        let TestBench { codec: half, .. } = bench;
        for options in chunkings::few_chunkings(half, input) {
            half.restore_state(State::INITIAL);
            drive(half, input, &options, &mut |_, _| Ok(()))?;
            for _ in 0..3 {
                let mut dst = [0; 256];
                let call = one_call(half, &[], &mut dst, true);
                let quiet = makes_no_progress(&call) && call.progress.status == Status::InputEmpty;
                if !quiet {
                    return Err(format!("is not idle after the end, {}", describe_call(&call)));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn codec_resumed_at_the_start_state_is_like_new() {
    check_all(ALL_KINDS, |bench, input| {
        let mut fresh = TestBench::new(&bench.stage).codec;
        fail_if(fresh.state() != State::INITIAL, "does not begin at the start")?;
        let new = drive(&mut fresh, input, &single_chunk(), &mut |_, _| Ok(()))?;
        let used = bench.reference(input)?;
        if new == used {
            return Ok(());
        }
        Err(format!("makes {new:X?} when new, but {used:X?} when used"))
    });
}
