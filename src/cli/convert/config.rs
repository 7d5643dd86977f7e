//! The configuration of a conversion, from its arguments.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::cli::convert_files::{ConvertFilesConfig, converter_options, validate_suffix};
use crate::cli::fs::file_converter::{Destination, FileConverterOptions};
use crate::cli::labels::{
    DETECTED_LABELS, IconvSuffixes, explain_unknown_encoding, parse_encoding,
    parse_encoding_without_suffixes, split_suffixes,
};
use crate::cli::messages::Verbosity;
use crate::cli::paths::Selection;
use crate::cli::quote::Quoted;
use crate::cli::range::{RangeSpec, parse_range, require_one_file};
use crate::cli::sniff::InputEncoding;
use crate::cli::streams::{Input, Output};
use crate::cli::sys::preserve::Preserve;
use crate::cli::threads::default_jobs;
use anyhow::{Context, Result, anyhow, bail};
use charpipe_detect::Confidence;
use charpipe_encoding::encoding::Encoding;
use charpipe_encoding::encoding::alias::labels_match;
use charpipe_transcode::chain_spec::{self, ChainSpec, ChainStep};
use charpipe_transcode::error_policy::{
    ErrorAction, ErrorPolicy, TranslitRules, TransliterationTable,
};
use charpipe_transcode::options::{BomPolicy, TranscodeOptions, VALIDATION_BUFFER_SIZE};
use charpipe_transcode::split::RangeState;
use charpipe_transcode::transform_spec;

use super::args::{ConvertArgs, PerFileArgs, RangeArgs};
use super::name_prefix;

/// The configuration of a conversion to an output.
#[derive(Debug)]
pub struct ConvertConfig {
    /// Its input encoding is replaced by that of `origin`.
    pub options: TranscodeOptions,
    pub origin: InputEncoding,
    /// The minimum confidence in a detected encoding.
    pub min_confidence: Confidence,
    /// At least one input.
    pub inputs: Vec<Input>,
    /// The files whose header fields are printed with their names; `None` if `inputs` are converted.
    pub named_files: Option<Selection>,
    pub output: Output,
    /// The range of the only input, if not all of it is to be converted.
    pub range: Option<RangeConfig>,
    /// The metadata that a file keeps when it is replaced by the output.
    pub preserve: Preserve,
    pub verbosity: Verbosity,
    /// The number of threads, if it is given.
    pub jobs: Option<u32>,
    /// Whether to print a hint on a terminal when standard input is read.
    pub announce_stdin: bool,
    pub named_temp_files: bool,
    /// Whether the input encoding is UTF-8 because none was given.
    pub assumes_utf8: bool,
}

/// The range to convert, and its report.
#[derive(Debug)]
pub struct RangeConfig {
    pub range: RangeSpec,
    /// The number of lines before the range.
    pub line_base: u64,
    pub assume_line_start: bool,
    pub start_state: Option<RangeState>,
    pub report: Option<Output>,
}

impl RangeConfig {
    /// Returns the configuration, or `None` if the whole input is to be converted.
    ///
    /// # Errors
    ///
    /// Returns an error for an invalid value, or for an input of which no range can be converted.
    pub fn from_args(
        args: &RangeArgs,
        origin: &InputEncoding,
        files: &[OsString],
        output: &Output,
    ) -> Result<Option<RangeConfig>> {
        let Some(range) = &args.range else { return Ok(None) };
        let range = parse_range(range)?;
        require_one_file(files)?;
        let (InputEncoding::Detect(_) | InputEncoding::Auto(_)) = origin else {
            let start_state = args.start_state.as_deref().map(str::parse).transpose();
            let report = args.report.as_deref().map(|file| match file.is_empty() {
                true => Err(anyhow!("--report: the file name is empty")),
                false => Output::from_arg(Some(file)),
            });
            let report = report.transpose()?;
            if report.is_some() && report.as_ref() == Some(output) {
                bail!("--report and the output must be different files (use --output)");
            }
            return Ok(Some(RangeConfig {
                range,
                line_base: args.line_base.unwrap_or(0),
                assume_line_start: args.assume_line_start || args.start_state.is_some(),
                start_state: start_state.map_err(|reason| {
                    anyhow!(
                        "--start-state: {reason} (use that of the report of the preceding range)"
                    )
                })?,
                report,
            }));
        };
        bail!(
            "--range requires the name of the input encoding ('charpipe detect --name FILE' prints \
             it)"
        )
    }
}

