//! The long texts of `--help`.

use charpipe_transcode::error_policy::{ErrorAction, TransliterationTable};

pub const USAGE: &str = "charpipe [-f ENCODING] [-t ENCODING] [OPTIONS] [FILE]...
       charpipe check [-e ENCODING] [OPTIONS] [PATH]...
       charpipe fix [OPTIONS] PATH...
       charpipe detect [OPTIONS] [PATH]...
       charpipe repair [OPTIONS] [FILE]...
       charpipe list [OPTIONS] [PATTERN]...
       charpipe show [OPTIONS] [FILE | TEXT]...
       charpipe iconv [-f NAME] [-t NAME] [OPTIONS] [FILE]...
       charpipe help [TOPIC]
       charpipe install-links DIR";

/// The usage that `-h` shows.
pub const SHORT_USAGE: &str = "charpipe [-f ENCODING] [-t ENCODING] [OPTIONS] [FILE]...
       charpipe COMMAND [OPTIONS] [ARGUMENTS]";

pub const ABOUT: &str = "\
Convert text between encodings.

Reads the FILEs, or standard input, one after the other and writes them to standard output in the \
output encoding. Invalid input and unmappable characters are reported on standard error with file, \
line, column and byte offset. By default the first error stops the conversion.

A subcommand must be the first argument. To convert a file named like one, write ./check or use \
-- before it. Called by the name iconv, charpipe behaves as 'charpipe iconv'.";

pub const FROM: &str = "\
Input encoding, or auto or detect [default: UTF-8]

NAME or NAME:key=value,… with encoding options. Case, punctuation and leading zeros in names are \
ignored. 'charpipe list' shows the names, and 'charpipe list --about NAME' the options. RFC2047 denotes \
mail headers; it decodes their encoded-words. /TRANSFORM after the encoding names a form of the text or \
the bytes, as in latin1/qp or utf-8/crlf/base64: the input is decoded from right to left. 'charpipe list \
--transforms' shows the transforms, and --about their options too. locale is the encoding of the locale (LC_ALL, LC_CTYPE, \
LANG). A path, as in ./machine.ucm, names a mapping file, which defines an encoding: a UCM file of ICU, a charmap of POSIX, \
or lines such as 0xA4 0x20AC.

Several encodings, separated by commas, are for text in mixed encodings, as in utf-8,windows-1252: the \
first one decodes the input, and what is malformed is decoded with the next one in which it is valid. \
With :per=line this is decided for each line as a whole, as in utf-8,windows-1252:per=line. -v reports \
what was decoded as what.

auto determines the encoding of each input: from a byte order mark; else it is UTF-8 if the input is \
valid UTF-8 without NUL; else the one that XML, HTML, CSS, gettext, LaTeX, a mail header, Perl or a coding line \
declares, if the input is valid in it; else that of --default-encoding. Without the latter other inputs are rejected. detect uses the \
result of 'charpipe detect'; guesses are reported, and binary files and uncertain encodings are rejected \
(see --min-confidence and --accept-guess). Both examine the first 64 KiB of an input, or all of it with \
--in-place.";

pub const VIA: &str = "\
Steps between the input and the output encoding, separated by commas

A step is a transform of text, such as nfc, lf or html; with :decode it reads the form instead of \
writing it. Or it is an encoding, possibly with transforms: the text is encoded in it and decoded \
again, and what it cannot represent is an error; as cp1252..bytes..utf-8 it is decoded in another one. Can be repeated. 'charpipe list --transforms' shows \
the transforms, and 'charpipe list --about NAME' the options of one, as in html:named.

";

pub const CHAIN: &str = "\
All steps of the conversion, as in base64..iso-2022-jp..nfc..utf-8/crlf

The steps are separated by '..' and run from left to right. The first one says what the input is: \
transforms of bytes there are decoded. The first encoding decodes bytes to text, every further one \
encodes the text, and decodes it again if another step follows. The output is UTF-8 if the last step \
is not an encoding. 'bytes' as the first or the last step denotes any bytes, as in bytes..base64; between \
two encodings, the bytes of the first, which the second decodes: utf-8..cp1252..bytes..utf-8 repairs UTF-8 \
that was decoded as CP1252.

