//! `--list` and `charpipe list`: every charset and every name.

use std::collections::HashMap;

use charpipe::charset::name::{self, Name};
use charpipe::charset::{ALL, Charset};

use super::json::Text;

pub mod verb;

const TSV_HEAD: &str = "name\tmime\twindows\tdecode\tencode\tkind\taliases\tabout\n";

/// What a list looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// One charset a line: its own name, then the others, between blanks.
    Plain,
    /// As iconv -l of the GNU C library prints it: one name a line, with slashes behind.
    Iconv,
    /// An array of objects: name, about, kind, mime (the name for it), windows (the number of the
    /// code page), decode, encode, and aliases with who uses each.
    Json,
    /// The same as a table: a head, then one charset a line, with tabs between.
    Tsv,
}

/// The list of all charsets.
pub fn charsets(form: Form) -> Vec<u8> {
    let mut by_charset: HashMap<&str, Vec<Name>> = HashMap::new();
    for known in name::all() {
        by_charset.entry(known.charset).or_default().push(known);
    }
    let names = |charset: &Charset| by_charset.get(charset.name).map_or(&[][..], Vec::as_slice);
    let text = match form {
        Form::Plain => ALL.iter().map(|charset| line(charset, names(charset))).collect(),
        Form::Iconv => iconv(ALL.iter().flat_map(|charset| names(charset))),
        Form::Tsv => table(ALL.iter().map(|charset| row(charset, names(charset)))),
        Form::Json => {
            let objects: Vec<_> =
                ALL.iter().map(|charset| object(charset, names(charset))).collect();
            format!("[\n{}\n]\n", objects.join(",\n"))
        }
    };
    text.into_bytes()
}

/// The names of a charset but its own.
fn others<'a>(charset: &Charset, names: &'a [Name]) -> impl Iterator<Item = &'a Name> {
    let own = charset.name;
    names.iter().filter(move |known| known.name != own)
}

fn line(charset: &Charset, names: &[Name]) -> String {
    let others = others(charset, names).flat_map(|known| [" ", known.name]);
    [charset.name].into_iter().chain(others).chain(["\n"]).collect()
}

fn iconv<'a>(names: impl Iterator<Item = &'a Name>) -> String {
    let mut names: Vec<_> = names.map(|known| known.name).collect();
    names.sort_unstable();
    let slashes = |name: &str| if name.contains('/') { "/" } else { "//" };
    names.iter().map(|name| format!("{name}{}\n", slashes(name))).collect()
}

fn object(charset: &Charset, names: &[Name]) -> String {
    let aliases: Vec<_> = others(charset, names)
        .map(|alias| {
            let sources: Vec<_> = name::labels(alias.sources).map(quoted).collect();
            format!("{{\"name\":{},\"sources\":[{}]}}", quoted(alias.name), sources.join(","))
        })
        .collect();
    let page = name::windows_code_page(names).map_or("null".to_owned(), |page| page.to_string());
    format!(
        "{{\"name\":{},\"about\":{},\"kind\":{},\"mime\":{},\"windows\":{page},\
         \"decode\":true,\"encode\":true,\"aliases\":[{}]}}",
        quoted(charset.name),
        quoted(charset.about),
        quoted(charset.family()),
        name::mime(names).map_or("null".to_owned(), quoted),
        aliases.join(",")
    )
}

fn quoted(text: &str) -> String {
    Text(text).to_string()
}

/// A head, then one charset a line.
fn table(rows: impl Iterator<Item = String>) -> String {
    [TSV_HEAD.to_owned()].into_iter().chain(rows).collect()
}

/// What the JSON has, between tabs: names have none. Who uses an alias stands behind it.
fn row(charset: &Charset, names: &[Name]) -> String {
    let aliases: Vec<_> = others(charset, names)
        .map(|alias| {
            let sources: Vec<_> = name::labels(alias.sources).collect();
            format!("{} ({})", alias.name, sources.join(" "))
        })
        .collect();
    let page = name::windows_code_page(names).map_or(String::new(), |page| page.to_string());
    format!(
        "{}\t{}\t{page}\tyes\tyes\t{}\t{}\t{}\n",
        charset.name,
        name::mime(names).unwrap_or_default(),
        charset.family(),
        aliases.join(", "),
        charset.about,
    )
}
