//! Runs a codec over an input for the tests of the encodings: in one call, or with each split of
//! the input, byte by byte, and with each size of the output buffer from the lookahead to 64 bytes.
//!
//! Each call is made on a new codec that is put into the saved state, so that nothing can be
//! remembered elsewhere.

use super::{Encoding, EncodingOptions, Ucs4Codecs, for_label};
use crate::codec::{ByteTransform, Checkpoint, DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};

/// An encoding with its options.
pub struct LabeledEncoding {
    pub encoding: &'static Encoding,
    pub options: EncodingOptions,
}

impl LabeledEncoding {
    /// Parses `NAME` or `NAME:OPTIONS`.
    pub fn parse(label: &str) -> LabeledEncoding {
        let (name, options) = match (for_label(label), label.rsplit_once(':')) {
            (None, Some((name, options))) => (name, options),
            _ => (label, ""),
        };
        let encoding = for_label(name).unwrap_or_else(|| panic!("no encoding {name}"));
        let options = EncodingOptions::parse(options, encoding.options).expect("valid options");
        LabeledEncoding { encoding, options }
    }
}

/// Offset, length and reason.
pub type Error = (usize, usize, MalformedReason);

/// Text with U+FFFD for each error, or bytes without replacement; the errors.
pub type Decoded<T = String> = (T, Vec<Error>);

/// Bytes, and the unmappable characters with their offsets in the text.
pub type Encoded = (Vec<u8>, Vec<(usize, char)>);

pub fn decode(label: &str, src: &[u8]) -> Decoded {
    text(decoder(label).run_once(src))
}

pub fn decode_every_way(label: &str, src: &[u8]) -> Decoded {
    decode_in_every_way(LabeledEncoding::parse(label), src)
}

pub fn decode_in_every_way(encoding: LabeledEncoding, src: &[u8]) -> Decoded {
    text(decoder_of(encoding).every_way(src, &Vec::from_iter(0..=src.len())))
}

pub fn encode(label: &str, text: &str) -> Encoded {
    encoder(label).run_once(text.as_bytes())
}

pub fn encode_every_way(label: &str, text: &str) -> Encoded {
    encode_in_every_way(LabeledEncoding::parse(label), text)
}

pub fn encode_in_every_way(encoding: LabeledEncoding, text: &str) -> Encoded {
    let cuts = (0..=text.len()).filter(|cut| text.is_char_boundary(*cut));
    encoder_of(encoding).every_way(text.as_bytes(), &Vec::from_iter(cuts))
}

/// Asserts that the text is encoded to the bytes, and that these are decoded to the text.
#[track_caller]
pub fn assert_round_trip(label: &str, text: &str, bytes: &[u8]) {
    assert_eq!(encode_every_way(label, text), (bytes.to_vec(), vec![]), "{label} {text:?}");
    assert_decodes(label, bytes, text, &[]);
}

/// Asserts that each text is encoded to its bytes, and that these are decoded to the text. A case is a label, the
/// text and the bytes.
pub fn assert_round_trips(cases: &[(&str, &str, &[u8])]) {
    for (label, text, bytes) in cases {
        assert_round_trip(label, text, bytes);
    }
}

#[track_caller]
pub fn assert_decodes(label: &str, bytes: &[u8], text: &str, errors: &[Error]) {
    let expected = (text.to_owned(), errors.to_vec());
    assert_eq!(decode_every_way(label, bytes), expected, "{label} {bytes:02X?}");
}

/// Converts from the encoding to 1 to 6 bytes per value.
pub fn to_ucs4(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    ucs4_codec(label, |ucs4| ucs4.decoder).run_once(src)
}

pub fn to_ucs4_every_way(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    ucs4_codec(label, |ucs4| ucs4.decoder).every_way(src, &Vec::from_iter(0..=src.len()))
}

/// Converts from 1 to 6 bytes per value to the encoding.
pub fn from_ucs4(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    ucs4_codec(label, |ucs4| ucs4.encoder).run_once(src)
}

pub fn from_ucs4_every_way(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    ucs4_codec(label, |ucs4| ucs4.encoder).every_way(src, &Vec::from_iter(0..=src.len()))
}

fn text((bytes, errors): Decoded<Vec<u8>>) -> Decoded {
    (String::from_utf8(bytes).unwrap(), errors)
}

type MakeCodec<C> = Box<dyn Fn(&EncodingOptions) -> Box<C>>;

/// A constructor of a codec of the 31-bit path.
type MakeUcs4Codec = fn(&EncodingOptions) -> Box<dyn ByteTransform>;

