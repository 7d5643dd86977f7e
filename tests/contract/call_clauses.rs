//! The clauses of the contract in `crates/encoding/src/codec.rs` that each call of a codec satisfies.

use charpipe::internals::codec::Status;

use crate::allocation;
use crate::codec_driver::{self, CodecCall, ErrorReason, TestCodec};

pub fn describe_call(call: &CodecCall) -> String {
    let CodecCall { before, src, end, space, progress, out, after, .. } = call;
    format!(
        "in the call with b\"{}\" end {end} space {space} state {before:X?}: {progress:X?} b\"{}\" \
         state {after:X?}",
        src.escape_ascii(),
        out.escape_ascii(),
    )
}

pub fn fail_if(invalid: bool, why: &str) -> Result<(), String> {
    if invalid { Err(why.to_owned()) } else { Ok(()) }
}

pub fn makes_no_progress(call: &CodecCall) -> bool {
    (call.progress.read, call.progress.written) == (0, 0)
}

fn one_call<'a>(
    codec: &mut TestCodec,
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
) -> CodecCall<'a> {
    codec_driver::one_call(codec, src, dst, end, allocation::count)
}

/// Returns the first clause that a call does not keep. With `space` bytes of output it has to make progress; the second
/// codec is in any state. All are checked in one walk through an input, which takes more time than they.
pub fn each_clause(
    codec: &mut TestCodec,
    second: &mut TestCodec,
    call: &CodecCall,
    space: usize,
) -> Result<(), String> {
    makes_progress_with_space(call, space)?;
    state_is_unchanged_without_progress(call)?;
    unread_input_is_at_most_the_lookahead(codec, call)?;
    does_not_allocate(call)?;
    same_state_and_input_give_the_same_result(second, call)?;
    error_is_not_consumed_and_has_the_resume_position(codec, call)
}

/// A call with this much output space makes progress.
fn makes_progress_with_space(call: &CodecCall, space: usize) -> Result<(), String> {
    let is_stuck = makes_no_progress(call) && call.progress.status == Status::OutputFull;
    fail_if(is_stuck && call.space >= space, "needs more space")
}

fn state_is_unchanged_without_progress(call: &CodecCall) -> Result<(), String> {
    fail_if(makes_no_progress(call) && call.before != call.after, "the state changed alone")
}

fn unread_input_is_at_most_the_lookahead(
    codec: &TestCodec,
    call: &CodecCall,
) -> Result<(), String> {
    let unread = call.src.len() - call.progress.read;
    let max = if call.end { 0 } else { codec.max_lookahead() };
    let is_empty = call.progress.status == Status::InputEmpty;
    fail_if(is_empty && unread > max, "leaves too much unread")
}

fn error_is_not_consumed_and_has_the_resume_position(
    codec: &mut TestCodec,
    call: &CodecCall,
) -> Result<(), String> {
    let Status::Error(error) = call.progress.status else { return Ok(()) };
    let rest = &call.src[call.progress.read..];
    fail_if(error.len > rest.len(), "the malformed sequence is longer than the input")?;
    fail_if(error.next > error.len, "resumes after the malformed sequence")?;
    let is_idle = error.next == 0 && error.resume_state == call.after;
    fail_if(is_idle, "resumes where it was")?;
    if let ErrorReason::Unmappable(character) = error.reason {
        let is_named = rest.starts_with(character.encode_utf8(&mut [0; 4]).as_bytes());
        fail_if(!is_named, "names another character than that at its position")?;
    }
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
}

fn does_not_allocate(call: &CodecCall) -> Result<(), String> {
    fail_if(call.allocations > 0, "allocates")
}

/// A second codec, in any state, does the same.
fn same_state_and_input_give_the_same_result(
    second: &mut TestCodec,
    call: &CodecCall,
) -> Result<(), String> {
    second.restore_state(call.before);
    fail_if(second.state() != call.before, "does not restore its own state")?;
    let mut dst = vec![0x55; call.space];
    let again = one_call(second, call.src, &mut dst, call.end);
    fail_if(again.progress != call.progress, "returns another result the second time")?;
    fail_if(again.out != call.out, "writes other bytes the second time")?;
    fail_if(again.after != call.after, "ends in another state the second time")
}

/// A codec at the end of its input does nothing when the end is repeated.
pub fn repeated_end_has_no_effect(codec: &mut TestCodec) -> Result<(), String> {
    for _ in 0..3 {
        let mut dst = vec![0; codec.max_lookahead().max(256)];
        let call = one_call(codec, &[], &mut dst, true);
        let is_idle = makes_no_progress(&call) && call.progress.status == Status::InputEmpty;
        fail_if(!is_idle, &format!("not idle after the end, {}", describe_call(&call)))?;
    }
    Ok(())
}
