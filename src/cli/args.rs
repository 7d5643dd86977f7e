//! Command-line definition (parsing only; the configuration of each command validates).

use std::ffi::OsString;

use crate::cli::quote::Quoted;
use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches, Id, Parser, Subcommand as _};

use super::check::args::CheckArgs;
use super::color::{self, ColorChoice};
use super::convert::args::ConvertArgs;
use super::detect::args::DetectArgs;
use super::exit::UsageError;
use super::fix::args::FixArgs;
use super::help;
use super::help_topic::HelpTopicArgs;
use super::iconv::{IconvArgs, InstallLinksArgs};
use super::list::ListArgs;
use super::repair::RepairArgs;
use super::shared_args::HelpArgs;
use super::short_help;
use super::show::ShowArgs;
use super::split::SplitArgs;

mod plain;

/// Convert text between encodings
///
/// With `args_conflicts_with_subcommands` only the first argument can be a subcommand, so files of
/// that name remain accessible: `charpipe ./check`, `charpipe -f latin1 check`, `charpipe -- check`.
#[derive(Debug, Parser)]
#[command(
    name = "charpipe",
    version,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true
)]
struct CommandLine {
    #[command(subcommand)]
    subcommand: Option<Subcommand>,

    #[command(flatten)]
    convert: ConvertArgs,
}

/// The commands other than a conversion. With `defer` their options are defined only if they are
/// called or listed, which saves a tenth of the instructions of a start.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
pub enum Subcommand {
    /// Check that files are valid in an encoding
    Check(CheckArgs),
    /// Detect the encoding of files
    Detect(DetectArgs),
    /// Fix the encoding, BOM and line endings of files
    Fix(Box<FixArgs>),
    /// List encodings and their aliases
    List(ListArgs),
    /// Show the characters of a text
    Show(ShowArgs),
    /// Print ranges of a file that can be converted independently
    Split(SplitArgs),
    /// Repair text that was decoded in the wrong encoding
    Repair(Box<RepairArgs>),
    /// Convert text as iconv does
    Iconv(Box<IconvArgs>),
    /// Print help about a topic or a command
    Help(HelpTopicArgs),
    /// Create links to charpipe: iconv
    InstallLinks(InstallLinksArgs),
}

impl Subcommand {
    /// Returns the name of the subcommand whose manual page is requested.
    pub fn requested_man_page(&self) -> Option<&'static str> {
        let (name, other) = self.name_and_options();
        let man = match self {
            Subcommand::Iconv(args) => args.man,
            _ => other.is_some_and(|other| other.man),
        };
        man.then_some(name)
    }

    /// Returns the name, and the options that every command but `iconv` has.
    fn name_and_options(&self) -> (&'static str, Option<&HelpArgs>) {
        match self {
            Subcommand::Check(args) => ("check", Some(&args.other)),
            Subcommand::Detect(args) => ("detect", Some(&args.other)),
            Subcommand::Fix(args) => ("fix", Some(&args.other)),
            Subcommand::List(args) => ("list", Some(&args.other)),
            Subcommand::Show(args) => ("show", Some(&args.other)),
            Subcommand::Split(args) => ("split", Some(&args.other)),
            Subcommand::Repair(args) => ("repair", Some(&args.other)),
            Subcommand::Iconv(_) => ("iconv", None),
            Subcommand::Help(args) => ("help", Some(&args.other)),
            Subcommand::InstallLinks(args) => ("install-links", Some(&args.other)),
        }
    }
}

/// A parsed command line.
#[derive(Debug)]
pub enum ParsedArguments {
    Convert(Box<ConvertArgs>),
    Subcommand(Box<Subcommand>),
    /// The output of `--help` or `--version`.
    Text(String),
}

impl ParsedArguments {
    pub fn color(&self) -> Option<ColorChoice> {
        let other = match self {
            ParsedArguments::Convert(args) => &args.other,
            ParsedArguments::Subcommand(subcommand) => subcommand.name_and_options().1?,
            ParsedArguments::Text(_) => return None,
        };
        Some(other.color())
    }
}

/// Parses a command line.
///
/// # Errors
///
/// Returns [`UsageError`] if the arguments are invalid.
pub fn parse(argv: &[OsString]) -> Result<ParsedArguments, UsageError> {
    if let Some(args) = plain::parse(argv) {
        return Ok(ParsedArguments::Convert(Box::new(args)));
    }
    if let Some(subcommand) = parse_subcommand(argv) {
        return Ok(ParsedArguments::Subcommand(Box::new(subcommand)));
    }
    parse_with_clap(argv)
}

