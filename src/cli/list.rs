//! `charpipe list` and `--list`: all encodings with their aliases.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use anyhow::{Result, anyhow, bail};
use charpipe_encoding::Error;
use charpipe_encoding::encoding::alias::{self, Alias};
use charpipe_encoding::encoding::{ALL, Encoding, OptionSpec};
use charpipe_mail::rfc2047::RFC_2047;
use charpipe_transcode::header;
use charpipe_transcode::options::{BomPolicy, TranscodeOptions};
use charpipe_transcode::transform_spec;
use charpipe_transform::Transform;
use clap::builder::Resettable;
use memchr::memmem;

use super::error_printer::ErrorPrinter;
use super::exit::{ExitStatus, io_message};
use super::json::{JsonObject, ToJson, to_json};
use super::labels;
use super::messages::{Verbosity, print_message};
use super::ordered_messages::MessageSink;
use super::shared_args::HelpArgs;
use super::streams::{Input, print};

mod about;
mod character_codec;
mod coverage;
mod record;

use coverage::CharacterSet;
use record::{AliasRecord, EncodingRecord};

const USAGE: &str = "\
charpipe list [--json | --tsv] [PATTERN]...
       charpipe list --for FILE [PATTERN]...
       charpipe list --about NAME
       charpipe list --transforms [PATTERN]...";

const ABOUT: &str = "\
List encodings and their aliases.

By default each line has the name of an encoding and its aliases. --from and --to accept every \
name. With PATTERN only the encodings are listed that contain it in their name, in an alias or in \
their description, as in 'charpipe list cyrillic': each line has the name, the description, and \
the aliases that match. Case, punctuation and leading zeros are ignored. If there are several \
patterns, all must match. Transforms that match follow, as for 'charpipe list html'.

--transforms lists what can follow an encoding, as in utf-8/crlf/base64, or come between two. --about \
describes one encoding or transform with its options.";

const FOR: &str = "\
List the encodings that can represent the text of FILE

- is standard input. An encoding is listed if it has a code for every character, and decodes it as \
the same character. The text is read in the encoding that --from selects.";

const JSON: &str = "\
Print JSON

An array of objects with name, description, category, mime (the preferred MIME name), \
windows_code_page, decode, encode, split (where files in the encoding can be split so that the parts \
can be converted independently, and where text that is encoded in it can be), and aliases, each with \
its sources. With --transforms: name, \
aliases, between (bytes or text), options and description.";

const AFTER: &str = "\
Exit code:
  0  the list was written
  1  no encoding was found, or the text of --for is invalid
  2  wrong usage, or a file could not be read or the output written

Examples:
  charpipe list cyrillic
      Print the encodings of Cyrillic text.
  charpipe list --about cp1252
      Print the aliases of CP1252, its undefined bytes, and how other programs' CP1252 differs.
  charpipe list --about html
      Print the options of a transform, as in utf-8/html:named.
  charpipe list --for notes.txt iso-8859
      Print the parts of ISO 8859 that have all characters of the file.
  charpipe list --tsv | cut -f 1,2
      Print each encoding with its MIME name.
  charpipe list --json | jq -r '.[] | select(.windows_code_page) | \"\\(.windows_code_page) \\(.name)\"'
      Print each Windows code page with its encoding.";

/// List encodings and their aliases
#[derive(Debug, clap::Args)]
#[group(skip)]
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
    /// Describe an encoding or a transform: its aliases and options, and how other programs' differ
    #[arg(long, value_name = "NAME", conflicts_with_all = ["transforms", "json", "tsv"])]
    about: Option<OsString>,

    /// List the encodings that can represent the text of FILE
    #[arg(long = "for", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(long_help = FOR, conflicts_with_all = ["transforms", "about"])]
    text: Option<OsString>,

    /// Encoding of the text of --for [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING")]
    from: Option<OsString>,

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

    /// List only what contains PATTERN in its name, aliases or description
    #[arg(value_name = "PATTERN", help_heading = Resettable::Reset)]
    patterns: Vec<String>,
}

