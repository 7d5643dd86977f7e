//! Converts text between encodings, exactly and in constant memory.
//!
//! [`transcode`] converts a slice:
//!
//! ```
//! let utf8 = charpipe::transcode("latin1", "utf-8", b"Item 3 is \xA31.")?;
//! assert_eq!(utf8, "Item 3 is £1.".as_bytes());
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! [`TranscodeOptions`](options::TranscodeOptions) configures encoding options and error handling. Use
//! them with a [`TranscodeReader`] or a [`TranscodeWriter`], or with a
//! [`Transcoder`](transcoder::Transcoder) directly:
//!
//! ```
//! use std::io::Read;
//! use charpipe::options::TranscodeOptions;
//! use charpipe::TranscodeReader;
//!
//! let mut options = TranscodeOptions::new("utf-8".parse()?, "us-ascii".parse()?);
//! options.error_policy.unmappable = "xml".parse()?;
//! let mut reader = TranscodeReader::new("10 € each".as_bytes(), &options)?;
//! let mut text = String::new();
//! reader.read_to_string(&mut text)?;
//! assert_eq!(text, "10 &#8364; each");
//! assert_eq!((reader.error_counts().escaped, reader.error_counts().errors()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! By default the first error stops the conversion. It is returned with its position:
//!
//! ```
//! let error = charpipe::transcode("utf-8", "us-ascii", b"one\ntwo \xE9 ").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "2:5: byte 8: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)"
//! );
//! ```
//!
//! An [`ErrorReporter`](transcoder::ErrorReporter) receives every error:
//!
//! ```
//! use charpipe::conversion_error::ErrorEvent;
//! use charpipe::options::TranscodeOptions;
//! use charpipe::transcoder::ErrorReporter;
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
//! let mut options = TranscodeOptions::new("utf-8".parse()?, "us-ascii".parse()?);
//! options.error_policy.unmappable = "xml".parse()?;
//! let (mut transcoder, mut out, mut messages) = (options.build()?, Vec::new(), Messages(Vec::new()));
//! let mut input = "one\n10 € each\n".as_bytes();
//! transcoder.process_reader(&mut input, &mut out, &mut messages)?;
//! transcoder.finish_input(&mut out, &mut messages)?;
//! transcoder.finish(&mut out, &mut messages)?;
//! assert_eq!(out, b"one\n10 &#8364; each\n");
//! assert_eq!(messages.0, ["2:4: byte 7: U+20AC cannot be encoded in US-ASCII"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Other modules: [`check`] finds all errors in a file, [`detect`] detects the encoding of a file,
//! [`binary`] decides whether content is binary, and [`in_place`] converts files in place.
//!
//! Each encoding has a [`Decoder`](codec::Decoder) and an [`Encoder`](codec::Encoder) that follow the
//! contract of [`codec`], with UTF-8 as the pivot. The library never prints and never exits.

mod bom;
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod codec;
pub mod conversion_error;
#[cfg(feature = "detect")]
pub mod detect;
pub mod encoding;
mod error;
mod error_handler;
pub mod error_policy;
mod io;
mod kernel;
mod line_ending;
pub mod options;
pub mod rfc2047;
pub mod transcoder;

pub use error::{ConversionError, Error};
pub use io::{ErrorCounts, TranscodeReader, TranscodeWriter, transcode};
