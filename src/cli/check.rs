//! `charpipe check`: checks that files are valid in an encoding, and reports each finding with its
//! position.

use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::time::Instant;

use crate::cli::fs::byte_count;
use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::OutputStream;
use crate::cli::quote::Quoted;
use crate::cli::sniff::{EncodingEvidence, InputEncoding, Resolution, SNIFF_LEN};
use crate::cli::sys::file_id::FileId;
use anyhow::{Context, Result, bail};
use charpipe_check::{
    BINARY_SNIFF_LEN, BinaryFiles, CheckOptions, Checker, DeclarationRule, Finding, FindingKind,
    FindingSink, Rule,
};
use charpipe_detect::{Confidence, DetectionHints, Detector, binary};
use charpipe_encoding::encoding::{self, Encoding};
use charpipe_transcode::header;
use charpipe_transcode::options::TranscodeOptions;
use charpipe_transcode::parallel::{FAST, MIN_PARALLEL_SIZE, SAMPLE_LEN};
use charpipe_transcode::split::{self, RangeTranscoder};

use super::advice::TextSample;
use super::exit::{ExitStatus, io_message};
use super::file_label::FileLabel;
use super::labels;
use super::messages::{Message, print_message};
use super::paths::{SelectedFile, Selection};
use super::progress::ProgressDisplay;
use super::range::{RangeSpec, open_for_ranges, parse_range, require_one_file};
use super::streams::{Input, Output};
use super::text_fixes::TextFixFinder;
use super::threads::thread_count;

pub mod args;
mod context;
mod editorconfig;
pub mod file_rules;
mod format;
mod gitattributes;
pub(super) mod help;
mod line_buffer;
mod message;
pub mod rules;
mod stats;

use args::{CheckArgs, ReportArgs};
use file_rules::FileRuleFinder;
use format::{Formatter, NameFormatter, Reporter};
use rules::{FileRules, parse_rule};
use stats::CheckStats;

/// The number of bytes to read at a time after the check of a file has ended, for the statistics.
const STATS_BUFFER_SIZE: usize = 64 * 1024;

/// The number of findings in a file that are printed as text. More of them rarely say more.
const DEFAULT_MAX_FINDINGS: u64 = 10;

const WRITE_ERROR: &str = "write error";

/// Runs `charpipe check`.
///
/// # Errors
///
/// Returns an error if the usage is invalid or the output cannot be written.
pub fn run(args: &CheckArgs) -> Result<ExitStatus> {
    let detection = detection(args)?;
    let checkers = CheckerSet::new(check_options(args, detection.is_some())?, args.rules.mojibake)?;
    let files = Selection::from_args(&args.paths, &args.path_args)?;
    let report = &args.report;
    let formatter = make_formatter(report, args.path_args.null)?;
    let lists_names = report.files_with_findings || report.files_without_findings;
    let sink = match formatter {
        Some(_) => Output::Stdout.open(false)?,
        None => OutputStream::Stdout,
    };
    let output = if formatter.is_some() { sink.file_id().ok().flatten() } else { None };
    let is_text = report.format.as_deref().is_none_or(|format| format == "text");
    if let (Some(_), Some(format), false) = (report.context, &report.format, is_text) {
        bail!("--context cannot be used with --format={format} (only with text)");
    }
    let default_max = if is_text { DEFAULT_MAX_FINDINGS } else { u64::MAX };
    let max_findings = report.max_findings.unwrap_or(default_max);
    let mut reporter = Reporter::new(formatter, sink, max_findings, lists_names || report.quiet);
    if let Some(lines) = report.context {
        reporter.set_context(lines as usize);
    }
    let runner = CheckRunner {
        checkers,
        reporter,
        rule_files: FileRuleFinder::new(
            args.rules.editorconfig,
            !args.rules.no_gitattributes && args.range.range.is_none(),
        ),
        detection,
        reports_guesses: !report.quiet,
        skips_found_binary: args.rules.binary.is_none(),
        gives_advice: !report.quiet && !lists_names && is_text && args.rules.encoding.is_empty(),
        text_fixes: (args.rules.confusing && !report.quiet && !lists_names && is_text)
            .then(TextFixFinder::new),
        progress: match report.quiet {
            true => ProgressDisplay::hidden(),
            false => ProgressDisplay::of_files(&files),
        },
        stats: report.stats.then(CheckStats::default),
        output,
        operands: Input::from_args(&args.paths),
        jobs: if report.context.is_some() { Some(1) } else { args.jobs },
        has_errors: false,
    };
    match &args.range.range {
        Some(range) => {
            let line_base = args.range.line_base.unwrap_or(0);
            runner.check_range(&args.paths, parse_range(range)?, line_base)
        }
        None => runner.check_all(&files).context(WRITE_ERROR),
    }
}

