//! Blocks of the input.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::block_buffer::BlockBuffer;
use super::boundary::Boundary;
use super::event_log::EventLog;
use super::stream::StreamQueue;
use crate::transcoder::Transcoder;
use charpipe_encoding::codec::State;

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

/// A block of the input, and what it was converted to. Blocks are used again with their buffers.
#[derive(Default)]
pub(super) struct Block {
    pub index: u64,
    /// The offset in the input.
    pub offset: u64,
    /// The offset of its end.
    pub end: u64,
    /// The offset of the first boundary.
    pub start: Option<u64>,
    /// The bytes, unless they are read from a file while they are converted.
    pub bytes: BlockBuffer,
    /// What was converted ahead.
    pub ahead: Option<Ahead>,
    /// The transcoder that converts it ahead, and keeps its output.
    pub transcoder: Option<Transcoder>,
}

/// The end of a block that was converted ahead.
pub(super) struct Ahead {
    /// The offset where the conversion ended: the end of the block unless it was its turn before, or there
    /// was too much output.
    pub end: u64,
    /// The assumed state at its start.
    pub assumed: Arc<[State]>,
    pub log: EventLog,
    /// Whether an error stopped it, or more output or errors than are kept.
    pub is_stopped: bool,
}

/// The part of the input that a thread takes. Those of a reader have an index, an offset and a length of
/// their own.
pub(super) struct Part {
    pub index: u64,
    pub offset: u64,
    pub len: usize,
}

/// What threads read blocks from.
pub(super) enum BlockReader<'a> {
    File { file: &'a dyn ReadAt, boundary: Boundary },
    Sequential { source: Mutex<SequentialReader<'a>>, boundary: Boundary },
}

/// Reads one block after the other.
pub(super) struct SequentialReader<'a> {
    source: BlockSource<'a>,
    offset: u64,
    index: u64,
    is_ended: bool,
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(source: BlockSource<'a>, offset: u64, boundary: Boundary) -> BlockReader<'a> {
        match source {
            BlockSource::File(file) => BlockReader::File { file, boundary },
            source => {
                let source = SequentialReader { source, offset, index: 0, is_ended: false };
                BlockReader::Sequential { source: Mutex::new(source), boundary }
            }
        }
    }

    /// Begins a block: finds its boundaries in a file, or reads the next block otherwise. It is empty at the
    /// end of the input.
    pub(super) fn read(&self, block: &mut Block, part: &Part) -> io::Result<()> {
        match self {
            BlockReader::File { file, boundary } => {
                let Part { index, offset, len } = *part;
                let nominal_end = offset + len as u64;
                let overlap = OVERLAP.min(len);
                let bytes = &mut block.bytes;
                let mut find = |offset, len| find_boundary(*file, *boundary, bytes, offset, len);
                (block.index, block.offset, block.end) = (index, offset, nominal_end);
                // Errors of reads will occur again in the turn of the block.
                let mut start = find(offset, overlap).unwrap_or(Found::Nothing);
                if matches!(start, Found::Nothing) && len > overlap {
                    // Lines are long.
                    start = find(offset, len).unwrap_or(Found::Nothing);
                }
                block.start = match start {
                    Found::Boundary(start) => Some(start),
                    Found::Nothing => None,
                    Found::EndOfFile => {
                        block.end = offset;
                        return Ok(());
                    }
                };
                if let Ok(Found::Boundary(end)) = find(nominal_end, overlap) {
                    block.end = end;
                }
                Ok(())
            }
            BlockReader::Sequential { source, boundary } => {
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

    /// Fills the input buffer of `transcoder` with the bytes of a block from `offset` on, up to `end`.
    /// Returns their number, zero at the end of the input.
    pub(super) fn fill(
        &self,
        transcoder: &mut Transcoder,
        block: &Block,
        offset: u64,
        end: u64,
    ) -> io::Result<usize> {
        let space = transcoder.input_buffer();
        let mut len = space.len().min(usize::try_from(end - offset).unwrap_or(usize::MAX));
        match self {
            BlockReader::File { file, .. } => {
                let misalignment = offset % READ_ALIGNMENT;
                if misalignment != 0 {
                    len = len.min((READ_ALIGNMENT - misalignment) as usize);
                }
                file.read_at(&mut space[..len], offset)
            }
            BlockReader::Sequential { .. } => {
                let from = (offset - block.offset) as usize;
                space[..len].copy_from_slice(&block.bytes[from..from + len]);
                Ok(len)
            }
        }
    }

    /// Records that this many bytes have been converted.
    pub(super) fn count(&self, converted: u64) {
        if let BlockReader::File { file, .. } = self {
            file.count(converted);
        }
    }
}

/// What was found in a part of a file.
enum Found {
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
) -> io::Result<Found> {
    buffer.clear();
    let mut at = offset;
    while buffer.len() < len {
        match buffer.read_with(|space| file.read_at(space, at), len)? {
            0 => break,
            count => at += count as u64,
        }
    }
    Ok(match boundary.find(buffer, offset) {
        _ if buffer.is_empty() => Found::EndOfFile,
        Some(start) => Found::Boundary(offset + start as u64),
        None => Found::Nothing,
    })
}

impl SequentialReader<'_> {
    fn read(&mut self, block: &mut Block, block_size: usize) -> io::Result<()> {
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
