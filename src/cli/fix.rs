//! `charpipe fix`, a conversion in place to what `charpipe check` asks for.

use std::io::{self, IsTerminal};

use anyhow::{Result, bail};

use crate::cli::fs::file_converter::FileConverterOptions;
use crate::cli::sniff::OtherEncoding;
use crate::cli::sys::preserve::Preserve;
use charpipe_check::{BomRule, NewlineRule};
use charpipe_detect::Confidence;
use charpipe_encoding::encoding::BomHandling;
use charpipe_transcode::header;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};

use super::check::args::CheckArgs;
use super::check::rules::{FileRules, parse_rule};
use super::convert::config::{ConvertConfig, parse_steps};
use super::convert::convert;
use super::convert_files::fixes::FixConfig;
use super::convert_files::{self, ConvertFilesConfig, converter_options, validate_suffix};
use super::exit::ExitStatus;
use super::labels::{detected_label, parse_encoding_without_suffixes};
use super::line_repairer::repair_steps;
use super::messages::Verbosity;
use super::paths::Selection;
use super::shared_args::TestArgs;
use super::streams::{Input, Output};
use super::text_fixes::TEXT_FIXES;
use super::threads::default_jobs;

pub mod args;
mod help;

use args::{FixArgs, FixChangeArgs, FixRuleArgs};

/// Runs `charpipe fix`. Without files it is a conversion of standard input.
///
/// # Errors
///
/// Returns an error for an unknown encoding, or an invalid combination of options, and if there is
/// nothing to fix: files are changed only if they or their directories are named.
pub fn run(args: &FixArgs) -> Result<ExitStatus> {
    let is_for_files = args.path_args.recursive || args.path_args.walk_option().is_some();
    if args.paths.is_empty()
        && args.path_args.files_from.is_none()
        && (is_for_files || io::stdin().is_terminal())
    {
        bail!("fix requires a PATH; use . for the current directory");
    }
    run_with(args, false)
}

/// Runs `charpipe check --diff`: what `charpipe fix --diff` does, with the rules of the check.
///
/// # Errors
///
/// Returns an error for an unknown encoding, or an invalid combination of options.
pub fn run_check_diff(args: CheckArgs) -> Result<ExitStatus> {
    let rules = args.rules;
    if rules.encoding.len() > 1 {
        bail!("--diff cannot be used with several --encoding (use one)");
    }
    if let Some(label) = rules.encoding.first().and_then(|label| detected_label(label)) {
        bail!("--diff cannot be used with --encoding={label} (use the name of an encoding)");
    }
    let args = FixArgs {
        rules: FixRuleArgs {
            encoding: rules.encoding.into_iter().next(),
            bom: rules.bom,
            newline: rules.newline,
            editorconfig: rules.editorconfig,
            no_gitattributes: rules.no_gitattributes,
            ..FixRuleArgs::default()
        },
        changes: FixChangeArgs { diff: true, ..FixChangeArgs::default() },
        path_args: args.path_args,
        testing: TestArgs { buffer_size: args.buffer_size, ..TestArgs::default() },
        paths: args.paths,
        ..FixArgs::default()
    };
    run_with(&args, true)
}

fn run_with(args: &FixArgs, is_check: bool) -> Result<ExitStatus> {
    let fix = fix_config(args, is_check)?;
    let min_confidence = args.rules.detection.min_confidence();
    let mut selection = Selection::from_args(&args.paths, &args.path_args)?;
    let verbosity = Verbosity::new(args.changes.quiet, args.changes.verbose);
    let mut defaults = TranscodeOptions::new(fix.encoding.clone(), fix.encoding.clone());
    if let Some(bytes) = args.testing.buffer_size {
        defaults.buffer_size = bytes as usize;
    }
    defaults.fast_paths = !args.testing.no_fast_paths;
    defaults.fix_declaration = args.rules.fix_declaration;
    let check = fix.check_options(&FileRules::default())?;
    let (options, origin) = fix.transcode_options(&check, &defaults)?;
    if selection.operands_include_stdin() {
        require_only_stdin(args, &selection)?;
        return convert(&ConvertConfig {
            options,
            origin,
            min_confidence: min_confidence.unwrap_or(Confidence::Guess),
            inputs: vec![Input::Stdin],
            named_files: None,
            output: Output::Stdout,
            range: None,
            preserve: Preserve::default(),
            verbosity,
            jobs: None,
            announce_stdin: args.paths.is_empty() && verbosity != Verbosity::Quiet,
            named_temp_files: args.testing.no_o_tmpfile,
            assumes_utf8: false,
        });
    }
    let replace = &args.changes.replace;
    if let Some(suffix) = &replace.backup {
        selection = selection.exclude_suffix(validate_suffix("--backup", suffix)?);
    }
    let diff = args.changes.diff;
    let max_jobs = if replace.break_hard_links || diff { 1 } else { u32::MAX };
    convert_files::run(&ConvertFilesConfig {
        options: FileConverterOptions {
            input_encoding: origin,
            dry_run: replace.dry_run || diff,
            min_confidence: min_confidence.unwrap_or(Confidence::Likely),
            ..converter_options(replace, options)
        },
        destination: None,
        selection,
        jobs: replace.jobs.unwrap_or_else(default_jobs).min(max_jobs),
        fail_fast: replace.fail_fast,
        verbosity,
        named_temp_files: args.testing.no_o_tmpfile,
        assumes_utf8: false,
        diff,
        fix: Some(fix),
    })
}