/// Returns the formatter of the report, or `None` if nothing is printed.
fn make_formatter(report: &ReportArgs, null: bool) -> Result<Option<Box<dyn Formatter>>> {
    if report.files_with_findings || report.files_without_findings {
        return Ok(Some(Box::new(NameFormatter::new(report.files_with_findings, null))));
    }
    let format = report.format.as_deref().unwrap_or("text");
    if report.stats && !format::FORMATS_WITH_STATS.contains(&format) {
        bail!("--stats cannot be used with --format={format} (only with text, json and jsonl)");
    }
    Ok(if report.quiet { None } else { format::by_name(format) })
}

/// Returns how the encoding of each file is determined, if it is not given.
fn detection(args: &CheckArgs) -> Result<Option<InputEncoding>> {
    let mut labels = args.rules.encoding.iter();
    let Some(label) = labels.find_map(|label| labels::detected_label(label)) else {
        return Ok(None);
    };
    if args.rules.encoding.len() > 1 {
        bail!("--encoding={label} cannot be used with other encodings (omit them)");
    }
    if args.range.range.is_some() {
        bail!(
            "--encoding={label} cannot be used with --range ('charpipe detect --name FILE' \
             prints the name to use)"
        );
    }
    Ok(Some(match label {
        "auto" => InputEncoding::Auto(Some(charpipe_encoding::UTF_8.into())),
        _ => InputEncoding::Detect(DetectionHints::default()),
    }))
}

/// Returns the options of the check, in which the encoding of each file is given by its rules if it `is_detected`. The values
/// of the rules are known to be valid.
fn check_options(args: &CheckArgs, is_detected: bool) -> Result<CheckOptions> {
    let rules = &args.rules;
    let parse = |label| labels::parse_encoding_without_suffixes("--encoding", label);
    let given = if is_detected { &[] } else { &rules.encoding[..] };
    let mut labels = given.iter().map(|label| Some(label.as_os_str()));
    let mut options = CheckOptions::new(parse(labels.next().flatten())?);
    options.alternatives = labels.map(parse).collect::<Result<_>>()?;
    options.bom = rules.bom.as_deref().map(parse_rule).transpose()?.unwrap_or_default();
    options.newline = rules.newline.as_deref().map(parse_rule).transpose()?.unwrap_or_default();
    let declaration = rules.declaration.as_deref().map(parse_rule).transpose()?;
    options.declaration = declaration.unwrap_or(DeclarationRule::Match);
    options.binary_files = rules.binary.as_deref().map(parse_rule).transpose()?.unwrap_or_default();
    options.ascii_only = rules.ascii_only;
    options.confusing = rules.confusing;
    options.headers_only = rules.headers_only;
    options.byte_columns = args.report.format.as_deref() == Some("gcc");
    if let Some(bytes) = args.buffer_size {
        options.buffer_size = bytes as usize;
    }
    Ok(options)
}

/// A checker, and the names of its encodings.
struct FileChecker {
    options: CheckOptions,
    checker: Checker,
    encodings: Vec<&'static str>,
}

impl FileChecker {
    fn new(options: &CheckOptions) -> Result<FileChecker, charpipe_encoding::Error> {
        let encodings = std::iter::once(&options.encoding).chain(&options.alternatives);
        let encodings = encodings.map(|spec| spec.encoding.name()).collect();
        Ok(FileChecker { options: options.clone(), checker: Checker::new(options)?, encodings })
    }

