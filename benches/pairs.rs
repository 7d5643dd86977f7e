//! Bytes of input per second, pair by pair, without files and processes: `cargo bench --bench
//! pairs`. Each output is first compared with an answer that this crate has no part in.

use std::fmt;
use std::io::{self, Write};

use charpipe::Writer;
use charpipe::plan::Plan;
use divan::Bencher;
use divan::counter::BytesCount;

#[path = "pairs/answer.rs"]
mod answer;
mod text;

/// From, to, and the texts to convert.
const PAIRS: [(&str, &str, &[&str]); 12] = [
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
];

/// Bytes of UTF-8 to repeat a text to.
const SIZE: usize = 1 << 20;

/// One line of the report.
struct Case {
    from: &'static str,
    to: &'static str,
    text: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {} ({})", self.from, self.to, self.text)
    }
}

impl Case {
    /// The text, repeated whole.
    fn corpus(&self) -> String {
        let found = text::TEXTS.iter().find(|(name, _)| *name == self.text);
        let (_, text) = found.expect("named in the table");
        text.repeat(SIZE.div_ceil(text.len()))
    }

    fn plan(&self) -> Plan {
        let encoding = |label: &str| label.parse().expect("named in the table");
        Plan::new(encoding(self.from), encoding(self.to))
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let case = |from, to| move |&text| Case { from, to, text };
    PAIRS.into_iter().flat_map(move |(from, to, texts)| texts.iter().map(case(from, to)))
}

fn through<W: Write>(plan: &Plan, input: &[u8], sink: W) -> io::Result<W> {
    let mut writer = Writer::new(sink, plan).map_err(io::Error::other)?;
    writer.write_all(input)?;
    writer.finish()
}

#[divan::bench(args = cases())]
fn convert(bencher: Bencher, case: &Case) {
    let (corpus, plan) = (case.corpus(), case.plan());
    let input = answer::encoded(case.from, &corpus);
    let output = through(&plan, &input, Vec::new()).expect("the text is well formed");
    assert!(output == answer::encoded(case.to, &corpus), "{case}: wrong output");
    bencher.counter(BytesCount::of_slice(&input)).bench(|| through(&plan, &input, io::sink()));
}

fn main() {
    divan::main();
}
