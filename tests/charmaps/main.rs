//! Charsets with tables against the truth: the whole map of each, both ways.
//!
//! `README.md` beside this file says where the maps come from and how they are written.

mod archive;
mod codes;
mod differences;
mod grids;
mod map;
mod prefixed;
mod sheet;
mod shifts;
mod single;
mod tscii;
