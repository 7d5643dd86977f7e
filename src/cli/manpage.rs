//! The pages made from the description of the command line: completions and the manual.

use std::io;

use charpipe::encoding::{self, OptionSpec, OptionValues};
use charpipe::error_policy::ErrorAction;
use charpipe::rfc2047;
use clap::builder::StyledStr;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{args, help, subcommand};

/// The day of the last change to what the manual says.
const MANPAGE_DATE: &str = "2026-11-21";

/// Completions for a shell.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut args::completion_command(), "charpipe", &mut page);
    page
}

/// The manual page, in the roff of `man`.
pub fn render() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The texts after the options become sections of their own.
    let command = args::command()
        .after_long_help("")
        .after_help("")
        .mut_arg("on_error", |option| option.long_help(help::ON_ERROR_MANPAGE));
    let man = Man::new(command).manual("User Commands").date(MANPAGE_DATE);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    page.extend_from_slice(actions_section().as_bytes());
    page.extend_from_slice(encoding_options_section().as_bytes());
    for (heading, text) in split_sections(help::AFTER) {
        page.extend_from_slice(render_section(heading, text).as_bytes());
    }
    for subcommand in subcommand::ALL {
        page.extend_from_slice(&subcommand_section(subcommand)?);
    }
    man.render_version_section(&mut page)?;
    page.extend_from_slice(b".SH \"SEE ALSO\"\n.BR iconv (1)\n");
    Ok(page)
}

/// The sections of the text that `--help` ends with: a heading with a colon, then its lines.
fn split_sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n\n").filter_map(|part| part.split_once(":\n"))
}

/// A section about a subcommand: its command line, what it is for, its options, and what its own help
/// ends with, as parts of it.
fn subcommand_section(subcommand: &subcommand::Subcommand) -> io::Result<Vec<u8>> {
    let command = (subcommand.command)();
    let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let (about, after) = (text(command.get_long_about()), text(command.get_after_long_help()));
    let usage = text(Some(&command.clone().render_usage())).replace("Usage: ", "");
    let mut page = render_section(&format!("charpipe {}", subcommand.name), &usage).into_bytes();
    page.extend_from_slice(format!(".PP\n{}\n", escape_roff(&about)).as_bytes());
    let mut options = Vec::new();
    Man::new(command.after_long_help("").after_help("")).render_options_section(&mut options)?;
    page.extend_from_slice(&options);
    for (heading, text) in split_sections(&after) {
        page.extend_from_slice(render_section(heading, text).as_bytes());
    }
    // What is a section in a page of its own is a part here; only the first heading stays.
    let text = String::from_utf8_lossy(&page);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!("{first}\n{}", rest.replace(".SH ", ".SS ")).into_bytes())
}

/// A section whose lines stand as they are.
fn render_section(heading: &str, text: &str) -> String {
    let mut page = format!(".SH \"{}\"\n.nf\n", heading.to_uppercase());
    for line in text.lines() {
        page.push_str(&escape_roff(line));
        page.push('\n');
    }
    page.push_str(".fi\n");
    page
}

/// The section of what can be done about errors.
fn actions_section() -> String {
    let mut page = String::from(".SH \"ACTIONS\"\n");
    for (name, about) in ErrorAction::NAMES {
        page.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", escape_roff(name), escape_roff(about)));
    }
    page
}

/// The section of what may stand after the name of an encoding.
fn encoding_options_section() -> String {
    let mut page = format!(".SH \"ENCODING OPTIONS\"\n{}\n", escape_roff(help::ENCODING_OPTIONS));
    let all = encoding::ALL.iter().copied().chain([&rfc2047::RFC_2047]);
    for encoding in all.filter(|encoding| !encoding.options.is_empty()) {
        page.push_str(&format!(".SS \"{}\"\n", escape_roff(encoding.name)));
        for key in encoding.options {
            page.push_str(&encoding_option(key));
        }
    }
    page
}

fn encoding_option(key: &OptionSpec) -> String {
    let values = match key.values {
        OptionValues::Flag => String::new(),
        values => format!("={}", escape_roff(&values.to_string())),
    };
    format!(".TP\n\\fB{}\\fR{values}\n{}\n", escape_roff(key.name), escape_roff(key.description))
}

/// What a formatter would take for something else, and how it is written. A plain hyphen, quote
/// or accent may come out as a typographic one, which nobody can copy into a command line.
const ROFF_ESCAPES: [(char, &str); 6] =
    [('\\', "\\e"), ('-', "\\-"), ('\'', "\\(aq"), ('^', "\\(ha"), ('`', "\\(ga"), ('~', "\\(ti")];

/// Text that stands for itself.
fn escape_roff(text: &str) -> String {
    let mut page = String::new();
    for character in text.chars() {
        match ROFF_ESCAPES.iter().find(|(special, _)| *special == character) {
            Some((_, written)) => page.push_str(written),
            None => page.push(character),
        }
    }
    page
}