    /// Returns what collects evidence that a file is in another encoding. In UTF-8, the text of another one is
    /// malformed.
    fn evidence(&self) -> Option<EncodingEvidence> {
        let CheckOptions { encoding: spec, alternatives, headers_only, .. } = &self.options;
        let is_text = alternatives.is_empty()
            && !headers_only
            && spec
                .transforms
                .iter()
                .all(|transform| transform.transform.name == charpipe_transform::MOJIBAKE.name)
            && !encoding::is_utf8(spec.encoding)
            && !header::is_header(spec.encoding)
            && spec.encoding.factory.list().is_none();
        is_text.then(|| EncodingEvidence::new(spec))
    }
}

/// The checkers for all rules that apply to files, made as they are needed.
struct CheckerSet {
    options: CheckOptions,
    /// Whether text is searched for mojibake, in any encoding.
    mojibake: bool,
    /// The first is that of the command line.
    checkers: Vec<(FileRules, BinaryFiles, FileChecker)>,
}

impl CheckerSet {
    fn new(options: CheckOptions, mojibake: bool) -> Result<CheckerSet> {
        let mut set = CheckerSet { options, mojibake, checkers: Vec::new() };
        set.get(FileRules::default(), None)?;
        Ok(set)
    }

    /// Returns the checker for files with these rules, of which there are at most a few dozen. `binary`
    /// replaces the option for binary files.
    fn get(
        &mut self,
        rules: FileRules,
        binary: Option<BinaryFiles>,
    ) -> Result<&mut FileChecker, charpipe_encoding::Error> {
        let binary = binary.unwrap_or(self.options.binary_files);
        let known =
            self.checkers.iter().position(|(known, other, _)| *known == rules && *other == binary);
        let index = match known {
            Some(index) => index,
            None => {
                let mut options = self.options.clone();
                options.binary_files = binary;
                rules.apply(&mut options)?;
                if self.mojibake {
                    for spec in [&mut options.encoding].into_iter().chain(&mut options.alternatives)
                    {
                        spec.transforms.insert(0, (&charpipe_transform::MOJIBAKE).into());
                    }
                }
                self.checkers.push((rules, binary, FileChecker::new(&options)?));
                self.checkers.len() - 1
            }
        };
        Ok(&mut self.checkers[index].2)
    }
}

/// The state of a run.
struct CheckRunner {
    checkers: CheckerSet,
    reporter: Reporter,
    progress: ProgressDisplay,
    /// Whether to advise for files that are not UTF-8, which was assumed.
    gives_advice: bool,
    /// Collects the transforms that change the confusing characters, if they are to be named at the end.
    text_fixes: Option<TextFixFinder>,
    rule_files: FileRuleFinder,
    /// How the encoding of each file is determined, if it is not given.
    detection: Option<InputEncoding>,
    /// Whether encodings that are guesses are reported.
    reports_guesses: bool,
    /// Whether binary files that are found in directories are skipped.
    skips_found_binary: bool,
    stats: Option<CheckStats>,
    /// The file that is the standard output: it must not be read while the report is written.
    output: Option<FileId>,
    operands: Vec<Input>,
    /// The number of threads, if it is given.
    jobs: Option<u32>,
    /// Whether a file or its rules could not be read.
    has_errors: bool,
}

impl CheckRunner {
    fn check_all(mut self, files: &Selection) -> io::Result<ExitStatus> {
        self.reporter.begin()?;
        for file in files.files() {
            match file {
                Ok(selected) => {
                    let start = byte_count::processed();
                    self.check_file(&selected)?;
                    self.progress.skip_rest(start, &selected);
                }
                Err(error) => self.unreadable(&error.input, &error.message)?,
            }
            self.progress.finish_file();
        }
        self.finish()
    }

    fn finish(self) -> io::Result<ExitStatus> {
        let totals = self.reporter.end(self.stats.as_ref())?;
        if let Some(steps) = self.text_fixes.and_then(TextFixFinder::steps) {
            print_message(&format!(
                "use 'charpipe fix --via {steps} PATH' to remove or replace such characters"
            ));
        }
        Ok(match (self.has_errors, totals.with_findings) {
            (true, _) => ExitStatus::Failure,
            (false, 0) => ExitStatus::Success,
            (false, _) => ExitStatus::DataErrors,
        })
    }

