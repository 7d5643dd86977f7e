//! `charpipe split`: prints ranges of a file that can be converted independently.

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use crate::cli::quote::Quoted;
use anyhow::{Context, Result, anyhow, bail};
use charpipe_transcode::options::{BomPolicy, TranscodeOptions};
use clap::builder::Resettable;

use super::labels;
use super::shared_args::{HelpArgs, any_case};
use super::streams::Output;

use super::exit::{ExitStatus, UsageError};
use super::json::to_json_string;
use super::range::{open_for_ranges, parse_size, range_transcoder};

const WRITE_ERROR: &str = "write error";

const USAGE: &str = "charpipe split [OPTIONS] --parts N FILE
       charpipe split [OPTIONS] --size SIZE FILE";

const ABOUT: &str = "\
Print ranges of a file that can be converted independently.

Each line is a value for charpipe --range. The ranges begin where the encoding permits it, mostly after a \
line feed, so that the outputs joined in their order are the conversion of the whole file, byte for \
byte. Nothing is converted, and little is read. The file is not changed.

The encodings and options must be those of the conversion. 'charpipe list --about ENCODING' shows where \
files in an encoding can be split.";

const EXAMPLES: &str = "\
Examples:
  charpipe split -n 8 -f gb18030 big.txt      print 8 ranges
  charpipe split -s 256M -f utf-16 big.txt    print ranges of about 256 MiB
  charpipe split -n 8 -f sjis a | parallel -k charpipe -f sjis --range {} a";

const AFTER: &str = "\
Exit code:
  0  the ranges were printed
  2  invalid usage, unknown encoding, an encoding that cannot be split, or a read or write error

Examples:
  charpipe split -n 8 -f gb18030 big.txt
      Print 8 ranges.
  charpipe split -s 256M -f utf-16 big.txt
      Print ranges of about 256 MiB.
  charpipe split -n 8 -f sjis a | parallel -k charpipe -f sjis --range {} a
      Convert with 8 processes, in parallel.";

/// Print ranges of a file that can be converted independently
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe split",
    version,
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_help = EXAMPLES,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct SplitArgs {
    /// Number of ranges; fewer if the file has fewer split points
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "size")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    parts: Option<u64>,

    /// Size of the ranges in bytes, or in units of K, M, G or T (powers of 1024)
    #[arg(short, long, value_name = "SIZE")]
    size: Option<OsString>,

    /// Input encoding [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING")]
    from: Option<OsString>,

    /// Output encoding [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING")]
    to: Option<OsString>,

    /// What the conversion does with a byte order mark: keep, strip or add
    #[arg(long, value_name = "MODE", ignore_case = true)]
    #[arg(value_parser = any_case(["keep", "strip", "add"]))]
    bom: Option<String>,

    /// Split after line feeds where the state of the decoder must be verified
    #[arg(long)]
    assume_line_start: bool,

    /// Print a JSON object: file, size, from, to, needs_verification, ranges
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub other: HelpArgs,

    /// File to split
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(help_heading = Resettable::Reset)]
    files: Vec<OsString>,
}

/// Runs `charpipe split`.
///
/// # Errors
///
/// Returns an error if the usage is invalid, the conversion cannot be split, or the file cannot be read.
pub fn run(args: &SplitArgs) -> Result<ExitStatus> {
    let path = match args.files.as_slice() {
        [file] if file != "-" => Path::new(file),
        _ => bail!("split requires one FILE other than standard input"),
    };
    let (from, _) = labels::parse_encoding(args.from.as_deref())?;
    let (to, _) = labels::parse_encoding(args.to.as_deref())?;
    let mut options = TranscodeOptions::new(from, to);
    if let Some(mode) = &args.bom {
        options.bom = mode.parse::<BomPolicy>().map_err(|reason| anyhow!("--bom: {reason}"))?;
    }
    let transcoder = range_transcoder(&options, args.assume_line_start)?;
    let (mut file, size) = open_for_ranges(path)?;
    let count = part_count(args, size)?;
    let mut output = BufWriter::new(Output::Stdout.open(false)?);
    let mut separator = "";
    if args.json {
        let name = to_json_string(path.to_string_lossy());
        let (from, to) = (to_json_string(&options.from), to_json_string(&options.to));
        let needs_verification = transcoder.needs_verification();
        write!(
            output,
            "{{\"file\":{name},\"size\":{size},\"from\":{from},\"to\":{to},\
             \"needs_verification\":{needs_verification},\"ranges\":["
        )
        .context(WRITE_ERROR)?;
    }
    for range in transcoder.ranges(&mut file, count)? {
        let Range { start, end } = range?;
        let separator = std::mem::replace(&mut separator, ",");
        match args.json {
            true => write!(output, "{separator}{{\"start\":{start},\"end\":{end}}}"),
            false => writeln!(output, "{start}-{end}"),
        }
        .context(WRITE_ERROR)?;
    }
    if args.json {
        output.write_all(b"]}\n").context(WRITE_ERROR)?;
    }
    output.flush().context(WRITE_ERROR)?;
    Ok(ExitStatus::Success)
}

/// Returns the number of ranges.
fn part_count(args: &SplitArgs, size: u64) -> Result<u64> {
    match (args.parts, &args.size) {
        (Some(parts), _) => Ok(parts),
        (None, Some(text)) => {
            let part_size = text.to_str().and_then(parse_size).filter(|size| *size > 0);
            let part_size = part_size.ok_or_else(|| {
                anyhow!(
                    "--size: \"{}\" is not a size in bytes (expected a number above 0, as 4096 or \
                     64M)",
                    Quoted::new(text)
                )
            })?;
            Ok(size.div_ceil(part_size))
        }
        (None, None) => Err(UsageError("split requires --parts or --size".to_owned()).into()),
    }
}
