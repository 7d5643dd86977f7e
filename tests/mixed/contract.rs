//! The clauses of the contract.

use charpipe::internals::codec::{State, Status};

use crate::codec_driver::TestCodec;
use crate::counted_driver::{Chunking, CodecCall, OutputSpace, drive, one_call, single_chunk};
use crate::inputs::{LISTS, decoder, long_inputs, short_inputs, window_inputs};

/// Applies a check to each call of a few divisions of every input. The second codec decodes the same list,
/// in any state.
fn check_every_call(
    check: impl Fn(&mut TestCodec, &mut TestCodec, &CodecCall) -> Result<(), String>,
) {
    for (seed, label) in (1..).zip(LISTS) {
        let (mut codec, mut second) = (decoder(label), decoder(label));
        let mut inputs = short_inputs(60, seed);
        inputs.extend(long_inputs(1, seed));
        inputs.extend(window_inputs().into_iter().skip(seed as usize % 7).step_by(61));
        for input in inputs {
            for chunking in few_chunkings(&input) {
                codec.restore_state(State::INITIAL);
                let result = drive(&mut codec, &input, &chunking, &mut |codec, call| {
                    check(codec, &mut second, call)
                        .map_err(|why| format!("{why}, {}", describe_call(call)))
                });
                if let Err(why) = result {
                    panic!("{label} b\"{}\" {chunking:?}: {why}", input.escape_ascii());
                }
            }
        }
    }
}

fn few_chunkings(input: &[u8]) -> Vec<Chunking> {
    let step = 1 + input.len() / 100;
    let cuts: Vec<usize> = (0..=input.len()).step_by(step).collect();
    [
        (Vec::new(), OutputSpace::Ample),
        (Vec::new(), OutputSpace::Fixed(64)),
        (vec![input.len() / 2], OutputSpace::FixedUnlessStuck(5)),
        (cuts.clone(), OutputSpace::Fixed(64)),
        (cuts, OutputSpace::Ample),
    ]
    .map(|(cuts, output_space)| Chunking { cuts, output_space })
    .into()
}

fn describe_call(call: &CodecCall) -> String {
    let CodecCall { before, src, end, space, progress, out, after, .. } = call;
    format!(
        "in the call with b\"{}\" end {end} space {space} state {before:X?}: {progress:X?} b\"{}\" \
         state {after:X?}",
        src.escape_ascii(),
        out.escape_ascii(),
    )
}

fn fail_if(invalid: bool, why: &str) -> Result<(), String> {
    if invalid { Err(why.to_owned()) } else { Ok(()) }
}

fn makes_no_progress(call: &CodecCall) -> bool {
    (call.progress.read, call.progress.written) == (0, 0)
}

/// The lookahead is up to 4,096 bytes, but no output needs more space than that of one encoding.
#[test]
fn call_with_space_for_64_bytes_makes_progress() {
    check_every_call(|_, _, call| {
        let is_stuck = makes_no_progress(call) && call.progress.status == Status::OutputFull;
        fail_if(is_stuck && call.space >= 64, "needs more space")
    });
}

#[test]
fn state_is_unchanged_without_progress() {
    check_every_call(|_, _, call| {
        let is_changed = makes_no_progress(call) && call.before != call.after;
        fail_if(is_changed, "the state changed alone")
    });
}

#[test]
fn unread_input_is_at_most_the_lookahead() {
    check_every_call(|codec, _, call| {
        let unread = call.src.len() - call.progress.read;
        let max = if call.end { 0 } else { codec.max_lookahead() };
        let is_empty = call.progress.status == Status::InputEmpty;
        fail_if(is_empty && unread > max, "leaves too much unread")
    });
}

#[test]
fn lookahead_is_at_most_4096_bytes() {
    for label in LISTS {
        assert!((1..=4096).contains(&decoder(label).max_lookahead()), "{label}");
    }
}

#[test]
fn decoder_writes_whole_characters() {
    check_every_call(|_, _, call| {
        fail_if(std::str::from_utf8(call.out).is_err(), "writes a part of a character")
    });
}

#[test]
fn error_is_not_consumed_and_has_the_resume_position() {
    check_every_call(|codec, _, call| {
        let Status::Error(error) = call.progress.status else { return Ok(()) };
        let rest = &call.src[call.progress.read..];
        fail_if(error.len > rest.len(), "the malformed sequence is longer than the input")?;
        fail_if(error.next > error.len, "resumes after the malformed sequence")?;
        let is_idle = error.next == 0 && error.resume_state == call.after;
        fail_if(is_idle, "resumes where it was")?;
        let mut dst = vec![0; codec.max_lookahead()];
        let again = one_call(codec, rest, &mut dst, call.end);
        fail_if(!makes_no_progress(&again), "reads or writes when called again at the error")?;
        let is_other = again.progress.status != call.progress.status;
        fail_if(is_other, "finds another error when called again")?;
        fail_if(again.after != call.after, "the state changes when called again at the error")?;
        codec.restore_state(error.resume_state);
        fail_if(codec.state() != error.resume_state, "does not restore the resume state")?;
        codec.restore_state(call.after);
        Ok(())
    });
}

#[test]
fn calls_do_not_allocate() {
    check_every_call(|_, _, call| fail_if(call.allocations > 0, "allocates"));
}

#[test]
fn same_state_and_input_give_the_same_result() {
    check_every_call(|_, second, call| {
        second.restore_state(call.before);
        fail_if(second.state() != call.before, "does not restore its own state")?;
        let mut dst = vec![0x55; call.space];
        let again = one_call(second, call.src, &mut dst, call.end);
        fail_if(again.progress != call.progress, "returns another result the second time")?;
        fail_if(again.out != call.out, "writes other bytes the second time")?;
        fail_if(again.after != call.after, "ends in another state the second time")
    });
}

#[test]
fn repeated_end_of_input_has_no_effect() {
    for (seed, label) in (1..).zip(LISTS) {
        let mut codec = decoder(label);
        for input in short_inputs(60, seed) {
            for chunking in few_chunkings(&input) {
                codec.restore_state(State::INITIAL);
                drive(&mut codec, &input, &chunking, &mut |_, _| Ok(())).unwrap();
                for _ in 0..3 {
                    let mut dst = vec![0; 256];
                    let call = one_call(&mut codec, &[], &mut dst, true);
                    let is_idle =
                        makes_no_progress(&call) && call.progress.status == Status::InputEmpty;
                    assert!(is_idle, "{label} {input:X?}: {}", describe_call(&call));
                }
            }
        }
    }
}

#[test]
fn prepared_decoder_gives_the_same_result() {
    for (seed, label) in (1..).zip(LISTS) {
        let TestCodec::Decoder(mut prepared) = decoder(label) else { unreachable!() };
        prepared.prepare_for_large_input();
        let (mut codec, mut prepared) = (decoder(label), TestCodec::Decoder(prepared));
        for input in long_inputs(20, seed) {
            let run = |codec: &mut TestCodec| {
                codec.restore_state(State::INITIAL);
                drive(codec, &input, &single_chunk(), &mut |_, _| Ok(())).unwrap()
            };
            assert_eq!(run(&mut codec), run(&mut prepared), "{label}");
        }
    }
}
