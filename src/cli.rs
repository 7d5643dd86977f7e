//! The command: words in, exit code out. Whatever it does to text, the library does.

pub mod args;
pub mod descriptors;
pub mod exit;
mod help;
pub mod job;
mod list;
mod pages;
mod report;
pub mod run;
mod signals;
mod suffix;
