//! The texts of `charpipe detect --help` that are longer than a line.

pub const USAGE: &str = "charpipe detect [OPTIONS] [PATH]...";

pub const ABOUT: &str = "\
Find out in which encodings files are.

Reads the files, or the standard input, to their ends, and says of each on the standard output: the \
encoding, by a name that --from takes; how sure that is; and how its lines end (lf, crlf, cr, mixed, \
none). A file may also be empty or binary. Nothing is written to the files.

certain: a byte order mark says it, or all is ASCII, or all is valid UTF-8. likely: it would be a \
surprise if it were another. guess: it may well be another.

A byte order mark counts first. Then the file is tried as ISO-2022, HZ, UTF-8, UTF-16 and UTF-32; what \
is none of these is judged by how often which bytes occur. ASCII that looks like UTF-7 is told so, and \
never taken for it.";

pub const JSON: &str = "\
One object a line, in JSON

With file (and uri, if the name is not UTF-8), content (text, empty or binary), encoding, mime, \
confidence, reason, mark (whether there is a byte order mark), line_ends, and candidates, a list of \
objects with encoding, mime, confidence and reason. A file that cannot be read has error instead.";

pub const CANDIDATES: &str = "\
Tell up to N encodings of each file, the best first [default: 1]

The others follow on lines of their own, behind the word or. There may be fewer.";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe detect *.txt                 in which encodings are these files?
  charpipe detect --candidates 3 a.txt  what else may it be?
  charpipe detect -r --json src         all files of a tree, for a program

Exit code: 0 text or empty, 1 a file is binary or in an encoding that is not known, 2 a file could not \
be read, or wrong usage.";

pub const AFTER: &str = "\
Exit code:
  0  each file is empty, or text in the encoding that is told
  1  a file is binary, or in an encoding that is not known
  2  a file could not be read, or wrong usage; the other files were looked at

Examples:
  charpipe detect -r .
      Every file below this directory that git does not ignore.
  charpipe detect -r --json . | jq -r 'select(.confidence == \"guess\") | .file'
      The files of which it can only be guessed.
  charpipe -f detect -v old.txt
      Convert from the encoding that is detected.";
