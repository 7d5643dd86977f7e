//! Bytes of input per second, pair by pair, without files and processes: `cargo bench -p xtask --bench throughput`.
//! Each output is first compared with expected output that does not come from this crate.

use std::fmt;
use std::io::{self, Write};

use charpipe::TranscodeOptions;
use charpipe::TranscodeWriter;
use divan::Bencher;
use divan::counter::BytesCount;

#[path = "throughput/encoded_words.rs"]
mod encoded_words;
#[path = "throughput/error_cases.rs"]
mod error_cases;
#[path = "throughput/expected.rs"]
mod expected;
mod text;

/// From, to, and the texts to convert.
const PAIRS: [(&str, &str, &[&str]); 24] = [
    ("utf-8", "utf-8", &["en", "ru", "zh", "emoji"]),
    ("utf-8", "utf-16le", &["en", "ru", "zh", "emoji"]),
    ("utf-16le", "utf-8", &["en", "ru", "zh", "emoji"]),
    ("utf-8", "utf-32le", &["en", "ru", "zh", "emoji"]),
    ("utf-32le", "utf-8", &["en", "ru", "zh", "emoji"]),
    ("utf-8", "utf-7", &["en", "ru", "zh", "emoji"]),
    ("utf-7", "utf-8", &["en", "ru", "zh", "emoji"]),
    ("utf-8", "utf-5", &["en", "ru", "zh", "emoji"]),
    ("utf-5", "utf-8", &["en", "ru", "zh", "emoji"]),
    ("latin1", "utf-8", &["en", "es"]),
    ("utf-8", "latin1", &["en", "es"]),
    ("utf-8", "us-ascii", &["en"]),
    ("koi8-r", "utf-8", &["en", "ru"]),
    ("utf-8", "koi8-r", &["en", "ru"]),
    ("windows-1252", "utf-8", &["fr"]),
    ("utf-8", "windows-1252", &["fr"]),
    ("shift_jis", "utf-8", &["en", "ja"]),
    ("utf-8", "shift_jis", &["en", "ja"]),
    ("iso-2022-jp", "utf-8", &["en", "ja"]),
    ("gb18030", "utf-8", &["en", "zh"]),
    ("utf-8", "gb18030", &["en", "zh"]),
    ("euc-kr", "utf-8", &["en", "ko"]),
    ("utf-8", "euc-kr", &["en", "ko"]),
    ("rfc2047", "utf-8", &["headers"]),
];

/// Header lines of mail, which are converted only from words to text.
const HEADERS: &str = include_str!("text/headers.txt");

/// Bytes of UTF-8 to repeat a text to.
const SIZE: usize = 1 << 20;

/// One line of the report.
struct PairCase {
    from: &'static str,
    to: &'static str,
    text: &'static str,
}

impl fmt::Display for PairCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {} ({})", self.from, self.to, self.text)
    }
}

impl PairCase {
    /// The input and what must come of it: the text, repeated whole, in both encodings.
    fn corpus(&self) -> (Vec<u8>, Vec<u8>) {
        if self.from == "rfc2047" {
            let count = SIZE.div_ceil(HEADERS.len());
            return (
                HEADERS.repeat(count).into(),
                encoded_words::decode_headers(HEADERS).repeat(count).into(),
            );
        }
        let found = text::TEXTS.iter().find(|(name, _)| *name == self.text);
        let (_, text) = found.expect("named in the table");
        let corpus = text.repeat(SIZE.div_ceil(text.len()));
        (expected::encode_text(self.from, &corpus), expected::encode_text(self.to, &corpus))
    }

    fn conversion_options(&self) -> TranscodeOptions {
        let encoding =
            |label: &str| label.parse::<charpipe::EncodingSpec>().expect("named in the table");
        TranscodeOptions::new(encoding(self.from), encoding(self.to))
    }
}

fn cases() -> impl Iterator<Item = PairCase> {
    let case = |from, to| move |&text| PairCase { from, to, text };
    PAIRS.into_iter().flat_map(move |(from, to, texts)| texts.iter().map(case(from, to)))
}

fn convert_into<W: Write>(options: &TranscodeOptions, input: &[u8], sink: W) -> io::Result<W> {
    let mut writer = TranscodeWriter::new(sink, options).map_err(io::Error::other)?;
    writer.write_all(input)?;
    writer.finish()
}

#[divan::bench(args = cases())]
fn convert(bencher: Bencher, case: &PairCase) {
    let ((input, expected), options) = (case.corpus(), case.conversion_options());
    let output = convert_into(&options, &input, Vec::new()).expect("the text is well formed");
    assert!(output == expected, "{case}: wrong output");
    bencher
        .counter(BytesCount::of_slice(&input))
        .bench(|| convert_into(&options, &input, io::sink()));
}

#[divan::bench(args = error_cases::cases())]
fn handle_errors(bencher: Bencher, case: &error_cases::ErrorCase) {
    let (input, options) = (case.input(SIZE), case.conversion_options());
    let output = convert_into(&options, &input, Vec::new()).expect("no error ends it");
    assert!(output == case.output(&input), "{case}: wrong output");
    bencher
        .counter(BytesCount::of_slice(&input))
        .bench(|| convert_into(&options, &input, io::sink()));
}

fn main() {
    divan::main();
}
