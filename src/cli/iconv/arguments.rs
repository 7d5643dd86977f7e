//! The arguments of `iconv`, parsed as `getopt_long` and `argp` of the GNU C library do.

use std::ffi::{OsStr, OsString};

use charpipe_transcode::error_policy::FormatString;

use super::text::{self, bytes_of, os_string};

/// The exit code of invalid usage.
const USAGE_ERROR: u8 = 64;

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
    /// `--silent`, which only libiconv obeys: print no messages about conversion errors.
    pub silent: bool,
    /// `--byte-subst`: the text for a malformed byte.
    pub byte_format: Option<FormatString>,
    /// `--unicode-subst`: the text for an unmappable character.
    pub unicode_format: Option<FormatString>,
    pub inputs: Vec<OsString>,
}

/// An invalid command line.
#[derive(Debug, PartialEq, Eq)]
pub struct UsageError {
    /// The message after the program's name, if any.
    pub message: Vec<u8>,
    /// The lines after the message.
    pub hint: Vec<u8>,
    pub exit_code: u8,
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
    ByteSubst,
    UnicodeSubst,
    WidecharSubst,
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

/// The options of libiconv that scripts look for. A prefix that is one of an option of glibc means that.
const LIBICONV_OPTIONS: [LongOption; 3] = [
    long("byte-subst", HasValue::Required, OptionId::ByteSubst),
    long("unicode-subst", HasValue::Required, OptionId::UnicodeSubst),
    long("widechar-subst", HasValue::Required, OptionId::WidecharSubst),
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
        let mut options = LONG_OPTIONS.iter().chain(&LIBICONV_OPTIONS);
        let exact = options.find(|known| known.name.as_bytes() == name);
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
        let matching = |options: &'static [LongOption]| -> Vec<_> {
            options.iter().filter(|known| known.name.as_bytes().starts_with(name)).collect()
        };
        let mut candidates = matching(&LONG_OPTIONS);
        if candidates.is_empty() {
            candidates = matching(&LIBICONV_OPTIONS);
        }
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
            OptionId::ByteSubst => {
                conversion.byte_format = Some(parse_format("--byte-subst", &value)?);
            }
            OptionId::UnicodeSubst => {
                conversion.unicode_format = Some(parse_format("--unicode-subst", &value)?);
            }
            // Only where wide characters are not Unicode is there anything to substitute.
            OptionId::WidecharSubst => {
                parse_format("--widechar-subst", &value)?;
            }
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
        let hint = text::try_help(&self.conversion.short_program);
        UsageError { message: message.into(), hint, exit_code: USAGE_ERROR }
    }
}

/// Parses the format string of an option.
///
/// # Errors
///
/// Returns the message and exit code of libiconv.
pub fn parse_format(option: &str, value: &OsStr) -> Result<FormatString, UsageError> {
    FormatString::parse(&value.to_string_lossy()).map_err(|error| UsageError {
        message: format!("{option} argument: {error}").into_bytes(),
        hint: Vec::new(),
        exit_code: 1,
    })
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
            (&["--uni"], "option '--unicode-subst' requires an argument"),
            (
                &["--by=%d"],
                "--byte-subst argument: The character 'd' is not a valid conversion specifier.",
            ),
        ] {
            assert_eq!(parse_words(words).unwrap_err(), message, "{words:?}");
        }
    }

    #[test]
    fn option_that_prints_ends_the_parsing() {
        for words in [&["-V", "-x"][..], &["-cV"], &["-?x"], &["--usage", "-x"], &["--u", "-x"]] {
            assert!(matches!(parse_words(words), Ok(Request::Print(_))), "{words:?}");
        }
        assert!(parse_words(&["-x", "-V"]).is_err());
        assert_eq!(parse_words(&["-l", "file"]), Ok(Request::List));
    }
}
