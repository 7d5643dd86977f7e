//! `charpipe`: converts text between encodings.

mod cli;

use std::process::ExitCode;

use cli::{args, closed_stdio, config, convert, exit};

fn main() -> ExitCode {
    exit::install_panic_hook();
    let closed = closed_stdio::closed_at_start();
    let argv: Vec<_> = std::env::args_os().collect();
    let outcome = args::parse(&argv)
        .map_err(anyhow::Error::from)
        .and_then(config::from_args)
        .and_then(|command| convert::run(&command, closed));
    exit::exit_with(outcome)
}
