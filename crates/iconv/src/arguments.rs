//! The arguments of `iconv`, parsed as `getopt_long` and `argp` of the GNU C library do, or as the program of
//! GNU libiconv does. Arguments are bytes: on systems other than Unix UTF-8, possibly with surrogates.

use charpipe_transcode::error_policy::FormatString;

/// The program whose command line is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// That of the GNU C library.
    Glibc,
    /// That of GNU libiconv.
    Libiconv,
}

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// Convert text.
    Convert(Box<ConversionArguments>),
    /// List the names of all encodings.
    List,
    /// Print the help, which names the program without its directory.
    Help(Vec<u8>),
    /// Print a short usage message, which names the program without its directory.
    Usage(Vec<u8>),
    /// Print the version.
    Version,
}

/// The arguments of a conversion.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConversionArguments {
    /// The name that messages start with.
    pub program: Vec<u8>,
    /// The name without its directory.
    pub short_program: Vec<u8>,
    /// The name of the input encoding. `None` for that of the locale.
    pub from: Option<Vec<u8>>,
    /// The name of the output encoding. `None` for that of the locale.
    pub to: Option<Vec<u8>>,
    /// The file to write to. `None` for standard output.
    pub output: Option<Vec<u8>>,
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
    /// The files to read; `-` is standard input.
    pub inputs: Vec<Vec<u8>>,
}

/// An invalid command line.
#[derive(Debug, PartialEq, Eq)]
pub enum ArgumentError {
    /// The options are invalid.
    Options {
        /// The reason in the words of the GNU C library.
        message: Vec<u8>,
        /// The program's name without its directory.
        short_program: Vec<u8>,
    },
    /// The value of an option is not a format. The reason is in the words of libiconv.
    Format(String),
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

/// Which programs have an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Programs {
    Both,
    Glibc,
    /// libiconv. Scripts look for it, so glibc's accepts the long name; a prefix that is one of an option of
    /// glibc means that.
    Libiconv,
}

/// An option of one of the programs, or both.
struct CommandOption {
    id: OptionId,
    letter: Option<u8>,
    /// The long name; empty if there is none.
    name: &'static str,
    value: HasValue,
    programs: Programs,
    /// The length of the shortest abbreviation in libiconv.
    min_len: usize,
}

/// The options, in the order in which glibc lists the candidates of an ambiguous prefix.
#[rustfmt::skip]
const OPTIONS: [CommandOption; 16] = {
    use HasValue::{No, Optional, Required};
    use OptionId::*;
    use Programs::{Both, Glibc, Libiconv};
    const fn spec(
        id: OptionId,
        letter: Option<u8>,
        name: &'static str,
        value: HasValue,
        programs: Programs,
        min_len: usize,
    ) -> CommandOption {
        CommandOption { id, letter, name, value, programs, min_len }
    }
    [
        spec(From, Some(b'f'), "from-code", Required, Both, 1),
        spec(To, Some(b't'), "to-code", Required, Both, 1),
        spec(List, Some(b'l'), "list", No, Both, 1),
        spec(Discard, Some(b'c'), "", No, Both, 1),
        spec(Output, Some(b'o'), "output", Required, Glibc, 0),
        spec(Silent, Some(b's'), "silent", No, Both, 1),
        spec(Verbose, None, "verbose", No, Glibc, 0),
        spec(BufferSize, None, "buffer-size", Required, Glibc, 0),
        spec(Help, Some(b'?'), "help", No, Both, 1),
        spec(Usage, None, "usage", No, Glibc, 0),
        spec(ProgramName, None, "program-name", Required, Glibc, 0),
        spec(Hang, None, "HANG", Optional, Glibc, 0),
        spec(Version, Some(b'V'), "version", No, Both, 1),
        spec(ByteSubst, None, "byte-subst", Required, Libiconv, 2),
        spec(UnicodeSubst, None, "unicode-subst", Required, Libiconv, 1),
        spec(WidecharSubst, None, "widechar-subst", Required, Libiconv, 1),
    ]
};

