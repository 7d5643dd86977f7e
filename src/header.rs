//! The encoding of header fields of mail among the encodings: its labels, and the stages that its options need.
//!
//! Without the feature `rfc2047` there is no such encoding.

use crate::codec::{ByteTransform, TextTransform};
use crate::encoding::alias;
use crate::encoding::{Encoding, EncodingOptions};

/// Returns whether this is the encoding of header fields of mail, by RFC 2047.
pub(crate) fn is_header(encoding: &Encoding) -> bool {
    header().is_some_and(|header| encoding == header)
}

/// Returns the encoding of header fields of mail if it has this label.
pub(crate) fn header_for_label(label: &str) -> Option<&'static Encoding> {
    let matches =
        |known: &str| label.len() <= alias::MAX_LABEL_LEN && alias::labels_match(known, label);
    header().filter(|_| HEADER_LABELS.into_iter().any(matches))
}

/// The labels of the encoding of header fields. The second one is that of Perl's Encode.
const HEADER_LABELS: [&str; 3] = ["RFC2047", "MIME-Header", "encoded-word"];

/// Returns the encoding of header fields, unless it has been left out.
const fn header() -> Option<&'static Encoding> {
    #[cfg(feature = "rfc2047")]
    return Some(&crate::rfc2047::RFC_2047);
    #[cfg(not(feature = "rfc2047"))]
    None
}

/// Returns whether these are header fields whose parameters are converted in stages of their own.
pub(crate) fn has_header_stages(encoding: &Encoding, options: &EncodingOptions) -> bool {
    is_header(encoding) && options.flag("rfc2231")
}

/// Returns the stage before the decoder of header fields, if its options need one.
pub(crate) fn header_byte_stage(
    _encoding: &Encoding,
    _options: &EncodingOptions,
) -> Option<Box<dyn ByteTransform>> {
    #[cfg(feature = "rfc2047")]
    return has_header_stages(_encoding, _options)
        .then(|| crate::rfc2047::parameter_decoder(_options));
    #[cfg(not(feature = "rfc2047"))]
    None
}

/// Returns the stage before the encoder of header fields, if its options need one.
pub(crate) fn header_text_stage(
    _encoding: &Encoding,
    _options: &EncodingOptions,
) -> Option<Box<dyn TextTransform>> {
    #[cfg(feature = "rfc2047")]
    return has_header_stages(_encoding, _options).then(crate::rfc2047::parameter_encoder);
    #[cfg(not(feature = "rfc2047"))]
    None
}
