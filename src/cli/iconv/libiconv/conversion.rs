//! A conversion as by libiconv: each input is a text of its own, and all are converted.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Cursor as BytesCursor, Read, Write, stderr};

use crate::cli::exit::io_message;
use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::OutputStream;
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, MalformedReason, Position,
};
use charpipe_encoding::encoder::first_unmappable;
use charpipe_encoding::error::Error;
use charpipe_transcode::error_policy::{
    ErrorAction, ErrorPolicy, FormatString, TranslitRules, TransliterationTable,
};
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::ErrorReporter;

use super::super::arguments::ConversionArguments;
use super::super::files::Output;
use super::super::glibc::{Failure, open_input};
use super::super::position::{self, Cursor, RecordingReader};
use super::super::text::{bytes_of, print_message};
use charpipe_iconv::libiconv::{EncodingName, NamedEncoding, Suffixes};

/// The transliterations.
const TRANSLITERATIONS: &str = include_str!("translit.tsv");

/// Tag characters, which are dropped if the target encoding does not have them.
const TAGS: std::ops::RangeInclusive<u32> = 0xE0000..=0xE007F;

/// Quotation marks that become a grave accent only if the target encoding has the acute one too.
const QUOTATION_MARKS: [u32; 3] = [0x02BB, 0x2018, 0x201A];

/// Converts the inputs. Returns whether everything was converted.
///
/// # Errors
///
/// Returns [`Failure`] if an encoding is unknown or the output cannot be written.
pub fn convert(arguments: &ConversionArguments) -> Result<bool, Failure> {
    let from_name = EncodingName::parse(&arguments.from);
    let to_name = EncodingName::parse(&arguments.to);
    let from = from_name.resolve();
    let to = to_name.resolve().and_then(NamedEncoding::for_output);
    let is_from = from.is_none();
    let (Some(from), Some(to)) = (from, to) else {
        let (preposition, name) = match is_from {
            true => (&b"from "[..], &arguments.from),
            false => (&b"to "[..], &arguments.to),
        };
        let message = [b"conversion ", preposition, bytes_of(name), b" unsupported"].concat();
        return Err(report_names(arguments, &message));
    };
    let suffixes = from_name.suffixes.union(to_name.suffixes);
    let (error_policy, translit_rules) = policy(arguments, &to, suffixes)?;
    let is_east_asian = position::is_east_asian(to.encoding)
        || matches!(&from, NamedEncoding::One(from) if position::is_east_asian(from.encoding));
    let mut conversion = Conversion {
        arguments,
        from,
        to,
        suffixes,
        error_policy,
        translit_rules,
        is_east_asian,
        output: Output::Stream(OutputStream::Stdout),
    };
    let stdin = [OsString::from("-")];
    let inputs = if arguments.inputs.is_empty() { &stdin[..] } else { &arguments.inputs };
    let mut succeeded = true;
    for name in inputs {
        succeeded &= conversion.convert_input(name)?;
    }
    Ok(succeeded)
}

fn report_names(arguments: &ConversionArguments, message: &[u8]) -> Failure {
    let program = &arguments.program;
    print_message(program, message);
    let list = [b"try '", bytes_of(program), b" -l' to get the list of supported encodings"];
    print_message(program, &list.concat());
    Failure::Reported
}