/// The letters of libiconv; the first two can be combined.
const LIBICONV_LETTERS: &[u8] = b"csftl";

/// Returns the part of a path after the last slash.
fn base_name(path: &[u8]) -> Vec<u8> {
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    path[start..].to_vec()
}

/// Parses the arguments after the program's name. The first operand ends the options in libiconv and, as
/// POSIX demands, with `posix_order`.
///
/// # Errors
///
/// Returns [`ArgumentError`] for the first invalid argument, unless an option before it prints a text.
pub fn parse(
    flavor: Flavor,
    program: &[u8],
    arguments: &[&[u8]],
    posix_order: bool,
) -> Result<Request, ArgumentError> {
    let mut parser = Parser {
        flavor,
        lists: false,
        conversion: ConversionArguments {
            program: program.to_owned(),
            short_program: base_name(program),
            ..ConversionArguments::default()
        },
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let inputs = &mut parser.conversion.inputs;
        let request = match *argument {
            b"--" => {
                inputs.extend(rest.by_ref().map(|input| input.to_vec()));
                None
            }
            [b'-', b'-', option @ ..] => parser.long_option(option, &mut rest)?,
            [b'-', letters @ ..] if !letters.is_empty() => {
                parser.short_options(letters, &mut rest)?
            }
            operand => {
                inputs.push(operand.to_vec());
                if posix_order || flavor == Flavor::Libiconv {
                    inputs.extend(rest.by_ref().map(|input| input.to_vec()));
                }
                None
            }
        };
        if let Some(request) = request {
            return Ok(request);
        }
    }
    match (parser.lists, flavor) {
        (true, Flavor::Libiconv) if arguments.len() > 1 => Err(parser.usage_error("")),
        (true, _) => Ok(Request::List),
        (false, _) => Ok(Request::Convert(Box::new(parser.conversion))),
    }
}

struct Parser {
    flavor: Flavor,
    lists: bool,
    conversion: ConversionArguments,
}

/// The arguments that have not been parsed.
type RemainingArguments<'a> = std::slice::Iter<'a, &'a [u8]>;

impl Parser {
    /// Parses an argument that starts with two hyphens; `option` follows them. Returns the request of an
    /// option that prints.
    fn long_option(
        &mut self,
        option: &[u8],
        rest: &mut RemainingArguments<'_>,
    ) -> Result<Option<Request>, ArgumentError> {
        let (name, value) = match option.iter().position(|byte| *byte == b'=') {
            Some(at) => (&option[..at], Some(&option[at + 1..])),
            None => (option, None),
        };
        let CommandOption { id, name: known, value: has_value, .. } = match self.flavor {
            Flavor::Glibc => self.glibc_option(option, name)?,
            Flavor::Libiconv => self.libiconv_option(name, value.is_some())?,
        };
        let value = match (has_value, value) {
            (HasValue::No, Some(_)) => {
                let message = format!("option '--{known}' doesn't allow an argument");
                return Err(self.usage_error(message));
            }
            (HasValue::Required, None) => *rest.next().ok_or_else(|| {
                self.usage_error(format!("option '--{known}' requires an argument"))
            })?,
            (_, value) => value.unwrap_or_default(),
        };
        self.apply(*id, value)
    }

    /// Returns the option with this name in glibc, or the only one that starts with it.
    fn glibc_option(
        &self,
        option: &[u8],
        name: &[u8],
    ) -> Result<&'static CommandOption, ArgumentError> {
        let known = || OPTIONS.iter().filter(|known| !known.name.is_empty());
        if let Some(exact) = known().find(|known| known.name.as_bytes() == name) {
            return Ok(exact);
        }
        let (of_libiconv, own): (Vec<_>, Vec<_>) = known()
            .filter(|known| known.name.as_bytes().starts_with(name))
            .partition(|known| known.programs == Programs::Libiconv);
        let candidates = if own.is_empty() { of_libiconv } else { own };
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

