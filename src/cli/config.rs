//! From words to a job: the one position that looks names up and refuses a combination.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use charpipe::detect::Confidence;
use charpipe::error_policy::{ErrorAction, ErrorPolicy};
use charpipe::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use charpipe::quote::Quoted;
use charpipe::sniff::InputEncoding;

use super::args::{ConvertArgs, Parsed};
use super::iconv_suffix::{self, IconvSuffixes};
use super::unknown_encoding::{self, DETECTED_LABELS};
use super::{list, manpage};

mod in_place;

pub use in_place::InPlaceConfig;

/// What to do.
#[derive(Debug)]
pub enum Command {
    /// Print this and nothing else.
    Print(Vec<u8>),
    /// Convert.
    Convert(ConvertConfig),
    /// Convert files where they stand.
    InPlace(Box<InPlaceConfig>),
}

/// A conversion, with all that stands outside the library's options.
#[derive(Debug)]
pub struct ConvertConfig {
    /// Its `from` gives way to the origin.
    pub options: TranscodeOptions,
    pub origin: InputEncoding,
    /// The least confidence in a detected encoding.
    pub min_confidence: Confidence,
    /// At least one.
    pub inputs: Vec<Input>,
    pub output: Output,
    pub verbosity: Verbosity,
    /// Whether to report at a terminal that the standard input is read.
    pub announce_stdin: bool,
    pub named_temp_files: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The name in messages, safe to show.
    pub fn display_name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            // As nothing it would look like a message without a name.
            Input::File(path) if path.as_os_str().is_empty() => "''".to_owned(),
            Input::File(path) => Quoted::from_path(path).to_string(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

/// How much is told of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    Silent,
    Normal,
    Verbose,
}

/// Makes a job of the words of a command line.
///
/// # Errors
///
/// An unknown name, or a combination that says nothing.
pub fn from_args(parsed: Parsed) -> Result<Command> {
    let args = match parsed {
        Parsed::Text(page) => return Ok(Command::Print(page.into_bytes())),
        Parsed::Args(args) => args,
    };
    if let Some(form) = args.list {
        return Ok(Command::Print(list::encoding_list(form)));
    }
    if args.man {
        return Ok(Command::Print(manpage::render()?));
    }
    if let Some(shell) = args.completions {
        return Ok(Command::Print(manpage::completions(shell)));
    }
    if args.in_place.in_place {
        return Ok(Command::InPlace(Box::new(in_place::from_args(&args)?)));
    }
    if let Some(word) = args.in_place.idle().or(args.path_args.first()) {
        bail!("{word} says nothing without --in-place");
    }
    let (options, origin) = parse_options(&args)?;
    let min_confidence = parse_min_confidence(&args, &origin)?.unwrap_or(Confidence::Guess);
    Ok(Command::Convert(ConvertConfig {
        options: options,
        origin,
        min_confidence,
        inputs: inputs_from_args(&args.files),
        output: output_from_arg(args.output.as_deref())?,
        verbosity: verbosity(&args),
        announce_stdin: args.files.is_empty() && !args.silent,
        named_temp_files: args.always_named,
    }))
}

/// The options, and where the encoding of an input is taken from.
fn parse_options(args: &ConvertArgs) -> Result<(TranscodeOptions, InputEncoding)> {
    let given = args.from.as_deref().and_then(OsStr::to_str).unwrap_or_default();
    let given = iconv_suffix::split_suffixes(given)?.0;
    let [auto, detect] = DETECTED_LABELS.map(|word| given.eq_ignore_ascii_case(word));
    if args.fallback.is_some() && !auto {
        bail!("--fallback says nothing without --from auto");
    }
    // What is not named here is taken from each input; until then UTF-8 stands in its position.
    let mut from = match auto || detect {
        true => parse_encoding_without_suffixes("--fallback", args.fallback.as_deref())?,
        false => parse_encoding(args.from.as_deref())?.0,
    };
    let (mut to, suffixes) = parse_encoding(args.to.as_deref())?;
    if args.strict && !(from.set_strict() | to.set_strict()) {
        bail!("--strict is for RFC2047, which is neither the input's encoding nor the output's");
    }
    let mut options = TranscodeOptions::new(from.clone(), to);
    options.error_policy = parse_error_policy(args, suffixes, options.error_policy)?;
    options.headers_only = args.message;
    if let Some(word) = &args.bom {
        options.bom = BomPolicy::from_str(word).map_err(|reason| anyhow!("--bom: {reason}"))?;
    }
    if let Some(bytes) = args.block_size {
        options.buffer_size = bytes as usize;
    }
    options.fast_paths = !args.no_fast_paths;
    let origin = match (auto, &args.fallback) {
        _ if detect => InputEncoding::Detect,
        (false, _) => InputEncoding::Fixed(from),
        (true, None) => InputEncoding::Auto(None),
        (true, Some(_)) => InputEncoding::Auto(Some(from)),
    };
    Ok((options, origin))
}

/// The least confidence in a detected encoding, if one was given.
fn parse_min_confidence(args: &ConvertArgs, origin: &InputEncoding) -> Result<Option<Confidence>> {
    let Some(level) = &args.min_confidence else { return Ok(None) };
    if !matches!(origin, InputEncoding::Detect) {
        bail!("--min-confidence requires --from detect");
    }
    let levels = [Confidence::Guess, Confidence::Likely, Confidence::Certain];
    Ok(levels.into_iter().find(|known| known.to_string() == *level))
}

/// The encoding of this label, UTF-8 without one. The endings mean something only on the target,
/// but iconv takes them on both.
pub fn parse_encoding(label: Option<&OsStr>) -> Result<(EncodingSpec, IconvSuffixes)> {
    let label = label.unwrap_or(OsStr::new("UTF-8"));
    let text = label.to_str().ok_or_else(|| {
        anyhow!("unknown encoding \"{}\"; 'charpipe list' shows all names", Quoted::new(label))
    })?;
    let (name, suffixes) = iconv_suffix::split_suffixes(text)?;
    if name.is_empty() || name.starts_with(':') {
        bail!("the name of an encoding is empty; --list shows the names");
    }
    Ok((name.parse().map_err(unknown_encoding::explain)?, suffixes))
}

/// The same for an option whose encoding takes no endings.
pub fn parse_encoding_without_suffixes(
    option: &str,
    label: Option<&OsStr>,
) -> Result<EncodingSpec> {
    match parse_encoding(label)? {
        (encoding, suffixes) if suffixes == IconvSuffixes::default() => Ok(encoding),
        _ => bail!("{option} takes neither //TRANSLIT nor //IGNORE"),
    }
}

/// The more specific word wins, and an action wins over an ending of the target's name. But
/// `-c` with `//TRANSLIT` discards only what is no character, as iconv does.
fn parse_error_policy(
    args: &ConvertArgs,
    suffixes: IconvSuffixes,
    default: ErrorPolicy,
) -> Result<ErrorPolicy> {
    let general = parse_error_action("--on-error", args.on_error.as_deref())?;
    let ignore = (args.discard || suffixes.ignore).then_some(ErrorAction::Skip);
    let translit = suffixes.translit.then_some(ErrorAction::Transliterate);
    let invalid = parse_error_action("--on-invalid", args.on_invalid.as_deref())?;
    let unmappable = parse_error_action("--on-unmappable", args.on_unmappable.as_deref())?;
    let invalid = invalid.or(general.clone()).or(ignore.clone()).unwrap_or(default.malformed);
    // A character has no bytes that could be kept.
    let general = general.filter(|action| !action.is_for_bytes_only());
    Ok(ErrorPolicy {
        malformed: invalid,
        unmappable: unmappable.or(general).or(translit).or(ignore).unwrap_or(default.unmappable),
    })
}

fn parse_error_action(option: &'static str, value: Option<&OsStr>) -> Result<Option<ErrorAction>> {
    let Some(word) = value else { return Ok(None) };
    let text =
        word.to_str().ok_or_else(|| anyhow!("{option}: \"{}\" is not UTF-8", Quoted::new(word)))?;
    Ok(Some(text.parse::<ErrorAction>().context(option)?))
}

pub fn inputs_from_args(files: &[OsString]) -> Vec<Input> {
    if files.is_empty() {
        return vec![Input::Stdin];
    }
    files.iter().map(|file| input_from_arg(file)).collect()
}

/// The input of this name.
pub fn input_from_arg(file: &OsStr) -> Input {
    if file == "-" { Input::Stdin } else { Input::File(file.into()) }
}

fn output_from_arg(file: Option<&OsStr>) -> Result<Output> {
    match file {
        None => Ok(Output::Stdout),
        Some(file) if file == "-" => Ok(Output::Stdout),
        Some(file) if file.is_empty() => bail!("--output: the name of the file is empty"),
        Some(file) => Ok(Output::File(file.into())),
    }
}

fn verbosity(args: &ConvertArgs) -> Verbosity {
    match (args.silent, args.verbose) {
        (true, _) => Verbosity::Silent,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    }
}
