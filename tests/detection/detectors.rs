//! The detectors to compare.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use charpipe::detect::Detection;
use charpipe::transcode;

/// Returns the encoding of a sample, if the detector reports one.
pub type DetectorFn = fn(&[u8]) -> Option<String>;

/// The detector of charpipe.
pub const CHARPIPE: DetectorFn =
    |sample| detection(sample).best().map(|best| best.encoding.name().to_owned());

/// Returns what charpipe detects in a sample. Several tests ask for the same ones, so the results are kept.
pub fn detection(mut sample: &[u8]) -> Detection {
    static KNOWN: Mutex<BTreeMap<Vec<u8>, Arc<OnceLock<Detection>>>> = Mutex::new(BTreeMap::new());
    let known = KNOWN.lock().unwrap().entry(sample.to_vec()).or_default().clone();
    known.get_or_init(|| charpipe::detect::detect_reader(&mut sample).unwrap()).clone()
}

/// The `chardetng` crate alone.
pub const CHARDETNG: DetectorFn = |sample| {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    Some(format!("whatwg:{}", detector.guess(None, Utf8Detection::Allow).name()))
};

/// Returns true if a sample decodes to the same text with the detected encoding as with the encoding
/// that it was converted to.
pub fn is_correct(sample: &[u8], encoding: &str, detected: &str) -> bool {
    let detected = match detected {
        // The same text, with decomposed tone marks.
        "whatwg:windows-1258" => "CP1258",
        other => other,
    };
    let expected =
        transcode(encoding, "UTF-8", sample).expect("the sample was converted to this encoding");
    transcode(detected, "UTF-8", sample).is_ok_and(|text| text == expected)
}
