//! Long runs and texts in two pieces, with all the space that they need.

use super::super::{UTF_7, UTF_7_IMAP};
use super::reference::{REFERENCE_IMAP, REFERENCE_UTF_7, Utf7Reference};
use crate::codec::Status;
use crate::encoding::{Encoding, EncodingOptions};

const REFERENCES: [(&Encoding, Utf7Reference); 2] =
    [(&UTF_7, REFERENCE_UTF_7), (&UTF_7_IMAP, REFERENCE_IMAP)];

/// Runs of each kind and length, with little between them.
fn texts() -> impl Iterator<Item = String> {
    let parts = ["é", "中", "😀", "é中😀", "+&", "\u{7F}é", "中😀\u{FE0F}"];
    parts.into_iter().flat_map(|part| {
        [1, 2, 3, 7, 40].map(|count| {
            let run = part.repeat(count) + [" ", "a", "-"][count % 3];
            run.repeat(1 + 300 / run.len()) + &"z".repeat(130)
        })
    })
}

#[test]
fn text_may_be_split_after_any_character() {
    for (encoding, form) in REFERENCES {
        for text in texts() {
            let expected = form.encode(&text);
            for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                let mut encoder = encoding.encoder(&EncodingOptions::default());
                let (mut dst, mut written) = (vec![0; 8 * text.len()], 0);
                for (part, end) in [(&text[..cut], false), (&text[cut..], true)] {
                    let progress = encoder.encode(part, &mut dst[written..], end);
                    assert_eq!((progress.read, progress.status), (part.len(), Status::InputEmpty));
                    written += progress.written;
                }
                assert!(dst[..written] == *expected.as_bytes(), "{} {cut} {text}", encoding.name);
            }
        }
    }
}

#[test]
fn bytes_may_be_split_anywhere() {
    for (encoding, form) in REFERENCES {
        for text in texts() {
            let src = form.encode(&text).into_bytes();
            for cut in 0..=src.len() {
                let mut decoder = encoding.decoder(&EncodingOptions::default());
                let mut dst = vec![0; 2 * text.len() + 200];
                let first = decoder.decode(&src[..cut], &mut dst, false);
                assert_eq!(first.status, Status::InputEmpty, "{} {cut} {text}", encoding.name);
                let rest = decoder.decode(&src[first.read..], &mut dst[first.written..], true);
                assert_eq!(rest.status, Status::InputEmpty, "{} {cut} {text}", encoding.name);
                let written = first.written + rest.written;
                assert!(dst[..written] == *text.as_bytes(), "{} {cut} {text}", encoding.name);
            }
        }
    }
}
