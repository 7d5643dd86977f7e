//! Conversions between any encodings: the same output, errors and positions with buffers
//! of any size, with the zero-copy paths and without.

mod bulk_errors;
mod cuts;
mod driver;
mod in_place;
mod inputs;
mod keep;
mod order;
mod positions;
mod steps;
mod vectors;