/// A kind of codec: how it is constructed and called, and how its errors are described and
/// replaced.
struct CodecDriver<C: ?Sized, F, T = Error> {
    encoding: LabeledEncoding,
    make: MakeCodec<C>,
    call: fn(&mut C, &[u8], &mut [u8], bool) -> Progress<F>,
    /// Returns the description, the length to skip, and the state to resume in.
    describe: fn(usize, F, State) -> (T, usize, State),
    replacement: &'static str,
}

fn malformed(at: usize, error: Malformed, _: State) -> (Error, usize, State) {
    ((at, error.len, error.reason), error.resume_len, error.resume_state)
}

fn decoder(label: &str) -> CodecDriver<dyn DecodeStage, Malformed> {
    decoder_of(LabeledEncoding::parse(label))
}

fn decoder_of(encoding: LabeledEncoding) -> CodecDriver<dyn DecodeStage, Malformed> {
    let registered = encoding.encoding;
    CodecDriver {
        make: Box::new(|options| registered.decoder(options)),
        call: |codec, src, dst, end| {
            let progress = codec.decode(src, dst, end);
            assert!(std::str::from_utf8(&dst[..progress.written]).is_ok(), "whole characters");
            progress
        },
        describe: malformed,
        replacement: "\u{FFFD}",
        encoding,
    }
}

fn encoder(label: &str) -> CodecDriver<dyn EncodeStage, Unmappable, (usize, char)> {
    encoder_of(LabeledEncoding::parse(label))
}

fn encoder_of(
    encoding: LabeledEncoding,
) -> CodecDriver<dyn EncodeStage, Unmappable, (usize, char)> {
    let registered = encoding.encoding;
    CodecDriver {
        make: Box::new(|options| registered.encoder(options)),
        call: |codec, src, dst, end| codec.encode(std::str::from_utf8(src).unwrap(), dst, end),
        describe: |at, error, then| ((at, error.character), error.character.len_utf8(), then),
        replacement: "",
        encoding,
    }
}

fn ucs4_codec(
    label: &str,
    make_codec: fn(&Ucs4Codecs) -> MakeUcs4Codec,
) -> CodecDriver<dyn ByteTransform, Malformed> {
    let encoding = LabeledEncoding::parse(label);
    CodecDriver {
        make: Box::new(make_codec(encoding.encoding.ucs4.as_ref().unwrap())),
        call: |codec, src, dst, end| codec.transform_bytes(src, dst, end),
        describe: malformed,
        replacement: "",
        encoding,
    }
}

impl<C: Checkpoint + ?Sized, F, T: PartialEq + std::fmt::Debug> CodecDriver<C, F, T> {
    fn run_once(&self, src: &[u8]) -> (Vec<u8>, Vec<T>) {
        self.run(src, &[], 6 * src.len() + 64)
    }

    fn every_way(&self, src: &[u8], cuts: &[usize]) -> (Vec<u8>, Vec<T>) {
        let whole = self.run_once(src);
        let max_lookahead = (self.make)(&self.encoding.options).max_lookahead();
        let halves = cuts.iter().map(|cut| (std::slice::from_ref(cut), 64));
        let outputs = (max_lookahead..=64).flat_map(|output| [(&[][..], output), (cuts, output)]);
        for (cuts, output) in halves.chain(outputs) {
            let result = self.run(src, cuts, output);
            assert_eq!(
                result,
                whole,
                "{} {src:02X?} {cuts:?} {output}",
                self.encoding.encoding.name()
            );
        }
        whole
    }

    /// Passes the source up to each of the cuts, then all of it, with an output buffer of `space`
    /// bytes.
    fn run(&self, src: &[u8], cuts: &[usize], space: usize) -> (Vec<u8>, Vec<T>) {
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        let mut dst = vec![0; space];
        let (mut state, mut at) = (State::INITIAL, 0);
        for &cut in cuts.iter().chain([&src.len()]) {
            let end = cut == src.len();
            loop {
                let mut codec = (self.make)(&self.encoding.options);
                codec.restore_state(state);
                let Progress { read, written, status } =
                    (self.call)(&mut codec, &src[at..cut], &mut dst, end);
                state = codec.save_state();
                at += read;
                out.extend_from_slice(&dst[..written]);
                match status {
                    Status::InputEmpty => {
                        break assert!(cut - at <= if end { 0 } else { codec.max_lookahead() });
                    }
                    Status::OutputFull => assert!(read + written > 0, "no progress"),
                    Status::Error(error) => {
                        let (described, next, then) = (self.describe)(at, error, state);
                        errors.push(described);
                        out.extend_from_slice(self.replacement.as_bytes());
                        (at, state) = (at + next, then);
                    }
                }
            }
        }
        (out, errors)
    }
}
