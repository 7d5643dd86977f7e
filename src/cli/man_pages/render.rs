//! Generates the manual pages from the command-line definition.

use std::io;

use charpipe_encoding::encoding::{self, OptionSpec, OptionValues};
use charpipe_mail::rfc2047;
use charpipe_transcode::error_policy::ErrorAction;
use charpipe_transcode::transform_spec;
use clap::Command;
use clap::builder::StyledStr;
use clap_mangen::Man;

use crate::cli::args;

/// The date of the last change to the text of the manual pages.
const MANPAGE_DATE: &str = "2026-11-23";

/// Related manual pages: those of charpipe, then those of other programs.
const SEE_ALSO: [&str; 17] = [
    "charpipe(1)",
    "charpipe-check(1)",
    "charpipe-detect(1)",
    "charpipe-fix(1)",
    "charpipe-list(1)",
    "charpipe-repair(1)",
    "charpipe-show(1)",
    "charpipe-split(1)",
    "charpipe-iconv(1)",
    "charpipe-help(1)",
    "charpipe-install-links(1)",
    "dos2unix(1)",
    "iconv(1)",
    "nkf(1)",
    "recode(1)",
    "uconv(1)",
    "charsets(7)",
];

/// The description of `--on-error`.
const ON_ERROR: &str = "\
What to do on conversion errors [default: stop]

The section ACTIONS describes the actions. --on-invalid and --on-unmappable override the action for \
invalid input bytes and for characters not in the output encoding.";

/// The start of the section about transforms.
const TRANSFORMS: &str = "\
Transforms follow an encoding, as in utf-8/crlf/base64, or are steps of --via and --chain. Their options \
are written as those of encodings, as in utf-8/html:named; 'charpipe list --about NAME' shows them.";

/// The start of the section about encoding options.
const ENCODING_OPTIONS: &str = "\
Encoding options follow the name, after a colon, and are separated by commas: \
utf-7:close=always,optional=direct. A flag is set by its name alone, or with =yes and =no. The first \
of several values is the default. Options of a list of encodings follow the last one: \
utf-8,windows-1252:per=line,lossy.";

/// The section ENVIRONMENT, but for `charpipe iconv`.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "If set and not empty, --color=auto means never."),
    (
        "CLICOLOR_FORCE",
        "If set and neither empty nor 0, --color=auto means always, unless NO_COLOR is set.",
    ),
    ("CLICOLOR", "If 0, --color=auto means never, unless CLICOLOR_FORCE is set."),
    ("TERM", "On a terminal of type dumb there are neither colors by default nor progress."),
    ("COLUMNS", "Width of --help in columns, if the output is not a terminal."),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "The locale whose encoding is that of the name locale. Nothing else depends on it.",
    ),
];

/// The section FILES.
const FILES: &[(&str, &str)] = &[
    (".gitignore", "Patterns of files that are skipped in directories, in each directory."),
    (".git/info/exclude", "More patterns, at the root of a git repository."),
    (".editorconfig", "Rules of charpipe check and fix --editorconfig, in each directory."),
    (".gitattributes", "Rules of charpipe check and fix, in each directory of a git repository."),
];

/// The section ENVIRONMENT of `charpipe iconv`.
const ICONV_ENVIRONMENT: &[(&str, &str)] = &[
    (
        "CHARPIPE_ICONV",
        "With the value libiconv, options, names, messages and exit codes are those of GNU libiconv.",
    ),
    ("LC_ALL, LC_CTYPE, LANG", "The locale, which has the default encoding and transliterations."),
    ("LOCPATH", "Directories with locales."),
    ("POSIXLY_CORRECT", "If it is set, the first operand ends the options."),
];

