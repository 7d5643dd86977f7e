//! Conversions by the library: the transcoder, readers and writers, ranges, the checker.

mod check;
mod conversion;
mod io;
mod reference_model;
mod split;
