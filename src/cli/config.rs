//! Validates arguments and builds the configuration.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

use crate::cli::fs::file_converter::{Destination, FileConverterOptions};
use crate::cli::fs::preserve::Preserve;
use crate::cli::quote::Quoted;
use crate::cli::sniff::InputEncoding;
use anyhow::{Context, Error, Result, anyhow, bail};
use charpipe_detect::Confidence;
use charpipe_encoding::Error as EncodingError;
use charpipe_encoding::encoding::Encoding;
use charpipe_encoding::encoding::alias::labels_match;
use charpipe_transcode::chain_spec::{self, ChainSpec, ChainStep};
use charpipe_transcode::error_policy::{ErrorAction, ErrorPolicy};
use charpipe_transcode::options::{
    BomPolicy, EncodingSpec, TranscodeOptions, VALIDATION_BUFFER_SIZE,
};
use charpipe_transcode::transform_spec;

use super::args::{Parsed, Subcommand};
use super::convert::args::{ConvertArgs, PerFileArgs};
use super::fix::{self, FixConfig};
use super::messages::Verbosity;
use super::paths::Selection;
use super::range::RangeConfig;
use super::shared_args::ReplaceArgs;
use super::streams::{Input, Output};
use super::{completion_scripts, list, manpage, repair};

/// What to do.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one per process")]
pub enum Command {
    /// Print this text.
    Print(Vec<u8>),
    Convert(ConvertConfig),
    ConvertFiles(Box<ConvertFilesConfig>),
    Subcommand(Box<Subcommand>),
}

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

/// The configuration of a conversion in place, or of each file to an output of its own.
#[derive(Debug)]
pub struct ConvertFilesConfig {
    pub options: FileConverterOptions,
    /// Where the outputs go if not in place.
    pub destination: Option<Destination>,
    pub selection: Selection,
    /// The number of threads, which convert files in parallel and, if there are fewer files, parts of one.
    pub jobs: u32,
    /// Whether to stop after the first failed file.
    pub fail_fast: bool,
    pub verbosity: Verbosity,
    pub named_temp_files: bool,
    /// Whether the input encoding is UTF-8 because none was given.
    pub assumes_utf8: bool,
    /// The rules of `charpipe fix`, if this is one.
    pub fix: Option<FixConfig>,
}

/// Builds the configuration from a command line.
///
/// # Errors
///
/// Returns an error for an unknown encoding or action, or an invalid combination of options.
pub fn from_args(parsed: Parsed) -> Result<Command> {
    if let Some(choice) = parsed.color() {
        choice.apply();
    }
    let args = match parsed {
        Parsed::Text(text) => return Ok(Command::Print(text.into_bytes())),
        Parsed::Subcommand(subcommand) => {
            if let Some(name) = subcommand.requested_man_page() {
                return Ok(Command::Print(manpage::render(Some(name))?));
            }
            match *subcommand {
                Subcommand::Repair(args) => Box::new(args.into_conversion()),
                Subcommand::Fix(args) => return fix::command_from_args(&args),
                Subcommand::Check(args) if args.report.diff => {
                    return fix::command_from_check(&args);
                }
                subcommand => return Ok(Command::Subcommand(Box::new(subcommand))),
            }
        }
        Parsed::Convert(args) => args,
    };
    if let Some(format) = args.print.list {
        let format = format.unwrap_or_else(list::ListFormat::for_output);
        return Ok(Command::Print(list::encoding_list(format)));
    }
    if args.other.man {
        return Ok(Command::Print(manpage::render(None)?));
    }
    if let Some(shell) = args.print.completions {
        return Ok(Command::Print(completion_scripts::script(shell).into()));
    }
    if args.per_file.in_place || args.per_file.has_own_outputs() {
        return Ok(Command::ConvertFiles(Box::new(convert_files_from_args(&args)?)));
    }
    let (options, origin) = parse_options(&args)?;
    let min_confidence = args.io.detection.min_confidence().unwrap_or(Confidence::Guess);
    let output = Output::from_arg(args.io.output.as_deref())?;
    Ok(Command::Convert(ConvertConfig {
        range: RangeConfig::from_args(&args.range, &origin, &args.files, &output)?,
        options,
        origin,
        min_confidence,
        inputs: Input::from_args(&args.files),
        output,
        preserve: args.per_file.replace.preserve(),
        verbosity: verbosity(&args),
        jobs: args.per_file.replace.jobs,
        announce_stdin: args.files.is_empty() && !args.errors.quiet,
        named_temp_files: args.testing.no_o_tmpfile,
        assumes_utf8: assumes_utf8(&args),
    }))
}

/// Returns whether the input encoding is UTF-8 because none was given. A repair has no option `--from`.
fn assumes_utf8(args: &ConvertArgs) -> bool {
    let is_repair = args.io.via == repair::STEPS;
    args.io.from.is_none() && args.io.chain.is_none() && !is_repair
}