/// Returns what to do on errors.
fn policy(
    arguments: &ConversionArguments,
    to: &EncodingSpec,
    suffixes: Suffixes,
) -> Result<(ErrorPolicy, Option<TranslitRules>), Failure> {
    let mut encoder = to.encoding.encoder(&to.options);
    let mut can_encode = |text: &str| first_unmappable(&mut *encoder, text).is_none();
    let mut format_action = |format: &Option<FormatString>, what: &str| {
        // With -c nothing is substituted.
        let Some(format) = format.clone().filter(|_| !arguments.discard) else { return Ok(None) };
        if can_encode(format.repertoire()) {
            return Ok(Some(ErrorAction::Format(format)));
        }
        let message = format!("cannot convert {what} substitution to target encoding: {format}");
        print_message(&arguments.program, message.as_bytes());
        Err(Failure::Reported)
    };
    let byte_format = format_action(&arguments.byte_format, "byte")?;
    let unicode_format = format_action(&arguments.unicode_format, "unicode")?;
    let otherwise = if arguments.discard { ErrorAction::Skip } else { ErrorAction::Stop };
    let malformed = match suffixes.skips_malformed {
        true => ErrorAction::Skip,
        false => byte_format.unwrap_or_else(|| otherwise.clone()),
    };
    let replaced =
        can_encode("\u{FFFD}").then(|| ErrorAction::Replace(Some("\u{FFFD}".to_owned())));
    let unmappable = match suffixes.skips_unmappable {
        true => ErrorAction::Skip,
        false => unicode_format.or(replaced).unwrap_or(otherwise),
    };
    let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    if suffixes.transliterates {
        let has_accents = can_encode("`\u{B4}");
        rows.extend(transliterations(has_accents));
    }
    rows.extend(TAGS.map(|tag| (tag, vec![String::new()])));
    let rules = TranslitRules {
        table: Some(TransliterationTable::leak(rows)),
        missing: "",
        untransliterable: Some(unmappable.clone()),
    };
    Ok((ErrorPolicy { malformed, unmappable }, Some(rules)))
}

/// Returns the rows of the table of transliterations.
fn transliterations(has_accents: bool) -> impl Iterator<Item = (u32, Vec<String>)> {
    let lines = TRANSLITERATIONS.lines().filter_map(|line| line.split_once('\t'));
    lines.filter_map(move |(code_point, candidates)| {
        let code_point = u32::from_str_radix(code_point, 16).ok()?;
        let drops_grave = !has_accents && QUOTATION_MARKS.contains(&code_point);
        let kept = candidates.split('\t').filter(|text| !(drops_grave && *text == "`"));
        Some((code_point, kept.map(str::to_owned).collect()))
    })
}

/// A running conversion.
struct Conversion<'a> {
    arguments: &'a ConversionArguments,
    from: NamedEncoding,
    to: EncodingSpec,
    suffixes: Suffixes,
    /// What to do on errors, where transliterations are unknown.
    error_policy: ErrorPolicy,
    translit_rules: Option<TranslitRules>,
    is_east_asian: bool,
    output: Output,
}