impl ConvertConfig {
    /// Returns the configuration of a conversion to an output.
    ///
    /// # Errors
    ///
    /// Returns an error for an unknown encoding or action, or an invalid combination of options.
    pub fn from_args(args: &ConvertArgs) -> Result<ConvertConfig> {
        let (mut options, origin) = parse_options(args)?;
        let named_files = select_named_files(args, &options)?;
        if named_files.is_some() && !args.rfc2047.unfold {
            // Each line starts with a name.
            options.via.insert(0, "unfold".parse()?);
        }
        let min_confidence = args.io.detection.min_confidence().unwrap_or(Confidence::Guess);
        let output = Output::from_arg(args.io.output.as_deref())?;
        Ok(ConvertConfig {
            range: RangeConfig::from_args(&args.range, &origin, &args.files, &output)?,
            options,
            origin,
            min_confidence,
            inputs: Input::from_args(&args.files),
            output,
            preserve: args.per_file.replace.preserve(),
            verbosity: verbosity(args),
            jobs: args.per_file.replace.jobs,
            announce_stdin: args.files.is_empty() && named_files.is_none() && !args.errors.quiet,
            named_files,
            named_temp_files: args.testing.no_o_tmpfile,
            assumes_utf8: assumes_utf8(args),
        })
    }
}

/// Returns the files whose header fields are to be printed with their names: with `--field`, those of
/// directories and lists, and several operands.
fn select_named_files(args: &ConvertArgs, options: &TranscodeOptions) -> Result<Option<Selection>> {
    let ConvertArgs { rfc2047, path_args, files, .. } = args;
    let has_directory = files.iter().any(|file| Path::new(file).is_dir());
    let is_selection = path_args.recursive || path_args.files_from.is_some() || has_directory;
    if rfc2047.field.is_empty() || !is_selection && files.len() < 2 {
        return Ok(None);
    }
    if args.range.range.is_some() {
        bail!("--range requires one FILE other than standard input");
    }
    if options.bom == BomPolicy::Add || !name_prefix::is_supported(&options.to) {
        bail!(
            "--field prints the names of several files, which requires an ASCII-compatible output encoding \
             without a byte order mark"
        );
    }
    let operands = match files.is_empty() {
        true if path_args.files_from.is_none() => vec![Input::File(".".into())],
        _ => files.iter().map(|file| Input::from_arg(file)).collect(),
    };
    Selection::new(operands, path_args).map(Some)
}

/// Returns whether the input encoding is UTF-8 because none was given.
fn assumes_utf8(args: &ConvertArgs) -> bool {
    args.io.from.is_none() && args.io.chain.is_none()
}

/// Returns the configuration of a conversion in place, or of each file to an output of its own.
///
/// # Errors
///
/// Returns an error for an unknown encoding or action, or an invalid combination of options.
pub fn files_config(args: &ConvertArgs) -> Result<ConvertFilesConfig> {
    let per_file = &args.per_file;
    let operands = args.files.iter().map(|file| Input::from_arg(file)).collect();
    let mut selection = Selection::new(operands, &args.path_args)?;
    let destination = destination_from_args(per_file)?;
    if selection.is_empty() {
        let option = match (&per_file.output_dir, &per_file.suffix) {
            (Some(_), _) => "--output-dir",
            (None, Some(_)) => "--suffix",
            (None, None) if args.diff => "--diff",
            (None, None) => "--in-place",
        };
        bail!("{option} requires at least one FILE");
    }
    if selection.operands_include_stdin() {
        match destination {
            None => bail!("standard input cannot be converted in place"),
            Some(_) => bail!("standard input has no file name (use -o FILE)"),
        }
    }
    if let Some(suffix) = &per_file.replace.backup {
        selection = selection.exclude_suffix(validate_suffix("--backup", suffix)?);
    }
    if let Some(suffix) = &per_file.suffix {
        selection = selection.exclude_suffix(suffix);
    }
    let (options, origin) = parse_options(args)?;
    let min_confidence = args.io.detection.min_confidence().unwrap_or(Confidence::Likely);
    // The names of one file are converted one at a time, in their order.
    let in_order = per_file.replace.break_hard_links && destination.is_none();
    let max_jobs = if in_order || args.diff { 1 } else { u32::MAX };
    Ok(ConvertFilesConfig {
        options: FileConverterOptions {
            input_encoding: origin,
            min_confidence,
            ..converter_options(&per_file.replace, options)
        },
        destination,
        selection,
        jobs: per_file.replace.jobs.unwrap_or_else(default_jobs).min(max_jobs),
        fail_fast: per_file.replace.fail_fast,
        verbosity: verbosity(args),
        named_temp_files: args.testing.no_o_tmpfile,
        assumes_utf8: assumes_utf8(args),
        diff: args.diff,
        fix: None,
    })
}