fn convert_files_from_args(args: &ConvertArgs) -> Result<ConvertFilesConfig> {
    let per_file = &args.per_file;
    let operands = args.files.iter().map(|file| Input::from_arg(file)).collect();
    let mut selection = Selection::new(operands, &args.path_args)?;
    let destination = destination_from_args(per_file)?;
    if selection.is_empty() {
        let option = match (&per_file.output_dir, &per_file.suffix) {
            (Some(_), _) => "--output-dir",
            (None, Some(_)) => "--suffix",
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
    let max_jobs = if in_order { 1 } else { u32::MAX };
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
        fix: None,
    })
}

/// Returns the options of a converter of files for a conversion.
pub fn converter_options(args: &ReplaceArgs, options: TranscodeOptions) -> FileConverterOptions {
    FileConverterOptions {
        backup_suffix: args.backup.clone(),
        dry_run: args.dry_run,
        keep_mtime: args.keep_mtime,
        break_hard_links: args.break_hard_links,
        force: args.force,
        preserve: args.preserve(),
        ..FileConverterOptions::new(options)
    }
}

/// Returns the number of CPUs, between 2 and 8. With one CPU, a second job can work while the first
/// waits for the disk.
pub fn default_jobs() -> u32 {
    thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 8) as u32)
}

/// Returns where the outputs go if the files are not converted in place.
fn destination_from_args(args: &PerFileArgs) -> Result<Option<Destination>> {
    if !args.has_own_outputs() {
        return Ok(None);
    }
    if args.output_dir.as_ref().is_some_and(|directory| directory.is_empty()) {
        bail!("--output-dir: the directory name is empty");
    }
    let suffix = args.suffix.as_deref().map(|suffix| validate_suffix("--suffix", suffix));
    Ok(Some(Destination {
        directory: args.output_dir.as_ref().map(PathBuf::from),
        suffix: suffix.transpose()?.unwrap_or_default().to_owned(),
    }))
}

/// Returns the suffix if it results in another name in the same directory.
pub fn validate_suffix<'a>(option: &str, suffix: &'a OsStr) -> Result<&'a OsStr> {
    if suffix.is_empty() {
        bail!("{option}: the suffix is empty");
    }
    if suffix.as_encoded_bytes().contains(&b'/') {
        bail!("{option}: the suffix contains a slash");
    }
    Ok(suffix)
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
    options.via = chain.map_or_else(|| parse_steps(&args.io.via), |chain| Ok(chain.via))?;
    for form in args.io.normalize.iter().chain(&args.io.newline) {
        options.via.push(form.parse()?);
    }
    options.headers_only = args.rfc2047.headers_only;
    options.fix_declaration = args.io.fix_declaration;
    if args.rfc2047.unfold {
        options.via.insert(0, "unfold".parse()?);
    }
    for name in &args.rfc2047.field {
        let text = name
            .to_str()
            .ok_or_else(|| anyhow!("--field: \"{}\" is not valid UTF-8", Quoted::new(name)))?;
        // The colon, as in a file, is not part of the name.
        options.header_fields.push(text.strip_suffix(':').unwrap_or(text).to_owned());
    }
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

/// Returns the encoding for a label, UTF-8 if there is none, and the label's iconv suffixes. They
/// have an effect on the output encoding only, but iconv accepts them on both.
pub fn parse_encoding(label: Option<&OsStr>) -> Result<(EncodingSpec, IconvSuffixes)> {
    let label = label.unwrap_or(OsStr::new("UTF-8"));
    let text = label.to_str().ok_or_else(|| {
        anyhow!("unknown encoding \"{}\"; 'charpipe list' shows all names", Quoted::new(label))
    })?;
    let (name, suffixes) = split_suffixes(text)?;
    if name.is_empty() || name.starts_with(':') {
        bail!("empty encoding name (see --list)");
    }
    Ok((name.parse().map_err(explain_unknown_encoding)?, suffixes))
}

/// Returns the encoding for a label of an option that does not accept iconv suffixes.
pub fn parse_encoding_without_suffixes(
    option: &str,
    label: Option<&OsStr>,
) -> Result<EncodingSpec> {
    match parse_encoding(label)? {
        (encoding, suffixes) if suffixes == IconvSuffixes::default() => Ok(encoding),
        _ => bail!("{option} accepts neither //TRANSLIT nor //IGNORE"),
    }
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
fn parse_steps(values: &[OsString]) -> Result<Vec<ChainStep>> {
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
        Err(error) => Err(error).context(option),
    }
}

fn verbosity(args: &ConvertArgs) -> Verbosity {
    match (args.errors.quiet, args.errors.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    }
}