/// Returns the manual page of charpipe, or of a subcommand, in roff.
///
/// # Errors
///
/// Returns the errors of the writers, which do not occur for a `Vec`.
pub fn render(subcommand: Option<&str>) -> io::Result<Vec<u8>> {
    let root = args::command();
    let definition = subcommand.and_then(|name| root.find_subcommand(name));
    let is_root = definition.is_none();
    let mut command = definition.unwrap_or(&root).clone();
    let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let after = text(command.get_after_long_help());
    let usage = text(Some(&command.render_usage()));
    // The page has a section for each of the texts after the options.
    command = command.after_long_help("").after_help("");
    if is_root {
        command = command.mut_arg("on_error", |arg| arg.long_help(ON_ERROR));
    }
    let environment = match subcommand {
        Some("iconv") => ICONV_ENVIRONMENT,
        _ => ENVIRONMENT,
    };
    let has_files = command.get_arguments().any(|arg| arg.get_id() == "recursive");
    let about = text(command.get_about());
    let man = Man::new(command).title(page_name(subcommand)).manual("User Commands");
    let man = man.date(MANPAGE_DATE);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Options and commands are not hyphenated.
    page.extend_from_slice(b".nh\n.ad l\n");
    page.extend(name_section(&page_name(subcommand), &about).into_bytes());
    page.extend(synopsis_section(&usage).into_bytes());
    man.render_description_section(&mut page)?;
    page.extend(options_section(&man)?.into_bytes());
    if is_root {
        page.extend(subcommands_section(&root).into_bytes());
        page.extend(actions_section().into_bytes());
        page.extend(encoding_options_section().into_bytes());
        page.extend(transforms_section().into_bytes());
    }
    for (heading, text) in after.split("\n\n").filter_map(|part| part.split_once(":\n")) {
        let section = match heading {
            "Exit code" => exit_status_section(text),
            "Examples" => examples_section(text),
            _ => continue,
        };
        page.extend(section.into_bytes());
    }
    page.extend(items_section("ENVIRONMENT", environment).into_bytes());
    if has_files {
        page.extend(items_section("FILES", FILES).into_bytes());
    }
    page.extend(see_also_section(&page_name(subcommand)).into_bytes());
    Ok(page)
}

/// Returns the name of a manual page without its section.
fn page_name(subcommand: Option<&str>) -> String {
    subcommand.map_or_else(|| "charpipe".to_owned(), |name| format!("charpipe-{name}"))
}

/// Renders the line that `whatis` shows.
fn name_section(name: &str, about: &str) -> String {
    let about = about
        .chars()
        .next()
        .map_or(String::new(), |first| first.to_lowercase().chain(about.chars().skip(1)).collect());
    format!(".SH NAME\n{} \\- {}\n", escape_roff(name), escape_roff(&about))
}

/// Renders the lines of the usage, with the command and its options in bold.
fn synopsis_section(usage: &str) -> String {
    let mut page = String::from(".SH SYNOPSIS\n.nf\n");
    for line in usage.trim_start_matches("Usage:").lines() {
        let words = line.split_whitespace().map(|word| {
            let rest = word.trim_start_matches('[');
            let text = rest.trim_end_matches([']', '.']);
            // The dots after an operand without brackets are part of it.
            let text = if rest[text.len()..].starts_with(']') { text } else { rest };
            let (open, close) = (&word[..word.len() - rest.len()], &rest[text.len()..]);
            let is_literal =
                text.starts_with(|first: char| first == '-' || first.is_ascii_lowercase());
            match (text, is_literal) {
                ("|", _) => word.to_owned(),
                (_, true) => format!("{open}\\fB{}\\fR{close}", escape_roff(text)),
                (_, false) => format!("{open}\\fI{}\\fR{close}", escape_roff(text)),
            }
        });
        page.push_str(&words.collect::<Vec<_>>().join(" "));
        page.push('\n');
    }
    page.push_str(".fi\n");
    page
}

/// Renders the options as one section, with the groups of options as subsections.
fn options_section(man: &Man) -> io::Result<String> {
    let mut options = Vec::new();
    man.render_options_section(&mut options)?;
    let groups = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "");
    Ok(format!(".SH OPTIONS\n{}", groups.replace(".SH ", ".SS ")))
}

/// Renders the subcommands with references to their pages.
fn subcommands_section(command: &Command) -> String {
    let mut page = String::from(".SH SUBCOMMANDS\n");
    for subcommand in command.get_subcommands() {
        let name = page_name(Some(subcommand.get_name()));
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        page.push_str(&format!(".TP\n.BR {} (1)\n{}\n", escape_roff(&name), escape_roff(&about)));
    }
    page
}

/// Renders the section about error actions.
fn actions_section() -> String {
    let mut page = String::from(".SH ACTIONS\n");
    for (name, about) in ErrorAction::NAMES {
        page.push_str(&item(name, about));
    }
    page
}

