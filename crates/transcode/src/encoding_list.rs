//! Lists of encodings as a user writes them.
//!
//! `utf-8,windows-1252` decodes text in [mixed encodings](charpipe_encoding::encoding::mixed). Each encoding of a list
//! may have options, and so may the list, after the last encoding and a colon of their own:
//! `latin1:per=line` or `utf-7:close=always:per=line` at its end. After a comma, a word is a further
//! option if the encoding before it has options and knows the word, or if the word contains `=`.
//! Otherwise it is the next encoding.

use crate::header;
use crate::options::{EncodingSpec, lookup_label, parse_single_encoding};
use charpipe_encoding::encoding::alias::labels_match;
use charpipe_encoding::encoding::mixed::{EncodingList, MAX_MEMBERS, Member};
use charpipe_encoding::encoding::{
    self, BomHandling, Encoding, EncodingOptions, LIST_OPTIONS, MixedUnit,
};
use charpipe_encoding::error::Error;

/// Parses a list of encodings with its options. Returns `None` for a single encoding.
pub(crate) fn parse(label: &str) -> Option<Result<EncodingSpec, Error>> {
    if !label.contains(',') {
        return None;
    }
    let labels = split_members(label);
    (labels.len() > 1).then(|| parse_members(&labels))
}

/// Splits a list into the labels of its encodings; the last one with the options of the list.
fn split_members(label: &str) -> Vec<String> {
    let mut members: Vec<String> = Vec::new();
    for word in label.split(',') {
        match members.last_mut() {
            Some(member) if continues_options(member, word) => {
                *member = format!("{member},{word}");
            }
            _ => members.push(word.to_owned()),
        }
    }
    members
}

/// Returns whether `word` after a comma is a further option of `member`, or of the list that ends with
/// it.
fn continues_options(member: &str, word: &str) -> bool {
    let key = word.split('=').next().unwrap_or(word);
    if key.contains(':') {
        return false;
    }
    let has_option =
        |known: &[encoding::OptionSpec]| known.iter().any(|option| labels_match(option.name, key));
    let mut prefixes = member.rmatch_indices(':').map(|(at, _)| &member[..at]).peekable();
    let has_options = prefixes.peek().is_some();
    let is_option_of_encoding =
        prefixes.filter_map(|name| lookup_label(name).ok()?).any(|known| has_option(known.options));
    has_options && (word.contains('=') || is_option_of_encoding || has_option(LIST_OPTIONS))
}

fn parse_members(labels: &[String]) -> Result<EncodingSpec, Error> {
    let mut members = Vec::new();
    let mut list_options = None;
    for (index, label) in labels.iter().enumerate() {
        if label.is_empty() {
            return Err(invalid(&labels.join(","), "a name is missing before or after a comma"));
        }
        let is_last = index + 1 == labels.len();
        let spec = match split_list_options(label).filter(|_| is_last) {
            Some((spec, options)) => {
                list_options = Some(options);
                spec
            }
            None => parse_single_encoding(label)?,
        };
        members.push(Member { encoding: spec.encoding, options: spec.options });
    }
    check_members(&members)?;
    let are_single_byte = members[1..].iter().all(|member| member.single_byte_count().is_some());
    let default_unit = match are_single_byte && members.iter().all(can_decode_runs) {
        true => MixedUnit::Run,
        false => MixedUnit::Line,
    };
    let names = members.iter().map(Member::label).collect::<Vec<_>>().join(",");
    let Some(encoding) = (EncodingList { members, default_unit }).into_encoding() else {
        return Err(invalid(&names, "this process has used too many different lists of encodings"));
    };
    let options = EncodingOptions::parse(list_options.unwrap_or_default(), LIST_OPTIONS)
        .map_err(|reason| Error::InvalidOption { encoding: encoding.name(), reason })?;
    let list = encoding.factory.list().filter(|_| options.is_choice("per", "run"));
    let mut members = list.iter().flat_map(|list| &list.members);
    match members.find(|member| !can_decode_runs(member)) {
        Some(member) => Err(invalid(
            &member.label(),
            "runs cannot be decoded, because it is not a stateless superset of ASCII; use per=line",
        )),
        None => Ok(EncodingSpec { encoding, options, transforms: Vec::new() }),
    }
}

