//! Checks a file that may be in any of several encodings.

use super::checker::Checker;
use super::finding::{Finding, Rule};
use super::{BINARY_SNIFF_LEN, BinaryFiles, CheckOptions, FindingCallback};
use charpipe_encoding::error::Error;
use charpipe_transcode::options::TranscodeOptions;

/// The number of findings of each encoding that are kept until one is selected. Then the first encoding
/// in which the file is valid so far is.
const MAX_KEPT_FINDINGS: usize = 4096;

/// The number of bytes after which every finding has been reported: a checker reads this far ahead at
/// most, to search for NUL.
const MAX_DELAY: u64 = BINARY_SNIFF_LEN as u64;

/// The [`Checker`] for files in any of several encodings.
///
/// All encodings are checked at the same time, and their findings are kept. The selected encoding is the
/// first in which the file is valid, or else the one whose first error comes last. All decisions refer to
/// offsets, so they do not depend on the size of the buffer.
#[derive(Debug)]
pub(super) struct AlternativesChecker {
    candidates: Vec<AlternativeEncoding>,
    buffer: Box<[u8]>,
    /// The number of bytes of the file that have been read.
    read_len: u64,
    /// The index of the encoding that has been selected for the file.
    selected: Option<usize>,
    skip_binary: bool,
}

/// A possible encoding of the file.
#[derive(Debug)]
struct AlternativeEncoding {
    checker: Checker,
    findings: Vec<Finding>,
    /// The offset of the first error.
    error: Option<u64>,
    /// Whether another encoding is certain to be selected.
    is_rejected: bool,
}

impl AlternativeEncoding {
    /// Returns whether the file is valid up to the offset.
    fn is_valid_to(&self, offset: u64) -> bool {
        self.error.is_none_or(|error| error > offset)
    }
}

