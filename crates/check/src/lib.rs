//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Checks of files: their encoding, byte order mark, line endings, declaration and confusing characters.
//!
//! A checker runs the decoder stage of a transcoder's chain and checks the decoded text instead of
//! encoding it. Memory is bounded, regardless of the length of the file and the number of findings.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * `finding`, `characters`
//! * `chain_checker`, `encoding_checker`, `declaration_checker`, `combined_checker`, `alternatives`, `checker`: the checkers
//!   construct one another
//! * `parallel`

#![forbid(unsafe_code)]

use std::io::{self, Read};
use std::str::FromStr;

use charpipe_encoding::error::Error;
use charpipe_transcode::options::EncodingSpec;

mod alternatives;
mod chain_checker;
mod characters;
mod checker;
mod combined_checker;
mod declaration_checker;
mod encoding_checker;
mod finding;
mod parallel;

pub use characters::Confusion;
pub use charpipe_encoding::line_ending::LineEnding;
pub use checker::Checker;
pub use finding::{DeclaredLabel, Finding, FindingKind, Rule, Severity};
pub use parallel::FindingSink;

/// Options of a check.
///
/// ```
/// use charpipe::check::{CheckOptions, NewlineRule, check};
///
/// let mut options = CheckOptions::new(charpipe::UTF_8);
/// options.newline = NewlineRule::Consistent;
/// assert_eq!(check(b"a\nb\r\n", &options)?.len(), 1);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The expected encoding.
    pub encoding: EncodingSpec,
    /// Other encodings that the file may be in. The findings are those of the first encoding in which the
    /// file is valid, or else of the one whose first invalid sequence comes last.
    ///
    /// ```
    /// use charpipe::check::{CheckOptions, check};
    ///
    /// let mut options = CheckOptions::new(charpipe::UTF_8);
    /// options.alternatives = vec!["windows-1252".parse()?];
    /// assert!(check(b"caf\xC3\xA9", &options)?.is_empty());
    /// assert!(check(b"caf\xE9", &options)?.is_empty());
    /// let findings = check(b"caf\xE9\x81", &options)?;
    /// assert_eq!((findings[0].encoding_index, findings[0].position.offset), (1, 4));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub alternatives: Vec<EncodingSpec>,
    /// The byte order mark rule.
    pub bom: BomRule,
    /// The line ending rule.
    pub newline: NewlineRule,
    /// The rule for declarations of the encoding. Encodings with transforms, lists of encodings and headers
    /// of messages are not checked by it.
    #[doc(hidden)]
    pub declaration: DeclarationRule,
    /// How to treat files that contain NUL. A file with NUL among its first [`BINARY_SNIFF_LEN`] bytes
    /// is binary from the start, any other one from its first NUL on.
    #[doc(hidden)]
    pub binary_files: BinaryFiles,
    /// Whether to report characters outside ASCII, except a byte order mark.
    ///
    /// ```
    /// use charpipe::check::{CheckOptions, Rule, check};
    ///
    /// let mut options = CheckOptions::new("latin1".parse::<charpipe::EncodingSpec>()?);
    /// options.ascii_only = true;
    /// let findings = check(b"caf\xE9", &options)?;
    /// assert_eq!(findings[0].rule(), Rule::NonAscii);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub ascii_only: bool,
    /// Whether to report confusing characters: those that change the direction of text, are invisible,
    /// look like a space or a line ending, and letters of another script than the word that they are in.
    /// Usual occurrences are not reported, such as joiners in emoji and in Indic and Arabic text.
    ///
    /// ```
    /// use charpipe::check::{CheckOptions, Rule, check};
    ///
    /// let mut options = CheckOptions::new(charpipe::UTF_8);
    /// options.confusing = true;
    /// let findings = check("if access\u{202E} then\u{A0}x \u{1F469}\u{200D}\u{1F680}".as_bytes(), &options)?;
    /// assert_eq!([findings[0].rule(), findings[1].rule()], [Rule::BidiControl, Rule::Space]);
    /// assert_eq!(findings.len(), 2);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub confusing: bool,
    /// Whether the file is a message of which only the header block is checked, up to the first empty
    /// line.
    pub headers_only: bool,
    /// Whether findings include their column in bytes.
    pub byte_columns: bool,
    /// The number of bytes to read and check at a time, from 1 to
    /// [`TranscodeOptions::MAX_BUFFER_SIZE`](charpipe_transcode::options::TranscodeOptions::MAX_BUFFER_SIZE).
    /// Results do not depend on it.
    pub buffer_size: usize,
}