    /// Checks a range of the only operand.
    fn check_range(
        mut self,
        paths: &[OsString],
        range: RangeSpec,
        line_base: u64,
    ) -> Result<ExitStatus> {
        let path = require_one_file(paths)?;
        let options =
            TranscodeOptions::new(self.checkers.options.encoding.clone(), charpipe_encoding::UTF_8);
        let transcoder = RangeTranscoder::new(&options)?;
        let (mut file, size) = open_for_ranges(path)?;
        let read_error = || Quoted::from_path(path).to_string();
        let Range { start, end } =
            transcoder.safe_range(&mut file, range.of_size(size)).with_context(read_error)?;
        let context = split::context(&mut file, transcoder.points(), start);
        let context = context.with_context(read_error)?;
        let line = line_base.saturating_add(1);
        let file_checker = self.checkers.get(FileRules::default(), None)?;
        file_checker.checker.begin_range(start, line, &context)?;
        file.seek(SeekFrom::Start(start)).with_context(read_error)?;
        let input = Input::File(path.to_owned());
        self.reporter.begin().context(WRITE_ERROR)?;
        let source = file.take(end - start);
        let part = FileToCheck { input: &input, rules: FileRules::default(), binary: None };
        self.check_source(source, part, true).context(WRITE_ERROR)?;
        self.finish().context(WRITE_ERROR)
    }

    fn check_file(&mut self, selected: &SelectedFile) -> io::Result<()> {
        let input = &selected.input;
        let mut source = match self.open(selected) {
            Ok(Some(source)) => source,
            Ok(None) => return Ok(()),
            Err(reason) => return self.unreadable(input, &reason),
        };
        let has_errors = &mut self.has_errors;
        let rules = self.rule_files.rules(selected, &mut |message| *has_errors |= message.print());
        let skips_binary = selected.entry.is_some() && self.skips_found_binary;
        let head_len = match (&self.detection, skips_binary) {
            (Some(_), _) => SNIFF_LEN,
            (None, true) => BINARY_SNIFF_LEN,
            (None, false) => 0,
        };
        let mut file = FileToCheck { input, rules, binary: None };
        if head_len == 0 {
            return self.check_source(source, file, false);
        }
        let mut head = Vec::new();
        if let Err(error) = source.by_ref().take(head_len as u64).read_to_end(&mut head) {
            return self.unreadable(input, &io_message(&error));
        }
        match self.detect(input, &head) {
            Ok(detected) => file.rules.detected = detected,
            Err(_) if file.rules.encoding.is_some() => {}
            Err(reason) => return self.unreadable(input, &reason),
        }
        if skips_binary {
            decide_found_binary(&mut file, &head);
        }
        self.check_source(io::Cursor::new(head).chain(source), file, false)
    }

