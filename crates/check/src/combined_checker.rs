//! Checks the text of a file by all rules, and what a transform of text finds in it, as with `utf-8/mojibake`.

use super::chain_checker::ChainChecker;
use super::encoding_checker::EncodingChecker;
use super::finding::{Finding, FindingKind, Rule};
use super::{BomRule, CheckOptions, DeclarationRule, FindingCallback, NewlineRule};
use charpipe_encoding::conversion_error::StageLabel;
use charpipe_encoding::error::Error;
use charpipe_transcode::options::TranscodeOptions;

/// The number of bytes after which every finding is known: the checkers read ahead to search for NUL, and to
/// find the end of a sequence.
const MAX_DELAY: u64 = 32 * 1024;

/// The [`Checker`](super::Checker) for an encoding with transforms of text, and rules about the text.
///
/// Two checkers read the same bytes: one checks the encoding and the rules, the other one the transforms. Their
/// findings are merged by offset, which does not depend on the size of the buffer.
#[derive(Debug)]
pub(super) struct CombinedChecker {
    text: EncodingChecker,
    chain: ChainChecker,
    buffer: Box<[u8]>,
    /// The number of bytes of the file that have been read.
    read_len: u64,
    /// The findings that are not reported yet.
    findings: Vec<Finding>,
    /// Those that the end of the file decides.
    last_findings: Vec<Finding>,
}

impl CombinedChecker {
    /// Returns whether there is a rule that the transforms do not check.
    pub fn is_needed(options: &CheckOptions) -> bool {
        let transforms = &options.encoding.transforms;
        !transforms.is_empty()
            && transforms.iter().all(|transform| !transform.is_for_bytes())
            && (options.bom != BomRule::Any
                || options.newline != NewlineRule::Any
                || options.headers_only
                || options.ascii_only
                || options.confusing)
    }

    pub fn new(options: &CheckOptions) -> Result<CombinedChecker, Error> {
        let mut text_options = options.clone();
        text_options.encoding.transforms.clear();
        let mut chain_options = options.clone();
        (chain_options.bom, chain_options.newline) = (BomRule::Any, NewlineRule::Any);
        chain_options.declaration = DeclarationRule::Any;
        chain_options.headers_only = false;
        (chain_options.ascii_only, chain_options.confusing) = (false, false);
        let buffer_size = options.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE);
        Ok(CombinedChecker {
            text: EncodingChecker::new(&text_options)?,
            chain: ChainChecker::new(&chain_options)?,
            buffer: vec![0; buffer_size].into_boxed_slice(),
            read_len: 0,
            findings: Vec::new(),
            last_findings: Vec::new(),
        })
    }

    pub fn input_buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    pub fn is_done(&self) -> bool {
        self.text.is_done()
    }

    pub fn skip_rest(&mut self) {
        self.text.skip_rest();
        self.chain.skip_rest();
        self.findings.clear();
        self.last_findings.clear();
    }

    pub fn process(&mut self, len: usize, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        self.read_len += len as u64;
        let CombinedChecker { text, chain, buffer, findings, last_findings, .. } = self;
        let mut bytes = &buffer[..len];
        while !bytes.is_empty() && !text.is_done() {
            let count = text.input_buffer().len().min(chain.input_buffer().len()).min(bytes.len());
            let space = text.input_buffer();
            space[..count].copy_from_slice(&bytes[..count]);
            text.process(count, &mut |finding| {
                let is_last = finding.rule() == Rule::Declaration;
                if is_last { &mut *last_findings } else { &mut *findings }.push(*finding);
                Ok(())
            })?;
            let space = &mut chain.input_buffer()[..count];
            space.copy_from_slice(&bytes[..count]);
            chain.process(count, &mut |finding| {
                findings.extend(is_of_transform(finding).then_some(*finding));
                Ok(())
            })?;
            bytes = &bytes[count..];
        }
        match self.text.is_done() {
            true => Ok(()),
            false => self.report(self.read_len.saturating_sub(MAX_DELAY), on_finding),
        }
    }

    pub fn finish_input(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let CombinedChecker { text, chain, findings, last_findings, .. } = self;
        text.finish_input(&mut |finding| {
            let is_last = finding.rule() == Rule::Declaration;
            if is_last { &mut *last_findings } else { &mut *findings }.push(*finding);
            Ok(())
        })?;
        chain.finish_input(&mut |finding| {
            findings.extend(is_of_transform(finding).then_some(*finding));
            Ok(())
        })?;
        // After NUL, or the headers of a message, the rest is not checked.
        let end = text.checked_len();
        let binary = findings.iter().find(|finding| finding.rule() == Rule::Binary);
        let end = binary.map_or(end, |binary| binary.position.offset);
        // If NUL is among the first bytes, it is the only finding.
        let end = if end < super::BINARY_SNIFF_LEN as u64 && binary.is_some() { 0 } else { end };
        findings.retain(|finding| !is_of_transform(finding) || finding.position.offset < end);
        self.report(u64::MAX, on_finding)?;
        self.read_len = 0;
        let mut last_findings = std::mem::take(&mut self.last_findings).into_iter();
        last_findings.try_for_each(|finding| on_finding(&finding)).map_err(Error::Io)
    }

    /// Reports the findings before an offset, in order.
    fn report(&mut self, end: u64, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if self.findings.is_empty() {
            return Ok(());
        }
        self.findings.sort_by_key(|finding| finding.position.offset);
        let known = self.findings.partition_point(|finding| finding.position.offset < end);
        self.findings.drain(..known).try_for_each(|finding| on_finding(&finding)).map_err(Error::Io)
    }
}

/// Returns whether a transform has the finding. What the decoder of the chain finds, the other checker does.
fn is_of_transform(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Malformed { stage: StageLabel::Transform(_), .. })
}
