//! Conversions as by GNU libiconv: names of encodings, transliterations, and what is done on errors.

use std::collections::{BTreeMap, HashMap};

use charpipe_encoding::encoder::first_unmappable;
use charpipe_encoding::encoding::{self, alias};
use charpipe_transcode::error_policy::{
    ErrorAction, ErrorPolicy, FormatString, TranslitRules, TransliterationTable,
};
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

use super::arguments::ConversionArguments;
use super::encoding_name as glibc;
use super::locale::Locale;

/// The transliterations.
const TRANSLITERATIONS: &str = include_str!("libiconv/translit.tsv");

/// Tag characters, which are dropped if the target encoding does not have them.
const TAGS: std::ops::RangeInclusive<u32> = 0xE0000..=0xE007F;

/// Quotation marks that become a grave accent only if the target encoding has the acute one too.
const QUOTATION_MARKS: [u32; 3] = [0x02BB, 0x2018, 0x201A];

/// A name without its suffixes.
#[derive(Debug, PartialEq, Eq)]
pub struct NameArgument {
    /// The name in capitals; empty for that of the locale.
    pub name: String,
    /// The suffixes.
    pub suffixes: Suffixes,
}

/// The suffixes of a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Suffixes {
    /// `TRANSLIT`.
    pub transliterates: bool,
    /// `IGNORE`: skip malformed input.
    pub skips_malformed: bool,
    /// `IGNORE` or `NON_IDENTICAL_DISCARD`: skip unmappable characters.
    pub skips_unmappable: bool,
}

impl Suffixes {
    /// Returns the suffixes of both names.
    pub fn union(self, other: Suffixes) -> Suffixes {
        Suffixes {
            transliterates: self.transliterates | other.transliterates,
            skips_malformed: self.skips_malformed | other.skips_malformed,
            skips_unmappable: self.skips_unmappable | other.skips_unmappable,
        }
    }
}

/// An encoding, or a family of encodings that differ in byte order.
#[derive(Debug, Clone)]
pub enum NamedEncoding {
    /// One encoding.
    One(EncodingSpec),
    /// Encodings of which the input selects one.
    ByteOrders(&'static ByteOrders),
}

/// Encodings that differ in byte order. The order of the input is that of its BOM, or else big-endian;
/// the output is big-endian.
#[derive(Debug, PartialEq, Eq)]
pub struct ByteOrders {
    names: &'static [&'static str],
    big_endian: &'static str,
    little_endian: &'static str,
    /// The encoding of the output, which may begin with a BOM.
    output: &'static str,
    bom: &'static [u8],
}

const BYTE_ORDERS: [ByteOrders; 4] = [
    ByteOrders {
        names: &["UTF-16"],
        big_endian: "UTF-16BE",
        little_endian: "UTF-16LE",
        output: "UTF-16BE-BOM",
        bom: b"\xFE\xFF",
    },
    ByteOrders {
        names: &["UTF-32"],
        big_endian: "UTF-32BE",
        little_endian: "UTF-32LE",
        output: "UTF-32BE-BOM",
        bom: b"\0\0\xFE\xFF",
    },
    ByteOrders {
        names: &["UCS-2", "ISO-10646-UCS-2", "CSUNICODE"],
        big_endian: "UCS-2BE",
        little_endian: "UCS-2LE",
        output: "UCS-2BE",
        bom: b"\xFE\xFF",
    },
    ByteOrders {
        names: &["UCS-4", "ISO-10646-UCS-4", "CSUCS4"],
        big_endian: "UCS-4BE",
        little_endian: "UCS-4LE",
        output: "UCS-4BE",
        bom: b"\0\0\xFE\xFF",
    },
];

impl NameArgument {
    /// Parses a name. Suffixes follow one or two slashes, in any order.
    pub fn parse(argument: &[u8]) -> NameArgument {
        let name = String::from_utf8_lossy(argument).to_ascii_uppercase();
        let mut suffixes = Suffixes::default();
        let mut rest = name.as_str();
        loop {
            // The slash must not be the first character, unless there are two.
            let strip =
                |suffix| rest.strip_suffix(suffix).filter(|before: &&str| !before.is_empty());
            let before = if let Some(before) = strip("/TRANSLIT") {
                suffixes.transliterates = true;
                before
            } else if let Some(before) = strip("/IGNORE") {
                suffixes.skips_malformed = true;
                suffixes.skips_unmappable = true;
                before
            } else if let Some(before) = strip("/NON_IDENTICAL_DISCARD") {
                suffixes.skips_unmappable = true;
                before
            } else {
                break;
            };
            rest = before.strip_suffix('/').unwrap_or(before);
        }
        let name = rest.strip_suffix('/').unwrap_or(rest).to_owned();
        NameArgument { name, suffixes }
    }