/// Parses the command line of a subcommand without the definition of the options of a conversion, which takes an eighth
/// of the instructions of a start. Returns `None` if this is none, or if it is invalid.
fn parse_subcommand(argv: &[OsString]) -> Option<Subcommand> {
    let name = argv.get(1)?.to_str()?;
    if !Subcommand::has_subcommand(name) {
        return None;
    }
    let command = Command::new("charpipe").args_override_self(true).disable_help_flag(true);
    let command = command.disable_version_flag(true).disable_help_subcommand(true);
    let mut command = Subcommand::augment_subcommands(command);
    let mut matches = command.try_get_matches_from_mut(argv).ok()?;
    let called = called_command(&command, argv);
    let matches_of_called = matches.subcommand().map(|(_, matches)| matches)?;
    let is_valid = find_conflict(called, matches_of_called).is_none()
        && find_detached_suffix(called, argv).is_none();
    let subcommand = is_valid.then(|| Subcommand::from_arg_matches_mut(&mut matches).ok())?;
    std::mem::forget(command);
    subcommand
}

fn parse_with_clap(argv: &[OsString]) -> Result<ParsedArguments, UsageError> {
    let mut command = CommandLine::command();
    let parsed = command.try_get_matches_from_mut(argv).and_then(|mut matches| {
        let called = called_command(&command, argv);
        let matches_of_called = matches.subcommand().map_or(&matches, |(_, matches)| matches);
        let rejected = find_conflict(called, matches_of_called);
        CommandLine::from_arg_matches_mut(&mut matches).map(|line| (line, rejected))
    });
    let parsed = match parsed {
        Ok((_, Some(rejected))) => return Err(UsageError(rejected)),
        Ok((line, None)) => match find_detached_suffix(called_command(&command, argv), argv) {
            Some(rejected) => return Err(UsageError(rejected)),
            None => Ok(line),
        },
        Err(error) => Err(error),
    };
    let error = match parsed {
        Ok(line) => {
            // Freeing the definition would take 5% of the instructions of each start.
            std::mem::forget(command);
            return Ok(match line.subcommand {
                Some(subcommand) => ParsedArguments::Subcommand(Box::new(subcommand)),
                None => ParsedArguments::Convert(Box::new(line.convert)),
            });
        }
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // clap renders the help when it finds the option, so options are hidden before a second run.
            let is_long = argv.iter().any(|word| word == "--help");
            let shown = (!is_long).then(|| {
                let mut command = short_help::with_short_help(CommandLine::command());
                command.try_get_matches_from_mut(argv).err()
            });
            let text = shown.flatten().unwrap_or(error).render();
            Ok(ParsedArguments::Text(match color::stdout_is_colored() {
                true => color::paint_headings(&text.ansi().to_string()),
                false => text.to_string(),
            }))
        }
        ErrorKind::ArgumentConflict => Err(UsageError(conflict_message(&error))),
        _ => {
            command.build();
            let called = called_command(&command, argv);
            let number_reason = number_reason(&error);
            let error = sanitize_error(with_custom_tip(error, called, &command, argv));
            let mut text = error.render().to_string();
            if let Some((original, reason)) = number_reason {
                text = text.replacen(&original, &reason, 1);
            }
            Err(UsageError(without_usage(&text, called)))
        }
    }
}

/// Returns the definition of the command line with all subcommands, from which the manual pages and completions are made.
pub fn command() -> Command {
    let mut command = CommandLine::command();
    command.build();
    command
}

/// Returns the definition of the command or subcommand that this command line calls.
fn called_command<'a>(command: &'a Command, argv: &[OsString]) -> &'a Command {
    let name = argv.get(1).and_then(|argument| argument.to_str());
    name.and_then(|name| command.find_subcommand(name)).unwrap_or(command)
}

// Validation that clap does not do, or does without naming the invalid option.

/// The options that print something and ignore every other argument.
const EXCLUSIVE: [&str; 3] = ["list", "man", "completions"];

/// The options that convert each file separately.
const PER_FILE: &[&str] = &["in_place", "output_dir", "suffix"];

/// The options with which the files of directories and lists are processed.
const OF_SEVERAL_FILES: &[&str] = &["in_place", "output_dir", "suffix", "field"];

