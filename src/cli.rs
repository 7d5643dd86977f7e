//! The command: words in, exit code out. Whatever it does to text, the library does.

pub mod args;
mod check;
pub mod descriptors;
mod detect;
pub mod exit;
mod help;
mod in_place;
pub mod job;
mod json;
mod list;
mod memory;
mod order;
mod pages;
mod paths;
mod progress;
mod remedy;
mod report;
pub mod run;
mod signals;
mod suffix;
mod terminal;
mod turn;
mod unknown;
pub mod verb;
