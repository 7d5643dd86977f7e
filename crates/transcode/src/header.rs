//! The encoding of header fields of mail among the encodings: its labels, and the stages that its options need.

use charpipe_encoding::codec::{ByteTransform, TextTransform};
use charpipe_encoding::encoding::alias::{MAX_LABEL_LEN, labels_match};
use charpipe_encoding::encoding::{Encoding, EncodingOptions};
use charpipe_mail::rfc2047::{self, RFC_2047};

/// The labels of the encoding of header fields. The second one is that of Perl's Encode.
const HEADER_LABELS: [&str; 3] = ["RFC2047", "MIME-Header", "encoded-word"];

/// Returns whether this is the encoding of header fields of mail, by RFC 2047.
pub fn is_header(encoding: &Encoding) -> bool {
    *encoding == RFC_2047
}

/// Returns the encoding of header fields of mail if it has this label.
pub(crate) fn header_for_label(label: &str) -> Option<&'static Encoding> {
    let matches = |known: &str| label.len() <= MAX_LABEL_LEN && labels_match(known, label);
    HEADER_LABELS.into_iter().any(matches).then_some(&RFC_2047)
}

/// Returns whether these are header fields whose parameters are converted in stages of their own.
pub fn has_header_stages(encoding: &Encoding, options: &EncodingOptions) -> bool {
    is_header(encoding) && options.flag("rfc2231")
}

/// Returns the stage before the decoder of header fields, if its options need one.
pub(crate) fn header_byte_stage(
    encoding: &Encoding,
    options: &EncodingOptions,
) -> Option<Box<dyn ByteTransform>> {
    has_header_stages(encoding, options).then(|| rfc2047::parameter_decoder(options))
}

/// Returns the stage before the encoder of header fields, if its options need one.
pub(crate) fn header_text_stage(
    encoding: &Encoding,
    options: &EncodingOptions,
) -> Option<Box<dyn TextTransform>> {
    has_header_stages(encoding, options).then(rfc2047::parameter_encoder)
}
