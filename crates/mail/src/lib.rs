//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Mail: encoded-words and parameters in header fields (RFC 2047, RFC 2231), and header fields in messages.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * [`message_scanner`], [`header_block`]: where header fields are
//! * [`rfc2047`]: encoded-words and parameters
//! * [`field_filter`], [`unfold`]: transforms of messages

#![forbid(unsafe_code)]

pub mod field_filter;
pub mod header_block;
pub mod message_scanner;
pub mod rfc2047;
pub mod unfold;
