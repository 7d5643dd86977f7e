//! The shared driver of codecs, with the allocations of each call counted.

use crate::allocation;
use crate::codec_driver::{self, CallObserver, TestCodec};
pub use crate::codec_driver::{Chunking, CodecCall, OutputSpace, Transcript, single_chunk};

/// Passes `input` to a codec, as [`codec_driver::drive`] does.
pub fn drive(
    codec: &mut TestCodec,
    input: &[u8],
    chunking: &Chunking,
    observe: &mut CallObserver,
) -> Result<Transcript, String> {
    codec_driver::drive(codec, input, chunking, allocation::count, observe)
}