/// Options and those of which they require one, where the command has any of these. clap would name
/// only the second.
const REQUIREMENTS: [(&str, &[&str]); 20] = [
    ("backup", &["in_place"]),
    ("dry_run", PER_FILE),
    ("keep_going", PER_FILE),
    ("fail_fast", PER_FILE),
    ("keep_mtime", PER_FILE),
    ("break_hard_links", PER_FILE),
    ("force", PER_FILE),
    ("no_preserve", &["in_place", "output", "output_dir", "suffix"]),
    ("recursive", OF_SEVERAL_FILES),
    ("glob", OF_SEVERAL_FILES),
    ("exclude", OF_SEVERAL_FILES),
    ("hidden", OF_SEVERAL_FILES),
    ("no_ignore", OF_SEVERAL_FILES),
    ("files_from", OF_SEVERAL_FILES),
    ("null", &["files_from", "files_with_findings", "files_without_findings"]),
    ("from", &["text"]),
    ("line_base", &["range"]),
    ("assume_line_start", &["range"]),
    ("start_state", &["range"]),
    ("report", &["range"]),
];

/// The options for files in directories. They require `--recursive` in conversions in place; other
/// commands enter directories without it.
const WALK_OPTIONS: [&str; 4] = ["glob", "exclude", "hidden", "no_ignore"];

/// Returns a message if an option cannot be used with the other arguments, or without one that is missing.
fn find_conflict(command: &Command, matches: &ArgMatches) -> Option<String> {
    let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let ids: Vec<&str> = matches.ids().map(Id::as_str).filter(is_given).collect();
    find_exclusive_conflict(command, matches, &ids)
        .or_else(|| find_missing_requirement(command, &ids))
}

fn converts_in_place(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == "in_place")
}

/// Returns options and those of which they require one, where the command has any of these.
fn requirements(
    command: &Command,
) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let walk_options: &[&str] = if converts_in_place(command) { &WALK_OPTIONS } else { &[] };
    let walk_options = walk_options.iter().map(|option| (*option, &["recursive"][..]));
    REQUIREMENTS.into_iter().chain(walk_options)
}

/// Returns a message if an option is given without one that it requires.
fn find_missing_requirement(command: &Command, ids: &[&str]) -> Option<String> {
    // A diff is a conversion in place that writes nothing.
    let is_diff = converts_in_place(command) && ids.contains(&"diff");
    let mut given = requirements(command).filter(|(option, _)| ids.contains(option));
    given.find_map(|(option, required)| {
        let is_met = |id: &&str| ids.contains(id) || is_diff && PER_FILE.contains(id);
        if required.iter().any(is_met) {
            return None;
        }
        requirement_message(command, option, required)
    })
}

/// Returns the message about an option without one of those that it requires. Returns `None` if the command does not
/// have the option or any of the others.
fn requirement_message(command: &Command, option: &str, required: &[&str]) -> Option<String> {
    let find = |id: &str| command.get_arguments().find(|arg| arg.get_id() == id);
    let required: Vec<_> = required.iter().filter_map(|id| find(id)).map(option_name).collect();
    let (last, first) = required.split_last()?;
    let or = match first.len() {
        0 => "",
        1 => " or ",
        _ => ", or ",
    };
    Some(format!("{} requires {}{or}{last}", option_name(find(option)?), first.join(", ")))
}

/// Returns a message if `--backup` or `-b` is followed by what seems to be its suffix and names no file.
fn find_detached_suffix(command: &Command, argv: &[OsString]) -> Option<String> {
    let pairs = argv.windows(2).take_while(|pair| pair[0] != "--");
    let mut suffixes = pairs.filter_map(|pair| {
        let word = pair[0].to_str()?;
        let is_cluster = word.len() > 1 && word.starts_with('-') && !word.starts_with("--");
        let is_backup = word == "--backup" || is_cluster && word.ends_with('b');
        let suffix = pair[1].to_str().filter(|it| it.starts_with(['.', '~']) && is_backup)?;
        let is_file = suffix.contains('/') || std::fs::symlink_metadata(suffix).is_ok();
        (!is_file && !matches!(suffix, "." | "..")).then_some(suffix)
    });
    let suffix = suffixes.next().filter(|_| has_option(command, "--backup"))?;
    let suffix = Quoted::new(suffix).to_string();
    Some(format!("--backup takes its value after '=': --backup={suffix}"))
}

