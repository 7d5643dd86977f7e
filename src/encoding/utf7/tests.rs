//! What UTF-7 and its mailbox form promise.

mod against_reference;
mod decoding;
mod encoding;
mod examples;
mod reference;
mod splits;
