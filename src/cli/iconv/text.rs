//! Texts and messages of `iconv`, and bytes of arguments. Names of programs and files are bytes.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write, stderr};

use charpipe_iconv::arguments::{ArgumentError, Flavor};

use crate::cli::exit::io_message;
use crate::cli::quote::Quoted;
use crate::cli::sys::file_name;

/// The maximum length of a line in bytes, without what quoting adds at its start and in its middle.
const MAX_LINE_LEN: usize = 390;

/// Why a conversion ended early. The message has been printed.
pub enum Failure {
    /// It ended.
    Reported,
    /// The reader of the output has exited.
    BrokenPipe(io::Error),
}

/// Returns an argument with these bytes.
pub fn os_string(bytes: &[u8]) -> OsString {
    file_name::from_bytes(bytes).into_owned()
}

/// Returns the text of `--usage`.
pub fn usage(program: &[u8]) -> String {
    const WORDS: [&str; 13] = [
        "[-lcs?V]",
        "[-f NAME]",
        "[-t NAME]",
        "[-o FILE]",
        "[--from-code=NAME]",
        "[--to-code=NAME]",
        "[--list]",
        "[--output=FILE]",
        "[--silent]",
        "[--verbose]",
        "[--help]",
        "[--usage]",
        "[--version]",
    ];
    const WIDTH: usize = 79;

    let mut text = format!("Usage: {}", Quoted::new(&os_string(program)));
    let mut column = text.chars().count();
    for word in WORDS.into_iter().chain(["[FILE...]"]) {
        if column + 1 + word.len() >= WIDTH {
            text.push_str("\n           ");
            column = 11;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + word.len();
    }
    text.push('\n');
    text
}

/// Returns the text of `--help` in the flavor of glibc.
pub fn glibc_help(program: &[u8]) -> String {
    let program = os_string(program);
    let program = Quoted::new(&program);
    format!(
        "\
Usage: {program} [OPTION...] [FILE...]
Convert files, or standard input, from one encoding to another.

 Encodings:
  -f, --from-code=NAME       encoding of the input (default: the locale's)
  -t, --to-code=NAME         encoding of the output (default: the locale's)

 Information:
  -l, --list                 list the names of all encodings

 Output:
  -c                         skip what cannot be converted
  -o, --output=FILE          write to FILE, if the conversion succeeds
  -s, --silent               accepted for compatibility
      --verbose              print the name of each input

  -?, --help                 print this help
      --usage                print a short usage message
  -V, --version              print the version

NAME//TRANSLIT replaces characters that the output encoding does not have with
similar ones; NAME//IGNORE skips them. This is charpipe, which replaces iconv;
see 'charpipe --help' for more.
"
    )
}

/// Returns the text of `--help` in the flavor of libiconv.
pub fn libiconv_help(program: &OsStr) -> String {
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

/// Returns the text of `--version`.
pub fn version() -> String {
    format!(
        "iconv (charpipe) {}\nLicense: MIT or Apache-2.0, at your option.\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Prints the line that follows messages about the usage in the flavor of glibc.
pub fn print_try_help(program: &[u8]) {
    let words = [b"Try `", program, b" --help' or `", program, b" --usage' for more information."];
    print_line(&words.concat());
}

/// Prints what is wrong with a command line. Returns the exit code.
pub fn print_usage_error(flavor: Flavor, program: &[u8], error: ArgumentError) -> u8 {
    match (error, flavor) {
        (ArgumentError::Options { message, short_program }, Flavor::Glibc) => {
            print_message(program, &[&message]);
            print_try_help(&short_program);
            64
        }
        (ArgumentError::Options { .. }, Flavor::Libiconv) => {
            print_line(b"Usage: iconv [-c] [-s] [-f fromcode] [-t tocode] [file ...]");
            print_line(b"or:    iconv -l");
            print_line(&[b"Try '", program, b" --help' for more information."].concat());
            1
        }
        (ArgumentError::Format(message), _) => {
            print_message(program, &[message.as_bytes()]);
            1
        }
    }
}

/// Prints a message, in parts, after the program's name.
pub fn print_message(program: &[u8], message: &[&[u8]]) {
    print_line(&[&[program, b": "], message].concat().concat());
}

/// Reports an error of the system, unless the reader of the output has exited.
pub fn report_system_error(program: &[u8], what: &str, error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::BrokenPipe(error);
    }
    print_message(program, &[what.as_bytes(), b": ", io_message(&error).as_bytes()]);
    Failure::Reported
}

/// Prints a line to standard error. Control characters, commands of CI services and bytes that are not UTF-8
/// are quoted, and the middle of a long line is omitted.
pub fn print_line(line: &[u8]) {
    // A name such as `-` is unchanged at the start of a line, as in glibc, but for commands.
    let is_command = line.trim_ascii_start().starts_with(b"::");
    let line = os_string(line);
    let quoted = if is_command { Quoted::from_path(&line) } else { Quoted::new(&line) };
    let line = format!("{}\n", quoted.with_max_len(MAX_LINE_LEN));
    // There is nothing to be done about an error.
    let _: io::Result<()> = stderr().write_all(line.as_bytes());
}
