//! The page of results.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write};
use std::fs;

use anyhow::Result;
use xtask::root;

use super::{Measurement, Score, everyday, scores};

const INTRODUCTION: &str = "\
# Detection

Accuracy of `charpipe detect`, compared with other detectors. Two commands make this page:

```sh
cargo xtask fetch-texts DIR         # downloads packages of Debian, PyPI and npm, and extracts their texts
cargo xtask measure-detection DIR   # converts the texts to samples, runs the detectors, and writes the page
```

The samples are cut from texts that nothing was trained or tuned with: the training, tuning and test texts are those of
different projects ([sources](#sources)), and lines of the test texts that also occur in the others are omitted. A sample
begins with a word and ends with a whole character. Samples are taken from the sources in turn. The encoders are those of
Python and, for encodings that it does not have, of glibc. Unmappable characters are replaced where writers do so (`“` by
`\"`, Romanian `ș` by `ş`); lines with others are omitted, and so are samples that are entirely ASCII. Three of ten samples
of at least 100 bytes are put into the form of a mail, subtitles, CSV or a program; HTML and source files keep their markup.

A result is correct if decoding the sample with it gives the text, in NFC: windows-1252 is correct for ISO-8859-1 if no byte
makes a difference. The names that other detectors report are interpreted as names of charpipe, of the WHATWG or of
Python, whichever decodes the sample correctly. All detectors are given only the bytes; enca also requires the language
(`-L`).

Some samples have no evidence of their encoding: Romanian in ISO-8859-16 without quotation marks is the same bytes as in
ISO-8859-2 or windows-1250, in which it is far more common, so that these are reported. Code pages of EBCDIC differ only in
punctuation and accented letters; text without them is reported as IBM037, or IBM1047 if its lines end with NEL.

";

pub type Columns<K> = Vec<BTreeMap<K, Score>>;

/// Returns the page.
pub fn page(measurement: &Measurement) -> Result<String> {
    let mut page = INTRODUCTION.to_owned();
    by_length(&mut page, measurement);
    by_group(&mut page, measurement);
    wrong_results(&mut page, measurement);
    by_form(&mut page, measurement);
    page.push_str(&everyday::section()?);
    confidence(&mut page, measurement);
    language(&mut page, measurement);
    false_positives(&mut page, measurement);
    rare_encodings(&mut page, measurement);
    speed(&mut page, measurement);
    pairs(&mut page, measurement);
    sources(&mut page)?;
    Ok(page)
}

pub fn heading(page: &mut String, first: &[&str], measurement: &Measurement) {
    let names = measurement.detectors.iter().map(|detector| detector.name.as_str());
    let cells: Vec<&str> = first.iter().copied().chain(names).collect();
    let _ = writeln!(page, "| {} |\n|{}", cells.join(" | "), "---|".repeat(cells.len()));
}

pub fn columns<'a, K: Ord>(
    measurement: &'a Measurement,
    key: impl Fn(&'a super::Sample) -> Option<K>,
) -> Columns<K> {
    let scores = |detector: &'a super::Detector| {
        scores(&measurement.samples, &detector.results, |sample, _| key(sample))
    };
    measurement.detectors.iter().map(scores).collect()
}

pub fn row<K: Ord>(page: &mut String, columns: &Columns<K>, key: &K, first: &[&dyn Display]) {
    for cell in first {
        let _ = write!(page, "| {cell} ");
    }
    for column in columns {
        let score = column.get(key).copied().unwrap_or_default();
        let _ = write!(page, "| {} ", score.percent(1));
    }
    page.push_str("|\n");
}

/// Returns the key of the sum of all samples of at least 100 bytes: a length that none has.
const FROM_100: usize = usize::MAX;

fn by_length(page: &mut String, measurement: &Measurement) {
    let pairs: BTreeSet<_> = measurement
        .samples
        .iter()
        .filter(|sample| sample.is_pair())
        .map(|sample| (&sample.language, &sample.encoding))
        .collect();
    let samples = measurement.samples.iter().filter(|sample| sample.is_pair()).count();
    let _ = writeln!(
        page,
        "## By length\n\n{samples} samples in {} pairs of a language and an encoding. All tables show the percentage of correct results.\n",
        pairs.len()
    );
    heading(page, &["bytes", "samples"], measurement);
    let by_length = columns(measurement, |sample| sample.is_pair().then_some(sample.length));
    for (length, score) in &by_length[0] {
        row(page, &by_length, length, &[length, &score.total]);
    }
    let long = columns(measurement, |sample| {
        (sample.is_pair() && sample.length >= 100).then_some(FROM_100)
    });
    row(page, &long, &FROM_100, &[&"100 and more", &long[0][&FROM_100].total]);
    page.push('\n');
}

fn by_group(page: &mut String, measurement: &Measurement) {
    page.push_str(
        "## By script\n\n![Correct results by script and detector](images/detection.svg)\n\n",
    );
    for (title, minimum, maximum) in
        [("20 and 50 bytes", 0, 99), ("100 bytes and more", 100, usize::MAX)]
    {
        let _ = writeln!(page, "Samples of {title}:\n");
        heading(page, &["group", "samples"], measurement);
        let groups = columns(measurement, |sample| {
            let is_in = (minimum..=maximum).contains(&sample.length);
            (sample.is_pair() && is_in).then_some(sample.group.as_str())
        });
        for (group, score) in &groups[0] {
            row(page, &groups, group, &[group, &score.total]);
        }
        page.push('\n');
    }
}

fn by_form(page: &mut String, measurement: &Measurement) {
    page.push_str("## By form and source\n\nSamples of all lengths:\n\n");
    heading(page, &["form", "samples"], measurement);
    let forms = columns(measurement, |sample| sample.is_pair().then_some(sample.format.as_str()));
    for (form, score) in &forms[0] {
        row(page, &forms, form, &[form, &score.total]);
    }
    page.push('\n');
    heading(page, &["source", "samples"], measurement);
    let sources = columns(measurement, |sample| sample.is_pair().then_some(sample.source.as_str()));
    for (source, score) in &sources[0] {
        row(page, &sources, source, &[source, &score.total]);
    }
    page.push('\n');
}

/// Fewer correct results of a pair are explained, in percent.
const EXPLAINED_BELOW: usize = 97;

/// The number of wrong results of a pair that are listed.
const MAX_LISTED_RESULTS: usize = 3;

/// Lists the pairs with many wrong results from 100 bytes on, and what these are.
fn wrong_results(page: &mut String, measurement: &Measurement) {
    let mut pairs: BTreeMap<_, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for (sample, result) in measurement.samples.iter().zip(&measurement.detectors[0].results) {
        if sample.is_pair() && sample.length >= 100 {
            let (total, wrong) = pairs.entry((&sample.language, &sample.encoding)).or_default();
            *total += 1;
            if !result.is_right {
                *wrong.entry(result.name.as_deref().unwrap_or("none")).or_default() += 1;
            }
        }
    }
    let _ = writeln!(
        page,
        "Pairs with less than {EXPLAINED_BELOW} % of the samples of 100 bytes and more, and the most frequent of the other results. The \
        letters of these languages are the same bytes in the encoding that is reported, but for those that are rare in the sample \
        (`š` and `ž` in Estonian) or for signs (the quotation marks of ISO-8859-16), or a sample has hardly any letters beside ASCII:\n\n\
        | language | encoding | samples | correct | other results |\n|---|---|---|---|---|"
    );
    for ((language, encoding), (total, wrong)) in pairs {
        let correct = total - wrong.values().sum::<usize>();
        if correct * 100 >= total * EXPLAINED_BELOW {
            continue;
        }
        let mut wrong: Vec<_> = wrong.into_iter().collect();
        wrong.sort_by_key(|(_, count)| Reverse(*count));
        let listed = wrong.iter().take(MAX_LISTED_RESULTS);
        let listed: Vec<_> = listed.map(|(name, count)| format!("{name}: {count}")).collect();
        let percent = correct as f64 * 100.0 / total as f64;
        let listed = listed.join(", ");
        let _ = writeln!(page, "| {language} | {encoding} | {total} | {percent:.1} | {listed} |");
    }
    page.push('\n');
}

/// The bounds of the classes of probability.
const CLASSES: [f64; 14] =
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999];

