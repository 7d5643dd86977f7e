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
    let (programs, not_viable) = Tree::copy(root(), &options.directory)?.build(&mut files)?;
    fs::write(&list, not_viable.iter().fold(known, |list, id| list + id + "\n"))?;
    let mut mutants: Vec<Mutant> = files.into_iter().flat_map(|file| file.mutants).collect();
    mutants.sort_by_key(|mutant| mutant.number);
    println!(
        "{} of {all} mutations sampled, {} more do not compile",
        mutants.len(),
        not_viable.len()
    );
    println!("compiled after {} s", start.elapsed().as_secs());
    let suite = Suite::record(programs, &options.directory, options.suite)?;
    println!("recorded after {} s", start.elapsed().as_secs());
    let report = Mutex::new(
        File::create(&options.report).with_context(|| options.report.display().to_string())?,
    );
    let outcomes = suite.parallel(&mutants, |_, mutant| {
        if options.time.is_some_and(|time| start.elapsed() > time) {
            return Ok(None);
        }
        let outcome = suite.examine(mutant, options.time_per_mutant)?;
        let row = row(mutant, &outcome);
        report.lock().unwrap().write_all(row.as_bytes())?;
        Ok(Some(outcome))
    })?;
    let score = summarize(&mutants, &outcomes);
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
        Outcome::Survived if is_equivalent(mutant) => ("equivalent", ""),
        Outcome::Survived => ("survived", ""),
        Outcome::OutOfTime => ("out of time", ""),
        Outcome::NotReached => ("not reached", ""),
    };
    format!("{name}\t{}\t{}\t{}\t{test}\n", mutant.area, mutant.mutation.line, mutant.id)
}

fn is_equivalent(mutant: &Mutant) -> bool {
    EQUIVALENT.lines().any(|line| line.split_once('\t').is_some_and(|(id, _)| id == mutant.id))
}

/// Prints the survivors and the counts of each area, and returns how many of a thousand mutants were noticed.
fn summarize(mutants: &[Mutant], outcomes: &[Option<Outcome>]) -> usize {
    #[derive(Default)]
    struct Counts {
        unit: usize,
        suite: usize,
        time: usize,
        equivalent: usize,
        lived: usize,
    }
    let mut areas: BTreeMap<&str, Counts> = BTreeMap::new();
    for (mutant, outcome) in mutants.iter().zip(outcomes) {
        let Some(outcome) = outcome else { continue };
        for area in [mutant.area, "~ all"] {
            let counts = areas.entry(area).or_default();
            match outcome {
                Outcome::KilledByUnitTest(_) => counts.unit += 1,
                Outcome::KilledBySuite(_) => counts.suite += 1,
                Outcome::TimedOut(_) => counts.time += 1,
                Outcome::Survived if is_equivalent(mutant) => counts.equivalent += 1,
                Outcome::Survived | Outcome::OutOfTime | Outcome::NotReached => counts.lived += 1,
            }
        }
        if matches!(outcome, Outcome::Survived | Outcome::OutOfTime | Outcome::NotReached)
            && !(*outcome == Outcome::Survived && is_equivalent(mutant))
        {
            print!("{}", row(mutant, outcome));
        }
    }
    println!("\narea\tunit tests\tsuites\ttimeouts\tequivalent\tsurvivors\tscore");
    let mut last = 0;
    for (area, counts) in areas {
        let Counts { unit, suite, time, equivalent, lived } = counts;
        let killed = unit + suite + time;
        let score = 1000 * killed / (killed + lived).max(1);
        println!(
            "{area}\t{unit}\t{suite}\t{time}\t{equivalent}\t{lived}\t{}.{} %",
            score / 10,
            score % 10
        );
        // That of all areas is the last.
        last = score;
    }
    last
}
