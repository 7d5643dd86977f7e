//! The texts of `charpipe check --help` that are longer than a line.

pub const USAGE: &str = "charpipe check [-e ENCODING] [OPTIONS] [PATH]...";

pub const ABOUT: &str = "\
Find all that is wrong with files.

Reads the files, or the standard input, and tells on the standard output every place that breaks a \
rule: with file, line, column, byte offset and reason. Where all is well nothing is told. Nothing \
is written to the files.";

pub const ENCODING: &str = "\
Encoding that the files should be in [default: UTF-8]

NAME or NAME:key=value,… with the encoding's own options, as for --from of a conversion: \
rfc2047:strict finds fault with header words that are not to the letter of the RFC.";

pub const BOM: &str = "\
What to ask of a byte order mark, U+FEFF at the start [default: any]

forbid: there must be none. require: each file that is not empty must begin with one.

";

pub const NEWLINE: &str = "\
What to ask of line ends [default: any]

lf, crlf: each must be this. same: each must be what the first one of its file is. A CR without an \
LF counts as a line end here; lines are counted by LF all the same.

";

pub const BINARY: &str = "\
What to make of a file that holds NUL [default: report]

report: one finding, and the file is not checked from there on; if the NUL is among the first 8192 \
bytes, it is the only finding. skip: the same without the finding. text: NUL is a character as any \
other. Encodings such as UTF-16, whose text is full of bytes 00, have no such rule.

";

pub const MESSAGE: &str = "\
Check only the header lines of each message, for RFC2047

The header lines end with the first empty line. The body is not read.";

pub const FORMAT: &str = "\
Form in which findings are told [default: text]

text: lines for people. gcc: lines as a compiler's, for editors; columns count bytes. json, jsonl: \
one document, or an object a line. github: annotations of GitHub Actions. gitlab: a report for \
GitLab's code quality. sarif: SARIF 2.1.0, for code scanning. junit: a test report in XML. But for \
gcc, columns count characters.

";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe check *.txt                    are these files UTF-8?
  charpipe check -r --newline=lf src      all text files of a tree, with LF alone
  charpipe check -e latin1 --bom=forbid - the standard input

Exit code: 0 clean, 1 findings, 2 a file could not be read, or wrong usage.";

pub const AFTER: &str = "\
Exit code:
  0  nothing is wrong
  1  there are findings
  2  a file could not be read, or wrong usage; the other files were checked

Examples:
  charpipe check -r --binary=skip --newline=lf .
      Every text file below this directory that git does not ignore.
  git ls-files -z | charpipe check --files-from - -0
      Every file that git knows.
  charpipe check -r --format=sarif . > charpipe.sarif
      A report for code scanning.
  charpipe check -e rfc2047:strict --message mail.eml
      Are the header lines to the letter of RFC 2047?";
