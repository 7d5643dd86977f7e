//! What a conversion promises whatever its charsets: the same output, faults and places in blocks
//! of any size.

mod places;
mod run;
mod vectors;
