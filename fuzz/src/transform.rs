//! A transform does the same whatever the pieces and the space, and its decoder returns what the
//! encoder was given.
//!
//! Input: four bytes for the transform and its options, one for the direction, one for the space,
//! three for the sizes of pieces, one for how often it is repeated, then what is converted.

use std::sync::OnceLock;

use charpipe::internals::encoding::EncodingOptions;
use charpipe::internals::transform::{self, Transform, TransformCodecs};

use super::cases::label_number;
use super::driver::{Chunking, TestCodec, drive};
use super::encoding_options::variants_of;
use super::params::FuzzInput;

/// Bytes that are converted at the most.
const MAX_INPUT_LEN: usize = 2048;

/// A transform with options, and the number that chooses it.
struct TransformCase {
    number: u32,
    label: String,
    transform: &'static Transform,
    options: EncodingOptions,
}

fn transform_cases() -> &'static [TransformCase] {
    static CASES: OnceLock<Vec<TransformCase>> = OnceLock::new();
    CASES.get_or_init(|| {
        let with_options = |transform: &'static Transform| {
            variants_of(transform.name, transform.options).into_iter().map(move |options| {
                let label = format!("{}{options}", transform.name);
                TransformCase { number: label_number(&label), label, transform, options }
            })
        };
        let mut cases: Vec<_> = transform::all().flat_map(with_options).collect();
        cases.sort_by_key(|case| case.number);
        cases
    })
}

/// The bytes that choose the transform that is printed so.
pub fn transform_case_bytes(label: &str) -> Option<[u8; 4]> {
    let found = transform_cases().iter().find(|case| case.label == label);
    found.map(|case| case.number.to_be_bytes())
}

/// Every transform with its options, as it is printed.
pub fn transform_labels() -> impl Iterator<Item = &'static str> {
    transform_cases().iter().map(|case| &case.label[..])
}

/// The first four bytes choose the transform with the next higher number.
fn choose_transform(bytes: &mut FuzzInput<'_>) -> &'static TransformCase {
    let wanted = u32::from_be_bytes(bytes.array());
    let cases = transform_cases();
    let index = cases.partition_point(|case| case.number < wanted);
    &cases[index % cases.len()]
}

/// Returns the label of the transform that the first four bytes choose.
pub fn choose_label(bytes: &mut FuzzInput<'_>) -> &'static str {
    &choose_transform(bytes).label
}

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let TransformCase { label, transform, options, .. } = choose_transform(&mut bytes);
    let decodes = bytes.byte() & 1 == 1;
    let chunking = Chunking::from_input(&mut bytes);
    let mut content = bytes.repeated();
    content.truncate(MAX_INPUT_LEN);
    match transform.codecs {
        TransformCodecs::Bytes { decoder, encoder } => {
            let mut decoder = TestCodec::Transform(decoder(options));
            let mut encoder = TestCodec::Transform(encoder(options));
            if decodes {
                check_codec(label, &mut decoder, &content, chunking);
                return;
            }
            let encoded = check_codec(label, &mut encoder, &content, chunking);
            let decoded = drive(&mut decoder, &encoded, chunking);
            // With these options line endings become CR LF, and escapes of ASCII are kept.
            let changes_lines = label.contains("newline=crlf") && transform.name == "qp";
            if !changes_lines && !label.contains("keep-ascii") {
                assert_eq!(decoded.errors, [], "{label}");
                assert_eq!(decoded.out, content, "{label}");
            }
        }
        TransformCodecs::Text { decoder, encoder } => {
            let content = String::from_utf8_lossy(&content).into_owned().into_bytes();
            let make = decoder.filter(|_| decodes).unwrap_or(encoder);
            let mut codec = TestCodec::TextTransform(make(options));
            let out = check_codec(label, &mut codec, &content, chunking);
            assert!(std::str::from_utf8(&out).is_ok(), "{label}: {out:X?}");
        }
    }
}

/// Converts an input as a whole, in these pieces and in single bytes, and returns the output.
fn check_codec(label: &str, codec: &mut TestCodec, input: &[u8], chunking: Chunking) -> Vec<u8> {
    let whole = drive(codec, input, Chunking::WHOLE);
    assert_eq!(drive(codec, input, chunking), whole, "{label} {chunking:?}");
    assert_eq!(drive(codec, input, Chunking::bytewise(1)), whole, "{label} in single bytes");
    whole.out
}
