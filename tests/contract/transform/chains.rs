//! Random chains of up to six steps, compared with a slow model that runs each step over the whole
//! text and records where every byte of its output comes from.

use charpipe::internals::codec::{Progress, Status};
use charpipe::internals::encoding;
use charpipe::internals::transform::{self, Transform, TransformCodecs};
use charpipe::{ErrorAction, ErrorEvent, ErrorKind, ErrorReporter, TranscodeOptions};

use crate::codec_driver::{CodecError, ErrorReason, TestCodec};
use charpipe_test_support::XorShift;

/// Encodings of every kind: stateless, stateful, with lookahead, with a BOM, with a small repertoire.
const ENCODINGS: [&str; 12] = [
    "utf-8",
    "iso-8859-1",
    "us-ascii",
    "utf-16",
    "utf-16le",
    "utf-32be",
    "utf-7",
    "iso-2022-jp",
    "shift_jis",
    "gb18030",
    "koi8-r",
    "big5-hkscs",
];

/// Text that the transforms change.
const TEXTS: [&str; 26] = [
    "a",
    "=",
    "+",
    "%",
    "&",
    ";",
    "&amp;",
    "&eacute;",
    "\\u00e9",
    "\\",
    " ",
    "\r",
    "\n",
    "\r\n",
    "é",
    "e\u{301}",
    "Ω",
    "ア",
    "ｱ",
    "ﾞ",
    "漢",
    "\u{FEFF}",
    "😀",
    "한",
    "Я",
    "plain text ",
];

/// Bytes with the offset of the input that each of them comes from.
#[derive(Debug, Clone, Default)]
struct Traced {
    bytes: Vec<u8>,
    origins: Vec<usize>,
    /// The offset of the end.
    end: usize,
}

impl Traced {
    fn new(bytes: &[u8]) -> Traced {
        Traced { bytes: bytes.to_vec(), origins: (0..bytes.len()).collect(), end: bytes.len() }
    }

    fn origin(&self, index: usize) -> usize {
        self.origins.get(index).copied().unwrap_or(self.end)
    }
}

