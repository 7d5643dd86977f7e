//! Short samples in all languages and encodings of `docs/detection.md`.
//!
//! `benches/detection/fixed.py` wrote `samples.tsv` with encoders that are not those of charpipe. The text
//! is the Universal Declaration of Human Rights, which the United Nations leave free to reproduce.

use charpipe::transcode;

use crate::detectors::CHARPIPE;

const SAMPLES: &str = include_str!("samples.tsv");

/// The percentages of samples of up to 60 and of up to 200 bytes that must be detected correctly.
const MIN_CORRECT: [usize; 2] = [97, 98];

struct ShortSample {
    language: &'static str,
    encoding: &'static str,
    bytes: Vec<u8>,
    text: String,
}

impl ShortSample {
    fn has_text(&self, encoding: &str) -> bool {
        let text = transcode(encoding, "utf-8/nfc", &self.bytes);
        text.is_ok_and(|text| text == self.text.as_bytes())
    }
}

fn samples() -> Vec<ShortSample> {
    let sample = |line: &'static str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, language, encoding, digits, text] = fields[..] else { panic!("{line}") };
        let byte = |pair: &[u8]| {
            let digits = std::str::from_utf8(pair).unwrap();
            u8::from_str_radix(digits, 16).unwrap()
        };
        let bytes = digits.as_bytes().chunks(2).map(byte).collect();
        ShortSample { language, encoding, bytes, text: text.replace("\\n", "\n") }
    };
    SAMPLES.lines().map(sample).collect()
}

#[test]
fn short_samples_are_decoded_to_their_text() {
    for sample in samples() {
        assert!(sample.has_text(sample.encoding), "{} {}", sample.language, sample.encoding);
    }
}

#[test]
fn short_samples_are_detected() {
    let samples = samples();
    assert!(samples.len() >= 350, "only {} samples", samples.len());
    for (short, minimum) in [true, false].into_iter().zip(MIN_CORRECT) {
        let chosen = samples.iter().filter(|sample| (sample.bytes.len() <= 60) == short);
        let (mut correct, mut wrong) = (0, Vec::new());
        for sample in chosen {
            let detected = CHARPIPE(&sample.bytes);
            if detected.as_deref().is_some_and(|name| sample.has_text(name)) {
                correct += 1;
            } else {
                let detected = detected.unwrap_or_default();
                wrong.push(format!("{} {}: {detected}", sample.language, sample.encoding));
            }
        }
        let percent = correct * 100 / (correct + wrong.len());
        println!("short: {short}, {percent} % correct; wrong:\n{}", wrong.join("\n"));
        assert!(percent >= minimum, "short: {short}, {percent} % correct");
    }
}
