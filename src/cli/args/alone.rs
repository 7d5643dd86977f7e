//! Options that print a page: nothing else on the command line would have an effect.

use charpipe::quote::Quoted;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

const PRINTING: [&str; 3] = ["list", "man", "completions"];
const OPERANDS: &str = "files";

/// What is wrong if one of these options is given together with anything else.
pub fn conflict(command: &Command, matches: &ArgMatches) -> Option<String> {
    let is_given = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        !arg.is_hide_set() && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let mut given: Vec<_> = command.get_arguments().filter(is_given).collect();
    let printing = given.iter().position(|arg| PRINTING.contains(&arg.get_id().as_str()))?;
    let printing = given.remove(printing);
    let other = given.first()?;
    let option = name(printing);
    if other.get_id() != OPERANDS {
        return Some(format!("{option} cannot be used with {}", name(other)));
    }
    let operand = matches.get_raw(OPERANDS)?.next()?;
    let is_value = |value: &clap::builder::PossibleValue| *value.get_name() == *operand;
    let quoted = Quoted::new(operand);
    Some(match printing.get_possible_values().iter().any(is_value) {
        true => format!("{option} takes its value after '=': {option}={quoted}"),
        false => format!("{option} cannot be used with an operand (\"{quoted}\")"),
    })
}

/// The option as it is written.
fn name(arg: &Arg) -> String {
    let short = || arg.get_short().map(|short| format!("-{short}"));
    arg.get_long().map(|long| format!("--{long}")).or_else(short).unwrap_or_default()
}
