//! Converts text between encodings, exactly and in constant memory: every encoding that iconv supports,
//! UTF-7, UTF-5 and the encoded-words of mail.
//!
//! An [`Encoding`] decodes and encodes whole texts. There is a constant for each, and
//! [`for_label`](Encoding::for_label) finds one by its name:
//!
//! ```
//! use charpipe::Encoding;
//!
//! let (text, had_errors) = charpipe::SHIFT_JIS.decode(b"\x93\xFA\x96\x7B");
//! assert_eq!((&*text, had_errors), ("日本", false));
//!
//! let latin1 = Encoding::for_label(b"latin1").expect("a label of ISO-8859-1");
//! assert_eq!(*latin1.encode_strict("café")?, *b"caf\xE9");
//! # Ok::<(), charpipe::ConversionError>(())
//! ```
//!
//! The strict methods return the first error with its position:
//!
//! ```
//! let error = charpipe::UTF_8.decode_strict(b"one\ntwo \xE9 ").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "2:5: byte 8: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)"
//! );
//! ```
//!
//! # Text that arrives in parts
//!
//! [`Decoder`] and [`Encoder`] convert between bytes and `str` in parts. A [`DecodeReader`] decodes what
//! it reads, and looks for a byte order mark. [`TranscodeReader`] and [`TranscodeWriter`] convert bytes of
//! one encoding to bytes of another, with the actions for errors that [`TranscodeOptions`] sets:
//!
//! ```
//! use std::io::Read;
//! use charpipe::{ErrorAction, TranscodeOptions, TranscodeReader};
//!
//! let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII)
//!     .on_unmappable(ErrorAction::ESCAPE_XML);
//! let mut reader = TranscodeReader::new("10 € each".as_bytes(), &options)?;
//! let mut text = String::new();
//! reader.read_to_string(&mut text)?;
//! assert_eq!(text, "10 &#8364; each");
//! assert_eq!((reader.error_counts().escaped, reader.error_counts().errors()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Every error with its position
//!
//! An [`ErrorReporter`] receives every error of a [`Transcoder`]:
//!
//! ```
//! use charpipe::{ErrorAction, ErrorEvent, ErrorReporter, TranscodeOptions};
//!
//! struct Messages(Vec<String>);
//!
//! impl ErrorReporter for Messages {
//!     fn wants_position(&self) -> bool {
//!         true
//!     }
//!     fn error(&mut self, event: &ErrorEvent) {
//!         let position = event.position.map_or(String::new(), |position| position.to_string());
//!         self.0.push(format!("{position}: {}", event.display("UTF-8", "US-ASCII")));
//!     }
//! }
//!
//! let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII)
//!     .on_unmappable(ErrorAction::Replace(None));
//! let (mut transcoder, mut out, mut messages) = (options.build()?, Vec::new(), Messages(Vec::new()));
//! transcoder.process_reader(&mut "one\n10 €\n".as_bytes(), &mut out, &mut messages)?;
//! transcoder.finish_input(&mut out, &mut messages)?;
//! transcoder.finish(&mut out, &mut messages)?;
//! assert_eq!(out, b"one\n10 ?\n");
//! assert_eq!(messages.0, ["2:4: byte 7: U+20AC cannot be encoded in US-ASCII"]);
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! # Features
//!
//! | feature | contents |
//! |---|---|
//! | `cli` (default) | the command `charpipe`, with all other features; needs some 50 packages |
//! | `detect` | the module `detect`, which detects encodings |
//! | `iconv` | what the C library `charpipe-capi` needs; nothing public |
//! | `transforms` | the transforms of chains that need packages: normalization, domain names |
//! | `transliterations` | the transforms with large tables: scripts of Asia to Latin letters, forms of Chinese, names of characters |
//!
//! With `default-features = false` the library needs five packages without dependencies of their own. It does not open files, and compiles for all targets with `std`, WebAssembly
//! included.
//!
//! The library never prints and never exits. [Moving from other
//! libraries](https://github.com/charpipe/charpipe/blob/main/docs/migration.md) lists the calls of
//! encoding_rs, encoding_rs_io, iconv and Python with their counterparts.

#![forbid(unsafe_code)]

#[doc(no_inline)]
pub use charpipe_encoding::encoding::constants::*;
#[doc(inline)]
pub use charpipe_encoding::{
    CoderResult, ConversionError, Decoder, Encoder, Encoding, Error, ErrorEvent, ErrorKind,
    MalformedReason, Position,
};
#[doc(inline)]
pub use charpipe_mail::rfc2047;
#[doc(inline)]
pub use charpipe_transcode::{
    BomPolicy, DecodeReader, EncodingSpec, ErrorAction, ErrorCounts, ErrorReporter,
    TranscodeOptions, TranscodeReader, TranscodeWriter, Transcoder, transcode,
};

