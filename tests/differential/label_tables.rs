//! Every label that another implementation has, against that implementation: what every code
//! decodes to, and what every character encodes to.
//!
//! `label_tables.tsv` has a line for each encoding of an implementation and each encoding of charpipe's
//! that some of its labels resolve to: the two names, the number of codes that decode otherwise,
//! only here, only there, and of characters likewise, the reason, and the labels. Equal tables have
//! `=` and a fingerprint of the table, so that they can be checked where the implementation is
//! missing.
//!
//! A sample is compared by default, of every pair. `CHARPIPE_TEST_EXHAUSTIVE=1` compares whole tables, and
//! with `CHARPIPE_BLESS=1` as well it writes the numbers again; the reasons are kept.

mod fingerprint;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

use charpipe::internals::encoding::{self, alias};

use crate::converters::{
    ConverterProcess, ConverterQuery, ConverterResult, HelperProgram, OtherConverter, QueryMode,
};
use crate::tables::{CellDifference, CellResult, SharedTable};
use charpipe_test_support::missing;
use fingerprint::fingerprint;
pub use reasons::reason_for;

const LABELS_FILE: &str = "tests/differential/label_tables.tsv";

/// An encoding of a converter, and the one that charpipe resolves some of its labels to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelPair {
    pub converter: OtherConverter,
    pub theirs: String,
    pub ours: String,
}

/// A line of the table.
#[derive(Debug, Clone)]
pub struct LabelDifference {
    /// Codes and characters in which the two differ.
    pub counts: [LabelCounts; 2],
    /// The key of the reason; the fingerprint of the table where nothing differs.
    pub reason: String,
    pub labels: BTreeSet<String>,
}

/// Returns the rows of one of two tables, or of both with other contents.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LabelCounts {
    pub different: usize,
    pub only_ours: usize,
    pub only_theirs: usize,
}

impl LabelDifference {
    /// Whether the two tables differ.
    pub fn differs_from_counts(&self) -> bool {
        self.counts != [LabelCounts::default(); 2]
    }
}

impl LabelCounts {
    fn compare(differences: &[CellDifference]) -> LabelCounts {
        let mut count = LabelCounts::default();
        for difference in differences {
            match (&difference.ours, &difference.theirs) {
                (CellResult::Decodes(_), CellResult::Decodes(_)) => count.different += 1,
                (CellResult::Decodes(_), _) => count.only_ours += 1,
                _ => count.only_theirs += 1,
            }
        }
        count
    }

    /// Whether this may be counted in a sample of what has the other count as a whole.
    fn is_part_of(self, whole: LabelCounts) -> bool {
        self.different <= whole.different
            && self.only_ours <= whole.only_ours
            && self.only_theirs <= whole.only_theirs
    }
}

/// The table as it is in the tree.
pub fn table() -> BTreeMap<LabelPair, LabelDifference> {
    let text = fs::read_to_string(path()).unwrap_or_default();
    text.lines()
        .map(|line| parsed(line).unwrap_or_else(|| panic!("{LABELS_FILE}: {line}")))
        .collect()
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(LABELS_FILE)
}

fn parsed(line: &str) -> Option<(LabelPair, LabelDifference)> {
    let [converter, theirs, ours, counts, why, labels] = line.split('\t').collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let converter =
        OtherConverter::ALL.into_iter().find(|known| format!("{known:?}") == converter)?;
    let pair = LabelPair { converter, theirs: theirs.to_owned(), ours: ours.to_owned() };
    let numbers: Vec<usize> = counts.split(' ').filter_map(|count| count.parse().ok()).collect();
    let count =
        |of: &[usize]| LabelCounts { different: of[0], only_ours: of[1], only_theirs: of[2] };
    let counts = match numbers.len() {
        6 => [count(&numbers[..3]), count(&numbers[3..])],
        _ if counts == "=" => [LabelCounts::default(); 2],
        _ => return None,
    };
    let labels = labels.split(' ').map(str::to_owned).collect();
    Some((pair, LabelDifference { counts, reason: why.to_owned(), labels }))
}

