//! The loop of a check: bytes in, through a decoder, findings out.

use std::fmt;

use super::offset_map::{DirectOffsets, ReplayedOffsets};
use super::text_checker::{TextChecker, TextChunk};
use super::{BINARY_SNIFF_LEN, BinaryFiles, BomRule, CheckOptions, FindingCallback};
use crate::bom::BOM;
use crate::codec::{State, Status};
use crate::conversion_error::{Excerpt, Malformed};
use crate::encoding;
use crate::error::Error;
use crate::error_policy;
use crate::kernel;
use crate::options::{EncodingSpec, TranscodeOptions};
use crate::transcoder::chain::{ChainLink, Stage, StageError};
use crate::transcoder::header_block::HeaderBlock;
use crate::transcoder::position::SCRATCH_LEN;

/// The machine that holds one file after the other to some [`Rules`].
///
/// Read input into [`space`](Checker::space), say how much with [`filled`](Checker::filled), and
/// end with [`end_of_file`](Checker::end_of_file) after each file. After an error the checker is of
/// no more use.
pub struct Checker {
    link: ChainLink,
    text: Box<[u8]>,
    scratch: Box<[u8]>,
    text_checker: TextChecker,
    binary_files: BinaryFiles,
    /// Whether NUL makes a file binary.
    nul_means_binary: bool,
    /// Whether text may be examined where it stands.
    is_utf8: bool,
    header_block: Option<HeaderBlock>,
    buffer_size: usize,
    /// Bytes in the space that the link has not been given yet.
    pending_len: usize,
    phase: CheckPhase,
    /// Offset in the file of index 0 of the link's block; wraps below zero.
    base_offset: u64,
}

/// How far a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckPhase {
    /// Its first bytes are being gathered, as NUL may be among them.
    Sniffing,
    /// It is being checked.
    Checking,
    /// Nothing of the rest can change anything.
    Done,
}

