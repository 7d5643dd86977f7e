//! `charpipe fix`, a conversion in place to what `charpipe check` asks for.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use anyhow::{Result, bail};

use crate::cli::fs::file_converter::{FileClaim, FileConverter, FileConverterOptions, FileError};
use crate::cli::fs::preserve::Preserve;
use crate::cli::sniff::{ExpectedEncoding, InputEncoding, OtherEncoding, Resolution};
use charpipe_check::{BomRule, CheckOptions, DeclarationRule, FindingKind, NewlineRule};
use charpipe_detect::Confidence;
use charpipe_encoding::Error;
use charpipe_encoding::encoding::BomHandling;
use charpipe_encoding::line_ending::LineEnding;
use charpipe_transcode::header;
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

use super::check::args::CheckArgs;
use super::check::check_file;
use super::check::file_rules::{FileRuleFinder, FileRules, RuleSource};
use super::config::{self, Command, ConvertConfig, ConvertFilesConfig, default_jobs};
use super::messages::Verbosity;
use super::paths::{SelectedFile, Selection};
use super::streams::{Input, Output};

pub mod args;
mod help;

use args::FixArgs;

/// What files should be, and how the encoding of those that are not is determined.
#[derive(Debug, Clone)]
pub struct FixConfig {
    encoding: EncodingSpec,
    bom: BomRule,
    newline: NewlineRule,
    other: OtherEncoding,
    editorconfig: bool,
    gitattributes: bool,
    fix_declaration: bool,
    /// Whether to print the changes instead of making them.
    pub diff: bool,
    /// Whether this is `charpipe check --diff`.
    pub is_check: bool,
}

impl FixConfig {
    /// Returns the options of the check that decides whether a file is changed.
    fn check_options(&self, rules: &FileRules) -> Result<CheckOptions, Error> {
        let mut options = CheckOptions::new(self.encoding.clone());
        (options.bom, options.newline) = (self.bom, self.newline);
        if self.fix_declaration {
            options.declaration = DeclarationRule::Match;
        }
        rules.apply(&mut options)?;
        Ok(options)
    }

    /// Returns the options of the conversion to what this check asks for.
    fn transcode_options(
        &self,
        wanted: &CheckOptions,
        defaults: &TranscodeOptions,
    ) -> Result<(TranscodeOptions, InputEncoding), Error> {
        let to = wanted.encoding.clone();
        let newline = NewlineRule::NAMES.iter().find(|(_, rule)| *rule == wanted.newline);
        let via = match newline {
            Some((name, _)) if wanted.newline != NewlineRule::Any => vec![name.parse()?],
            _ => Vec::new(),
        };
        let bom = bom_policy(wanted.bom, &to);
        let expected = ExpectedEncoding { expected: to.clone(), other: self.other.clone() };
        let mut options = defaults.clone();
        (options.from, options.to, options.via, options.bom) = (to.clone(), to, via, bom);
        Ok((options, InputEncoding::Expected(expected)))
    }
}

/// Returns what to do with a byte order mark.
fn bom_policy(rule: BomRule, to: &EncodingSpec) -> BomPolicy {
    let keeps = || {
        let options = TranscodeOptions::new(charpipe_encoding::UTF_8, to.clone());
        options.transcode(charpipe_encoding::bom::UTF8_BOM).is_ok()
    };
    match rule {
        BomRule::Require => BomPolicy::Add,
        BomRule::Any if keeps() => BomPolicy::Keep,
        BomRule::Any | BomRule::Forbid => BomPolicy::Strip,
    }
}

/// Returns the new line ending under these options, if line endings change.
pub fn new_line_ending(options: &TranscodeOptions) -> Option<LineEnding> {
    let endings = [("lf", LineEnding::Lf), ("crlf", LineEnding::CrLf), ("cr", LineEnding::Cr)];
    let step = options.via.first()?.to_string();
    endings.into_iter().find_map(|(name, ending)| (name == step).then_some(ending))
}

