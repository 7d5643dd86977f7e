//! Ranges of files: the value of `--range`, and the files that ranges are read from.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use crate::cli::fs::input::InputStream;
use crate::cli::quote::Quoted;
use anyhow::{Result, anyhow, bail};
use charpipe_transcode::options::TranscodeOptions;
use charpipe_transcode::split::{RangeTranscoder, part_offset};

use super::exit::io_message;
use super::streams::Input;
use super::sys::status::FileStatus;

/// A range of a file: the value of `--range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeSpec {
    /// From a byte offset up to another one, or to the end of the file.
    Bytes { start: u64, end: Option<u64> },
    /// One of several parts of about the same size.
    Part { index: u64, count: u64 },
}

/// Returns the file of which a range is to be read.
///
/// # Errors
///
/// Returns an error if there is not exactly one operand, or if it is standard input.
pub fn require_one_file(files: &[OsString]) -> Result<&Path> {
    match files {
        [file] if file != "-" => Ok(Path::new(file)),
        _ => bail!("--range requires one FILE other than standard input"),
    }
}

/// Parses the value of `--range`.
pub fn parse_range(range: &OsString) -> Result<RangeSpec> {
    let text = range.to_str().unwrap_or_default();
    text.parse().map_err(|reason| anyhow!("--range: \"{}\" {reason}", Quoted::new(range)))
}

impl RangeSpec {
    /// Returns the range of a file of this size, in bytes.
    pub fn of_size(self, size: u64) -> Range<u64> {
        match self {
            RangeSpec::Bytes { start, end } => start.min(size)..end.unwrap_or(size).min(size),
            RangeSpec::Part { index, count } => {
                part_offset(size, index - 1, count)..part_offset(size, index, count)
            }
        }
    }
}

impl FromStr for RangeSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<RangeSpec, &'static str> {
        if let Some((index, count)) = text.split_once('/') {
            let number = |text: &str| parse_digits(text).filter(|number| *number > 0);
            let (index, count) = number(index).zip(number(count)).ok_or(NOT_A_RANGE)?;
            return match index <= count {
                true => Ok(RangeSpec::Part { index, count }),
                false => Err("has fewer parts than the number of the part"),
            };
        }
        let (start, end) = text.split_once('-').ok_or(NOT_A_RANGE)?;
        let start = parse_size(start).ok_or(NOT_A_RANGE)?;
        let end = match end {
            "" => None,
            end => Some(parse_size(end).ok_or(NOT_A_RANGE)?),
        };
        match end {
            Some(end) if end < start => Err("ends before it begins"),
            _ => Ok(RangeSpec::Bytes { start, end }),
        }
    }
}

const NOT_A_RANGE: &str = "is not a range (expected A-B in bytes, or I/N for part I of N)";

/// Parses a number of bytes, which may be followed by K, M, G or T for a power of 1024.
pub fn parse_size(text: &str) -> Option<u64> {
    let powers = ["KMGT", "kmgt"].iter().find_map(|units| {
        let unit = text.chars().last()?;
        units.find(unit).map(|index| index + 1)
    });
    let digits = if powers.is_some() { &text[..text.len() - 1] } else { text };
    let unit = 1024u64.pow(u32::try_from(powers.unwrap_or(0)).ok()?);
    parse_digits(digits)?.checked_mul(unit)
}

/// Parses a number without a sign.
fn parse_digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Opens a file of which ranges are read, and returns it with its size.
///
/// # Errors
///
/// Returns the error of `open`, and an error if it is not a regular file.
pub fn open_for_ranges(path: &Path) -> Result<(File, u64)> {
    let name = Input::File(path.to_owned()).display_name();
    let open = || -> io::Result<_> {
        // Opening a FIFO would wait for its writer.
        if FileStatus::at(path).is_ok_and(|status| !status.is_file() && !status.is_dir()) {
            return Err(io::Error::other(
                "ranges require a regular file (write the data to one first)",
            ));
        }
        match InputStream::open(path)? {
            InputStream::File(mut file) => {
                let size = file.seek(SeekFrom::End(0))?;
                Ok((file, size))
            }
            InputStream::Stdin => {
                Err(io::Error::other("ranges require a regular file (write the data to one first)"))
            }
        }
    };
    open().map_err(|error| anyhow!("{name}: {}", io_message(&error)))
}

/// Returns a transcoder for ranges of a file.
///
/// # Errors
///
/// Returns an error with the reason if the conversion cannot be split.
pub fn range_transcoder(
    options: &TranscodeOptions,
    assume_line_start: bool,
) -> Result<RangeTranscoder> {
    if assume_line_start {
        return Ok(RangeTranscoder::assuming_line_starts(options)?);
    }
    RangeTranscoder::new(options).map_err(|error| {
        let hint = match RangeTranscoder::assuming_line_starts(options) {
            Ok(_) => " (use --assume-line-start, and verify the reports)",
            Err(_) => "",
        };
        anyhow!("{error}{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RangeSpec, &'static str> {
        text.parse()
    }

    #[test]
    fn ranges_are_bytes_or_parts() {
        let bytes = |start, end| Ok(RangeSpec::Bytes { start, end });
        assert_eq!(parse("0-10"), bytes(0, Some(10)));
        assert_eq!(parse("5-"), bytes(5, None));
        assert_eq!(parse("1K-2M"), bytes(1024, Some(2 << 20)));
        assert_eq!(parse("3g-1t"), bytes(3 << 30, Some(1 << 40)));
        assert_eq!(parse("7-7"), bytes(7, Some(7)));
        assert_eq!(parse("2/3"), Ok(RangeSpec::Part { index: 2, count: 3 }));
        for text in [
            "",
            "-",
            "-5",
            "5",
            "+1-2",
            "1-+2",
            "1-2-3",
            "a-b",
            "0/3",
            "1/0",
            "1/2/3",
            "1/",
            "K-1K",
            "1KB-2K",
            "99999999999999999999-",
            "17179869184G-",
            "1é-2",
        ] {
            assert_eq!(parse(text), Err(NOT_A_RANGE), "{text}");
        }
        assert_eq!(parse("4/3"), Err("has fewer parts than the number of the part"));
        assert_eq!(parse("10-9"), Err("ends before it begins"));
    }

    #[test]
    fn parts_cover_a_file_of_any_size() {
        for size in [0, 1, 2, 99, 100, u64::MAX] {
            for count in [1, 2, 3, 7, 100, u64::MAX] {
                let part = |index| RangeSpec::Part { index, count }.of_size(size);
                assert_eq!(part(1).start, 0);
                assert_eq!(part(count).end, size);
                for index in
                    [1, 2, count / 2, count - 1].into_iter().filter(|it| (1..count).contains(it))
                {
                    assert_eq!(part(index).end, part(index + 1).start, "{index}/{count} of {size}");
                }
            }
        }
    }

    #[test]
    fn ranges_end_at_the_end_of_the_file() {
        assert_eq!(RangeSpec::Bytes { start: 3, end: None }.of_size(10), 3..10);
        assert_eq!(RangeSpec::Bytes { start: 3, end: Some(20) }.of_size(10), 3..10);
        assert_eq!(RangeSpec::Bytes { start: 30, end: Some(40) }.of_size(10), 10..10);
    }
}
