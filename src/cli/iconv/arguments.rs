//! The arguments of `iconv`, parsed as `getopt_long` and `argp` of the GNU C library do.

use std::ffi::{OsStr, OsString};

use super::text::{self, bytes_of, os_string};

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// Convert text.
    Convert(Box<ConversionArguments>),
    /// Print a text and exit with 0.
    Print(String),
    /// List the names of all encodings.
    List,
}

/// The arguments of a conversion.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConversionArguments {
    /// The name that messages start with.
    pub program: OsString,
    /// The name without its directory.
    pub short_program: OsString,
    pub from: OsString,
    pub to: OsString,
    pub output: Option<OsString>,
    /// `-c`: skip input that cannot be converted.
    pub discard: bool,
    /// `--verbose`: print the name of each input.
    pub verbose: bool,
    pub inputs: Vec<OsString>,
}

/// An invalid command line: the message after the program's name, and the name to try `--help` with.
#[derive(Debug, PartialEq, Eq)]
pub struct UsageError {
    pub message: Vec<u8>,
    pub short_program: OsString,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionId {
    From,
    To,
    List,
    Discard,
    Output,
    Silent,
    Verbose,
    BufferSize,
    Help,
    Usage,
    ProgramName,
    Hang,
    Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HasValue {
    No,
    Required,
    Optional,
}

struct LongOption {
    name: &'static str,
    has_value: HasValue,
    id: OptionId,
}

const fn long(name: &'static str, has_value: HasValue, id: OptionId) -> LongOption {
    LongOption { name, has_value, id }
}

/// The long options, in the order in which glibc lists the candidates of an ambiguous prefix.
const LONG_OPTIONS: [LongOption; 12] = [
    long("from-code", HasValue::Required, OptionId::From),
    long("to-code", HasValue::Required, OptionId::To),
    long("list", HasValue::No, OptionId::List),
    long("output", HasValue::Required, OptionId::Output),
    long("silent", HasValue::No, OptionId::Silent),
    long("verbose", HasValue::No, OptionId::Verbose),
    long("buffer-size", HasValue::Required, OptionId::BufferSize),
    long("help", HasValue::No, OptionId::Help),
    long("usage", HasValue::No, OptionId::Usage),
    long("program-name", HasValue::Required, OptionId::ProgramName),
    long("HANG", HasValue::Optional, OptionId::Hang),
    long("version", HasValue::No, OptionId::Version),
];

/// Returns the short option with this letter.
fn short_option(letter: u8) -> Option<(OptionId, HasValue)> {
    Some(match letter {
        b'f' => (OptionId::From, HasValue::Required),
        b't' => (OptionId::To, HasValue::Required),
        b'l' => (OptionId::List, HasValue::No),
        b'c' => (OptionId::Discard, HasValue::No),
        b'o' => (OptionId::Output, HasValue::Required),
        b's' => (OptionId::Silent, HasValue::No),
        b'?' => (OptionId::Help, HasValue::No),
        b'V' => (OptionId::Version, HasValue::No),
        _ => return None,
    })
}

/// Returns the part of a path after the last slash.
pub fn base_name(path: &OsStr) -> OsString {
    let bytes = bytes_of(path);
    let start = bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    os_string(&bytes[start..])
}

/// Parses the arguments after the program's name. With `posix_order` the first operand ends the
/// options.
///
/// # Errors
///
/// Returns [`UsageError`] for the first invalid argument, unless an option before it prints a text.
pub fn parse(
    program: &OsStr,
    arguments: &[OsString],
    posix_order: bool,
) -> Result<Request, UsageError> {
    let mut parser = Parser {
        lists: false,
        conversion: ConversionArguments {
            program: program.to_owned(),
            short_program: base_name(program),
            ..ConversionArguments::default()
        },
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = bytes_of(argument);
        let text = if bytes == b"--" {
            parser.conversion.inputs.extend(rest.by_ref().cloned());
            None
        } else if let Some(option) = bytes.strip_prefix(b"--") {
            parser.long_option(option, &mut rest)?
        } else if bytes.len() > 1 && bytes[0] == b'-' {
            parser.short_options(&bytes[1..], &mut rest)?
        } else {
            parser.conversion.inputs.push(argument.clone());
            if posix_order {
                parser.conversion.inputs.extend(rest.by_ref().cloned());
            }
            None
        };
        if let Some(text) = text {
            return Ok(Request::Print(text));
        }
    }
    Ok(match parser.lists {
        true => Request::List,
        false => Request::Convert(Box::new(parser.conversion)),
    })
}

struct Parser {
    lists: bool,
    conversion: ConversionArguments,
}

/// The arguments that have not been parsed.
type Rest<'a> = std::slice::Iter<'a, OsString>;

impl Parser {
    /// Parses an argument that starts with two hyphens; `option` follows them. Returns the text to
    /// print, if any.
    fn long_option(
        &mut self,
        option: &[u8],
        rest: &mut Rest<'_>,
    ) -> Result<Option<String>, UsageError> {
        let (name, value) = match option.iter().position(|byte| *byte == b'=') {
            Some(at) => (&option[..at], Some(&option[at + 1..])),
            None => (option, None),
        };
        let exact = LONG_OPTIONS.iter().find(|known| known.name.as_bytes() == name);
        let found = match exact {
            Some(exact) => exact,
            None => self.abbreviated(option, name)?,
        };
        let value = match (found.has_value, value) {
            (HasValue::No, Some(_)) => {
                let message = format!("option '--{}' doesn't allow an argument", found.name);
                return Err(self.usage_error(message));
            }
            (HasValue::Required, None) => match rest.next() {
                Some(next) => Some(next.clone()),
                None => {
                    let message = format!("option '--{}' requires an argument", found.name);
                    return Err(self.usage_error(message));
                }
            },
            (_, value) => value.map(os_string),
        };
        self.apply(found.id, value.unwrap_or_default())
    }

    /// Returns the only option that starts with `name`.
    fn abbreviated(&self, option: &[u8], name: &[u8]) -> Result<&'static LongOption, UsageError> {
        let candidates: Vec<_> =
            LONG_OPTIONS.iter().filter(|known| known.name.as_bytes().starts_with(name)).collect();
        let quoted = [&b"option '--"[..], option, b"'"].concat();
        match *candidates {
            [only] => Ok(only),
            [] => Err(self.usage_error([&b"unrecognized "[..], &quoted].concat())),
            _ => {
                let names = candidates.iter().map(|known| format!(" '--{}'", known.name));
                let list: String = names.collect();
                let message =
                    [&quoted, &b" is ambiguous; possibilities:"[..], list.as_bytes()].concat();
                Err(self.usage_error(message))
            }
        }
    }

    /// Parses the letters of an argument that starts with one hyphen. Returns the text to print, if
    /// any.
    fn short_options(
        &mut self,
        letters: &[u8],
        rest: &mut Rest<'_>,
    ) -> Result<Option<String>, UsageError> {
        for (at, letter) in letters.iter().enumerate() {
            let Some((id, has_value)) = short_option(*letter) else {
                let message = [&b"invalid option -- '"[..], &[*letter], b"'"].concat();
                return Err(self.usage_error(message));
            };
            if has_value == HasValue::No {
                if let Some(text) = self.apply(id, OsString::new())? {
                    return Ok(Some(text));
                }
                continue;
            }
            let value = match &letters[at + 1..] {
                [] => rest.next().cloned(),
                attached => Some(os_string(attached)),
            };
            let Some(value) = value else {
                let message = format!("option requires an argument -- '{}'", char::from(*letter));
                return Err(self.usage_error(message));
            };
            return self.apply(id, value);
        }
        Ok(None)
    }

    /// Applies an option. Returns the text that it prints, if any.
    fn apply(&mut self, id: OptionId, value: OsString) -> Result<Option<String>, UsageError> {
        let conversion = &mut self.conversion;
        match id {
            OptionId::From => conversion.from = value,
            OptionId::To => conversion.to = value,
            OptionId::List => self.lists = true,
            OptionId::Discard => conversion.discard = true,
            OptionId::Output => conversion.output = Some(value),
            OptionId::Verbose => conversion.verbose = true,
            OptionId::Silent | OptionId::BufferSize | OptionId::Hang => {}
            OptionId::Help => return Ok(Some(text::help(&conversion.short_program))),
            OptionId::Usage => return Ok(Some(text::usage(&conversion.short_program))),
            OptionId::Version => return Ok(Some(text::version())),
            OptionId::ProgramName => {
                conversion.short_program = base_name(&value);
                conversion.program = value;
            }
        }
        Ok(None)
    }

    fn usage_error(&self, message: impl Into<Vec<u8>>) -> UsageError {
        let short_program = self.conversion.short_program.clone();
        UsageError { message: message.into(), short_program }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &[&str]) -> Result<Request, String> {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        parse(OsStr::new("/bin/iconv"), &arguments, false)
            .map_err(|error| String::from_utf8(error.message).unwrap())
    }

    fn conversion(words: &[&str]) -> ConversionArguments {
        match parse_words(words) {
            Ok(Request::Convert(conversion)) => *conversion,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_and_operands_are_permuted() {
        let parsed = conversion(&["a", "-cfx", "-", "--to=y", "--out", "o", "--", "-t"]);
        assert_eq!((parsed.from, parsed.to), ("x".into(), "y".into()));
        assert_eq!(parsed.output, Some("o".into()));
        assert_eq!(parsed.inputs, ["a", "-", "-t"]);
        assert!(parsed.discard);
        assert_eq!(parsed.short_program, "iconv");
    }

    #[test]
    fn first_operand_ends_the_options_in_posix_order() {
        let arguments = ["-c", "a", "-t"].map(OsString::from);
        let parsed = parse(OsStr::new("iconv"), &arguments, true);
        let Ok(Request::Convert(parsed)) = parsed else { panic!("{parsed:?}") };
        assert_eq!(parsed.inputs, ["a", "-t"]);
    }

    #[test]
    fn invalid_options_have_the_messages_of_getopt() {
        for (words, message) in [
            (&["-x"][..], "invalid option -- 'x'"),
            (&["-cf"], "option requires an argument -- 'f'"),
            (&["--from"], "option '--from-code' requires an argument"),
            (&["--list=a"], "option '--list' doesn't allow an argument"),
            (&["--lost=a"], "unrecognized option '--lost=a'"),
            (&["--ve"], "option '--ve' is ambiguous; possibilities: '--verbose' '--version'"),
            (&["--uni"], "unrecognized option '--uni'"),
        ] {
            assert_eq!(parse_words(words).unwrap_err(), message, "{words:?}");
        }
    }

    #[test]
    fn option_that_prints_ends_the_parsing() {
        for words in [&["-V", "-x"][..], &["-cV"], &["-?x"], &["--usage", "-x"]] {
            assert!(matches!(parse_words(words), Ok(Request::Print(_))), "{words:?}");
        }
        assert!(parse_words(&["-x", "-V"]).is_err());
        assert_eq!(parse_words(&["-l", "file"]), Ok(Request::List));
    }
}
