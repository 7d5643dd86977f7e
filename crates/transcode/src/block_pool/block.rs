//! Blocks of the input.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::block_buffer::BlockBuffer;
use super::boundary::Boundary;
use super::stream::StreamQueue;

/// The number of bytes after the nominal end of a block of a file in which a boundary is searched for, so
/// that the block ends there. The next block begins at the same boundary.
const OVERLAP: usize = 4096;

/// The alignment of the offsets of reads. The system copies several times faster if the source and the
/// destination are aligned alike: 128 MiB take 21 ms from the page cache, and 57 ms if one of them is 8 bytes
/// further.
const READ_ALIGNMENT: u64 = 4096;

/// A file that several threads read at the same time.
pub trait ReadAt: Sync {
    /// Reads bytes at `offset`. Returns the number of bytes read, zero at the end of the file.
    ///
    /// # Errors
    ///
    /// Returns the error of the read.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Called with the number of bytes that have been converted since the last call.
    fn count(&self, _converted: u64) {}
}

/// Where blocks come from.
#[allow(missing_debug_implementations, reason = "it contains codecs")]
pub enum BlockSource<'a> {
    /// A file of which each thread reads its own blocks.
    File(&'a dyn ReadAt),
    /// A reader whose reads do not wait for another process.
    Reader(Box<dyn Read + Send + 'a>),
    /// A stream.
    Stream(Arc<StreamQueue>),
}

/// A block of the input, and what was done of it. Blocks are used again with their buffers.
#[derive(Debug, Default)]
pub struct InputBlock<A> {
    pub(super) index: u64,
    /// The offset in the input.
    pub offset: u64,
    /// The offset of its end.
    pub end: u64,
    /// The offset of the first boundary.
    pub start: Option<u64>,
    /// The bytes, unless they are read from a file while they are used.
    pub(super) bytes: BlockBuffer,
    /// What was done ahead of its turn.
    pub ahead: A,
}

/// The part of the input that a thread takes. Those of a reader have an index, an offset and a length of
/// their own.
pub(super) struct BlockPart {
    pub index: u64,
    pub offset: u64,
    pub len: usize,
}

/// What threads read blocks from.
#[allow(missing_debug_implementations, reason = "it contains a reader")]
pub struct BlockReader<'a> {
    shared: SharedReader<'a>,
    /// The offset of the first block.
    pub(super) offset: u64,
    /// The stream that is read, to stop waiting for it.
    pub(super) stream: Option<Arc<StreamQueue>>,
    boundary: Boundary,
}

enum SharedReader<'a> {
    File(&'a dyn ReadAt),
    Sequential(Mutex<SequentialReader<'a>>),
}

/// Reads one block after the other.
struct SequentialReader<'a> {
    source: BlockSource<'a>,
    offset: u64,
    index: u64,
    is_ended: bool,
}

