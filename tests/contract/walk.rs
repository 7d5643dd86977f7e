//! Takes one codec through one input, in pieces and with little room, and writes down what it did.

use charpipe::codec::{Progress, State, Stop};

use crate::allocation;
use crate::half::{Half, Offence, Reason};

/// How an input is handed over.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many bytes of the input can be seen, one after the other, before all of it and the end
    /// can be seen. Saying the same number twice hands over an empty piece.
    pub cuts: Vec<usize>,
    pub rooms: Rooms,
}

/// How much room each call has.
#[derive(Debug, Clone, Copy)]
pub enum Rooms {
    /// More than the whole result needs.
    Ample,
    /// Always so many bytes.
    Fixed(usize),
    /// 0, 1, 2 … up to the codec's window, and again.
    Rising,
}

impl Rooms {
    fn at(self, turn: usize, window: usize, ample: usize) -> usize {
        match self {
            Rooms::Ample => ample,
            Rooms::Fixed(room) => room,
            Rooms::Rising => turn % (window + 1),
        }
    }
}

/// The whole input at once, with all the room that it may need.
pub fn at_once() -> Plan {
    Plan { cuts: Vec::new(), rooms: Rooms::Ample }
}

/// What went into one call and what came out of it.
pub struct Call<'a> {
    pub before: State,
    pub src: &'a [u8],
    pub end: bool,
    pub room: usize,
    pub progress: Progress<Offence>,
    pub out: &'a [u8],
    pub after: State,
    pub allocations: usize,
}

/// Everything that came of an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pub out: Vec<u8>,
    pub found: Vec<Found>,
}

/// An offence and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Bytes of input before the offender.
    pub at: usize,
    /// Bytes of output before it.
    pub behind: usize,
    pub len: usize,
    pub next: usize,
    pub why: Reason,
}

/// Looks at each call; may call the codec itself if it puts the state back.
pub type Watch<'a> = dyn FnMut(&mut Half, &Call) -> Result<(), String> + 'a;

/// Hands `input` over as planned, from the state that the codec is in, going on behind each
/// offence as it says, until the codec has seen the end.
pub fn walk(
    half: &mut Half,
    input: &[u8],
    plan: &Plan,
    watch: &mut Watch,
) -> Result<Transcript, String> {
    let window = half.window();
    let ample = 16 * input.len() + 64;
    let mut dst = vec![0xAA; plan.rooms.at(window, window, ample)];
    let mut cuts = plan.cuts.iter().copied();
    let mut seen = cuts.next();
    let mut at = 0;
    let mut transcript = Transcript::default();
    for turn in 0..most_calls(input, plan, window) {
        let room = plan.rooms.at(turn, window, ample);
        let src = input.get(at..seen.unwrap_or(input.len())).ok_or("went on behind the source")?;
        let call = one_call(half, src, &mut dst[..room], seen.is_none());
        watch(half, &call)?;
        transcript.out.extend_from_slice(call.out);
        at += call.progress.read;
        match call.progress.stop {
            Stop::Input if seen.is_none() => return Ok(transcript),
            Stop::Input => seen = cuts.next(),
            Stop::Output => {}
            Stop::Fault(offence) => {
                let Offence { len, why, next, then } = offence;
                let behind = transcript.out.len();
                transcript.found.push(Found { at, behind, len, next, why });
                at += next;
                half.resume(then);
            }
        }
    }
    Err("comes to no end".to_owned())
}

/// One call, on record.
pub fn one_call<'a>(half: &mut Half, src: &'a [u8], dst: &'a mut [u8], end: bool) -> Call<'a> {
    let before = half.state();
    let room = dst.len();
    let asked = allocation::count();
    let progress = half.call(src, dst, end);
    let allocations = allocation::count() - asked;
    let after = half.state();
    let out = &dst[..progress.written];
    Call { before, src, end, room, progress, out, after, allocations }
}

/// A call with enough room reads, writes, finds fault or wants input, so that there is a bound.
fn most_calls(input: &[u8], plan: &Plan, window: usize) -> usize {
    let with_room = 66 * (input.len() + 1) + plan.cuts.len();
    match plan.rooms {
        Rooms::Rising => with_room * (window + 1),
        Rooms::Ample | Rooms::Fixed(_) => with_room,
    }
}
