//! Encodings with tables against the truth: the whole map of each, both ways.
//!
//! `README.md` beside this file says where the maps come from and how they are written.

mod archive;
mod map;
mod multi_byte;
mod multi_byte_tables;
mod single;
mod single_byte_tables;
mod stateful;
mod tscii;
mod vendor_differences;
mod vendor_prefixes;
