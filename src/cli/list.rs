//! `--list` and `charpipe list`: every encoding and every name.

use std::collections::HashMap;

use charpipe::encoding::alias::{self, Alias};
use charpipe::encoding::{ALL, Encoding};

use super::json::JsonString;

pub mod subcommand;

const TSV_HEADER: &str = "name\tmime\twindows\tdecode\tencode\tkind\taliases\tabout\n";

/// The output format of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ListFormat {
    /// One encoding per line: its name and aliases, separated by spaces.
    Plain,
    /// As glibc's iconv -l: one name per line, followed by slashes.
    Iconv,
    /// A JSON array of objects: name, description, category, mime, windows_code_page, decode,
    /// encode, and aliases with their sources.
    Json,
    /// A table with tab-separated columns and a header line.
    Tsv,
}

/// The list of all encodings.
pub fn encoding_list(format: ListFormat) -> Vec<u8> {
    let mut by_encoding: HashMap<&str, Vec<Alias>> = HashMap::new();
    for known in alias::all() {
        by_encoding.entry(known.encoding).or_default().push(known);
    }
    let names = |encoding: &Encoding| by_encoding.get(encoding.name).map_or(&[][..], Vec::as_slice);
    let text = match format {
        ListFormat::Plain => {
            ALL.iter().map(|encoding| plain_line(encoding, names(encoding))).collect()
        }
        ListFormat::Iconv => iconv_lines(ALL.iter().flat_map(|encoding| names(encoding))),
        ListFormat::Tsv => tsv(ALL.iter().map(|encoding| tsv_row(encoding, names(encoding)))),
        ListFormat::Json => {
            let objects: Vec<_> =
                ALL.iter().map(|encoding| json_object(encoding, names(encoding))).collect();
            format!("[\n{}\n]\n", objects.join(",\n"))
        }
    };
    text.into_bytes()
}

/// The names of an encoding but its own.
fn aliases_of<'a>(encoding: &Encoding, names: &'a [Alias]) -> impl Iterator<Item = &'a Alias> {
    let own = encoding.name;
    names.iter().filter(move |known| known.name != own)
}

fn plain_line(encoding: &Encoding, names: &[Alias]) -> String {
    let aliases = aliases_of(encoding, names).flat_map(|known| [" ", known.name]);
    [encoding.name].into_iter().chain(aliases).chain(["\n"]).collect()
}

fn iconv_lines<'a>(names: impl Iterator<Item = &'a Alias>) -> String {
    let mut names: Vec<_> = names.map(|known| known.name).collect();
    names.sort_unstable();
    let slashes = |name: &str| if name.contains('/') { "/" } else { "//" };
    names.iter().map(|name| format!("{name}{}\n", slashes(name))).collect()
}

fn json_object(encoding: &Encoding, names: &[Alias]) -> String {
    let aliases: Vec<_> = aliases_of(encoding, names)
        .map(|alias| {
            let sources: Vec<_> = alias::source_names(alias.sources).map(json_string).collect();
            format!("{{\"name\":{},\"sources\":[{}]}}", json_string(alias.name), sources.join(","))
        })
        .collect();
    let page = alias::windows_code_page(names).map_or("null".to_owned(), |page| page.to_string());
    format!(
        "{{\"name\":{},\"about\":{},\"kind\":{},\"mime\":{},\"windows\":{page},\
         \"decode\":true,\"encode\":true,\"aliases\":[{}]}}",
        json_string(encoding.name),
        json_string(encoding.description),
        json_string(encoding.category()),
        alias::mime_name(names).map_or("null".to_owned(), json_string),
        aliases.join(",")
    )
}

fn json_string(text: &str) -> String {
    JsonString(text).to_string()
}

/// A head, then one encoding a line.
fn tsv(rows: impl Iterator<Item = String>) -> String {
    [TSV_HEADER.to_owned()].into_iter().chain(rows).collect()
}

/// What the JSON has, between tabs: names have none. Who uses an alias stands after it.
fn tsv_row(encoding: &Encoding, names: &[Alias]) -> String {
    let aliases: Vec<_> = aliases_of(encoding, names)
        .map(|alias| {
            let sources: Vec<_> = alias::source_names(alias.sources).collect();
            format!("{} ({})", alias.name, sources.join(" "))
        })
        .collect();
    let page = alias::windows_code_page(names).map_or(String::new(), |page| page.to_string());
    format!(
        "{}\t{}\t{page}\tyes\tyes\t{}\t{}\t{}\n",
        encoding.name,
        alias::mime_name(names).unwrap_or_default(),
        encoding.category(),
        aliases.join(", "),
        encoding.description,
    )
}
