//! Converts text between encodings, exactly and in constant memory.
//!
//! For bytes at hand there is [`convert`]:
//!
//! ```
//! let utf8 = charpipe::convert("latin1", "utf-8", b"Item 3 is \xA31.")?;
//! assert_eq!(utf8, "Item 3 is £1.".as_bytes());
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! A [`Options`](options::Options) says more: options of an encoding, and what becomes of an error. A
//! [`Reader`] or a [`Writer`] carries it out on a stream, a [`Transcoder`](transcoder::Transcoder) on anything:
//!
//! ```
//! use std::io::Read;
//! use charpipe::options::Options;
//! use charpipe::Reader;
//!
//! let mut options = Options::new("utf-8".parse()?, "us-ascii".parse()?);
//! options.policy.unmappable = "xml".parse()?;
//! let mut reader = Reader::new("10 € each".as_bytes(), &options)?;
//! let mut text = String::new();
//! reader.read_to_string(&mut text)?;
//! assert_eq!(text, "10 &#8364; each");
//! assert_eq!((reader.tally().escaped, reader.tally().errors()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without a policy of one's own the first error ends the conversion. It is told with its position:
//!
//! ```
//! let error = charpipe::convert("utf-8", "us-ascii", b"one\ntwo \xE9 ").unwrap_err();
//! let told = "2:5: byte 8: E9 20 is not UTF-8 (continuation byte expected)";
//! assert_eq!(error.to_string(), told);
//! ```
//!
//! A [`Report`](transcoder::Report) of one's own is told of every error:
//!
//! ```
//! use charpipe::error::Error;
//! use charpipe::options::Options;
//! use charpipe::transcoder::Report;
//!
//! struct Notes(Vec<String>);
//!
//! impl Report for Notes {
//!     fn wants_position(&self) -> bool {
//!         true
//!     }
//!     fn error(&mut self, error: &Error) {
//!         let position = error.position.map_or(String::new(), |position| position.to_string());
//!         self.0.push(format!("{position}: {}", error.describe("UTF-8", "US-ASCII")));
//!     }
//! }
//!
//! let mut options = Options::new("utf-8".parse()?, "us-ascii".parse()?);
//! options.policy.unmappable = "xml".parse()?;
//! let (mut transcoder, mut out, mut notes) = (options.transcoder()?, Vec::new(), Notes(Vec::new()));
//! for bytes in ["one\n10 ".as_bytes(), "€ each\n".as_bytes()] {
//!     transcoder.space()[..bytes.len()].copy_from_slice(bytes);
//!     transcoder.filled(bytes.len(), &mut out, &mut notes)?;
//! }
//! transcoder.end_of_file(&mut out, &mut notes)?;
//! transcoder.finish(&mut out, &mut notes)?;
//! assert_eq!(out, b"one\n10 &#8364; each\n");
//! assert_eq!(notes.0, ["2:4: byte 7: U+20AC is not in US-ASCII"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Beside conversions, [`check`] finds all that is wrong with a file, [`detect`] says in which
//! encoding one is, [`binary`] decides whether one is text at all, and [`inplace`] rewrites files where
//! they stand.
//!
//! Inside, each encoding is a [`Decoder`](codec::Decoder) and an [`Encoder`](codec::Encoder) that
//! keep the contract of [`codec`]; UTF-8 is the pivot between them. The library never prints and
//! never exits.

pub mod binary;
mod bom;
pub mod check;
pub mod codec;
pub mod conversion_error;
pub mod detect;
pub mod directory;
pub mod encoding;
mod error;
mod error_handler;
pub mod error_policy;
pub mod file_id;

pub mod in_place;
pub mod input;
mod io;
mod kernel;
pub mod options;
pub mod output;
pub mod quote;
mod retry;
pub mod rfc2047;
pub mod sniff;
pub mod transcoder;

pub use error::{ConversionError, Error};
pub use io::{ErrorCounts, TranscodeReader, TranscodeWriter, transcode};
