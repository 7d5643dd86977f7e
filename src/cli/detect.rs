//! `charpipe detect`: says what files are, and in which encodings.

pub mod args;
mod form;
mod help;
pub mod run;
