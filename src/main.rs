//! `charpipe`: converts text between encodings, as a filter.

mod cli;

use std::process::ExitCode;

use cli::{args, descriptors, exit, job, run, verb};

fn main() -> ExitCode {
    exit::never_panic();
    let closed = descriptors::closed_at_start();
    let words: Vec<_> = std::env::args_os().collect();
    let outcome = match verb::find(&words) {
        Some((verb, words)) => (verb.run)(words, closed),
        None => args::parse(&words)
            .map_err(anyhow::Error::from)
            .and_then(job::resolve)
            .and_then(|job| run::run(&job, closed)),
    };
    exit::with(outcome)
}
