//! Compares the split rule of each encoding with the behavior of its codecs: the rules are derived from the
//! states that decoders and encoders reach, and files are converted in parts and as a whole.
//!
//! `CHARPIPE_TEST_EXHAUSTIVE=1` explores more configurations and converts more files.

mod exploration;
mod matrix;
mod offsets;
mod parallel;
mod parallel_transcoder;
mod parts;
mod ranges;
mod rules;
mod texts;
