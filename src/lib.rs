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
//! A [`Plan`](plan::Plan) says more: options of a charset, and what becomes of a fault. A
//! [`Reader`] or a [`Writer`] carries it out on a stream, a [`Pump`](pump::Pump) on anything:
//!
//! ```
//! use std::io::Read;
//! use charpipe::plan::Plan;
//! use charpipe::Reader;
//!
//! let mut plan = Plan::new("utf-8".parse()?, "us-ascii".parse()?);
//! plan.policy.unmappable = "xml".parse()?;
//! let mut reader = Reader::new("10 € each".as_bytes(), &plan)?;
//! let mut text = String::new();
//! reader.read_to_string(&mut text)?;
//! assert_eq!(text, "10 &#8364; each");
//! assert_eq!((reader.tally().escaped, reader.tally().errors()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without a policy of one's own the first fault ends the conversion. It is told with its place:
//!
//! ```
//! let error = charpipe::convert("utf-8", "us-ascii", b"one\ntwo \xE9 ").unwrap_err();
//! let told = "2:5: byte 8: E9 20 is not UTF-8 (continuation byte expected)";
//! assert_eq!(error.to_string(), told);
//! ```
//!
//! A [`Report`](pump::Report) of one's own is told of every fault:
//!
//! ```
//! use charpipe::fault::Fault;
//! use charpipe::plan::Plan;
//! use charpipe::pump::Report;
//!
//! struct Notes(Vec<String>);
//!
//! impl Report for Notes {
//!     fn wants_place(&self) -> bool {
//!         true
//!     }
//!     fn fault(&mut self, fault: &Fault) {
//!         let place = fault.place.map_or(String::new(), |place| place.to_string());
//!         self.0.push(format!("{place}: {}", fault.describe("UTF-8", "US-ASCII")));
//!     }
//! }
//!
//! let mut plan = Plan::new("utf-8".parse()?, "us-ascii".parse()?);
//! plan.policy.unmappable = "xml".parse()?;
//! let (mut pump, mut out, mut notes) = (plan.pump()?, Vec::new(), Notes(Vec::new()));
//! for bytes in ["one\n10 ".as_bytes(), "€ each\n".as_bytes()] {
//!     pump.space()[..bytes.len()].copy_from_slice(bytes);
//!     pump.filled(bytes.len(), &mut out, &mut notes)?;
//! }
//! pump.end_of_file(&mut out, &mut notes)?;
//! pump.finish(&mut out, &mut notes)?;
//! assert_eq!(out, b"one\n10 &#8364; each\n");
//! assert_eq!(notes.0, ["2:4: byte 7: U+20AC is not in US-ASCII"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Beside conversions, [`check`] finds all that is wrong with a file, [`detect`] says in which
//! encoding one is, [`binary`] decides whether one is text at all, and [`inplace`] rewrites files where
//! they stand.
//!
//! Inside, each charset is a [`Decoder`](codec::Decoder) and an [`Encoder`](codec::Encoder) that
//! keep the contract of [`codec`]; UTF-8 is the pivot between them. The library never prints and
//! never exits.

mod adapter;
pub mod auto;
pub mod binary;
pub mod charset;
pub mod check;
pub mod codec;
pub mod detect;
pub mod directory;
mod error;
pub mod fault;
mod filter;
pub mod header;
pub mod identity;
pub mod inplace;
mod kernel;
mod mend;
mod patience;
pub mod plan;
pub mod policy;
pub mod pump;
pub mod quote;
pub mod sink;
pub mod source;

pub use adapter::{Reader, Tally, Writer, convert};
pub use error::{Error, Stopped};
