//! The long texts of `charpipe detect --help`.

pub const USAGE: &str = "charpipe detect [OPTIONS] [PATH]...";

pub const ABOUT: &str = "\
Detect the encoding of files.

Reads all of each file, or standard input, and prints to standard output: the encoding, as a name \
that --from accepts; the confidence; and the line endings (lf, crlf, cr, mixed or none). Files can also \
be empty or binary. Files are not modified.

Confidence is certain if the file has a byte order mark, or is ASCII or valid UTF-8; likely if another \
encoding would be a surprise; and guess if another encoding is quite possible.

A byte order mark takes precedence. Then ISO-2022, HZ, UTF-8, UTF-16 and UTF-32 are tried; other files \
are ranked by byte frequencies. ASCII that looks like UTF-7 is reported as such, but never detected as \
UTF-7.";

pub const JSON: &str = "\
Print JSON Lines

One object per file, with file (and uri if the name is not UTF-8), content (text, empty or binary), \
encoding, mime, confidence, reason, bom (whether there is a byte order mark), line_endings, and \
candidates, a list of objects with encoding, mime, confidence and reason. Files that cannot be read \
have error instead.";

pub const CANDIDATES: &str = "\
Print up to N candidate encodings per file [default: 1]

The best candidate comes first; the others follow on separate lines that start with or. There may be \
fewer than N.";

pub const PATHS: &str = "\
Files and directories to examine; - for standard input

Directories are entered. Without a PATH, standard input is examined, or the current directory if \
standard input is a terminal.";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe detect *.txt                 detect the encodings of files
  charpipe detect --candidates 3 a.txt  print other possible encodings too
  charpipe detect --json src            all files of a directory, as JSON

Exit code: 0 text or empty, 1 a file is binary or its encoding is unknown, 2 a file could not be read, \
or invalid usage.";

pub const AFTER: &str = "\
Exit code:
  0  every file is empty, or text in the encoding printed
  1  a file is binary, or its encoding is unknown
  2  a file could not be read, or invalid usage; the other files were examined

Examples:
  charpipe detect .
      Every file in this directory that git does not ignore.
  charpipe detect --json . | jq -r 'select(.confidence == \"guess\") | .file'
      Files whose encoding is only a guess.
  charpipe -f detect -v old.txt
      Convert from the detected encoding.";