impl<'a> BlockReader<'a> {
    /// Returns the reader of the blocks of `source`, which begin at `offset` of the input.
    pub fn new(source: BlockSource<'a>, offset: u64, boundary: Boundary) -> BlockReader<'a> {
        let stream = match &source {
            BlockSource::File(_) | BlockSource::Reader(_) => None,
            BlockSource::Stream(queue) => Some(queue.clone()),
        };
        let shared = match source {
            BlockSource::File(file) => SharedReader::File(file),
            source => SharedReader::Sequential(Mutex::new(SequentialReader {
                source,
                offset,
                index: 0,
                is_ended: false,
            })),
        };
        BlockReader { shared, offset, stream, boundary }
    }

    /// Begins a block: finds its boundaries in a file, or reads the next block otherwise. It is empty at the
    /// end of the input.
    pub(super) fn read(
        &self,
        block: &mut InputBlock<impl Sized>,
        part: &BlockPart,
    ) -> io::Result<()> {
        let boundary = self.boundary;
        match &self.shared {
            SharedReader::File(file) => {
                let BlockPart { index, offset, len } = *part;
                let nominal_end = offset + len as u64;
                let overlap = OVERLAP.min(len);
                let bytes = &mut block.bytes;
                let mut find = |offset, len| find_boundary(*file, boundary, bytes, offset, len);
                (block.index, block.offset, block.end) = (index, offset, nominal_end);
                // Errors of reads will occur again in the turn of the block.
                let mut start = find(offset, overlap).unwrap_or(BoundarySearch::Nothing);
                if matches!(start, BoundarySearch::Nothing) && len > overlap {
                    // Lines are long.
                    start = find(offset, len).unwrap_or(BoundarySearch::Nothing);
                }
                block.start = match start {
                    BoundarySearch::Boundary(start) => Some(start),
                    BoundarySearch::Nothing => None,
                    BoundarySearch::EndOfFile => {
                        block.end = offset;
                        return Ok(());
                    }
                };
                if let Ok(BoundarySearch::Boundary(end)) = find(nominal_end, overlap) {
                    block.end = end;
                }
                Ok(())
            }
            SharedReader::Sequential(source) => {
                let result = {
                    let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
                    source.read(block, part.len)
                };
                let start = boundary.find(&block.bytes, block.offset);
                block.start = start.map(|start| block.offset + start as u64);
                block.end = block.offset + block.bytes.len() as u64;
                result
            }
        }
    }

    /// Copies or reads the bytes of a block from `offset` on, up to `end`, to the start of `space`. Returns their
    /// number, zero at the end of the input.
    ///
    /// # Errors
    ///
    /// Returns the error of reading a file.
    pub fn fill(
        &self,
        space: &mut [u8],
        block: &InputBlock<impl Sized>,
        offset: u64,
        end: u64,
    ) -> io::Result<usize> {
        let mut len = space.len().min(usize::try_from(end - offset).unwrap_or(usize::MAX));
        match &self.shared {
            SharedReader::File(file) => {
                let misalignment = offset % READ_ALIGNMENT;
                if misalignment != 0 {
                    len = len.min((READ_ALIGNMENT - misalignment) as usize);
                }
                file.read_at(&mut space[..len], offset)
            }
            SharedReader::Sequential(_) => {
                let from = (offset - block.offset) as usize;
                space[..len].copy_from_slice(&block.bytes[from..from + len]);
                Ok(len)
            }
        }
    }

    /// Records that this many bytes have been done.
    pub fn count(&self, converted: u64) {
        if let SharedReader::File(file) = &self.shared {
            file.count(converted);
        }
    }
}

/// What was found in a part of a file.
enum BoundarySearch {
    /// A boundary at this offset.
    Boundary(u64),
    Nothing,
    /// The file has no bytes there.
    EndOfFile,
}

/// Finds the first boundary in the `len` bytes of a file at `offset`.
fn find_boundary(
    file: &dyn ReadAt,
    boundary: Boundary,
    buffer: &mut BlockBuffer,
    offset: u64,
    len: usize,
) -> io::Result<BoundarySearch> {
    buffer.clear();
    let mut at = offset;
    while buffer.len() < len {
        match buffer.read_with(|space| file.read_at(space, at), len)? {
            0 => break,
            count => at += count as u64,
        }
    }
    Ok(match boundary.find(buffer, offset) {
        _ if buffer.is_empty() => BoundarySearch::EndOfFile,
        Some(start) => BoundarySearch::Boundary(offset + start as u64),
        None => BoundarySearch::Nothing,
    })
}

impl SequentialReader<'_> {
    fn read(&mut self, block: &mut InputBlock<impl Sized>, block_size: usize) -> io::Result<()> {
        block.bytes.clear();
        (block.index, block.offset) = (self.index, self.offset);
        if self.is_ended {
            return Ok(());
        }
        let result = match &mut self.source {
            BlockSource::File(_) => Ok(()),
            BlockSource::Reader(reader) => block.bytes.read_all(reader, block_size),
            BlockSource::Stream(queue) => queue.next_block(&mut block.bytes),
        };
        self.is_ended = result.is_err() || block.bytes.is_empty();
        if !block.bytes.is_empty() {
            self.index += 1;
            self.offset += block.bytes.len() as u64;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::split::ByteSet;

    /// A file of line feeds whose reads end at multiples of the alignment, except for the first.
    struct AlignedReads;

    impl ReadAt for AlignedReads {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            assert!(offset == 5 || offset % READ_ALIGNMENT == 0, "{offset}");
            buffer.fill(b'\n');
            Ok(buffer.len())
        }
    }

    /// A file of line feeds that counts the bytes read.
    #[derive(Default)]
    struct CountedReads(AtomicUsize);

    impl ReadAt for CountedReads {
        fn read_at(&self, buffer: &mut [u8], _: u64) -> io::Result<usize> {
            buffer.fill(b'\n');
            self.0.fetch_add(buffer.len(), Ordering::Relaxed);
            Ok(buffer.len())
        }
    }

    #[test]
    fn boundaries_of_short_lines_are_found_in_few_bytes() {
        let file = CountedReads::default();
        let boundary = Boundary::Byte { bytes: ByteSet::from_bytes(b"\n"), not_after: None };
        let reader = BlockReader::new(BlockSource::File(&file), 0, boundary);
        let mut block = InputBlock::<()>::default();
        reader.read(&mut block, &BlockPart { index: 1, offset: 1 << 20, len: 1 << 20 }).unwrap();
        assert_eq!((block.start, block.end), (Some((1 << 20) + 1), (2 << 20) + 1));
        let read = file.0.load(Ordering::Relaxed);
        assert!(read <= 2 * OVERLAP, "{read}");
    }

    #[test]
    fn a_block_is_read_at_aligned_offsets_after_the_first() {
        let boundary = Boundary::Byte { bytes: ByteSet::from_bytes(b"\n"), not_after: None };
        let reader = BlockReader::new(BlockSource::File(&AlignedReads), 0, boundary);
        let block = InputBlock { offset: 5, end: 100_000, ..InputBlock::<()>::default() };
        let (mut space, mut offset) = (vec![0; 3 * READ_ALIGNMENT as usize], block.offset);
        while offset < block.end {
            offset += reader.fill(&mut space, &block, offset, block.end).unwrap() as u64;
        }
        assert_eq!(offset, block.end);
    }
}
