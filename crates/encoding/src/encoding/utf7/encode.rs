//! The encoder of UTF-7 and of its variant for IMAP.

use super::alphabet::{AsciiBitSet, Utf7Alphabet};
use crate::codec::{Checkpoint, EncodeStage, Progress, State};
use crate::conversion_error::Unmappable;
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::utf7::{AsciiRunTable, Utf7EncodeConfig, encode};

/// The variant and the options.
pub(super) struct Utf7EncoderConfig {
    /// The byte that begins a run.
    pub shift: u8,
    pub alphabet: &'static Utf7Alphabet,
    /// Bytes that represent themselves.
    pub direct_bytes: [bool; 256],
    /// Characters before which a run must end with `-`.
    pub close_run_before: AsciiBitSet,
    /// Whether the shift character is encoded in base64 inside a run.
    pub keep_shift_in_run: bool,
}

/// What all codecs of a variant with the same options share.
pub(super) struct Utf7EncoderTables {
    config: Utf7EncoderConfig,
    kernel_config: Utf7EncodeConfig,
}

impl From<Utf7EncoderConfig> for Utf7EncoderTables {
    fn from(config: Utf7EncoderConfig) -> Utf7EncoderTables {
        Utf7EncoderTables { kernel_config: config.kernel_config(), config }
    }
}

impl Utf7EncoderConfig {
    fn kernel_config(&self) -> Utf7EncodeConfig {
        let alphabet = self.alphabet.kernel_alphabet();
        Utf7EncodeConfig {
            ascii_runs: AsciiRunTable::new(self.shift, &alphabet),
            shift: self.shift,
            direct: AsciiByteSet::new(|byte| self.direct_bytes[usize::from(byte)]),
            alphabet,
            hyphen_before: self.close_run_before.to_table(),
            shift_in_run: self.keep_shift_in_run,
        }
    }
}

/// The bits of a run that do not fill a byte yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingBits {
    pub bits: u64,
    /// The number of bits: 0, 2 or 4.
    pub len: usize,
}

impl PendingBits {
    pub(super) const NONE: PendingBits = PendingBits { bits: 0, len: 0 };
}

/// The maximum length of a character: six digits of a pair, or a shift and five digits.
const MAX_CHAR_LEN: usize = 6;

/// Flags a run in the bits of a state; below are three bits of the number of bits and four of the
/// bits.
const IN_RUN: u64 = 1 << 7;

/// The encoder of both variants.
pub(super) struct Utf7Encoder {
    tables: &'static Utf7EncoderTables,
    /// The open run.
    run: Option<PendingBits>,
}

impl Utf7Encoder {
    pub(super) fn new(tables: &'static Utf7EncoderTables) -> Utf7Encoder {
        Utf7Encoder { tables, run: None }
    }
}

impl Checkpoint for Utf7Encoder {
    fn save_state(&self) -> State {
        match self.run {
            None => State::INITIAL,
            Some(PendingBits { bits, len }) => State::new(IN_RUN | (len as u64) << 4 | bits),
        }
    }

    fn restore_state(&mut self, at: State) {
        let bits = at.bits();
        self.run = (bits & IN_RUN != 0)
            .then_some(PendingBits { bits: bits & 0xF, len: (bits >> 4 & 0b110) as usize });
    }

    fn max_lookahead(&self) -> usize {
        MAX_CHAR_LEN
    }
}

impl EncodeStage for Utf7Encoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        let Utf7EncoderTables { config, kernel_config } = self.tables;
        loop {
            if let None | Some(PendingBits::NONE) = self.run {
                let in_run = self.run.is_some();
                let reached = encode(kernel_config, in_run, &src[read..], &mut dst[written..]);
                read += reached.read;
                written += reached.written;
                self.run = reached.in_run.then_some(PendingBits::NONE);
            }
            let next = src[read..].chars().next();
            let mut bytes = OutputBytes::default();
            let run = match (next, self.run) {
                (Some(character), run) => config.encode_char(character, run, &mut bytes),
                (None, Some(run)) if end => config.close_run(run, true, &mut bytes),
                (None, _) => return Progress::input_empty(read, written),
            };
            if !bytes.copy_to(&mut dst[written..]) {
                return Progress::output_full(read, written);
            }
            written += bytes.len;
            read += next.map_or(0, char::len_utf8);
            self.run = run;
        }
    }
}

impl Utf7EncoderConfig {
    /// Encodes a character; returns the open run after it.
    fn encode_char(
        &self,
        character: char,
        run: Option<PendingBits>,
        to: &mut OutputBytes,
    ) -> Option<PendingBits> {
        let is_shift = character == char::from(self.shift);
        let is_direct = character.is_ascii() && self.direct_bytes[character as usize];
        match run {
            Some(run) if is_direct || is_shift && !self.keep_shift_in_run => {
                self.close_run(run, self.close_run_before.contains(character.into()), to);
            }
            Some(run) => return Some(self.encode_base64(character, run, to)),
            None => {}
        }
        if is_direct {
            to.push(character as u8);
            return None;
        }
        to.push(self.shift);
        if is_shift {
            to.push(b'-');
            return None;
        }
        Some(self.encode_base64(character, PendingBits::NONE, to))
    }

    /// Appends the UTF-16 of a character to the pending bits, and writes complete digits.
    fn encode_base64(
        &self,
        character: char,
        run: PendingBits,
        to: &mut OutputBytes,
    ) -> PendingBits {
        let PendingBits { mut bits, mut len } = run;
        for unit in character.encode_utf16(&mut [0; 2]) {
            bits = bits << 16 | u64::from(*unit);
            len += 16;
        }
        while len >= 6 {
            len -= 6;
            to.push(self.alphabet.digit(bits >> len));
        }
        PendingBits { bits: bits & ((1 << len) - 1), len }
    }

    /// Writes the last digit of a run, padded with zeros.
    fn close_run(
        &self,
        run: PendingBits,
        hyphen: bool,
        to: &mut OutputBytes,
    ) -> Option<PendingBits> {
        if run.len > 0 {
            to.push(self.alphabet.digit(run.bits << (6 - run.len)));
        }
        if hyphen {
            to.push(b'-');
        }
        None
    }
}

/// The bytes of one character, which are written together.
#[derive(Default)]
struct OutputBytes {
    bytes: [u8; MAX_CHAR_LEN],
    len: usize,
}

impl OutputBytes {
    fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// Copies the bytes to the start of `dst`; returns whether they fit.
    fn copy_to(&self, dst: &mut [u8]) -> bool {
        let Some(space) = dst.get_mut(..self.len) else { return false };
        space.copy_from_slice(&self.bytes[..self.len]);
        true
    }
}
