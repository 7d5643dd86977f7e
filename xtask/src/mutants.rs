//! Mutation testing: changes the source at random, one change at a time, and counts how many changes the tests notice.
//!
//! One build of a copy of the tree has all mutants, each chosen by a condition, and an environment variable selects one: to
//! compile the tests once for each takes longer than to run them. Each test runs by itself first, to record which mutants it
//! reaches; only these tests run for a mutant, the unit tests of its crate before others. Code that is evaluated at compile
//! time and arguments of macros have no mutants.

mod mutation;
mod rewrite;
mod sample;
mod source;
mod suite;
mod tree;

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use xtask::root;

use sample::{Mutant, Selection, sample};
use suite::{Outcome, Suite, SuiteOptions};
use tree::Tree;

/// Mutants that do not change what the code does, with the reason: one on each line, separated by a tab.
const EQUIVALENT: &str = include_str!("mutants/equivalent.tsv");

struct Options {
    selection: Selection,
    directory: PathBuf,
    report: PathBuf,
    suite: SuiteOptions,
    time_per_mutant: Duration,
    /// No further mutant is tried after this time.
    time: Option<Duration>,
    /// The percentage of mutants that tests must notice.
    score: usize,
    list: bool,
}

fn parse(arguments: &[String]) -> Result<Options> {
    let directory = root().join("target/mutants");
    let mut options = Options {
        selection: Selection {
            count: 600,
            seed: 1,
            paths: Vec::new(),
            only: HashSet::new(),
            not_viable: HashSet::new(),
        },
        report: directory.join("report.tsv"),
        directory,
        suite: SuiteOptions { jobs: 2, unit_tests_only: false },
        time_per_mutant: Duration::from_secs(120),
        time: None,
        score: 0,
        list: false,
    };
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--list" => {
                options.list = true;
                continue;
            }
            "--unit-tests" => {
                options.suite.unit_tests_only = true;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--count" => options.selection.count = value.parse()?,
            "--seed" => options.selection.seed = value.parse()?,
            "--path" => options.selection.paths.push(value.clone()),
            "--survivors" => options.selection.only = survivors(Path::new(value))?,
            "--directory" => options.directory = PathBuf::from(value),
            "--report" => options.report = PathBuf::from(value),
            "--jobs" => options.suite.jobs = value.parse()?,
            "--seconds-per-mutant" => options.time_per_mutant = Duration::from_secs(value.parse()?),
            "--score" => options.score = value.parse()?,
            "--seconds" => options.time = Some(Duration::from_secs(value.parse()?)),
            _ => bail!("no such option: {name}"),
        }
    }
    Ok(options)
}

/// The mutants that survived according to a report.
fn survivors(report: &Path) -> Result<HashSet<String>> {
    let text = fs::read_to_string(report).with_context(|| report.display().to_string())?;
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let lived = rows.filter(|row| matches!(row[0], "survived" | "out of time" | "not reached"));
    Ok(lived.filter_map(|row| row.get(3).map(|id| (*id).to_owned())).collect())
}

/// Tests mutants, and writes a report.
///
/// # Errors
///
/// If the arguments are not valid, or the tests cannot be compiled or run.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut options = parse(arguments)?;
    let start = Instant::now();
    // An earlier build has found them.
    let list = options.directory.join("not-viable.txt");
    let known = fs::read_to_string(&list).unwrap_or_default();
    options.selection.not_viable = known.lines().map(str::to_owned).collect();
    let (mut files, all) = sample(root(), &options.selection)?;
    if options.list {
        for mutant in files.iter().flat_map(|file| &file.mutants) {
            println!("{}\t{}\t{}\t{}", mutant.number, mutant.area, mutant.mutation.line, mutant.id);
        }
        return Ok(());
    }
    // They survive, which takes the longest time of all, and are neither compiled nor run.
    let mut equivalent = Vec::new();
    for file in &mut files {
        equivalent.extend(file.mutants.extract_if(.., |mutant| is_equivalent(mutant)));
    }
    let (programs, not_viable) = Tree::copy(root(), &options.directory)?.build(&mut files)?;
    fs::write(&list, not_viable.iter().fold(known, |list, id| list + id + "\n"))?;
    let mut mutants: Vec<Mutant> = files.into_iter().flat_map(|file| file.mutants).collect();
    mutants.sort_by_key(|mutant| mutant.number);
    println!(
        "{} of {all} mutations sampled, {} of them equivalent, {} more do not compile",
        mutants.len() + equivalent.len(),
        equivalent.len(),
        not_viable.len()
    );
    println!("compiled after {} s", start.elapsed().as_secs());
    let suite = Suite::record(programs, &options.directory, options.suite)?;
    println!("recorded after {} s", start.elapsed().as_secs());
    let mut results = Results::new(&options.report, mutants.len() + equivalent.len(), start)?;
    for mutant in &equivalent {
        results.add(mutant, &Outcome::Equivalent)?;
    }
    let results = Mutex::new(results);
    suite.parallel(&mutants, |_, mutant| {
        if options.time.is_none_or(|time| start.elapsed() <= time) {
            let outcome = suite.examine(mutant, options.time_per_mutant)?;
            results.lock().unwrap().add(mutant, &outcome)?;
        }
        Ok(())
    })?;
    let results = results.into_inner().unwrap();
    let score = results.summarize();
    println!(
        "{} s in all; the mutants are in {}",
        start.elapsed().as_secs(),
        options.report.display()
    );
    ensure!(
        score >= 10 * options.score,
        "fewer than {} % of the mutants are noticed",
        options.score
    );
    Ok(())
}

