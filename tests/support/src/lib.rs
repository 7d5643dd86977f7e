//! What the tests of several crates of charpipe share.

#[cfg(all(unix, feature = "processes"))]
mod closed_pipe;
mod exhaustive;
#[cfg(feature = "processes")]
mod programs;
mod report;
#[cfg(feature = "processes")]
mod requirement;
mod rng;
#[cfg(feature = "processes")]
pub mod watch;

#[cfg(all(unix, feature = "processes"))]
pub use closed_pipe::closed_pipe;
pub use exhaustive::{is_exhaustive, sample_count, sample_stride};
#[cfg(feature = "processes")]
pub use programs::is_installed;
pub use report::report;
#[cfg(feature = "processes")]
pub use requirement::{Requirement, is_superuser, missing, require};
pub use rng::{XorShift, random};
