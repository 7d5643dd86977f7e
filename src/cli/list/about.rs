//! `charpipe list --about`: one encoding or transform in detail.

use std::fmt::Write;

use charpipe_encoding::encoding::{self, Encoding, OptionSpec, OptionValues};
use charpipe_transcode::options::EncodingSpec;
use charpipe_transcode::split::SplitTarget;
use charpipe_transform::Transform;

use super::character_codec::{CharacterCodec, DecodedCharacter};
use super::record::{AliasRecord, EncodingRecord};

/// The libraries and standards whose meaning of a name is compared.
const VENDORS: [(&str, &str); 3] =
    [("glibc", "glibc"), ("libiconv", "libiconv"), ("whatwg", "WHATWG")];

/// The maximum number of bytes or sequences that a line shows.
const MAX_SHOWN: usize = 16;

/// Describes an encoding in lines of a name and a value. `label` is what the user calls it.
pub fn describe(spec: &EncodingSpec, label: &str) -> String {
    let encoding = spec.encoding;
    let record = EncodingRecord::of(encoding);
    let mut text = format!("{}: {}\n", encoding.name(), encoding.description());
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<20} {value}");
    };
    line("category", record.category);
    if let Some(name) = record.mime {
        line("MIME name", name);
    }
    if let Some(page) = record.windows_code_page {
        line("Windows code page", &page.to_string());
    }
    for (source, names) in names_by_source(&record) {
        line(&format!("names in {source}"), &names.join(" "));
    }
    let yes_no = |flag| if flag { "yes" } else { "no" };
    line("ASCII-compatible", yes_no(encoding.is_ascii_compatible()));
    line("byte order mark", bom_handling(encoding));
    let split = spec.split_rule();
    line("files can be split", &split.source.to_string());
    if !split.unverified_line_feeds.is_empty() {
        line("with verification", &format!("after {}", split.unverified_line_feeds));
    }
    if split.target != SplitTarget::AnyCharacter {
        line("text can be split", &split.target.to_string());
    }
    let table = decode_single_bytes(&mut CharacterCodec::new(encoding));
    if table.iter().all(|row| *row != DecodedCharacter::Incomplete) {
        let undefined = |byte: &u8| table[usize::from(*byte)] == DecodedCharacter::Malformed;
        let undefined: Vec<_> = (0..=u8::MAX).filter(undefined).map(|byte| vec![byte]).collect();
        line("undefined bytes", &list_of(&undefined, "none"));
    }
    for option in encoding.options {
        line("option", &describe_option(option));
    }
    let bare = label.split_once(':').map_or(label, |(_, name)| name);
    for (prefix, vendor) in VENDORS {
        let is_own = |alias: &&AliasRecord| alias.sources.contains(&vendor);
        let own = record.aliases.iter().find(is_own).map(|alias| alias.name);
        let lookup = |name| Some((name, Encoding::lookup(&format!("{prefix}:{name}")).ok()?));
        match lookup(bare).or_else(|| lookup(own?)) {
            None => line(vendor, "has no encoding of this name"),
            Some((name, other)) if other == encoding => {
                line(vendor, &format!("{name} is the same"))
            }
            Some((name, other)) => {
                let difference = difference(encoding, other);
                line(vendor, &format!("{name} is {}, which {difference}", other.name()));
            }
        }
    }
    text
}

/// Describes a transform in lines of a name and a value.
pub fn describe_transform(transform: &Transform) -> String {
    let mut text = format!("{}: {}\n", transform.name, transform.description);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<20} {value}");
    };
    if !transform.aliases.is_empty() {
        line("aliases", &transform.aliases.join(" "));
    }
    line("transform of", if transform.is_for_bytes() { "bytes" } else { "text" });
    for option in transform.options {
        line("option", &describe_option(option));
    }
    text
}

fn describe_option(option: &OptionSpec) -> String {
    let OptionSpec { name, values, description } = option;
    match values {
        OptionValues::Flag => format!("{name}  {description}"),
        _ => format!("{name}={values}  {description}"),
    }
}

/// Returns the sources of an encoding's names, each with its names.
fn names_by_source(record: &EncodingRecord) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut groups: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for alias in &record.aliases {
        for source in &alias.sources {
            match groups.iter_mut().find(|(name, _)| name == source) {
                Some((_, names)) => names.push(alias.name),
                None => groups.push((source, vec![alias.name])),
            }
        }
    }
    groups.retain(|(source, _)| *source != "MIME");
    groups
}

fn bom_handling(encoding: &Encoding) -> &'static str {
    match encoding.bom_handling {
        encoding::BomHandling::Ignore => "is a character",
        encoding::BomHandling::Detect => "is obeyed and removed; none is written",
        encoding::BomHandling::DetectAndWrite => "is obeyed and removed; one is written",
    }
}

fn decode_single_bytes(codec: &mut CharacterCodec) -> Vec<DecodedCharacter> {
    (0..=u8::MAX).map(|byte| codec.decode(&[byte], false)).collect()
}

/// Describes how the tables of two encodings differ: the sequences of one or two bytes that they
/// decode differently, and the number of characters that they encode differently.
fn difference(one: &Encoding, other: &Encoding) -> String {
    let [mut one, mut other] = [one, other].map(CharacterCodec::new);
    let (ones, others) = (decode_single_bytes(&mut one), decode_single_bytes(&mut other));
    let mut sequences = Vec::new();
    for byte in 0..=u8::MAX {
        let (a, b) = (&ones[usize::from(byte)], &others[usize::from(byte)]);
        if *a != DecodedCharacter::Incomplete || *b != DecodedCharacter::Incomplete {
            if a != b {
                sequences.push(vec![byte]);
            }
            continue;
        }
        for trail in 0..=u8::MAX {
            let pair = [byte, trail];
            if one.decode(&pair, false) != other.decode(&pair, false) {
                sequences.push(pair.to_vec());
            }
        }
    }
    let is_different = |character: &char| {
        let mut buffer = [0; 4];
        let text: &str = character.encode_utf8(&mut buffer);
        one.encode(text) != other.encode(text)
    };
    let characters = ('\0'..=char::MAX).filter(is_different).count();
    let decoded = match sequences.len() {
        0 => "decodes every sequence of one or two bytes alike".to_owned(),
        _ => format!("differs in decoding {}", list_of(&sequences, "")),
    };
    match characters {
        0 => decoded,
        1 => format!("{decoded}, and in encoding 1 character"),
        _ => format!("{decoded}, and in encoding {characters} characters"),
    }
}

/// Lists byte sequences in hexadecimal.
fn list_of(sequences: &[Vec<u8>], none: &str) -> String {
    if sequences.is_empty() {
        return none.to_owned();
    }
    let hex =
        |sequence: &Vec<u8>| sequence.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let shown: Vec<_> = sequences.iter().take(MAX_SHOWN).map(hex).collect();
    let rest = sequences.len() - shown.len();
    let suffix = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    shown.join(" ") + &suffix
}
