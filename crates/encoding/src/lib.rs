//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Encodings and the contract of their codecs.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * [`line_ending`], [`coder_result`], [`short_text`]
//! * [`codec`], [`conversion_error`], [`error_handler`], [`error`], [`encoding`], [`bom`], [`codec_cache`], [`decoder`], [`encoder`]: the
//!   contract is [`codec`], an [`Encoding`] makes codecs and errors name encodings

#![forbid(unsafe_code)]

pub mod bom;
pub mod codec;
pub mod codec_cache;
pub mod coder_result;
pub mod conversion_error;
pub mod decoder;
pub mod encoder;
pub mod encoding;
pub mod error;
pub mod error_handler;
pub mod line_ending;
pub mod short_text;

pub use coder_result::CoderResult;
pub use conversion_error::{ActionTaken, ErrorEvent, ErrorKind, MalformedReason, Position};
pub use decoder::{Decoder, MalformedError};
pub use encoder::{Encoder, UnmappableError};
#[doc(no_inline)]
pub use encoding::constants::*;
pub use encoding::{Alias, Encoding, MixedCount, MixedCounts, MixedUnit};
pub use error::{ConversionError, Error};