/// Prints a list.
///
/// # Errors
///
/// Returns an error if the list cannot be written.
pub fn run(args: &ListArgs) -> Result<ExitStatus> {
    if let Some(label) = &args.about {
        if !args.patterns.is_empty() {
            bail!("--about cannot be used with a pattern (omit one of them)");
        }
        return print(describe(label)?.as_bytes());
    }
    let characters = match &args.text {
        Some(file) => match read_characters(file, args.from.as_deref())? {
            Some(characters) => Some(characters),
            None => return Ok(ExitStatus::DataErrors),
        },
        None => None,
    };
    let format = match (args.json, args.tsv) {
        (true, _) => ListFormat::Json,
        (false, true) => ListFormat::Tsv,
        (false, false) => ListFormat::Plain,
    };
    let patterns: Vec<_> = args.patterns.iter().map(|text| LabelPattern::new(text)).collect();
    let list = match (&characters, &patterns[..]) {
        _ if args.transforms => transform_list(format, &patterns),
        (None, []) => Some(encoding_list(format)),
        (None, _) if format == ListFormat::Plain => everything_list(&patterns),
        (None, _) => filtered_list(format, true, &patterns, |_| true),
        (Some(characters), _) => filtered_list(format, true, &patterns, |encoding| {
            !header::is_header(encoding) && characters.is_covered_by(encoding)
        }),
    };
    match list {
        Some(list) => print(&list),
        None => {
            print_message(&nothing_found(args, &patterns));
            Ok(ExitStatus::DataErrors)
        }
    }
}

/// Describes the encoding of this label, the transform of this name, or both.
fn describe(label: &OsStr) -> Result<String> {
    let encoding = labels::parse_encoding_without_suffixes("--about", Some(label));
    let label = label.to_string_lossy();
    let name = label.split_once(':').map_or(&*label, |(name, _)| name);
    Ok(match (encoding, transform_spec::for_name(name)) {
        (Err(error), None) => return Err(error),
        (Err(_), Some(transform)) => about::describe_transform(transform),
        (Ok(spec), None) => about::describe(&spec, &label),
        (Ok(spec), Some(transform)) => {
            let encoding = about::describe(&spec, &label);
            format!("{encoding}\n{}", about::describe_transform(transform))
        }
    })
}

/// Returns the message of an empty list.
fn nothing_found(args: &ListArgs, patterns: &[LabelPattern]) -> String {
    let what = if args.transforms { "transform" } else { "encoding" };
    let reason = match (&args.text, &args.patterns[..]) {
        (Some(_), []) => "has all characters of the text".to_owned(),
        (Some(_), _) => "that matches has all characters of the text".to_owned(),
        (None, [format]) if ["json", "tsv"].contains(&&**format) => {
            format!("matches \"{format}\"; use --{format}")
        }
        (None, _) if !args.transforms && !matching_transforms(patterns).is_empty() => {
            format!("matches \"{}\", but a transform; use --transforms", args.patterns.join(" "))
        }
        (None, patterns) => format!("matches \"{}\"", patterns.join(" ")),
    };
    format!("no {what} {reason}")
}

