//! Detectors: samples in, names of encodings out.

use std::path::PathBuf;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use charpipe::transcode;

use crate::watch;

/// Names the encodings of samples, as far as it can.
pub type DetectorFn = fn(&[Vec<u8>]) -> Vec<Option<String>>;

/// Our own.
pub const CHARPIPE: DetectorFn = |samples| {
    let name = |sample: &Vec<u8>| {
        let found = charpipe::detect::detect_reader(&mut sample.as_slice()).unwrap();
        found.best().map(|best| best.encoding.name.to_owned())
    };
    samples.iter().map(name).collect()
};

/// The crate alone.
pub const CHARDETNG: DetectorFn = |samples| {
    let name = |sample: &Vec<u8>| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(sample, true);
        Some(format!("whatwg:{}", detector.guess(None, Utf8Detection::Allow).name()))
    };
    samples.iter().map(name).collect()
};

/// The command of the library of that name.
pub const UCHARDET: DetectorFn = |samples| detect_with_command(samples, "uchardet", &[]);

/// The command file.
pub const FILE: DetectorFn = |samples| detect_with_command(samples, "file", &["--mime-encoding"]);

/// Whether text in one encoding is the same text in the other: what a detector is requested is a
/// name by which the text comes out right. Some of the names are not those of charpipe.
pub fn is_correct(sample: &[u8], encoding: &str, answer: &str) -> bool {
    let answer = match answer {
        "MAC-CYRILLIC" => "CP10007",
        // The same text, with letters and tones apart.
        "whatwg:windows-1258" => "CP1258",
        other => other,
    };
    let expected = transcode(encoding, "UTF-8", sample).expect("it was converted to that");
    transcode(answer, "UTF-8", sample).is_ok_and(|text| text == expected)
}

/// The version of a command, if it is there.
pub fn version(command: &str) -> Option<String> {
    let output = watch::command(command).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let words = text.split_whitespace().flat_map(|word| word.split('-'));
    let number = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    words.clone().find(number).map(str::to_owned)
}

/// What a command says of samples that are given to it as files: `NAME: ANSWER`, line by line.
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
    // With one file alone uchardet leaves the name out.
    let answer = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
    let answers: Vec<_> = text.lines().map(|line| Some(answer(line))).collect();
    assert_eq!(answers.len(), samples.len());
    answers
}
