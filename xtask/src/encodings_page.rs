//! The pages of encodings and of transforms, made from the library of charpipe.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use charpipe::internals::encoding::alias::{self, Alias, AliasSources};
use charpipe::internals::encoding::{
    ALL, BomHandling, Encoding, EncodingOptions, OptionSpec, OptionValues,
};
use charpipe::internals::transcode::split::SplitRule;
use charpipe::internals::transform;

const INTRODUCTION: &str = "\
# Encodings

`cargo xtask generate` makes this page from the program.

Case, punctuation and leading zeros in a name are ignored: `utf8`, `UTF_8` and `Utf-08` are
`UTF-8`. Options follow a colon and are separated by commas: `utf-7:close=always,set-o=direct`.
A flag is set by its name alone or by `=yes` (also `on`, `true`, `1` and `allow`), and cleared by `=no`
(also `off`, `false` and `0`). The names of each encoding are grouped by the programs and registries that
use them; `RFC` is any specification that defines the encoding, and `MIME` is the preferred name in mail.

";

const USER_DEFINED: &str = "\
## User-defined encodings

A path in place of a name, as in `-f ./machine.ucm` or `-t /usr/share/maps/machine.txt`, names a file that defines an
encoding: the path begins with `/`, `./` or `../`. Transforms cannot follow it; use `--via`. The format is recognized:

- a UCM file of ICU (`<U20AC> \\xA4 |0`), whose fallbacks (`|1`, `|3`) are for one direction;
- a charmap of POSIX as those of the GNU C library (`<U20AC> /xa4 EURO SIGN`), with ranges and with `%IRREVERSIBLE%` before codes
  that are only decoded;
- lines with a code and a character (`0xA4 0x20AC # EURO SIGN`), as the tables at unicode.org.

A code has one to four bytes and represents one to four characters (`<U0041>+<U0300>`, `0x0041+0x0300`). The longest code
is decoded, and the longest text encoded. If several codes have the same character, it is encoded to the first one. A file that is not
valid, is longer than 64 MiB, has more than 1,200,000 mappings, or defines an encoding with shift states is an error, with its line. A malformed sequence ends before a byte
that is ASCII if all ASCII characters are encoded as themselves. A file that is compressed has to be decompressed first.

";

/// The numbers of mappings that differ, which `cargo test --test differential mappings` counts.
const DIFFERENCES: &str = include_str!("../../tests/mappings/differences.tsv");

const TABLES: &str = "\
## Where tables differ

glibc, libiconv and the Encoding Standard (WHATWG) have the same tables as charpipe for encodings of the same
name, except for the mappings counted here. A name with the prefix `libiconv:` or `whatwg:` selects the table of
the other. The three numbers are: mappings that differ, mappings only in charpipe, and mappings only in the
other; first for decoding, then for encoding. [Disagreements](disagreements.md) lists differences of other
converters that are not in their tables.

| encoding | other | its name | decoding: different, only charpipe, only the other | encoding: the same |
|---|---|---|---|---|
";

const SPLIT_RULES: &str = "
## Where files can be split

A file that is split after these bytes, or at its ends, can be converted in parts: the outputs of the parts, in
their order, are the output of the whole file, also if the file has errors, unless the conversion stops at one. Each part but the first begins in the
state after these bytes: its byte order is that of the byte order mark of the file, and U+FEFF is a character.
What has transforms, as in `utf-8/base64`, cannot be split, and neither can lists of encodings and header fields
of mail (RFC2047). `charpipe list --about` prints the rule of an encoding.

| a file can be split | in these encodings |
|---|---|
";

const SPLIT_TARGETS: &str = "
The text must also be split where the target encoding allows it. At line feeds all of those below can be
split that can be split at all; after other bytes only those that encode each character by itself.

| text can be split | for these targets |
|---|---|
";

const TRANSFORMS: &str = "\
# Transforms

`cargo xtask generate` makes this page from the program. [Chains](chains.md) describes how transforms are combined.

