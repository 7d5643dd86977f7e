//! Parses the usual command lines, which have only encodings, files and `-c`, without clap: its definition of
//! all options takes 0.36 million instructions, two fifths of a start.

use std::ffi::{OsStr, OsString};

use crate::cli::convert::args::ConvertArgs;
use crate::cli::subcommand_names::SUBCOMMANDS;

/// Returns the arguments of a conversion, or `None` if this is for clap: another option or a
/// subcommand, or anything unusual.
pub fn parse(argv: &[OsString]) -> Option<ConvertArgs> {
    let mut args = ConvertArgs::default();
    let mut words = argv.get(1..)?.iter().map(OsString::as_os_str);
    let first = argv.get(1).map(OsString::as_os_str);
    if SUBCOMMANDS.into_iter().any(|name| first == Some(OsStr::new(name))) {
        return None;
    }
    while let Some(word) = words.next() {
        let text = word.to_str()?;
        let (encoding, value) = match text {
            "-" => {
                args.files.push(word.to_owned());
                continue;
            }
            "-c" => {
                args.errors.discard = true;
                continue;
            }
            "-o" | "--output" => (&mut args.io.output, words.next()?.to_str()?),
            "-f" | "--from" => (&mut args.io.from, words.next()?.to_str()?),
            "-t" | "--to" => (&mut args.io.to, words.next()?.to_str()?),
            _ => match (text.strip_prefix("--"), text.strip_prefix('-')) {
                (Some(long), _) => match long.split_once('=')? {
                    ("from", value) => (&mut args.io.from, value),
                    ("to", value) => (&mut args.io.to, value),
                    _ => return None,
                },
                (None, Some(short)) => match (short.strip_prefix('f'), short.strip_prefix('t')) {
                    (Some(value), _) => (&mut args.io.from, value),
                    (None, Some(value)) => (&mut args.io.to, value),
                    (None, None) => return None,
                },
                (None, None) => {
                    args.files.push(word.to_owned());
                    continue;
                }
            },
        };
        if value.is_empty() || value.starts_with(['-', '=']) {
            return None;
        }
        *encoding = Some(value.into());
    }
    Some(args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{ParsedArguments, parse_with_clap};

    /// Words of which the tests combine command lines.
    const WORDS: [&str; 30] = [
        "-f",
        "-t",
        "--from",
        "--to",
        "-flatin1",
        "-tutf-8",
        "--from=latin1",
        "--to=utf-16",
        "-f=x",
        "-t-",
        "-",
        "--",
        "latin1",
        "utf-8//TRANSLIT",
        "file",
        "check",
        "help",
        "",
        "-c",
        "-cf",
        "-o",
        "--output",
        "--output=x",
        "--from-code=x",
        "--from=",
        "--to=-x",
        "--fro=x",
        "-i",
        "é",
        "--list",
    ];

    #[test]
    fn result_is_that_of_clap() {
        let mut plain = 0;
        let mut compare = |words: &[&str]| {
            let argv: Vec<OsString> = words.iter().map(OsString::from).collect();
            let Some(args) = parse(&argv) else { return };
            plain += 1;
            match parse_with_clap(&argv) {
                Ok(ParsedArguments::Convert(expected)) => {
                    assert_eq!(format!("{args:?}"), format!("{expected:?}"), "{words:?}");
                }
                other => panic!("{words:?}: {other:?}"),
            }
        };
        compare(&["charpipe"]);
        for first in WORDS {
            compare(&["charpipe", first]);
            for second in WORDS {
                compare(&["charpipe", first, second]);
                for third in ["-t", "x", "-", "--to=y"] {
                    compare(&["charpipe", first, second, third]);
                    compare(&["charpipe", first, second, third, "z"]);
                }
            }
        }
        compare(&["charpipe", "-f", "a", "-t", "b", "-f", "c", "d", "check"]);
        assert!(plain > 500, "{plain}");
    }

    #[test]
    fn other_command_lines_are_left_to_clap() {
        for words in
            [&["check", "-f", "x"][..], &["-f"], &["-f", "x", "-q"], &["--", "x"], &["-t="]]
        {
            let argv: Vec<OsString> =
                [&["charpipe"], words].concat().iter().map(OsString::from).collect();
            assert!(parse(&argv).is_none(), "{words:?}");
        }
    }
}