/// Returns the rules that files are fixed to.
fn fix_config(args: &FixArgs, is_check: bool) -> Result<FixConfig> {
    let encoding = parse_expected(args.rules.encoding.as_deref())?;
    let newline = args.rules.newline.as_deref().map(parse_rule).transpose()?.unwrap_or_default();
    if newline == NewlineRule::Consistent {
        bail!("--diff cannot be used with --newline=same (use lf, crlf or cr)");
    }
    let other = match args.rules.from.as_deref() {
        None => OtherEncoding::Unknown,
        Some(label) if label.eq_ignore_ascii_case("auto") => OtherEncoding::Unknown,
        Some(label) if label.eq_ignore_ascii_case("detect") => {
            OtherEncoding::Detect(args.rules.detection.hints.hints()?)
        }
        label => OtherEncoding::Fixed(parse_encoding_without_suffixes("--from", label)?),
    };
    let is_detected = matches!(other, OtherEncoding::Detect(_));
    if let Some(option) = args.rules.detection.given_option().filter(|_| !is_detected) {
        bail!("{option} requires --from detect");
    }
    let mut via = parse_steps(&args.rules.via)?;
    for step in &via {
        let text = step.to_string();
        let name = text.split(':').next().unwrap_or_default();
        if !TEXT_FIXES.contains(&name) {
            bail!("--via: {text} cannot be used with fix (only {})", TEXT_FIXES.join(", "));
        }
    }
    if args.rules.repair {
        via.splice(..0, repair_steps());
    }
    let fix = FixConfig {
        encoding,
        via,
        bom: args.rules.bom.as_deref().map(parse_rule).transpose()?.unwrap_or_default(),
        newline,
        other,
        editorconfig: args.rules.editorconfig,
        gitattributes: !args.rules.no_gitattributes,
        fix_declaration: args.rules.fix_declaration,
        is_check,
    };
    if !is_check
        && fix.bom == BomRule::Forbid
        && fix.encoding.encoding.bom_handling == BomHandling::DetectAndWrite
    {
        let name = fix.encoding.encoding.name();
        bail!("--bom=forbid cannot be used with {name} (use {name}LE or {name}BE)");
    }
    Ok(fix)
}

/// Returns an error if standard input cannot be fixed because of other arguments.
fn require_only_stdin(args: &FixArgs, selection: &Selection) -> Result<()> {
    let diff = args.changes.diff.then_some("--diff");
    if let Some(option) = diff.or_else(|| args.changes.replace.option_for_files()) {
        bail!("{option} requires a PATH other than standard input");
    }
    if args.paths.len() > 1 || selection.has_list() {
        bail!("standard input cannot be fixed together with files (fix it in another run)");
    }
    Ok(())
}

/// Returns the encoding that files should be in. A fix changes no text, and keeps each line.
fn parse_expected(label: Option<&std::ffi::OsStr>) -> Result<EncodingSpec> {
    let encoding = parse_encoding_without_suffixes("--encoding", label)?;
    if !encoding.transforms.is_empty() || header::is_header(encoding.encoding) {
        bail!(
            "--encoding: {encoding} is more than an encoding of text; files cannot be fixed to it"
        );
    }
    Ok(encoding)
}