/// A step of the model.
enum Step {
    Decode(&'static str),
    Encode(&'static str),
    Transform(&'static Transform, bool),
}

impl Step {
    fn name(&self) -> &'static str {
        match self {
            Step::Decode(label) | Step::Encode(label) => label,
            Step::Transform(transform, _) => transform.name,
        }
    }

    fn codec(&self) -> TestCodec {
        let find = |label: &str| encoding::for_label(label).unwrap();
        let options = Default::default();
        match self {
            Step::Decode(label) => TestCodec::Decoder(find(label).decoder(&options)),
            Step::Encode(label) => TestCodec::Encoder(find(label).encoder(&options)),
            Step::Transform(transform, decodes) => match (transform.codecs, decodes) {
                (TransformCodecs::Bytes { decoder, .. }, true) => {
                    TestCodec::Transform(decoder(&options))
                }
                (TransformCodecs::Bytes { encoder, .. }, false) => {
                    TestCodec::Transform(encoder(&options))
                }
                (TransformCodecs::Text { decoder: Some(decoder), .. }, true) => {
                    TestCodec::TextTransform(decoder(&options))
                }
                (TransformCodecs::Text { encoder, .. }, _) => {
                    TestCodec::TextTransform(encoder(&options))
                }
            },
        }
    }

    /// Runs the step over all of its input, as few bytes at a time as possible. Adds the offsets of the
    /// errors, which are skipped.
    fn run(&self, input: &Traced, errors: &mut Vec<(usize, String)>) -> Traced {
        let mut codec = self.codec();
        let mut output = Traced { end: input.end, ..Traced::default() };
        let mut space = [0; 8192];
        let mut at = 0;
        while let Some(progress) = smallest_call(&mut codec, &input.bytes, at, &mut space) {
            assert!(output.bytes.len() < 1 << 20, "{}: endless output", self.name());
            output.bytes.extend(&space[..progress.written]);
            output.origins.extend(vec![input.origin(at); progress.written]);
            at += progress.read;
            if let Status::Error(error) = progress.status {
                errors.push((input.origin(at), describe(error.reason)));
                at += error.next;
                codec.restore_state(error.resume_state);
            }
        }
        assert_eq!(at, input.bytes.len(), "everything is read at the end");
        output
    }
}

/// Makes the call on `bytes[at..]` that reads and writes the least, but something. Returns `None` at the
/// end.
fn smallest_call(
    codec: &mut TestCodec,
    bytes: &[u8],
    at: usize,
    space: &mut [u8],
) -> Option<Progress<CodecError>> {
    let state = codec.state();
    let makes_progress = |part: &Progress<CodecError>| part.read > 0 || part.written > 0;
    for end in (at..=bytes.len()).filter(|end| codec.may_cut(bytes, *end)).collect::<Vec<_>>() {
        let mut call = |space: &mut [u8]| {
            codec.restore_state(state);
            codec.call(&bytes[at..end], space, end == bytes.len())
        };
        // A call may convert several characters at once if it has space for them.
        let written = call(space).written;
        let progress = (0..=written).map(|less| call(&mut space[..less])).find(makes_progress);
        let progress = progress.unwrap_or_else(|| call(space));
        if makes_progress(&progress) || matches!(progress.status, Status::Error(_)) {
            return Some(progress);
        }
    }
    None
}

fn describe(reason: ErrorReason) -> String {
    match reason {
        ErrorReason::Malformed(reason) => reason.to_string(),
        ErrorReason::Unmappable(character) => character.to_string(),
    }
}

/// Records the offsets of errors.
#[derive(Default)]
struct Errors(Vec<(usize, String)>);

impl ErrorReporter for Errors {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, event: &ErrorEvent) {
        let what = match event.kind {
            ErrorKind::Malformed { reason, .. } => reason.to_string(),
            ErrorKind::Unmappable(character) => character.to_string(),
            other => panic!("{other:?}"),
        };
        self.0.push((event.position.unwrap().offset as usize, what));
    }
}

/// A random chain: its text, the steps of the model, and the steps that make an input for it.
fn random_chain(rng: &mut XorShift) -> (String, Vec<Step>, Vec<Step>) {
    let of_bytes: Vec<_> = transform::all().filter(|known| known.is_for_bytes()).collect();
    let of_text: Vec<_> = transform::all().filter(|known| !known.is_for_bytes()).collect();
    let (mut text, mut steps, mut inverse) = (String::new(), Vec::new(), Vec::new());
    let from = rng.one(&ENCODINGS);
    text += from;
    inverse.push(Step::Encode(from));
    let mut outer = Vec::new();
    for _ in 0..rng.below(3).min(of_bytes.len()) {
        let transform = rng.one(&of_bytes);
        text += &format!("/{}", transform.name);
        inverse.push(Step::Transform(transform, false));
        outer.push(transform);
    }
    steps.extend(outer.into_iter().rev().map(|transform| Step::Transform(transform, true)));
    steps.push(Step::Decode(from));
    for _ in 0..rng.below(3) {
        if rng.below(3) == 0 || of_text.is_empty() {
            let via = rng.one(&ENCODINGS);
            text += &format!("..{via}");
            steps.extend([Step::Encode(via), Step::Decode(via)]);
        } else {
            let transform = rng.one(&of_text);
            let decodes = rng.below(2) == 0;
            text += &format!("..{}{}", transform.name, if decodes { ":decode" } else { "" });
            steps.push(Step::Transform(transform, decodes));
        }
    }
    let to = rng.one(&ENCODINGS);
    text += &format!("..{to}");
    for _ in 0..rng.below(2).min(of_text.len()) {
        let transform = rng.one(&of_text);
        text += &format!("/{}", transform.name);
        steps.push(Step::Transform(transform, false));
    }
    steps.push(Step::Encode(to));
    for _ in 0..rng.below(2).min(of_bytes.len()) {
        let transform = rng.one(&of_bytes);
        text += &format!("/{}", transform.name);
        steps.push(Step::Transform(transform, false));
    }
    (text, steps, inverse)
}

/// Returns an input for a chain, with a few errors.
fn random_input(rng: &mut XorShift, inverse: &[Step]) -> Vec<u8> {
    let mut input = Traced::new(rng.text(20, &TEXTS).as_bytes());
    for step in inverse {
        input = step.run(&input, &mut Vec::new());
    }
    let mut bytes = input.bytes;
    for _ in 0..rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(3) {
            0 => bytes.insert(at, rng.byte()),
            1 if at < bytes.len() => bytes[at] = rng.byte(),
            _ => bytes.truncate(bytes.len().max(at + 1) - 1),
        }
    }
    bytes
}

/// Converts in pieces of `piece` bytes. Returns the output and the errors.
fn convert(chain: &str, input: &[u8], piece: usize) -> (Vec<u8>, Vec<(usize, String)>) {
    let options = TranscodeOptions::from_chain(chain)
        .unwrap()
        .on_malformed(ErrorAction::Skip)
        .on_unmappable(ErrorAction::Skip)
        .buffer_size(piece);
    let mut transcoder = options.build().unwrap();
    let (mut output, mut errors) = (Vec::new(), Errors::default());
    transcoder.process_reader(&mut &*input, &mut output, &mut errors).unwrap();
    transcoder.finish_input(&mut output, &mut errors).unwrap();
    transcoder.finish(&mut output, &mut errors).unwrap();
    (output, errors.0)
}

#[test]
fn random_chains_agree_with_a_model_of_whole_texts() {
    let mut rng = XorShift::new(0x5EED_0017);
    let rounds = if charpipe_test_support::is_exhaustive() { 4000 } else { 150 };
    for round in 0..rounds {
        let (chain, steps, inverse) = random_chain(&mut rng);
        let input = random_input(&mut rng, &inverse);
        let (mut expected, mut expected_errors) = (Traced::new(&input), Vec::new());
        for step in &steps {
            expected = step.run(&expected, &mut expected_errors);
        }
        expected_errors.sort();
        for piece in [1, 3, 4096] {
            let (output, mut errors) = convert(&chain, &input, piece);
            errors.sort();
            assert_eq!(
                (output, errors),
                (expected.bytes.clone(), expected_errors.clone()),
                "round {round}: {chain} of {} in pieces of {piece}",
                input.escape_ascii()
            );
        }
    }
}
