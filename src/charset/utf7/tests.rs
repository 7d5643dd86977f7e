//! What UTF-7 and its mailbox form promise.

mod agreement;
mod decoding;
mod driver;
mod encoding;
mod samples;
mod twin;
