//! The lists that are tested, and what they decode.

use charpipe::EncodingSpec;

use crate::codec_driver::TestCodec;
use charpipe_test_support::XorShift;

/// Lists of each kind: single-byte, multi-byte and stateful encodings in each position, both units, with
/// and without the check that decoding can be undone.
pub const LISTS: &[&str] = &[
    "utf-8,windows-1252",
    "utf-8,windows-1252:per=line",
    "utf-8,windows-1252,latin1",
    "utf-8,koi8-r:per=line",
    "ascii,utf-8,latin1",
    "ascii,windows-1253,utf-8:per=line",
    "utf-8,gbk",
    "utf-8,gbk:per=run",
    "utf-8,cp932",
    "utf-8,cp932:lossy",
    "utf-8,cp932:per=run",
    "utf-8,big5-hkscs:per=run",
    "utf-8,tcvn",
    "euc-jp,utf-8",
    "gb18030,windows-1252",
    "cp932,euc-jp,latin1:per=line",
    "cp932,euc-jp,latin1:per=run",
    "iso-2022-jp,utf-8",
    "iso-2022-jp,hz,windows-1252",
    "utf-7,windows-1252",
    "hz,utf-8:lossy",
];

/// Returns the encoding of a label.
pub fn spec(label: &str) -> EncodingSpec {
    label.parse().unwrap_or_else(|error| panic!("{label}: {error}"))
}

/// Returns a decoder of a label.
pub fn decoder(label: &str) -> TestCodec {
    let spec = spec(label);
    TestCodec::Decoder(spec.encoding.decoder(&spec.options))
}

/// Text in several encodings, valid, truncated and unassigned sequences, line ends, BOMs.
const FRAGMENTS: &[&[u8]] = &[
    b"a",
    b"plain text ",
    b"\n",
    b"\n",
    b"\r\n",
    b"caf\xC3\xA9",
    b"\xE2\x82\xAC",
    b"\xF0\x9F\x98\x80",
    b"\xE9",
    b"na\xEFve ",
    b"\x93quoted\x94",
    b"\x81",
    b"\x8D\x90",
    b"\xC3",
    b"\xE2\x82",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    // GBK, CP932, EUC-JP, Big5-HKSCS.
    b"\xD6\xD0\xCE\xC4",
    b"\xC4\xA3\xBA\xFD",
    b"\x93\xFA\x96\x7B",
    b"\x87\x9C",
    b"\xFA\x40",
    b"\xB1\xB2",
    b"\xC6\xFC\xCB\xDC",
    b"\x8E\xB1",
    b"\x88\x62",
    b"\x88\x66\x88\x5F",
    // Stateful encodings.
    b"\x1B$BF|K\\\x1B(B",
    b"\x1B$BF|",
    b"\x1B(B",
    b"+AOk-",
    b"~{VPND~}",
    b"~{VP",
    // TCVN: letters that combine with the mark after them.
    b"e\xB4",
    b"\xA9\xB2",
    b"\0",
    b"\x7F",
    b"\xFF",
];

/// Short inputs: every fragment, some pairs, and random rows.
pub fn short_inputs(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = XorShift::new(seed);
    let mut inputs = vec![Vec::new()];
    inputs.extend(FRAGMENTS.iter().map(|fragment| fragment.to_vec()));
    inputs.extend((0..count).map(|_| random.some(6, FRAGMENTS).concat()));
    inputs
}

/// Rows of many fragments.
pub fn long_inputs(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = XorShift::new(seed);
    (0..count).map(|_| random.some(300, FRAGMENTS).concat()).collect()
}

/// Lines and runs about as long as what may be examined.
pub fn window_inputs() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for len in [4090, 4093, 4094, 4095, 4096, 4097, 4100, 8192, 8195] {
        for (filler, end) in [
            (&b"a"[..], &b"\xE9\nb"[..]),
            (b"a", b"\xE9"),
            (b"a", b"\xE2\x82\xAC\n"),
            (b"a", b"\x93\xFA\n\xE9"),
            (b"\xE9", b"\n\xC3\xA9"),
            (b"\xE9", b"\x81\xE9 "),
            (b"\xE9", b"\xC3"),
            (b"\xE9", b"\xC3\xA9"),
            (b"\xD6\xD0", b"\xD6"),
            (b"\xD6\xD0", b"\xC4\xA3\n"),
            (b"\xC3\xA9", b"\xFF\n\xFF"),
        ] {
            let mut input = filler.iter().copied().cycle().take(len).collect::<Vec<u8>>();
            input.extend(end);
            inputs.push(input.clone());
            inputs.push([b"\xE9 \n", &input[..], b"\xE9\n"].concat());
        }
    }
    inputs
}
