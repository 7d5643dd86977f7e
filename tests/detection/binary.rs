//! Binary detection: random bytes are binary, text in any encoding is not.

use charpipe::Encoding;
use charpipe::internals::detect::binary;
use charpipe::internals::detect::{self, Confidence, Content};
use charpipe::transcode;

use crate::corpus::{LENGTHS, language_samples};
use crate::detectors::detection;
use charpipe_test_support::XorShift;

/// The number of random files of each length.
const FILE_COUNT: usize = 1000;

/// The maximum number of [`FILE_COUNT`] random files that may be rewritten: for each length, with a
/// single-byte encoding and with another one. Half of the files of 8 bytes have no control character,
/// so that nothing distinguishes them from text.
const MAX_REWRITTEN: [(usize, usize, usize); 5] =
    [(8, 500, 500), (16, 40, 150), (32, 0, 15), (64, 0, 0), (256, 0, 0)];

const SINGLE_BYTE: [&str; 5] = ["latin1", "cp1252", "cp437", "koi8-r", "cp037"];

const OTHER: [&str; 2] = ["utf-16le", "gb18030"];

#[test]
fn random_files_are_binary_in_every_encoding() {
    let mut random = XorShift::new(0x9E37_79B9_7F4A_7C15);
    for (length, single_byte, other) in MAX_REWRITTEN {
        let files: Vec<_> = (0..FILE_COUNT).map(|_| random_bytes(&mut random, length)).collect();
        let limits = SINGLE_BYTE.map(|name| (name, single_byte));
        for (name, limit) in limits.into_iter().chain(OTHER.map(|name| (name, other))) {
            let encoding = Encoding::lookup(name).unwrap();
            let rewritten = |file: &&Vec<u8>| {
                let reason = binary::scan_reader(&mut file.as_slice(), Some(encoding)).unwrap();
                reason.is_none() && transcode(name, "utf-8", file).is_ok()
            };
            let count = files.iter().filter(rewritten).count();
            println!("{length} bytes, {name}: {count}");
            assert!(count <= limit, "{length} bytes, {name}: {count}");
        }
        let rewritten = |file: &Vec<u8>| {
            let best = detect::detect_reader(&mut file.as_slice()).unwrap().best()?;
            let encoding = best.source_encoding();
            let reason = binary::scan_reader(&mut file.as_slice(), Some(encoding)).unwrap();
            let converted = transcode(encoding.name(), "utf-8", file).is_ok();
            (reason.is_none() && converted).then_some(best.confidence)
        };
        let found: Vec<_> = files.iter().filter_map(rewritten).collect();
        let guess = found.len();
        let likely = found.iter().filter(|found| **found >= Confidence::Likely).count();
        println!("{length} bytes, detect: {guess} as a guess, {likely} as likely");
        assert!(guess <= other && likely <= other / 10, "{length} bytes: {guess} {likely}");
    }
}

#[test]
fn text_in_its_encoding_is_not_binary() {
    for pair in language_samples() {
        let encoding = Encoding::lookup(pair.encoding).unwrap();
        for (sample, (kind, _)) in pair.samples.iter().zip(LENGTHS) {
            for bytes in sample {
                let shown = format!("{} {} {kind} {bytes:?}", pair.language, pair.encoding);
                let reason = binary::scan_reader(&mut bytes.as_slice(), Some(encoding)).unwrap();
                assert_eq!(reason, None, "{shown}");
                assert_ne!(detection(bytes).content, Content::Binary, "{shown}");
            }
        }
    }
}

/// Returns random bytes without NUL.
fn random_bytes(random: &mut XorShift, length: usize) -> Vec<u8> {
    std::iter::repeat_with(|| random.byte()).filter(|byte| *byte != 0).take(length).collect()
}