fn confidence(page: &mut String, measurement: &Measurement) {
    let charpipe = &measurement.detectors[0];
    page.push_str(
        "## Confidence\n\nThe results of charpipe by their confidence, for the samples of the tables above:\n\n\
        | confidence | results | correct |\n|---|---|---|\n",
    );
    let levels = scores(&measurement.samples, &charpipe.results, |sample, result| {
        let level = result.confidence.clone().unwrap_or_else(|| "(none)".to_owned());
        sample.is_pair().then_some(level)
    });
    for (level, score) in &levels {
        let _ = writeln!(page, "| {level} | {} | {} |", score.total, score.percent(2));
    }
    let classes = scores(&measurement.samples, &charpipe.results, |sample, result| {
        let probability = result.probability.filter(|_| sample.is_pair())?;
        CLASSES.iter().rposition(|&bound| bound <= probability)
    });
    if !classes.is_empty() {
        page.push_str(
            "\nThe same by the `probability` of the result, with its mean in each class:\n\n\
            ![Correct results by probability](images/reliability.svg)\n\n\
            | probability | results | mean probability | correct |\n|---|---|---|---|\n",
        );
    }
    for (class, score) in &classes {
        let upper = CLASSES.get(class + 1).copied().unwrap_or(1.0);
        let probabilities: Vec<f64> = measurement
            .samples
            .iter()
            .zip(&charpipe.results)
            .filter(|(sample, _)| sample.is_pair())
            .filter_map(|(_, result)| result.probability)
            .filter(|number| CLASSES.iter().rposition(|bound| bound <= number) == Some(*class))
            .collect();
        let mean = probabilities.iter().sum::<f64>() / probabilities.len() as f64;
        let _ = writeln!(
            page,
            "| {}–{upper} | {} | {:.2} | {} |",
            CLASSES[*class],
            score.total,
            mean * 100.0,
            score.percent(2)
        );
    }
    page.push('\n');
}

