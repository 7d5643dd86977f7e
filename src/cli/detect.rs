//! `charpipe detect`: detects the encodings of files.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Read, Write};

use crate::cli::fs::byte_count;
use crate::cli::quote::Quoted;
use anyhow::{Context, Result};
use charpipe_detect::{
    Candidate, Content, Declaration, Detection, DetectionHints, Detector, Evidence, Language,
};
use charpipe_encoding::encoding::Encoding;

use super::color::{self, Role};
use super::file_label::FileLabel;
use super::streams::{Input, Output};

use super::exit::{ExitStatus, io_message};
use super::json::{JsonObject, to_json};
use super::messages::{Message, print_message};
use super::paths::{PathError, SelectedFile, Selection};
use super::progress::ProgressDisplay;
use super::terminal::LineTracker;

pub mod args;
mod help;
mod hints;

use args::DetectArgs;
pub use hints::language_name;

/// The default number of bytes to read at a time.
const BUFFER_SIZE: usize = 32 * 1024;

/// Runs `charpipe detect`.
///
/// # Errors
///
/// Returns an error if the usage is invalid or the output cannot be written.
pub fn run(args: &DetectArgs) -> Result<ExitStatus> {
    let files = Selection::from_args(&args.paths, &args.path_args)?;
    let hints = args.hints.hints()?;
    let out = BufWriter::new(LineTracker::new(Output::Stdout.open(false)?));
    let runner = DetectRunner {
        out,
        format: match (args.report.json, args.report.name) {
            (true, _) => Format::Json(HashMap::new()),
            (false, true) => Format::Name(HashMap::new()),
            (false, false) => Format::Text,
        },
        is_brief: args.report.brief,
        has_one_operand: files.operands().len() == 1 && !files.has_list(),
        hints,
        max_candidates: args.report.candidates.map_or(1, |count| count as usize),
        buffer: vec![0; args.buffer_size.map_or(BUFFER_SIZE, |bytes| bytes as usize)],
        status: ExitStatus::Success,
        progress: ProgressDisplay::of_files(&files),
    };
    runner.detect_all(&files).context("write error")
}

/// What to print about a file.
enum Format {
    Text,
    /// One name; with the names that have been looked up.
    Name(HashMap<&'static str, String>),
    /// JSON Lines; with the MIME names that have been looked up.
    Json(MimeNames),
}

/// The MIME names of encodings, by the name. To look one up takes longer than to detect a short text.
type MimeNames = HashMap<&'static str, Option<&'static str>>;

/// The state of a run.
struct DetectRunner {
    out: BufWriter<LineTracker>,
    format: Format,
    /// Whether to print no names of files.
    is_brief: bool,
    has_one_operand: bool,
    hints: DetectionHints,
    /// The maximum number of candidates to print per file.
    max_candidates: usize,
    buffer: Vec<u8>,
    status: ExitStatus,
    progress: ProgressDisplay,
}

impl DetectRunner {
    fn detect_all(mut self, files: &Selection) -> io::Result<ExitStatus> {
        for file in files.files() {
            match file {
                Ok(file) => {
                    let start = byte_count::processed();
                    let detected = self.detect(&file);
                    self.progress.skip_rest(start, &file);
                    match detected {
                        Ok(detection) => self.print_detection(&file, &detection)?,
                        Err(reason) => self.print_error(&file.input, &reason)?,
                    }
                }
                Err(PathError { input, message }) => self.print_error(&input, &message)?,
            }
            self.progress.finish_file();
            // The next file may be a pipe that blocks.
            self.out.flush()?;
        }
        Ok(self.status)
    }

    /// Detects the encoding of a file. Returns the reason if it cannot be read.
    fn detect(&mut self, file: &SelectedFile) -> Result<Detection, String> {
        let mut source = file.open().map_err(|error| io_message(&error))?;
        let mut detector = Detector::with_hints(&self.hints);
        while !detector.is_done() {
            match source.read(&mut self.buffer).map_err(|error| io_message(&error))? {
                0 => break,
                count => {
                    byte_count::add(count as u64);
                    detector.feed(&self.buffer[..count]);
                }
            }
        }
        Ok(detector.finish())
    }

    fn print_detection(&mut self, file: &SelectedFile, detection: &Detection) -> io::Result<()> {
        if detection.content == Content::Binary || detection.is_unknown_encoding() {
            self.status = self.status.max(ExitStatus::DataErrors);
        }
        let prefix = self.name_prefix(file);
        let line = match &mut self.format {
            Format::Text => text(&prefix, detection, self.max_candidates),
            Format::Name(known) => format!("{prefix}{}\n", plain_name(detection, known)),
            Format::Json(known) => {
                let input = &file.input;
                to_json(&detection_json(input, detection, self.max_candidates, known)) + "\n"
            }
        };
        self.out.write_all(line.as_bytes())
    }

    /// Returns the name of a file and a colon, or nothing: a single name of an encoding needs no file name.
    fn name_prefix(&self, file: &SelectedFile) -> String {
        let is_single = self.has_one_operand && file.entry.is_none();
        match &self.format {
            Format::Json(_) => return String::new(),
            Format::Name(_) if is_single => return String::new(),
            _ if self.is_brief => return String::new(),
            _ => {}
        }
        let name = file.input.display_name();
        match color::stdout_is_colored() {
            true => Role::Path.paint(&name) + ": ",
            false => name + ": ",
        }
    }