/// Returns what `charpipe fix` does. Without files it is a conversion of standard input.
///
/// # Errors
///
/// Returns an error for an unknown encoding, or an invalid combination of options, and if there is
/// nothing to fix: files are changed only if they or their directories are named.
pub fn command_from_args(args: &FixArgs) -> Result<Command> {
    let is_for_files = args.path_args.recursive || args.path_args.walk_option().is_some();
    if args.paths.is_empty()
        && args.path_args.files_from.is_none()
        && (is_for_files || io::stdin().is_terminal())
    {
        bail!("fix requires a PATH; use . for the current directory");
    }
    let encoding = parse_expected(args.rules.encoding.as_deref())?;
    let newline = args.rules.newline.as_deref().map(str::parse).transpose()?;
    let other = match args.rules.from.as_deref() {
        None => OtherEncoding::Unknown,
        Some(label) if label.eq_ignore_ascii_case("auto") => OtherEncoding::Unknown,
        Some(label) if label.eq_ignore_ascii_case("detect") => {
            OtherEncoding::Detect(args.rules.detection.hints.hints()?)
        }
        label => OtherEncoding::Fixed(config::parse_encoding_without_suffixes("--from", label)?),
    };
    let is_detected = matches!(other, OtherEncoding::Detect(_));
    if let Some(option) = args.rules.detection.given_option().filter(|_| !is_detected) {
        bail!("{option} requires --from detect");
    }
    let min_confidence = args.rules.detection.min_confidence();
    let fix = FixConfig {
        encoding,
        bom: args.rules.bom.as_deref().map(str::parse).transpose()?.unwrap_or_default(),
        newline: newline.unwrap_or_default(),
        other,
        editorconfig: args.rules.editorconfig,
        gitattributes: !args.rules.no_gitattributes,
        fix_declaration: args.rules.fix_declaration,
        diff: args.changes.diff,
        is_check: false,
    };
    if fix.bom == BomRule::Forbid
        && fix.encoding.encoding.bom_handling == BomHandling::DetectAndWrite
    {
        let name = fix.encoding.encoding.name();
        bail!("--bom=forbid cannot be used with {name} (use {name}LE or {name}BE)");
    }
    let mut selection = Selection::from_args(&args.paths, &args.path_args)?;
    let verbosity = match (args.changes.quiet, args.changes.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    let mut defaults = TranscodeOptions::new(fix.encoding.clone(), fix.encoding.clone());
    if let Some(bytes) = args.testing.buffer_size {
        defaults.buffer_size = bytes as usize;
    }
    defaults.fast_paths = !args.testing.no_fast_paths;
    defaults.fix_declaration = args.rules.fix_declaration;
    let check = fix.check_options(&FileRules::default())?;
    let (options, origin) = fix.transcode_options(&check, &defaults)?;
    if selection.operands_include_stdin() {
        let diff = args.changes.diff.then_some("--diff");
        if let Some(option) = diff.or_else(|| args.changes.replace.option_for_files()) {
            bail!("{option} requires a PATH other than standard input");
        }
        if args.paths.len() > 1 || selection.has_list() {
            bail!("standard input cannot be fixed together with files");
        }
        return Ok(Command::Convert(ConvertConfig {
            options,
            origin,
            min_confidence: min_confidence.unwrap_or(Confidence::Guess),
            inputs: vec![Input::Stdin],
            output: Output::Stdout,
            range: None,
            preserve: Preserve::default(),
            verbosity,
            jobs: None,
            announce_stdin: args.paths.is_empty() && verbosity != Verbosity::Quiet,
            named_temp_files: args.testing.no_o_tmpfile,
            assumes_utf8: false,
        }));
    }
    let replace = &args.changes.replace;
    if let Some(suffix) = &replace.backup {
        selection = selection.exclude_suffix(config::validate_suffix("--backup", suffix)?);
    }
    let max_jobs = if replace.break_hard_links || fix.diff { 1 } else { u32::MAX };
    Ok(Command::ConvertFiles(Box::new(ConvertFilesConfig {
        options: FileConverterOptions {
            input_encoding: origin,
            dry_run: replace.dry_run || fix.diff,
            min_confidence: min_confidence.unwrap_or(Confidence::Likely),
            ..config::converter_options(replace, options)
        },
        destination: None,
        selection,
        jobs: replace.jobs.unwrap_or_else(default_jobs).min(max_jobs),
        fail_fast: replace.fail_fast,
        verbosity,
        named_temp_files: args.testing.no_o_tmpfile,
        assumes_utf8: false,
        fix: Some(fix),
    })))
}

/// Returns what `charpipe check --diff` does: what `charpipe fix --diff` does, with the rules of the
/// check.
///
/// # Errors
///
/// Returns an error for an unknown encoding, or an invalid combination of options.
pub fn command_from_check(args: &CheckArgs) -> Result<Command> {
    let rules = &args.rules;
    if rules.encoding.len() > 1 {
        bail!("--diff cannot be used with several --encoding");
    }
    let encoding = parse_expected(rules.encoding.first().map(|label| label.as_os_str()))?;
    let newline = rules.newline.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    if newline == NewlineRule::Consistent {
        bail!("--diff cannot be used with --newline=same");
    }
    let fix = FixConfig {
        encoding,
        bom: rules.bom.as_deref().map(str::parse).transpose()?.unwrap_or_default(),
        newline,
        other: OtherEncoding::Unknown,
        editorconfig: rules.editorconfig,
        gitattributes: !rules.no_gitattributes,
        fix_declaration: false,
        diff: true,
        is_check: true,
    };
    let selection = Selection::from_args(&args.paths, &args.path_args)?;
    if selection.operands_include_stdin() {
        bail!("--diff requires a PATH other than standard input");
    }
    let mut defaults = TranscodeOptions::new(fix.encoding.clone(), fix.encoding.clone());
    if let Some(bytes) = args.buffer_size {
        defaults.buffer_size = bytes as usize;
    }
    let check = fix.check_options(&FileRules::default())?;
    let (options, input_encoding) = fix.transcode_options(&check, &defaults)?;
    Ok(Command::ConvertFiles(Box::new(ConvertFilesConfig {
        options: FileConverterOptions {
            input_encoding,
            dry_run: true,
            ..FileConverterOptions::new(options)
        },
        destination: None,
        selection,
        jobs: 1,
        fail_fast: false,
        verbosity: Verbosity::Normal,
        named_temp_files: false,
        assumes_utf8: false,
        fix: Some(fix),
    })))
}

/// Returns the encoding that files should be in. A fix changes no text, and keeps each line.
fn parse_expected(label: Option<&std::ffi::OsStr>) -> Result<EncodingSpec> {
    let encoding = config::parse_encoding_without_suffixes("--encoding", label)?;
    if !encoding.transforms.is_empty() || header::is_header(encoding.encoding) {
        bail!(
            "--encoding: {encoding} is more than an encoding of text; files cannot be fixed to it"
        );
    }
    Ok(encoding)
}

/// The fixes by all rules that apply to files, made as they are needed.
#[derive(Debug)]
pub struct FixSet {
    config: FixConfig,
    rule_files: FileRuleFinder,
    fixes: Vec<Arc<FileFix>>,
    /// Whether rules could not be read.
    pub has_errors: bool,
}

/// How files with some rules are fixed.
#[derive(Debug)]
pub struct FileFix {
    rules: FileRules,
    /// The check that decides whether a file is changed.
    check: CheckOptions,
    pub converter: Arc<FileConverter>,
    /// A converter that changes no declaration.
    converter_of_text: Arc<FileConverter>,
}

impl FixSet {
    pub fn new(config: &FixConfig) -> FixSet {
        FixSet {
            config: config.clone(),
            rule_files: FileRuleFinder::new(config.editorconfig, config.gitattributes),
            fixes: Vec::new(),
            has_errors: false,
        }
    }

    /// Returns the fix for a file. `default` has the options that do not depend on the file.
    pub fn get(
        &mut self,
        file: &SelectedFile,
        default: &FileConverter,
    ) -> Result<Arc<FileFix>, FileError> {
        let has_errors = &mut self.has_errors;
        let rules = self.rule_files.rules(file, &mut |message| *has_errors |= message.print());
        if rules.is_incomplete {
            return Err(FileError::UnknownRules);
        }
        if let Some(known) = self.fixes.iter().find(|known| known.rules == rules) {
            return Ok(known.clone());
        }
        let defaults = default.options();
        let check = self.config.check_options(&rules)?;
        let (transcode_options, input_encoding) =
            self.config.transcode_options(&check, &defaults.transcode_options)?;
        let options =
            FileConverterOptions { transcode_options, input_encoding, ..defaults.clone() };
        let mut text_options = options.clone();
        text_options.transcode_options.fix_declaration = false;
        let converter = Arc::new(default.with_options(options)?);
        let converter_of_text = Arc::new(default.with_options(text_options)?);
        let fix = Arc::new(FileFix { rules, check, converter, converter_of_text });
        self.fixes.push(fix.clone());
        Ok(fix)
    }
}

/// What is to be done with a file.
#[derive(Debug)]
pub enum FixAction {
    /// It is binary by an attribute.
    Exclude,
    /// The check finds nothing.
    Keep,
    /// It is converted, for these reasons.
    Fix(Arc<FileConverter>, Vec<String>),
}

impl FileFix {
    /// Checks a file and returns what is to be done. With `explain`, the changes are listed, except for that of
    /// the encoding.
    pub fn examine(&self, claim: &FileClaim, explain: bool) -> Result<FixAction, FileError> {
        if self.rules.is_binary {
            return Ok(FixAction::Exclude);
        }
        let mut findings = FindingCounts::of(claim, &self.check)?;
        if findings == FindingCounts::default() {
            return Ok(FixAction::Keep);
        }
        let changes_declaration = findings.declarations > 0 || findings.encoding_errors > 0;
        let converter = match changes_declaration {
            true => &self.converter,
            false => &self.converter_of_text,
        };
        if explain && findings.encoding_errors > 0 {
            // The other rules are about the text in its own encoding.
            let input_encoding = &converter.options().input_encoding;
            let resolved = input_encoding.resolve(&mut claim.reader()).map_err(FileError::Read)?;
            let encoding = match resolved.resolution {
                Resolution::Encoding(encoding) => Some(encoding),
                Resolution::Detected(detected) => Some(detected.encoding),
                Resolution::Unknown | Resolution::Binary => None,
            };
            if let Some(encoding) = encoding {
                let mut check = self.check.clone();
                check.encoding = encoding;
                findings = FindingCounts::of(claim, &check)?;
            }
        }
        Ok(FixAction::Fix(converter.clone(), self.changes(&findings)))
    }

    /// Lists what is changed.
    fn changes(&self, findings: &FindingCounts) -> Vec<String> {
        let because = |source: Option<RuleSource>| {
            source.map_or(String::new(), |source| format!(" by {}", source.file_name()))
        };
        let by_encoding = because(self.rules.encoding.as_ref().map(|(_, source)| *source));
        let by_newline = because(self.rules.newline.as_ref().map(|(_, source)| *source));
        let mut changes = Vec::new();
        if findings.unexpected_boms > 0 {
            changes.push(format!("byte order mark removed{by_encoding}"));
        }
        if findings.missing_boms > 0 {
            changes.push(format!("byte order mark added{by_encoding}"));
        }
        if findings.line_endings > 0 {
            let (count, s) =
                (findings.line_endings, if findings.line_endings == 1 { "" } else { "s" });
            let newline = new_line_ending(&self.converter.options().transcode_options);
            let newline = newline.map_or(String::new(), |newline| newline.to_string());
            changes.push(format!("{count} line ending{s} changed to {newline}{by_newline}"));
        }
        if findings.declarations > 0 {
            changes.push("declaration of the encoding changed".to_owned());
        }
        changes
    }
}

/// The numbers of findings in a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct FindingCounts {
    encoding_errors: u64,
    unexpected_boms: u64,
    missing_boms: u64,
    line_endings: u64,
    declarations: u64,
}

impl FindingCounts {
    fn of(claim: &FileClaim, check: &CheckOptions) -> Result<FindingCounts, FileError> {
        let mut counts = FindingCounts::default();
        check_file(&mut claim.reader(), check, &mut |finding| {
            let count = match finding.kind {
                FindingKind::UnexpectedBom => &mut counts.unexpected_boms,
                FindingKind::MissingBom => &mut counts.missing_boms,
                FindingKind::WrongLineEnding { .. } => &mut counts.line_endings,
                FindingKind::WrongDeclaration { .. } => &mut counts.declarations,
                _ => &mut counts.encoding_errors,
            };
            *count += 1;
        })?;
        Ok(counts)
    }
}
