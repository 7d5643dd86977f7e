//! The documentation: its examples, links, terms and generated files; and what packages contain. Not in the
//! published crate.

#[cfg(unix)]
mod ci_recipes;
#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod comparison;
#[cfg(unix)]
mod cookbook;
mod dependencies;
#[cfg(unix)]
mod examples;
#[cfg(unix)]
mod generated;
#[cfg(unix)]
mod layers;
#[cfg(unix)]
mod links;
mod messages;
mod packaging;
#[cfg(unix)]
mod terms;
#[cfg(unix)]
mod utf7_sizes;
