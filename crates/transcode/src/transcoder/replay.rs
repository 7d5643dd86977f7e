//! Replay of a stage's last call, which finds the byte of its input that a byte of its output comes from.
//!
//! Conversion saves only one state per call of a stage. A stage's output is drained before the stage
//! runs again, so while a later stage runs, the bytes that its input was made from are still
//! available.

use super::chain::{ChainLink, ReplayCursor};

/// The size of the output buffer for replay.
pub const SCRATCH_LEN: usize = 4096;

/// Returns the index into the input of `link` of the first byte that encodes byte `target` of the
/// output of its last call.
pub fn replay_to(link: &mut ChainLink, scratch: &mut [u8], target: usize) -> usize {
    let current = link.stage.save_state();
    let mut cursor = link.replay_cursor;
    if cursor.written > target {
        cursor =
            ReplayCursor { read: link.last_call.start, written: 0, state: link.last_call.state };
    }
    link.stage.restore_state(cursor.state);
    run_up_to(link, scratch, target, &mut cursor);
    while smallest_step(link, scratch, target, &mut cursor) {}
    link.replay_cursor = cursor;
    link.stage.restore_state(current);
    cursor.read
}

/// Returns the index into the input of `link` after the last byte that encodes the character of `len`
/// bytes at byte `target` of the output of its last call. A byte that also contains bits of the next
/// character belongs to the next.
pub fn replay_past(link: &mut ChainLink, scratch: &mut [u8], target: usize, len: usize) -> usize {
    replay_to(link, scratch, target);
    let current = link.stage.save_state();
    let mut cursor = link.replay_cursor;
    while cursor.written < target + len && smallest_step(link, scratch, target + len, &mut cursor) {
    }
    link.replay_cursor = cursor;
    link.stage.restore_state(current);
    cursor.read
}

/// Replays with an output buffer that ends at the target.
fn run_up_to(link: &mut ChainLink, scratch: &mut [u8], target: usize, cursor: &mut ReplayCursor) {
    while cursor.written < target {
        let output = (target - cursor.written).min(scratch.len());
        let src = link.input.since(cursor.read);
        // Text is validated before it is replayed: the whole buffer, at every error, is too much.
        let input = &src[..src.len().min(output + link.max_lookahead)];
        let end = link.last_call.end && input.len() == src.len();
        let (read, written) = link.stage.replay(input, &mut scratch[..output], end);
        cursor.read += read;
        cursor.written += written;
        cursor.state = link.stage.save_state();
        if read == 0 && written == 0 {
            return;
        }
    }
}

/// Replays the smallest number of bytes that makes progress. Returns whether to continue. Input without
/// output, such as an escape sequence or a BOM, precedes the target; input that would write past it
/// contains it. If `max_lookahead + 1` bytes make no progress, more cannot (third clause of the
/// contract). The stage has the state of the cursor only while there is progress.
fn smallest_step(
    link: &mut ChainLink,
    scratch: &mut [u8],
    target: usize,
    cursor: &mut ReplayCursor,
) -> bool {
    let all = link.input.since(cursor.read);
    let (max, whole) = (all.len().min(link.max_lookahead + 1), all.len());
    let scratch_len = scratch.len();
    let mut feed = |count: usize, space: usize| {
        link.stage.restore_state(cursor.state);
        let src = &link.input.since(cursor.read)[..count];
        link.stage.replay(src, &mut scratch[..space], link.last_call.end && count == whole)
    };
    let Some(count) = min_progress_len(max, &mut |count| feed(count, scratch_len) != (0, 0)) else {
        return false;
    };
    let (mut read, mut written) = feed(count, scratch_len);
    if cursor.written + written > target {
        // Input that is read only together with the target precedes it too, as in `run_up_to`.
        (read, written) = feed(count, target.saturating_sub(cursor.written));
    }
    // Without the contract, which a stage has to keep, this would not end.
    if (read, written) == (0, 0) {
        return false;
    }
    cursor.read += read;
    cursor.written += written;
    cursor.state = link.stage.save_state();
    true
}

/// Returns the smallest length from 1 to `max` that makes progress. Longer input never makes less
/// progress, and `max` may be many thousands: the length is doubled, then found by bisection.
fn min_progress_len(max: usize, makes_progress: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
    if max == 0 {
        return None;
    }
    let (mut low, mut high) = (0, 1);
    while !makes_progress(high) {
        if high == max {
            return None;
        }
        (low, high) = (high, (2 * high).min(max));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if makes_progress(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_length_that_makes_progress_is_found() {
        for max in 0..70 {
            for smallest in 1..80 {
                let mut asked = 0;
                let found = min_progress_len(max, &mut |count| {
                    asked += 1;
                    assert!(count <= max);
                    count >= smallest
                });
                assert_eq!(found, (smallest <= max).then_some(smallest), "{max} {smallest}");
                assert!(asked < 16, "{max} {smallest}");
            }
        }
    }
}
