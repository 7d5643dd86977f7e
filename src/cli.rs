//! The command: words in, exit code out. Whatever it does to text, the library does.

pub mod args;
mod check;
pub mod closed_stdio;
pub mod config;
pub mod convert;
mod detect;
pub mod exit;
mod help;
mod hints;
mod iconv_suffix;
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
pub mod subcommand;
mod terminal;
mod unknown_encoding;