fn language(page: &mut String, measurement: &Measurement) {
    let mut scores: BTreeMap<usize, Score> = BTreeMap::new();
    for (sample, result) in measurement.samples.iter().zip(&measurement.detectors[0].results) {
        let Some(language) = result.language.as_deref().filter(|_| sample.is_pair()) else {
            continue;
        };
        let base = |language: &str| language.split('-').next().unwrap_or_default().to_owned();
        let score = scores.entry(sample.length).or_default();
        score.right += usize::from(base(language) == base(&sample.language));
        score.total += 1;
    }
    if scores.is_empty() {
        return;
    }
    page.push_str("## Language\n\nThe language that charpipe reports, of all results that have one:\n\n| bytes | results | correct |\n|---|---|---|\n");
    for (length, score) in scores {
        let _ = writeln!(page, "| {length} | {} | {} |", score.total, score.percent(1));
    }
    page.push('\n');
}

fn false_positives(page: &mut String, measurement: &Measurement) {
    page.push_str("## False positives\n\nFiles in UTF-8 that are detected as UTF-8:\n\n");
    heading(page, &["file", "files"], measurement);
    let files =
        columns(measurement, |sample| (sample.set == "utf-8").then_some(sample.group.as_str()));
    for (kind, score) in &files[0] {
        let kind_text = match *kind {
            "cut" => "cut inside a character",
            "malformed" => "with one malformed byte",
            _ => "whole",
        };
        row(page, &files, kind, &[&kind_text, &score.total]);
    }
    page.push_str("\nWestern text of ten languages, up to 210 bytes, with one of these signs, in windows-1252 and ISO-8859-15:\n\n");
    heading(page, &["sign", "samples"], measurement);
    let signs =
        columns(measurement, |sample| (sample.set == "sign").then_some(sample.group.as_str()));
    for (sign, score) in &signs[0] {
        row(page, &signs, sign, &[sign, &score.total]);
    }
    if let Some(binaries) = &measurement.binaries {
        let kinds: Vec<String> = binaries
            .kinds
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let _ = writeln!(
            page,
            "\nOf {} binary files of installed packages ({}), {} are detected as text in a legacy encoding and {} as ASCII or UTF-8.",
            binaries.total,
            kinds.join(", "),
            binaries.legacy.len(),
            binaries.other_text
        );
        for (file, encoding) in &binaries.legacy {
            eprintln!("binary: {file}: {encoding}");
        }
    }
    page.push('\n');
}