/// The number of leading bytes that are searched for NUL before anything is reported: an image then
/// causes one finding instead of the thousand before its first NUL.
pub const BINARY_SNIFF_LEN: usize = 8192;

/// Checking 512 MiB of English text takes 0.06 seconds of CPU time with buffers of 64 KiB, 0.03 with
/// 128 KiB and 0.02 with 1 MiB; reading takes 0.1 seconds with any of them.
const DEFAULT_BUFFER_SIZE: usize = 128 * 1024;

/// Checks `bytes`, and returns every finding in order.
///
/// ```
/// use charpipe::check::{CheckOptions, check};
///
/// assert!(check("é".as_bytes(), &CheckOptions::new(charpipe::UTF_8))?.is_empty());
/// assert_eq!(check(b"\xE9", &CheckOptions::new(charpipe::UTF_8))?.len(), 1);
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # Errors
///
/// As [`Checker::new`].
pub fn check(bytes: &[u8], options: &CheckOptions) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    check_reader(&mut &*bytes, options, &mut |finding| {
        findings.push(*finding);
        Ok(())
    })?;
    Ok(findings)
}

/// Checks all bytes of `input`, and passes every finding to `on_finding`, in order; that of a declaration is the last
/// one, because the whole file may have to be read for it. An error of `on_finding` ends the check.
///
/// ```
/// use charpipe::check::{CheckOptions, check_reader};
///
/// let mut count = 0;
/// check_reader(&mut &b"a\xFFb\xFF"[..], &CheckOptions::new(charpipe::UTF_8), &mut |_| {
///     count += 1;
///     Ok(())
/// })?;
/// assert_eq!(count, 2);
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # Errors
///
/// As [`Checker::new`] and [`Checker::process`], and [`Error::Read`] if reading fails.
pub fn check_reader(
    input: &mut dyn Read,
    options: &CheckOptions,
    on_finding: &mut dyn FnMut(&Finding) -> io::Result<()>,
) -> Result<(), Error> {
    let mut checker = Checker::new(options)?;
    while !checker.is_done() {
        match input.read(checker.input_buffer()) {
            Ok(0) => break,
            Ok(len) => checker.process(len, on_finding)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Read(error)),
        }
    }
    checker.finish_input(on_finding)
}

/// Receives every finding.
pub(crate) type FindingCallback<'a> = &'a mut dyn FnMut(&Finding) -> io::Result<()>;

impl CheckOptions {
    /// Returns options that check the encoding only, and report binary files.
    ///
    /// ```
    /// use charpipe::check::{BomRule, CheckOptions, check};
    ///
    /// let mut options = CheckOptions::new(charpipe::UTF_8);
    /// options.bom = BomRule::Forbid;
    /// assert_eq!(check(b"\xEF\xBB\xBFa", &options)?.len(), 1);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn new(encoding: impl Into<EncodingSpec>) -> CheckOptions {
        CheckOptions {
            encoding: encoding.into(),
            alternatives: Vec::new(),
            bom: BomRule::Any,
            newline: NewlineRule::Any,
            declaration: DeclarationRule::Any,
            binary_files: BinaryFiles::Report,
            ascii_only: false,
            confusing: false,
            headers_only: false,
            byte_columns: false,
            buffer_size: DEFAULT_BUFFER_SIZE,
        }
    }
}

/// Whether a file must begin with a byte order mark, U+FEFF.
///
/// ```
/// use charpipe::check::{BomRule, CheckOptions, check};
///
/// let mut options = CheckOptions::new(charpipe::UTF_8);
/// options.bom = BomRule::Require;
/// assert_eq!(check(b"a", &options)?[0].display("UTF-8").to_string(), "missing byte order mark");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BomRule {
    /// A byte order mark is optional.
    #[default]
    Any,
    /// A byte order mark is an error.
    Forbid,
    /// A byte order mark is required, unless the file is empty.
    Require,
}

