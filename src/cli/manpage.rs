//! Generates the manual page and shell completions from the command-line definition.

use std::io;

use crate::encoding::{self, OptionSpec, OptionValues};
use crate::error_policy::ErrorAction;
use crate::rfc2047;
use clap::builder::StyledStr;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{args, help};

/// The date of the last change to the text of the manual page.
const MANPAGE_DATE: &str = "2026-11-22";

/// Returns the completion script for a shell.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut args::completion_command(), "charpipe", &mut page);
    page
}

/// Returns the manual page in roff.
///
/// # Errors
///
/// Returns the errors of the writers, which do not occur for a `Vec`.
pub fn render() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let command = args::command();
    let subcommands: Vec<_> = command.get_subcommands().cloned().collect();
    // The texts after the options become separate sections.
    let command = command
        .after_long_help("")
        .after_help("")
        .mut_arg("on_error", |option| option.long_help(help::ON_ERROR_MANPAGE));
    let man = Man::new(command).manual("User Commands").date(MANPAGE_DATE);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    page.extend(options_section(&man)?);
    page.extend_from_slice(actions_section().as_bytes());
    page.extend_from_slice(encoding_options_section().as_bytes());
    for (heading, text) in split_sections(help::AFTER) {
        page.extend_from_slice(render_section(heading, text).as_bytes());
    }
    for subcommand in subcommands {
        page.extend_from_slice(&subcommand_section(subcommand)?);
    }
    man.render_version_section(&mut page)?;
    page.extend_from_slice(b".SH \"SEE ALSO\"\n.BR iconv (1)\n");
    Ok(page)
}

/// Renders the options as one section, with the groups of options as subsections.
fn options_section(man: &Man) -> io::Result<Vec<u8>> {
    let mut options = Vec::new();
    man.render_options_section(&mut options)?;
    let groups = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "");
    Ok(format!(".SH OPTIONS\n{}", groups.replace(".SH ", ".SS ")).into_bytes())
}

/// Returns the sections at the end of `--help`: a heading with a colon, then its lines.
fn split_sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n\n").filter_map(|part| part.split_once(":\n"))
}

/// Renders a section about a subcommand, with its options and the end of its help as subsections.
fn subcommand_section(command: clap::Command) -> io::Result<Vec<u8>> {
    let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let (about, after) = (text(command.get_long_about()), text(command.get_after_long_help()));
    let usage = text(Some(&command.clone().render_usage())).replace("Usage: ", "");
    let mut page = render_section(&format!("charpipe {}", command.get_name()), &usage).into_bytes();
    page.extend_from_slice(format!(".PP\n{}\n", escape_roff(&about)).as_bytes());
    let mut options = Vec::new();
    Man::new(command.after_long_help("").after_help("")).render_options_section(&mut options)?;
    page.extend_from_slice(&options);
    for (heading, text) in split_sections(&after) {
        page.extend_from_slice(render_section(heading, text).as_bytes());
    }
    // All sections but the first become subsections.
    let text = String::from_utf8_lossy(&page);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!("{first}\n{}", rest.replace(".SH ", ".SS ")).into_bytes())
}

/// Renders a section whose lines are not filled.
fn render_section(heading: &str, text: &str) -> String {
    let mut page = format!(".SH \"{}\"\n.nf\n", heading.to_uppercase());
    for line in text.lines() {
        page.push_str(&escape_roff(line));
        page.push('\n');
    }
    page.push_str(".fi\n");
    page
}

/// Renders the section about error actions.
fn actions_section() -> String {
    let mut page = String::from(".SH \"ACTIONS\"\n");
    for (name, about) in ErrorAction::NAMES {
        page.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", escape_roff(name), escape_roff(about)));
    }
    page
}

/// Renders the section about encoding options.
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

/// Characters with a special meaning in roff, and their escapes. A plain hyphen, quote or accent may
/// be rendered as a typographic one, which does not work when copied into a command line.
const ROFF_ESCAPES: [(char, &str); 6] =
    [('\\', "\\e"), ('-', "\\-"), ('\'', "\\(aq"), ('^', "\\(ha"), ('`', "\\(ga"), ('~', "\\(ti")];

/// Escapes text for roff.
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
