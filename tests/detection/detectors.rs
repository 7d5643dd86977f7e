//! The detectors to compare.

use std::path::PathBuf;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use charpipe::transcode;

use crate::watch;

/// Returns the encoding of each sample, if the detector reports one.
pub type DetectorFn = fn(&[Vec<u8>]) -> Vec<Option<String>>;

/// The detector of charpipe.
pub const CHARPIPE: DetectorFn = |samples| {
    let name = |sample: &Vec<u8>| {
        let found = charpipe::detect::detect_reader(&mut sample.as_slice()).unwrap();
        found.best().map(|best| best.encoding.name().to_owned())
    };
    samples.iter().map(name).collect()
};

/// The `chardetng` crate alone.
pub const CHARDETNG: DetectorFn = |samples| {
    let name = |sample: &Vec<u8>| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(sample, true);
        Some(format!("whatwg:{}", detector.guess(None, Utf8Detection::Allow).name()))
    };
    samples.iter().map(name).collect()
};

/// The command of the uchardet library.
pub const UCHARDET: DetectorFn = |samples| detect_with_command(samples, "uchardet", &[]);

/// The `file` command.
pub const FILE: DetectorFn = |samples| detect_with_command(samples, "file", &["--mime-encoding"]);

/// Returns true if a sample decodes to the same text with the detected encoding as with the encoding
/// that it was converted to. Some of the names differ from those of charpipe.
pub fn is_correct(sample: &[u8], encoding: &str, detected: &str) -> bool {
    let detected = match detected {
        "MAC-CYRILLIC" => "CP10007",
        // The same text, with decomposed tone marks.
        "whatwg:windows-1258" => "CP1258",
        other => other,
    };
    let expected =
        transcode(encoding, "UTF-8", sample).expect("the sample was converted to this encoding");
    transcode(detected, "UTF-8", sample).is_ok_and(|text| text == expected)
}

/// Returns the version of a command if it is installed.
pub fn version(command: &str) -> Option<String> {
    let output = watch::command(command).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let words = text.split_whitespace().flat_map(|word| word.split('-'));
    let number = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    words.clone().find(number).map(str::to_owned)
}

/// Runs a command on files with the samples and returns the encodings that it prints as
/// `NAME: ENCODING`, one per line.
fn detect_with_command(
    samples: &[Vec<u8>],
    command: &str,
    options: &[&str],
) -> Vec<Option<String>> {
    if samples.is_empty() {
        return Vec::new();
    }
    let directory = tempfile::tempdir().unwrap();
    let names: Vec<PathBuf> =
        (0..samples.len()).map(|number| directory.path().join(number.to_string())).collect();
    for (name, sample) in names.iter().zip(samples) {
        std::fs::write(name, sample).unwrap();
    }
    let output = watch::command(command).args(options).args(&names).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // For a single file uchardet does not print the name.
    let encoding = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
    let detected: Vec<_> = text.lines().map(|line| Some(encoding(line))).collect();
    assert_eq!(detected.len(), samples.len());
    detected
}