/// Which line endings a file may contain: LF, CRLF, or CR that is not followed by LF.
///
/// ```
/// use charpipe::check::NewlineRule;
///
/// assert_eq!("crlf".parse(), Ok(NewlineRule::CrLf));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NewlineRule {
    /// All of them, in any combination.
    #[default]
    Any,
    /// Only LF.
    Lf,
    /// Only CRLF.
    CrLf,
    /// Only CR.
    Cr,
    /// Only the kind that ends the first line.
    Consistent,
}

/// What the encoding may be that a file declares: in XML, HTML, or a line for Python, Emacs or Vim.
///
/// ```
/// use charpipe_check::{CheckOptions, DeclarationRule, check};
///
/// let mut options = CheckOptions::new(charpipe::UTF_8);
/// options.declaration = DeclarationRule::Match;
/// assert!(check(b"# coding: latin-1\n", &options)?.is_empty());
/// let findings = check("# coding: latin-1\n# é".as_bytes(), &options)?;
/// let message = findings[0].display("UTF-8").to_string();
/// assert_eq!(message, "declared encoding is latin-1 (expected UTF-8)");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeclarationRule {
    /// Any encoding.
    #[default]
    Any,
    /// One in which the bytes are the same text as in the expected encoding. ASCII matches all declarations.
    Match,
}

/// How to treat a file that contains NUL although text in its encoding does not.
///
/// ```
/// use charpipe_check::{BinaryFiles, CheckOptions, check};
///
/// let mut options = CheckOptions::new(charpipe::UTF_8);
/// assert_eq!(check(b"a\0", &options)?.len(), 1);
/// options.binary_files = BinaryFiles::Text;
/// assert_eq!(check(b"a\0", &options)?.len(), 0);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BinaryFiles {
    /// Report one finding and do not check the rest of the file.
    #[default]
    Report,
    /// Do not check the file, or the rest of it, and report nothing.
    Skip,
    /// Treat NUL as an ordinary character.
    Text,
}

/// Implements the names of a rule.
macro_rules! rule_names {
    ($rule:ident: $first:literal => $default:ident $(, $name:literal => $variant:ident)+) => {
        impl $rule {
            /// Every rule with its name.
            pub const NAMES: [(&'static str, $rule); [$first $(, $name)+].len()] =
                [($first, $rule::$default) $(, ($name, $rule::$variant))+];
        }

        impl FromStr for $rule {
            type Err = &'static str;

            /// Returns the rule with this exact name. The error lists the names.
            fn from_str(name: &str) -> Result<$rule, &'static str> {
                match name {
                    $first => Ok($rule::$default),
                    $($name => Ok($rule::$variant),)+
                    _ => Err(concat!("expected one of: ", $first $(, ", ", $name)+)),
                }
            }
        }
    };
}

rule_names!(BomRule: "any" => Any, "forbid" => Forbid, "require" => Require);
rule_names!(NewlineRule: "any" => Any, "lf" => Lf, "crlf" => CrLf, "cr" => Cr, "same" => Consistent);
rule_names!(DeclarationRule: "any" => Any, "match" => Match);
rule_names!(BinaryFiles: "report" => Report, "skip" => Skip, "text" => Text);

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails before each block.
    struct Interrupted<'a>(&'a [u8], bool);

    impl Read for Interrupted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(buffer) }
        }
    }

    #[test]
    fn interrupted_read_is_repeated() {
        let (mut count, mut input) = (0, Interrupted(b"a\xFFb\xFF", false));
        let mut on_finding = |_: &Finding| {
            count += 1;
            Ok(())
        };
        let options = CheckOptions::new(charpipe_encoding::UTF_8);
        check_reader(&mut input, &options, &mut on_finding).unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn rule_is_parsed_from_its_exact_name() {
        assert_eq!("require".parse(), Ok(BomRule::Require));
        assert_eq!("crlf".parse(), Ok(NewlineRule::CrLf));
        assert_eq!("text".parse(), Ok(BinaryFiles::Text));
        let message = "CRLF".parse::<NewlineRule>().unwrap_err();
        assert_eq!(message, "expected one of: any, lf, crlf, cr, same");
    }
}
