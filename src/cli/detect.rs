//! `charpipe detect`: says what files are, and in which encodings.

pub mod args;
mod help;
mod output;
pub mod run;
