//! What a conversion promises whatever its charsets: the same output, faults and places in blocks
//! of any size, with text used where it stands and without.

mod corpus;
mod crowds;
mod in_place;
mod keep;
mod order;
mod places;
#[path = "../contract/random.rs"]
mod random;
mod run;
mod vectors;
