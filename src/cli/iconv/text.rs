//! Texts and messages of `iconv`, and bytes of arguments.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write, stderr};

use crate::cli::quote::Quoted;
use crate::cli::sys::file_name;

/// The maximum length of a line in bytes, without what quoting adds at its start and in its middle.
const MAX_LINE_LEN: usize = 390;

/// The bytes of an argument. On systems other than Unix they are UTF-8, possibly with surrogates.
pub fn bytes_of(text: &OsStr) -> &[u8] {
    text.as_encoded_bytes()
}

/// Returns an argument with these bytes, which are a part of another one.
pub fn os_string(bytes: &[u8]) -> OsString {
    file_name::from_bytes(bytes).into_owned()
}

/// Returns the text of `--usage`.
pub fn usage(program: &OsStr) -> String {
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

    let mut text = format!("Usage: {}", Quoted::new(program));
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

/// Returns the text of `--help`.
pub fn help(program: &OsStr) -> String {
    let program = Quoted::new(program);
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

/// Returns the text of `--version`.
pub fn version() -> String {
    format!(
        "iconv (charpipe) {}\nLicense: MIT or Apache-2.0, at your option.\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns the line that follows messages about the usage.
pub fn try_help(program: &OsStr) -> Vec<u8> {
    let program = bytes_of(program);
    [b"Try `", program, b" --help' or `", program, b" --usage' for more information."].concat()
}

/// Prints a message after the program's name.
pub fn print_message(program: &OsStr, message: &[u8]) {
    print_line(&[bytes_of(program), b": ", message].concat());
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
