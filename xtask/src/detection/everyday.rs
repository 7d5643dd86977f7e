//! The section about everyday texts: what the test records, and other detectors.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use xtask::root;

use super::page::{columns, heading, row};
use super::{Measurement, PAGE, Sample};

/// The results of a test for each kind of everyday text.
const RESULTS: &str = "tests/detection/everyday.tsv";

/// The tables with other detectors, as they were written last.
const COMPARISON: &str = "benches/detection/everyday.md";

const HEADING: &str = "## Everyday texts\n";

/// Writes the tables with other detectors, and the section of the page.
pub fn write(measurement: &Measurement) -> Result<()> {
    fs::write(root().join(COMPARISON), tables(measurement)?)?;
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page.split_once(HEADING).context("no section about everyday texts")?;
    let after = rest.find("\n## ").map_or("", |at| &rest[at + 1..]);
    fs::write(path, format!("{before}{}{after}", section()?))?;
    Ok(())
}

/// Returns the section, the worst kind first.
pub fn section() -> Result<String> {
    let file = fs::read_to_string(root().join(RESULTS))?;
    let mut rows: Vec<Vec<&str>> =
        file.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let share = |row: &Vec<&str>| {
        let number = |cell: &str| cell.parse::<f64>().unwrap_or_default();
        number(row[2]) / number(row[1])
    };
    rows.sort_by(|one, other| share(one).total_cmp(&share(other)));
    let mut section = format!(
        "\
{HEADING}
Short texts of several kinds in 40 languages and their usual encodings, written for a test (`tests/detection/everyday.txt`), with which nothing was
trained. `CHARPIPE_BLESS=1 cargo test --test detection everyday` measures them. The columns of confidences
have the correct results and all results:

| kind | texts | correct | certain | likely | guess | uncertain |
|---|---|---|---|---|---|---|
"
    );
    for row in rows {
        let _ = writeln!(section, "| {} |", row.join(" | "));
    }
    section.push('\n');
    section.push_str(&fs::read_to_string(root().join(COMPARISON))?);
    section.push('\n');
    Ok(section)
}

/// Returns the tables of all detectors by kind, length and script.
fn tables(measurement: &Measurement) -> Result<String> {
    let mut tables = String::from(
        "\
The same texts, encoded by Python, and other detectors (`cargo xtask measure-detection DIR --role everyday`), by kind, length in bytes
and script:

",
    );
    heading(&mut tables, &["texts", "number"], measurement);
    let length = |sample: &Sample| match sample.length {
        0..50 => "below 50 bytes",
        50..100 => "50 to 99 bytes",
        _ => "100 bytes and more",
    };
    let keys: [fn(&Sample) -> String; 2] =
        [|sample| sample.source.clone(), |sample| sample.group.clone()];
    let by_length = columns(measurement, |sample| Some(length(sample).to_owned()));
    let by_key = keys.map(|key| columns(measurement, move |sample| Some(key(sample))));
    for scores in [&by_key[0], &by_length, &by_key[1]] {
        let names: BTreeSet<&String> = scores[0].keys().collect();
        for name in names {
            row(&mut tables, scores, name, &[name, &scores[0][name].total]);
        }
    }
    let all = columns(measurement, |_| Some(()));
    row(&mut tables, &all, &(), &[&"all", &all[0][&()].total]);
    Ok(tables)
}