    /// Returns the encoding with this name. Names match in any case, but exactly.
    pub fn resolve(&self) -> Option<NamedEncoding> {
        match self.name.as_str() {
            "" | "CHAR" => resolve(&Locale::from_environment().encoding),
            name => resolve(name),
        }
    }
}

impl NamedEncoding {
    /// Returns the encoding that output has.
    pub fn for_output(self) -> Option<EncodingSpec> {
        match self {
            NamedEncoding::One(encoding) => Some(encoding),
            NamedEncoding::ByteOrders(orders) => Some(encoding::for_label(orders.output)?.into()),
        }
    }

    /// Returns the number of bytes that may be a BOM, on which the encoding of input depends.
    pub fn bom_len(&self) -> usize {
        match self {
            NamedEncoding::One(_) => 0,
            NamedEncoding::ByteOrders(orders) => orders.bom.len(),
        }
    }

    /// Returns the encoding of input that starts with these bytes, and the length of its BOM.
    pub fn for_input(&self, start: &[u8]) -> Option<(EncodingSpec, usize)> {
        let orders = match self {
            NamedEncoding::One(encoding) => return Some((encoding.clone(), 0)),
            NamedEncoding::ByteOrders(orders) => orders,
        };
        let (name, len) = if start.starts_with(orders.bom) {
            (orders.big_endian, orders.bom.len())
        } else if start.iter().eq(orders.bom.iter().rev()) {
            (orders.little_endian, orders.bom.len())
        } else {
            (orders.big_endian, 0)
        };
        Some((encoding::for_label(name)?.into(), len))
    }
}

/// Returns the encoding with this name in libiconv, or else in glibc or another program.
fn resolve(name: &str) -> Option<NamedEncoding> {
    let has_name =
        |orders: &&ByteOrders| orders.names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some(orders) = BYTE_ORDERS.iter().find(has_name) {
        return Some(NamedEncoding::ByteOrders(orders));
    }
    let is_known = alias::all().any(|alias| alias.name.eq_ignore_ascii_case(name));
    let of_libiconv =
        if is_known { encoding::for_label(&format!("libiconv:{name}")) } else { None };
    of_libiconv.map(EncodingSpec::from).or_else(|| glibc::resolve(name)).map(NamedEncoding::One)
}

/// Returns the options of a conversion, of which the encoding of the input is not known before it is read.
///
/// # Errors
///
/// Returns the message if the output encoding does not have the characters of a format.
pub fn conversion_options(
    arguments: &ConversionArguments,
    to: EncodingSpec,
    suffixes: Suffixes,
) -> Result<TranscodeOptions, String> {
    let mut encoder = to.encoding.encoder(&to.options);
    let mut can_encode = |text: &str| first_unmappable(&mut *encoder, text).is_none();
    let mut format_action = |format: &Option<FormatString>, what: &str| {
        // With -c nothing is substituted.
        let Some(format) = format.clone().filter(|_| !arguments.discard) else { return Ok(None) };
        if can_encode(format.repertoire()) {
            return Ok(Some(ErrorAction::Format(format)));
        }
        Err(format!("cannot convert {what} substitution to target encoding: {format}"))
    };
    let byte_format = format_action(&arguments.byte_format, "byte")?;
    let unicode_format = format_action(&arguments.unicode_format, "unicode")?;
    let otherwise = if arguments.discard { ErrorAction::Skip } else { ErrorAction::Stop };
    let malformed = match suffixes.skips_malformed {
        true => ErrorAction::Skip,
        false => byte_format.unwrap_or_else(|| otherwise.clone()),
    };
    let replaced =
        can_encode("\u{FFFD}").then(|| ErrorAction::Replace(Some("\u{FFFD}".to_owned())));
    let unmappable = match suffixes.skips_unmappable {
        true => ErrorAction::Skip,
        false => unicode_format.or(replaced).unwrap_or(otherwise),
    };
    let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    if suffixes.transliterates {
        let has_accents = can_encode("`\u{B4}");
        rows.extend(transliterations(has_accents));
    }
    rows.extend(TAGS.map(|tag| (tag, vec![String::new()])));
    let mut options = TranscodeOptions::new(charpipe_encoding::UTF_8, to).bom(BomPolicy::Keep);
    options.error_policy = ErrorPolicy { malformed, unmappable: ErrorAction::Transliterate };
    options.translit_rules = Some(TranslitRules {
        table: Some(TransliterationTable::leak(rows)),
        missing: Some(""),
        untransliterable: Some(unmappable),
    });
    Ok(options)
}