    /// Returns the name of the encoding of a file that begins with `head`, if it is to be detected. Returns why it cannot
    /// be.
    fn detect(&self, input: &Input, head: &[u8]) -> Result<Option<&'static str>, String> {
        let Some(detection) = &self.detection else { return Ok(None) };
        match detection.resolve_prefix(head).resolution {
            Resolution::Encoding(found) => Ok(Some(found.encoding.name())),
            Resolution::Detected(found) if found.confidence >= Confidence::Guess => {
                if found.confidence == Confidence::Guess && self.reports_guesses {
                    let message = found.to_string();
                    print_message(Message::about(&input.display_name()).with_text(&message));
                }
                Ok(Some(found.encoding.encoding.name()))
            }
            Resolution::Detected(found) => Err(found.to_string()),
            Resolution::Unknown => Err("encoding could not be determined".to_owned()),
            // What is not text is reported as in UTF-8.
            Resolution::Binary => Ok(None),
        }
    }

    /// Reports a file that cannot be checked.
    fn unreadable(&mut self, input: &Input, reason: &str) -> io::Result<()> {
        self.has_errors = true;
        let file = FileLabel { input, encoding: self.checkers.checkers[0].2.encodings[0] };
        self.reporter.unreadable(&file, reason)?;
        self.reporter.end_file(&file, false)
    }

    /// Opens a file. Returns `None` for the report itself if it was found in a directory.
    fn open(&self, selected: &SelectedFile) -> Result<Option<InputStream>, String> {
        let input = &selected.input;
        let source = selected.open().map_err(|error| io_message(&error))?;
        let is_output =
            self.output.is_some() && source.file_id().is_ok_and(|file_id| file_id == self.output);
        match is_output {
            true if selected.entry.is_some() && !self.operands.contains(input) => Ok(None),
            true => Err("input file is output file".to_owned()),
            false => Ok(Some(source)),
        }
    }

    /// Checks one file, or a part of one. Findings are written before the next read, which may block.
    fn check_source(
        &mut self,
        mut source: impl Read + Send,
        file: FileToCheck<'_>,
        is_part: bool,
    ) -> io::Result<()> {
        let FileToCheck { input, rules, binary } = file;
        let (is_binary, has_rule) = (rules.is_binary, rules.encoding.is_some());
        let file_checker = match self.checkers.get(rules, binary) {
            Ok(checker) => checker,
            Err(error) => return self.unreadable(input, &error.to_string()),
        };
        let mut source = ObservedSource {
            source: &mut source,
            evidence: file_checker.evidence().filter(|_| !is_part),
            sample: (self.gives_advice && !has_rule && !is_part).then(TextSample::default),
            stats: self.stats.is_some().then(FileStats::default),
        };
        if is_binary {
            file_checker.checker.skip_rest();
        }
        let FileChecker { options, checker, encodings } = file_checker;
        if let Some(context) = self.reporter.context() {
            context.begin_file(&options.encoding);
        }
        let errors = EncodingErrors::default();
        let mut report = FileReport {
            reporter: &mut self.reporter,
            input,
            encodings,
            errors,
            text_fixes: self.text_fixes.as_mut(),
        };
        let parallel = ParallelStart::new(self.jobs, input);
        let end = check_to_end(checker, options, &mut source, &mut report, parallel)?;
        let was_checked = end == CheckEnd::EndOfFile && !checker.is_done();
        checker.finish_input(&mut |finding| report.finding(finding)).map_err(io::Error::from)?;
        if let Some(evidence) =
            source.evidence.as_mut().filter(|_| was_checked && !report.errors.any)
        {
            evidence.finish();
            if let Some(found) = evidence.other_encoding() {
                report
                    .reporter
                    .finding(&report.label(0), &other_encoding_finding(found, options))?;
            }
        }
        let mut was_read = end != CheckEnd::Unreadable;
        let file_stats = source.stats.take().filter(|_| was_read);
        if let (Some(stats), Some(mut file_stats)) = (&mut self.stats, file_stats) {
            let is_at_end = end == CheckEnd::EndOfFile;
            let rest = if is_at_end { Ok(()) } else { file_stats.read_rest(source.source) };
            match rest {
                Ok(()) => stats.add(&file_stats.detector.finish(), file_stats.bytes),
                Err(error) => {
                    report.unreadable(&error)?;
                    was_read = false;
                }
            }
        }
        self.has_errors |= !was_read;
        report.reporter.end_file(&report.label(0), was_read)?;
        let sample = source.sample.filter(|_| report.errors.malformed);
        if let Some(advice) = sample.and_then(|it| it.advice()) {
            report.reporter.flush()?;
            print_message(Message::about(&input.display_name()).with_text(&advice));
        }
        Ok(())
    }
}

/// Where the check of a file ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckEnd {
    EndOfFile,
    /// The rest is not checked.
    Decided,
    /// Reading failed.
    Unreadable,
}