fn rare_encodings(page: &mut String, measurement: &Measurement) {
    page.push_str("## Rare encodings\n\nSamples of 200 bytes:\n\n");
    heading(page, &["encoding", "samples"], measurement);
    let found =
        columns(measurement, |sample| (sample.set == "found").then_some(sample.group.as_str()));
    for (encoding, score) in &found[0] {
        row(page, &found, encoding, &[encoding, &score.total]);
    }
    page.push('\n');
}

fn speed(page: &mut String, measurement: &Measurement) {
    if measurement.speeds.is_empty() {
        return;
    }
    page.push_str("## Speed\n\n`charpipe detect` for a file of 256 MiB, by CPU time, with the time of reading it from the cache of the system:\n\n| text | MB/s |\n|---|---|\n");
    for speed in &measurement.speeds {
        let _ = writeln!(
            page,
            "| {} {} | {:.0} |",
            speed.language, speed.encoding, speed.megabytes_per_second
        );
    }
    page.push('\n');
}

fn pairs(page: &mut String, measurement: &Measurement) {
    page.push_str(
        "## By language and encoding\n\nFor charpipe, the percentages for 20, 50, 100, 500 and 5000 bytes. For the others, the percentage of \
        all lengths.\n\n",
    );
    heading(page, &["language", "encoding"], measurement);
    let key = |sample: &super::Sample| (sample.language.clone(), sample.encoding.clone());
    let all = columns(measurement, |sample| sample.is_pair().then(|| key(sample)));
    let by_length = scores(&measurement.samples, &measurement.detectors[0].results, |sample, _| {
        sample.is_pair().then(|| (key(sample), sample.length))
    });
    let mut seen = BTreeSet::new();
    for sample in measurement.samples.iter().filter(|sample| sample.is_pair()) {
        let key = key(sample);
        if !seen.insert(key.clone()) {
            continue;
        }
        let cells: Vec<String> = [20, 50, 100, 500, 5000]
            .iter()
            .map(|&length| {
                by_length.get(&(key.clone(), length)).copied().unwrap_or_default().percent(0)
            })
            .collect();
        let others: Vec<String> = all[1..]
            .iter()
            .map(|column| column.get(&key).copied().unwrap_or_default().percent(0))
            .collect();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            key.0,
            key.1,
            cells.join(" "),
            others.join(" | ")
        );
    }
    page.push('\n');
}

/// Lists the sources of `benches/detection/sources.toml`.
fn sources(page: &mut String) -> Result<()> {
    page.push_str(
        "## Sources\n\nThe texts are not part of charpipe: only statistics of the training texts are. \
        `benches/detection/sources.toml` lists the packages.\n\n\
        | use | source | text | packages of | license |\n|---|---|---|---|---|\n",
    );
    let list = fs::read_to_string(root().join("benches/detection/sources.toml"))?;
    for source in list.split("[[source]]").skip(1) {
        let value = |key: &str| {
            let line = source.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        let kind = match value("kind").as_str() {
            "deb" => "Debian",
            "pypi" => "PyPI",
            _ => "npm",
        };
        let (role, name) = (value("role"), value("name"));
        let (about, license) = (value("about"), value("license"));
        let _ = writeln!(page, "| {role} | {name} | {about} | {kind} | {license} |");
    }
    Ok(())
}
