//! `charpipe`: converts text between encodings, as a filter.

mod cli;

use std::process::ExitCode;

use cli::{args, closed_stdio, config, convert, exit, subcommand};

fn main() -> ExitCode {
    exit::install_panic_hook();
    let closed = closed_stdio::closed_at_start();
    let argv: Vec<_> = std::env::args_os().collect();
    let outcome = match subcommand::find(&argv) {
        Some((subcommand, words)) => (subcommand.run)(words, closed),
        None => args::parse(&argv)
            .map_err(anyhow::Error::from)
            .and_then(config::from_args)
            .and_then(|job| convert::run(&job, closed)),
    };
    exit::exit_with(outcome)
}
