//! The files in which encodings are described: `crates/encoding/src/encoding/names.txt` and
//! `crates/encoding/src/encoding/single_byte/data/*.txt`. The README there describes their format.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::root;
use crate::single_byte::SingleByteMapping;

/// The files of single-byte encodings, in the order in which lists show the encodings.
const FAMILIES: [&str; 21] = [
    "base",
    "iso-8859",
    "windows",
    "dos",
    "ibm-pc-data",
    "macintosh",
    "other-machines",
    "cyrillic",
    "asia",
    "accented-latin",
    "other-sets",
    "iso-646",
    "seven-bit",
    "ebcdic-latin",
    "ebcdic-scripts",
    "ebcdic-iana",
    "icu-python-recode-perl",
    "libiconv",
    "whatwg",
    "python-variants",
    "icu-variants",
];

const NAMES: &str = "crates/encoding/src/encoding/names.txt";
const SINGLE_BYTE_DATA: &str = "crates/encoding/src/encoding/single_byte/data";

/// What a section describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// `encoding:` An encoding of charpipe.
    Encoding,
    /// `table:` A single-byte encoding with a codec of its own, which others are based on.
    BaseTable,
    /// `unsupported:` An encoding that charpipe does not implement.
    Unsupported,
}

/// The description of one encoding.
#[derive(Debug)]
pub struct Section {
    /// What it describes.
    pub kind: SectionKind,
    /// The name of the encoding.
    pub name: String,
    /// One line for lists. Empty if it is in the Rust code.
    pub description: String,
    /// The category under which lists show the encoding. Empty if it is unsupported.
    pub category: String,
    /// Where the mapping comes from, for an encoding without a map in `tests/mappings`.
    pub source: Option<String>,
    /// The names, each with the programs and registries that use it.
    pub aliases: Vec<(String, String)>,
    /// What each byte means, for a single-byte encoding.
    pub mapping: SingleByteMapping,
}

/// Returns the sections of all single-byte encodings, the base tables first.
///
/// # Errors
///
/// If a file cannot be read or does not have the format.
pub fn single_byte() -> Result<Vec<Section>> {
    let directory = root().join(SINGLE_BYTE_DATA);
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(&directory)? {
        let name = entry?.file_name();
        files.extend(name.to_string_lossy().strip_suffix(".txt").map(str::to_owned));
    }
    ensure!(
        files.iter().eq(FAMILIES.iter().collect::<BTreeSet<_>>()),
        "FAMILIES in xtask/src/encodings.rs must list the files of {SINGLE_BYTE_DATA}"
    );
    let mut sections = Vec::new();
    for family in FAMILIES {
        let path = format!("{SINGLE_BYTE_DATA}/{family}.txt");
        parse_file(&path, &mut sections)?;
    }
    for section in &sections {
        let described = !section.description.is_empty() || section.kind != SectionKind::Encoding;
        ensure!(described, "{} has no description", section.name);
    }
    Ok(sections)
}

/// Returns the sections of all encodings, and of unsupported ones.
///
/// # Errors
///
/// If a file cannot be read or does not have the format.
pub fn all() -> Result<Vec<Section>> {
    let mut sections = single_byte()?;
    parse_file(NAMES, &mut sections)?;
    let mut names = BTreeSet::new();
    for section in &sections {
        ensure!(names.insert(&section.name), "{} is described twice", section.name);
    }
    Ok(sections)
}

/// Adds the sections of a file.
fn parse_file(path: &str, sections: &mut Vec<Section>) -> Result<()> {
    let text = fs::read_to_string(root().join(path)).with_context(|| path.to_owned())?;
    parse(&text, sections).with_context(|| path.to_owned())
}

/// Sections end at an empty line. A category outside of them is that of the sections below.
fn parse(text: &str, sections: &mut Vec<Section>) -> Result<()> {
    let mut default_category = String::new();
    let mut in_section = false;
    for (index, line) in text.lines().enumerate() {
        let context = || format!("line {}: {line}", index + 1);
        let (key, value) = line.split_once(": ").unwrap_or((line, ""));
        let kind = match key {
            "encoding" => Some(SectionKind::Encoding),
            "table" => Some(SectionKind::BaseTable),
            "unsupported" => Some(SectionKind::Unsupported),
            _ => None,
        };
        if let Some(kind) = kind {
            let supported = kind != SectionKind::Unsupported;
            sections.push(Section {
                kind,
                name: value.to_owned(),
                description: String::new(),
                category: if supported { default_category.clone() } else { String::new() },
                source: None,
                aliases: Vec::new(),
                mapping: SingleByteMapping::default(),
            });
            in_section = true;
        } else if line.is_empty() {
            in_section = false;
        } else if line.starts_with('#') {
            continue;
        } else if in_section {
            let (section, others) = sections.split_last_mut().expect("a section has begun");
            parse_line(section, key, value, line, others).with_context(context)?;
        } else if key == "category" {
            default_category = value.to_owned();
        } else {
            bail!("{}: outside of a section", context());
        }
    }
    Ok(())
}

fn parse_line(
    section: &mut Section,
    key: &str,
    value: &str,
    line: &str,
    others: &[Section],
) -> Result<()> {
    match key {
        "description" => section.description = value.to_owned(),
        "category" => section.category = value.to_owned(),
        "source" => section.source = Some(value.to_owned()),
        "alias" => {
            let (name, sources) = value.split_once(" = ").context("expected `NAME = SOURCES`")?;
            ensure!(!sources.trim().is_empty() && name.is_ascii(), "expected `NAME = SOURCES`");
            section.aliases.push((name.to_owned(), sources.to_owned()));
        }
        "base" => {
            let base = others.iter().find(|other| other.name == value);
            section.mapping.bytes =
                base.context("the base must be described before")?.mapping.bytes;
        }
        _ => section.mapping.parse_line(line)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Section>> {
        let mut sections = Vec::new();
        parse(text, &mut sections)?;
        Ok(sections)
    }

    #[test]
    fn sections_inherit_category_and_base() {
        let text = "# A comment.\n\ncategory: Some\n\nencoding: A\nalias: a-1 = IANA ICU\n0x41\t0x0041\n\n\
                    encoding: B\nbase: A\ncategory: Other\ndescription: Of x: y\n0x42\t0x20AC # EURO SIGN\n\n\
                    unsupported: C\nalias: c = ICU\n";
        let sections = parsed(text).unwrap();
        let [a, b, c] = &sections[..] else { panic!("{sections:?}") };
        assert_eq!((&a.category[..], &b.category[..], &c.category[..]), ("Some", "Other", ""));
        assert_eq!(a.aliases, [("a-1".to_owned(), "IANA ICU".to_owned())]);
        assert_eq!(b.description, "Of x: y");
        assert_eq!(b.mapping.bytes[0x41..0x44], [Some('A'), Some('€'), None]);
        assert_eq!(c.kind, SectionKind::Unsupported);
    }

    #[test]
    fn invalid_lines_are_rejected_with_their_number() {
        for (text, number) in [
            ("alias: a = IANA\n", 1),
            ("encoding: A\nalias: a\n", 2),
            ("encoding: A\n\nbase: B\n", 3),
            ("encoding: A\nG_ 00\n", 2),
            ("encoding: A\n8_ 00 01\n", 2),
            ("encoding: A\n0x100\t0x41\n", 2),
            ("encoding: A\n0x80\t0x10000\n", 2),
        ] {
            let error = parsed(text).unwrap_err();
            let shown = format!("{error:#}");
            assert!(shown.contains(&format!("line {number}: ")), "{text:?} {shown}");
        }
    }
}