impl AlternativesChecker {
    pub fn new(options: &CheckOptions) -> Result<AlternativesChecker, Error> {
        let encodings = std::iter::once(&options.encoding).chain(&options.alternatives);
        let candidates = encodings.map(|encoding| {
            let mut options = options.clone();
            (options.encoding, options.alternatives) = (encoding.clone(), Vec::new());
            if options.binary_files == BinaryFiles::Skip {
                // NUL is an error in this encoding, but may be text in another one.
                options.binary_files = BinaryFiles::Report;
            }
            let checker = Checker::new(&options)?;
            Ok(AlternativeEncoding {
                checker,
                findings: Vec::new(),
                error: None,
                is_rejected: false,
            })
        });
        let buffer_size = options.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE);
        Ok(AlternativesChecker {
            candidates: candidates.collect::<Result<_, Error>>()?,
            buffer: vec![0; buffer_size].into_boxed_slice(),
            read_len: 0,
            selected: None,
            skip_binary: options.binary_files == BinaryFiles::Skip,
        })
    }

    pub fn input_buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    pub fn is_done(&self) -> bool {
        match self.selected {
            Some(selected) => self.candidates[selected].checker.is_done(),
            None => {
                self.candidates.iter().all(|other| other.is_rejected || other.checker.is_done())
            }
        }
    }

    pub fn skip_rest(&mut self) {
        self.candidates.iter_mut().for_each(|candidate| candidate.checker.skip_rest());
    }

    pub fn process(&mut self, len: usize, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        self.read_len += len as u64;
        for index in self.active() {
            let mut bytes = &self.buffer[..len];
            let AlternativeEncoding { checker, .. } = &mut self.candidates[index];
            // The buffer of a checker may be shorter.
            let mut findings = Vec::new();
            let mut keep = |finding: &Finding| {
                findings.push(Finding { encoding_index: index, ..*finding });
                Ok(())
            };
            while !bytes.is_empty() && !checker.is_done() {
                let buffer = checker.input_buffer();
                let count = buffer.len().min(bytes.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                checker.process(count, &mut keep)?;
                bytes = &bytes[count..];
            }
            self.add(index, findings, on_finding)?;
        }
        self.select(self.read_len.checked_sub(MAX_DELAY), on_finding)
    }

    pub fn finish_input(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let active = self.active();
        for index in 0..self.candidates.len() {
            let mut findings = Vec::new();
            self.candidates[index].checker.finish_input(&mut |finding| {
                findings.push(Finding { encoding_index: index, ..*finding });
                Ok(())
            })?;
            if active.contains(&index) {
                self.add(index, findings, on_finding)?;
            }
        }
        self.select(Some(u64::MAX), on_finding)?;
        (self.read_len, self.selected) = (0, None);
        for candidate in &mut self.candidates {
            candidate.findings.clear();
            (candidate.error, candidate.is_rejected) = (None, false);
        }
        Ok(())
    }

    /// Returns the indexes of the encodings that are still checked.
    fn active(&self) -> Vec<usize> {
        match self.selected {
            Some(selected) => vec![selected],
            None => (0..self.candidates.len())
                .filter(|index| !self.candidates[*index].is_rejected)
                .collect(),
        }
    }

    /// Reports findings of the selected encoding, or keeps them until one is selected.
    fn add(
        &mut self,
        index: usize,
        findings: Vec<Finding>,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        if self.selected.is_some() {
            return self.report(&findings, on_finding);
        }
        let candidate = &mut self.candidates[index];
        let is_error = |finding: &&Finding| {
            matches!(finding.rule(), Rule::IllFormed | Rule::Truncated | Rule::Binary)
        };
        let error = findings.iter().filter(is_error).map(|finding| finding.position.offset).next();
        candidate.error = candidate.error.or(error);
        candidate.findings.extend(findings);
        Ok(())
    }

    fn report(&self, findings: &[Finding], on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let is_reported =
            |finding: &&Finding| !(self.skip_binary && finding.rule() == Rule::Binary);
        findings.iter().filter(is_reported).try_for_each(on_finding).map_err(Error::Io)
    }

    /// Selects an encoding if the findings up to an offset, all of which are known, decide.
    fn select(
        &mut self,
        known_to: Option<u64>,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let Some(known_to) = known_to.filter(|_| self.selected.is_none()) else { return Ok(()) };
        let candidates = &self.candidates;
        let overflows = candidates.iter().filter_map(|candidate| {
            let offset = candidate.findings.get(MAX_KEPT_FINDINGS)?.position.offset;
            candidate.is_valid_to(offset).then_some(offset)
        });
        let overflow = overflows.filter(|offset| *offset <= known_to).min();
        let valid_to = |offset: u64| {
            let indexes = 0..candidates.len();
            indexes.filter(move |index| candidates[*index].is_valid_to(offset))
        };
        let first_valid = overflow.and_then(|offset| valid_to(offset).next());
        let selected = first_valid.or_else(|| {
            let valid: Vec<usize> = valid_to(known_to).collect();
            match (&valid[..], known_to) {
                ([], _) => {
                    let last_error = candidates.iter().map(|candidate| candidate.error).max();
                    candidates.iter().position(|candidate| Some(candidate.error) == last_error)
                }
                ([first, ..], u64::MAX) | ([first], _) => Some(*first),
                _ => None,
            }
        });
        let Some(selected) = selected else {
            for candidate in &mut self.candidates {
                if !candidate.is_valid_to(known_to) {
                    candidate.is_rejected = true;
                    candidate.findings.clear();
                }
            }
            return Ok(());
        };
        self.selected = Some(selected);
        let findings = std::mem::take(&mut self.candidates[selected].findings);
        self.candidates.iter_mut().for_each(|candidate| candidate.findings.clear());
        self.report(&findings, on_finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewlineRule, check};

    fn options(encodings: [&str; 3]) -> CheckOptions {
        let [first, rest @ ..]: [charpipe_transcode::EncodingSpec; 3] =
            encodings.map(|name| name.parse().unwrap());
        let mut options = CheckOptions::new(first);
        options.alternatives = rest.to_vec();
        options
    }

    #[test]
    fn kept_findings_do_not_grow_with_the_file() {
        let mut options = options(["us-ascii", "utf-8", "windows-1252"]);
        options.newline = NewlineRule::Lf;
        let text = "é\r\n".repeat(3 * MAX_KEPT_FINDINGS);
        let invalid = [text.as_bytes(), b"\xFF"].concat();
        for buffer_size in [1, 100, 1 << 20] {
            options.buffer_size = buffer_size;
            // UTF-8 is selected before its error is found.
            let findings = check(&invalid, &options).unwrap();
            assert_eq!(findings.len(), 3 * MAX_KEPT_FINDINGS + 1);
            assert!(findings.iter().all(|finding| finding.encoding_index == 1));
        }
    }
}
