//! `charpipe show`: the characters of a text, with their bytes, code points, names and scripts.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::cli::fs::output::OutputStream;
use anyhow::{Context, Result, bail};
use charpipe_encoding::codec::DecodeStage;
use charpipe_encoding::encoding::Encoding;
use charpipe_transcode::options::EncodingSpec;
use charpipe_transform::character_name::CharacterName;
use clap::builder::Resettable;
use unicode_script::UnicodeScript;
use unicode_width::UnicodeWidthChar;

use super::labels;
use super::shared_args::HelpArgs;
use super::streams::{Input, Output};

use super::exit::{ExitStatus, io_message};
use super::json::{JsonObject, to_json};
use super::messages::{self, print_message};
use super::quote::is_printable;
use super::text_rows::{RowContent, RowReader, TextRow};

const USAGE: &str = "charpipe show [OPTIONS] [FILE | TEXT]...";

const ABOUT: &str = "\
Show the characters of a text.

Each line has the byte offset of a character, its bytes, its code point, the character itself, its \
name in Unicode and its script. Malformed sequences have a line with the reason. An operand that is \
not the name of a file is the text itself, in UTF-8.";

const EXAMPLES: &str = "\
Examples:
  charpipe show 'naïve'                show the characters of a word
  tail -c 100 log | charpipe show      show the end of a file
  charpipe show -f cp1252 letter.txt   show a file in CP1252";

const AFTER: &str = "\
Exit code:
  0  everything was shown
  1  the text has malformed sequences
  2  invalid usage, unknown encoding, or a read or write error

Examples:
  charpipe show 'naïve'
      Show the characters of a word.
  tail -c 100 log | charpipe show
      Show the end of a file.
  charpipe show -f cp1252 letter.txt
      Show a file in CP1252.";

/// Show the characters of a text
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe show",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_help = EXAMPLES,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct ShowArgs {
    /// Encoding of the files [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING")]
    from: Option<OsString>,

    /// Take operands as text, even if they are names of files
    #[arg(long = "text", conflicts_with = "from")]
    as_text: bool,

    /// Print a JSON object per line: offset, bytes, code_point, character, name, script or error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Files or texts to show; - or none for standard input
    #[arg(value_name = "FILE", help_heading = Resettable::Reset)]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    operands: Vec<OsString>,
}

/// Runs `charpipe show`.
///
/// # Errors
///
/// Returns an error if the usage is invalid or the output cannot be written.
pub fn run(args: &ShowArgs) -> Result<ExitStatus> {
    let from = labels::parse_encoding_without_suffixes("--from", args.from.as_deref())?;
    if !from.transforms.is_empty() {
        bail!("--from accepts only an encoding here; decode /{} first", from.transforms[0]);
    }
    let utf8 = EncodingSpec::from(charpipe_encoding::UTF_8);
    let output = Output::Stdout.open(false)?;
    let mut printer = RowPrinter::new(output, args.json);
    let write_error = || "write error";
    let mut status = ExitStatus::Success;
    if args.operands.is_empty() {
        messages::announce_stdin("");
    }
    printer.header().with_context(write_error)?;
    for operand in operands(args) {
        let (opened, name, spec): (io::Result<Box<dyn Read>>, _, _) = match &operand {
            Operand::Text(text) => (Ok(Box::new(text.as_encoded_bytes())), String::new(), &utf8),
            Operand::Input(input) => {
                let opened = input.open().map(|source| Box::new(source) as Box<dyn Read>);
                (opened, input.display_name(), &from)
            }
        };
        let mut decoder = spec.encoding.factory.decoder(&spec.options);
        let shown = opened
            .map_err(ShowError::Read)
            .and_then(|mut source| show(&mut source, spec.encoding, &mut *decoder, &mut printer));
        match shown {
            Ok(()) => {}
            Err(ShowError::Write(error)) => return Err(error).with_context(write_error),
            // Not of a text.
            Err(ShowError::Read(error)) => {
                print_message(&format!("{name}: {}", io_message(&error)));
                status = ExitStatus::Failure;
            }
        }
    }
    printer.flush().with_context(write_error)?;
    Ok(if printer.has_errors { status.max(ExitStatus::DataErrors) } else { status })
}

