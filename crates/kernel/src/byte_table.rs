//! Single-byte encodings to and from UTF-8, by table.

use std::sync::OnceLock;

use super::byte_table_wide::{self, WideDecodeTable, WideEncodeTable};
use super::compress;
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH, WideSimd};
use super::utf8_bytes::{
    CharacterTable, HALF_STEP, Utf8Bytes, Utf8Table, utf8_bytes_of, utf8_len, write_all,
};
use super::utf8_to_utf16::{self, CodeUnits, GROUP_LEN, MIN_CHUNK_VECTORS, char_boundary};

/// The number of bytes in a step.
pub const STEP_LEN: usize = WIDTH;

/// The number of steps between two tests for a run of ASCII.
const STEPS_PER_ASCII_TEST: usize = 4;

/// The output capacity that a step needs: the longest sequences, and a byte that the last store
/// overwrites.
pub const MAX_STEP_OUTPUT: usize = 3 * STEP_LEN + 1;

/// The decoding table of a single-byte encoding.
#[derive(Debug)]
pub struct DecodeTable {
    characters: CharacterTable,
    two_byte: Option<TwoByteTable>,
    wide: OnceLock<WideDecodeTable>,
}

impl DecodeTable {
    /// Creates a table from the character of each byte, if it has one.
    pub fn new(character: impl Fn(u8) -> Option<char>) -> DecodeTable {
        let characters = CharacterTable::new(character);
        let two_byte = TwoByteTable::new(characters.sequences(), characters.is_ascii_compatible());
        DecodeTable { characters, two_byte, wide: OnceLock::new() }
    }

    /// Returns the table for wide vectors, which is created by the first call.
    fn wide(&self) -> &WideDecodeTable {
        let create = || {
            let is_ascii_compatible = self.characters.is_ascii_compatible();
            WideDecodeTable::new(self.characters.sequences(), is_ascii_compatible)
        };
        self.wide.get_or_init(create)
    }

    /// Returns whether bytes below 0x80 are ASCII.
    #[inline]
    pub fn is_ascii_compatible(&self) -> bool {
        self.characters.is_ascii_compatible()
    }

    /// Returns the UTF-8 sequence of a byte, or zero if it is unmapped.
    #[inline(always)]
    pub fn utf8_bytes(&self, byte: u8) -> Utf8Bytes {
        self.characters.utf8_bytes(byte)
    }

    /// Returns the text of all of `src`, or `None` if a byte is unmapped or `src` is so long that
    /// [`decode`](DecodeTable::decode) is faster.
    #[inline]
    pub fn short_text(&self, src: &[u8]) -> Option<String> {
        let is_short = src.len() <= MAX_STEPWISE_LEN || self.two_byte.is_none();
        if is_short { self.characters.text(src) } else { None }
    }

    /// Decodes a prefix of `src` while `dst` has space left, up to a step with an unmapped byte.
    /// Returns the numbers of bytes read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        simd::run(ByteTableDecodeKernel { table: self, src, dst })
    }
}

/// The length of input in bytes up to which vectors take longer than one character after another.
const MAX_STEPWISE_LEN: usize = 128;