/// Renders the section about encoding options.
fn encoding_options_section() -> String {
    let mut page = format!(".SH \"ENCODING OPTIONS\"\n{}\n", escape_roff(ENCODING_OPTIONS));
    let all = encoding::ALL.iter().copied().chain([&rfc2047::RFC_2047]);
    for encoding in all.filter(|encoding| !encoding.options.is_empty()) {
        page.push_str(&format!(".SS \"{}\"\n", escape_roff(encoding.name())));
        for key in encoding.options {
            page.push_str(&encoding_option(key));
        }
    }
    page.push_str(".SS \"Lists of encodings\"\n");
    encoding::LIST_OPTIONS.iter().for_each(|key| page.push_str(&encoding_option(key)));
    page
}

/// Renders the section about transforms.
fn transforms_section() -> String {
    let mut page = format!(".SH TRANSFORMS\n{}\n", escape_roff(TRANSFORMS));
    transform_spec::all().for_each(|it| page.push_str(&item(it.name, it.description)));
    page
}

fn encoding_option(key: &OptionSpec) -> String {
    let values = match key.values {
        OptionValues::Flag => String::new(),
        values => format!("={}", escape_roff(&values.to_string())),
    };
    format!(".TP\n\\fB{}\\fR{values}\n{}\n", escape_roff(key.name), escape_roff(key.description))
}

/// Renders the exit codes. A line that does not begin with a number is a paragraph.
fn exit_status_section(text: &str) -> String {
    let mut page = String::from(".SH \"EXIT STATUS\"\n");
    for line in text.lines().map(str::trim) {
        match line.split_once("  ") {
            Some((code, meaning)) => page.push_str(&item(code, meaning)),
            None => page.push_str(&format!(".PP\n{}\n", escape_roff(line))),
        }
    }
    page
}

/// Renders commands with their descriptions, which are the lines that are indented further.
fn examples_section(text: &str) -> String {
    let mut page = String::from(".SH EXAMPLES\n");
    for line in text.lines() {
        match line.strip_prefix("      ") {
            Some(description) => {
                page.push_str(&format!(".RS 4\n{}\n.RE\n", escape_roff(description)));
            }
            None => page.push_str(&format!(".PP\n.nf\n{}\n.fi\n", escape_roff(line.trim()))),
        }
    }
    page
}

/// Renders a section of items with their descriptions. An item without a name is a paragraph.
fn items_section(heading: &str, items: &[(&str, &str)]) -> String {
    let mut page = format!(".SH {heading}\n");
    for (name, description) in items {
        page.push_str(&match *name {
            "" => format!(".PP\n{}\n", escape_roff(description)),
            name => item(name, description),
        });
    }
    page
}

/// Renders a name in bold with its description.
fn item(name: &str, description: &str) -> String {
    format!(".TP\n\\fB{}\\fR\n{}\n", escape_roff(name), escape_roff(description))
}

/// Renders the references to all pages but this one.
fn see_also_section(own_name: &str) -> String {
    let others = SEE_ALSO.iter().filter_map(|reference| {
        let (name, section) = reference.split_once('(')?;
        (name != own_name).then(|| format!(".BR {} ({section}", escape_roff(name)))
    });
    format!(".SH \"SEE ALSO\"\n{}\n", others.collect::<Vec<_>>().join(",\n"))
}

/// Characters with a special meaning in roff, and their escapes. A plain hyphen, quote or accent may
/// be rendered as a typographic one, which does not work when copied into a command line.
const ROFF_ESCAPES: [(char, &str); 6] =
    [('\\', "\\e"), ('-', "\\-"), ('\'', "\\(aq"), ('^', "\\(ha"), ('`', "\\(ga"), ('~', "\\(ti")];

/// Escapes text for roff. A period at the start of a line would make it a request.
fn escape_roff(text: &str) -> String {
    let mut page = String::new();
    if text.starts_with('.') {
        page.push_str("\\&");
    }
    for character in text.chars() {
        match ROFF_ESCAPES.iter().find(|(special, _)| *special == character) {
            Some((_, written)) => page.push_str(written),
            None => page.push(character),
        }
    }
    page
}