impl Conversion<'_> {
    /// Converts one input. Returns whether everything was converted.
    fn convert_input(&mut self, name: &OsStr) -> Result<bool, Failure> {
        let source = match open_input(name) {
            Ok(source) => source,
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                self.report_read_error(name, &error);
                return Ok(false);
            }
            Err(error) => {
                let message = [bytes_of(name), b": ", io_message(&error).as_bytes()].concat();
                print_message(&self.arguments.program, &message);
                return Ok(false);
            }
        };
        let opened = self.open(source);
        let Some((from, mut reader)) =
            opened.map_err(|error| self.report_read_error(name, &error)).ok()
        else {
            return Ok(false);
        };
        let mut options = TranscodeOptions::new(from.clone(), self.to.clone()).bom(BomPolicy::Keep);
        options.error_policy = ErrorPolicy {
            malformed: self.error_policy.malformed.clone(),
            unmappable: ErrorAction::Transliterate,
        };
        options.translit_rules = self.translit_rules.clone();
        let mut errors = InputErrors::default();
        let transcoder = options.build();
        let result = transcoder.and_then(|mut transcoder| {
            transcoder.process_reader(&mut reader, &mut self.output, &mut errors)?;
            transcoder.finish_input(&mut self.output, &mut errors)?;
            transcoder.finish(&mut self.output, &mut errors)
        });
        match result {
            Ok(()) => {}
            Err(Error::Conversion(error)) => {
                let position = error.position();
                let offset = position.map_or(reader.len, |position| position.offset);
                let message = match error.event.class() {
                    ErrorClass::Truncated => INCOMPLETE,
                    _ => "cannot convert",
                };
                self.report(name, message, self.cursor(&from, &reader, offset, position));
                return Ok(false);
            }
            Err(Error::Read(error)) => {
                self.report_read_error(name, &error);
                return Ok(false);
            }
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Err(Failure::BrokenPipe(error));
            }
            Err(Error::Io(_)) => {
                print_message(&self.arguments.program, b"I/O error");
                return Err(Failure::Reported);
            }
            Err(error) => {
                print_message(&self.arguments.program, error.to_string().as_bytes());
                return Err(Failure::Reported);
            }
        }
        if errors.truncated_len > 0 {
            let offset = reader.len.saturating_sub(errors.truncated_len as u64);
            let cursor = self.cursor(&from, &reader, offset, errors.truncated_at);
            self.report(name, INCOMPLETE, cursor);
        }
        // What a suffix skips is not an error.
        let skipped = errors.skipped_malformed && !self.suffixes.skips_malformed
            || errors.skipped_character && !self.suffixes.skips_unmappable;
        Ok(errors.truncated_len == 0 && !skipped)
    }

    /// Determines the byte order of an input. Returns its encoding and what follows the BOM.
    fn open(
        &self,
        mut source: InputStream,
    ) -> io::Result<(EncodingSpec, RecordingReader<impl Read + use<>>)> {
        let mut start = Vec::new();
        if let NamedEncoding::ByteOrders(orders) = &self.from {
            source.by_ref().take(orders.bom.len() as u64).read_to_end(&mut start)?;
        }
        let (encoding, bom_len) = self.from.for_input(&start).ok_or(io::ErrorKind::Unsupported)?;
        start.drain(..bom_len);
        Ok((encoding, RecordingReader::new(BytesCursor::new(start).chain(source))))
    }

    /// Returns the position after the first `offset` bytes of an input. Of a long input, the column
    /// counts characters.
    fn cursor<R>(
        &self,
        from: &EncodingSpec,
        reader: &RecordingReader<R>,
        offset: u64,
        position: Option<Position>,
    ) -> Cursor {
        let input = usize::try_from(offset).ok().and_then(|len| reader.recorded.get(..len));
        match (input, position) {
            (None, Some(Position { line, column, .. })) => {
                Cursor { line, column: column.saturating_sub(1) }
            }
            (input, _) => {
                let input = input.unwrap_or(&reader.recorded);
                Cursor::after(input, from, &self.error_policy.malformed, self.is_east_asian)
            }
        }
    }

    fn report(&self, name: &OsStr, what: &str, cursor: Cursor) {
        if self.arguments.silent {
            return;
        }
        let Cursor { line, column } = cursor;
        if column > 0 {
            // Ends a line of output that a terminal shows.
            let _: io::Result<()> = stderr().write_all(b"\n");
        }
        let position = format!(":{line}:{column}: {what}");
        let message = [bytes_of(display_name(name)), position.as_bytes()].concat();
        print_message(&self.arguments.program, &message);
    }

    fn report_read_error(&self, name: &OsStr, error: &io::Error) {
        let message = format!(": I/O error: {}", io_message(error));
        let message = [bytes_of(display_name(name)), message.as_bytes()].concat();
        print_message(&self.arguments.program, &message);
    }
}

/// The message about input that ends in a character.
const INCOMPLETE: &str = "incomplete character or shift sequence";

fn display_name(name: &OsStr) -> &OsStr {
    if name == "-" { OsStr::new("(stdin)") } else { name }
}

/// Records the errors of an input.
#[derive(Debug, Default)]
struct InputErrors {
    skipped_malformed: bool,
    skipped_character: bool,
    /// The number of bytes of an incomplete character at the end.
    truncated_len: usize,
    /// Where that character begins.
    truncated_at: Option<Position>,
}

impl ErrorReporter for InputErrors {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        let is_skipped = error.action_taken == ActionTaken::Skipped;
        match error.kind {
            ErrorKind::Malformed { len, reason: MalformedReason::Truncated } => {
                self.truncated_len = len.max(1);
                self.truncated_at = error.position;
            }
            ErrorKind::Malformed { .. } => self.skipped_malformed |= is_skipped,
            _ => self.skipped_character |= is_skipped,
        }
    }
}
