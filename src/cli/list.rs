//! `charpipe list` and `--list`: all encodings with their aliases.

use std::collections::HashMap;
use std::io::{self, IsTerminal};

use crate::encoding::alias::{self, Alias};
use crate::encoding::{ALL, Encoding, OptionSpec};
use crate::transform::{self, Transform};
use anyhow::Result;
use serde::Serialize;

use super::args::HelpArgs;
use super::convert::print;
use super::exit::ExitStatus;
use super::json::to_json;

const USAGE: &str = "charpipe list [--transforms] [--json | --tsv]";

const ABOUT: &str = "\
List encodings and their aliases.

By default each line has the name of an encoding and its aliases. --from and --to accept every \
name. --transforms lists what can follow an encoding, as in utf-8/crlf/base64, or come between two.";

const JSON: &str = "\
Print JSON

An array of objects with name, description, category, mime (the preferred MIME name), \
windows_code_page, decode, encode, and aliases, each with its sources. With --transforms: name, \
aliases, between (bytes or text), options and description.";

const AFTER: &str = "\
Exit code:
  0  the list was written
  2  wrong usage, or the output could not be written

Examples:
  charpipe list --tsv | cut -f 1,2
      Print each encoding with its MIME name.
  charpipe list --json | jq -r '.[] | select(.windows_code_page) | \"\\(.windows_code_page) \\(.name)\"'
      Print each Windows code page with its encoding.";

/// List encodings and their aliases
#[derive(Debug, clap::Args)]
#[command(
    display_name = "charpipe list",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct ListArgs {
    /// List transforms instead of encodings
    #[arg(long)]
    transforms: bool,

    /// Print JSON
    #[arg(long, overrides_with = "tsv", long_help = JSON)]
    json: bool,

    /// Print a table with tab-separated columns and a header line
    #[arg(long, overrides_with = "json")]
    tsv: bool,

    #[command(flatten)]
    pub other: HelpArgs,
}

/// Prints the list of encodings.
///
/// # Errors
///
/// Returns an error if the list cannot be written.
pub fn run(args: &ListArgs) -> Result<ExitStatus> {
    let format = match (args.json, args.tsv) {
        (true, _) => ListFormat::Json,
        (false, true) => ListFormat::Tsv,
        (false, false) => ListFormat::Plain,
    };
    match args.transforms {
        true => print(&transform_list(format)),
        false => print(&encoding_list(format)),
    }
}

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

impl ListFormat {
    /// Returns the format for the standard output: programs that read the list expect that of iconv.
    pub fn for_output() -> ListFormat {
        if io::stdout().is_terminal() { ListFormat::Plain } else { ListFormat::Iconv }
    }
}

/// Returns the list of all encodings.
pub fn encoding_list(format: ListFormat) -> Vec<u8> {
    let mut by_encoding: HashMap<&str, Vec<Alias>> = HashMap::new();
    for alias in alias::all() {
        by_encoding.entry(alias.encoding).or_default().push(alias);
    }
    let names = |encoding: &Encoding| by_encoding.get(encoding.name).map_or(&[][..], Vec::as_slice);
    let records = || ALL.iter().map(|encoding| EncodingRecord::new(encoding, names(encoding)));
    match format {
        ListFormat::Plain => records().map(|record| record.plain_line()).collect::<String>().into(),
        ListFormat::Iconv => iconv_lines(ALL.iter().flat_map(|encoding| names(encoding))).into(),
        ListFormat::Tsv => {
            let rows = records().map(|record| record.tsv_row());
            [TSV_HEADER.to_owned()].into_iter().chain(rows).collect::<String>().into()
        }
        ListFormat::Json => {
            let objects: Vec<_> = records().map(|record| to_json(&record)).collect();
            format!("[\n{}\n]\n", objects.join(",\n")).into()
        }
    }
}

