//! The checker.

use super::CheckOptions;
use super::alternatives::AlternativesChecker;
use super::chain_checker::ChainChecker;
use super::combined_checker::CombinedChecker;
use super::encoding_checker::EncodingChecker;
use super::finding::Finding;
use charpipe_encoding::error::Error;
use charpipe_transcode::header;
use charpipe_transcode::options::EncodingSpec;
use std::io;

/// Checks files, one after the other, according to [`CheckOptions`].
///
/// Read input into [`input_buffer`](Checker::input_buffer), pass its length to
/// [`process`](Checker::process), and call [`finish_input`](Checker::finish_input) at the end of each
/// file. With [alternatives](CheckOptions::alternatives) findings are reported once they decide which
/// encoding the file is in. A checker that has returned an error must not be used again.
#[derive(Debug)]
pub struct Checker(pub(super) CheckerKind);

#[derive(Debug)]
pub(super) enum CheckerKind {
    Encoding(Box<EncodingChecker>),
    Chain(Box<ChainChecker>),
    Combined(Box<CombinedChecker>),
    Alternatives(Box<AlternativesChecker>),
}

/// Calls the method of either checker.
macro_rules! delegate {
    ($self:ident, $checker:ident => $call:expr) => {
        match &mut $self.0 {
            CheckerKind::Encoding($checker) => $call,
            CheckerKind::Chain($checker) => $call,
            CheckerKind::Combined($checker) => $call,
            CheckerKind::Alternatives($checker) => $call,
        }
    };
}

impl Checker {
    /// Returns a checker with these options.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnmappableReplacement`] if a byte order mark is required that the encoding
    /// cannot encode, [`Error::UnsupportedHeaderMode`] if only headers are to be checked in an
    /// encoding that is not a superset of ASCII, and [`Error::InvalidChain`] if an encoding with transforms
    /// of bytes is to be checked by a rule that looks at its text.
    pub fn new(options: &CheckOptions) -> Result<Checker, Error> {
        if !options.alternatives.is_empty() {
            let checker = AlternativesChecker::new(options)?;
            return Ok(Checker(CheckerKind::Alternatives(Box::new(checker))));
        }
        let EncodingSpec { encoding, options: encoding_options, transforms } = &options.encoding;
        let has_header_stages = header::has_header_stages(encoding, encoding_options);
        let is_chain = !transforms.is_empty() || has_header_stages;
        Ok(Checker(match is_chain {
            false => CheckerKind::Encoding(Box::new(EncodingChecker::new(options)?)),
            true if !has_header_stages && CombinedChecker::is_needed(options) => {
                CheckerKind::Combined(Box::new(CombinedChecker::new(options)?))
            }
            true => CheckerKind::Chain(Box::new(ChainChecker::new(options)?)),
        }))
    }

    /// Begins a range of a file instead of a file: at an offset in bytes, in a line, counted from 1, after
    /// the [context](charpipe_transcode::split::context) of the offset, which must be a split point. Only what a part
    /// of the file decides is checked.
    ///
    /// ```
    /// use charpipe::UTF_8;
    /// use charpipe::check::{CheckOptions, Checker, Finding};
    ///
    /// // The third line of a file, which begins at byte 8.
    /// let mut checker = Checker::new(&CheckOptions::new(UTF_8))?;
    /// checker.begin_range(8, 3, b"\n")?;
    /// checker.input_buffer()[..3].copy_from_slice(b"ab\xFF");
    /// let mut positions = Vec::new();
    /// let mut on_finding = |finding: &Finding| {
    ///     positions.push((finding.position.offset, finding.position.line, finding.position.column));
    ///     Ok(())
    /// };
    /// checker.process(3, &mut on_finding)?;
    /// checker.finish_input(&mut on_finding)?;
    /// assert_eq!(positions, [(10, 3, 3)]);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsplittable`] if a part of the file does not decide what is to be checked: with
    /// alternatives or transforms, in message headers, and with the rules
    /// [`Consistent`](crate::NewlineRule::Consistent) and [`confusing`](CheckOptions::confusing).
    pub fn begin_range(&mut self, offset: u64, line: u64, context: &[u8]) -> Result<(), Error> {
        match &mut self.0 {
            CheckerKind::Encoding(checker) => checker.begin_range(offset, line, context),
            CheckerKind::Chain(_) | CheckerKind::Combined(_) => {
                unsplittable("transforms", "the whole text is transformed")
            }
            CheckerKind::Alternatives(_) => {
                unsplittable("several encodings", "the whole file decides which one it is in")
            }
        }
    }

    /// Returns the buffer for the next input, which is never empty.
    pub fn input_buffer(&mut self) -> &mut [u8] {
        delegate!(self, checker => checker.input_buffer())
    }

    /// Returns whether the rest of the file cannot cause any findings, so it need not be read.
    pub fn is_done(&self) -> bool {
        match &self.0 {
            CheckerKind::Encoding(checker) => checker.is_done(),
            CheckerKind::Chain(checker) => checker.is_done(),
            CheckerKind::Combined(checker) => checker.is_done(),
            CheckerKind::Alternatives(checker) => checker.is_done(),
        }
    }

    /// Ignores the rest of the file.
    pub fn skip_rest(&mut self) {
        delegate!(self, checker => checker.skip_rest())
    }

    /// Checks the first `len` bytes of [`input_buffer`](Checker::input_buffer).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] with the error of `on_finding`.
    pub fn process(
        &mut self,
        len: usize,
        on_finding: &mut dyn FnMut(&Finding) -> io::Result<()>,
    ) -> Result<(), Error> {
        delegate!(self, checker => checker.process(len, on_finding))
    }

    /// Ends the current file, reporting an incomplete sequence at its end, and prepares for the next.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`process`](Checker::process).
    pub fn finish_input(
        &mut self,
        on_finding: &mut dyn FnMut(&Finding) -> io::Result<()>,
    ) -> Result<(), Error> {
        delegate!(self, checker => checker.finish_input(on_finding))
    }
}

/// Returns the error for a check that needs the whole file.
pub(super) fn unsplittable<T>(step: &str, reason: &'static str) -> Result<T, Error> {
    Err(Error::Unsplittable { step: step.to_owned(), reason })
}
