//! The texts of `--help` that are longer than a line.

use charpipe::error_policy::ErrorAction;

pub const USAGE: &str = "charpipe [-f ENCODING] [-t ENCODING] [OPTIONS] [FILE]...
       charpipe check [-e ENCODING] [OPTIONS] [PATH]...
       charpipe detect [OPTIONS] [PATH]...
       charpipe list [--json | --tsv]";

pub const ABOUT: &str = "\
Convert text between encodings.

Reads the FILEs, or the standard input, one after the other and writes them to the standard \
output in the other encoding. What cannot be converted is told on the standard error with file, \
line, column and byte offset; the first such fault ends the run unless another action is chosen.

As the very first word, check finds all that is wrong with files, detect says in which encodings they \
are, and list lists the encodings; nothing is converted then. See charpipe check --help and so on. A file \
of that name is ./check.";

pub const FROM: &str = "\
Encoding of the input, or auto [default: UTF-8]

NAME or NAME:key=value,… with the encoding's own options. Case, punctuation and leading zeros in \
a name do not count. --list shows the names, the manual (--man) the options. RFC2047 stands for header \
lines of mail: their encoded-words become text.

auto takes it from the input: a byte order mark says it, then UTF-8 is taken if the input is valid \
UTF-8 without NUL, then what --fallback names. Else the input is refused. detect uses the encoding that \
charpipe detect reports; guesses are reported (see --min-confidence), and binary files are refused. Without --in-place only the first 64 KiB of an input are looked at.";

pub const MIN_CONFIDENCE: &str = "\
Least confidence for --from detect [default: likely with --in-place, else guess]

An input whose encoding is detected with less confidence is not converted. The levels are those of \
charpipe detect.

";

pub const TO: &str = "\
Encoding of the output [default: UTF-8]

As for --from. The endings //TRANSLIT (equivalents for characters that the encoding lacks) and \
//IGNORE (leave out what cannot be converted) are understood as iconv understands them; an \
--on-… option wins over them.";

pub const OUTPUT: &str = "\
Write to FILE, which is replaced only when all went well

The output goes to a temporary file in the same directory first. After an error, or a fault that \
stopped the run, FILE is as it was. A device, a pipe or an open descriptor (/dev/stdout) is \
written directly; - is the standard output.";

pub const STRICT: &str = "\
Keep to RFC 2047 to the letter, and find fault with words that do not

With --from RFC2047: only what sections 5 and 6 of the RFC call an encoded-word is decoded. A word \
that is malformed is told and stays as it is; so the exit code says whether all is well. With \
--to RFC2047: text that the encoding of the words lacks is a fault, not written in UTF-8.";

pub const MESSAGE: &str = "\
Convert only the header lines of each message, for RFC2047

The header lines end with the first empty line. The body goes out byte for byte.";

pub const BOM: &str = "\
What to do about a byte order mark, U+FEFF at the start [default: keep]

keep treats it as any character, strip removes one from the start of each input, add makes sure \
that the output begins with exactly one and removes that of each further input. By default a mark is \
kept, but with --from auto or detect that of UTF-8 is removed, as that of UTF-16 is.

";

pub const IN_PLACE: &str = "\
Convert the FILEs where they stand

Each file is the old one or the new one, whole, whatever happens meanwhile. It keeps its mode, owner, \
extended attributes and access control list; where it is a symbolic link, the file that the link leads \
to is converted. A file that cannot be converted, or would not change, is left as it is. At the end \
a line says how many files were converted, unchanged, skipped and failed; -v says it of each.";

pub const BACKUP: &str = "\
Keep the old content of each file by its name with SUFFIX [default: ~]

An older backup is not replaced, unless with --force. With --recursive, files whose names end in SUFFIX \
are passed by.";

pub const FORCE: &str = "\
Convert files that look binary or already converted

Without it, a file that is already valid in the output encoding is left unchanged, because converting it \
again would corrupt it, and a binary file is skipped: one that contains NUL or control characters that \
text does not have, that has the signature of a binary format, or that looks like random bytes. With it, \
older backups are replaced too.";

pub const RECURSIVE: &str = "\
Go into directories, but not where .gitignore says so

Hidden files, what .gitignore files name and what version control keeps for itself (.git) are left \
out; symbolic links are not followed. A file that is named itself is always taken.";

pub const GLOB: &str = "\
In directories take only files that fit GLOB, with !GLOB only those that do not

A pattern as in .gitignore, set against the path below the directory that was named: *.txt fits at \
any depth, docs/*.txt only there, and ** stands for any directories. The last that fits counts.";

pub const FILES_FROM: &str = "\
Take the names of files from FILE, one a line

- is the standard input. With -0 the names end with NUL, as find -print0 and git ls-files -z write \
them. Empty names are passed over.";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe -f utf-7 mail.txt             UTF-7 to UTF-8 on the standard output
  charpipe -f latin1 -o new.txt old.txt  ISO-8859-1 to UTF-8, into a file
  charpipe -f latin1 -i *.txt            the same, where the files stand
  charpipe -t us-ascii --on-error xml    characters beyond ASCII as &#8364;
  charpipe -f rfc2047 mail.mbox          subjects and names in mail as text
  charpipe check -r src                  is all of this UTF-8? See charpipe check -h
  charpipe detect old.txt                in which encoding is it? See charpipe detect -h

Exit code: 0 clean, 1 the data had faults, 2 usage or system error. See --help for more.";

pub const AFTER: &str = "\
Exit code:
  0  everything was converted
  1  the data had faults, also where they were left out or replaced
  2  wrong usage, unknown encoding, or the system failed to read or write
  A reader that goes away (charpipe … | head) ends charpipe as SIGPIPE does.

Examples:
  charpipe -f utf-7 -t utf-8 mail.txt
      Convert a file to the standard output.
  charpipe -f iso-8859-1 -o new.txt old.txt
      Convert into a file. new.txt appears only if all of old.txt was converted.
  charpipe -f latin1 -i -r docs --glob '*.txt' --backup
      Convert the files of a directory where they stand, and keep the old ones.
  tail -f log | charpipe -f utf-16le
      Convert a stream; each line appears as soon as it has been written.
  charpipe -t us-ascii --on-unmappable xml page.html
      Write characters beyond ASCII as &#8364; and stop at bytes that are not UTF-8.
  charpipe -f utf-8 -t utf-8 --on-error replace broken.txt > clean.txt
      Make valid UTF-8 of anything.
  charpipe check -s file && echo clean
      Check a file without a word.";

pub const ON_ERROR_MANPAGE: &str = "\
What to do about faults [default: stop]

The section ACTIONS has them all. --on-invalid and --on-unmappable choose it for bytes that are no \
character and for characters that the output encoding lacks; they win over this one.";

pub const ENCODING_OPTIONS: &str = "\
They stand behind the name and a colon, with commas between them, as in \
utf-7:close=always,set-o=direct. A flag is set by its name alone, or by =yes and =no; of several \
words the first is the default.";

/// The help of `--on-error`, with every action.
pub fn on_error() -> String {
    let mut text = String::from("What to do about faults [default: stop]\n\nOne of:\n");
    for (name, about) in ErrorAction::NAMES {
        text.push_str(&format!("  {name:<13}{about}\n"));
    }
    text.push_str(
        "\n--on-invalid and --on-unmappable choose it for bytes that are no character and for \
         characters that the output encoding lacks; they win over this one. A character that is \
         written as a transliteration or an escape is no error; all else makes the exit code 1.",
    );
    text
}