/// Returns where the outputs go if the files are not converted in place.
fn destination_from_args(args: &PerFileArgs) -> Result<Option<Destination>> {
    if !args.has_own_outputs() {
        return Ok(None);
    }
    if args.output_dir.as_ref().is_some_and(|directory| directory.is_empty()) {
        bail!("--output-dir: the directory name is empty (use . for the current directory)");
    }
    let suffix = args.suffix.as_deref().map(|suffix| validate_suffix("--suffix", suffix));
    Ok(Some(Destination {
        directory: args.output_dir.as_ref().map(PathBuf::from),
        suffix: suffix.transpose()?.unwrap_or_default().to_owned(),
    }))
}

/// Returns the options, and where the encoding of an input comes from.
fn parse_options(args: &ConvertArgs) -> Result<(TranscodeOptions, InputEncoding)> {
    let chain = parse_chain(args.io.chain.as_deref())?;
    let label = args.io.from.as_deref().and_then(OsStr::to_str).unwrap_or_default();
    let label = split_suffixes(label)?.0;
    let [auto, detect] = DETECTED_LABELS.map(|known| label.eq_ignore_ascii_case(known));
    let default_encoding = args.io.default_encoding.as_deref();
    if default_encoding.is_some() && !auto {
        bail!("--default-encoding requires --from auto");
    }
    if let Some(option) = args.io.detection.given_option().filter(|_| !detect) {
        bail!("{option} requires --from detect");
    }
    // With auto and detect this is a placeholder until the first input is examined.
    let mut from = match &chain {
        Some(chain) => chain.from.clone(),
        None if auto || detect => {
            parse_encoding_without_suffixes("--default-encoding", default_encoding)?
        }
        None => parse_encoding(args.io.from.as_deref())?.0,
    };
    let (mut to, suffixes) = match &chain {
        Some(chain) => (chain.to.clone(), IconvSuffixes::default()),
        None => parse_encoding(args.io.to.as_deref())?,
    };
    if args.rfc2047.strict && !(from.set_strict() | to.set_strict()) {
        bail!("--strict requires RFC2047 as the input or output encoding");
    }
    let mut options = TranscodeOptions::new(from.clone(), to);
    options.error_policy = parse_error_policy(args, suffixes, options.error_policy)?;
    options.translit_rules = parse_translit_lang(args, &options.error_policy)?;
    options.via = chain.map_or_else(|| parse_steps(&args.io.via), |chain| Ok(chain.via))?;
    for form in args.io.normalize.iter().chain(&args.io.newline) {
        options.via.push(form.parse()?);
    }
    options.headers_only = args.rfc2047.headers_only;
    options.fix_declaration = args.io.fix_declaration;
    if args.rfc2047.unfold {
        options.via.insert(0, "unfold".parse()?);
    }
    options.header_fields = parse_field_names(&args.rfc2047.field)?;
    if let Some(mode) = &args.io.bom {
        options.bom = BomPolicy::from_str(mode).map_err(|reason| anyhow!("--bom: {reason}"))?;
    }
    options.fast_paths = !args.testing.no_fast_paths;
    match args.testing.buffer_size {
        Some(bytes) => options.buffer_size = bytes as usize,
        // Otherwise the next input may have another encoding.
        None if !auto && !detect && options.only_validates() => {
            options.buffer_size = VALIDATION_BUFFER_SIZE;
        }
        None => {}
    }
    let origin = match (auto, default_encoding) {
        _ if detect => InputEncoding::Detect(args.io.detection.hints.hints()?),
        (false, _) => InputEncoding::Fixed(from),
        (true, None) => InputEncoding::Auto(None),
        (true, Some(_)) => InputEncoding::Auto(Some(from)),
    };
    Ok((options, origin))
}

/// Returns the names of header fields.
fn parse_field_names(values: &[OsString]) -> Result<Vec<String>> {
    let parse = |name: &OsString| {
        let text = name
            .to_str()
            .ok_or_else(|| anyhow!("--field: \"{}\" is not valid UTF-8", Quoted::new(name)))?;
        // The colon, as in a file, is not part of the name.
        Ok(text.strip_suffix(':').unwrap_or(text).to_owned())
    };
    values.iter().map(parse).collect()
}

/// Returns the chain that `--chain` describes.
fn parse_chain(chain: Option<&OsStr>) -> Result<Option<ChainSpec>> {
    let Some(chain) = chain else { return Ok(None) };
    let text = chain
        .to_str()
        .ok_or_else(|| anyhow!("--chain: \"{}\" is not valid UTF-8", Quoted::new(chain)))?;
    text.parse().map(Some).map_err(|error| explain_unknown_encoding(error).context("--chain"))
}

