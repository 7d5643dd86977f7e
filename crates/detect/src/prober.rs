//! Probers: decode the input in candidate encodings and examine the decoded text.

use std::ops::ControlFlow;

use memchr::memchr;
use simdutf8::basic::from_utf8;

use super::text_stats::TextStats;
use charpipe_encoding::codec::{DecodeStage, Status};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::{self, Encoding, EncodingOptions};
use charpipe_kernel::ascii;

/// The largest buffer for decoded text, in bytes.
const MAX_TEXT_BUFFER_SIZE: usize = 16 * 1024;

/// The size of the buffer for the decoded text of a chunk, in bytes, per byte of input.
const TEXT_BYTES_PER_INPUT_BYTE: usize = 3;

/// Decodes input that arrives in chunks, skipping malformed sequences.
pub(crate) struct ChunkDecoder {
    decoder: Box<dyn DecodeStage>,
    /// The incomplete sequence at the end of the last chunk.
    carry: Vec<u8>,
    buffer: Vec<u8>,
}

/// A part of decoded input.
pub(crate) enum DecodedPiece<'a> {
    Text(&'a str),
    Malformed(MalformedReason),
}

impl ChunkDecoder {
    pub(crate) fn new(encoding: &Encoding, options: &EncodingOptions) -> ChunkDecoder {
        let decoder = encoding.decoder(options);
        ChunkDecoder { decoder, carry: Vec::new(), buffer: Vec::new() }
    }

    /// Decodes the next bytes and passes each piece to `on_piece`, until it returns
    /// [`ControlFlow::Break`].
    pub(crate) fn decode(
        &mut self,
        bytes: &[u8],
        end: bool,
        mut on_piece: impl FnMut(DecodedPiece<'_>) -> ControlFlow<()>,
    ) {
        let mut input = std::mem::take(&mut self.carry);
        input.extend_from_slice(bytes);
        let buffer_size = (TEXT_BYTES_PER_INPUT_BYTE * input.len()).clamp(64, MAX_TEXT_BUFFER_SIZE);
        if self.buffer.len() < buffer_size {
            self.buffer.resize(buffer_size, 0);
        }
        let mut read = 0;
        loop {
            let progress = self.decoder.decode(&input[read..], &mut self.buffer, end);
            read += progress.read;
            let text = from_utf8(&self.buffer[..progress.written]).unwrap_or("\0");
            if on_piece(DecodedPiece::Text(text)).is_break() {
                return;
            }
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(malformed) => {
                    if on_piece(DecodedPiece::Malformed(malformed.reason)).is_break() {
                        return;
                    }
                    read += malformed.resume_len;
                    self.decoder.restore_state(malformed.resume_state);
                }
            }
        }
        input.drain(..read);
        self.carry = input;
    }
}

/// Decodes the input in one encoding and collects statistics of the text.
pub(super) struct DecoderProber {
    pub(super) encoding: &'static Encoding,
    pub(super) stats: TextStats,
    /// Whether the input ended inside a character.
    pub(super) truncated: bool,
    decoder: ChunkDecoder,
    has_error: bool,
    /// Whether to decode the whole input, regardless of errors and statistics, because no other
    /// candidate could provide the line endings.
    continues_after_errors: bool,
}

impl DecoderProber {
    /// Returns a prober of the encoding with this label, if there is one.
    pub(super) fn for_label(label: &str) -> Option<DecoderProber> {
        encoding::for_label(label).map(|encoding| DecoderProber {
            encoding,
            stats: TextStats::default(),
            decoder: ChunkDecoder::new(encoding, &EncodingOptions::default()),
            has_error: false,
            truncated: false,
            continues_after_errors: false,
        })
    }

    /// Returns a prober of an encoding that the input declares, which examines the whole input.
    pub(super) fn for_declared(encoding: &'static Encoding) -> DecoderProber {
        DecoderProber {
            encoding,
            stats: TextStats::default(),
            decoder: ChunkDecoder::new(encoding, &EncodingOptions::default()),
            has_error: false,
            truncated: false,
            continues_after_errors: true,
        }
    }

    /// Returns whether the input is valid in the encoding.
    pub(super) fn is_valid(&self) -> bool {
        !self.has_error && !self.truncated
    }

    /// Returns whether the encoding is still a candidate.
    pub(super) fn is_alive(&self) -> bool {
        !self.has_error && !self.stats.rejected
    }

