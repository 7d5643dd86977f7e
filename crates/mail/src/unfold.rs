//! Unfolding of header fields (RFC 5322, section 2.2.3): the line break before white space is dropped,
//! so that each field is one line. The white space remains, as do the bodies of messages.

use crate::message_scanner::{self, LineKind, MessageScanner};
use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_kernel::utf8::floor_char_boundary_of_bytes;
use charpipe_transform::{Transform, TransformCodecs};

/// Unfolding of header fields.
pub static UNFOLD: Transform = Transform {
    name: "unfold",
    aliases: &[],
    title: "header",
    description: "Joins the lines of header fields, in messages, mailboxes and MIME parts (RFC 5322, \
                  section 2.2.3)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: None,
        encoder: |_| Box::new(UnfoldTransform::default()),
    },
};

/// Drops line breaks. The state is that of the scanner after the line, and where in the line the
/// transform is.
#[derive(Default)]
struct UnfoldTransform {
    scanner: MessageScanner,
    position: LinePosition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LinePosition {
    #[default]
    Start,
    /// Within a line of a header field.
    Field,
    /// Within any other line.
    Other,
}

const POSITIONS: [LinePosition; 3] =
    [LinePosition::Start, LinePosition::Field, LinePosition::Other];

/// A line ending.
enum FoldedLineEnding {
    /// Of this length.
    Found(usize),
    /// The CR is a character.
    NotHere,
    NeedMore,
}

impl FoldedLineEnding {
    /// Looks for a line ending at the start of `src`, which starts with CR or LF.
    fn of(src: &[u8], end: bool) -> FoldedLineEnding {
        match src {
            [b'\n', ..] => FoldedLineEnding::Found(1),
            [b'\r', b'\n', ..] => FoldedLineEnding::Found(2),
            [_] if !end => FoldedLineEnding::NeedMore,
            _ => FoldedLineEnding::NotHere,
        }
    }
}

impl Checkpoint for UnfoldTransform {
    fn save_state(&self) -> State {
        State::new(self.scanner.pack() | (self.position as u64) << MessageScanner::BITS)
    }

    fn restore_state(&mut self, state: State) {
        self.scanner = MessageScanner::unpack(state.bits());
        let position = (state.bits() >> MessageScanner::BITS & 3) as usize;
        self.position = POSITIONS.get(position).copied().unwrap_or_default();
    }

    fn max_lookahead(&self) -> usize {
        message_scanner::LOOKAHEAD
    }
}

impl TextTransform for UnfoldTransform {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (src, mut read, mut written) = (src.as_bytes(), 0, 0);
        while read < src.len() {
            let (rest, space) = (&src[read..], &mut dst[written..]);
            let (scanner, position) = match self.position {
                LinePosition::Start => match self.scanner.classify(rest, end) {
                    None => break,
                    Some((LineKind::Field | LineKind::Continuation, next)) => {
                        (next, LinePosition::Field)
                    }
                    Some((LineKind::Other, next)) => (next, LinePosition::Other),
                },
                position => (self.scanner, position),
            };
            let near = &rest[..rest.len().min(space.len())];
            let plain = memchr::memchr2(b'\n', b'\r', near).unwrap_or(near.len());
            let len = match plain == near.len() && plain < rest.len() {
                true => floor_char_boundary_of_bytes(rest, plain),
                false => plain,
            };
            if len > 0 {
                space[..len].copy_from_slice(&rest[..len]);
                (read, written) = (read + len, written + len);
                (self.scanner, self.position) = (scanner, position);
                continue;
            }
            if !matches!(rest[0], b'\r' | b'\n') {
                return Progress::output_full(read, written);
            }
            let (len, is_ending) = match FoldedLineEnding::of(rest, end) {
                FoldedLineEnding::NeedMore => break,
                FoldedLineEnding::Found(len) => (len, true),
                FoldedLineEnding::NotHere => (1, false),
            };
            let is_folded = match rest.get(len) {
                _ if !is_ending || position != LinePosition::Field => false,
                None if !end => break,
                next => matches!(next, Some(b' ' | b'\t')),
            };
            if !is_folded {
                let Some(to) = space.get_mut(..len) else {
                    return Progress::output_full(read, written);
                };
                to.copy_from_slice(&rest[..len]);
                written += len;
            }
            read += len;
            (self.scanner, self.position) = match is_ending && !is_folded {
                true => (scanner, LinePosition::Start),
                false => (scanner, position),
            };
        }
        Progress::input_empty(read, written)
    }
}
