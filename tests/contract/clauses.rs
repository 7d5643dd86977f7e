//! The clauses, each looked at in every single call.

use charpipe::codec::{State, Stop};

use crate::examine::{Bench, every};
use crate::half::{DECODERS, EVERY, Half, Part, Reason, stages};
use crate::walk::{Call, at_once, one_call, walk};
use crate::{pivot, plans};

/// Looks at each call of a few walks through every input. The second codec is at hand, in
/// whatever state it was left.
fn every_call(parts: &[Part], check: impl Fn(&mut Half, &mut Half, &Call) -> Result<(), String>) {
    every(parts, |bench, input| {
        let Bench { half, twin, .. } = bench;
        for plan in plans::few(half, input) {
            half.resume(State::START);
            walk(half, input, &plan, &mut |half, call| {
                check(half, twin, call).map_err(|why| format!("{why}, {}", told(call)))
            })?;
        }
        Ok(())
    });
}

fn told(call: &Call) -> String {
    let Call { before, src, end, room, progress, out, after, .. } = call;
    format!(
        "in the call with b\"{}\" end {end} room {room} state {:X}: {progress:X?} b\"{}\" state {:X}",
        src.escape_ascii(),
        before.bits(),
        out.escape_ascii(),
        after.bits(),
    )
}

fn unless(bad: bool, why: &str) -> Result<(), String> {
    if bad { Err(why.to_owned()) } else { Ok(()) }
}

fn idle(call: &Call) -> bool {
    call.progress.read == 0 && call.progress.written == 0
}

#[test]
fn a_call_with_room_for_a_window_reads_or_writes_or_wants_input_or_finds_fault() {
    every_call(EVERY, |half, _, call| {
        let stuck = idle(call) && call.progress.stop == Stop::Output;
        unless(stuck && call.room >= half.window(), "wants more room than a window")
    });
}

#[test]
fn state_stays_where_nothing_is_read_or_written() {
    every_call(EVERY, |_, _, call| {
        unless(idle(call) && call.before != call.after, "state has moved alone")
    });
}

#[test]
fn want_of_input_leaves_no_more_than_a_window_and_nothing_at_the_end() {
    every_call(EVERY, |half, _, call| {
        let left = call.src.len() - call.progress.read;
        let most = if call.end { 0 } else { half.window() };
        unless(call.progress.stop == Stop::Input && left > most, "leaves too much unread")
    });
}

#[test]
fn a_window_is_1_to_64_bytes() {
    for stage in stages(EVERY) {
        let window = Bench::new(&stage).half.window();
        assert!((1..=64).contains(&window), "{stage}: window of {window} bytes");
    }
}

#[test]
fn what_a_decoder_has_written_is_whole_characters_at_every_return() {
    every_call(DECODERS, |half, _, call| match half {
        Half::Decoder(_) => unless(std::str::from_utf8(call.out).is_err(), "has written no UTF-8"),
        _ => unless(!pivot::is_well_formed(call.out), "has written no 1 to 6 octets"),
    });
}

#[test]
fn what_an_encoder_has_read_is_whole_characters_at_every_return() {
    every_call(&[Part::Encoder], |_, _, call| {
        let text = std::str::from_utf8(call.src).expect("cut between characters");
        unless(!text.is_char_boundary(call.progress.read), "has read part of a character")
    });
}

#[test]
fn a_fault_is_not_consumed_and_says_how_to_go_on() {
    every_call(EVERY, |half, _, call| {
        let Stop::Fault(offence) = call.progress.stop else { return Ok(()) };
        let rest = &call.src[call.progress.read..];
        unless(offence.len > rest.len(), "offender is longer than what is left")?;
        unless(offence.next > offence.len, "goes on behind the offender")?;
        let nowhere = offence.next == 0 && offence.then == call.after;
        unless(nowhere, "goes on where it was")?;
        if let Reason::Unmappable(character) = offence.why {
            let named = rest.starts_with(character.encode_utf8(&mut [0; 4]).as_bytes());
            unless(!named, "names another character than that at its place")?;
        }
        let mut dst = [0; 64];
        let room = half.window();
        let again = one_call(half, rest, &mut dst[..room], call.end);
        unless(!idle(&again), "reads or writes when called again at the fault")?;
        unless(again.progress.stop != call.progress.stop, "finds another fault when called again")?;
        unless(again.after != call.after, "state moves when called again at the fault")
    });
}

#[test]
fn a_call_asks_for_no_memory() {
    every_call(EVERY, |_, _, call| unless(call.allocations > 0, "allocates"));
}

#[test]
fn the_same_state_and_bytes_give_the_same_result() {
    every_call(EVERY, |_, twin, call| {
        twin.resume(call.before);
        unless(twin.state() != call.before, "does not come back to a state of its own")?;
        let mut dst = vec![0x55; call.room];
        let again = one_call(twin, call.src, &mut dst, call.end);
        unless(again.progress != call.progress, "goes another way the second time")?;
        unless(again.out != call.out, "writes something else the second time")?;
        unless(again.after != call.after, "ends in another state the second time")
    });
}

#[test]
fn the_end_may_be_repeated_and_stays_quiet() {
    every(EVERY, |bench, input| {
        let Bench { half, .. } = bench;
        for plan in plans::few(half, input) {
            half.resume(State::START);
            walk(half, input, &plan, &mut |_, _| Ok(()))?;
            for _ in 0..3 {
                let mut dst = [0; 256];
                let call = one_call(half, &[], &mut dst, true);
                let quiet = idle(&call) && call.progress.stop == Stop::Input;
                if !quiet {
                    return Err(format!("is not quiet behind the end, {}", told(&call)));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_new_codec_is_at_the_start_and_a_used_one_that_goes_back_there_is_new() {
    every(EVERY, |bench, input| {
        let mut fresh = Bench::new(&bench.stage).half;
        unless(fresh.state() != State::START, "does not begin at the start")?;
        let new = walk(&mut fresh, input, &at_once(), &mut |_, _| Ok(()))?;
        let used = bench.reference(input)?;
        if new == used {
            return Ok(());
        }
        Err(format!("makes {new:X?} when new, but {used:X?} when used"))
    });
}
