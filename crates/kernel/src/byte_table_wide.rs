//! Single-byte encodings to and from UTF-8, 64 bytes at a time.

use super::byte_table::{EncodeEntry, IS_BYTE};
use super::latin1::copy_ascii_wide;
use super::simd::{self, AsArrays, WIDE_WIDTH, WIDTH, WideSimd};
use super::utf8_bytes::{Utf8Table, utf8_len};
use super::utf8_encode::{self, MAX_WIDE_OUTPUT};

/// The output capacity that a step of the decoder needs.
pub const MAX_STEP_OUTPUT: usize = 3 * WIDE_WIDTH / 2 + MAX_WIDE_OUTPUT;

/// The number of steps between two tests for a run of ASCII.
pub const STEPS_PER_ASCII_TEST: usize = 4;

/// A byte for each byte below 0x80.
type HalfTable = [[u8; WIDE_WIDTH]; 2];

fn half_table(value_of: impl Fn(usize) -> u8) -> HalfTable {
    std::array::from_fn(|row| std::array::from_fn(|column| value_of(row * WIDE_WIDTH + column)))
}

/// Looks up each byte in a table, ignoring its highest bit.
#[inline(always)]
fn lookup_half<W: WideSimd>(w: W, [first, last]: &HalfTable, bytes: W::Bytes) -> W::Bytes {
    w.permute8_of_2(w.load(first), w.load(last), bytes)
}

/// A byte for each byte.
#[derive(Debug)]
struct ByteMap([HalfTable; 2]);

impl ByteMap {
    fn new(value_of: impl Fn(usize) -> u8) -> ByteMap {
        ByteMap([half_table(&value_of), half_table(|byte| value_of(byte + 0x80))])
    }

    /// Looks up each byte. With `ascii`, this is the result for bytes below 0x80.
    #[inline(always)]
    fn get<W: WideSimd>(&self, w: W, bytes: W::Bytes, ascii: Option<W::Bytes>) -> W::Bytes {
        let ascii = match ascii {
            Some(ascii) => ascii,
            None => lookup_half(w, &self.0[0], bytes),
        };
        w.select8(w.movemask8(bytes), lookup_half(w, &self.0[1], bytes), ascii)
    }
}

/// A byte that UTF-8 does not have, instead of the first byte of two where there is one.
const ABSENT: u8 = 0xFF;

/// The decoding table of a single-byte encoding.
#[derive(Debug)]
pub struct WideDecodeTable {
    /// The first byte of a UTF-8 sequence of two bytes; [`ABSENT`] for one byte, zero for others.
    first: ByteMap,
    /// The last byte of a sequence of one or two bytes.
    last: ByteMap,
    /// The code unit of each byte; a surrogate for unmapped bytes.
    unit_low: ByteMap,
    unit_high: ByteMap,
    /// Whether bytes below 0x80 are ASCII.
    is_ascii_compatible: bool,
}

impl WideDecodeTable {
    /// Creates a table from the UTF-8 sequence of each byte.
    pub fn new(sequences: &Utf8Table, is_ascii_compatible: bool) -> WideDecodeTable {
        let form = |byte: usize| (utf8_len(sequences[byte]), sequences[byte].to_le_bytes());
        let unit = |byte| {
            let (len, bytes) = form(byte);
            let text = std::str::from_utf8(&bytes[..len]).unwrap_or_default();
            text.encode_utf16().next().unwrap_or(0xD800).to_le_bytes()
        };
        WideDecodeTable {
            first: ByteMap::new(|byte| match form(byte) {
                (1, _) => ABSENT,
                (2, [first, ..]) => first,
                _ => 0,
            }),
            last: ByteMap::new(|byte| match form(byte) {
                (1, [last, ..]) | (2, [_, last, ..]) => last,
                _ => 0,
            }),
            unit_low: ByteMap::new(|byte| unit(byte)[0]),
            unit_high: ByteMap::new(|byte| unit(byte)[1]),
            is_ascii_compatible,
        }
    }

    /// Copies the leading ASCII, if bytes below 0x80 are ASCII. Returns the number of bytes.
    #[inline(always)]
    pub fn copy_ascii<W: WideSimd>(&self, w: W, src: &[u8], dst: &mut [u8]) -> usize {
        if self.is_ascii_compatible { copy_ascii_wide(w, src, dst) } else { 0 }
    }