fn written(lines: &BTreeMap<LabelPair, LabelDifference>) -> String {
    let mut text = String::new();
    for (LabelPair { converter, theirs, ours }, line) in lines {
        let LabelDifference { counts: [codes, characters], reason: why, labels } = line;
        let numbers = |count: &LabelCounts| {
            format!("{} {} {}", count.different, count.only_ours, count.only_theirs)
        };
        let counts = match line.differs_from_counts() {
            true => format!("{} {}", numbers(codes), numbers(characters)),
            false => "=".to_owned(),
        };
        let labels = Vec::from_iter(labels.iter().map(String::as_str)).join(" ");
        writeln!(text, "{converter:?}\t{theirs}\t{ours}\t{counts}\t{why}\t{labels}").unwrap();
    }
    text
}

fn is_whole() -> bool {
    charpipe_test_support::is_exhaustive()
}

/// Labels of a converter with the canonical names that they resolve to.
fn labels(converters: &mut ConverterProcess, converter: OtherConverter) -> Vec<(String, String)> {
    // Perl has patterns instead of a list: it is requested every label that charpipe has.
    let own: Vec<_> = alias::all().map(|known| known.name()).collect();
    let input = if converter == OtherConverter::Perl { own.join("\n") } else { String::new() };
    let (mode, input) = (QueryMode::Labels, input.as_bytes());
    let result =
        converters.query(&[ConverterQuery { converter, mode, from: "-", to: "-", input }]).pop();
    let Some(ConverterResult::Output(lines)) = result else {
        panic!("{converter} lists no labels")
    };
    let lines = String::from_utf8(lines).unwrap();
    let pair = |line: &str| line.split_once('\t').map(|(one, two)| (one.into(), two.into()));
    lines.lines().filter_map(pair).collect()
}

/// The encodings of the installed converters that charpipe supports too, with the labels of each pair. glibc does
/// not say which of its labels are of one encoding; `tables` compares it.
fn pairs(
    host: HelperProgram,
    converters: &mut ConverterProcess,
) -> BTreeMap<LabelPair, BTreeSet<String>> {
    let mut pairs: BTreeMap<LabelPair, BTreeSet<String>> = BTreeMap::new();
    for &converter in
        host.converters().iter().filter(|converter| **converter != OtherConverter::Glibc)
    {
        if !converters.is_as_measured(converter) {
            missing(&converter.to_string());
            continue;
        }
        for (label, theirs) in labels(converters, converter) {
            if let Ok(found) = encoding::lookup_label(&label) {
                let pair = LabelPair { converter, theirs, ours: found.name().to_owned() };
                pairs.entry(pair).or_default().insert(label);
            }
        }
    }
    pairs
}

/// The codes and characters in which the two of a pair differ.
fn compared(pair: &LabelPair, converters: &mut ConverterProcess) -> [Vec<CellDifference>; 2] {
    let (most, steps) = if is_whole() { (0x1_0000, (1, 61)) } else { (1500, (37, 37 * 61)) };
    let shared = SharedTable {
        encoding: encoding::for_label(&pair.ours).unwrap(),
        converter: pair.converter,
        theirs: pair.theirs.clone().into(),
        max_len: most,
        steps,
    };
    let codes = shared.decoding(converters).unwrap();
    let mut characters = shared.encoding(converters).unwrap();
    characters.retain(|difference| !is_dropped(difference));
    [codes, characters]
}

/// Whether the converter writes nothing for a character that charpipe refuses: the page of disagreements
/// has that as a whole.
fn is_dropped(difference: &CellDifference) -> bool {
    let refuses = !matches!(difference.ours, CellResult::Decodes(_));
    refuses && difference.theirs == CellResult::Decodes(Vec::new())
}

/// Compares the pairs of a host on all processors. Nothing where the host is missing.
fn all_compared(
    host: HelperProgram,
) -> BTreeMap<LabelPair, (BTreeSet<String>, [Vec<CellDifference>; 2])> {
    let Some(pairs) = ConverterProcess::of(host).map(|mut converters| pairs(host, &mut converters))
    else {
        return BTreeMap::new();
    };
    let pairs: Vec<_> = pairs.into_iter().collect();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        let Some(mut converters) = ConverterProcess::of(host) else { return };
        while let Some((pair, labels)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = compared(pair, &mut converters);
            all.lock().unwrap().insert(pair.clone(), (labels.clone(), found));
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..processors).for_each(|_| drop(scope.spawn(work))));
    all.into_inner().unwrap()
}

