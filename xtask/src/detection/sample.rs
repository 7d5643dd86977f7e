//! The samples.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use unicode_normalization::UnicodeNormalization;

/// A text in an encoding.
pub struct Sample {
    /// The name of the file.
    pub number: String,
    /// What the sample is for: `pair`, `found`, `sign` or `utf-8`.
    pub set: String,
    /// The script group, or within another set what is compared.
    pub group: String,
    pub language: String,
    pub encoding: String,
    /// The nominal length in bytes.
    pub length: usize,
    pub source: String,
    pub format: String,
    pub bytes: Vec<u8>,
    /// The text in NFC.
    pub text: String,
}

impl Sample {
    /// Returns true if the sample is counted in the tables by length, group and pair.
    pub fn is_pair(&self) -> bool {
        self.set == "pair"
    }
}

/// Reads the samples that `samples.py` wrote.
pub fn read(directory: &Path) -> Result<Vec<Sample>> {
    let list = fs::read_to_string(directory.join("samples.tsv"))?;
    let texts = fs::read_to_string(directory.join("texts"))?;
    let mut rest = texts.as_str();
    let mut samples = Vec::new();
    for line in list.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [number, set, group, language, encoding, length, source, format, size] = fields[..]
        else {
            anyhow::bail!("samples.tsv: {line}");
        };
        let (text, others) =
            rest.split_at_checked(size.parse()?).context("texts: shorter than in samples.tsv")?;
        rest = others;
        samples.push(Sample {
            number: number.to_owned(),
            set: set.to_owned(),
            group: group.to_owned(),
            language: language.to_owned(),
            encoding: encoding.to_owned(),
            length: length.parse()?,
            source: source.to_owned(),
            format: format.to_owned(),
            bytes: fs::read(directory.join("files").join(number))?,
            text: text.nfc().collect(),
        });
    }
    ensure!(!samples.is_empty(), "no samples");
    Ok(samples)
}