struct ByteTableDecodeKernel<'a> {
    table: &'a DecodeTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for ByteTableDecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let ByteTableDecodeKernel { table, src, dst } = self;
        let (mut read, mut written) = (0, 0);
        loop {
            if table.is_ascii_compatible() {
                let run = map_ascii_groups(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            for _ in 0..STEPS_PER_ASCII_TEST {
                let (Some(bytes), Some(output)) =
                    (src[read..].first_chunk(), dst[written..].first_chunk_mut())
                else {
                    return (read, written);
                };
                let Some(count) = decode_step(simd, table, bytes, output) else {
                    return (read, written);
                };
                read += STEP_LEN;
                written += count;
            }
        }
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let ByteTableDecodeKernel { table, src, dst } = self;
        let (mut read, mut written) = (0, 0);
        if src.len() >= MIN_WIDE_LEN {
            let wide = table.wide();
            'text: loop {
                let run = wide.copy_ascii(w, &src[read..], &mut dst[written..]);
                read += run;
                written += run;
                for _ in 0..byte_table_wide::STEPS_PER_ASCII_TEST {
                    let Some(bytes) = src[read..].first_chunk() else { break 'text };
                    let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
                    let Some(count) = wide.decode_step(w, bytes, output) else { break 'text };
                    read += bytes.len();
                    written += count;
                }
            }
        }
        let rest = ByteTableDecodeKernel { table, src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

/// The length of the input in bytes for which the tables for wide vectors are created.
const MIN_WIDE_LEN: usize = if cfg!(test) { 1 } else { 96 };

/// Copies the leading groups of vectors that are all ASCII, or maps them with the table. Returns
/// the number of bytes.
#[inline(always)]
pub fn map_ascii_groups<S: Simd>(
    simd: S,
    src: &[u8],
    dst: &mut [u8],
    table: Option<&HalfTable>,
) -> usize {
    let groups = src.as_arrays().0.as_arrays::<STEPS_PER_ASCII_TEST>().0;
    let outputs = dst.as_arrays_mut().0.as_arrays_mut::<STEPS_PER_ASCII_TEST>().0;
    let mut done = 0;
    for ([a, b, c, d], to) in groups.iter().zip(outputs) {
        let vectors = [simd.load(a), simd.load(b), simd.load(c), simd.load(d)];
        let [a, b, c, d] = vectors;
        if simd.movemask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
            break;
        }
        for (bytes, to) in vectors.into_iter().zip(to) {
            let bytes = if let Some(table) = table { lookup128(simd, table, bytes) } else { bytes };
            simd.store(bytes, to);
        }
        done += STEPS_PER_ASCII_TEST * WIDTH;
    }
    done
}

/// Decodes a step and returns the number of bytes written, or `None` if a byte is unmapped.
#[inline(always)]
fn decode_step<S: Simd>(
    simd: S,
    table: &DecodeTable,
    bytes: &[u8; STEP_LEN],
    output: &mut [u8; MAX_STEP_OUTPUT],
) -> Option<usize> {
    if let (Some(pairs), Some(output)) = (&table.two_byte, output.first_chunk_mut()) {
        if let Some(count) = pairs.write(simd, simd.load(bytes), output) {
            return Some(count);
        }
    }
    let [one, other] = bytes.as_arrays::<HALF_STEP>().0 else { return None };
    let first = write_all(one.map(|byte| table.utf8_bytes(byte)), output)?;
    let second = write_all(other.map(|byte| table.utf8_bytes(byte)), &mut output[first..])?;
    Some(first + second)
}

/// Tables that map bytes to characters of one or two UTF-8 bytes in vectors.
///
/// One table has the last byte of each character, the other the byte before it. Of the interleaved
/// pairs, the first byte is dropped where the character has only one.
#[derive(Debug)]
pub enum TwoByteTable {
    /// For encodings where bytes below 0x80 are ASCII: the first and the last byte of the others,
    /// where the first byte is zero if the character does not take two bytes.
    AsciiAndTwoByte(Box<[HalfTable; 2]>),
    /// For encodings whose characters are all in ISO-8859-1: the ISO-8859-1 byte of each byte.
    Latin1(Box<[HalfTable; 2]>),
    /// For other encodings: the ASCII byte of each byte, or 0x80 if its character is not ASCII.
    Ascii(Box<[HalfTable; 2]>),
}

impl TwoByteTable {
    /// Creates the tables that fit these sequences, if any do. `ascii` is set if bytes below 0x80
    /// are ASCII.
    pub fn new(sequences: &Utf8Table, ascii: bool) -> Option<TwoByteTable> {
        let byte_at = |form: Utf8Bytes, at: usize| form.to_le_bytes()[at];
        let form = |first: u8| move |byte: u8| sequences[usize::from(first | byte)];
        let two = |form: &Utf8Bytes| utf8_len(*form) == 2;
        if ascii {
            // Useless where most letters have three bytes.
            let worth = sequences[0x80..].iter().filter(|form| two(form)).count() >= 0x40;
            let of = |at| {
                half_table(move |byte| {
                    let form = form(0x80)(byte);
                    if two(&form) { byte_at(form, at) } else { 0 }
                })
            };
            return worth.then(|| TwoByteTable::AsciiAndTwoByte(Box::new([of(0), of(1)])));
        }
        if sequences[usize::from(b'a')] == utf8_bytes_of('a') {
            return None;
        }
        let latin = sequences.iter().all(|form| match form.to_le_bytes() {
            [_, _, _, length] if length >> 6 == 1 => true,
            [0xC2 | 0xC3, _, _, length] => length >> 6 == 2,
            _ => false,
        });
        let of = |first| {
            half_table(move |byte| match form(first)(byte).to_le_bytes() {
                [one, .., length] if length >> 6 == 1 => one,
                [lead, tail, ..] if latin => lead << 6 | tail & 0x3F,
                _ => 0x80,
            })
        };
        let tables = Box::new([of(0), of(0x80)]);
        Some(if latin { TwoByteTable::Latin1(tables) } else { TwoByteTable::Ascii(tables) })
    }

    /// Decodes a vector of bytes and returns the number of bytes written, or `None` if a character
    /// is not in the tables.
    #[inline(always)]
    pub fn write<S: Simd>(
        &self,
        simd: S,
        bytes: S::Bytes,
        output: &mut [u8; 2 * WIDTH],
    ) -> Option<usize> {
        match self {
            TwoByteTable::AsciiAndTwoByte(tables) => {
                let first = lookup128(simd, &tables[0], bytes);
                let last = lookup128(simd, &tables[1], bytes);
                let none = simd.movemask8(simd.eq8(first, simd.splat8(0)));
                let high = simd.movemask8(bytes);
                let last = simd.select(bytes, last, bytes);
                if none & high == 0 {
                    Some(interleave_compress(simd, first, last, bytes, output))
                } else {
                    None
                }
            }
            TwoByteTable::Latin1(tables) => {
                let bytes = lookup256(simd, tables, bytes);
                if simd.movemask8(bytes) == 0 {
                    return Some(store_unchanged(simd, bytes, output));
                }
                let first = simd.and(simd.shr16::<6>(bytes), simd.splat8(0x03));
                let first = simd.or(first, simd.splat8(0xC0));
                let last = simd.or(simd.and(bytes, simd.splat8(0x3F)), simd.splat8(0x80));
                let last = simd.select(bytes, last, bytes);
                Some(interleave_compress(simd, first, last, bytes, output))
            }
            TwoByteTable::Ascii(tables) => {
                let bytes = lookup256(simd, tables, bytes);
                if simd.movemask8(bytes) == 0 {
                    Some(store_unchanged(simd, bytes, output))
                } else {
                    None
                }
            }
        }
    }
}

/// Looks up each byte in a table of 256 bytes.
#[inline(always)]
fn lookup256<S: Simd>(simd: S, [low, high]: &[HalfTable; 2], bytes: S::Bytes) -> S::Bytes {
    simd.select(bytes, lookup128(simd, high, bytes), lookup128(simd, low, bytes))
}

/// Writes a vector of bytes unchanged and returns their number.
#[inline(always)]
fn store_unchanged<S: Simd>(simd: S, bytes: S::Bytes, output: &mut [u8; 2 * WIDTH]) -> usize {
    if let Some(output) = output.first_chunk_mut() {
        simd.store(bytes, output);
    }
    WIDTH
}

/// Writes pairs of a first and a last byte where the highest bit of `bytes` is set, else only the
/// last byte. Returns the number of bytes written.
#[inline(always)]
fn interleave_compress<S: Simd>(
    simd: S,
    first: S::Bytes,
    last: S::Bytes,
    bytes: S::Bytes,
    output: &mut [u8; 2 * WIDTH],
) -> usize {
    let (first, single) = (simd.select(bytes, first, last), !simd.movemask8(bytes));
    let (near, at) = compress::compress_1or2(simd, simd.zip_low8(first, last), single);
    let (far, more) = compress::compress_1or2(simd, simd.zip_high8(first, last), single >> 8);
    if let Some(output) = output.first_chunk_mut() {
        simd.store(near, output);
    }
    if let Some(output) = output[at..].first_chunk_mut() {
        simd.store(far, output);
    }
    at + more
}

/// A byte for each byte below 0x80.
pub type HalfTable = [[u8; WIDTH]; 8];

/// Creates a table from a function of the byte.
pub fn half_table(value_of: impl Fn(u8) -> u8) -> HalfTable {
    std::array::from_fn(|row| std::array::from_fn(|column| value_of((row * WIDTH + column) as u8)))
}

/// Looks up each byte in a table, ignoring its highest bit.
///
/// All rows are looked up, and then the right one is selected by bits 4, 5 and 6 of the byte.
#[inline(always)]
pub fn lookup128<S: Simd>(simd: S, table: &HalfTable, bytes: S::Bytes) -> S::Bytes {
    let column = simd.and(bytes, simd.splat8(0x0F));
    // Shifted so that the highest bit is bit 6, 5 and 4.
    let high = simd.add8(bytes, bytes);
    let middle = simd.add8(high, high);
    let low = simd.add8(middle, middle);
    let [a, b, c, d, e, f, g, h] = table;
    let first = lookup_two_rows(simd, [a, b], low, column);
    let second = lookup_two_rows(simd, [c, d], low, column);
    let third = lookup_two_rows(simd, [e, f], low, column);
    let fourth = lookup_two_rows(simd, [g, h], low, column);
    let near = simd.select(middle, second, first);
    let far = simd.select(middle, fourth, third);
    simd.select(high, far, near)
}

/// Looks up a column in two rows: the second row where the highest bit of `which` is set.
#[inline(always)]
fn lookup_two_rows<S: Simd>(
    simd: S,
    rows: [&[u8; WIDTH]; 2],
    which: S::Bytes,
    column: S::Bytes,
) -> S::Bytes {
    let [first, second] = rows;
    let first = simd.shuffle8(simd.load(first), column);
    simd.select(which, simd.shuffle8(simd.load(second), column), first)
}

/// The entry of a character in an [`EncodeTable`]: [`IS_BYTE`] and a byte, or another value that
/// the codec defines. Zero is unmappable.
pub type EncodeEntry = u16;

/// The flag of an [`EncodeEntry`] that is a byte.
pub const IS_BYTE: EncodeEntry = 0x4000;

/// The encoding table of a single-byte encoding, for characters up to U+FFFF.
#[derive(Debug)]
pub struct EncodeTable {
    /// The entry of each code point. Pages that are never written take no memory.
    entries: Box<[EncodeEntry; 0x1_0000]>,
    ascii: AsciiMapping,
    wide: OnceLock<Option<WideEncodeTable>>,
}

/// How ASCII is encoded, for the fast path.
#[derive(Debug)]
enum AsciiMapping {
    /// As itself.
    Identity,
    /// As the bytes of a table.
    Table(Box<HalfTable>),
    /// Otherwise, or partly unmappable.
    Other,
}

impl EncodeTable {
    /// Creates a table from the entries of characters up to U+FFFF. The last entry of a character
    /// wins.
    pub fn new(mappings: impl IntoIterator<Item = (char, EncodeEntry)>) -> EncodeTable {
        let mut all = vec![0; 0x1_0000].into_boxed_slice();
        for (character, entry) in mappings {
            if let Some(slot) = all.get_mut(u32::from(character) as usize) {
                *slot = entry;
            }
        }
        EncodeTable {
            ascii: ascii_mapping(&all[..0x80]),
            entries: all.try_into().expect("the length is that of the array"),
            wide: OnceLock::new(),
        }
    }

    /// Returns the table for wide vectors, if one fits. It is created by the first call.
    fn wide(&self) -> Option<&WideEncodeTable> {
        self.wide.get_or_init(|| WideEncodeTable::new(&self.entries[..])).as_ref()
    }

    /// Returns the entry of a character, or zero if it is unmappable.
    pub fn get(&self, character: char) -> EncodeEntry {
        self.entries.get(u32::from(character) as usize).copied().unwrap_or(0)
    }

    /// Returns whether ASCII is encoded as itself.
    #[inline]
    pub fn keeps_ascii(&self) -> bool {
        matches!(self.ascii, AsciiMapping::Identity)
    }

    /// Encodes a prefix of `src` while `dst` has space left, up to a group with a character whose
    /// entry is not a byte. Returns the numbers of bytes read and written.
    pub fn encode(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        simd::run(ByteTableEncodeKernel { table: self, src: src.as_bytes(), dst })
    }

    /// Encodes like [`encode`](EncodeTable::encode), but `src` need not be valid UTF-8: up to the
    /// first malformed sequence at most. Without wide vectors, only ASCII is encoded.
    pub fn encode_unvalidated(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        simd::run(UnvalidatedEncodeKernel { table: self, src, dst })
    }

    /// Encodes like [`encode_unvalidated`](EncodeTable::encode_unvalidated), one character after another, as
    /// far as the entries are bytes.
    pub fn encode_stepwise(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        let copies_ascii = self.keeps_ascii();
        while let (Some(&lead), true) = (src.get(read), written < dst.len()) {
            if copies_ascii && lead < 0x80 {
                if let (Some(from), Some(to)) =
                    (src[read..].first_chunk(), dst[written..].first_chunk_mut())
                {
                    *to = *from;
                    let high_bits = u64::from_le_bytes(*from) & 0x8080_8080_8080_8080;
                    let run = high_bits.trailing_zeros() as usize / 8;
                    read += run;
                    written += run;
                    continue;
                }
            }
            let rest = &src[read..];
            let (bits, len) = match (lead, rest.first_chunk(), rest.first_chunk()) {
                (..0x80, ..) => (u16::from(lead), 1),
                (0xC2..=0xDF, Some(&[_, low @ 0x80..=0xBF]), _) => {
                    (u16::from(lead & 0x1F) << 6 | u16::from(low & 0x3F), 2)
                }
                (0xE0..=0xEF, _, Some(&[_, middle, low])) => {
                    let trails = u16::from_be_bytes([middle, low]);
                    let bits = u16::from(lead) << 12 | trails >> 2 & 0xFC0 | trails & 0x3F;
                    if trails & 0xC0C0 != 0x8080 || bits < 0x800 {
                        break;
                    }
                    (bits, 3)
                }
                _ => break,
            };
            // Surrogates have no entries.
            let entry = self.entries[usize::from(bits)];
            if entry & IS_BYTE == 0 {
                break;
            }
            dst[written] = entry as u8;
            read += len;
            written += 1;
        }
        (read, written)
    }

    /// Writes the bytes of a group of code units and returns whether each has one.
    #[inline(always)]
    fn write_group(&self, units: &[u16; GROUP_LEN], output: &mut [u8; GROUP_LEN]) -> bool {
        let mut all = IS_BYTE;
        for (unit, output) in units.iter().zip(output) {
            let entry = self.entries[usize::from(*unit)];
            *output = entry as u8;
            all &= entry;
        }
        all != 0
    }
}

/// Returns how ASCII is encoded.
fn ascii_mapping(ascii: &[EncodeEntry]) -> AsciiMapping {
    if !ascii.iter().all(|entry| entry & IS_BYTE != 0) {
        return AsciiMapping::Other;
    }
    let itself = ascii.iter().zip(0..).all(|(entry, value)| *entry == IS_BYTE | value);
    let bytes = || half_table(|value| ascii[usize::from(value)] as u8);
    if itself { AsciiMapping::Identity } else { AsciiMapping::Table(Box::new(bytes())) }
}

struct ByteTableEncodeKernel<'a> {
    table: &'a EncodeTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for ByteTableEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let ByteTableEncodeKernel { table, src, dst } = self;
        let (mut read, mut written, mut vectors) = (0, 0, MIN_CHUNK_VECTORS);
        let mut units = CodeUnits::new();
        loop {
            let run = encode_ascii(simd, &table.ascii, &src[read..], &mut dst[written..]);
            read += run;
            written += run;
            let output = &mut dst[written..];
            let taken = units.decode_chunk(simd, &src[read..], vectors.min(output.len() / WIDTH));
            let groups = units.groups().iter().zip(output.as_arrays_mut().0);
            let good = groups
                .map(|(units, output)| table.write_group(units, output))
                .take_while(|good| *good);
            let good = good.count() * GROUP_LEN;
            let all = units.as_slice();
            if taken == 0 || good < all.len() {
                let good = &all[..good.min(all.len())];
                return (
                    char_boundary(src, read) + utf8_to_utf16::utf8_len(good),
                    written + good.len(),
                );
            }
            read += taken;
            written += all.len();
            vectors = (2 * vectors).min(utf8_to_utf16::MAX_CHUNK_VECTORS);
        }
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let ByteTableEncodeKernel { table, src, dst } = self;
        let wide = if src.len() >= MIN_WIDE_LEN { table.wide() } else { None };
        let (mut read, mut written) = (0, 0);
        while let Some(wide) = wide {
            match src[read..].first_chunk() {
                Some(start) if wide.has_other(w, start) => {}
                _ => {
                    let (src, dst) = (&src[read..], &mut dst[written..]);
                    let (more_read, more_written) = encode_wide(w, wide, src, dst);
                    read += more_read;
                    written += more_written;
                }
            }
            // A few characters that are not in the tables.
            if src.len() - read < 2 * OTHERS_LEN {
                break;
            }
            let end = char_boundary(src, read + OTHERS_LEN);
            let others =
                ByteTableEncodeKernel { table, src: &src[read..end], dst: &mut dst[written..] };
            let (more_read, more_written) = others.run(w.narrow());
            if more_read == 0 {
                return (read, written);
            }
            read += more_read;
            written += more_written;
        }
        let rest = ByteTableEncodeKernel { table, src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

/// The number of bytes that are encoded with narrow vectors after a step that wide ones cannot encode.
const OTHERS_LEN: usize = 192;

/// Encodes characters of the tables for wide vectors. Returns the numbers of bytes read and written.
#[inline(always)]
fn encode_wide<W: WideSimd>(
    w: W,
    table: &WideEncodeTable,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    loop {
        for _ in 0..byte_table_wide::STEPS_PER_ASCII_TEST {
            let Some(bytes) = src[read..].first_chunk() else { return (read, written) };
            let Some(output) = dst[written..].first_chunk_mut() else { return (read, written) };
            let Some((len, count)) = table.encode_step(w, bytes, output) else {
                return (read, written);
            };
            read += len;
            written += count;
        }
        let run = table.encode_ascii(w, &src[read..], &mut dst[written..]);
        read += run;
        written += run;
    }
}

struct UnvalidatedEncodeKernel<'a> {
    table: &'a EncodeTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for UnvalidatedEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let ascii = encode_ascii(simd, &self.table.ascii, self.src, self.dst);
        (ascii, ascii)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let wide = if self.src.len() >= MIN_WIDE_LEN { self.table.wide() } else { None };
        match wide {
            Some(wide) => encode_wide(w, wide, self.src, self.dst),
            None => self.run(w.narrow()),
        }
    }
}

/// Encodes the leading groups of vectors that are all ASCII. Returns the number of bytes.
#[inline(always)]
fn encode_ascii<S: Simd>(simd: S, low: &AsciiMapping, src: &[u8], dst: &mut [u8]) -> usize {
    match low {
        AsciiMapping::Identity => map_ascii_groups(simd, src, dst, None),
        AsciiMapping::Table(table) => map_ascii_groups(simd, src, dst, Some(table)),
        AsciiMapping::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    /// Maps bytes below 0x80 to ASCII, and others to characters of two and three bytes, except
    /// every seventh byte, which is unmapped.
    fn sample_char(byte: u8) -> Option<char> {
        match byte {
            0..0x80 => Some(char::from(byte)),
            _ if byte % 7 == 0 => None,
            0x80..0xF0 => char::from_u32(0x400 + 5 * u32::from(byte)),
            _ => char::from_u32(0x2500 + u32::from(byte)),
        }
    }

    /// The mappings of encodings of different kinds.
    const SAMPLE_ENCODINGS: [fn(u8) -> Option<char>; 6] = [
        sample_char,
        |byte| {
            if byte < 0x80 { Some(byte.into()) } else { char::from_u32(0xE00 + u32::from(byte)) }
        },
        |byte| Some(char::from(byte ^ 0x65)),
        |byte| sample_char(byte ^ 0x65),
        two_windows,
        |byte| two_windows(byte ^ 0x65),
    ];

    /// Maps bytes below 0x80 to ASCII, and others to two blocks of letters and to punctuation.
    fn two_windows(byte: u8) -> Option<char> {
        let from = |first: u32, start: u8| char::from_u32(first + u32::from(byte - start));
        match byte {
            0..0x80 => Some(char::from(byte)),
            0x80..0xC0 => from(0x440, 0x80),
            0xC0..0xE0 => from(0xE0, 0xC0),
            0xE0..0xF0 => from(0x2010, 0xE0),
            0xF0..0xF8 => from(0x20AC, 0xF0),
            0xF8.. => None,
        }
    }

    /// Returns bytes of each kind in runs of each length.
    fn sample_bytes() -> Vec<u8> {
        let runs = (1..40).step_by(stride(13)).flat_map(|len| {
            let sorts = [b'a', 0x85, 0xF5, b'a' ^ 0x65].into_iter();
            sorts.flat_map(move |first| (0..len % 19).map(move |_| first))
        });
        runs.chain(0..=0xFF).chain([b'x'; 200]).chain([b'x' ^ 0x65; 100]).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "runs no kernel")]
    fn each_kind_of_encoding_uses_the_matching_tables() {
        let [high, long, latin, turned, windows, _] =
            SAMPLE_ENCODINGS.map(|character| DecodeTable::new(character).two_byte);
        assert!(matches!(windows, Some(TwoByteTable::AsciiAndTwoByte(_))));
        assert!(matches!(high, Some(TwoByteTable::AsciiAndTwoByte(_))) && long.is_none());
        assert!(matches!(latin, Some(TwoByteTable::Latin1(_))));
        assert!(matches!(turned, Some(TwoByteTable::Ascii(_))));
        // At least half of the letters must have two bytes.
        let two_byte = |count: u8| {
            let three_byte = |byte: &u8| (0x80 + count..).contains(byte);
            let character = |byte| if three_byte(&byte) { 'あ' } else { char::from(byte) };
            DecodeTable::new(|byte| Some(character(byte))).two_byte
        };
        assert!(matches!(two_byte(0x40), Some(TwoByteTable::AsciiAndTwoByte(_))));
        assert!(two_byte(0x3F).is_none());
    }

    /// Creates the encoding table of a mapping.
    fn encode_table(character: fn(u8) -> Option<char>) -> EncodeTable {
        let known =
            |byte| character(byte).map(|character| (character, IS_BYTE | EncodeEntry::from(byte)));
        EncodeTable::new((0..=0xFF).filter_map(known))
    }

    #[test]
    fn decoding_agrees_with_reference() {
        let bytes = sample_bytes();
        for character in SAMPLE_ENCODINGS {
            let table = DecodeTable::new(character);
            let starts = (0..250).chain((250..bytes.len()).step_by(7));
            for start in starts.step_by(stride(501)) {
                for (level, output) in Level::all()
                    .flat_map(|level| [0, 16, 48, 49, 100, 10_000].map(|output| (level, output)))
                {
                    let src = &bytes[start..];
                    let mut dst = vec![0x55; output];
                    let (read, written) =
                        level.run(ByteTableDecodeKernel { table: &table, src, dst: &mut dst });
                    let plain: Option<String> =
                        src[..read].iter().copied().map(character).collect();
                    let plain = plain.expect("only characters are read");
                    assert_eq!(
                        std::str::from_utf8(&dst[..written]),
                        Ok(&plain[..]),
                        "{start} {output}"
                    );
                    let odd =
                        src[read..].iter().take(STEP_LEN).any(|byte| character(*byte).is_none());
                    let full = output - written < MAX_STEP_OUTPUT;
                    assert!(
                        odd || full || src.len() - read < STEP_LEN,
                        "{start} {output} stops early"
                    );
                }
            }
        }
    }

    #[test]
    fn encoding_agrees_with_reference() {
        for character in SAMPLE_ENCODINGS {
            let table = encode_table(character);
            let known: String = sample_bytes().into_iter().filter_map(character).collect();
            let starts = known
                .char_indices()
                .enumerate()
                .filter(|(index, _)| *index < 250 || index % 7 == 0);
            let odd_ends = ["", "\u{3A9}", "中", "😀"].iter().cycle();
            for ((_, (start, _)), odd) in starts.zip(odd_ends).step_by(stride(501)) {
                let text = known[start..].to_owned() + odd + "abcdefghijklmnopqrstuvwxyz";
                for (level, output) in Level::all()
                    .flat_map(|level| [0, 16, 17, 100, 10_000].map(|output| (level, output)))
                {
                    let mut dst = vec![0x55; output];
                    let (table, src) = (&table, text.as_bytes());
                    let (read, written) =
                        level.run(ByteTableEncodeKernel { table, src, dst: &mut dst });
                    let back: Option<String> =
                        dst[..written].iter().map(|byte| character(*byte)).collect();
                    assert_eq!(back.as_deref(), text.get(..read), "{start} {odd} {output}");
                    let near: Vec<char> = text[read..].chars().take(WIDTH).collect();
                    let stopped = near.iter().any(|character| table.get(*character) == 0);
                    let full = output - written < WIDTH;
                    let short = text.len() - read < WIDTH + utf8_to_utf16::OVERLAP;
                    assert!(stopped || full || short, "{start} {output} stops early: {near:?}");
                }
            }
        }
    }

    #[test]
    fn unvalidated_text_is_encoded_up_to_malformed_sequences_at_most() {
        let character = two_windows;
        let table = &encode_table(character);
        let fillers = ["a", "\u{450}", "\u{E1}a", "\u{2011}", "a\u{2012}\u{451}\u{E2}"];
        for filler in fillers {
            for invalid in testing::MALFORMED.into_iter().step_by(stride(5)) {
                for len in (0..150).step_by(stride(67)) {
                    let text: String = filler.chars().cycle().take(len).collect();
                    let src = &[text.as_bytes(), invalid, filler.repeat(150).as_bytes()].concat();
                    let valid = src.utf8_chunks().next().map_or("", |chunk| chunk.valid());
                    let mut dst = vec![0; src.len() + WIDTH];
                    let kernels = Level::all().map(Some).chain([None]);
                    for level in kernels {
                        let kernel = UnvalidatedEncodeKernel { table, src, dst: &mut dst };
                        let (read, written) = match level {
                            Some(level) => level.run(kernel),
                            None => table.encode_stepwise(src, &mut dst),
                        };
                        let back: Option<String> =
                            dst[..written].iter().map(|byte| character(*byte)).collect();
                        let context = format!("{level:?} {filler} {invalid:X?} {len}");
                        assert_eq!(back.as_deref(), valid.get(..read), "{context}");
                    }
                }
            }
        }
    }

    #[test]
    fn encoding_stops_in_the_group_of_an_unmappable_character() {
        let table = encode_table(SAMPLE_ENCODINGS[0]);
        for before in (0..200).step_by(stride(75)) {
            let text = format!("{}\u{3A9}{}", "a\u{69E}".repeat(before), "b".repeat(50));
            let mut dst = vec![0; 1000];
            let (read, written) = table.encode(&text, &mut dst);
            assert_eq!(text[..read].chars().count(), written);
            assert!(read <= 3 * before && 3 * before < read + 2 * WIDTH, "{before} {read}");
        }
    }

    #[test]
    fn encoding_stops_near_an_unmappable_character_at_every_position() {
        let mut random = testing::random(2);
        for character in [two_windows, |byte| two_windows(byte ^ 0x65)] {
            let table = encode_table(character);
            // Mostly ASCII, mostly letters, and with punctuation everywhere.
            for bytes in
                [[b'a', 0x21, 0x82, 0xC1], [0x80, 0xBF, 0xC0, 0xDF], [0x91, 0xE0, 0xEF, 0xF1]]
            {
                let mut letters = || {
                    let byte =
                        random.one(&bytes) ^ if character(0) == Some('\0') { 0 } else { 0x65 };
                    character(byte).expect("is mapped")
                };
                let text: String = (0..400).map(|_| letters()).collect();
                for (position, _) in text.char_indices().take(if cfg!(miri) { 5 } else { 200 }) {
                    let text = format!("{}\u{3A9}{}", &text[..position], &text[position..]);
                    let expected: Vec<u8> = text[..position]
                        .chars()
                        .map(|character| table.get(character) as u8)
                        .collect();
                    for level in Level::all() {
                        let mut dst = vec![0x55; 1000];
                        let src = text.as_bytes();
                        let kernel = ByteTableEncodeKernel { table: &table, src, dst: &mut dst };
                        let (read, written) = level.run(kernel);
                        assert!(
                            read <= position && read + 4 * WIDTH > position,
                            "{read} {position}"
                        );
                        assert_eq!(dst[..written], expected[..text[..read].chars().count()]);
                    }
                }
            }
        }
    }

    #[test]
    fn ascii_mapping_is_detected() {
        assert!(matches!(encode_table(SAMPLE_ENCODINGS[0]).ascii, AsciiMapping::Identity));
        assert!(
            matches!(encode_table(SAMPLE_ENCODINGS[2]).ascii, AsciiMapping::Table(bytes) if bytes[4][1] == 0x24)
        );
        let given = (0..0x80).map(|byte: u8| (byte.into(), EncodeEntry::from(byte)));
        assert!(matches!(EncodeTable::new(given.clone()).ascii, AsciiMapping::Other));
        assert!(matches!(EncodeTable::new(given.take(0x7F)).ascii, AsciiMapping::Other));
    }

    #[test]
    fn last_entry_of_a_character_wins() {
        let given = ['\0', 'A', '\u{7FF}', '\u{800}', '\u{83F}', '\u{840}', '\u{FFFF}'];
        let numbered = || given.into_iter().zip(2..);
        let table =
            EncodeTable::new(given.map(|character| (character, 1)).into_iter().chain(numbered()));
        for (character, number) in numbered() {
            assert_eq!(table.get(character), number, "{character:?}");
        }
        for character in ['\u{1}', '\u{7FE}', '\u{801}', '\u{880}', '\u{FFFE}', '\u{10000}'] {
            assert_eq!(table.get(character), 0, "{character:?}");
        }
    }

    struct LookupKernel<'a>(&'a HalfTable, [u8; WIDTH]);

    impl Kernel for LookupKernel<'_> {
        type Output = [u8; WIDTH];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [u8; WIDTH] {
            let mut found = [0; WIDTH];
            simd.store(lookup128(simd, self.0, simd.load(&self.1)), &mut found);
            found
        }
    }

    #[test]
    fn every_byte_finds_its_own_entry() {
        let of = |byte: u8| byte.wrapping_mul(0x35) ^ 0xC3;
        let table = half_table(of);
        for level in Level::all() {
            for first in (0..=0xFF_u8).step_by(stride(35)) {
                let bytes = std::array::from_fn(|lane| first.wrapping_add(17 * lane as u8));
                let found = level.run(LookupKernel(&table, bytes));
                assert_eq!(found, bytes.map(|byte| of(byte & 0x7F)), "{level:?} {bytes:X?}");
            }
        }
    }
}