";

pub const NEWLINE: &str = "\
Convert line endings

Every LF and CRLF, and every CR without LF, becomes this line ending. For NEL, the line ending of z/OS, write /nel after the \
encoding, as in -f ibm1047/nel.

";

pub const NORMALIZE: &str = "\
Apply a Unicode normalization form

nfc composes characters, such as é from e and an accent; names of files from macOS are often decomposed. \
nfd decomposes them. nfkc and nfkd also replace compatibility characters, such as ligatures and fullwidth \
letters.

";

pub const TO: &str = "\
Output encoding [default: UTF-8]

As for --from. The suffixes //TRANSLIT (transliterate unmappable characters) and //IGNORE (discard \
unconvertible input) have the same meaning as in iconv; --on-error, --on-invalid and --on-unmappable \
override them.";

pub const OUTPUT: &str = "\
Write to FILE atomically (only on success)

The output is written to a temporary file in the same directory, which replaces FILE at the end. If \
the conversion fails or stops, FILE is unchanged. Devices, pipes and open descriptors (/dev/stdout) \
are written directly; - is standard output.";

pub const STRICT: &str = "\
Enforce RFC 2047 strictly

With --from RFC2047, only encoded-words that satisfy sections 5 and 6 of the RFC are decoded; \
malformed ones are reported and remain unchanged. With --to RFC2047, characters that the charset of \
the encoded-words cannot represent are errors instead of being written in UTF-8.";

pub const HEADERS_ONLY: &str = "\
Convert only message headers; copy the body unchanged

Requires RFC2047 as the input or output encoding. The headers end at the first empty line.";

pub const UNFOLD: &str = "\
Join the lines of each header field

The line breaks of header fields that are folded are dropped, and the white space after them is kept. \
Bodies remain unchanged. Works with any encoding, on messages, mailboxes and MIME parts.";

pub const FIELD: &str = "\
Print only the header fields of this name (may be repeated)

Fields are those of a message, of all messages of a mailbox, and of MIME parts. Everything else is \
dropped, and its errors are not reported. Case is ignored. With several FILEs, --recursive or \
--files-from, each field is printed in one line after the name of its file.";

pub const FIX_DECLARATION: &str = "\
Change the encoding that XML, HTML and coding lines declare

The names in <?xml encoding=\"...\"?>, in <meta charset> and <meta http-equiv> of HTML, in @charset of CSS, in the \
header of a message catalog of gettext, in the options of the package inputenc of LaTeX, in the field Content-Type of \
a mail or HTTP message, in =encoding of Perl, and in lines such as '# coding: latin-1' for Python, Emacs and Vim become \
that of the output encoding, in the first 1,024 bytes of each input (4,096 of a message catalog, LaTeX, a mail or Perl). \
Nothing else is changed. \
An XML declaration without encoding gets one, unless the \
output is UTF-8 or UTF-16.";

pub const BOM: &str = "\
Keep, strip or add a byte order mark (U+FEFF at the start) [default: keep]

keep treats U+FEFF as an ordinary character, where the encoding does not itself define it, as UTF-16 \
does. strip removes it from the start of each input. add writes exactly one at the start of the \
output. With --from auto and --from detect, a UTF-8 byte order mark is stripped by default, as that \
of UTF-16 is.

";

pub const IN_PLACE: &str = "\
Convert files in place

Replacement is atomic: after a crash each file has either its old or its new content. Mode, owner, \
extended attributes and access control lists are preserved; for a symbolic link, its target is \
converted. Files that cannot be converted or would not change are not written. Unless the \
input encoding is the same, files that are valid in the output encoding are left unchanged, so that the command can be \
repeated. A summary counts \
converted, unchanged, skipped and failed files; -v lists each file.";

