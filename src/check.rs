//! Finds all that is wrong with files, and where.
//!
//! ```
//! use charpipe::check::{Checker, Rules};
//!
//! let mut checker = Checker::new(&Rules::new("utf-8".parse()?))?;
//! let mut found = Vec::new();
//! let mut note = |finding: &_| {
//!     found.push(*finding);
//!     Ok(())
//! };
//! for bytes in [&b"caf\xE9\n"[..], b"na\xEFve\n"] {
//!     checker.space()[..bytes.len()].copy_from_slice(bytes);
//!     checker.filled(bytes.len(), &mut note)?;
//! }
//! checker.end_of_file(&mut note)?;
//! let told: Vec<String> = found.iter().map(|f| format!("{}", f.place)).collect();
//! assert_eq!(told, ["1:4: byte 3", "2:3: byte 7"]);
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! A checker is one link of a pump's chain, the decoder, with an examiner of text behind it in the
//! place of an encoder. Memory is some blocks, however long the file and however much is found.

use std::io;

use crate::plan::Encoding;

mod checker;
mod examine;
mod finding;
mod line_ends;
mod rules;
mod source;

pub use checker::Checker;
pub use finding::{Finding, LineEnd, Problem, Rule};
pub use rules::{Binary, Mark, Newline, UnknownRule};

/// What to hold a file to.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Its encoding.
    pub encoding: Encoding,
    /// The byte order mark.
    pub mark: Mark,
    /// The ends of lines.
    pub newline: Newline,
    /// What to make of NUL. A file with NUL among its first [`HEAD`] bytes is binary from the
    /// start, another one from its first NUL on.
    pub binary: Binary,
    /// Whether the file is a message of which only the header block is checked, up to the first
    /// empty line.
    pub message: bool,
    /// Whether findings come with their column in bytes.
    pub byte_columns: bool,
    /// Bytes that are read and checked at a time, from 1 to
    /// [`Plan::LARGEST_BLOCK`](crate::plan::Plan::LARGEST_BLOCK). Results do not depend on it.
    pub block: usize,
}

/// Bytes at the beginning of a file that are looked at together for NUL, so that a picture is told
/// as one finding and not as the thousand that come before its first NUL.
pub const HEAD: usize = 8192;

/// 512 MiB of English take, in seconds of the processor, 0.06 in blocks of 64 KiB, 0.03 of 128 and
/// 0.02 of 1024, and 0.1 to be read in any.
const BLOCK: usize = 128 * 1024;

/// Who is told of each finding, in the order of the file. An error ends the check.
pub type Findings<'a> = &'a mut dyn FnMut(&Finding) -> io::Result<()>;

impl Rules {
    /// Holds a file to its encoding only, and finds out whether it is binary.
    pub fn new(encoding: Encoding) -> Rules {
        Rules {
            encoding,
            mark: Mark::Any,
            newline: Newline::Any,
            binary: Binary::Report,
            message: false,
            byte_columns: false,
            block: BLOCK,
        }
    }
}