/// Checks a file up to its end or to where the check ends, on several threads if that is faster.
fn check_to_end<R: Read + Send>(
    checker: &mut Checker,
    options: &CheckOptions,
    source: &mut ObservedSource<'_, R>,
    report: &mut FileReport<'_>,
    mut parallel: ParallelStart,
) -> io::Result<CheckEnd> {
    let mut end = CheckEnd::Decided;
    while !checker.is_done() {
        if let Some(threads) = parallel.threads.filter(|_| checker.can_check_in_parallel()) {
            match checker.process_in_parallel(options, threads, source, report) {
                Ok(()) if checker.is_done() => {}
                Ok(()) => end = CheckEnd::EndOfFile,
                Err(charpipe_encoding::Error::Read(error)) => {
                    report.unreadable(&error)?;
                    end = CheckEnd::Unreadable;
                }
                Err(error) => return Err(io::Error::from(error)),
            }
            if end == CheckEnd::Unreadable || report.reporter.is_file_decided() {
                checker.skip_rest();
            }
            return Ok(end);
        }
        let start = Instant::now();
        match source.read(checker.input_buffer()) {
            Ok(0) => return Ok(CheckEnd::EndOfFile),
            Ok(count) => {
                if let Some(context) = report.reporter.context() {
                    context.feed(&checker.input_buffer()[..count]);
                }
                let mut on_finding = |finding: &Finding| report.finding(finding);
                checker.process(count, &mut on_finding).map_err(io::Error::from)?;
                parallel.add(count, start);
                report.reporter.print_context(false)?;
            }
            Err(error) => {
                // The end of what was read is not the end of the file.
                checker.skip_rest();
                report.unreadable(&error)?;
                end = CheckEnd::Unreadable;
            }
        }
        if report.reporter.is_file_decided() {
            checker.skip_rest();
        }
        report.reporter.flush()?;
    }
    Ok(end)
}

/// Decides whether a file is checked on several threads.
struct ParallelStart {
    /// The number of threads, once it is decided.
    threads: Option<usize>,
    /// The number of threads if the start of the file is slow to check.
    threads_if_slow: Option<usize>,
    sampled: usize,
    fastest: f64,
}

impl ParallelStart {
    fn new(jobs: Option<u32>, input: &Input) -> ParallelStart {
        // A pipe may be a terminal or a log: its findings are printed as soon as it is read.
        let size = if jobs == Some(1) { None } else { input.size() };
        let (threads, threads_if_slow) = match (jobs, size) {
            (_, None) => (None, None),
            (Some(jobs), Some(_)) => (Some(jobs as usize), None),
            (None, Some(size)) => (None, (size >= MIN_PARALLEL_SIZE).then(thread_count)),
        };
        let threads_if_slow = threads_if_slow.filter(|threads| *threads > 1);
        ParallelStart { threads, threads_if_slow, sampled: 0, fastest: 0.0 }
    }

    /// Records how long `count` bytes took.
    fn add(&mut self, count: usize, start: Instant) {
        if self.threads_if_slow.is_some() {
            let seconds = start.elapsed().as_secs_f64().max(1e-9);
            self.sampled += count;
            self.fastest = self.fastest.max(count as f64 / seconds);
            if self.sampled >= SAMPLE_LEN {
                self.threads = self.threads_if_slow.take().filter(|_| self.fastest < FAST);
            }
        }
    }
}

/// A file, and the rules that apply to it.
struct FileToCheck<'a> {
    input: &'a Input,
    rules: FileRules,
    /// How to treat it if it is binary, if not as the options say.
    binary: Option<BinaryFiles>,
}

/// Decides how a file that was found in a directory is treated if it is binary.
fn decide_found_binary(file: &mut FileToCheck<'_>, head: &[u8]) {
    let has_bom = Encoding::for_bom(head).is_some_and(|(found, _)| !encoding::is_utf8(found));
    file.binary = Some(BinaryFiles::Skip);
    if binary::detect_signature(head).is_some() {
        file.rules.is_binary = true;
    } else if has_bom {
        // A file in UTF-16 is text in another encoding.
        file.binary = Some(BinaryFiles::Report);
    }
}

/// Whether there are findings that say that a file is not in the expected encoding.
#[derive(Default)]
struct EncodingErrors {
    any: bool,
    /// Whether there is a malformed or incomplete sequence.
    malformed: bool,
}

impl EncodingErrors {
    fn add(&mut self, finding: &Finding) {
        self.any |= is_encoding_error(finding);
        self.malformed |= matches!(finding.rule(), Rule::IllFormed | Rule::Truncated);
    }
}

/// Returns whether a finding says that a file is not in the expected encoding.
pub fn is_encoding_error(finding: &Finding) -> bool {
    use Rule::{Binary, Encoding, IllFormed, Truncated};
    matches!(finding.rule(), Binary | Encoding | IllFormed | Truncated)
}

