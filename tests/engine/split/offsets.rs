//! `safe_offset` and `context` against the definition.

use std::io::{Cursor, Read, Result, Seek, SeekFrom};

use charpipe::internals::encoding::lookup_label;
use charpipe::internals::transcode::split::{ByteOrder, SplitPoints, context, safe_offset};

use charpipe_test_support::XorShift;

/// The end of the first split sequence that ends at or after `offset`, by looking at all of them.
pub fn reference(input: &[u8], points: &SplitPoints, offset: usize) -> usize {
    let is_split = |end: usize| match *points {
        SplitPoints::AnyByte { .. } => true,
        SplitPoints::AfterByte { bytes, not_after, .. } => {
            let before = end.checked_sub(2).map(|before| input[before]);
            bytes.contains(input[end - 1]) && (before.is_none() || before != not_after)
        }
        SplitPoints::AfterLineFeedUnit { width, byte_order } => {
            let width = usize::from(width);
            let is_big = match byte_order {
                ByteOrder::Big => true,
                ByteOrder::Bom if width == 2 => input.starts_with(b"\xFE\xFF"),
                ByteOrder::Bom => input.starts_with(b"\0\0\xFE\xFF"),
                _ => false,
            };
            let unit: &[u8] = match (width, is_big) {
                (2, true) => b"\0\n",
                (2, false) => b"\n\0",
                (_, true) => b"\0\0\0\n",
                (_, false) => b"\n\0\0\0",
            };
            end % width == 0 && input[..end].ends_with(unit)
        }
        _ => false,
    };
    match offset {
        0 => 0,
        _ => (offset..input.len()).find(|end| is_split(*end)).unwrap_or(input.len()),
    }
}

/// Counts the bytes that are read, and reads them in small pieces.
struct CountingReader<R> {
    input: R,
    bytes_read: u64,
    max_call: usize,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let len = buffer.len().min(self.max_call);
        let read = self.input.read(&mut buffer[..len])?;
        self.bytes_read += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for CountingReader<R> {
    fn seek(&mut self, position: SeekFrom) -> Result<u64> {
        self.input.seek(position)
    }
}

/// A file of this size that consists of one byte, and needs no memory.
struct Constant {
    byte: u8,
    size: u64,
    at: u64,
}

impl Read for Constant {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let len = buffer.len().min(usize::try_from(self.size - self.at).unwrap());
        buffer[..len].fill(self.byte);
        self.at += len as u64;
        Ok(len)
    }
}

impl Seek for Constant {
    fn seek(&mut self, position: SeekFrom) -> Result<u64> {
        self.at = match position {
            SeekFrom::Start(at) => at.min(self.size),
            _ => self.size,
        };
        Ok(self.at)
    }
}

const LABELS: [&str; 9] =
    ["latin1", "utf-8", "hz", "utf-16", "utf-16be", "utf-32", "utf-32le", "jis_x0208", "ibm939"];

#[test]
fn safe_offset_is_as_defined_at_every_offset() {
    let mut rng = XorShift::new(11);
    let boms: [&[u8]; 5] = [b"", b"\xFE\xFF", b"\xFF\xFE", b"\0\0\xFE\xFF", b"\xFF\xFE\0\0"];
    for label in LABELS {
        let points = lookup_label(label).unwrap().split_rule().source;
        for round in 0..40 {
            let mut input = boms[round % boms.len()].to_vec();
            for _ in 0..rng.below(60) {
                input.extend(rng.one(&[
                    b"\n".as_slice(),
                    b"\0",
                    b"\0\0\0",
                    b"\n\0",
                    b"~",
                    b"a",
                    b"\x0E",
                ]));
            }
            let mut previous = 0;
            for offset in 0..input.len() + 3 {
                let found = safe_offset(&mut Cursor::new(&input), &points, offset as u64).unwrap();
                let expected = reference(&input, &points, offset.min(input.len()));
                assert_eq!(found, expected as u64, "{label} {input:02X?} at {offset}");
                assert!(found >= previous, "{label} {input:02X?} at {offset}");
                previous = found;
            }
        }
    }
}

#[test]
fn safe_offset_is_as_defined_across_blocks() {
    for label in LABELS {
        let points = lookup_label(label).unwrap().split_rule().source;
        for line_len in [510, 511, 512, 513, 1535, 1536, 1537, 70_000, 200_001] {
            let mut input = b"\xFE\xFF".to_vec();
            for ending in [b"\0\0\0\n".as_slice(), b"~\n", b"\n\0\0\0", b"\x0E"] {
                input.resize(input.len() + line_len, b'a');
                input.extend_from_slice(ending);
            }
            for offset in [1, 2, 3, 4, 7, line_len, line_len + 3, line_len + 6, 2 * line_len] {
                let expected = reference(&input, &points, offset) as u64;
                let mut reader =
                    CountingReader { input: Cursor::new(&input), bytes_read: 0, max_call: 333 };
                let found = safe_offset(&mut reader, &points, offset as u64).unwrap();
                assert_eq!(found, expected, "{label} {line_len} at {offset}");
                let distance = found.saturating_sub(offset as u64);
                assert!(reader.bytes_read <= 2 * distance + 1024, "{label}: {}", reader.bytes_read);
            }
        }
    }
}

#[test]
fn a_file_without_split_points_needs_no_memory() {
    let points = lookup_label("utf-8").unwrap().split_rule().source;
    let mut input = Constant { byte: b'a', size: 64 << 20, at: 0 };
    assert_eq!(safe_offset(&mut input, &points, 5).unwrap(), 64 << 20);
    let points = lookup_label("utf-16").unwrap().split_rule().source;
    assert_eq!(safe_offset(&mut input, &points, (64 << 20) - 1).unwrap(), 64 << 20);
    let none = lookup_label("iso-2022-jp").unwrap().split_rule().source;
    assert_eq!(safe_offset(&mut input, &none, 5).unwrap(), 64 << 20);
    assert_eq!(safe_offset(&mut input, &none, 0).unwrap(), 0);
}

#[test]
fn context_is_the_byte_order_mark_and_the_split_sequence() {
    let context = |label: &str, input: &[u8], offset| {
        let points = lookup_label(label).unwrap().split_rule().source;
        context(&mut Cursor::new(input), &points, offset).unwrap()
    };
    assert_eq!(context("utf-16", b"\xFE\xFF\0\n\0a", 4), b"\xFE\xFF\0\n");
    assert_eq!(context("utf-16", b"\xFF\xFE\n\0a\0", 4), b"\n\0");
    assert_eq!(context("utf-16", b"\n\0a\0", 2), b"\n\0");
    assert_eq!(context("utf-32", b"\0\0\xFE\xFF\0\0\0\n\0\0\0a", 8), b"\0\0\xFE\xFF\0\0\0\n");
    assert_eq!(context("utf-16be", b"\xFE\xFF\0\n\0a", 4), b"\0\n");
    assert_eq!(context("ibm939", b"\x0E\x41\x41", 1), b"\x0E");
    assert_eq!(context("utf-8", b"a\nb", 0), b"");
}