fn agrees_with_the_table(host: HelperProgram) {
    // One after the other: each uses all processors, and may write the table.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut table = table();
    let bless = is_whole() && env::var_os("CHARPIPE_BLESS").is_some();
    let mut wrong = Vec::new();
    let found = all_compared(host);
    let present: BTreeSet<OtherConverter> = found.keys().map(|pair| pair.converter).collect();
    table
        .retain(|pair, _| !present.contains(&pair.converter) || found.contains_key(pair) || !bless);
    for (pair, (labels, differences)) in &found {
        let counts = [LabelCounts::compare(&differences[0]), LabelCounts::compare(&differences[1])];
        let known = table.get(pair);
        let agrees = known.is_some_and(|line| {
            let parts = counts.iter().zip(line.counts);
            line.labels == *labels
                && if is_whole() {
                    counts == line.counts
                } else {
                    parts.into_iter().all(|(count, whole)| count.is_part_of(whole))
                }
        });
        if !agrees {
            let first: Vec<_> = differences.iter().flat_map(|all| all.iter().take(4)).collect();
            wrong.push(format!("{pair:?} {labels:?} {counts:?} {first:02X?}"));
        }
        if bless {
            let equal = counts == [LabelCounts::default(); 2];
            let kept =
                known.map(|line| line.reason.clone()).filter(|why| reason_for(why).is_some());
            let why = if equal { fingerprint(&pair.ours) } else { kept.unwrap_or("?".into()) };
            table.insert(
                pair.clone(),
                LabelDifference { counts, reason: why, labels: labels.clone() },
            );
        }
    }
    if bless {
        fs::write(path(), written(&table)).unwrap();
        return;
    }
    for pair in table.keys().filter(|pair| present.contains(&pair.converter)) {
        if !found.contains_key(pair) {
            wrong.push(format!("{pair:?} is in {LABELS_FILE} only"));
        }
    }
    let first = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{} pairs are not as {LABELS_FILE} says:\n{first}", wrong.len());
}

#[test]
fn labels_of_icu_and_python_have_their_tables() {
    agrees_with_the_table(HelperProgram::Python);
}

#[test]
fn labels_of_perl_have_their_tables() {
    agrees_with_the_table(HelperProgram::Perl);
}

#[test]
fn labels_of_java_have_their_tables() {
    agrees_with_the_table(HelperProgram::Java);
}

#[test]
fn label_differences_hold_without_other_converters() {
    let mut prints: BTreeMap<String, String> = BTreeMap::new();
    for (pair, line) in table() {
        for label in &line.labels {
            let found = encoding::for_label(label).map(|found| found.name());
            assert_eq!(found, Some(&*pair.ours), "{label} of {}", pair.converter);
        }
        if !line.differs_from_counts() {
            let print = prints.entry(pair.ours.clone()).or_insert_with(|| fingerprint(&pair.ours));
            assert_eq!(*print, line.reason, "{pair:?}");
        } else {
            assert!(reason_for(&line.reason).is_some(), "{pair:?} needs a reason");
        }
    }
}

#[test]
fn labels_of_glibc_mean_the_same_encoding() {
    const LABELS: &str = include_str!("../data/names/glibc-2.36.txt");
    let Some(mut converters) = ConverterProcess::start()
        .filter(|converters| converters.is_as_measured(OtherConverter::Glibc))
    else {
        return missing(&OtherConverter::Glibc.to_string());
    };
    let one: Vec<Vec<u8>> = (0..=0xFF).map(|byte| vec![byte]).collect();
    let two = (0..=0xFFFF_u16).step_by(257).map(|two| two.to_be_bytes().to_vec());
    let codes: Vec<Vec<u8>> = one.into_iter().chain(two).collect();
    let mut known = BTreeMap::new();
    let mut wrong = Vec::new();
    for label in LABELS.lines().map(|label| label.trim_end_matches('/')) {
        let Ok(found) = encoding::lookup_label(label) else { continue };
        let results = converters.supported_units(OtherConverter::Glibc, label, "UTF-8", &codes);
        let Some(results) = results else { continue };
        let (first, expected) =
            known.entry(found.name()).or_insert_with(|| (label, results.clone()));
        if *expected != results {
            wrong.push(format!("{label} and {first} are {}", found.name()));
        }
    }
    assert!(known.len() > 200 || known.is_empty(), "{} encodings", known.len());
    assert_eq!(wrong, Vec::<String>::new());
}
