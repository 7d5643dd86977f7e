//! The pages made from the description of the command line: completions and the manual.

use std::io;

use clap_complete::Shell;
use clap_mangen::Man;

use super::{args, help};

/// Completions for a shell.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "charpipe", &mut page);
    page
}

/// The manual page, in the roff of `man`.
pub fn manual() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The texts behind the options become sections of their own.
    let command = args::command().after_long_help("").after_help("");
    let man = Man::new(command).manual("User Commands").date("");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    for (heading, text) in sections() {
        page.extend_from_slice(section(heading, text).as_bytes());
    }
    man.render_version_section(&mut page)?;
    page.extend_from_slice(b".SH \"SEE ALSO\"\n.BR iconv (1)\n");
    Ok(page)
}

/// The sections of the text that `--help` ends with: a heading with a colon, then its lines.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    help::AFTER.split("\n\n").filter_map(|part| part.split_once(":\n"))
}

/// A section whose lines stand as they are.
fn section(heading: &str, text: &str) -> String {
    let mut page = format!(".SH \"{}\"\n.nf\n", heading.to_uppercase());
    for line in text.lines() {
        page.push_str(&line.replace('\\', "\\e").replace('-', "\\-"));
        page.push('\n');
    }
    page.push_str(".fi\n");
    page
}