/// What an operand is.
enum Operand {
    Input(Input),
    Text(OsString),
}

fn operands(args: &ShowArgs) -> Vec<Operand> {
    let is_text = |operand: &OsStr| {
        args.as_text || args.from.is_none() && operand != "-" && !Path::new(operand).exists()
    };
    let operand = |operand: &OsString| match is_text(operand) {
        true => Operand::Text(operand.clone()),
        false => Operand::Input(Input::from_arg(operand)),
    };
    match args.operands.is_empty() {
        true => vec![Operand::Input(Input::Stdin)],
        false => args.operands.iter().map(operand).collect(),
    }
}

/// The bytes of the input that are examined at a time, and the size from which on rows are written.
const BLOCK_LEN: usize = 16 * 1024;
const OUTPUT_LEN: usize = 64 * 1024;

/// The number of characters whose rows are kept, as a power of 2.
const CACHE_BITS: u32 = 12;

#[derive(Debug)]
enum ShowError {
    Read(io::Error),
    Write(io::Error),
}

/// Prints a row for each character of a text. The rows of complete characters are written before the
/// next read, which may block.
fn show<R: Read>(
    source: &mut R,
    encoding: &Encoding,
    decoder: &mut dyn DecodeStage,
    printer: &mut RowPrinter,
) -> Result<(), ShowError> {
    let mut rows = RowReader::new(encoding, decoder);
    let mut block = vec![0; BLOCK_LEN];
    loop {
        let count = loop {
            match source.read(&mut block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(ShowError::Read)?,
            }
        };
        rows.feed(&block[..count]);
        loop {
            let known = rows.read_known(|offset, bytes, character| {
                printer.print_character(offset, bytes, character)
            });
            known.map_err(ShowError::Write)?;
            let Some(row) = rows.next_row(count == 0) else { break };
            printer.row(&row, encoding).map_err(ShowError::Write)?;
        }
        if count == 0 {
            return Ok(());
        }
        printer.flush().map_err(ShowError::Write)?;
    }
}

/// Prints rows as a table or as JSON.
struct RowPrinter {
    output: OutputStream,
    json: bool,
    has_errors: bool,
    /// The rows that have not been written yet.
    rows: Vec<u8>,
    start: RowStart,
    /// The rows of characters after the offset, by their hashes.
    cache: Vec<CachedRow>,
}

/// What the row of a character has after the offset.
#[derive(Clone, Default)]
struct CachedRow {
    /// The character and its bytes; none have 0.
    key: (char, u64),
    rest: Vec<u8>,
}

/// The start of a row, up to the decimal digits of its offset.
struct RowStart {
    json: bool,
    offset: u64,
    bytes: Vec<u8>,
}

impl RowStart {
    /// Returns the start of a row with another offset.
    fn at(&mut self, offset: u64) -> &[u8] {
        let more = offset.wrapping_sub(self.offset);
        match self.bytes.last_mut() {
            Some(last) if more <= u64::from(b'9' - *last) => *last += more as u8,
            _ => {
                self.bytes.clear();
                let _ = match self.json {
                    true => write!(self.bytes, "{{\"offset\":{offset}"),
                    false => write!(self.bytes, "{offset:>8}"),
                };
            }
        }
        self.offset = offset;
        &self.bytes
    }
}

/// The fields of a row but the offset.
#[derive(Default)]
struct RowRecord {
    bytes: String,
    code_point: Option<String>,
    character: Option<char>,
    name: Option<String>,
    script: Option<&'static str>,
    error: Option<String>,
}

impl RowRecord {
    fn of_character(bytes: &[u8], character: char) -> RowRecord {
        RowRecord {
            bytes: hex(bytes),
            code_point: Some(format!("U+{:04X}", u32::from(character))),
            character: Some(character),
            name: Some(CharacterName(u32::from(character)).to_string()),
            script: Some(character.script().full_name()),
            error: None,
        }
    }