pub const JOBS: &str = "\
Number of threads, 1 to 32 [default: number of CPUs, up to 8]

With --in-place, --output-dir and --suffix, several files are converted at the same time, and parts of a \
large file if fewer files are left than threads. Otherwise parts of one input are converted at the \
same time: by default of files of 32 MiB and more, if that is faster, and with -j N of any file, pipe \
or terminal. The output, the messages and the exit code do not depend on N. -j 1 uses one thread.";

pub const OUTPUT_DIR: &str = "\
Convert each file to a file of the same name in DIR

The files are not changed. With --recursive, the tree below each directory is mirrored in DIR; names in \
a list of --files-from keep their directories. Every file gets an output: a file that --in-place \
would not change or would skip as binary is copied. Outputs are replaced atomically. They have the \
permissions of their files, or of the output that they replace. Symbolic links in DIR are not \
followed. Two files with the same output, and an output that is also an input, are errors.";

pub const SUFFIX: &str = "\
Convert each FILE to FILE+SUFFIX, in the same directory or that of --output-dir

Binary files are skipped. With --recursive, files whose names end in SUFFIX are skipped, so that the \
outputs of an earlier run are not converted again.";

pub const NO_PRESERVE: &str = "\
Do not preserve metadata of replaced files: owner, group, mode, acl, xattr

A list of names, separated by commas; ownership is owner and group, all is all of them. By default a \
file is not replaced if one of these cannot be preserved, for example the owner of another user's \
file. No user gets more permissions: with another owner or group, a file loses its set-user-ID and \
set-group-ID bits, and the new group has no permission that others do not have. Without mode, the \
file has the permissions of a new file.";

pub const BACKUP: &str = "\
Back up each file as FILE+SUFFIX [default: ~]

An existing backup is not overwritten without --force. In directories, files whose names end in SUFFIX \
are skipped.";

pub const FORCE: &str = "\
Convert files that look binary or already converted

Without --force, a file that is already valid in the output encoding is not converted, because a \
second conversion would corrupt it, and binary files are skipped: those that contain NUL or control \
characters that do not occur in text, have the signature of a binary format, or look like random \
bytes. --force also overwrites existing backups, and read-only files with --output-dir and --suffix.";

pub const RECURSIVE: &str = "\
Recurse into directories, respecting .gitignore

Skips hidden files, files that .gitignore excludes, and directories of version control systems \
(.git), and in conversions the directory of --output-dir. Symbolic links are not followed. Files given as arguments are never skipped.";

pub const GLOB: &str = "\
Include (or with !, exclude) files matching GLOB

