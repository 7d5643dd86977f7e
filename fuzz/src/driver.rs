//! Takes one codec through one input, in pieces and with little space, and writes down what it did.

use charpipe::codec::{ByteTransform, Checkpoint, Decoder, Encoder, Progress, State, Status};
use charpipe::conversion_error::{Malformed, MalformedReason};

use super::params::FuzzInput;

/// A codec of any kind, with bytes on both sides.
pub enum FuzzCodec {
    Decoder(Box<dyn Decoder>),
    Encoder(Box<dyn Encoder>),
    WideCodec(Box<dyn ByteTransform>),
}

/// What an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorReason {
    Malformed(MalformedReason),
    Unmappable(char),
}

/// An error and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundError {
    /// Bytes of input before the malformed sequence.
    pub input_offset: usize,
    /// Bytes of output before it.
    pub output_offset: usize,
    pub len: usize,
    /// Bytes from the first byte of the malformed sequence to where decoding resumes.
    pub next: usize,
    pub reason: ErrorReason,
}

/// Everything that came of an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pub out: Vec<u8>,
    pub errors: Vec<FoundError>,
}

/// How an input is handed over: sizes of pieces, over and over, and the space of each call.
#[derive(Debug, Clone, Copy)]
pub struct Chunking {
    sizes: [u8; 3],
    output_space: Option<usize>,
}

impl Chunking {
    /// The whole input at once, with more space than the result needs.
    pub const WHOLE: Chunking = Chunking { sizes: [0; 3], output_space: None };

    /// Single bytes, with this much space.
    pub const fn bytewise(space: usize) -> Chunking {
        Chunking { sizes: [1; 3], output_space: Some(space) }
    }

    /// What the next bytes choose: a space from 1 to 64, and sizes of which 0 is an empty piece.
    pub fn from_input(bytes: &mut FuzzInput<'_>) -> Chunking {
        let space = 1 + bytes.below(64);
        Chunking { sizes: bytes.array(), output_space: Some(space) }
    }

    fn chunk_sizes(self) -> impl Iterator<Item = usize> {
        let whole = self.sizes == [0; 3];
        let size = move |size| if whole { usize::MAX } else { usize::from(size) };
        self.sizes.into_iter().cycle().map(size)
    }
}

impl FuzzCodec {
    fn memory(&mut self) -> &mut dyn Checkpoint {
        match self {
            FuzzCodec::Decoder(decoder) => &mut **decoder,
            FuzzCodec::Encoder(encoder) => &mut **encoder,
            FuzzCodec::WideCodec(surface) => &mut **surface,
        }
    }

    /// One call; an error comes with the state in which to go on.
    fn call(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<(FoundError, State)> {
        match self {
            FuzzCodec::Decoder(decoder) => with_position(decoder.decode(src, dst, end)),
            FuzzCodec::WideCodec(surface) => with_position(surface.transform_bytes(src, dst, end)),
            FuzzCodec::Encoder(encoder) => {
                let text = std::str::from_utf8(src).expect("only whole characters are read");
                let Progress { read, written, status: stop } = encoder.encode(text, dst, end);
                let stop = match stop {
                    Status::InputEmpty => Status::InputEmpty,
                    Status::OutputFull => Status::OutputFull,
                    Status::Error(invalid) => {
                        assert!(
                            text[read..].starts_with(invalid.character),
                            "the character is there"
                        );
                        let (len, why) = (
                            invalid.character.len_utf8(),
                            ErrorReason::Unmappable(invalid.character),
                        );
                        let found = FoundError {
                            input_offset: read,
                            output_offset: written,
                            len,
                            next: len,
                            reason: why,
                        };
                        Status::Error((found, encoder.save_state()))
                    }
                };
                Progress { read, written, status: stop }
            }
        }
    }

    /// Hands `input` over in this manner, going on after each error as it says, until the codec
    /// has seen the end. Looks at what the contract says of every call.
    pub fn drive(&mut self, input: &[u8], manner: Chunking) -> Transcript {
        self.memory().restore_state(State::INITIAL);
        let window = self.memory().max_lookahead();
        let ample = 16 * input.len() + 64;
        let space = manner.output_space.unwrap_or(ample);
        let mut dst = vec![0xAA; space.max(window)];
        let mut pieces = manner.chunk_sizes();
        let (mut seen, mut at, mut cramped) = (0, 0, false);
        let mut transcript = Transcript::default();
        for _ in 0..200 * (input.len() + 2) {
            let end = seen == input.len();
            let space = if cramped { space.max(window) } else { space };
            let src = &input[at..seen];
            let before = self.memory().save_state();
            let Progress { read, written, status: stop } = self.call(src, &mut dst[..space], end);
            let idle = (read, written) == (0, 0);
            let may_note = matches!((&*self, stop), (FuzzCodec::Encoder(_), Status::Error(_)));
            let stayed = may_note || self.memory().save_state() == before;
            assert!(!idle || stayed, "the state moves alone");
            if !matches!(self, FuzzCodec::WideCodec(_) | FuzzCodec::Encoder(_)) {
                assert!(std::str::from_utf8(&dst[..written]).is_ok(), "UTF-8 in every call");
            }
            transcript.out.extend_from_slice(&dst[..written]);
            at += read;
            cramped = false;
            match stop {
                Status::InputEmpty if end => {
                    assert_eq!(at, seen, "nothing is left at the end");
                    return transcript;
                }
                Status::InputEmpty => {
                    assert!(seen - at <= window, "{} bytes left", seen - at);
                    seen = self.boundary(input, seen, pieces.next().unwrap_or(usize::MAX));
                }
                Status::OutputFull => {
                    assert!(!idle || space < window, "no progress with space for {space}");
                    cramped = idle;
                }
                Status::Error((found, then)) => {
                    let reach = found.len.max(found.next);
                    assert!(read + reach <= src.len(), "the malformed sequence is in the input");
                    let after = transcript.out.len();
                    transcript.errors.push(FoundError {
                        input_offset: at,
                        output_offset: after,
                        ..found
                    });
                    at += found.next;
                    self.memory().restore_state(then);
                }
            }
        }
        panic!("does not end");
    }

    /// The end of the next piece: an encoder is only given whole characters.
    fn boundary(&self, input: &[u8], seen: usize, size: usize) -> usize {
        let mut next = seen.saturating_add(size).min(input.len());
        let inside = |at: usize| input.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        while matches!(self, FuzzCodec::Encoder(_)) && inside(next) {
            next += 1;
        }
        next
    }
}

fn with_position(progress: Progress<Malformed>) -> Progress<(FoundError, State)> {
    let Progress { read, written, status: stop } = progress;
    let stop = match stop {
        Status::InputEmpty => Status::InputEmpty,
        Status::OutputFull => Status::OutputFull,
        Status::Error(Malformed { len, reason: why, resume_len: next, resume_state: then }) => {
            let why = ErrorReason::Malformed(why);
            Status::Error((
                FoundError { input_offset: read, output_offset: written, len, next, reason: why },
                then,
            ))
        }
    };
    Progress { read, written, status: stop }
}