/// The error handling that iconv reads from suffixes of an encoding name:
/// `latin1//TRANSLIT//IGNORE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IconvSuffixes {
    /// `//TRANSLIT`: transliterate unmappable characters.
    pub translit: bool,
    /// `//IGNORE`: discard unconvertible input.
    pub ignore: bool,
}

/// Splits the suffixes off a name. Both `//TRANSLIT//IGNORE` (libiconv) and `//TRANSLIT,IGNORE`
/// (glibc) are accepted; empty suffixes have no effect.
///
/// # Errors
///
/// Returns an error for any other suffix.
fn split_suffixes(label: &str) -> Result<(&str, IconvSuffixes)> {
    let mut suffixes = IconvSuffixes::default();
    let Some((name, list)) = label.split_once("//") else { return Ok((label, suffixes)) };
    for suffix in list.split(['/', ',']).filter(|suffix| !suffix.is_empty()) {
        if suffix.eq_ignore_ascii_case("translit") {
            suffixes.translit = true;
        } else if suffix.eq_ignore_ascii_case("ignore") {
            suffixes.ignore = true;
        } else {
            let suffix = Quoted::new(suffix);
            bail!("unknown suffix \"//{suffix}\" (expected //TRANSLIT or //IGNORE)");
        }
    }
    Ok((name, suffixes))
}

/// Values of `--from` for which the encoding is determined from the input.
const DETECTED_LABELS: [&str; 2] = ["auto", "detect"];

/// Labels of things other than character encodings, in lower case without punctuation, and the end
/// of the error message.
const NOT_CHARACTER_ENCODINGS: [(&[&str], &str); 3] = [
    (&["sgml", "entity", "entities", "htmlentities", "ncr"], "; use utf-8/html or --via html"),
    (&["rot13"], " but a cipher"),
    (
        &["gzip", "zip", "bz2", "bzip2", "xz", "zstd", "zlib"],
        " but a compression format; decompress it first",
    ),
];

/// Returns whether the text describes several steps, as the value of `--chain` does.
pub fn is_chain(text: &str) -> bool {
    text.contains("..") && text.parse::<ChainSpec>().is_ok()
}

/// Adds to the error for an unknown label what may have been meant.
fn explain_unknown_encoding(error: EncodingError) -> Error {
    let (label, suggestions) = match &error {
        EncodingError::UnknownEncoding { label, suggestions } => (label, Some(suggestions)),
        EncodingError::UnknownStep { name, .. } => (name, None),
        EncodingError::UnsupportedEncoding { label, .. } => (label, None),
        _ => return error.into(),
    };
    if DETECTED_LABELS.iter().any(|known| label.eq_ignore_ascii_case(known)) {
        return anyhow!("{label:?} is not an encoding; it is valid only as the value of --from");
    }
    // Python's codecs of bytes have names such as base64_codec.
    let bare = label.strip_suffix("_codec").unwrap_or(label);
    if let Some(found) = transform_spec::for_name(bare) {
        let name = found.name;
        let via = if found.is_for_bytes() { "" } else { ", or with --via" };
        return anyhow!(
            "{label:?} is not a character encoding but a transform: write it after an encoding, as in \
             utf-8/{name}{via}"
        );
    }
    if let Some(chain) = Some(label).filter(|label| is_chain(label)) {
        let chain = Quoted::new(chain);
        return anyhow!("\"{chain}\" is a chain of steps; use --chain={chain}");
    }
    let letters = bare.chars().filter(char::is_ascii_alphanumeric);
    let normalized: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    if let Some((_, end)) =
        NOT_CHARACTER_ENCODINGS.iter().find(|(labels, _)| labels.contains(&normalized.as_str()))
    {
        return anyhow!("{label:?} is not a character encoding{end}");
    }
    if suggestions.is_some_and(Vec::is_empty) {
        return anyhow!("{error}; 'charpipe list' shows all names");
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_split_in_any_case_and_order() {
        let (translit, ignore) = (true, true);
        for (label, name, expected) in [
            ("utf-8", "utf-8", IconvSuffixes::default()),
            ("utf-8//", "utf-8", IconvSuffixes::default()),
            ("latin1//TRANSLIT", "latin1", IconvSuffixes { translit, ignore: false }),
            ("latin1//ignore", "latin1", IconvSuffixes { translit: false, ignore }),
            ("latin1//Translit//IGNORE", "latin1", IconvSuffixes { translit, ignore }),
            ("latin1//ignore,translit", "latin1", IconvSuffixes { translit, ignore }),
            ("//TRANSLIT", "", IconvSuffixes { translit, ignore: false }),
        ] {
            assert_eq!(split_suffixes(label).unwrap(), (name, expected), "{label}");
        }
    }

    #[test]
    fn unknown_suffix_is_rejected() {
        assert!(split_suffixes("latin1//TRANSLATE").is_err());
    }
}