/// Returns a message if an option that prints something is given together with anything else.
fn find_exclusive_conflict(
    command: &Command,
    matches: &ArgMatches,
    ids: &[&str],
) -> Option<String> {
    if !ids.iter().any(|id| EXCLUSIVE.contains(id)) {
        return None;
    }
    let is_given = |arg: &&Arg| !arg.is_hide_set() && ids.contains(&arg.get_id().as_str());
    let mut given: Vec<_> = command.get_arguments().filter(is_given).collect();
    let exclusive = given.iter().position(|arg| EXCLUSIVE.contains(&arg.get_id().as_str()))?;
    let exclusive = given.remove(exclusive);
    // It may be part of an alias of the shell.
    given.retain(|arg| arg.get_id() != "color");
    let option = option_name(exclusive);
    // Operands are defined last.
    let other = given.first()?;
    if !other.is_positional() {
        return Some(format!("{option} cannot be used with {}", option_name(other)));
    }
    let operand = matches.get_raw(other.get_id().as_str())?.next()?;
    let is_value = |value: &PossibleValue| *value.get_name() == *operand;
    let quoted = Quoted::new(operand);
    Some(match exclusive.get_possible_values().iter().any(is_value) {
        true => format!("{option} takes its value after '=': {option}={quoted}"),
        false => format!("{option} cannot be used with an operand (\"{quoted}\")"),
    })
}

/// Returns the long name of an option, or else the short one, with hyphens.
fn option_name(arg: &Arg) -> String {
    let short = || arg.get_short().map(|short| format!("-{short}"));
    arg.get_long().map(|long| format!("--{long}")).or_else(short).unwrap_or_default()
}

/// Returns clap's message as two lines: what is wrong, and the values or a tip.
fn without_usage(text: &str, called: &Command) -> String {
    let is_message = |line: &&str| !line.trim().is_empty();
    let (message, _) = text.split_once("\nUsage:").unwrap_or((text, ""));
    let (message, _) = message.split_once("\nFor more information").unwrap_or((message, ""));
    let mut lines: Vec<_> = message.lines().filter(is_message).collect();
    let tip = format!(
        "  tip: '{} -h' shows the options",
        called.get_display_name().unwrap_or("charpipe")
    );
    if lines.len() == 1 {
        lines.push(&tip);
    }
    lines.join("\n")
}

/// Returns clap's message about conflicting options in one line, without placeholders.
fn conflict_message(error: &clap::Error) -> String {
    let name = |kind| match error.get(kind) {
        Some(ContextValue::String(arg)) => arg.split(' ').next().unwrap_or_default().to_owned(),
        Some(ContextValue::Strings(args)) => args.join(", "),
        _ => "another option".to_owned(),
    };
    format!("{} cannot be used with {}", name(ContextKind::InvalidArg), name(ContextKind::PriorArg))
}

/// Replaces clap's tips. It would suggest passing any unknown option as a file name, and finds
/// values similar that have nothing in common; it lists all values anyway.
fn with_custom_tip(
    mut error: clap::Error,
    called: &Command,
    root: &Command,
    argv: &[OsString],
) -> clap::Error {
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::SuggestedValue);
    if let Some(tip) = backup_tip(&error, called, argv) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let suggested = error.get(ContextKind::SuggestedArg);
    let is_similar =
        matches!(suggested, Some(ContextValue::String(known)) if is_similar(known, option, called));
    let tip = suggest(option, called, root);
    if tip.is_some() || !is_similar {
        error.remove(ContextKind::SuggestedArg);
    }
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns a tip if `--in-place` was given the suffix of a backup, as in sed and perl.
fn backup_tip(error: &clap::Error, called: &Command, argv: &[OsString]) -> Option<String> {
    if !(has_option(called, "--in-place") && has_option(called, "--backup")) {
        return None;
    }
    let value = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let invalid = value(ContextKind::InvalidArg)?;
    let suffix = match error.kind() {
        ErrorKind::TooManyValues if invalid.contains("--in-place") => {
            value(ContextKind::InvalidValue)?.to_owned()
        }
        ErrorKind::UnknownArgument if invalid.starts_with('-') && !invalid.starts_with("--") => {
            let suffixes = argv.iter().filter_map(|word| word.to_str()?.strip_prefix("-i"));
            let mut suffixes = suffixes.map(|text| text.strip_prefix('=').unwrap_or(text));
            suffixes.find(|text| text.starts_with(['.', '~', '_']))?.to_owned()
        }
        _ => return None,
    };
    Some(format!("use --in-place --backup={}", Quoted::new(&suffix)))
}