/// Returns the steps of `--via`. After a step with options, as in `html:decode,strict`, a word that is
/// one of its options belongs to it.
pub fn parse_steps(values: &[OsString]) -> Result<Vec<ChainStep>> {
    let mut steps: Vec<String> = Vec::new();
    for value in values {
        let text = value
            .to_str()
            .ok_or_else(|| anyhow!("--via: \"{}\" is not valid UTF-8", Quoted::new(value)))?;
        let mut is_first = true;
        for word in text.split(',') {
            match steps.last_mut().filter(|_| !is_first) {
                Some(step) if is_option_of(step, word) => step.extend([",", word]),
                _ => steps.push(word.to_owned()),
            }
            is_first = false;
        }
    }
    if let Some(last) = steps.last() {
        chain_spec::check_step_count(steps.len(), last).context("--via")?;
    }
    let parse = |step: &String| {
        step.parse().map_err(|error| explain_unknown_encoding(error).context("--via"))
    };
    steps.iter().map(parse).collect()
}

/// Returns whether `word` is an option of a step that already has one.
fn is_option_of(step: &str, word: &str) -> bool {
    let Some((name, _)) = step.split_once(':') else { return false };
    let key = word.split('=').next().unwrap_or(word);
    transform_spec::for_name(name).is_some_and(|transform| {
        ["decode", "encode"].contains(&key)
            || transform.options.iter().any(|option| labels_match(option.name, key))
    })
}

/// Combines the error options and the iconv suffixes. A specific option overrides `--on-error`, and
/// an option overrides a suffix. But `-c` with `//TRANSLIT` discards only invalid input, as in
/// iconv.
fn parse_error_policy(
    args: &ConvertArgs,
    suffixes: IconvSuffixes,
    default: ErrorPolicy,
) -> Result<ErrorPolicy> {
    let args = &args.errors;
    let general = parse_error_action("--on-error", args.on_error.as_deref())?;
    let ignore = (args.discard || suffixes.ignore).then_some(ErrorAction::Skip);
    let translit = suffixes.translit.then_some(ErrorAction::Transliterate);
    let invalid = parse_error_action("--on-invalid", args.on_invalid.as_deref())?;
    let unmappable = parse_error_action("--on-unmappable", args.on_unmappable.as_deref())?;
    let invalid = invalid.or(general.clone()).or(ignore.clone()).unwrap_or(default.malformed);
    // The actions that pass bytes through do not apply to characters.
    let general = general.filter(|action| !action.is_for_bytes_only());
    Ok(ErrorPolicy {
        malformed: invalid,
        unmappable: unmappable.or(general).or(translit).or(ignore).unwrap_or(default.unmappable),
    })
}

/// Returns the rules of transliteration of `--translit-lang`.
fn parse_translit_lang(args: &ConvertArgs, policy: &ErrorPolicy) -> Result<Option<TranslitRules>> {
    let Some(language) = &args.errors.translit_lang else { return Ok(None) };
    if policy.unmappable != ErrorAction::Transliterate {
        bail!(
            "--translit-lang requires --on-unmappable translit, or //TRANSLIT after the encoding of --to"
        );
    }
    let Some(table) = language.to_str().and_then(TransliterationTable::for_language) else {
        let known = TransliterationTable::LANGUAGES.join(", ");
        let language = Quoted::new(language);
        bail!("--translit-lang: no transliterations of \"{language}\" (only {known}, nn and no)");
    };
    Ok(Some(TranslitRules { table: Some(table), missing: None, untransliterable: None }))
}

fn parse_error_action(option: &'static str, value: Option<&OsStr>) -> Result<Option<ErrorAction>> {
    let Some(value) = value else { return Ok(None) };
    let text = value
        .to_str()
        .ok_or_else(|| anyhow!("{option}: \"{}\" is not valid UTF-8", Quoted::new(value)))?;
    match text.parse::<ErrorAction>() {
        Ok(action) => Ok(Some(action)),
        Err(_) if option != "--on-unmappable" && Encoding::lookup(text).is_ok() => bail!(
            "{option}: \"{text}\" is an encoding, not an error action; for text in two encodings use \
             -f, as in -f utf-8,{text}"
        ),
        Err(reason) => Err(anyhow!(reason).context(option)),
    }
}

fn verbosity(args: &ConvertArgs) -> Verbosity {
    Verbosity::new(args.errors.quiet, args.errors.verbose)
}
