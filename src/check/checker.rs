//! The checker.

use super::alternatives::AlternativesChecker;
use super::chain_checker::ChainChecker;
use super::encoding_checker::EncodingChecker;
use super::{CheckOptions, FindingCallback};
use crate::encoding;
use crate::error::Error;
use crate::options::EncodingSpec;

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
    Alternatives(Box<AlternativesChecker>),
}

/// Calls the method of either checker.
macro_rules! delegate {
    ($self:ident, $checker:ident => $call:expr) => {
        match &mut $self.0 {
            CheckerKind::Encoding($checker) => $call,
            CheckerKind::Chain($checker) => $call,
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
    /// is to be checked by a rule that looks at its text.
    pub fn new(options: &CheckOptions) -> Result<Checker, Error> {
        if !options.alternatives.is_empty() {
            let checker = AlternativesChecker::new(options)?;
            return Ok(Checker(CheckerKind::Alternatives(Box::new(checker))));
        }
        let EncodingSpec { encoding, options: encoding_options, transforms } = &options.encoding;
        let is_chain =
            !transforms.is_empty() || encoding::has_header_stages(encoding, encoding_options);
        Ok(Checker(match is_chain {
            false => CheckerKind::Encoding(Box::new(EncodingChecker::new(options)?)),
            true => CheckerKind::Chain(Box::new(ChainChecker::new(options)?)),
        }))
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
    pub fn process(&mut self, len: usize, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        delegate!(self, checker => checker.process(len, on_finding))
    }

    /// Ends the current file, reporting an incomplete sequence at its end, and prepares for the next.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`process`](Checker::process).
    pub fn finish_input(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        delegate!(self, checker => checker.finish_input(on_finding))
    }
}
