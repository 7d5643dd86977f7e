//! Every label that another implementation has, against that implementation: what every code
//! decodes to, and what every character encodes to.
//!
//! `labels.tsv` has a line for each encoding of an implementation and each encoding of charpipe's
//! that some of its labels resolve to: the two names, the number of codes that decode otherwise,
//! only here, only there, and of characters likewise, the reason, and the labels. Equal tables have
//! `=` and a fingerprint of the table, so that they can be checked where the implementation is
//! missing.
//!
//! A sample is compared by default, of every pair. `CHARPIPE_TEST_WHOLE=1` compares whole tables, and
//! with `CHARPIPE_BLESS=1` as well it writes the numbers anew; the reasons are kept.

mod fingerprint;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

use charpipe::charset::{self, name};

use crate::peers::{Answer, Host, Mode, Peer, Peers, Question, skipped};
use crate::tables::{Difference, Shared, Verdict};
use fingerprint::fingerprint;
pub use reasons::reason;

const FILE: &str = "tests/oracle/labels.tsv";

/// An encoding of a peer, and the one that charpipe resolves some of its labels to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub peer: Peer,
    pub theirs: String,
    pub ours: String,
}

/// A line of the table.
#[derive(Debug, Clone)]
pub struct Line {
    /// Codes and characters in which the two differ.
    pub counts: [Count; 2],
    /// The key of the reason; the fingerprint of the table where nothing differs.
    pub why: String,
    pub labels: BTreeSet<String>,
}

/// What there is in one of two tables, or in both with other contents.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub otherwise: usize,
    pub here: usize,
    pub there: usize,
}

impl Line {
    /// Whether the two tables differ.
    pub fn differs(&self) -> bool {
        self.counts != [Count::default(); 2]
    }
}

impl Count {
    fn of(differences: &[Difference]) -> Count {
        let mut count = Count::default();
        for difference in differences {
            match (&difference.ours, &difference.theirs) {
                (Verdict::Gives(_), Verdict::Gives(_)) => count.otherwise += 1,
                (Verdict::Gives(_), _) => count.here += 1,
                _ => count.there += 1,
            }
        }
        count
    }

    /// Whether this may be counted in a sample of what has the other count as a whole.
    fn is_part_of(self, whole: Count) -> bool {
        self.otherwise <= whole.otherwise && self.here <= whole.here && self.there <= whole.there
    }
}

/// The table as it is in the tree.
pub fn table() -> BTreeMap<Pair, Line> {
    let text = fs::read_to_string(path()).unwrap_or_default();
    text.lines().map(|line| parsed(line).unwrap_or_else(|| panic!("{FILE}: {line}"))).collect()
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE)
}

fn parsed(line: &str) -> Option<(Pair, Line)> {
    let [peer, theirs, ours, counts, why, labels] = line.split('\t').collect::<Vec<_>>()[..] else {
        return None;
    };
    let peer = Peer::ALL.into_iter().find(|known| format!("{known:?}") == peer)?;
    let pair = Pair { peer, theirs: theirs.to_owned(), ours: ours.to_owned() };
    let numbers: Vec<usize> = counts.split(' ').filter_map(|count| count.parse().ok()).collect();
    let count = |of: &[usize]| Count { otherwise: of[0], here: of[1], there: of[2] };
    let counts = match numbers.len() {
        6 => [count(&numbers[..3]), count(&numbers[3..])],
        _ if counts == "=" => [Count::default(); 2],
        _ => return None,
    };
    let labels = labels.split(' ').map(str::to_owned).collect();
    Some((pair, Line { counts, why: why.to_owned(), labels }))
}

fn written(lines: &BTreeMap<Pair, Line>) -> String {
    let mut text = String::new();
    for (Pair { peer, theirs, ours }, line) in lines {
        let Line { counts: [codes, characters], why, labels } = line;
        let numbers = |count: &Count| format!("{} {} {}", count.otherwise, count.here, count.there);
        let counts = match line.differs() {
            true => format!("{} {}", numbers(codes), numbers(characters)),
            false => "=".to_owned(),
        };
        let labels = Vec::from_iter(labels.iter().map(String::as_str)).join(" ");
        writeln!(text, "{peer:?}\t{theirs}\t{ours}\t{counts}\t{why}\t{labels}").unwrap();
    }
    text
}

fn is_whole() -> bool {
    env::var_os("CHARPIPE_TEST_WHOLE").is_some()
}

/// Labels of a peer with the canonical names that they stand for.
fn labels(peers: &mut Peers, peer: Peer) -> Vec<(String, String)> {
    // Perl has patterns instead of a list: it is asked for every label that charpipe has.
    let own: Vec<_> = name::all().map(|known| known.name).collect();
    let input = if peer == Peer::Perl { own.join("\n") } else { String::new() };
    let (mode, input) = (Mode::Labels, input.as_bytes());
    let answer = peers.ask(&[Question { peer, mode, from: "-", to: "-", input }]).pop();
    let Some(Answer::Gives(lines)) = answer else { panic!("{peer} lists no labels") };
    let lines = String::from_utf8(lines).unwrap();
    let pair = |line: &str| line.split_once('\t').map(|(one, two)| (one.into(), two.into()));
    lines.lines().filter_map(pair).collect()
}

/// What the peers of a host have that charpipe has as well, with the labels of each pair. glibc does
/// not say which of its labels are of one encoding; `tables` compares it.
fn pairs(host: Host, peers: &mut Peers) -> BTreeMap<Pair, BTreeSet<String>> {
    let mut pairs: BTreeMap<Pair, BTreeSet<String>> = BTreeMap::new();
    for &peer in host.peers().iter().filter(|peer| **peer != Peer::Glibc) {
        if !peers.is_as_measured(peer) {
            skipped(&format!("{peer} is not here"));
            continue;
        }
        for (label, theirs) in labels(peers, peer) {
            if let Ok(found) = charset::resolve(&label) {
                let pair = Pair { peer, theirs, ours: found.name.to_owned() };
                pairs.entry(pair).or_default().insert(label);
            }
        }
    }
    pairs
}