/// Returns the reason why a value is not accepted as a number, in the words of the standard library and
/// clap, and in those of a user.
fn number_reason(error: &clap::Error) -> Option<(String, String)> {
    let source = std::error::Error::source(error)?;
    let text = source.to_string();
    let reason = match text.split_once(" is not in ").and_then(|(_, range)| range.split_once(".."))
    {
        Some((low, high)) if high.len() > 9 => format!("expected a number, at least {low}"),
        Some((low, high)) => {
            format!("expected a number from {low} to {}", high.trim_start_matches('='))
        }
        None if source.is::<std::num::ParseIntError>() => "expected a number".to_owned(),
        None => return None,
    };
    Some((text, reason))
}

/// Quotes every argument that the error shows. clap drops some control characters and breaks lines
/// at a line feed, even those of an argument.
fn sanitize_error(mut error: clap::Error) -> clap::Error {
    let unsafe_values: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) if !Quoted::new(text).is_plain() => {
                Some((kind, Quoted::new(text).to_string()))
            }
            _ => None,
        })
        .collect();
    for (kind, text) in unsafe_values {
        error.insert(kind, ContextValue::String(text));
    }
    error
}

// Suggestions for unknown options.

/// Options of other programs, the id of the equivalent option, and how to write that.
const FOREIGN_OPTIONS: [(&str, &str, &str); 13] = [
    ("--fix", "diff", "'charpipe fix'"),
    ("--mime-encoding", "name", "--name"),
    ("--language", "lang", "--lang"),
    ("-L", "lang", "--lang"),
    ("-i", "name", "--name"),
    ("--include", "glob", "--glob GLOB"),
    ("--encoding", "from", "--from"),
    ("--from", "encoding", "--encoding"),
    ("-f", "encoding", "--encoding"),
    ("-t", "encoding", "--encoding"),
    ("--format", "json", "--json"),
    ("--json", "format", "--format=json"),
    ("--jsonl", "format", "--format=jsonl"),
];

/// What users write in conversions, and the option and value for it.
const FOREIGN_CONVERSION_OPTIONS: [(&[&str], &str); 16] = [
    (&["--strip-bom", "--remove-bom", "--no-bom"], "--bom strip"),
    (&["--add-bom"], "--bom add"),
    (&["--lf", "--unix", "--dos2unix"], "--newline lf"),
    (&["--crlf", "--dos", "--windows", "--unix2dos"], "--newline crlf"),
    (&["--cr", "--mac"], "--newline cr"),
    (&["--eol", "--line-endings", "--newlines"], "--newline lf, crlf or cr"),
    (&["--nfc"], "--normalize nfc"),
    (&["--nfd"], "--normalize nfd"),
    (&["--nfkc"], "--normalize nfkc"),
    (&["--nfkd"], "--normalize nfkd"),
    (&["--translit", "--transliterate"], "--to ENCODING//TRANSLIT"),
    (&["--ignore", "--discard"], "-c"),
    (&["--auto"], "--from auto"),
    (&["--detect", "--guess"], "--from detect"),
    (&["-w", "--write"], "--in-place"),
    (&["-x"], "--via, as in --via nfc"),
];

/// Returns a tip about an unknown option if the command has an equivalent, or another command has
/// this option.
fn suggest(option: &str, called: &Command, root: &Command) -> Option<String> {
    let is_equivalent = |(foreign, own, _): &&(&str, &str, &str)| {
        *foreign == option && has_option(called, &format!("--{own}"))
    };
    if let Some((_, _, written)) = FOREIGN_OPTIONS.iter().find(is_equivalent) {
        return Some(format!("use {written}"));
    }
    let is_conversion = has_option(called, "--via");
    let written = |(names, _): &&(&[&str], &str)| is_conversion && names.contains(&option);
    if let Some((_, written)) = FOREIGN_CONVERSION_OPTIONS.iter().find(written) {
        return Some(format!("use {written}"));
    }
    let names = std::iter::once("'charpipe' without a subcommand".to_owned())
        .chain(root.get_subcommands().map(|it| format!("'charpipe {}'", it.get_name())));
    let commands = std::iter::once(root).chain(root.get_subcommands());
    let owners: Vec<_> = names
        .zip(commands)
        .filter(|(_, command)| has_option(command, option))
        .map(|(name, _)| name)
        .collect();
    let (last, first) = owners.split_last()?;
    let separator = if first.is_empty() { "" } else { " and " };
    Some(format!("{option} is an option of {}{separator}{last}", first.join(", ")))
}