/// Splits the last encoding of a list from the options of the list.
fn split_list_options(label: &str) -> Option<(EncodingSpec, &str)> {
    label.rmatch_indices(':').find_map(|(at, _)| {
        let (member, options) = (&label[..at], label[at..].strip_prefix(':')?);
        let key = options.split(['=', ',']).next().unwrap_or(options);
        let is_known = LIST_OPTIONS.iter().any(|known| labels_match(known.name, key));
        Some((parse_single_encoding(member).ok().filter(|_| is_known)?, options))
    })
}

/// Returns an error if an encoding cannot be in a list.
fn check_members(members: &[Member]) -> Result<(), Error> {
    if members.len() > MAX_MEMBERS {
        let names = members.iter().map(Member::label).collect::<Vec<_>>().join(",");
        return Err(invalid(&names, "a list has at most eight encodings"));
    }
    for (index, member) in members.iter().enumerate() {
        let label = member.label();
        let reason = match member.encoding {
            encoding if header::is_header(encoding) => {
                "mail headers name their encodings themselves; use it alone"
            }
            _ if !member.decodes_line_feed() => {
                "cannot be in a list of encodings, because its line feed is not the byte 0A; convert \
                 such files separately"
            }
            encoding if encoding.bom_handling != BomHandling::Ignore => {
                "cannot be in a list of encodings, because it has a byte order mark; use the encoding \
                 without it, and --bom=strip"
            }
            encoding if encoding == charpipe_encoding::SCSU || !member.encodes_line_feed() => {
                "cannot be in a list of encodings, because lines depend on those before them; convert \
                 such files separately"
            }
            _ if members[..index].iter().any(|other| other.label() == label) => {
                "is given twice in a list of encodings"
            }
            _ if index + 1 < members.len() && member.single_byte_count() == Some(256) => {
                "every byte is valid in this encoding, so those after it would never be used; put it \
                 last"
            }
            _ if member.is_seven_bit()
                && members[..index].iter().any(|other| other.encoding.is_ascii_compatible()) =>
            {
                "all its bytes are ASCII, which an encoding before it accepts, so it would never be used; \
                 put it first"
            }
            _ => continue,
        };
        return Err(invalid(&label, reason));
    }
    Ok(())
}

/// Returns whether the encoding can decode from any byte on.
fn can_decode_runs(member: &Member) -> bool {
    let Member { encoding, options } = member;
    let encoding: &'static Encoding = encoding;
    EncodingSpec { options: options.clone(), ..encoding.into() }.allows_raw_bytes()
}