A transform follows an encoding, as in `utf-8/crlf/base64`, or comes between two (`--via`). Transforms of bytes
apply to encoded text, transforms of text to text before it is encoded. Options are written as those of encodings.
`charpipe list --transforms` prints this table.

| transform | description |
|---|---|
";

/// Returns the page of encodings.
pub fn render() -> String {
    let mut names: HashMap<&str, Vec<Alias>> = HashMap::new();
    for known in alias::all() {
        names.entry(known.encoding).or_default().push(known);
    }
    let mut categories: Vec<&str> = Vec::new();
    for encoding in ALL {
        if !categories.contains(&encoding.category()) {
            categories.push(encoding.category());
        }
    }
    let mut page = INTRODUCTION.to_owned();
    for category in categories {
        let _ =
            write!(page, "## {category}\n\n| encoding | description | names |\n|---|---|---|\n");
        let members = || ALL.iter().filter(|encoding| encoding.category() == category);
        for encoding in members() {
            let names = names.get(encoding.name()).map_or(String::new(), |names| by_source(names));
            let _ = writeln!(
                page,
                "| {} | {} | {names} |",
                cell(encoding.name()),
                cell(encoding.description())
            );
        }
        page.push('\n');
        members().for_each(|encoding| details(encoding, &mut page));
    }
    page += USER_DEFINED;
    page += TABLES;
    DIFFERENCES.lines().for_each(|line| page += &difference_row(line));
    page += SPLIT_RULES;
    page += &split_table(|rule| match rule.unverified_line_feeds {
        bytes if bytes.is_empty() => rule.source.to_string(),
        bytes => format!(
            "{}; after {bytes} if it is verified that the part before ended in the initial state",
            rule.source
        ),
    });
    page += SPLIT_TARGETS;
    page += &split_table(|rule| rule.target.to_string());
    page
}

