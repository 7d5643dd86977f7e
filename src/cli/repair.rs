//! Command-line definition of `charpipe repair`, a conversion with the steps `mojibake` and `windows-c1`.

use std::ffi::OsString;

use clap::builder::Resettable;

use super::convert::args::{ConvertArgs, ErrorArgs, InputOutputArgs, PerFileArgs};
use super::line_repairer::REPAIR_STEPS;
use super::shared_args::{HelpArgs, PathArgs, TestArgs};

const USAGE: &str = "charpipe repair [OPTIONS] [FILE]...
       charpipe repair -i [OPTIONS] FILE...";

const ABOUT: &str = "\
Repair text that was decoded in the wrong encoding.

UTF-8 that was read as windows-1252 or a similar encoding looks like \"cafÃ©\"; this is repaired to \
\"café\", also if it happened several times. Only text that is certainly garbled is changed, and every \
change can be undone: encoding the repaired text in UTF-8 and decoding that in the same wrong encoding \
gives the garbled text. Writes to standard output, or repairs files in place.

The encodings are windows-1250, 1251, 1252, 1253, 1254 and 1257, ISO-8859-1 and -2, Macintosh, CP437, \
CP850 and CP866. Control characters (U+0080 to U+009F, except U+0085 and U+009B) become the characters that \
windows-1252 has at these bytes. To find garbled text, use charpipe check --mojibake.";

const EXAMPLES: &str = "\
Examples:
  charpipe repair < garbled.txt > text.txt   repair standard input
  charpipe repair -i -n -r .                 show which files would be repaired
  charpipe repair -i --backup *.csv          repair files, keeping FILE~";

const AFTER: &str = "\
Exit code:
  0  everything was converted
  1  there were conversion errors, even if the input was skipped or replaced
  2  invalid usage, unknown encoding, or a read or write error

Examples:
  charpipe repair < garbled.txt > text.txt
      Repair standard input.
  charpipe repair -i -n -r .
      Show which files would be repaired.
  charpipe repair -i --backup *.csv
      Repair files in place, keeping FILE~.";

const DIFF: &str = "\
Print the changes as a diff, without writing

The diff is for reading: text is shown decoded, unprintable characters are escaped, and long lines are cut.";

/// Repair text that was decoded in the wrong encoding
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe repair",
    version,
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_help = EXAMPLES,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct RepairArgs {
    #[command(flatten)]
    pub io: RepairIoArgs,

    #[command(flatten)]
    pub errors: ErrorArgs,

    #[command(flatten)]
    pub per_file: PerFileArgs,

    /// Print the changes as a diff, without writing
    #[arg(long, long_help = DIFF, conflicts_with_all = ["output", "output_dir", "suffix", "dry_run"])]
    #[arg(help_heading = "Files")]
    pub diff: bool,

    #[command(flatten)]
    pub path_args: PathArgs,

    #[command(flatten)]
    pub testing: TestArgs,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Files to repair; - or none for standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(help_heading = Resettable::Reset)]
    pub files: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Input and output")]
pub struct RepairIoArgs {
    /// Encoding of the files [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING")]
    pub encoding: Option<OsString>,

    /// Write to FILE atomically (only on success)
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(allow_hyphen_values = true)]
    pub output: Option<OsString>,
}

impl RepairArgs {
    /// Returns the conversion that repairs.
    pub fn into_conversion(mut self) -> ConvertArgs {
        self.per_file.in_place |= self.diff;
        self.per_file.replace.dry_run |= self.diff;
        let encoding = self.io.encoding.unwrap_or_else(|| "UTF-8".into());
        ConvertArgs {
            io: InputOutputArgs {
                from: Some(encoding.clone()),
                to: Some(encoding),
                output: self.io.output,
                via: REPAIR_STEPS.map(Into::into).to_vec(),
                ..InputOutputArgs::default()
            },
            errors: self.errors,
            per_file: self.per_file,
            path_args: self.path_args,
            testing: self.testing,
            other: self.other,
            diff: self.diff,
            files: self.files,
            ..ConvertArgs::default()
        }
    }
}