    /// Returns what the row has after the offset.
    fn into_bytes(self, json: bool) -> Vec<u8> {
        let RowRecord { bytes, code_point, character, name, script, error } = self;
        let rest = if json {
            let object = JsonObject::default()
                .with("bytes", bytes)
                .with_some("code_point", code_point)
                .with_some("character", character)
                .with_some("name", name)
                .with_some("script", script)
                .with_some("error", error);
            to_json(&object).replacen('{', ",", 1)
        } else {
            let line = format!(
                "  {bytes:<11}  {:<10}  {}  {:<40}  {}",
                code_point.unwrap_or_default(),
                character.map_or_else(|| "  ".to_owned(), two_columns),
                error.or(name).unwrap_or_default(),
                script.unwrap_or_default(),
            );
            line.trim_end().to_owned()
        };
        (rest + "\n").into_bytes()
    }
}

impl RowPrinter {
    fn new(output: OutputStream, json: bool) -> RowPrinter {
        let cache = vec![CachedRow::default(); 1 << CACHE_BITS];
        let start = RowStart { json, offset: 0, bytes: Vec::new() };
        RowPrinter { output, json, has_errors: false, rows: Vec::new(), start, cache }
    }

    fn header(&mut self) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(
            self.rows,
            "{:>8}  {:<11}  {:<10}  {:<2}  {:<40}  script",
            "offset", "bytes", "code point", "", "name"
        )
    }

    fn row(&mut self, row: &TextRow<'_>, encoding: &Encoding) -> io::Result<()> {
        let TextRow { offset, bytes, .. } = *row;
        match &row.content {
            RowContent::Character(character) => self.print_character(offset, bytes, *character),
            RowContent::Text(text) => {
                for (index, character) in text.chars().enumerate() {
                    // Further characters of the same bytes.
                    let bytes = if index == 0 { bytes } else { &[] };
                    self.print_character(offset, bytes, character)?;
                }
                Ok(())
            }
            RowContent::Malformed(error) => {
                self.has_errors = true;
                let reason = format!("invalid in {}: {}", encoding.name(), error.reason);
                let bytes = hex(bytes);
                self.print(offset, RowRecord { bytes, error: Some(reason), ..RowRecord::default() })
            }
            RowContent::NoCharacter => {
                let (bytes, name) = (hex(bytes), Some("(no character)".to_owned()));
                self.print(offset, RowRecord { bytes, name, ..RowRecord::default() })
            }
        }
    }

    fn print(&mut self, offset: u64, record: RowRecord) -> io::Result<()> {
        self.start_row(offset)?;
        self.rows.extend(record.into_bytes(self.json));
        Ok(())
    }

    fn print_character(&mut self, offset: u64, bytes: &[u8], character: char) -> io::Result<()> {
        self.start_row(offset)?;
        let mut packed = [0; 8];
        if bytes.len() >= packed.len() {
            self.rows.extend(RowRecord::of_character(bytes, character).into_bytes(self.json));
            return Ok(());
        }
        packed[..bytes.len()].copy_from_slice(bytes);
        packed[7] = bytes.len() as u8 + 1;
        let key = (character, u64::from_le_bytes(packed));
        let hash = u32::from(character).wrapping_mul(0x9E37_79B1) >> (u32::BITS - CACHE_BITS);
        let cached = &mut self.cache[hash as usize];
        if cached.key != key {
            let rest = RowRecord::of_character(bytes, character).into_bytes(self.json);
            *cached = CachedRow { key, rest };
        }
        self.rows.extend_from_slice(&cached.rest);
        Ok(())
    }

    /// Writes the offset of a row, after the rows before it if they are many.
    fn start_row(&mut self, offset: u64) -> io::Result<()> {
        if self.rows.len() >= OUTPUT_LEN {
            self.write_rows()?;
        }
        self.rows.extend_from_slice(self.start.at(offset));
        Ok(())
    }

    fn write_rows(&mut self) -> io::Result<()> {
        self.output.write_all(&self.rows)?;
        self.rows.clear();
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_rows()?;
        self.output.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    digits.join(" ")
}

/// Returns a character as two columns of a terminal: blank if it cannot be printed, and on a dotted
/// circle if it combines.
fn two_columns(character: char) -> String {
    match character.width() {
        _ if !is_printable(character) => "  ".to_owned(),
        Some(2) => character.to_string(),
        Some(1) => format!("{character} "),
        _ => format!("\u{25CC}{character} "),
    }
}
