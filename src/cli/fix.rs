//! `charpipe fix`, a conversion in place to what `charpipe check` asks for.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use anyhow::{Result, bail};

use crate::Error;
use crate::check::{BomRule, CheckOptions, NewlineRule};
use crate::cli::fs::file_converter::{FileConverter, FileConverterOptions, FileError};
use crate::cli::fs::preserve::Preserve;
use crate::cli::sniff::{ExpectedEncoding, InputEncoding, OtherEncoding};
use crate::detect::Confidence;
use crate::encoding;
use crate::line_ending::LineEnding;
use crate::options::{BomPolicy, EncodingSpec, TranscodeOptions};

use super::check::args::CheckArgs;
use super::check::editorconfig::{EditorConfig, FileRules};
use super::config::{
    self, Command, ConvertConfig, ConvertFilesConfig, Input, Output, Verbosity, default_jobs,
};
use super::messages::print_message;
use super::paths::Selection;

pub mod args;
pub mod diff;
mod help;

use args::FixArgs;

/// What files should be, and how the encoding of those that are not is determined.
#[derive(Debug, Clone)]
pub struct FixConfig {
    encoding: EncodingSpec,
    /// None for the default of the encoding.
    bom: Option<BomRule>,
    newline: NewlineRule,
    other: OtherEncoding,
    editorconfig: bool,
    /// Whether to print the changes instead of making them.
    pub diff: bool,
    /// Whether this is `charpipe check --diff`.
    pub is_check: bool,
}

impl FixConfig {
    /// Returns the options of the conversion of a file for which there are these rules.
    fn transcode_options(
        &self,
        rules: FileRules,
        defaults: &TranscodeOptions,
    ) -> Result<(TranscodeOptions, InputEncoding), Error> {
        let mut wanted = CheckOptions::new(self.encoding.clone());
        wanted.newline = self.newline;
        rules.apply(&mut wanted)?;
        let to = wanted.encoding;
        let newline = NewlineRule::NAMES.iter().find(|(_, rule)| *rule == wanted.newline);
        let via = match newline {
            Some((name, _)) if wanted.newline != NewlineRule::Any => vec![name.parse()?],
            _ => Vec::new(),
        };
        let bom = bom_policy(rules.bom().or(self.bom), &to);
        let expected = ExpectedEncoding { expected: to.clone(), other: self.other.clone() };
        let options = TranscodeOptions { from: to.clone(), to, via, bom, ..defaults.clone() };
        Ok((options, InputEncoding::Expected(expected)))
    }
}

/// Returns what to do with a byte order mark. By default it is stripped, except from UTF-16 and UTF-32,
/// which may not be recognized without it.
fn bom_policy(rule: Option<BomRule>, to: &EncodingSpec) -> BomPolicy {
    let keeps = match rule {
        Some(BomRule::Require) => return BomPolicy::Add,
        Some(BomRule::Forbid) => return BomPolicy::Strip,
        Some(BomRule::Any) => {
            let options = TranscodeOptions::new(crate::UTF_8, to.clone());
            options.transcode(crate::bom::UTF8_BOM).is_ok()
        }
        None => to.can_contain_nul(),
    };
    if keeps { BomPolicy::Keep } else { BomPolicy::Strip }
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
        bom: args.rules.bom.as_deref().map(str::parse).transpose()?,
        newline: newline.unwrap_or(NewlineRule::Lf),
        other,
        editorconfig: args.rules.editorconfig,
        diff: args.changes.diff,
        is_check: false,
    };
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
    let (options, origin) = fix.transcode_options(FileRules::default(), &defaults)?;
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
        bom: Some(rules.bom.as_deref().map(str::parse).transpose()?.unwrap_or_default()),
        newline,
        other: OtherEncoding::Unknown,
        editorconfig: rules.editorconfig,
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
    let (options, input_encoding) = fix.transcode_options(FileRules::default(), &defaults)?;
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
    if !encoding.transforms.is_empty() || encoding::is_header(encoding.encoding) {
        bail!(
            "--encoding: {encoding} is more than an encoding of text; files cannot be fixed to it"
        );
    }
    Ok(encoding)
}

/// The converters for all rules that apply to files, made as they are needed.
#[derive(Debug)]
pub struct FixConverters {
    config: FixConfig,
    editorconfig: Option<EditorConfig>,
    converters: Vec<(FileRules, Arc<FileConverter>)>,
    /// Whether rules could not be read.
    pub has_errors: bool,
}

impl FixConverters {
    pub fn new(config: &FixConfig) -> FixConverters {
        FixConverters {
            config: config.clone(),
            editorconfig: config.editorconfig.then(EditorConfig::default),
            converters: Vec::new(),
            has_errors: false,
        }
    }

    /// Returns the converter for a file: `default`, unless it has rules of its own.
    pub fn get(
        &mut self,
        input: &Input,
        default: &Arc<FileConverter>,
    ) -> Result<Arc<FileConverter>, FileError> {
        let Some(editorconfig) = &mut self.editorconfig else { return Ok(default.clone()) };
        let has_errors = &mut self.has_errors;
        let rules = editorconfig.rules(input, &mut |message| {
            print_message(message);
            *has_errors = true;
        });
        if let Some((_, known)) = self.converters.iter().find(|(known, _)| *known == rules) {
            return Ok(known.clone());
        }
        let defaults = default.options();
        let (transcode_options, input_encoding) =
            self.config.transcode_options(rules, &defaults.transcode_options)?;
        let options =
            FileConverterOptions { transcode_options, input_encoding, ..defaults.clone() };
        let converter = Arc::new(default.with_options(options)?);
        self.converters.push((rules, converter.clone()));
        Ok(converter)
    }
}