Applies to files found in directories. Globs are those of .gitignore, relative to the directory \
given: *.txt matches at any depth, docs/*.txt only there, and ** matches any directories. If several \
globs match, the last one decides.";

pub const FILES_FROM: &str = "\
Read file names from FILE, one per line

- is standard input. With -0 the names are separated by NUL, as find -print0 and git ls-files -z \
print them. Empty names are ignored. Directories in the list require --recursive.";

pub const RANGE: &str = "\
Convert only the lines that begin in a range of FILE: A-B in bytes, or I/N

A-B is from byte A up to but not including byte B; without B, to the end of the file. I/N is part I, from \
1, of N parts of about the same size. Offsets may have a unit of K, M, G or T, powers of 1024. Both ends \
are moved to the next split point of the encoding, so the outputs of adjacent ranges, joined in \
their order, are the conversion of the whole file, byte for byte. The first range writes the byte order \
mark or header of the output, if there is one. Positions of errors are those in the whole file, lines \
with --line-base.

Needs a regular file, and an encoding that can be split; 'charpipe list --about ENCODING' shows where. \
'charpipe split' prints ranges.";

pub const ASSUME_LINE_START: &str = "\
Assume the initial state after each line feed, to be verified by the reports

Files in ISO-2022-JP and ISO-2022-KR have no split points: the state of the \
decoder may outlive a line feed, though it rarely does. With this option they are split after line \
feeds. The joined outputs are right only if each range ends in the state that the next one assumes: \
ends_as_assumed in its report is true, and the exit code 0. Otherwise convert the next range again with \
--start-state.";

pub const START_STATE: &str = "\
State in which the preceding range ended, from its report

Implies --assume-line-start.";

pub const REPORT: &str = "\
Write a report of the range to FILE, in JSON

It has the offsets that were converted, the number of bytes written, of line feeds and of errors, the first 10 \
errors (with --verbose, all), and the state at the end. It is written after the output.";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe -f cp1252 -o new.txt old.txt  convert windows-1252 to UTF-8
  charpipe -f detect -i -- *.txt         detect encodings, convert in place
  charpipe check src                     check that files are UTF-8

A form follows the encoding, as in -f latin1/qp and -t utf-8/crlf/base64.
Exit code: 0 success, 1 conversion errors, 2 usage or system error.
See --help for all options, charpipe help chains|errors|detect|mail|ranges.";

pub const AFTER: &str = "\
Exit code:
  0  everything was converted, transliterated or escaped
  1  there were conversion errors, even if the input was skipped or replaced
  2  invalid usage, unknown encoding, or a read or write error
  If the reader of a pipe exits (charpipe … | head), charpipe is terminated by SIGPIPE.

Examples:
  charpipe -f utf-7 -t utf-8 mail.txt
      Convert a file to standard output.
  charpipe -f iso-8859-1 -o new.txt old.txt
      Convert to a file. new.txt is created only if all of old.txt was converted.
  charpipe -f latin1 -i -r docs --glob '*.txt' --backup
      Convert the files of a directory in place, with backups.
  tail -f log | charpipe -f utf-16le
      Convert a stream. Each line is written as soon as it was read.
  charpipe -t us-ascii --on-unmappable xml page.html
      Write non-ASCII characters as &#8364; and stop at invalid UTF-8.
  charpipe -f utf-8 -t utf-8 --on-error replace broken.txt > clean.txt
      Replace everything that is not valid UTF-8.
  charpipe -f auto --default-encoding cp1252 --newline=lf -i -r src
      Make files UTF-8 with LF that are in UTF-8, UTF-16 or windows-1252.
  charpipe --bom strip -i -- *.csv
      Strip byte order marks.
  charpipe -f utf-8,windows-1252 -v mixed.log
      Convert a file that is in two encodings.
  charpipe --via html:decode,nfc page.txt
      Decode character references, and compose characters.
  charpipe check -q file && echo clean
      Check a file without printing anything.";

pub const COLOR: &str = "\
When to use colors [default: auto]

auto uses them on terminals, unless NO_COLOR is set or CLICOLOR is 0, and with CLICOLOR_FORCE also \
elsewhere. Standard output and standard error are decided separately. Converted text and formats for \
other programs are never colored.

";

/// The long help of `--translit-lang`.
pub fn translit_lang() -> String {
    let languages = TransliterationTable::LANGUAGES.join(", ");
    format!(
        "Language whose transliterations apply, as in de: ä to ae\n\n\
         Requires //TRANSLIT or --on-unmappable translit. LANG is a tag as in BCP 47 or the name of a locale, \
         as de-AT or de_DE.UTF-8. The transliterations are those of the locales of glibc, for {languages}, nn and \
         no; without this option those of C.UTF-8."
    )
}

/// Returns the long help of `--on-error`, with every action.
pub fn on_error() -> String {
    let mut text = String::from("What to do on conversion errors [default: stop]\n\nActions:\n");
    for (name, description) in ErrorAction::NAMES {
        // `format!` would take 3% of the instructions of each start.
        let padding = &"             "[name.len()..];
        text.extend(["  ", name, padding, description, "\n"]);
    }
    text.push_str(
        "\n--on-invalid and --on-unmappable override the action for invalid input bytes and for \
         characters not in the output encoding. Characters that are transliterated or escaped are \
         not errors; all other actions result in exit code 1.",
    );
    text
}
