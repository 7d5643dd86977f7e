//! What the tests of several crates of charpipe share.

#[cfg(all(unix, feature = "processes"))]
mod closed_pipe;
mod rng;
#[cfg(feature = "processes")]
pub mod watch;

#[cfg(all(unix, feature = "processes"))]
pub use closed_pipe::closed_pipe;
pub use rng::{XorShift, random};