pub mod check {
    //! Checks files: finds every malformed sequence and every violation of a rule about byte order marks, line
    //! endings, declarations of the encoding, binary files or characters, with its position.
    //!
    //! ```
    //! use charpipe::check::{CheckOptions, NewlineRule, check};
    //!
    //! let mut options = CheckOptions::new(charpipe::UTF_8);
    //! options.newline = NewlineRule::Lf;
    //! let found: Vec<_> = check(b"caf\xE9\nna\xC3\xAFve\r\n", &options)?
    //!     .iter()
    //!     .map(|finding| format!("{}: {}", finding.position, finding.display("UTF-8")))
    //!     .collect();
    //! let malformed = "invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)";
    //! let wrong_line_ending = "2:6: byte 11: line ends with CRLF (expected LF)";
    //! assert_eq!(found, [format!("1:4: byte 3: {malformed}"), wrong_line_ending.to_owned()]);
    //! # Ok::<(), charpipe::Error>(())
    //! ```
    //!
    //! A [`Checker`] checks a file in parts:
    //!
    //! ```
    //! use charpipe::check::{CheckOptions, Checker};
    //!
    //! let mut checker = Checker::new(&CheckOptions::new(charpipe::UTF_8))?;
    //! let mut positions = Vec::new();
    //! let mut on_finding = |finding: &charpipe::check::Finding| {
    //!     positions.push(finding.position.to_string());
    //!     Ok(())
    //! };
    //! for bytes in [&b"caf\xE9\n"[..], b"na\xEFve\n"] {
    //!     checker.input_buffer()[..bytes.len()].copy_from_slice(bytes);
    //!     checker.process(bytes.len(), &mut on_finding)?;
    //! }
    //! checker.finish_input(&mut on_finding)?;
    //! assert_eq!(positions, ["1:4: byte 3", "2:3: byte 7"]);
    //! # Ok::<(), charpipe::Error>(())
    //! ```
    //!
    //! A checker runs the decoder stage of a transcoder's chain and checks the decoded text instead of
    //! encoding it. Memory is bounded, regardless of the length of the file and the number of findings.

    #[doc(inline)]
    pub use charpipe_check::{
        BomRule, CheckOptions, Checker, Finding, NewlineRule, Rule, check, check_reader,
    };
}

#[cfg(feature = "detect")]
pub mod detect {
    //! Detects whether an input is text, and in which encoding.
    //!
    //! ```
    //! use charpipe::detect::{self, Confidence};
    //!
    //! let detection = detect::detect(b"caf\xC3\xA9\r\n");
    //! let best = detection.best().expect("text has a candidate");
    //! assert_eq!((best.encoding, best.confidence), (charpipe::UTF_8, Confidence::Certain));
    //! assert!(detection.is_text());
    //! ```
    //!
    //! The whole input is examined, in chunks of any size, with bounded memory. The result does not depend on
    //! the chunks.

    #[doc(inline)]
    pub use charpipe_detect::{
        Candidate, Confidence, Detection, DetectionHints, Detector, Language, detect,
        detect_prefix, detect_reader,
    };
}

pub mod split {
    //! Converts parts of a file independently of each other. Their outputs joined are the conversion of the whole
    //! file, byte for byte.
    //!
    //! A [`RangeTranscoder`] finds where the file can be split and converts a range:
    //!
    //! ```
    //! use std::io::Cursor;
    //! use charpipe::split::{InputRange, RangeTranscoder};
    //! use charpipe::{ErrorCounts, TranscodeOptions};
    //!
    //! let mut input = Cursor::new(b"\x93\xFA\x96\x7B\nab\ncd");
    //! let options = TranscodeOptions::from_labels("shift_jis", "utf-8")?;
    //! let mut transcoder = RangeTranscoder::new(&options)?;
    //! let (mut output, mut counts) = (Vec::new(), ErrorCounts::default());
    //! for range in [0..4, 4..10] {
    //!     let range = InputRange::new(transcoder.safe_range(&mut input, range)?);
    //!     transcoder.convert(&mut input, &range, &mut output, &mut counts)?;
    //! }
    //! assert_eq!(output, "日本\nab\ncd".as_bytes());
    //! # Ok::<(), charpipe::Error>(())
    //! ```
    //!
    //! Transforms, as in `utf-8/base64`, and chains of more than two encodings cannot be split, nor can encodings
    //! whose decoder may be in another state after a line feed, such as ISO-2022-JP.

    #[doc(inline)]
    pub use charpipe_transcode::split::{InputRange, RangeResult, RangeTranscoder};
}

/// A constant for each encoding. They can also be used without the module, as in
/// [`charpipe::UTF_8`](UTF_8).
pub mod encodings {
    #[doc(inline)]
    pub use charpipe_encoding::encoding::constants::*;
}

/// Tests the examples of the page.
#[cfg(doctest)]
#[doc = include_str!("../docs/migration.md")]
mod migration {}

/// Tests the examples of the page.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
mod rust_page {}

/// What the tests, the fuzz targets and the generators of charpipe use. Nothing here is stable.
#[doc(hidden)]
pub mod internals {
    pub use charpipe_check as check;
    #[cfg(feature = "detect")]
    pub use charpipe_detect as detect;
    #[cfg(feature = "detect")]
    pub use charpipe_detect::auto;
    pub use charpipe_encoding::{codec, conversion_error, encoding};
    #[cfg(feature = "iconv")]
    pub use charpipe_iconv as iconv;
    pub use charpipe_kernel::simd;
    pub use charpipe_transcode as transcode;
    pub use charpipe_transcode::{error_policy, parallel};

    /// The steps of a chain that are not encodings.
    pub mod transform {
        pub use charpipe_transcode::transform_spec::{all, for_name};
        pub use charpipe_transform::{Direction, Transform, TransformCodecs};
    }
}
