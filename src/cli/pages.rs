//! The pages made from the description of the command line: completions and the manual.

use std::io;

use charpipe::charset::{self, Key, Values};
use charpipe::header;
use charpipe::policy::Action;
use clap::builder::StyledStr;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{args, help, verb};

/// The day of the last change to what the manual says.
const DATE: &str = "2026-11-21";

/// Completions for a shell.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut args::shown(), "charpipe", &mut page);
    page
}

/// The manual page, in the roff of `man`.
pub fn manual() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The texts behind the options become sections of their own.
    let command = args::command()
        .after_long_help("")
        .after_help("")
        .mut_arg("on_error", |option| option.long_help(help::ON_ERROR_IN_MANUAL));
    let man = Man::new(command).manual("User Commands").date(DATE);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    page.extend_from_slice(actions().as_bytes());
    page.extend_from_slice(charset_options().as_bytes());
    for (heading, text) in sections(help::AFTER) {
        page.extend_from_slice(section(heading, text).as_bytes());
    }
    for verb in verb::ALL {
        page.extend_from_slice(&about_verb(verb)?);
    }
    man.render_version_section(&mut page)?;
    page.extend_from_slice(b".SH \"SEE ALSO\"\n.BR iconv (1)\n");
    Ok(page)
}

/// The sections of the text that `--help` ends with: a heading with a colon, then its lines.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n\n").filter_map(|part| part.split_once(":\n"))
}

/// A section about a verb: its command line, what it is for, its options, and what its own help
/// ends with, as parts of it.
fn about_verb(verb: &verb::Verb) -> io::Result<Vec<u8>> {
    let command = (verb.command)();
    let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let (about, after) = (text(command.get_long_about()), text(command.get_after_long_help()));
    let usage = text(Some(&command.clone().render_usage())).replace("Usage: ", "");
    let mut page = section(&format!("charpipe {}", verb.name), &usage).into_bytes();
    page.extend_from_slice(format!(".PP\n{}\n", roff(&about)).as_bytes());
    let mut options = Vec::new();
    Man::new(command.after_long_help("").after_help("")).render_options_section(&mut options)?;
    page.extend_from_slice(&options);
    for (heading, text) in sections(&after) {
        page.extend_from_slice(section(heading, text).as_bytes());
    }
    // What is a section in a page of its own is a part here; only the first heading stays.
    let text = String::from_utf8_lossy(&page);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!("{first}\n{}", rest.replace(".SH ", ".SS ")).into_bytes())
}

/// A section whose lines stand as they are.
fn section(heading: &str, text: &str) -> String {
    let mut page = format!(".SH \"{}\"\n.nf\n", heading.to_uppercase());
    for line in text.lines() {
        page.push_str(&roff(line));
        page.push('\n');
    }
    page.push_str(".fi\n");
    page
}

/// The section of what can be done about faults.
fn actions() -> String {
    let mut page = String::from(".SH \"ACTIONS\"\n");
    for (word, about) in Action::VOCABULARY {
        page.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", roff(word), roff(about)));
    }
    page
}

/// The section of what may stand behind the name of a charset.
fn charset_options() -> String {
    let mut page = format!(".SH \"CHARSET OPTIONS\"\n{}\n", roff(help::CHARSET_OPTIONS));
    let all = charset::ALL.iter().copied().chain([&header::RFC_2047]);
    for charset in all.filter(|charset| !charset.options.is_empty()) {
        page.push_str(&format!(".SS \"{}\"\n", roff(charset.name)));
        for key in charset.options {
            page.push_str(&charset_option(key));
        }
    }
    page
}

fn charset_option(key: &Key) -> String {
    let values = match key.values {
        Values::Flag => String::new(),
        values => format!("={}", roff(&values.to_string())),
    };
    format!(".TP\n\\fB{}\\fR{values}\n{}\n", roff(key.name), roff(key.about))
}

/// What a formatter would take for something else, and how it is written. A plain hyphen, quote
/// or accent may come out as a typographic one, which nobody can copy into a command line.
const SPECIAL: [(char, &str); 6] =
    [('\\', "\\e"), ('-', "\\-"), ('\'', "\\(aq"), ('^', "\\(ha"), ('`', "\\(ga"), ('~', "\\(ti")];

/// Text that stands for itself.
fn roff(text: &str) -> String {
    let mut page = String::new();
    for character in text.chars() {
        match SPECIAL.iter().find(|(special, _)| *special == character) {
            Some((_, written)) => page.push_str(written),
            None => page.push(character),
        }
    }
    page
}
