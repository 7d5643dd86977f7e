//! `charpipe help TOPIC`: pages about what several options have in common, and the long help of commands.

use std::ffi::OsString;

use anyhow::Result;
use clap::Command;
use clap::builder::{PossibleValuesParser, Resettable};

use super::args::{self, ParsedArguments};
use super::exit::ExitStatus;
use super::shared_args::HelpArgs;
use super::streams::print;
use super::subcommand_names::SUBCOMMANDS;

/// A page of `charpipe help`: a text, and the options that it is about.
struct Topic {
    name: &'static str,
    text: &'static str,
    /// The ids of options of the conversion.
    options: &'static [&'static str],
}

const TOPICS: &[Topic] = &[
    Topic {
        name: "chains",
        text: include_str!("help_topic/chains.txt"),
        options: &["via", "chain", "newline", "normalize"],
    },
    Topic {
        name: "errors",
        text: include_str!("help_topic/errors.txt"),
        options: &["on_error", "on_invalid", "on_unmappable", "discard", "quiet", "verbose"],
    },
    Topic {
        name: "detect",
        text: include_str!("help_topic/detect.txt"),
        options: &[
            "fix_declaration",
            "default_encoding",
            "min_confidence",
            "accept_guess",
            "lang",
            "tld",
        ],
    },
    Topic {
        name: "mail",
        text: include_str!("help_topic/mail.txt"),
        options: &["field", "unfold", "headers_only", "strict"],
    },
    Topic {
        name: "ranges",
        text: include_str!("help_topic/ranges.txt"),
        options: &["range", "line_base", "assume_line_start", "start_state", "report"],
    },
];

/// The width of a page, in columns.
const WIDTH: usize = 80;

const ABOUT: &str = "\
Print help about a topic or a command

The topics are chains (forms of text, and steps between encodings), errors (what happens to invalid and \
unmappable text), detect (how an encoding is determined), mail (header fields and bodies), and ranges \
(parts of large files). With the name of a command its --help is printed.";

const AFTER: &str = "\
Exit code:
  0  the page was printed
  2  there is no such page, invalid usage, or a write error

Examples:
  charpipe help errors
      Print the page about invalid and unmappable text.
  charpipe help check
      Print the options of charpipe check.";

const USAGE: &str = "charpipe help [chains | errors | detect | mail | ranges | COMMAND]";

/// Print help about a topic or a command
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe help",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct HelpTopicArgs {
    /// chains, errors, detect, mail, ranges, or a command
    #[arg(value_name = "TOPIC", value_parser = names(), hide_possible_values = true)]
    topic: Option<String>,

    #[command(flatten)]
    pub other: HelpArgs,
}

/// Returns the names of topics and of commands. `detect` is both.
fn names() -> PossibleValuesParser {
    let topics = TOPICS.iter().map(|topic| topic.name).filter(|name| !SUBCOMMANDS.contains(name));
    topics.chain(SUBCOMMANDS).collect::<Vec<_>>().into()
}

/// Prints a page, or without a topic what `charpipe -h` prints.
///
/// # Errors
///
/// Returns an error if the output cannot be written.
pub fn run(args: &HelpTopicArgs) -> Result<ExitStatus> {
    let Some(name) = &args.topic else {
        return print(help_of(&["-h"])?.as_bytes());
    };
    // `detect` is a command too: its page has what the options of conversions mean.
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == name) {
        return print(page(topic).as_bytes());
    }
    print(help_of(&[name, "--help"])?.as_bytes())
}

/// Returns what the command prints with these arguments.
fn help_of(arguments: &[&str]) -> Result<String> {
    let argv: Vec<_> = ["charpipe"].iter().chain(arguments).map(OsString::from).collect();
    match args::parse(&argv)? {
        ParsedArguments::Text(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// Returns the text of a topic, and the options with their long help.
fn page(topic: &Topic) -> String {
    let root = args::command();
    let options = topic.options.iter().filter_map(|id| {
        let arg = root.get_arguments().find(|arg| arg.get_id() == id)?;
        Some(arg.clone().hide_long_help(false).help_heading("Options"))
    });
    let options = Command::new("charpipe")
        .disable_help_flag(true)
        .term_width(WIDTH)
        .help_template("{options}")
        .args(options.map(without_relations))
        .render_long_help();
    format!("{}\n{}\n", topic.text, options.to_string().trim_end())
}

/// Returns the definition of an option without the conflicts with options that are not on the page.
fn without_relations(arg: clap::Arg) -> clap::Arg {
    arg.conflicts_with(Resettable::Reset).overrides_with(Resettable::Reset)
}
