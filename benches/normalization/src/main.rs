//! Normalizes texts in memory with charpipe and with icu_normalizer, and prints how many times as fast charpipe is:
//! `cargo run --release --manifest-path benches/normalization/Cargo.toml [FORM] [TEXT]`.
//!
//! Both are called with a slice and return a new buffer. charpipe also checks that the slice is UTF-8. The outputs
//! have to be the same.

use std::hint::black_box;
use std::time::{Duration, Instant};

use charpipe::TranscodeOptions;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

const TEXTS: [(&str, &str); 8] = [
    ("ko", include_str!("../../text/ko.txt")),
    ("vi", include_str!("../../text/vi.txt")),
    ("fr", include_str!("../../text/fr.txt")),
    ("de", include_str!("../../text/de.txt")),
    ("el", include_str!("../../text/el.txt")),
    ("ja", include_str!("../../text/ja.txt")),
    ("ar", include_str!("../../text/ar.txt")),
    ("hi", include_str!("../../text/hi.txt")),
];

/// The lengths of the texts in bytes.
const LENS: [usize; 4] = [16, 256, 64 << 10, 1 << 20];

/// The time of a measurement, unless one call takes longer.
const SAMPLE: Duration = Duration::from_micros(50);

/// The number of measurements of each side, in turns; the shortest counts.
const SAMPLES: usize = 40;

#[derive(Clone, Copy)]
enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

const FORMS: [(&str, Form); 4] =
    [("nfc", Form::Nfc), ("nfd", Form::Nfd), ("nfkc", Form::Nfkc), ("nfkd", Form::Nfkd)];

impl Form {
    /// Normalizes with icu_normalizer.
    fn normalize(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let result = match self {
            Form::Nfc => ComposingNormalizerBorrowed::new_nfc().normalize_to(text, &mut out),
            Form::Nfkc => ComposingNormalizerBorrowed::new_nfkc().normalize_to(text, &mut out),
            Form::Nfd => DecomposingNormalizerBorrowed::new_nfd().normalize_to(text, &mut out),
            Form::Nfkd => DecomposingNormalizerBorrowed::new_nfkd().normalize_to(text, &mut out),
        };
        result.expect("a string accepts all text");
        out
    }
}

/// Returns the text, repeated and cut to at most `len` bytes.
fn text_of_len(text: &str, len: usize) -> String {
    let mut repeated = text.repeat(len.div_ceil(text.len()) + 1);
    let boundary = (0..=len).rev().find(|at| repeated.is_char_boundary(*at));
    repeated.truncate(boundary.unwrap_or(0));
    repeated
}

/// Returns the time of one of `count` calls, in nanoseconds.
fn measure(count: u32, mut call: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        black_box(call());
    }
    start.elapsed().as_nanos() as f64 / f64::from(count)
}

/// Returns the times of a call of charpipe and of icu_normalizer, in nanoseconds.
fn compare(options: &TranscodeOptions, form: Form, text: &str) -> [f64; 2] {
    let mut ours =
        || options.transcode(black_box(text.as_bytes())).map_or(0, |converted| converted.len());
    let mut theirs = || form.normalize(black_box(text)).len();
    let once = measure(3, &mut ours).max(measure(3, &mut theirs));
    let count = (SAMPLE.as_nanos() as f64 / once) as u32 + 1;
    let mut best = [f64::MAX; 2];
    for _ in 0..SAMPLES {
        best[0] = best[0].min(measure(count, &mut ours));
        best[1] = best[1].min(measure(count, &mut theirs));
    }
    best
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_selected = |name: &str, known: &[&str]| {
        let names: Vec<_> = arguments.iter().filter(|one| known.contains(&one.as_str())).collect();
        names.is_empty() || names.iter().any(|one| *one == name)
    };
    let form_names = FORMS.map(|(name, _)| name);
    let text_names = TEXTS.map(|(name, _)| name);
    println!("| Form | Text | MB/s | 16 B | 256 B | 64 KiB | 1 MiB |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    let mut missed = 0;
    for (form_name, form) in FORMS {
        let options = TranscodeOptions::from_labels("utf-8", &format!("utf-8/{form_name}"));
        let options = options.expect("a form");
        for (name, text) in TEXTS {
            if !is_selected(form_name, &form_names) || !is_selected(name, &text_names) {
                continue;
            }
            for (kind, source) in [("composed", Form::Nfc), ("decomposed", Form::Nfd)] {
                let whole = source.normalize(text);
                let texts = LENS.map(|len| text_of_len(&whole, len));
                for text in &texts {
                    let converted = options.transcode(text.as_bytes()).expect("UTF-8");
                    assert!(converted == form.normalize(text).as_bytes(), "{form_name} {name}");
                }
                let times = texts.each_ref().map(|text| compare(&options, form, text));
                let speed = LENS[2] as f64 / times[2][0] * 1e3;
                print!("| {form_name} | {name}, {kind} | {speed:.0} |");
                for [ours, theirs] in times {
                    missed += usize::from(ours > theirs);
                    print!(" {:.2} |", theirs / ours);
                }
                println!();
            }
        }
    }
    println!("\n{missed} ratios are below 1.");
}