/// Returns the characters of a file, or `None` if it is invalid, which has been reported.
fn read_characters(file: &OsStr, from: Option<&OsStr>) -> Result<Option<CharacterSet>> {
    let from = labels::parse_encoding_without_suffixes("--from", from)?;
    let options = TranscodeOptions::new(from, charpipe_encoding::UTF_8).bom(BomPolicy::Strip);
    let input = Input::from_arg(file);
    let mut errors = ErrorPrinter::new(&options, Verbosity::Normal, MessageSink::Immediate);
    errors.begin_file(&input.display_name());
    let mut characters = CharacterSet::new();
    let mut read = || {
        let mut source = input.open().map_err(Error::Read)?;
        let mut transcoder = options.build()?;
        transcoder.process_reader(&mut source, &mut characters, &mut errors)?;
        transcoder.finish_input(&mut characters, &mut errors)?;
        transcoder.finish(&mut characters, &mut errors)
    };
    match read() {
        Ok(()) => Ok(Some(characters)),
        Err(Error::Conversion(_)) => Ok(None),
        Err(Error::Read(error)) => Err(anyhow!("{}: {}", input.display_name(), io_message(&error))),
        Err(error) => Err(error.into()),
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
    /// encode, split, and aliases with their sources.
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

/// A part of a name or a description, compared without case, punctuation and leading zeros.
struct LabelPattern {
    label: Vec<u8>,
    text: String,
}

impl LabelPattern {
    fn new(text: &str) -> LabelPattern {
        LabelPattern { label: alias::normalized(text).collect(), text: text.to_lowercase() }
    }

    fn matches_name(&self, name: &str) -> bool {
        let name: Vec<u8> = alias::normalized(name).collect();
        !self.label.is_empty() && memmem::find(&name, &self.label).is_some()
    }

    fn matches_description(&self, description: &str) -> bool {
        description.to_lowercase().contains(&self.text)
    }
}

/// Returns the list of all encodings.
pub fn encoding_list(format: ListFormat) -> Vec<u8> {
    filtered_list(format, false, &[], |_| true).unwrap_or_default()
}

/// Returns the list of the encodings that match all patterns and `is_selected`, or `None` if there
/// are none. If `is_filtered`, the plain format shows descriptions instead of aliases.
fn filtered_list(
    format: ListFormat,
    is_filtered: bool,
    patterns: &[LabelPattern],
    is_selected: impl Fn(&'static Encoding) -> bool,
) -> Option<Vec<u8>> {
    let mut by_encoding: HashMap<&str, Vec<Alias>> = HashMap::new();
    for alias in alias::all() {
        by_encoding.entry(alias.encoding).or_default().push(alias);
    }
    let names =
        |encoding: &Encoding| by_encoding.get(encoding.name()).map_or(&[][..], Vec::as_slice);
    // It cannot be used as other encodings are, so that it is listed only if it is searched for.
    let header = is_filtered.then_some(&RFC_2047);
    let all = ALL.iter().copied().chain(header);
    let selected: Vec<_> = all
        .filter(|encoding| patterns.iter().all(|it| matches(it, encoding, names(encoding))))
        .filter(|encoding| is_selected(encoding))
        .collect();
    if selected.is_empty() {
        return None;
    }
    if format == ListFormat::Iconv {
        let all_names = selected.iter().flat_map(|encoding| names(encoding));
        return Some(iconv_lines(all_names).into_bytes());
    }
    let width = selected.iter().map(|encoding| encoding.name().len()).max().unwrap_or(0);
    let records = selected.iter().map(|it| EncodingRecord::new(it, names(it)));
    let list = render(format, records, |record| match is_filtered {
        true => record.description_line(width, patterns),
        false => record.plain_line(),
    });
    Some(list.into_bytes())
}

/// An element of a list.
trait ListRecord: ToJson {
    /// The names of the columns.
    const TSV_HEADER: &'static str;

    /// Returns the columns of the table. None contains a tab.
    fn tsv_row(&self) -> String;
}

/// Returns a list as JSON, as a table, or else with a line for each record.
fn render<R: ListRecord>(
    format: ListFormat,
    records: impl Iterator<Item = R>,
    line: impl Fn(&R) -> String,
) -> String {
    match format {
        ListFormat::Json => {
            let objects: Vec<_> = records.map(|record| to_json(&record)).collect();
            format!("[\n{}\n]\n", objects.join(",\n"))
        }
        ListFormat::Tsv => {
            let rows = records.map(|record| record.tsv_row());
            [R::TSV_HEADER.to_owned()].into_iter().chain(rows).collect()
        }
        ListFormat::Plain | ListFormat::Iconv => records.map(|record| line(&record)).collect(),
    }
}

fn matches(pattern: &LabelPattern, encoding: &Encoding, names: &[Alias]) -> bool {
    pattern.matches_name(encoding.name())
        || names.iter().any(|alias| pattern.matches_name(alias.name))
        || pattern.matches_description(encoding.description())
        || pattern.matches_description(encoding.category())
}

/// Returns the list of the transforms that match all patterns, or `None` if there are none.
fn transform_list(format: ListFormat, patterns: &[LabelPattern]) -> Option<Vec<u8>> {
    let selected = matching_transforms(patterns);
    if selected.is_empty() {
        return None;
    }
    let width = selected.iter().map(|transform| transform.name.len()).max().unwrap_or(0);
    let records = selected.iter().copied().map(TransformRecord::new);
    let list = render(format, records, |record| {
        format!("{:width$}  {}\n", record.name, record.description)
    });
    Some(list.into_bytes())
}

/// Returns the list of the encodings, and then the transforms, that match all patterns.
fn everything_list(patterns: &[LabelPattern]) -> Option<Vec<u8>> {
    let encodings = filtered_list(ListFormat::Plain, true, patterns, |_| true);
    let transforms = matching_transforms(patterns);
    if transforms.is_empty() {
        return encodings.or_else(|| option_list(patterns));
    }
    let mut list = encodings.unwrap_or_default();
    let width = transforms.iter().map(|transform| transform.name.len()).max().unwrap_or(0);
    for Transform { name, description, .. } in transforms {
        list.extend(format!("{name:width$}  transform: {description}\n").into_bytes());
    }
    Some(list)
}

/// Returns the list of the options that match all patterns, each after its encoding or transform.
fn option_list(patterns: &[LabelPattern]) -> Option<Vec<u8>> {
    let of_encodings = ALL.iter().copied().chain([&RFC_2047]).map(|it| (it.name(), it.options));
    let of_transforms = transform_spec::all().map(|it| (it.name, it.options));
    let mut list = String::new();
    for (name, options) in of_encodings.chain(of_transforms) {
        for OptionSpec { name: option, description, .. } in options {
            let is_match =
                |it: &LabelPattern| it.matches_name(option) || it.matches_description(description);
            if patterns.iter().all(is_match) {
                let _ = writeln!(list, "{name}:{option}  option: {description}");
            }
        }
    }
    (!list.is_empty()).then(|| list.into_bytes())
}

fn matching_transforms(patterns: &[LabelPattern]) -> Vec<&'static Transform> {
    let is_selected = |transform: &&Transform| {
        patterns.iter().all(|pattern| {
            pattern.matches_name(transform.name)
                || transform.aliases.iter().any(|alias| pattern.matches_name(alias))
                || pattern.matches_description(transform.description)
        })
    };
    transform_spec::all().filter(is_selected).collect()
}

/// A transform in the list.
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
}

impl ToJson for TransformRecord {
    fn write_json(&self, json: &mut String) {
        JsonObject::default()
            .with("name", self.name)
            .with("aliases", self.aliases)
            .with("between", self.between)
            .with("options", &self.options)
            .with("description", self.description)
            .write_json(json);
    }
}

impl ListRecord for TransformRecord {
    const TSV_HEADER: &'static str = "name\tbetween\taliases\toptions\tdescription\n";

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

impl EncodingRecord {
    /// Returns the name, the description, and the aliases that match a pattern that the name does not
    /// match.
    fn description_line(&self, width: usize, patterns: &[LabelPattern]) -> String {
        let unmatched: Vec<_> = patterns.iter().filter(|it| !it.matches_name(self.name)).collect();
        let is_match =
            |alias: &&AliasRecord| unmatched.iter().any(|it| it.matches_name(alias.name));
        let aliases: Vec<_> = self.aliases.iter().filter(is_match).map(|it| it.name).collect();
        let suffix = match aliases.is_empty() {
            true => String::new(),
            false => format!(" [{}]", aliases.join(" ")),
        };
        format!("{:width$}  {}{suffix}\n", self.name, self.description)
    }

    /// Returns the name and the aliases, separated by spaces.
    fn plain_line(&self) -> String {
        let aliases = self.aliases.iter().flat_map(|alias| [" ", alias.name]);
        [self.name].into_iter().chain(aliases).chain(["\n"]).collect()
    }
}

impl ListRecord for EncodingRecord {
    const TSV_HEADER: &'static str =
        "name\tmime\twindows_code_page\tdecode\tencode\tcategory\taliases\tdescription\n";

    /// Has the sources of each alias in parentheses.
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