/// A line of the report: outcome, area, line, identifier, and the test that failed.
fn row(mutant: &Mutant, outcome: &Outcome) -> String {
    let (name, test) = match outcome {
        Outcome::KilledByUnitTest(test) => ("killed by unit test", test.as_str()),
        Outcome::KilledBySuite(test) => ("killed by suite", test.as_str()),
        Outcome::TimedOut(test) => ("timed out", test.as_str()),
        Outcome::Equivalent => ("equivalent", ""),
        Outcome::Survived => ("survived", ""),
        Outcome::OutOfTime => ("out of time", ""),
        Outcome::NotReached => ("not reached", ""),
    };
    format!("{name}\t{}\t{}\t{}\t{test}\n", mutant.area, mutant.mutation.line, mutant.id)
}

fn is_equivalent(mutant: &Mutant) -> bool {
    EQUIVALENT.lines().any(|line| line.split_once('\t').is_some_and(|(id, _)| id == mutant.id))
}

/// The number of mutants with each outcome.
#[derive(Default)]
struct Counts {
    unit: usize,
    suite: usize,
    time: usize,
    equivalent: usize,
    lived: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::KilledByUnitTest(_) => &mut self.unit,
            Outcome::KilledBySuite(_) => &mut self.suite,
            Outcome::TimedOut(_) => &mut self.time,
            Outcome::Equivalent => &mut self.equivalent,
            Outcome::Survived | Outcome::OutOfTime | Outcome::NotReached => &mut self.lived,
        } += 1;
    }

    fn killed(&self) -> usize {
        self.unit + self.suite + self.time
    }

    /// How many of a thousand mutants were noticed.
    fn score(&self) -> usize {
        1000 * self.killed() / (self.killed() + self.lived).max(1)
    }
}

/// The outcomes so far, which a run that is stopped has printed and written too.
struct Results {
    report: File,
    /// How many mutants there are.
    total: usize,
    start: Instant,
    all: Counts,
    areas: BTreeMap<&'static str, Counts>,
}

impl Results {
    fn new(report: &Path, total: usize, start: Instant) -> Result<Results> {
        let report = File::create(report).with_context(|| report.display().to_string())?;
        Ok(Results { report, total, start, all: Counts::default(), areas: BTreeMap::new() })
    }

    /// Adds a line to the report, and prints survivors, and the counts from time to time.
    fn add(&mut self, mutant: &Mutant, outcome: &Outcome) -> Result<()> {
        let (row, lived) = (row(mutant, outcome), self.all.lived);
        self.report.write_all(row.as_bytes())?;
        self.areas.entry(mutant.area).or_default().add(outcome);
        self.all.add(outcome);
        if self.all.lived > lived {
            print!("{row}");
        }
        let done = self.all.killed() + self.all.lived + self.all.equivalent;
        if done.is_multiple_of(20) && *outcome != Outcome::Equivalent {
            println!(
                "{done} of {}: {} killed, {} survived, {} equivalent, after {} s",
                self.total,
                self.all.killed(),
                self.all.lived,
                self.all.equivalent,
                self.start.elapsed().as_secs()
            );
        }
        Ok(())
    }

    /// Prints the counts of each area, and returns how many of a thousand mutants were noticed.
    fn summarize(&self) -> usize {
        println!("\narea\tunit tests\tsuites\ttimeouts\tequivalent\tsurvivors\tscore");
        for (area, counts) in self.areas.iter().chain([(&"all", &self.all)]) {
            let Counts { unit, suite, time, equivalent, lived } = counts;
            let score = counts.score();
            println!(
                "{area}\t{unit}\t{suite}\t{time}\t{equivalent}\t{lived}\t{}.{} %",
                score / 10,
                score % 10
            );
        }
        self.all.score()
    }
}