impl Checker {
    /// A checker for these rules.
    ///
    /// # Errors
    ///
    /// [`Error::Unmappable`] if a byte order mark is required that the encoding lacks;
    /// [`Error::NoMessage`] if a message is to be checked in an encoding that does not keep ASCII.
    pub fn new(options: &CheckOptions) -> Result<Checker, Error> {
        let (encoding, encoding_options) = (options.encoding.encoding, &options.encoding.options);
        let mut encoder = encoding.encoder(encoding_options);
        if options.bom == BomRule::Require
            && let Some(character) = error_policy::first_unmappable(&mut *encoder, BOM)
        {
            let action = "requiring a byte order mark".to_owned();
            return Err(Error::UnmappableReplacement {
                character,
                action,
                encoding: encoding.name,
            });
        }
        if options.headers_only && !options.encoding.is_ascii_compatible() {
            return Err(Error::UnsupportedHeaderMode { from: encoding.name, to: encoding.name });
        }
        let buffer_size = options.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE);
        let link =
            ChainLink::new(decoder_stage(&options.encoding), buffer_size + BINARY_SNIFF_LEN, 0);
        let lookahead = link.max_lookahead;
        let mut checker = Checker {
            text: vec![0; buffer_size.max(BINARY_SNIFF_LEN).max(lookahead)].into_boxed_slice(),
            scratch: vec![0; SCRATCH_LEN.max(lookahead)].into_boxed_slice(),
            text_checker: TextChecker::new(options),
            binary_files: options.binary_files,
            nul_means_binary: options.binary_files != BinaryFiles::Text
                && !options.encoding.can_contain_nul(),
            is_utf8: encoding::is_utf8(encoding),
            header_block: options.headers_only.then(HeaderBlock::default),
            buffer_size: buffer_size,
            pending_len: 0,
            phase: CheckPhase::Sniffing,
            base_offset: 0,
            link,
        };
        checker.begin_file();
        Ok(checker)
    }

    /// Where to put the next input. Never empty.
    pub fn input_buffer(&mut self) -> &mut [u8] {
        let buffer = &mut self.link.input.spare_mut()[self.pending_len..];
        let len = self.buffer_size.min(buffer.len());
        &mut buffer[..len]
    }

    /// Whether the rest of the file cannot change anything, so that it need not be read.
    pub fn is_done(&self) -> bool {
        self.phase == CheckPhase::Done
    }

    /// Passes over the rest of the file.
    pub fn skip_rest(&mut self) {
        self.phase = CheckPhase::Done;
    }

    /// Checks `bytes` bytes that were put into [`space`](Checker::space).
    ///
    /// # Errors
    ///
    /// [`Error::Write`] with what `out` answers.
    pub fn process(&mut self, len: usize, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        match self.phase {
            CheckPhase::Done => return Ok(()),
            CheckPhase::Sniffing if self.pending_len + len < BINARY_SNIFF_LEN => {
                self.pending_len += len;
                return Ok(());
            }
            CheckPhase::Sniffing | CheckPhase::Checking => self.pending_len += len,
        }
        self.process_pending(on_finding)
    }

    /// Ends one file: a character that it cuts is a finding, and what follows begins again.
    ///
    /// # Errors
    ///
    /// As [`filled`](Checker::filled).
    pub fn finish_input(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if self.phase == CheckPhase::Sniffing {
            self.process_pending(on_finding)?;
        }
        if self.phase != CheckPhase::Done {
            self.finish_file(on_finding)?;
        }
        self.begin_file();
        Ok(())
    }

    fn begin_file(&mut self) {
        let unread = self.link.input.unread_bytes().len();
        self.link.input.consume(unread);
        self.link.input.compact();
        self.link.stage.restore_state(State::INITIAL);
        self.base_offset = (self.link.input.position() as u64).wrapping_neg();
        self.text_checker.reset();
        self.header_block = self.header_block.map(|_| HeaderBlock::default());
        (self.pending_len, self.phase) =
            (0, if self.nul_means_binary { CheckPhase::Sniffing } else { CheckPhase::Checking });
    }

    /// Gives the link what waits for it, as far as it counts.
    fn process_pending(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let pending_len = std::mem::take(&mut self.pending_len);
        let input_end = self.input_end_offset();
        let new_input = &self.link.input.spare_mut()[..pending_len];
        let count =
            self.header_block.as_mut().map_or(pending_len, |message| message.header_len(new_input));
        let nul = self.nul_means_binary.then(|| memchr::memchr(0, &new_input[..count])).flatten();
        let early = self.phase == CheckPhase::Sniffing;
        self.phase = CheckPhase::Checking;
        if let Some(raw) = &mut self.text_checker.source_lines {
            raw.add(input_end, &new_input[..count]);
        }
        if let Some(nul) = nul {
            return self.stop_at_nul(nul, early && nul < BINARY_SNIFF_LEN, on_finding);
        }
        self.link.input.advance(count);
        if count < pending_len {
            return self.finish_file(on_finding);
        }
        self.decode_available(false, on_finding)
    }

    /// The first NUL stands at this index of what comes next, early or late in the file.
    fn stop_at_nul(
        &mut self,
        index: usize,
        early: bool,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let offset = self.input_end_offset() + index as u64;
        self.text_checker.suppress_from(if early { 0 } else { offset });
        self.link.input.advance(index + 1);
        self.finish_file(on_finding)?;
        match self.binary_files {
            BinaryFiles::Skip => Ok(()),
            BinaryFiles::Report | BinaryFiles::Text => {
                self.text_checker.report_binary(offset, on_finding)
            }
        }
    }

    /// Ends what the link has been given.
    fn finish_file(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        self.decode_available(true, on_finding)?;
        self.phase = CheckPhase::Done;
        self.text_checker.finish(self.read_offset(), on_finding)
    }

    /// Runs the decoder over all that it can decode.
    fn decode_available(
        &mut self,
        end: bool,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        loop {
            if self.is_utf8 {
                self.check_without_decoding(on_finding)?;
            }
            let (read, written) = self.link.call_stage(&mut self.text, end, None);
            self.check_decoded(written, on_finding)?;
            match self.link.status {
                Status::InputEmpty => break,
                Status::OutputFull if (read, written) == (0, 0) => {
                    return Err(Error::Internal("decoder"));
                }
                Status::OutputFull => {}
                Status::Error(StageError::Malformed(invalid)) => {
                    self.report_malformed(invalid, on_finding)?
                }
                Status::Error(StageError::Unmappable(_)) => return Err(Error::Internal("decoder")),
            }
        }
        if let Some(raw) = &mut self.text_checker.source_lines {
            raw.discard_before(self.base_offset.wrapping_add(self.link.input.position() as u64));
        }
        let by = self.link.input.compact();
        self.base_offset = self.base_offset.wrapping_add_signed(by as i64);
        Ok(())
    }

    /// Offset of the first byte that has not been read.
    fn read_offset(&self) -> u64 {
        self.base_offset.wrapping_add(self.link.input.position() as u64)
    }

    /// Offset after the last byte that the link has been given.
    fn input_end_offset(&self) -> u64 {
        self.read_offset() + self.link.input.unread_bytes().len() as u64
    }

    /// Examines UTF-8 where it stands, without a decoder, up to the first doubt.
    fn check_without_decoding(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let start = self.read_offset();
        let unread = self.link.input.unread_bytes();
        let valid = kernel::utf8::valid_prefix_len(unread);
        let chunk = TextChunk { text: &unread[..valid], offsets: &mut DirectOffsets(start) };
        self.text_checker.check_text(chunk, on_finding)?;
        self.link.input.consume(valid);
        Ok(())
    }

    /// Examines what the last step of the decoder has written.
    fn check_decoded(
        &mut self,
        written: usize,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let (base_offset, link, scratch) = (self.base_offset, &mut self.link, &mut self.scratch);
        let mut offsets = ReplayedOffsets { base_offset, link, scratch };
        let chunk = TextChunk { text: &self.text[..written], offsets: &mut offsets };
        self.text_checker.check_text(chunk, on_finding)
    }

    /// Tells of bytes at the start of the input and steps over them.
    fn report_malformed(
        &mut self,
        malformed: Malformed,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let offset = self.read_offset();
        let unread = self.link.input.unread_bytes();
        let shown = malformed.len
            + malformed.reason.context_len(&unread[..malformed.len.min(unread.len())]);
        let shown = &unread[..shown.min(unread.len())];
        let is_header = self.text_checker.source_lines.is_some();
        let excerpt = if is_header { Excerpt::ascii(shown) } else { Excerpt::hex(shown) };
        self.text_checker.report_malformed(offset, malformed, excerpt, on_finding)?;
        self.link.input.consume(malformed.resume_len);
        self.link.stage.restore_state(malformed.resume_state);
        Ok(())
    }
}

/// What decodes this encoding, values above U+10FFFF included where it has them.
fn decoder_stage(encoding: &EncodingSpec) -> Stage {
    match &encoding.encoding.ucs4 {
        Some(wide) if (wide.is_enabled)(&encoding.options) => {
            Stage::ByteTransform((wide.decoder)(&encoding.options))
        }
        _ => Stage::Decoder(encoding.encoding.decoder(&encoding.options)),
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("phase", &self.phase).finish_non_exhaustive()
    }
}