    /// Decodes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.decode(bytes, false);
    }

    /// Ends the input.
    pub(super) fn finish(&mut self) {
        self.decode(&[], true);
    }

    fn decode(&mut self, bytes: &[u8], end: bool) {
        if !self.continues_after_errors && !self.is_alive() {
            return;
        }
        let DecoderProber { stats, decoder, has_error, truncated, continues_after_errors, .. } =
            self;
        decoder.decode(bytes, end, |piece| {
            match piece {
                DecodedPiece::Text(text) => stats.feed(text),
                DecodedPiece::Malformed(MalformedReason::Truncated) if end => {
                    *truncated = true;
                    return ControlFlow::Break(());
                }
                DecodedPiece::Malformed(_) => {
                    *has_error = true;
                    // A CR before malformed bytes and an LF after them are two line endings.
                    stats.feed("\u{FFFD}");
                }
            }
            match *continues_after_errors || !*has_error && !stats.rejected {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
    }
}

/// The encodings to try without a byte order mark. UTF-32 comes first: hardly anything else is valid in
/// it.
const BOMLESS_ENCODINGS: [&str; 4] = ["UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE"];

/// Probes UTF-16 and UTF-32, with or without a byte order mark.
#[derive(Default)]
pub(super) struct Utf16Utf32Prober {
    probers: Vec<DecoderProber>,
    has_bom: bool,
}

impl Utf16Utf32Prober {
    /// Starts probing the encoding declared by a byte order mark, or all of them without one.
    pub(super) fn start(&mut self, bom_encoding: Option<&str>) {
        let names = bom_encoding.as_ref().map_or(&BOMLESS_ENCODINGS[..], std::slice::from_ref);
        self.probers = names.iter().filter_map(|name| DecoderProber::for_label(name)).collect();
        self.has_bom = bom_encoding.is_some();
        if self.has_bom {
            self.probers.iter_mut().for_each(|prober| prober.continues_after_errors = true);
        }
    }

    /// Decodes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.probers.iter_mut().for_each(|prober| prober.feed(bytes));
        if !self.has_bom {
            self.probers.retain(DecoderProber::is_alive);
        }
    }

    /// Ends the input.
    pub(super) fn finish(&mut self) {
        self.probers.iter_mut().for_each(DecoderProber::finish);
    }

    /// Returns whether there are no candidates left.
    pub(super) fn is_exhausted(&self) -> bool {
        self.probers.is_empty()
    }

    /// Returns the prober of the encoding declared by the byte order mark.
    pub(super) fn bom_prober(&self) -> Option<&DecoderProber> {
        self.probers.first().filter(|_| self.has_bom)
    }

    /// Returns the probers whose text is plausible, the best one first.
    pub(super) fn ranked_probers(&self) -> Vec<&DecoderProber> {
        let is_plausible = |prober: &&DecoderProber| {
            let is_fragment = prober.truncated && prober.stats.is_too_short();
            let is_utf32_title = || {
                prober.encoding.name().starts_with("UTF-32") && prober.stats.is_plausible_utf32()
            };
            let is_plausible = prober.stats.is_plausible() || is_utf32_title();
            prober.is_alive() && is_plausible && !is_fragment
        };
        let mut plausible: Vec<&DecoderProber> = self.probers.iter().filter(is_plausible).collect();
        // The sort is stable, so UTF-32 stays first in case of a tie.
        plausible.sort_by_key(|prober| std::cmp::Reverse(prober.stats.score()));
        plausible
    }
}

/// Seven-bit encodings by the byte that begins each of their escape or shift sequences. Within a family,
/// more restrictive encodings come first. Labels that are not supported are ignored.
const ESCAPE_FAMILIES: [(u8, &[&str]); 3] = [
    (
        b'\x1B',
        &[
            "ISO-2022-JP",
            "ISO-2022-JP-1",
            "ISO-2022-KR",
            "ISO-2022-CN",
            "ISO-2022-CN-EXT",
            "ISO-2022-JP-2",
            "ISO-2022-JP-3",
            "ISO-2022-JP-MS",
        ],
    ),
    (b'~', &["HZ"]),
    (b'+', &["UTF-7"]),
];

/// The index of UTF-7 in [`ESCAPE_FAMILIES`].
const UTF7_FAMILY: usize = 2;

/// Probes seven-bit encodings that switch between ASCII and other character sets: ISO 2022, HZ and UTF-7.
/// The probers of a family start with its first escape sequence; everything before is ASCII.
#[derive(Default)]
pub(super) struct EscapeProber {
    families: [Option<Vec<DecoderProber>>; ESCAPE_FAMILIES.len()],
    /// Whether the input contains a byte of 80 or above.
    pub(super) has_non_ascii: bool,
}

impl EscapeProber {
    /// Decodes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.has_non_ascii || ascii::prefix_len(bytes) < bytes.len() {
            self.has_non_ascii = true;
            self.families = Default::default();
            return;
        }
        for (family, (first_byte, names)) in self.families.iter_mut().zip(ESCAPE_FAMILIES) {
            let (probers, bytes) = match family {
                Some(probers) => (probers, bytes),
                None => {
                    let Some(index) = memchr(first_byte, bytes) else { continue };
                    let probers =
                        names.iter().filter_map(|name| DecoderProber::for_label(name)).collect();
                    (family.insert(probers), &bytes[index..])
                }
            };
            probers.iter_mut().for_each(|prober| prober.feed(bytes));
            probers.retain(DecoderProber::is_alive);
        }
    }

    /// Ends the input.
    pub(super) fn finish(&mut self) {
        self.families.iter_mut().flatten().flatten().for_each(DecoderProber::finish);
    }

    /// Returns the prober of the ISO 2022 encoding or HZ whose sequences are all valid and encode
    /// non-ASCII characters, or that of ISO-2022-KR if the input has its header.
    pub(super) fn best_iso_2022_or_hz(&self) -> Option<&DecoderProber> {
        let mut families = self.families[..UTF7_FAMILY].iter().flatten();
        families.clone().flatten().find(|prober| is_convincing(prober)).or_else(|| {
            // No other encoding has its escape sequence.
            let only =
                families.find_map(|family| <&[DecoderProber; 1]>::try_from(&family[..]).ok());
            let is_korean = |prober: &&DecoderProber| prober.encoding.name() == "ISO-2022-KR";
            only.map(|[prober]| prober).filter(is_korean).filter(|prober| is_whole(prober))
        })
    }

    /// Returns the prober of UTF-7 if the input looks like it. This is weak evidence: a sum or a URL may
    /// look like UTF-7.
    pub(super) fn utf7(&self) -> Option<&DecoderProber> {
        self.families[UTF7_FAMILY].iter().flatten().find(|prober| is_convincing(prober))
    }
}

fn is_convincing(prober: &DecoderProber) -> bool {
    is_whole(prober) && prober.stats.non_ascii() > 0
}

fn is_whole(prober: &DecoderProber) -> bool {
    prober.is_alive() && !prober.truncated && prober.stats.suspicious() == 0
}
