//! The long texts of `charpipe check --help`.

pub const USAGE: &str = "charpipe check [-e ENCODING] [OPTIONS] [PATH]...";

pub const ABOUT: &str = "\
Check that files are valid in an encoding.

Reads the files, or standard input, and prints every violation of a rule to standard output, with \
file, line, column, byte offset and reason. Prints nothing for valid files. Files are not modified.";

pub const ENCODING: &str = "\
Expected encoding [default: UTF-8]

NAME or NAME:key=value,… with encoding options, as for --from of a conversion. rfc2047:strict \
reports encoded-words that violate RFC 2047.

With several -e a file may be in any of these encodings. Findings are those of the first encoding in \
which the file is valid, or else of the one whose first invalid sequence comes last.

detect checks each file in the encoding that 'charpipe detect' finds in its first 64 KiB; guesses are \
reported. auto takes that of a byte order mark, UTF-8, or what the file declares.

";

pub const EDITORCONFIG: &str = "\
Take charset and end_of_line from .editorconfig files

They replace --encoding, --bom and --newline for the files to which they apply; for all other files, \
and standard input, those options apply. charset=utf-8 forbids a byte order mark, utf-8-bom requires \
one. Other properties have no effect.";

pub const NO_GITATTRIBUTES: &str = "\
Ignore .gitattributes files

In a git repository eol, text and working-tree-encoding replace --newline, --encoding and --bom for the \
files to which they apply, also with --editorconfig; binary files are skipped. With -text any line \
endings are allowed.";

pub const ASCII_ONLY: &str = "\
Report characters outside ASCII

Each is reported with its code point and name. Files are decoded as --encoding says. A byte order mark \
is not reported; see --bom.";

pub const CONFUSING: &str = "\
Report invisible and misleading characters

Reports characters that change the direction of text, are invisible or control characters, look like a space or a line \
ending, and Latin, Cyrillic and Greek letters in one word. Characters with a usual function are not \
reported: joiners in emoji, Indic and Arabic text, for example.";

pub const BOM: &str = "\
Byte order mark rule (U+FEFF at the start) [default: any]

forbid: no file may start with one. require: every file that is not empty must start with one.

";

pub const NEWLINE: &str = "\
Line ending rule [default: any]

lf, crlf, cr: every line ending must be this one. same: every line ending must be the same as the first \
one of the file. For this rule a CR without an LF is a line ending too, but line numbers in the report \
count LF only.

";

pub const DECLARATION: &str = "\
Rule for the encoding that XML, HTML and coding lines declare [default: match]

match: the declared encoding must be the expected one, or one in which the file is the same text. Files in \
ASCII match every declaration. any: declarations are not checked. Declarations are <?xml \
encoding=\"...\"?>, <meta charset> and lines such as '# coding: latin-1' for Python, Emacs and Vim in the \
first 1,024 bytes. 'charpipe fix --fix-declaration' changes them.

";

pub const MOJIBAKE: &str = "\
Report UTF-8 that was decoded in another encoding, as \"Ã©\" for \"é\"

Reports what 'charpipe repair' would change, besides what the other rules find.";

pub const BINARY: &str = "\
How to treat files containing NUL [default: report, but skip in directories]

Without the option, binary files that are found in directories are skipped: those with NUL among the first \
8192 bytes, unless they begin with a byte order mark of UTF-16 or UTF-32, and those that begin with the \
signature of a format such as PDF. report: report one finding and stop checking the file; if NUL is among the first 8192 bytes, it is \
the only finding. skip: stop checking without a finding. text: NUL is an ordinary character. The rule \
does not apply to encodings such as UTF-16, in which text contains zero bytes.

";

pub const HEADERS_ONLY: &str = "\
Check only message headers (requires RFC2047)

The headers end at the first empty line. The body is not read.";

pub const FILES_WITH_FINDINGS: &str = "\
Print only the names of files with findings

A file is not read after its first finding. Unprintable characters in names are escaped; with -0 each \
name is printed unchanged and followed by NUL.";

pub const DIFF: &str = "\
Print what 'charpipe fix' would change, instead of the findings

Changes to the encoding, byte order marks and line endings, by the rules given, as 'charpipe fix --diff' \
prints them. Files in an unknown encoding are reported on standard error; binary files are skipped.";

pub const CONTEXT: &str = "\
Show the line of each finding, with N lines before and after it [text format]

Malformed bytes and unprintable characters are escaped, and what is found is marked by ^ under its line. Long \
lines are cut around the finding. -C0 shows the lines of findings alone. Files are checked on one thread.";

pub const STATS: &str = "\
Print statistics: encodings, byte order marks, line endings

Follow the findings in the formats text, json and jsonl. The encodings are detected, as charpipe \
detect does; files are read to their end.

";

pub const RANGE: &str = "\
Check only the lines that begin in a range of PATH: A-B in bytes, or I/N

The range is that of charpipe --range, so the findings in all parts of a file are those in the whole \
file, with the same positions if --line-base is given. Needs a regular file and an encoding that can be \
split. What only the whole file decides is not checked: consistent line endings and confusing \
characters. The byte order mark and declarations are checked in the first range. NUL ends the \
check of its range only.";

pub const PATHS: &str = "\
Files and directories to check; - for standard input

Directories are entered. Without a PATH, standard input is checked, or the current directory if \
standard input is a terminal.";

pub const JOBS: &str = "\
Number of threads, 1 to 32 [default: number of CPUs, up to 8]

Parts of one file are checked at the same time: by default of files of 32 MiB and more, if that is faster, and \
with -j N of any file. The findings and their order do not depend on N. Pipes, message headers, several \
encodings and encodings with transforms are checked on one thread, and so are files whose \
declared encoding must be compared. -j 1 uses one thread.";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe check -- *.txt                 check that files are UTF-8
  charpipe check --newline=lf src         check a directory, with LF only
  charpipe check -l .                     list the files that are not UTF-8
  charpipe check -e latin1 --bom=forbid - check standard input

Exit code: 0 no findings, 1 findings, 2 a file could not be read, or invalid usage.";

pub const AFTER: &str = "\
Exit code:
  0  no findings
  1  there are findings
  2  a file could not be read, or invalid usage; the other files were checked

Examples:
  charpipe check --newline=lf .
      Check every text file in this directory that git does not ignore.
  git ls-files -z | charpipe check --binary=skip --files-from - -0
      Check every file tracked by git.
  charpipe check --format=sarif . > charpipe.sarif
      Write a report for code scanning.
  charpipe check -l -0 . | xargs -0 charpipe -f windows-1252 -i --
      Convert the files that are not UTF-8.
  charpipe check -e utf-8 -e windows-1252 --stats .
      Check that files are in one of two encodings, and count them.
  charpipe check --ascii-only --confusing src
      Find characters that do not belong in source code.
  charpipe check -e rfc2047:strict --headers-only mail.eml
      Check that the headers of a message conform to RFC 2047.";
