//! The results of detectors.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use charpipe::transcode;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::sample::Sample;

/// The other detectors, in the order of the columns.
const OTHERS: [&str; 6] = ["chardet", "charset-normalizer", "icu", "uchardet", "enca", "file"];

/// A detector and its results.
pub struct Detector {
    /// The name and the version.
    pub name: String,
    pub results: Vec<DetectorResult>,
}

/// What a detector says about a sample.
#[derive(Debug, Clone, Default)]
pub struct DetectorResult {
    /// The name of the encoding.
    pub name: Option<String>,
    pub is_right: bool,
    pub confidence: Option<String>,
    /// The probability that the result is right.
    pub probability: Option<f64>,
    pub language: Option<String>,
}

/// Runs `charpipe detect` on files and returns what it prints, by the name of the file.
pub fn detect(program: &Path, arguments: &[&Path]) -> Result<HashMap<String, Value>> {
    let mut command = Command::new(program);
    command.args(["detect", "--json", "--"]).args(arguments).stderr(Stdio::inherit());
    let output = command.output().with_context(|| program.display().to_string())?;
    let mut results = HashMap::new();
    for line in output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line)?;
        if let Some(file) = value["file"].as_str() {
            results.insert(file.to_owned(), value);
        }
    }
    Ok(results)
}

/// Returns the results of charpipe for the samples in a directory.
pub fn charpipe(program: &Path, files: &Path, samples: &[Sample]) -> Result<Vec<DetectorResult>> {
    let results = detect(program, &[files])?;
    let result = |sample: &Sample| {
        let file = files.join(&sample.number);
        let value = results.get(file.to_str()?)?;
        let best = &value["candidates"][0];
        let text = |key: &str| {
            let found = value[key].as_str().or_else(|| best[key].as_str());
            found.map(str::to_owned)
        };
        let name = text("encoding");
        Some(DetectorResult {
            is_right: name.as_deref().is_some_and(|name| is_right(sample, &[name.to_owned()])),
            name: name.or_else(|| text("content")),
            confidence: text("confidence"),
            probability: value["probability"].as_f64().or_else(|| best["probability"].as_f64()),
            language: text("lang").or_else(|| text("language")),
        })
    };
    let results: Option<Vec<DetectorResult>> = samples.iter().map(result).collect();
    results.context("a file has no result of charpipe")
}

/// Returns the encodings with which charpipe decodes some of their own samples to another text, with
/// the numbers of these samples: no detector can be right about them.
pub fn undecodable(samples: &[Sample]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for sample in samples.iter().filter(|sample| sample.set != "utf-8") {
        if !is_right(sample, std::slice::from_ref(&sample.encoding)) {
            *counts.entry(sample.encoding.as_str()).or_default() += 1;
        }
    }
    counts
}

/// Returns the results of the crate `chardetng`.
pub fn chardetng(samples: &[Sample]) -> Vec<DetectorResult> {
    let result = |sample: &Sample| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(&sample.bytes, true);
        let name = detector.guess(None, Utf8Detection::Allow).name();
        DetectorResult {
            is_right: is_right(sample, &[format!("whatwg:{name}")]),
            name: Some(name.to_owned()),
            ..DetectorResult::default()
        }
    };
    samples.iter().map(result).collect()
}

/// Returns the results that `detectors.py` wrote.
pub fn other_detectors(directory: &Path, samples: &[Sample]) -> Result<Vec<Detector>> {
    let mut detectors = Vec::new();
    for name in OTHERS {
        let Ok(list) = fs::read_to_string(directory.join(format!("{name}.tsv"))) else { continue };
        let mut lines = list.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let version = lines.next().context("no version")?[1].to_owned();
        let results: Vec<DetectorResult> =
            samples.iter().zip(lines).map(|(s, l)| other_result(s, &l)).collect();
        ensure!(results.len() == samples.len(), "{name}: not all samples have an result");
        detectors.push(Detector { name: format!("{name} {version}"), results });
    }
    Ok(detectors)
}

/// Returns the result of another detector: right if any program that knows the name decodes the
/// sample to its text.
fn other_result(sample: &Sample, fields: &[&str]) -> DetectorResult {
    let (name, is_right_in_python) = (fields[1], fields[2] == "1");
    let names = [name.to_owned(), format!("whatwg:{name}")];
    let is_utf8 = sample.set == "utf-8";
    DetectorResult {
        is_right: (is_right_in_python && !is_utf8)
            || (!name.is_empty() && is_right(sample, &names)),
        name: Some(name.to_owned()),
        ..DetectorResult::default()
    }
}

/// Returns true if decoding the sample with one of the names gives its text. For files in UTF-8,
/// which may have errors, that is decided by the name.
fn is_right(sample: &Sample, names: &[String]) -> bool {
    if sample.set == "utf-8" {
        return names.iter().any(|name| {
            let name = name.trim_start_matches("whatwg:");
            ["utf-8", "utf-8-sig", "utf_8", "utf8"].contains(&name.to_ascii_lowercase().as_str())
        });
    }
    names.iter().any(|name| {
        let text = transcode(name, "UTF-8", &sample.bytes);
        let text = text.ok().and_then(|text| String::from_utf8(text).ok());
        text.is_some_and(|text| text.nfc().eq(sample.text.chars()))
    })
}