    /// Decodes 64 bytes and returns the number of bytes written, or `None` if one is unmapped.
    #[inline(always)]
    pub fn decode_step<W: WideSimd>(
        &self,
        w: W,
        bytes: &[u8; WIDE_WIDTH],
        output: &mut [u8; MAX_STEP_OUTPUT],
    ) -> Option<usize> {
        let bytes = w.load(bytes);
        let known = self.is_ascii_compatible;
        let first = self.first.get(w, bytes, known.then_some(w.splat8(ABSENT)));
        if w.eq8(first, w.splat8(0)) != 0 {
            return self.decode_units(w, bytes, output);
        }
        let last = self.last.get(w, bytes, known.then_some(bytes));
        let mut written = 0;
        for pairs in simd::zip_wide(w, first, last) {
            let present = !w.eq8(pairs, w.splat8(ABSENT));
            utf8_encode::store_wide_at(w, w.compress8(present, pairs), output, written);
            written += present.count_ones() as usize;
        }
        Some(written)
    }

    /// Decodes 64 bytes of which some have three bytes in UTF-8.
    #[inline(always)]
    fn decode_units<W: WideSimd>(
        &self,
        w: W,
        bytes: W::Bytes,
        output: &mut [u8; MAX_STEP_OUTPUT],
    ) -> Option<usize> {
        let known = self.is_ascii_compatible;
        let low = self.unit_low.get(w, bytes, known.then_some(bytes));
        let high = self.unit_high.get(w, bytes, known.then_some(w.splat8(0)));
        let mut written = 0;
        for units in simd::zip_wide(w, low, high) {
            let output = output.get_mut(written..)?.first_chunk_mut()?;
            written += utf8_encode::encode_wide(w, units, output)?;
        }
        Some(written)
    }
}

/// The number of characters in a window, which have the same lead byte but for its lowest bit.
const WINDOW_LEN: usize = 0x80;

/// The bytes of the characters of a window, zero for unmappable ones.
#[derive(Debug)]
struct Window {
    /// The lead byte of the first character.
    lead: u8,
    bytes: HalfTable,
}

/// The encoding table of a single-byte encoding whose characters are mostly ASCII and in two windows
/// of two UTF-8 bytes a character.
#[derive(Debug)]
pub struct WideEncodeTable {
    /// How ASCII is encoded, if not as itself.
    ascii: Option<HalfTable>,
    windows: [Window; 2],
    /// The bytes of U+2000 to U+203F, zero for unmappable ones.
    punctuation: [u8; WIDE_WIDTH],
}

impl WideEncodeTable {
    /// Creates a table from the entry of each code point up to U+FFFF, or returns `None` if the
    /// encoding has few characters of two bytes or does not have all of ASCII.
    pub fn new(entries: &[EncodeEntry]) -> Option<WideEncodeTable> {
        let byte = |at: usize| if entries[at] & IS_BYTE != 0 { entries[at] as u8 } else { 0 };
        let window_byte = |window: usize, at: usize| byte(window * WINDOW_LEN + at);
        let count = |window| (0..WINDOW_LEN).filter(|at| window_byte(window, *at) != 0).count();
        if !entries[..WINDOW_LEN].iter().all(|entry| entry & IS_BYTE != 0) {
            return None;
        }
        let mut known: [_; 0x800 / WINDOW_LEN - 1] = std::array::from_fn(|index| index + 1);
        known.sort_by_key(|window| std::cmp::Reverse(count(*window)));
        if count(known[0]) < WINDOW_LEN / 8 {
            return None;
        }
        let window = |window: usize| Window {
            lead: 0xC0 + 2 * window as u8,
            bytes: half_table(|at| window_byte(window, at)),
        };
        let itself = (0..WINDOW_LEN).all(|at| entries[at] == IS_BYTE | at as EncodeEntry);
        Some(WideEncodeTable {
            ascii: (!itself).then(|| half_table(byte)),
            windows: [window(known[0]), window(known[1])],
            punctuation: std::array::from_fn(|at| byte(0x2000 + at)),
        })
    }

