//! The long texts of `charpipe fix --help`.

use crate::cli::text_fixes::TEXT_FIXES;

pub const USAGE: &str = "charpipe fix [OPTIONS] PATH...
       charpipe fix [OPTIONS] < FILE";

pub const ABOUT: &str = "\
Fix the encoding, BOM and line endings of files.

Converts files in place to one encoding, and with --newline and --bom to one kind of line ending, and text \
with or without a byte order mark; by default to UTF-8. Exactly the files that 'charpipe check' with the same rules reports \
for these are changed; binary files are skipped. Each file is replaced atomically. Standard \
input is converted to standard output.

A file is in the encoding that its byte order mark denotes; else in UTF-8 if it is valid UTF-8 with a \
character outside ASCII; else in the encoding of --encoding if it is valid in that; else in that of \
--from. Without the latter it is reported and not changed.";

pub const BOM: &str = "\
Byte order mark rule (U+FEFF at the start) [default: any]

forbid: it is removed. require: it is added to files that are not empty. any: it is kept, but in a file that \
is converted to another encoding only if that is UTF-16 or UTF-32.

";

pub const NEWLINE: &str = "\
Line ending rule [default: any]

lf, crlf, cr: LF, CRLF, and CR without an LF are converted to this one. any: they are kept.

";

/// The long help of `--via`.
pub fn via() -> String {
    format!(
        "Remove or replace characters, as with remove-zero-width\n\n\
         Transforms of text, separated by commas: {}. 'charpipe list --transforms' describes them, 'charpipe check \
         --confusing' finds such characters. May be repeated.",
        TEXT_FIXES.join(", ")
    )
}

pub const REPAIR: &str = "\
Repair text that was decoded in the wrong encoding

\"cafÃ©\" becomes \"café\", as with 'charpipe repair', before the steps of --via. 'charpipe check --mojibake' finds \
such text.";

pub const EDITORCONFIG: &str = "\
Take charset and end_of_line from .editorconfig files

They replace --encoding, --bom and --newline for the files to which they apply, as for 'charpipe \
check'.";

pub const FROM: &str = "\
Encoding of files that are not in the expected one, or detect

Applies to files without a byte order mark that are neither in UTF-8 nor valid in --encoding. detect \
uses the result of 'charpipe detect'. auto, the default, leaves such files unchanged.";

pub const DIFF: &str = "\
Print the changes as a diff, without writing

The diff is for reading: text is shown decoded, with the encodings after the file names if they differ, \
line endings that change as ␊ and ␍, a byte order mark and other unprintable characters escaped, and long \
lines cut.";

pub const FORCE: &str = "Fix files that look binary, and replace existing backups";

pub const PATHS: &str = "\
Files and directories to fix; - for standard input

Directories are entered. Without a PATH, standard input is converted to standard output, unless it is a \
terminal.";

pub const SHORT_EXAMPLES: &str = "\
Examples:
  charpipe fix -f windows-1252 .   convert the files that are not UTF-8
  charpipe fix --newline=lf .      convert this directory to UTF-8 with LF
  charpipe fix -nv --newline=lf .  list what that would change
  charpipe fix --editorconfig .    follow .editorconfig files

Exit code: 0 nothing had to be changed, 1 files were changed or cannot be fixed, 2 an error.";

pub const AFTER: &str = "\
Exit code:
  0  nothing had to be changed, or standard input was converted
  1  files were changed, or would be with --dry-run or --diff, or are in an unknown encoding
  2  invalid usage, unknown encoding, or a read or write error

Examples:
  charpipe fix --newline=lf --bom=forbid .
      Convert the text files of this directory to UTF-8 without a BOM and with LF.
  charpipe fix --newline=lf --bom=forbid --diff src
      Show what that would change.
  charpipe fix -f windows-1252 --backup .
      Convert files that are not UTF-8 from windows-1252, keeping FILE~.
  charpipe fix --newline=crlf --bom=require -- *.csv
      Convert files for Excel on Windows.
  git diff --name-only -z --diff-filter=d main | charpipe fix --newline=lf --files-from - -0
      Fix the files that differ from another branch.
  charpipe fix < in.txt > out.txt
      Convert standard input.";