/// Returns the finding in a file that is in another encoding, which the end of the file decides.
fn other_encoding_finding(found: &'static str, options: &CheckOptions) -> Finding {
    Finding::of_file(FindingKind::OtherEncoding { found }, options.byte_columns)
}

/// Checks a file, and returns its findings to `on_finding`, with that of another encoding.
///
/// # Errors
///
/// Returns the errors of the options, of reading and of `on_finding`.
pub fn check_file(
    source: &mut dyn Read,
    options: &CheckOptions,
    on_finding: &mut dyn FnMut(&Finding),
) -> Result<(), charpipe_encoding::Error> {
    let mut file_checker = FileChecker::new(options)?;
    let mut evidence = file_checker.evidence();
    let checker = &mut file_checker.checker;
    let mut has_encoding_errors = false;
    let mut report = |finding: &Finding| {
        has_encoding_errors |= is_encoding_error(finding);
        on_finding(finding);
        Ok(())
    };
    while !checker.is_done() {
        match source.read(checker.input_buffer()).map_err(charpipe_encoding::Error::Read)? {
            0 => break,
            count => {
                if let Some(evidence) = &mut evidence {
                    evidence.feed(&checker.input_buffer()[..count]);
                }
                checker.process(count, &mut report)?;
            }
        }
    }
    let was_checked = !checker.is_done();
    checker.finish_input(&mut report)?;
    if let Some(evidence) = evidence.as_mut().filter(|_| was_checked && !has_encoding_errors) {
        evidence.finish();
        if let Some(found) = evidence.other_encoding() {
            on_finding(&other_encoding_finding(found, options));
        }
    }
    Ok(())
}

/// Passes what is read to the progress, the statistics, the evidence of another encoding and advice.
struct ObservedSource<'a, R> {
    source: &'a mut R,
    evidence: Option<EncodingEvidence>,
    sample: Option<TextSample>,
    stats: Option<FileStats>,
}

impl<R: Read> Read for ObservedSource<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        byte_count::add(count as u64);
        if let Some(stats) = &mut self.stats {
            stats.feed(&buffer[..count]);
        }
        if let Some(evidence) = &mut self.evidence {
            evidence.feed(&buffer[..count]);
        }
        if let Some(sample) = &mut self.sample {
            sample.feed(&buffer[..count]);
        }
        Ok(count)
    }
}

/// Reports the findings of a file.
struct FileReport<'a> {
    reporter: &'a mut Reporter,
    input: &'a Input,
    /// The names of the encodings that findings refer to.
    encodings: &'a [&'static str],
    errors: EncodingErrors,
    text_fixes: Option<&'a mut TextFixFinder>,
}

impl<'a> FileReport<'a> {
    fn label(&self, encoding_index: usize) -> FileLabel<'a> {
        FileLabel { input: self.input, encoding: self.encodings[encoding_index] }
    }

    fn unreadable(&mut self, error: &io::Error) -> io::Result<()> {
        let label = self.label(0);
        self.reporter.unreadable(&label, &io_message(error))
    }
}

impl FindingSink for FileReport<'_> {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.errors.add(finding);
        if let (FindingKind::Confusing { code_point, .. }, Some(fixes)) =
            (&finding.kind, &mut self.text_fixes)
        {
            fixes.add(*code_point);
        }
        let label = self.label(finding.encoding_index);
        self.reporter.finding(&label, finding)
    }

    fn end_block(&mut self) -> io::Result<bool> {
        self.reporter.flush()?;
        Ok(!self.reporter.is_file_decided())
    }
}

/// The statistics of a file.
#[derive(Default)]
struct FileStats {
    detector: Detector,
    bytes: u64,
}

impl FileStats {
    fn feed(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if !self.detector.is_done() {
            self.detector.feed(bytes);
        }
    }

    /// Reads what the check has not read.
    fn read_rest(&mut self, source: &mut impl Read) -> io::Result<()> {
        let mut buffer = vec![0; STATS_BUFFER_SIZE];
        loop {
            match source.read(&mut buffer)? {
                0 => return Ok(()),
                count => {
                    byte_count::add(count as u64);
                    self.feed(&buffer[..count]);
                }
            }
        }
    }
}
