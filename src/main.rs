//! `charpipe`: converts text between encodings, as a filter.

mod cli;

use std::process::ExitCode;

use cli::{args, descriptors, exit, job, run};

fn main() -> ExitCode {
    exit::never_panic();
    let closed = descriptors::closed_at_start();
    let outcome = args::parse(std::env::args_os())
        .map_err(anyhow::Error::from)
        .and_then(job::resolve)
        .and_then(|job| run::run(&job, closed));
    exit::with(outcome)
}
