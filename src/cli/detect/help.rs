//! The long texts of `charpipe detect --help`.

pub const USAGE: &str = "charpipe detect [OPTIONS] [PATH]...";

pub const ABOUT: &str = "\
Detect the encoding of files.

Reads all of each file, or standard input, and prints to standard output: the encoding, as a name \
that --from accepts; the confidence; the line endings (lf, crlf, cr, mixed or none); and the language, if \
the encoding was detected by it. Files can also be empty, binary or unknown. Files are not modified.

Confidence is certain if the file has a byte order mark, or is ASCII or valid UTF-8, or if hardly any text in another \
encoding looks like it; likely if another encoding would be a surprise; and guess if another encoding is quite \
possible. An encoding that is less probable than that is unknown.

A byte order mark takes precedence. Then ISO-2022, HZ, UTF-8, UTF-16 and UTF-32 are tried; other files \
are ranked by how probable their text is in each language. ASCII that looks like UTF-7 is reported as such, but never detected as \
UTF-7.";

pub const NAME: &str = "\
Print one name per file, which iconv also accepts

The name is the one that the iconv of glibc has for the encoding, such as WINDOWS-1252, UTF-8 or \
UTF-16LE, or binary or unknown. As with file --mime-encoding, an empty file is binary. The names of files \
are printed before it, unless the input is standard input or the only FILE. Encodings that glibc does not \
have are printed under the name that --from accepts.";

pub const JSON: &str = "\
Print JSON Lines

One object per file, with file (and uri if the name is not UTF-8), content (text, empty or binary), \
encoding, mime, lang (the language, if it was detected), confidence, probability (from 0 to 1), reason, \
bom (whether there is a byte order mark), line_endings, and candidates, a list of objects with encoding, \
mime, lang, confidence, probability and reason. Candidates of an unknown encoding are uncertain. Files \
that cannot be read have error instead.";

pub const LANG: &str = "\
Language that the text may be in, as pl or zh-Hant (may be repeated)

Encodings of the language become more probable, and others are still possible. LANG is a tag as in BCP \
47 or the name of a locale; several are separated by commas.";

pub const TLD: &str = "\
Top-level domain that the text comes from, as jp or example.co.jp

Encodings of the languages of the country become more probable. Domains such as com have no effect.";

pub const MIN_CONFIDENCE: &str = "\
Minimum confidence for --from detect [default: guess, in place likely]

Inputs whose encoding is detected with less confidence are not converted. The levels are those of \
'charpipe detect'.

";

pub const ACCEPT_GUESS: &str = "\
Accept the best guess of --from detect, however uncertain

Without this, inputs whose encoding is uncertain are not converted, nor files in place whose encoding is \
a guess. The guess is reported.";

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
  charpipe detect -- *.txt              detect the encodings of files
  charpipe detect --candidates 3 a.txt  print other possible encodings too
  charpipe detect --name a.txt          print only a name that iconv accepts
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
  iconv -f \"$(charpipe detect --name old.txt)\" old.txt
      Convert with another program.
  charpipe detect --lang=cs,sk -- *.srt
      Subtitles that are in Czech or Slovak.
  charpipe -f detect -v old.txt
      Convert from the detected encoding.";