fn invalid(encoding: &str, reason: &'static str) -> Error {
    Error::InvalidEncodingList { encoding: encoding.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_a_comma_are_options_or_encodings() {
        for (label, expected) in [
            ("utf-8,cp1252", "UTF-8,CP1252"),
            ("utf8, latin1", "UTF-8,ISO-8859-1"),
            ("utf-8,cp1252:per=line", "UTF-8,CP1252:per=line"),
            ("utf-8,cp1252:per=line,lossy", "UTF-8,CP1252:per=line,lossy"),
            ("utf-8,cp1252:lossy,per=run", "UTF-8,CP1252:lossy,per=run"),
            ("utf-7:close=always,latin1", "UTF-7:close=always,ISO-8859-1"),
            (
                "utf-7:close=always,optional=direct,latin1:per=line",
                "UTF-7:close=always,optional=direct,ISO-8859-1:per=line",
            ),
            ("hz,utf-7:close=always:per=line", "HZ,UTF-7:close=always:per=line"),
            ("hz,utf-7:close=always:lossy", "HZ,UTF-7:close=always:lossy"),
            ("ascii,ISO_8859-1:1987", "US-ASCII,ISO-8859-1"),
            ("utf-8,cp1252/qp", "UTF-8,CP1252/qp"),
            ("utf-8,cp1252:per=line/crlf/base64", "UTF-8,CP1252:per=line/crlf/base64"),
            // These are single encodings.
            ("utf-7:close=always,optional=direct", "UTF-7:close=always,optional=direct"),
            ("iso-8859,1", "ISO-8859-1"),
            ("utf-8/html:named,keep-markup", "UTF-8/html:named,keep-markup"),
        ] {
            let spec: Result<EncodingSpec, _> = label.parse();
            let spec = spec.unwrap_or_else(|error| panic!("{label}: {error}")).to_string();
            assert_eq!(spec, expected, "{label}");
            let again: EncodingSpec = spec.parse().unwrap();
            assert_eq!(again.to_string(), spec, "{label}");
        }
    }

    #[test]
    fn equal_lists_are_the_same_encoding() {
        let parse = |label: &str| label.parse::<EncodingSpec>().unwrap().encoding;
        assert_eq!(parse("utf-8,latin1"), parse("utf8,iso-8859-1:per=line"));
        assert_ne!(parse("utf-8,latin1"), parse("ascii,latin1"));
    }

    #[test]
    fn lists_that_cannot_be_decoded_are_rejected() {
        for (label, message) in [
            ("utf-8,,latin1", "utf-8,,latin1: a name is missing before or after a comma"),
            ("utf-8,latn1", "unknown encoding \"latn1\" (did you mean latin1?)"),
            ("utf-8,utf-16", "UTF-16: cannot be in a list of encodings, because its line feed"),
            ("utf-8,ibm037", "IBM037: cannot be in a list of encodings, because its line feed"),
            ("utf-8-sig,latin1", "UTF-8-SIG: cannot be in a list of encodings, because it has a"),
            ("utf-8,iso-2022-jp", "ISO-2022-JP: all its bytes are ASCII"),
            ("utf-8,scsu", "SCSU: cannot be in a list of encodings, because lines depend"),
            ("utf-8,utf8", "UTF-8: is given twice"),
            ("latin1,utf-8", "ISO-8859-1: every byte is valid in this encoding"),
            ("iso-2022-jp,latin1:per=run", "ISO-2022-JP: runs cannot be decoded"),
            ("utf-8,latin1:per=word", "UTF-8,ISO-8859-1: option per: invalid value \"word\""),
            ("utf-8,latin1:per=run,per=line", "UTF-8,ISO-8859-1: option per is given twice"),
            ("utf-8:per=line,latin1", "UTF-8: no option \"per\""),
            ("utf-7:close=always,foo", "UTF-7: no option \"foo\""),
            ("ascii,utf-8,latin2:x=1", "ISO-8859-2: no option \"x\" (it has no options)"),
            (
                "ascii,utf-8,cp1250,cp1251,cp1252,cp1253,cp1254,cp1257,cp1258",
                "US-ASCII,UTF-8,CP1250,CP1251,CP1252,CP1253,CP1254,CP1257,CP1258: a list has at \
                 most eight encodings",
            ),
        ] {
            let error = label.parse::<EncodingSpec>().unwrap_err().to_string();
            assert!(error.starts_with(message), "{label}: {error}");
        }
    }

    #[test]
    fn unit_depends_on_the_encodings() {
        let unit = |label: &str| {
            let spec: EncodingSpec = label.parse().unwrap();
            spec.encoding.factory.list().unwrap().default_unit
        };
        for label in ["utf-8,cp1252", "utf-8,cp1253,latin1", "gb18030,latin1"] {
            assert_eq!(unit(label), MixedUnit::Run, "{label}");
        }
        for label in ["utf-8,gbk", "utf-8,cp932", "iso-2022-jp,latin1", "utf-7,utf-8"] {
            assert_eq!(unit(label), MixedUnit::Line, "{label}");
        }
    }

    #[test]
    fn options_of_lists_are_options_of_no_encoding() {
        for known in encoding::ALL.iter().flat_map(|encoding| encoding.options) {
            assert!(LIST_OPTIONS.iter().all(|option| option.name != known.name), "{known:?}");
        }
    }
}
