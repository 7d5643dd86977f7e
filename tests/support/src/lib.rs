//! What the tests of several crates of charpipe share.

mod rng;

pub use rng::{XorShift, random};
