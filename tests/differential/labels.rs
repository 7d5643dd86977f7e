//! Names of encodings and their options: each finds what it names, and nothing else.

mod aliases;
mod iconv_names;
mod left_out;
mod other_implementations;
mod programs;
mod suggestions;
mod vendor_prefixes;