    /// Returns the option of libiconv with this name, or with this abbreviation if no value is attached.
    fn libiconv_option(
        &self,
        name: &[u8],
        is_attached: bool,
    ) -> Result<&'static CommandOption, ArgumentError> {
        let mut known = OPTIONS.iter().filter(|known| known.programs != Programs::Glibc);
        let found = known.find(|known| match is_attached {
            true => known.name.as_bytes() == name && known.value == HasValue::Required,
            false => name.len() >= known.min_len && known.name.as_bytes().starts_with(name),
        });
        found.ok_or_else(|| self.usage_error(""))
    }

    /// Parses the letters of an argument that starts with one hyphen. Returns the request of an option that
    /// prints.
    fn short_options(
        &mut self,
        letters: &[u8],
        rest: &mut RemainingArguments<'_>,
    ) -> Result<Option<Request>, ArgumentError> {
        for (at, letter) in letters.iter().enumerate() {
            let is_known = match self.flavor {
                Flavor::Glibc => true,
                Flavor::Libiconv if letters.len() > 1 => LIBICONV_LETTERS[..2].contains(letter),
                Flavor::Libiconv => LIBICONV_LETTERS.contains(letter),
            };
            let known = OPTIONS.iter().find(|known| known.letter == Some(*letter));
            let Some(CommandOption { id, value: has_value, .. }) = known.filter(|_| is_known)
            else {
                let message = [&b"invalid option -- '"[..], &[*letter], b"'"].concat();
                return Err(self.usage_error(message));
            };
            if *has_value == HasValue::No {
                if let Some(request) = self.apply(*id, b"")? {
                    return Ok(Some(request));
                }
                continue;
            }
            let value = match &letters[at + 1..] {
                [] => rest.next().copied(),
                attached => Some(attached),
            };
            let value = value.ok_or_else(|| {
                let letter = char::from(*letter);
                self.usage_error(format!("option requires an argument -- '{letter}'"))
            })?;
            return self.apply(*id, value);
        }
        Ok(None)
    }

    /// Applies an option. Returns the request of one that prints.
    fn apply(&mut self, id: OptionId, value: &[u8]) -> Result<Option<Request>, ArgumentError> {
        let conversion = &mut self.conversion;
        let is_given = match id {
            OptionId::From => conversion.from.is_some(),
            OptionId::To => conversion.to.is_some(),
            _ => false,
        };
        if is_given && self.flavor == Flavor::Libiconv {
            return Err(self.usage_error(""));
        }
        match id {
            OptionId::From => conversion.from = Some(value.to_owned()),
            OptionId::To => conversion.to = Some(value.to_owned()),
            OptionId::List => self.lists = true,
            OptionId::Discard => conversion.discard = true,
            OptionId::Output => conversion.output = Some(value.to_owned()),
            OptionId::Silent => conversion.silent = true,
            OptionId::Verbose => conversion.verbose = true,
            OptionId::ByteSubst => {
                conversion.byte_format = Some(parse_format("--byte-subst", value)?);
            }
            OptionId::UnicodeSubst => {
                conversion.unicode_format = Some(parse_format("--unicode-subst", value)?);
            }
            // Only where wide characters are not Unicode is there anything to substitute.
            OptionId::WidecharSubst => {
                parse_format("--widechar-subst", value)?;
            }
            OptionId::BufferSize | OptionId::Hang => {}
            OptionId::Help => return Ok(Some(Request::Help(conversion.short_program.clone()))),
            OptionId::Usage => return Ok(Some(Request::Usage(conversion.short_program.clone()))),
            OptionId::Version => return Ok(Some(Request::Version)),
            OptionId::ProgramName => {
                conversion.short_program = base_name(value);
                conversion.program = value.to_owned();
            }
        }
        Ok(None)
    }

    fn usage_error(&self, message: impl Into<Vec<u8>>) -> ArgumentError {
        let short_program = self.conversion.short_program.clone();
        ArgumentError::Options { message: message.into(), short_program }
    }
}

