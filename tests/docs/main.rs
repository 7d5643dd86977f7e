//! The documentation: its examples, links, terms and generated files.

#![cfg(unix)]

mod ci_recipes;
mod commands;
mod cookbook;
mod examples;
mod generated;
mod layers;
mod links;
mod programs;
mod terms;
mod utf7_sizes;