/// Returns the page of transforms.
pub fn render_transforms() -> String {
    let mut page = TRANSFORMS.to_owned();
    for known in transform::all() {
        let names: Vec<_> =
            [known.name].iter().chain(known.aliases).map(|name| cell(name)).collect();
        let _ = writeln!(page, "| {} | {} |", names.join(", "), cell(known.description));
    }
    page.push('\n');
    for known in transform::all().filter(|known| !known.options.is_empty()) {
        let _ = write!(page, "## {}\n\n", known.name);
        option_table(known.options, &mut page);
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// Returns the names grouped by their sources, those with the most sources first.
fn by_source(names: &[Alias]) -> String {
    let mut groups: BTreeMap<(Reverse<u32>, AliasSources), Vec<&str>> = BTreeMap::new();
    for known in names {
        let key = (Reverse(known.sources.count_ones()), known.sources);
        groups.entry(key).or_default().push(known.name());
    }
    let group = |((_, sources), names): (&(_, AliasSources), &Vec<&str>)| {
        let sources: Vec<_> = alias::source_names(*sources).collect();
        format!("{}: `{}`", sources.join(", "), names.join("` `"))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// Adds the section on the byte order mark and the options of an encoding, if it has any.
fn details(encoding: &Encoding, page: &mut String) {
    let bom = match encoding.bom_handling {
        BomHandling::Ignore => None,
        BomHandling::Detect => Some("A byte order mark is honored and removed; none is written."),
        BomHandling::DetectAndWrite => {
            Some("A byte order mark is honored and removed; the output begins with one.")
        }
    };
    let range = extended_range(encoding);
    if bom.is_none() && range.is_none() && encoding.options.is_empty() {
        return;
    }
    let _ = write!(page, "### {}\n\n", encoding.name());
    for sentence in bom.into_iter().chain(range.as_deref()) {
        let _ = write!(page, "{sentence}\n\n");
    }
    option_table(encoding.options, page);
}

/// Returns the rows of a table with a text for each split rule, and the encodings with that rule; the text of
/// most encodings comes last.
fn split_table(text: impl Fn(SplitRule) -> String) -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |text: String, name: String| match rows.iter_mut().find(|row| row.0 == text) {
        Some((_, names)) => names.push(name),
        None => rows.push((text, vec![name])),
    };
    for encoding in ALL {
        let default = text(encoding.split_rule());
        add(default.clone(), cell(encoding.name()));
        for option in encoding.options.iter().flat_map(option_values) {
            let Ok(options) = EncodingOptions::parse(&option, encoding.options) else { continue };
            let other = text(encoding.factory.split_rule(&options));
            if other != default {
                add(other, format!("{} with `{option}`", cell(encoding.name())));
            }
        }
    }
    let largest = (0..rows.len()).max_by_key(|index| rows[*index].1.len()).unwrap_or(0);
    let (largest, _) = rows.remove(largest);
    rows.push((largest, vec!["all others".to_owned()]));
    let row =
        |(text, names): &(String, Vec<String>)| format!("| {text} | {} |\n", names.join(", "));
    rows.iter().map(row).collect()
}

/// Returns the option with each of its values, if they are words.
fn option_values(key: &OptionSpec) -> Vec<String> {
    match key.values {
        OptionValues::Choice(words) => {
            words.iter().map(|word| format!("{}={word}", key.name)).collect()
        }
        OptionValues::Flag => vec![key.name.to_owned()],
        OptionValues::Integer(..) | OptionValues::Encoding => Vec::new(),
    }
}

/// Adds a table of options, if there are any.
fn option_table(options: &[OptionSpec], page: &mut String) {
    if options.is_empty() {
        return;
    }
    page.push_str("| option | values | default | description |\n|---|---|---|---|\n");
    options.iter().for_each(|key| option_entry(key, page));
    page.push('\n');
}

/// Returns a sentence on values above U+10FFFF, if the encoding has them.
fn extended_range(encoding: &Encoding) -> Option<String> {
    let ucs4 = encoding.ucs4.as_ref()?;
    if (ucs4.is_enabled)(&EncodingOptions::default()) {
        return Some("Has values up to 7FFFFFFF.".to_owned());
    }
    let enables = |key: &&OptionSpec| {
        EncodingOptions::parse(key.name, encoding.options)
            .is_ok_and(|options| (ucs4.is_enabled)(&options))
    };
    let key = encoding.options.iter().find(enables)?;
    Some(format!("With the option `{}` it has values up to 7FFFFFFF.", key.name))
}

fn option_entry(key: &OptionSpec, page: &mut String) {
    let (values, default) = match key.values {
        OptionValues::Choice(words) => {
            let all: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            (all.join(", "), format!("`{}`", words[0]))
        }
        OptionValues::Flag => ("flag".to_owned(), "no".to_owned()),
        OptionValues::Integer(low, high) => (format!("{low} to {high}"), "none".to_owned()),
        OptionValues::Encoding => ("an encoding".to_owned(), "UTF-8".to_owned()),
    };
    let _ = writeln!(page, "| `{}` | {values} | {default} | {} |", key.name, cell(key.description));
}

/// Converts a line of the numbers to a row of the table.
fn difference_row(line: &str) -> String {
    let fields: Vec<&str> = line.split('\t').collect();
    let [encoding, map, numbers @ ..] = &fields[..] else { panic!("not six numbers: {line}") };
    let (origin, name) = map.split_once('/').expect("an origin and a name");
    let origin = match origin {
        "glibc" => "glibc 2.36",
        "libiconv" => "libiconv 1.19",
        "whatwg" => "WHATWG",
        _ => panic!("unknown origin: {origin}"),
    };
    let (codes, characters) = numbers.split_at(3);
    let (codes, characters) = (codes.join(", "), characters.join(", "));
    format!("| {} | {origin} | {} | {codes} | {characters} |\n", cell(encoding), cell(name))
}

/// Escapes the characters of text that are special in a cell of a table.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for character in text.chars() {
        if r"\|*_`<".contains(character) {
            cell.push('\\');
        }
        cell.push(character);
    }
    cell
}
