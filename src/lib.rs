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
//! use charpipe::{ErrorAction, EscapeStyle, TranscodeOptions, TranscodeReader};
//!
//! let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII)
//!     .on_unmappable(ErrorAction::Escape(EscapeStyle::Xml));
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
//! | `rfc2047` | the module `rfc2047`, for the header fields of mail |
//!
//! With `default-features = false` the library needs four packages without dependencies of their own,
//! and autocfg to build. It does not open files, and compiles for all targets with `std`, WebAssembly
//! included.
//!
//! The library never prints and never exits. [Moving from other
//! libraries](https://github.com/charpipe/charpipe/blob/main/docs/migration.md) lists the calls of
//! encoding_rs, encoding_rs_io, iconv and Python with their counterparts.

// What only header fields need is not worth a condition each.
#![cfg_attr(not(feature = "rfc2047"), allow(dead_code, unused_imports))]

mod bom;
mod chain_spec;
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod codec;
mod conversion_error;
mod declaration;
mod decode_reader;
mod decoder;
#[cfg(feature = "detect")]
pub mod detect;
mod encoder;
mod encoding;
mod encoding_list;
mod error;
mod error_handler;
mod error_policy;
mod field_filter;
mod header;
mod header_block;
#[cfg(feature = "iconv")]
mod iconv;
mod io;
mod kernel;
mod line_ending;
mod message_scanner;
mod options;
mod parallel;
mod repair;
#[cfg(feature = "rfc2047")]
pub mod rfc2047;
pub mod split;
mod transcoder;
mod transform;
mod transform_spec;
#[cfg(feature = "rfc2047")]
mod unfold;

pub use chain_spec::ChainStep;
pub use conversion_error::{ActionTaken, ErrorEvent, ErrorKind, MalformedReason, Position};
pub use decode_reader::DecodeReader;
pub use decoder::{Decoder, DecoderResult, MalformedError};
pub use encoder::{Encoder, EncoderResult, UnmappableError};
#[doc(no_inline)]
pub use encoding::constants::*;
pub use encoding::{Alias, Encoding, MixedCount, MixedCounts, MixedUnit};
pub use error::{ConversionError, Error};
pub use error_policy::{ErrorAction, EscapeStyle};
pub use io::{ErrorCounts, TranscodeReader, TranscodeWriter, transcode};
pub use options::{BomPolicy, EncodingSpec, TranscodeOptions};
pub use parallel::ParallelTranscoder;
pub use transcoder::{ErrorReporter, Transcoder};
pub use transform::Direction;
pub use transform_spec::TransformSpec;

/// A constant for each encoding. They can also be used without the module, as in
/// [`charpipe::UTF_8`](UTF_8).
pub mod encodings {
    pub use crate::encoding::constants::*;
}

/// Tests the examples of the page.
#[cfg(doctest)]
#[doc = include_str!("../docs/migration.md")]
mod migration {}

/// What the tests, the fuzz targets and the generators of charpipe use. Nothing here is stable.
#[doc(hidden)]
pub mod internals {
    /// The codec traits.
    pub mod codec {
        pub use crate::codec::*;
    }
    /// Malformed sequences and unmappable characters.
    pub mod conversion_error {
        pub use crate::conversion_error::*;
    }
    /// The encodings with their codecs and options.
    pub mod encoding {
        pub use crate::encoding::*;
    }
    /// The steps of a chain that are not encodings.
    pub mod transform {
        pub use crate::transform::{Direction, Transform, TransformCodecs};
        pub use crate::transform_spec::{all, for_name};
    }
    /// The encoding of an input from what leaves no doubt.
    #[cfg(feature = "detect")]
    pub mod auto {
        pub use crate::detect::auto::*;
    }
    /// Files that several threads read.
    pub mod parallel {
        pub use crate::parallel::ReadAt;
    }
    /// Conversions as by iconv(3).
    #[cfg(feature = "iconv")]
    pub mod iconv {
        pub use crate::iconv::*;
    }
    /// Error policies.
    pub mod error_policy {
        pub use crate::error_policy::*;
    }
    /// The SIMD level, for benchmarks.
    pub mod simd {
        pub use crate::kernel::simd::{level_names, select_level};
    }
}
