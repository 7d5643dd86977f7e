//! From words to a job: the one place that looks names up and refuses a combination.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use charpipe::auto::Origin;
use charpipe::detect::Confidence;
use charpipe::plan::{Bom, Encoding, Plan};
use charpipe::policy::{Action, Policy};
use charpipe::quote::Quoted;

use super::args::{Args, Words};
use super::suffix::{self, Suffixes};
use super::unknown::{self, FROM_INPUT};
use super::{list, pages};

mod in_place;

pub use in_place::InPlaceJob;

/// What to do.
#[derive(Debug)]
pub enum Job {
    /// Print this and nothing else.
    Print(Vec<u8>),
    /// Convert.
    Convert(Conversion),
    /// Convert files where they stand.
    InPlace(Box<InPlaceJob>),
}

/// A conversion, with all that stands outside the library's plan.
#[derive(Debug)]
pub struct Conversion {
    /// Its `from` gives way to the origin.
    pub plan: Plan,
    pub origin: Origin,
    /// The least confidence in a detected encoding.
    pub min_confidence: Confidence,
    /// At least one.
    pub inputs: Vec<Input>,
    pub output: Output,
    pub telling: Telling,
    /// Whether to report at a terminal that the standard input is read.
    pub announces: bool,
    pub always_named: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The name in messages, safe to show.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            // As nothing it would look like a message without a name.
            Input::File(path) if path.as_os_str().is_empty() => "''".to_owned(),
            Input::File(path) => Quoted::path(path).to_string(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

/// How much is told of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    Nothing,
    TheFirst,
    Everything,
}

/// Makes a job of the words of a command line.
///
/// # Errors
///
/// An unknown name, or a combination that says nothing.
pub fn resolve(words: Words) -> Result<Job> {
    let args = match words {
        Words::Page(page) => return Ok(Job::Print(page.into_bytes())),
        Words::Args(args) => args,
    };
    if let Some(form) = args.list {
        return Ok(Job::Print(list::charsets(form)));
    }
    if args.man {
        return Ok(Job::Print(pages::manual()?));
    }
    if let Some(shell) = args.completions {
        return Ok(Job::Print(pages::completions(shell)));
    }
    if args.in_place.in_place {
        return Ok(Job::InPlace(Box::new(in_place::resolve(&args)?)));
    }
    if let Some(word) = args.in_place.idle().or(args.which.first()) {
        bail!("{word} says nothing without --in-place");
    }
    let (plan, origin) = plan(&args)?;
    let min_confidence = min_confidence(&args, &origin)?.unwrap_or(Confidence::Guess);
    Ok(Job::Convert(Conversion {
        plan,
        origin,
        min_confidence,
        inputs: inputs(&args.files),
        output: output(args.output.as_deref())?,
        telling: telling(&args),
        announces: args.files.is_empty() && !args.silent,
        always_named: args.always_named,
    }))
}

/// The plan, and where the encoding of an input is taken from.
fn plan(args: &Args) -> Result<(Plan, Origin)> {
    let given = args.from.as_deref().and_then(OsStr::to_str).unwrap_or_default();
    let given = suffix::split(given)?.0;
    let [auto, detect] = FROM_INPUT.map(|word| given.eq_ignore_ascii_case(word));
    if args.fallback.is_some() && !auto {
        bail!("--fallback says nothing without --from auto");
    }
    // What is not named here is taken from each input; until then UTF-8 stands in its place.
    let mut from = match auto || detect {
        true => encoding_without_endings("--fallback", args.fallback.as_deref())?,
        false => encoding(args.from.as_deref())?.0,
    };
    let (mut to, suffixes) = encoding(args.to.as_deref())?;
    if args.strict && !(from.make_strict() | to.make_strict()) {
        bail!("--strict is for RFC2047, which is neither the input's encoding nor the output's");
    }
    let mut plan = Plan::new(from.clone(), to);
    plan.policy = policy(args, suffixes, plan.policy)?;
    plan.message = args.message;
    if let Some(word) = &args.bom {
        plan.bom = Bom::from_str(word).map_err(|reason| anyhow!("--bom: {reason}"))?;
    }
    if let Some(bytes) = args.block_size {
        plan.block = bytes as usize;
    }
    plan.fast = !args.no_fast_paths;
    let origin = match (auto, &args.fallback) {
        _ if detect => Origin::Detect,
        (false, _) => Origin::Given(from),
        (true, None) => Origin::Auto(None),
        (true, Some(_)) => Origin::Auto(Some(from)),
    };
    Ok((plan, origin))
}

/// The least confidence in a detected encoding, if one was given.
fn min_confidence(args: &Args, origin: &Origin) -> Result<Option<Confidence>> {
    let Some(level) = &args.min_confidence else { return Ok(None) };
    if !matches!(origin, Origin::Detect) {
        bail!("--min-confidence requires --from detect");
    }
    let levels = [Confidence::Guess, Confidence::Likely, Confidence::Certain];
    Ok(levels.into_iter().find(|known| known.to_string() == *level))
}

/// The encoding of this label, UTF-8 without one. The endings mean something only on the target,
/// but iconv takes them on both.
pub fn encoding(label: Option<&OsStr>) -> Result<(Encoding, Suffixes)> {
    let label = label.unwrap_or(OsStr::new("UTF-8"));
    let text = label.to_str().ok_or_else(|| {
        anyhow!("unknown charset \"{}\"; 'charpipe list' shows all names", Quoted::new(label))
    })?;
    let (name, suffixes) = suffix::split(text)?;
    if name.is_empty() || name.starts_with(':') {
        bail!("the name of a charset is empty; --list shows the names");
    }
    Ok((name.parse().map_err(unknown::explained)?, suffixes))
}

/// The same for an option whose encoding takes no endings.
pub fn encoding_without_endings(option: &str, label: Option<&OsStr>) -> Result<Encoding> {
    match encoding(label)? {
        (encoding, suffixes) if suffixes == Suffixes::default() => Ok(encoding),
        _ => bail!("{option} takes neither //TRANSLIT nor //IGNORE"),
    }
}

/// The more specific word wins, and an action wins over an ending of the target's name. But
/// `-c` with `//TRANSLIT` discards only what is no character, as iconv does.
fn policy(args: &Args, suffixes: Suffixes, usual: Policy) -> Result<Policy> {
    let general = action("--on-error", args.on_error.as_deref())?;
    let ignore = (args.discard || suffixes.ignore).then_some(Action::Skip);
    let translit = suffixes.translit.then_some(Action::Translit);
    let invalid = action("--on-invalid", args.on_invalid.as_deref())?;
    let unmappable = action("--on-unmappable", args.on_unmappable.as_deref())?;
    let invalid = invalid.or(general.clone()).or(ignore.clone()).unwrap_or(usual.invalid);
    // A character has no bytes that could be kept.
    let general = general.filter(|action| !action.is_for_bytes());
    Ok(Policy {
        invalid,
        unmappable: unmappable.or(general).or(translit).or(ignore).unwrap_or(usual.unmappable),
    })
}

fn action(option: &'static str, word: Option<&OsStr>) -> Result<Option<Action>> {
    let Some(word) = word else { return Ok(None) };
    let text =
        word.to_str().ok_or_else(|| anyhow!("{option}: \"{}\" is not UTF-8", Quoted::new(word)))?;
    Ok(Some(text.parse::<Action>().context(option)?))
}

pub fn inputs(files: &[OsString]) -> Vec<Input> {
    if files.is_empty() {
        return vec![Input::Stdin];
    }
    files.iter().map(|file| input(file)).collect()
}

/// The input of this name.
pub fn input(file: &OsStr) -> Input {
    if file == "-" { Input::Stdin } else { Input::File(file.into()) }
}

fn output(file: Option<&OsStr>) -> Result<Output> {
    match file {
        None => Ok(Output::Stdout),
        Some(file) if file == "-" => Ok(Output::Stdout),
        Some(file) if file.is_empty() => bail!("--output: the name of the file is empty"),
        Some(file) => Ok(Output::File(file.into())),
    }
}

fn telling(args: &Args) -> Telling {
    match (args.silent, args.verbose) {
        (true, _) => Telling::Nothing,
        (false, true) => Telling::Everything,
        (false, false) => Telling::TheFirst,
    }
}
