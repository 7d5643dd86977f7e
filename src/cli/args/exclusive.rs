//! Options that print a page: nothing else on the command line would have an effect.

use charpipe::quote::Quoted;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

const PRINT_OPTIONS: [&str; 3] = ["list", "man", "completions"];
const OPERANDS_ID: &str = "files";

/// What is wrong if one of these options is given together with anything else.
pub fn find_conflict(command: &Command, matches: &ArgMatches) -> Option<String> {
    let is_given = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        !arg.is_hide_set() && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let mut given: Vec<_> = command.get_arguments().filter(is_given).collect();
    let printing = given.iter().position(|arg| PRINT_OPTIONS.contains(&arg.get_id().as_str()))?;
    let printing = given.remove(printing);
    let other = given.first()?;
    let option = option_name(printing);
    if other.get_id() != OPERANDS_ID {
        return Some(format!("{option} cannot be used with {}", option_name(other)));
    }
    let operand = matches.get_raw(OPERANDS_ID)?.next()?;
    let is_value = |value: &clap::builder::PossibleValue| *value.get_name() == *operand;
    let quoted = Quoted::new(operand);
    Some(match printing.get_possible_values().iter().any(is_value) {
        true => format!("{option} takes its value after '=': {option}={quoted}"),
        false => format!("{option} cannot be used with an operand (\"{quoted}\")"),
    })
}

/// The option as it is written.
fn option_name(arg: &Arg) -> String {
    let short = || arg.get_short().map(|short| format!("-{short}"));
    arg.get_long().map(|long| format!("--{long}")).or_else(short).unwrap_or_default()
}