/// Parses the format string of an option.
fn parse_format(option: &str, value: &[u8]) -> Result<FormatString, ArgumentError> {
    FormatString::parse(&String::from_utf8_lossy(value))
        .map_err(|error| ArgumentError::Format(format!("{option} argument: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &[&str]) -> Result<Request, String> {
        let arguments: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        parse(Flavor::Glibc, b"/bin/iconv", &arguments, false).map_err(|error| match error {
            ArgumentError::Options { message, .. } => String::from_utf8(message).unwrap(),
            ArgumentError::Format(message) => message,
        })
    }

    fn parse_libiconv(words: &[&str]) -> Result<Request, ArgumentError> {
        let arguments: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        parse(Flavor::Libiconv, b"iconv", &arguments, false)
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
        assert_eq!((parsed.from, parsed.to), (Some(b"x".into()), Some(b"y".into())));
        assert_eq!(parsed.output, Some(b"o".into()));
        assert_eq!(parsed.inputs, [&b"a"[..], b"-", b"-t"]);
        assert!(parsed.discard);
        assert_eq!(parsed.short_program, b"iconv");
    }

    #[test]
    fn libiconv_takes_each_encoding_once() {
        // main of iconv.c in libiconv 1.17.
        for option in ["-f", "-t"] {
            assert!(parse_libiconv(&[option, "ascii"]).is_ok(), "{option}");
            assert!(parse_libiconv(&[option, "ascii", option, "ascii"]).is_err(), "{option}");
            assert!(parse_words(&[option, "ascii", option, "ascii"]).is_ok(), "{option}");
        }
    }

    #[test]
    fn first_operand_ends_the_options_in_posix_order() {
        let parsed = parse(Flavor::Glibc, b"iconv", &[b"-c", b"a", b"-t"], true);
        let Ok(Request::Convert(parsed)) = parsed else { panic!("{parsed:?}") };
        assert_eq!(parsed.inputs, [b"a".to_vec(), b"-t".to_vec()]);
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
        for (words, request) in [
            (&["-V", "-x"][..], Request::Version),
            (&["-cV"], Request::Version),
            (&["-?x"], Request::Help(b"iconv".into())),
            (&["--usage", "-x"], Request::Usage(b"iconv".into())),
            (&["--u", "-x"], Request::Usage(b"iconv".into())),
            (&["--program-name=a/b", "--help"], Request::Help(b"b".into())),
        ] {
            assert_eq!(parse_words(words), Ok(request), "{words:?}");
        }
        assert!(parse_words(&["-x", "-V"]).is_err());
        assert_eq!(parse_words(&["-l", "file"]), Ok(Request::List));
    }

    #[test]
    fn first_operand_ends_the_options_of_libiconv() {
        for (words, inputs) in [
            (&["-f", "a", "x", "-t", "b"][..], &["x", "-t", "b"][..]),
            (&["-cs", "--", "-c"], &["-c"]),
            (&["--f", "a", "--to-code=b", "-"], &["-"]),
            (&[], &[]),
        ] {
            let Ok(Request::Convert(parsed)) = parse_libiconv(words) else { panic!("{words:?}") };
            assert!(
                parsed.inputs.iter().eq(inputs.iter().map(|input| input.as_bytes())),
                "{words:?}"
            );
        }
    }

    #[test]
    fn invalid_options_of_libiconv_are_rejected() {
        for words in [
            &["-x"][..],
            &["-f"],
            &["-f", "a", "-f", "b"],
            &["-f", "", "-f", "b"],
            &["-fa"],
            &["-cl"],
            &["-cf", "a"],
            &["-?"],
            &["-V"],
            &["-l", "-l"],
            &["-l", "x"],
            &["--b=%u"],
            &["--b", "%u"],
            &["--list=a"],
            &["--from=a"],
            &["--=a"],
            &["-o", "x"],
            &["--unicode-subst"],
        ] {
            assert!(
                matches!(parse_libiconv(words), Err(ArgumentError::Options { .. })),
                "{words:?}"
            );
        }
        assert!(matches!(parse_libiconv(&["--by", "%d"]), Err(ArgumentError::Format(_))));
        assert_eq!(parse_libiconv(&["-l"]), Ok(Request::List));
        assert_eq!(parse_libiconv(&["--h", "-x"]), Ok(Request::Help(b"iconv".into())));
    }
}