/// Returns the list of all transforms.
fn transform_list(format: ListFormat) -> Vec<u8> {
    let records = || transform::all().map(TransformRecord::new);
    let text: String = match format {
        ListFormat::Json => {
            let objects: Vec<_> = records().map(|record| to_json(&record)).collect();
            format!("[\n{}\n]\n", objects.join(",\n"))
        }
        ListFormat::Tsv => {
            let rows = records().map(|record| record.tsv_row());
            [TRANSFORMS_TSV_HEADER.to_owned()].into_iter().chain(rows).collect()
        }
        ListFormat::Plain | ListFormat::Iconv => {
            let width = transform::all().map(|transform| transform.name.len()).max().unwrap_or(0);
            let line = |record: TransformRecord| {
                format!("{:width$}  {}\n", record.name, record.description)
            };
            records().map(line).collect()
        }
    };
    text.into_bytes()
}

const TRANSFORMS_TSV_HEADER: &str = "name\tbetween\taliases\toptions\tdescription\n";

/// A transform in the list.
#[derive(Serialize)]
struct TransformRecord {
    name: &'static str,
    aliases: &'static [&'static str],
    /// Whether it converts `bytes` or `text`.
    between: &'static str,
    options: Vec<String>,
    description: &'static str,
}

impl TransformRecord {
    fn new(transform: &'static Transform) -> TransformRecord {
        let option = |option: &OptionSpec| format!("{}={}", option.name, option.values);
        TransformRecord {
            name: transform.name,
            aliases: transform.aliases,
            between: if transform.is_for_bytes() { "bytes" } else { "text" },
            options: transform.options.iter().map(option).collect(),
            description: transform.description,
        }
    }

    /// Returns the columns of the table.
    fn tsv_row(&self) -> String {
        let columns = [
            self.name,
            self.between,
            &self.aliases.join(", "),
            &self.options.join(", "),
            self.description,
        ];
        columns.join("\t") + "\n"
    }
}

/// Returns all names in alphabetical order, each with the slashes that glibc's `iconv -l` appends.
fn iconv_lines<'a>(names: impl Iterator<Item = &'a Alias>) -> String {
    let mut names: Vec<_> = names.map(|alias| alias.name).collect();
    names.sort_unstable();
    let slashes = |name: &str| if name.contains('/') { "/" } else { "//" };
    names.iter().map(|name| format!("{name}{}\n", slashes(name))).collect()
}

const TSV_HEADER: &str =
    "name\tmime\twindows_code_page\tdecode\tencode\tcategory\taliases\tdescription\n";

/// An encoding in the list.
#[derive(Serialize)]
struct EncodingRecord {
    name: &'static str,
    description: &'static str,
    category: &'static str,
    mime: Option<&'static str>,
    windows_code_page: Option<u32>,
    decode: bool,
    encode: bool,
    aliases: Vec<AliasRecord>,
}

#[derive(Serialize)]
struct AliasRecord {
    name: &'static str,
    /// The standards and programs that define the alias.
    sources: Vec<&'static str>,
}

impl EncodingRecord {
    /// Describes an encoding; `names` are all its names.
    fn new(encoding: &Encoding, names: &[Alias]) -> EncodingRecord {
        let aliases = names.iter().filter(|alias| alias.name != encoding.name);
        EncodingRecord {
            name: encoding.name,
            description: encoding.description,
            category: encoding.category(),
            mime: alias::mime_name(names),
            windows_code_page: alias::windows_code_page(names),
            decode: true,
            encode: true,
            aliases: aliases
                .map(|alias| AliasRecord {
                    name: alias.name,
                    sources: alias::source_names(alias.sources).collect(),
                })
                .collect(),
        }
    }

    /// Returns the name and the aliases, separated by spaces.
    fn plain_line(&self) -> String {
        let aliases = self.aliases.iter().flat_map(|alias| [" ", alias.name]);
        [self.name].into_iter().chain(aliases).chain(["\n"]).collect()
    }

    /// Returns the columns of the table, with the sources of each alias in parentheses. No name
    /// contains a tab.
    fn tsv_row(&self) -> String {
        let yes_no = |flag| if flag { "yes" } else { "no" };
        let alias = |alias: &AliasRecord| format!("{} ({})", alias.name, alias.sources.join(" "));
        let columns = [
            self.name,
            self.mime.unwrap_or_default(),
            &self.windows_code_page.map_or(String::new(), |page| page.to_string()),
            yes_no(self.decode),
            yes_no(self.encode),
            self.category,
            &self.aliases.iter().map(alias).collect::<Vec<_>>().join(", "),
            self.description,
        ];
        columns.join("\t") + "\n"
    }
}