/// Returns whether an unknown option is a prefix of this one, or has a letter or two mistyped.
/// Hidden options are never suggested.
fn is_similar(known: &str, option: &str, command: &Command) -> bool {
    if command.get_arguments().any(|arg| arg.is_hide_set() && matches_flag(arg, known)) {
        return false;
    }
    let [known, option] = [known, option].map(|text| text.trim_start_matches('-'));
    let is_prefix = option.len() > 2 && known.starts_with(option);
    let distance = strsim::damerau_levenshtein(known, option);
    is_prefix || known.chars().next() == option.chars().next() && distance <= option.len() / 3
}

fn has_option(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|arg| !arg.is_hide_set() && matches_flag(arg, option))
}

/// Returns whether `option`, with its hyphens, names this argument.
fn matches_flag(arg: &Arg, option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(long) => arg.get_long_and_visible_aliases().unwrap_or_default().contains(&long),
        None => {
            let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
            option.strip_prefix('-').is_some_and(|name| {
                shorts.iter().any(|short| name == short.encode_utf8(&mut [0; 4]))
            })
        }
    }
}

#[cfg(test)]
mod page_of_messages;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::subcommand_names;

    fn is_subcommand(arguments: &[&str]) -> bool {
        let argv: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        matches!(parse(&argv), Ok(ParsedArguments::Subcommand(_)))
    }

    #[test]
    fn definition_is_consistent() {
        assert!(
            command().get_subcommands().map(Command::get_name).eq(subcommand_names::SUBCOMMANDS)
        );
        command().debug_assert();
    }

    #[test]
    fn only_the_first_argument_is_a_subcommand() {
        assert!(is_subcommand(&["charpipe", "check", "a"]));
        for arguments in [
            &["charpipe", "a", "check"][..],
            &["charpipe", "./check"],
            &["charpipe"],
            &[],
            &["charpipe", "-f", "latin1", "check"],
            &["charpipe", "-v", "check"],
            &["charpipe", "--", "check"],
            &["charpipe", "Check"],
            &["charpipe", "chec"],
        ] {
            assert!(!is_subcommand(arguments), "{arguments:?}");
        }
    }

    #[test]
    fn options_without_effect_are_rejected() {
        for (arguments, message) in [
            (
                &["charpipe", "check", "--null"][..],
                "--null requires --files-from, --files-with-findings, or --files-without-findings",
            ),
            (&["charpipe", "detect", "--null"], "--null requires --files-from"),
            (&["charpipe", "-i", "--null"], "--null requires --files-from"),
            (&["charpipe", "repair", "-i", "--hidden"], "--hidden requires --recursive"),
            (&["charpipe", "repair", "--diff", "--glob=*"], "--glob requires --recursive"),
            (
                &["charpipe", "--glob", "*"],
                "--glob requires --in-place, --output-dir, --suffix, or --field",
            ),
            (&["charpipe", "--output-dir", "d", "--glob", "*"], "--glob requires --recursive"),
            (
                &["charpipe", "--no-preserve=owner"],
                "--no-preserve requires --in-place, --output, --output-dir, or --suffix",
            ),
            (&["charpipe", "-b", "--suffix", "~", "a"], "--backup requires --in-place"),
            (&["charpipe", "-i", "--suffix", "~"], "--in-place cannot be used with --suffix"),
            (
                &["charpipe", "-i", "--output-dir", "d"],
                "--in-place cannot be used with --output-dir",
            ),
            (
                &["charpipe", "-o", "a", "--output-dir", "d"],
                "--output cannot be used with --output-dir",
            ),
            (&["charpipe", "-i", "--glob", "*"], "--glob requires --recursive"),
            (&["charpipe", "--backup"], "--backup requires --in-place"),
            (&["charpipe", "-i", "-o", "a", "b"], "--in-place cannot be used with --output"),
        ] {
            let argv: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert_eq!(parse(&argv).unwrap_err().to_string(), message);
        }
    }
}
