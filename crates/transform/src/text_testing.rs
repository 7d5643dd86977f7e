//! Runs a transform of text over an input for unit tests: in one call, and with each split of the
//! input and each size of the output buffer from the lookahead to 160 bytes or a little more, each call on a new
//! codec that is put into the saved state.

use super::{MakeTextTransform, TransformCodecs, all};
use charpipe_encoding::codec::{Progress, State, Status};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::EncodingOptions;

/// Offset, length and reason.
pub type Error = (usize, usize, MalformedReason);

/// Decodes `text` with the transform of a label such as `html:strict`; U+FFFD replaces each error.
pub fn decode_every_way(label: &str, text: &str) -> (String, Vec<Error>) {
    every_way(label, text, |decoder, encoder| decoder.unwrap_or(encoder))
}

/// Returns the decoded text, which must be without errors.
pub fn decode(label: &str, text: &str) -> String {
    let (decoded, errors) = decode_every_way(label, text);
    assert_eq!(errors, [], "{label}: {text:?}");
    decoded
}

/// Encodes `text` with the transform of a label.
pub fn encode_every_way(label: &str, text: &str) -> String {
    let (encoded, errors) = encode_with_errors(label, text);
    assert_eq!(errors, [], "{label}: {text:?}");
    encoded
}

/// Encodes `text` with the transform of a label; U+FFFD replaces each error.
pub fn encode_with_errors(label: &str, text: &str) -> (String, Vec<Error>) {
    every_way(label, text, |_, encoder| encoder)
}

fn every_way(
    label: &str,
    text: &str,
    select: impl Fn(Option<MakeTextTransform>, MakeTextTransform) -> MakeTextTransform,
) -> (String, Vec<Error>) {
    let (name, options) = label.split_once(':').unwrap_or((label, ""));
    let transform =
        all().find(|it| it.name == name).unwrap_or_else(|| panic!("no transform {name}"));
    let options = EncodingOptions::parse(options, transform.options).expect("valid options");
    let TransformCodecs::Text { decoder, encoder } = transform.codecs else {
        panic!("{name} converts bytes");
    };
    let make = select(decoder, encoder);
    let whole = run(make, &options, text, &[], 16 * text.len() + 256);
    let cuts: Vec<usize> = (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)).collect();
    let max_lookahead = make(&options).max_lookahead();
    let halves = cuts.iter().map(|cut| (std::slice::from_ref(cut), max_lookahead));
    let outputs = (max_lookahead..=160.max(max_lookahead + 8))
        .flat_map(|space| [(&[][..], space), (&cuts[..], space)]);
    for (cuts, space) in halves.chain(outputs) {
        let result = run(make, &options, text, cuts, space);
        assert_eq!(result, whole, "{label}: {text:?} {cuts:?} {space}");
    }
    whole
}

fn run(
    make: MakeTextTransform,
    options: &EncodingOptions,
    text: &str,
    cuts: &[usize],
    space: usize,
) -> (String, Vec<Error>) {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut dst = vec![0; space];
    let (mut state, mut at) = (State::INITIAL, 0);
    for &cut in cuts.iter().chain([&text.len()]) {
        let end = cut == text.len();
        loop {
            let mut codec = make(options);
            codec.restore_state(state);
            let Progress { read, written, status } =
                codec.transform_text(&text[at..cut.max(at)], &mut dst, end);
            state = codec.save_state();
            at += read;
            out.extend_from_slice(&dst[..written]);
            assert!(std::str::from_utf8(&out).is_ok(), "writes whole characters");
            match status {
                Status::InputEmpty => {
                    let max_unread = if end { 0 } else { codec.max_lookahead() };
                    assert!(cut.max(at) - at <= max_unread, "leaves too much unread");
                    break;
                }
                Status::OutputFull => assert!(read + written > 0, "no progress"),
                Status::Error(error) => {
                    errors.push((at, error.len, error.reason));
                    out.extend_from_slice("\u{FFFD}".as_bytes());
                    (at, state) = (at + error.resume_len, error.resume_state);
                }
            }
        }
    }
    (String::from_utf8(out).expect("valid UTF-8"), errors)
}
