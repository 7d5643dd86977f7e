//! What a conversion promises whatever its charsets: the same output, faults and places in blocks
//! of any size, with direct pairs and without.

mod corpus;
mod pairs;
mod places;
#[path = "../contract/random.rs"]
mod random;
mod run;
mod vectors;