    /// Encodes the leading ASCII. Returns the number of bytes.
    #[inline(always)]
    pub fn encode_ascii<W: WideSimd>(&self, w: W, src: &[u8], dst: &mut [u8]) -> usize {
        let Some(table) = &self.ascii else { return copy_ascii_wide(w, src, dst) };
        let mut read = 0;
        for (from, to) in src.as_arrays().0.iter().zip(dst.as_arrays_mut().0) {
            let bytes = w.load(from);
            if w.movemask8(bytes) != 0 {
                break;
            }
            w.store(lookup_half(w, table, bytes), to);
            read += WIDE_WIDTH;
        }
        read
    }

    /// Returns whether one of the characters at the start, of which narrow vectors would encode some,
    /// is not in the tables. Between frequent errors a wide step would be in vain.
    #[inline(always)]
    pub fn has_other<W: WideSimd>(&self, w: W, start: &[u8; WIDTH]) -> bool {
        let bytes = w.load_prefix(start);
        let [first, second] = &self.windows;
        let even = w.and(bytes, w.splat8(0xFE));
        let in_first = w.eq8(even, w.splat8(first.lead));
        let in_second = w.eq8(even, w.splat8(second.lead));
        let punctuation = w.eq8(bytes, w.splat8(0xE2));
        w.at_least8(bytes, w.splat8(0xC0)) & !(in_first | in_second | punctuation) != 0
    }

    /// Encodes the whole characters at the start of 64 bytes of UTF-8. Returns the numbers of bytes
    /// read and written, or `None` if a character is not in the tables or a sequence is malformed.
    #[inline(always)]
    pub fn encode_step<W: WideSimd>(
        &self,
        w: W,
        bytes: &[u8; WIDE_WIDTH],
        output: &mut [u8; WIDE_WIDTH],
    ) -> Option<(usize, usize)> {
        let bytes = w.load(bytes);
        let [first, second] = &self.windows;
        let leads = w.at_least8(bytes, w.splat8(0xC0));
        let even = w.and(bytes, w.splat8(0xFE));
        let in_first = w.eq8(even, w.splat8(first.lead));
        let in_second = w.eq8(even, w.splat8(second.lead));
        let others = leads & !(in_first | in_second);

        // The lowest bit of the lead byte is bit 6 of the index. Bit 7 is ignored.
        let odd = (w.test8(bytes, w.splat8(1)) & leads) << 1;
        let indexes = w.select8(odd, w.add8(bytes, w.splat8(0x40)), bytes);
        let found = lookup_half(w, &first.bytes, indexes);
        let found = w.select8(in_second << 1, lookup_half(w, &second.bytes, indexes), found);
        let trails = w.movemask8(bytes) & !leads;
        if others == 0 {
            if trails != leads << 1 {
                return None;
            }
            let unread = leads >> (WIDE_WIDTH - 1);
            return self.write(w, bytes, found, trails, !leads, unread as usize, output);
        }

        // U+2000 to U+203F are E2 80 and a last byte.
        let lead = w.eq8(bytes, w.splat8(0xE2));
        let middle = lead << 1;
        let is_valid = trails == leads << 1 | middle << 1;
        if others != lead || middle & !w.eq8(bytes, w.splat8(0x80)) != 0 || !is_valid {
            return None;
        }
        let found = w.select8(middle << 1, w.permute8(w.load(&self.punctuation), bytes), found);
        let unread = if lead >> (WIDE_WIDTH - 2) & 1 != 0 { 2 } else { leads >> (WIDE_WIDTH - 1) };
        let kept = !(leads | middle) & u64::MAX >> unread;
        self.write(w, bytes, found, trails & kept, kept, unread as usize, output)
    }

    /// Writes what was found at `trails`, and ASCII at the other kept positions.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "one step in two parts")]
    fn write<W: WideSimd>(
        &self,
        w: W,
        bytes: W::Bytes,
        found: W::Bytes,
        trails: u64,
        kept: u64,
        unread: usize,
        output: &mut [u8; WIDE_WIDTH],
    ) -> Option<(usize, usize)> {
        if w.eq8(found, w.splat8(0)) & trails != 0 {
            return None;
        }
        let ascii = match &self.ascii {
            Some(table) => lookup_half(w, table, bytes),
            None => bytes,
        };
        w.store(w.compress8(kept, w.select8(trails, found, ascii)), output);
        Some((WIDE_WIDTH - unread, kept.count_ones() as usize))
    }
}
