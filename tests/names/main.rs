//! Names of charsets and their options: each finds what it names, and nothing else.

mod elsewhere;
mod flavours;
mod options;
mod own;
mod programs;
mod suggestions;
