//! The command: from arguments to an exit code. The library does all processing of text.

pub mod args;
mod check;
pub mod closed_stdio;
mod completions;
pub mod config;
pub mod convert;
mod detect;
pub mod exit;
mod help;
mod in_place;
mod input_encoding;
mod json;
mod list;
mod manpage;
mod memory;
mod messages;
mod ordered_messages;
mod paths;
mod progress;
mod signals;
mod terminal;
