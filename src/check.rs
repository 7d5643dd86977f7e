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
//! let told: Vec<String> = found.iter().map(|f| format!("{}", f.position)).collect();
//! assert_eq!(told, ["1:4: byte 3", "2:3: byte 7"]);
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! A checker is one link of a transcoder's chain, the decoder, with an examiner of text after it in the
//! position of an encoder. Memory is some blocks, however long the file and however much is found.

use std::io;

use crate::options::EncodingSpec;

mod checker;
mod finding;
mod newline;
mod offset_map;
mod rules;
mod text_checker;

pub use checker::Checker;
pub use finding::{Finding, FindingKind, LineEnding, Rule};
pub use rules::{BinaryFiles, BomRule, NewlineRule, ParseRuleError};

/// What to hold a file to.
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// Its encoding.
    pub encoding: EncodingSpec,
    /// The byte order mark.
    pub bom: BomRule,
    /// The ends of lines.
    pub newline: NewlineRule,
    /// What to make of NUL. A file with NUL among its first [`HEAD`] bytes is binary from the
    /// start, another one from its first NUL on.
    pub binary_files: BinaryFiles,
    /// Whether the file is a message of which only the header block is checked, up to the first
    /// empty line.
    pub headers_only: bool,
    /// Whether findings come with their column in bytes.
    pub byte_columns: bool,
    /// Bytes that are read and checked at a time, from 1 to
    /// [`Options::LARGEST_BLOCK`](crate::options::Options::LARGEST_BLOCK). Results do not depend on it.
    pub buffer_size: usize,
}

/// Bytes at the beginning of a file that are looked at together for NUL, so that a picture is told
/// as one finding and not as the thousand that come before its first NUL.
pub const BINARY_SNIFF_LEN: usize = 8192;

/// 512 MiB of English take, in seconds of the processor, 0.06 in blocks of 64 KiB, 0.03 of 128 and
/// 0.02 of 1024, and 0.1 to be read in any.
const DEFAULT_BUFFER_SIZE: usize = 128 * 1024;

/// Who is told of each finding, in the order of the file. An error ends the check.
pub type FindingCallback<'a> = &'a mut dyn FnMut(&Finding) -> io::Result<()>;

impl CheckOptions {
    /// Holds a file to its encoding only, and finds out whether it is binary.
    pub fn new(encoding: EncodingSpec) -> CheckOptions {
        CheckOptions {
            encoding,
            bom: BomRule::Any,
            newline: NewlineRule::Any,
            binary_files: BinaryFiles::Report,
            headers_only: false,
            byte_columns: false,
            buffer_size: DEFAULT_BUFFER_SIZE,
        }
    }
}