/// The codes and characters in which the two of a pair differ.
fn compared(pair: &Pair, peers: &mut Peers) -> [Vec<Difference>; 2] {
    let (most, steps) = if is_whole() { (0x1_0000, (1, 61)) } else { (1500, (37, 37 * 61)) };
    let shared = Shared {
        charset: charset::find(&pair.ours).unwrap(),
        peer: pair.peer,
        theirs: pair.theirs.clone().into(),
        most,
        steps,
    };
    let codes = shared.decoding(peers).unwrap();
    let mut characters = shared.encoding(peers).unwrap();
    characters.retain(|difference| !is_dropped(difference));
    [codes, characters]
}

/// Whether the peer writes nothing for a character that charpipe refuses: the page of disagreements
/// has that as a whole.
fn is_dropped(difference: &Difference) -> bool {
    let refuses = !matches!(difference.ours, Verdict::Gives(_));
    refuses && difference.theirs == Verdict::Gives(Vec::new())
}

/// Compares the pairs of a host on all processors. Nothing where the host is missing.
fn all_compared(host: Host) -> BTreeMap<Pair, (BTreeSet<String>, [Vec<Difference>; 2])> {
    let Some(pairs) = Peers::of(host).map(|mut peers| pairs(host, &mut peers)) else {
        return BTreeMap::new();
    };
    let pairs: Vec<_> = pairs.into_iter().collect();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        let Some(mut peers) = Peers::of(host) else { return };
        while let Some((pair, labels)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = compared(pair, &mut peers);
            all.lock().unwrap().insert(pair.clone(), (labels.clone(), found));
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..processors).for_each(|_| drop(scope.spawn(work))));
    all.into_inner().unwrap()
}

fn agrees_with_the_table(host: Host) {
    // One after the other: each uses all processors, and may write the table.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut table = table();
    let bless = is_whole() && env::var_os("CHARPIPE_BLESS").is_some();
    let mut wrong = Vec::new();
    let found = all_compared(host);
    let present: BTreeSet<Peer> = found.keys().map(|pair| pair.peer).collect();
    table.retain(|pair, _| !present.contains(&pair.peer) || found.contains_key(pair) || !bless);
    for (pair, (labels, differences)) in &found {
        let counts = [Count::of(&differences[0]), Count::of(&differences[1])];
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
            let equal = counts == [Count::default(); 2];
            let kept = known.map(|line| line.why.clone()).filter(|why| reason(why).is_some());
            let why = if equal { fingerprint(&pair.ours) } else { kept.unwrap_or("?".into()) };
            table.insert(pair.clone(), Line { counts, why, labels: labels.clone() });
        }
    }
    if bless {
        fs::write(path(), written(&table)).unwrap();
        return;
    }
    for pair in table.keys().filter(|pair| present.contains(&pair.peer)) {
        if !found.contains_key(pair) {
            wrong.push(format!("{pair:?} is in {FILE} only"));
        }
    }
    let first = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{} pairs are not as {FILE} says:\n{first}", wrong.len());
}

#[test]
fn every_label_of_icu_and_python_has_the_table_they_mean() {
    agrees_with_the_table(Host::Python);
}

#[test]
fn every_label_of_perl_has_the_table_it_means() {
    agrees_with_the_table(Host::Perl);
}

#[test]
fn every_label_of_java_has_the_table_it_means() {
    agrees_with_the_table(Host::Java);
}

#[test]
fn every_line_of_the_table_of_labels_holds_without_the_peers() {
    let mut prints: BTreeMap<String, String> = BTreeMap::new();
    for (pair, line) in table() {
        for label in &line.labels {
            let found = charset::find(label).map(|found| found.name);
            assert_eq!(found, Some(&*pair.ours), "{label} of {}", pair.peer);
        }
        if !line.differs() {
            let print = prints.entry(pair.ours.clone()).or_insert_with(|| fingerprint(&pair.ours));
            assert_eq!(*print, line.why, "{pair:?}");
        } else {
            assert!(reason(&line.why).is_some(), "{pair:?} needs a reason");
        }
    }
}

#[test]
fn every_label_of_glibc_means_one_encoding_in_both() {
    const LABELS: &str = include_str!("../data/names/glibc-2.36.txt");
    let Some(mut peers) = Peers::start().filter(|peers| peers.is_as_measured(Peer::Glibc)) else {
        return skipped(&format!("{} is not here", Peer::Glibc));
    };
    let one: Vec<Vec<u8>> = (0..=0xFF).map(|byte| vec![byte]).collect();
    let two = (0..=0xFFFF_u16).step_by(257).map(|two| two.to_be_bytes().to_vec());
    let codes: Vec<Vec<u8>> = one.into_iter().chain(two).collect();
    let mut known = BTreeMap::new();
    let mut wrong = Vec::new();
    for label in LABELS.lines().map(|label| label.trim_end_matches('/')) {
        let Ok(found) = charset::resolve(label) else { continue };
        let answers = peers.units(Peer::Glibc, label, "UTF-8", &codes);
        let Some(answers) = answers else { continue };
        let (first, expected) = known.entry(found.name).or_insert_with(|| (label, answers.clone()));
        if *expected != answers {
            wrong.push(format!("{label} and {first} are {}", found.name));
        }
    }
    assert!(known.len() > 200 || known.is_empty(), "{} encodings", known.len());
    assert_eq!(wrong, Vec::<String>::new());
}
