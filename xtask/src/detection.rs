//! Measures the detector on texts that packages ship, and compares it with other detectors.
//!
//! `benches/detection/samples.py` makes the samples from the texts that `cargo xtask fetch-texts`
//! fetched, and `benches/detection/detectors.py` runs the other detectors. `charpipe detect --json`
//! examines the same files. An result is right if decoding the sample with it gives the text.

mod binaries;
mod everyday;
mod page;
mod results;
mod sample;
mod speed;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use xtask::root;

use results::{Detector, DetectorResult};
use sample::Sample;

/// The role of the texts of `tests/detection/everyday.txt`.
const EVERYDAY_ROLE: &str = "everyday";

/// The page of results.
const PAGE: &str = "docs/detection.md";

const USAGE: &str = "\
usage: cargo xtask measure-detection DIR [--role ROLE] [--charpipe PROGRAM] [--quick]

Measures detection on the texts that `cargo xtask fetch-texts DIR` wrote. With --role test, the default,
writes docs/detection.md; with --role tune prints the same page and changes no file of the repository.
With --role everyday, of the texts of tests/detection/everyday.txt, writes their section of the page.
--quick measures neither speed nor binary files. The samples and the results of other detectors are kept in
DIR/samples/ROLE; wrong results of charpipe are listed in DIR/samples/ROLE/wrong.tsv.
PYTHON is the interpreter that has chardet, charset-normalizer and PyICU.
";

/// The arguments of the command.
struct Options {
    directory: PathBuf,
    role: String,
    charpipe: PathBuf,
    is_quick: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Option<Options> {
        let mut options = Options {
            directory: PathBuf::new(),
            role: "test".to_owned(),
            charpipe: root().join("target/release/charpipe"),
            is_quick: false,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--role" => options.role = arguments.next()?.clone(),
                "--charpipe" => options.charpipe = arguments.next()?.into(),
                "--quick" => options.is_quick = true,
                directory if !directory.starts_with('-') => options.directory = directory.into(),
                _ => return None,
            }
        }
        options.is_quick |= options.role == EVERYDAY_ROLE;
        let has_role = ["tune", "test", EVERYDAY_ROLE].contains(&options.role.as_str());
        (has_role && !options.directory.as_os_str().is_empty()).then_some(options)
    }
}

/// What was measured.
struct Measurement {
    samples: Vec<Sample>,
    detectors: Vec<Detector>,
    binaries: Option<binaries::Binaries>,
    speeds: Vec<speed::Speed>,
}

/// Measures and writes the results.
///
/// # Errors
///
/// If the texts are not there, or a program cannot be run.
pub fn measure(arguments: &[String]) -> Result<()> {
    let Some(options) = Options::parse(arguments) else {
        anyhow::bail!("{USAGE}");
    };
    let directory = options.directory.join("samples").join(&options.role);
    if !directory.join("samples.tsv").exists() {
        run("samples.py", &[&options.directory, Path::new(&options.role), &directory])?;
    }
    run("detectors.py", &[&directory])?;
    let samples = sample::read(&directory)?;
    for (encoding, count) in results::undecodable(&samples) {
        eprintln!("{count} samples in {encoding} are not decoded to their text with that encoding");
    }
    let mut detectors = vec![Detector {
        name: "charpipe".to_owned(),
        results: results::charpipe(&options.charpipe, &directory.join("files"), &samples)?,
    }];
    detectors.extend(results::other_detectors(&directory, &samples)?);
    detectors
        .push(Detector { name: "chardetng".to_owned(), results: results::chardetng(&samples) });
    let (mut binaries, mut speeds) = (None, Vec::new());
    if !options.is_quick {
        binaries = Some(binaries::measure(&options.charpipe)?);
        speeds = speed::measure(&options.charpipe, &samples, &directory)?;
    }
    let measurement = Measurement { samples, detectors, binaries, speeds };
    fs::write(directory.join("wrong.tsv"), wrong_results(&measurement))?;
    if options.role == EVERYDAY_ROLE {
        return everyday::write(&measurement);
    }
    let page = page::page(&measurement)?;
    if options.role == "test" && !options.is_quick {
        fs::write(root().join(PAGE), &page)?;
    } else {
        print!("{page}");
    }
    Ok(())
}

/// Returns the name of the interpreter of Python.
fn python() -> OsString {
    env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

/// Runs a program of `benches/detection`.
fn run(program: &str, arguments: &[&Path]) -> Result<()> {
    let mut command = Command::new(python());
    command.arg(root().join("benches/detection").join(program)).args(arguments);
    let status = command.status().with_context(|| format!("{command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

/// Returns the wrong results of charpipe: number, set, group, language, encoding, length, source,
/// format, result, confidence, probability and the beginning of the text.
fn wrong_results(measurement: &Measurement) -> String {
    let mut list = String::new();
    for (sample, result) in measurement.samples.iter().zip(&measurement.detectors[0].results) {
        if result.is_right {
            continue;
        }
        let text: String = sample.text.chars().take(60).collect();
        let probability =
            result.probability.map_or("-".to_owned(), |number| format!("{number:.3}"));
        let _ = writeln!(
            list,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{probability}\t{}",
            sample.number,
            sample.set,
            sample.group,
            sample.language,
            sample.encoding,
            sample.length,
            sample.source,
            sample.format,
            result.name.as_deref().unwrap_or("-"),
            result.confidence.as_deref().unwrap_or("-"),
            text.escape_debug()
        );
    }
    list
}

/// The number of right results and of all.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    right: usize,
    total: usize,
}

impl Score {
    fn add(&mut self, result: &DetectorResult) {
        self.right += usize::from(result.is_right);
        self.total += 1;
    }

    /// Returns the percentage of right results, rounded down to the given number of decimals.
    fn percent(self, decimals: usize) -> String {
        if self.total == 0 {
            return "–".to_owned();
        }
        let scale = 10_usize.pow(u32::try_from(decimals).unwrap_or_default());
        let units = self.right * 100 * scale / self.total;
        match decimals {
            0 => units.to_string(),
            _ => format!("{}.{:0decimals$}", units / scale, units % scale),
        }
    }
}

/// Returns the scores of results by a key of their samples, in the order of the keys.
fn scores<'a, K: Ord>(
    samples: &'a [Sample],
    results: &'a [DetectorResult],
    key: impl Fn(&'a Sample, &'a DetectorResult) -> Option<K>,
) -> BTreeMap<K, Score> {
    let mut scores: BTreeMap<K, Score> = BTreeMap::new();
    for (sample, result) in samples.iter().zip(results) {
        if let Some(key) = key(sample, result) {
            scores.entry(key).or_default().add(result);
        }
    }
    scores
}
