//! The command: words in, exit code out. Whatever it does to text, the library does.

pub mod args;
mod check;
pub mod descriptors;
pub mod exit;
mod help;
pub mod job;
mod json;
mod list;
mod pages;
#[cfg_attr(not(test), expect(dead_code, reason = "for what works on files in place"))]
mod paths;
mod report;
pub mod run;
mod signals;
mod suffix;
pub mod verb;
