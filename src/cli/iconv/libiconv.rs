//! The flavor of GNU libiconv: its options, names, messages and exit codes.

use std::ffi::{OsStr, OsString};

use crate::cli::quote::Quoted;

use super::arguments::{ConversionArguments, Request, UsageError, base_name, parse_format};
use super::text::{self, bytes_of, os_string};

mod conversion;

pub use conversion::convert;

/// A long option: its name, the length of its shortest abbreviation with the hyphens, and whether it has
/// a value.
struct LongOption {
    name: &'static str,
    min_len: usize,
    has_value: bool,
}

const fn long(name: &'static str, min_len: usize, has_value: bool) -> LongOption {
    LongOption { name, min_len, has_value }
}

/// The long options, in the order in which an abbreviation is looked up.
const LONG_OPTIONS: [LongOption; 9] = [
    long("--from-code", 3, true),
    long("--to-code", 3, true),
    long("--list", 3, false),
    long("--byte-subst", 4, true),
    long("--widechar-subst", 3, true),
    long("--unicode-subst", 3, true),
    long("--silent", 3, false),
    long("--help", 3, false),
    long("--version", 3, false),
];

/// Parses the arguments after the program's name. The first operand ends the options.
///
/// # Errors
///
/// Returns [`UsageError`] for the first invalid argument, unless an option before it prints a text.
pub fn parse(program: &OsStr, arguments: &[OsString]) -> Result<Request, UsageError> {
    let mut conversion = ConversionArguments {
        program: program.to_owned(),
        short_program: base_name(program),
        ..ConversionArguments::default()
    };
    let (mut from, mut to, mut lists) = (None, None, false);
    let mut rest = arguments.iter();
    let mut operands = rest.clone();
    while let Some(argument) = rest.next() {
        let bytes = bytes_of(argument);
        let (name, attached) = match option_name(bytes) {
            Some(found) => found,
            None if bytes == b"--" => {
                operands = rest.clone();
                break;
            }
            None if bytes.len() > 1 && bytes[0] == b'-' => {
                for letter in &bytes[1..] {
                    match letter {
                        b'c' => conversion.discard = true,
                        b's' => conversion.silent = true,
                        _ => return Err(usage_error(program)),
                    }
                }
                operands = rest.clone();
                continue;
            }
            None => break,
        };
        let has_value = LONG_OPTIONS.iter().any(|known| known.name == name && known.has_value);
        let value = match attached.map(os_string) {
            None if has_value => match rest.next() {
                Some(value) => value.clone(),
                None => return Err(usage_error(program)),
            },
            attached => attached.unwrap_or_default(),
        };
        match name {
            "--from-code" if from.is_none() => from = Some(value),
            "--to-code" if to.is_none() => to = Some(value),
            "--list" => lists = true,
            "--byte-subst" => conversion.byte_format = Some(parse_format(name, &value)?),
            "--unicode-subst" => conversion.unicode_format = Some(parse_format(name, &value)?),
            // Only where wide characters are not Unicode is there anything to substitute.
            "--widechar-subst" => drop(parse_format(name, &value)?),
            "--silent" => conversion.silent = true,
            "--help" => return Ok(Request::Print(help(program))),
            "--version" => return Ok(Request::Print(text::version())),
            _ => return Err(usage_error(program)),
        }
        operands = rest.clone();
    }
    if lists {
        return match arguments.len() {
            1 => Ok(Request::List),
            _ => Err(usage_error(program)),
        };
    }
    conversion.from = from.unwrap_or_else(|| "char".into());
    conversion.to = to.unwrap_or_else(|| "char".into());
    conversion.inputs = operands.cloned().collect();
    Ok(Request::Convert(Box::new(conversion)))
}

/// Returns the long name of an option and the value that is attached to it, if any. Abbreviations have
/// no attached value.
fn option_name(argument: &[u8]) -> Option<(&'static str, Option<&[u8]>)> {
    match argument {
        b"-f" => return Some(("--from-code", None)),
        b"-t" => return Some(("--to-code", None)),
        b"-l" => return Some(("--list", None)),
        _ => {}
    }
    LONG_OPTIONS.iter().find_map(|known| {
        let is_abbreviation =
            argument.len() >= known.min_len && known.name.as_bytes().starts_with(argument);
        if is_abbreviation {
            return Some((known.name, None));
        }
        let attached = argument.strip_prefix(known.name.as_bytes())?.strip_prefix(b"=")?;
        known.has_value.then_some((known.name, Some(attached)))
    })
}

fn usage_error(program: &OsStr) -> UsageError {
    let usage: &[u8] = b"Usage: iconv [-c] [-s] [-f fromcode] [-t tocode] [file ...]\n\
                         or:    iconv -l\n\
                         Try '";
    let hint = [usage, bytes_of(program), b" --help' for more information."].concat();
    UsageError { message: Vec::new(), hint, exit_code: 1 }
}

/// Returns the text of `--help`.
fn help(program: &OsStr) -> String {
    let program = Quoted::new(program);
    format!(
        "\
Usage: {program} [OPTION...] [-f NAME] [-t NAME] [FILE...]
or:    {program} -l

Convert files, or standard input, from one encoding to another.

Encodings:
  -f, --from-code=NAME        encoding of the input (default: the locale's)
  -t, --to-code=NAME          encoding of the output (default: the locale's)

Errors:
  -c                          skip what cannot be converted
  --unicode-subst=FORMAT      write unmappable characters by FORMAT
  --byte-subst=FORMAT         write malformed bytes by FORMAT
  --widechar-subst=FORMAT     accepted for compatibility
  -s, --silent                print no messages about conversion errors

Information:
  -l, --list                  list the names of all encodings
  --help                      print this help
  --version                   print the version

FORMAT is that of printf for one unsigned integer, such as '<U+%04X>'.
This is charpipe, which replaces iconv; see 'charpipe --help' for more.
"
    )
}

/// Returns the list of all names: those of one encoding on one line.
pub fn list(_for_terminal: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for mut names in charpipe_iconv::libiconv::groups() {
        names.sort_by_key(|name| (name.starts_with("CS"), name.clone()));
        lines.push(names.join(" ") + "\n");
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &[&str]) -> Result<Request, UsageError> {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        parse(OsStr::new("iconv"), &arguments)
    }

    #[test]
    fn first_operand_ends_the_options() {
        for (words, inputs) in [
            (&["-f", "a", "x", "-t", "b"][..], &["x", "-t", "b"][..]),
            (&["-cs", "--", "-c"], &["-c"]),
            (&["--f", "a", "--to-code=b", "-"], &["-"]),
            (&[], &[]),
        ] {
            let Ok(Request::Convert(parsed)) = parse_words(words) else { panic!("{words:?}") };
            assert_eq!(parsed.inputs, inputs, "{words:?}");
        }
    }

    #[test]
    fn usage_errors_end_with_1() {
        for words in [
            &["-x"][..],
            &["-f"],
            &["-f", "a", "-f", "b"],
            &["-fa"],
            &["-cl"],
            &["-l", "-l"],
            &["-l", "x"],
            &["--b=%u"],
            &["--list=a"],
            &["-o", "x"],
            &["--unicode-subst"],
        ] {
            assert_eq!(parse_words(words).unwrap_err().exit_code, 1, "{words:?}");
        }
        assert_eq!(parse_words(&["-l"]), Ok(Request::List));
        assert!(matches!(parse_words(&["--h", "-x"]), Ok(Request::Print(_))));
    }
}
