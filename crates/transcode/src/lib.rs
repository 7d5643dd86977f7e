//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Chains of encodings and transforms: what a user writes, the transcoder that runs it, and its error
//! policies.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * [`header`], [`error_policy`], [`transform_spec`]
//! * [`chain_spec`], [`encoding_list`], [`options`], [`io`], [`transcoder`]: what a user writes, and what runs it
//! * [`decode_reader`], [`split`]
//! * [`block_pool`]
//! * [`parallel`]

#![forbid(unsafe_code)]

pub mod block_pool;
pub mod chain_spec;
pub mod decode_reader;
pub mod encoding_list;
pub mod error_policy;
pub mod header;
pub mod io;
pub mod options;
pub mod parallel;
pub mod split;
pub mod transcoder;
pub mod transform_spec;

pub use chain_spec::ChainStep;
pub use decode_reader::DecodeReader;
pub use error_policy::{ErrorAction, EscapeStyle};
pub use io::{ErrorCounts, TranscodeReader, TranscodeWriter, transcode};
pub use options::{BomPolicy, EncodingSpec, TranscodeOptions};
pub use transcoder::{ErrorReporter, Transcoder};
pub use transform_spec::TransformSpec;