    /// Reports a file that cannot be read: on the standard error, and in JSON too.
    fn print_error(&mut self, input: &Input, reason: &str) -> io::Result<()> {
        self.status = ExitStatus::Failure;
        print_message(Message::about(&input.display_name()).with_error(reason));
        if matches!(self.format, Format::Json(_)) {
            writeln!(self.out, "{}", to_json(&json_name(input).with("error", reason)))?;
        }
        Ok(())
    }
}

/// Returns the name of the encoding in the iconv of glibc, or else here. As in file(1), empty files are
/// `binary`.
fn plain_name<'a>(detection: &Detection, known: &'a mut HashMap<&'static str, String>) -> &'a str {
    let Some(best) = detection.best() else {
        return if detection.content == Content::Text { "unknown" } else { "binary" };
    };
    let name = || best.encoding.iconv_name().unwrap_or_else(|| best.encoding.name().to_owned());
    known.entry(best.encoding.name()).or_insert_with(name)
}

/// Returns `ENCODING, CONFIDENCE, LINE ENDINGS` after the prefix, and a line with `or` for each other
/// candidate.
fn text(prefix: &str, detection: &Detection, max_candidates: usize) -> String {
    let max_others = max_candidates.saturating_sub(1);
    let Some(best) = detection.best() else {
        let candidates = &detection.candidates;
        return format!("{prefix}{}\n", status(detection))
            + &others(prefix, candidates, max_others);
    };
    let mut text = format!("{prefix}{}, {}", describe(&best), detection.line_endings);
    if detection.has_bom {
        text.push_str(", byte order mark");
    }
    if let Evidence::Declaration(kind) = best.evidence {
        let _ = write!(text, ", {kind}");
    }
    if let Some(declaration) = detection.declaration.as_ref().filter(|found| !found.is_confirmed) {
        let _ = write!(text, ", {} says {}", declaration.kind, Quoted::new(&declaration.label));
    }
    if let Some(language) = best.language {
        let _ = write!(text, ", language {language}");
    }
    let rest = detection.candidates.get(1..).unwrap_or_default();
    if max_candidates == 1 && rest.iter().any(is_utf7) {
        text.push_str(", looks like UTF-7");
    }
    text.push('\n');
    text + &others(prefix, rest, max_others)
}

/// Returns a line with `or` for each of these candidates, up to `max`.
fn others(prefix: &str, candidates: &[Candidate], max: usize) -> String {
    candidates.iter().take(max).fold(String::new(), |mut text, other| {
        let _ = writeln!(text, "{prefix}or {}", describe(other));
        text
    })
}

/// Returns true for UTF-7, which is reported whatever the maximum number of candidates: it is
/// ASCII that may have another meaning.
fn is_utf7(candidate: &Candidate) -> bool {
    candidate.encoding.name() == "UTF-7"
}

fn describe(candidate: &Candidate) -> String {
    format!("{}, {}", candidate.encoding.name(), candidate.confidence)
}

/// Returns the description of a file without a detected encoding.
fn status(detection: &Detection) -> &'static str {
    match detection.content {
        Content::Empty => "empty",
        Content::Binary => "binary",
        Content::Text => "unknown",
    }
}

/// Returns a file and its encoding as JSON.
fn detection_json(
    input: &Input,
    detection: &Detection,
    max_candidates: usize,
    known: &mut MimeNames,
) -> JsonObject {
    let candidates = detection.candidates.iter().enumerate();
    let candidates = candidates.filter(|(index, other)| *index < max_candidates || is_utf7(other));
    let content = match detection.content {
        Content::Text => "text",
        _ => status(detection),
    };
    json_name(input)
        .with("content", content)
        .with_members(&candidate_json(detection.best().as_ref(), known))
        .with("bom", detection.has_bom)
        .with("line_endings", detection.line_endings.to_string())
        .with_some("declaration", detection.declaration.as_ref().map(declaration_json))
        .with(
            "candidates",
            candidates.map(|(_, it)| candidate_json(Some(it), known)).collect::<Vec<_>>(),
        )
}

/// Returns a declaration of the encoding in the file as JSON.
fn declaration_json(declaration: &Declaration) -> JsonObject {
    JsonObject::default()
        .with("kind", declaration.kind.to_string())
        .with("label", &declaration.label)
        .with("encoding", declaration.encoding.name())
        .with("confirmed", declaration.is_confirmed)
}

/// Returns a candidate encoding as JSON. All members are null if there is none.
fn candidate_json(candidate: Option<&Candidate>, known: &mut MimeNames) -> JsonObject {
    let encoding = candidate.map(|it| it.encoding);
    let mime = encoding.and_then(|it| *known.entry(it.name()).or_insert_with(|| mime_name(it)));
    JsonObject::default()
        .with("encoding", encoding.map(Encoding::name))
        .with("mime", mime)
        .with("lang", candidate.and_then(|it| it.language).map(Language::code))
        .with("confidence", candidate.map(|it| it.confidence.to_string()))
        .with("probability", candidate.map(|it| rounded(it.probability)))
        .with("reason", candidate.map(|it| it.evidence.to_string()))
}

/// Returns a probability with four digits, which is 1 only for a certain result.
fn rounded(probability: f32) -> f64 {
    let rounded = (f64::from(probability) * 1e4).round() / 1e4;
    if probability < 1.0 { rounded.min(0.9999) } else { rounded }
}

fn json_name(input: &Input) -> JsonObject {
    FileLabel { input, encoding: "" }.json_name()
}

/// Returns the MIME name of an encoding. For an encoding of the Encoding Standard it is its name
/// there.
fn mime_name(encoding: &Encoding) -> Option<&'static str> {
    encoding.name().strip_prefix("whatwg:").or_else(|| encoding.mime_name())
}
