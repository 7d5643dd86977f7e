//! Takes one codec through one input, in pieces and with little room, and writes down what it did.

use charpipe::codec::{Decoder, Encoder, Progress, Resume, State, Stop, Surface};
use charpipe::fault::{Malformed, Why};

use super::bytes::Bytes;

/// A codec of any kind, with bytes on both sides.
pub enum Codec {
    Decoder(Box<dyn Decoder>),
    Encoder(Box<dyn Encoder>),
    Surface(Box<dyn Surface>),
}

/// What a fault is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Malformed(Why),
    Unmappable(char),
}

/// A fault and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Bytes of input before the offender.
    pub at: usize,
    /// Bytes of output before it.
    pub behind: usize,
    pub len: usize,
    /// Bytes from the offender's first to where it goes on.
    pub next: usize,
    pub why: Reason,
}

/// Everything that came of an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pub out: Vec<u8>,
    pub found: Vec<Found>,
}

/// How an input is handed over: sizes of pieces, over and over, and the room of each call.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    sizes: [u8; 3],
    room: Option<usize>,
}

impl Manner {
    /// The whole input at once, with more room than the result needs.
    pub const WHOLE: Manner = Manner { sizes: [0; 3], room: None };

    /// Single bytes, with this much room.
    pub const fn bytewise(room: usize) -> Manner {
        Manner { sizes: [1; 3], room: Some(room) }
    }

    /// What the next bytes choose: a room from 1 to 64, and sizes of which 0 is an empty piece.
    pub fn chosen(bytes: &mut Bytes<'_>) -> Manner {
        let room = 1 + bytes.below(64);
        Manner { sizes: bytes.array(), room: Some(room) }
    }

    fn pieces(self) -> impl Iterator<Item = usize> {
        let whole = self.sizes == [0; 3];
        let size = move |size| if whole { usize::MAX } else { usize::from(size) };
        self.sizes.into_iter().cycle().map(size)
    }
}

impl Codec {
    fn memory(&mut self) -> &mut dyn Resume {
        match self {
            Codec::Decoder(decoder) => &mut **decoder,
            Codec::Encoder(encoder) => &mut **encoder,
            Codec::Surface(surface) => &mut **surface,
        }
    }

    /// One call; a fault comes with the state in which to go on.
    fn call(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<(Found, State)> {
        match self {
            Codec::Decoder(decoder) => placed(decoder.decode(src, dst, end)),
            Codec::Surface(surface) => placed(surface.convert(src, dst, end)),
            Codec::Encoder(encoder) => {
                let text = std::str::from_utf8(src).expect("only whole characters are read");
                let Progress { read, written, stop } = encoder.encode(text, dst, end);
                let stop = match stop {
                    Stop::Input => Stop::Input,
                    Stop::Output => Stop::Output,
                    Stop::Fault(bad) => {
                        assert!(text[read..].starts_with(bad.character), "the character is there");
                        let (len, why) =
                            (bad.character.len_utf8(), Reason::Unmappable(bad.character));
                        let found = Found { at: read, behind: written, len, next: len, why };
                        Stop::Fault((found, encoder.state()))
                    }
                };
                Progress { read, written, stop }
            }
        }
    }

    /// Hands `input` over in this manner, going on behind each fault as it says, until the codec
    /// has seen the end. Looks at what the contract says of every call.
    pub fn walk(&mut self, input: &[u8], manner: Manner) -> Transcript {
        self.memory().resume(State::START);
        let window = self.memory().window();
        let ample = 16 * input.len() + 64;
        let room = manner.room.unwrap_or(ample);
        let mut dst = vec![0xAA; room.max(window)];
        let mut pieces = manner.pieces();
        let (mut seen, mut at, mut cramped) = (0, 0, false);
        let mut transcript = Transcript::default();
        for _ in 0..200 * (input.len() + 2) {
            let end = seen == input.len();
            let room = if cramped { room.max(window) } else { room };
            let src = &input[at..seen];
            let before = self.memory().state();
            let Progress { read, written, stop } = self.call(src, &mut dst[..room], end);
            let idle = (read, written) == (0, 0);
            let may_note = matches!((&*self, stop), (Codec::Encoder(_), Stop::Fault(_)));
            let stayed = may_note || self.memory().state() == before;
            assert!(!idle || stayed, "the state moves alone");
            if !matches!(self, Codec::Surface(_) | Codec::Encoder(_)) {
                assert!(std::str::from_utf8(&dst[..written]).is_ok(), "UTF-8 in every call");
            }
            transcript.out.extend_from_slice(&dst[..written]);
            at += read;
            cramped = false;
            match stop {
                Stop::Input if end => {
                    assert_eq!(at, seen, "nothing is left at the end");
                    return transcript;
                }
                Stop::Input => {
                    assert!(seen - at <= window, "{} bytes left", seen - at);
                    seen = self.boundary(input, seen, pieces.next().unwrap_or(usize::MAX));
                }
                Stop::Output => {
                    assert!(!idle || room < window, "no progress in room for {room}");
                    cramped = idle;
                }
                Stop::Fault((found, then)) => {
                    let reach = found.len.max(found.next);
                    assert!(read + reach <= src.len(), "the offender is there");
                    let behind = transcript.out.len();
                    transcript.found.push(Found { at, behind, ..found });
                    at += found.next;
                    self.memory().resume(then);
                }
            }
        }
        panic!("comes to no end");
    }

    /// The end of the next piece: an encoder is only given whole characters.
    fn boundary(&self, input: &[u8], seen: usize, size: usize) -> usize {
        let mut next = seen.saturating_add(size).min(input.len());
        let inside = |at: usize| input.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        while matches!(self, Codec::Encoder(_)) && inside(next) {
            next += 1;
        }
        next
    }
}

fn placed(progress: Progress<Malformed>) -> Progress<(Found, State)> {
    let Progress { read, written, stop } = progress;
    let stop = match stop {
        Stop::Input => Stop::Input,
        Stop::Output => Stop::Output,
        Stop::Fault(Malformed { len, why, next, then }) => {
            let why = Reason::Malformed(why);
            Stop::Fault((Found { at: read, behind: written, len, next, why }, then))
        }
    };
    Progress { read, written, stop }
}