/// Returns the rows of the table of transliterations.
fn transliterations(has_accents: bool) -> impl Iterator<Item = (u32, Vec<String>)> {
    let lines = TRANSLITERATIONS.lines().filter_map(|line| line.split_once('\t'));
    lines.filter_map(move |(code_point, candidates)| {
        let code_point = u32::from_str_radix(code_point, 16).ok()?;
        let drops_grave = !has_accents && QUOTATION_MARKS.contains(&code_point);
        let kept = candidates.split('\t').filter(|text| !(drops_grave && *text == "`"));
        Some((code_point, kept.map(str::to_owned).collect()))
    })
}

/// Returns the names of each encoding.
pub fn groups() -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut index_by_encoding = HashMap::new();
    for name in glibc::all() {
        let key = match resolve(&name) {
            None => continue,
            Some(NamedEncoding::One(encoding)) => encoding.to_string(),
            Some(NamedEncoding::ByteOrders(orders)) => orders.names[0].to_owned(),
        };
        let index = *index_by_encoding.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[index].push(name);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{self, Flavor, Request};

    #[test]
    fn suffixes_follow_slashes() {
        let parse = |name: &str| {
            let NameArgument { name, suffixes } = NameArgument::parse(name.as_bytes());
            let Suffixes { transliterates, skips_malformed, skips_unmappable } = suffixes;
            (name, [transliterates, skips_malformed, skips_unmappable])
        };
        for (argument, name, suffixes) in [
            ("latin1", "LATIN1", [false, false, false]),
            ("latin1//translit", "LATIN1", [true, false, false]),
            ("latin1//TRANSLIT//IGNORE", "LATIN1", [true, true, true]),
            ("latin1//IGNORE/TRANSLIT", "LATIN1", [true, true, true]),
            ("latin1//NON_IDENTICAL_DISCARD", "LATIN1", [false, false, true]),
            ("//TRANSLIT", "", [true, false, false]),
            ("/TRANSLIT", "/TRANSLIT", [false, false, false]),
            ("latin1//FOO", "LATIN1//FOO", [false, false, false]),
            ("latin1//IGNORE,TRANSLIT", "LATIN1//IGNORE,TRANSLIT", [false, false, false]),
            ("", "", [false, false, false]),
        ] {
            assert_eq!(parse(argument), (name.to_owned(), suffixes), "{argument:?}");
        }
    }

    #[test]
    fn quotation_marks_become_accents_only_where_there_are_both() {
        // unicode_transliterate in loops.h of libiconv, and HAVE_ACCENTS.
        let arguments = arguments::parse(Flavor::Libiconv, b"iconv", &[], false);
        let Ok(Request::Convert(arguments)) = arguments else { panic!("{arguments:?}") };
        let suffixes = Suffixes { transliterates: true, ..Suffixes::default() };
        for (to, expected) in [("latin1", &b"`a\xB4"[..]), ("ascii", b"'a'")] {
            let options = conversion_options(&arguments, to.parse().unwrap(), suffixes).unwrap();
            assert_eq!(options.transcode("‘a’".as_bytes()).unwrap(), expected, "{to}");
        }
    }

    #[test]
    fn formats_need_a_target_encoding_with_their_characters() {
        // The messages of iconv.c in libiconv.
        for (option, what) in [("--byte-subst=é%x", "byte"), ("--unicode-subst=é%x", "unicode")] {
            let words = [option.as_bytes()];
            let arguments = arguments::parse(Flavor::Libiconv, b"iconv", &words, false);
            let Ok(Request::Convert(arguments)) = arguments else { panic!("{arguments:?}") };
            let options =
                |to: &str| conversion_options(&arguments, to.parse().unwrap(), Suffixes::default());
            let message = format!("cannot convert {what} substitution to target encoding: é%x");
            assert_eq!(options("ascii").err(), Some(message));
            assert!(options("latin1").is_ok(), "{option}");
        }
    }

    #[test]
    fn byte_order_is_that_of_the_bom_or_big_endian() {
        let utf_16 = resolve("utf-16").unwrap();
        for (start, name, len) in [
            (&b"\xFE\xFF"[..], "UTF-16BE", 2),
            (b"\xFF\xFE", "UTF-16LE", 2),
            (b"a\0", "UTF-16BE", 0),
            (b"", "UTF-16BE", 0),
        ] {
            let (encoding, bom_len) = utf_16.for_input(start).unwrap();
            assert_eq!((encoding.encoding.name(), bom_len), (name, len), "{start:?}");
        }
        for orders in &BYTE_ORDERS {
            for name in [orders.big_endian, orders.little_endian, orders.output] {
                assert_eq!(encoding::for_label(name).map(|found| found.name()), Some(name));
            }
        }
    }
}
