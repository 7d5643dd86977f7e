//! Encodings with tables, checked against the complete maps of other converters, both ways.
//!
//! `README.md` says where the maps come from and describes their format. `xtask` reads them, since the
//! tables of multi-byte encodings are made from them.

mod archive;
mod multi_byte;
mod single;
mod stateful;
mod tscii;
mod vendor_differences;
mod vendor_prefixes;
