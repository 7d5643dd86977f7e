//! What UTF-7 and its mailbox form promise.

mod agreement;
mod cuts;
mod decoding;
mod encoding;
mod examples;
mod twin;
