//! Runs the tests: which mutants each test reaches, and whether tests notice a mutant.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::sample::Mutant;
use super::tree::TestProgram;

/// Tests that take too long to be repeated for many mutants, or that do not depend on them.
const EXCLUDED: [&str; 4] =
    ["command fault_injection::", "command crash::", "command pathological::", "xtask "];

/// The variable that selects a mutant.
const MUTANT: &str = "CHARPIPE_TEST_MUTANT";

/// The variable with the file into which the numbers of reached mutants are written.
const REACHED: &str = "CHARPIPE_TEST_MUTANTS_REACHED";

/// A test of a program.
pub struct Test {
    program: usize,
    name: String,
    /// How long it takes by itself.
    time: Duration,
    reached: HashSet<u32>,
}

/// How a mutant ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A unit test of its crate failed.
    KilledByUnitTest(String),
    /// Another test failed.
    KilledBySuite(String),
    /// A test did not end.
    TimedOut(String),
    /// All tests that reach it passed.
    Survived,
    /// The time for a mutant was used up before all tests that reach it had run.
    OutOfTime,
    /// No test reaches it.
    NotReached,
    /// No test ran, as it is known not to change what the code does.
    Equivalent,
}

/// The tests that can run.
pub struct Suite {
    programs: Vec<TestProgram>,
    tests: Vec<Test>,
    directory: PathBuf,
    jobs: usize,
}

/// How tests run.
#[derive(Clone, Copy)]
pub struct SuiteOptions {
    /// How many at the same time.
    pub jobs: usize,
    /// Whether only the tests in the files of the crates run.
    pub unit_tests_only: bool,
}

/// How a run of tests ended.
enum Run {
    Passed,
    Failed(Vec<String>),
    TimedOut,
}

impl Suite {
    /// Lists the tests and runs each of them once by itself, to record which mutants it reaches. Tests that fail are not
    /// used.
    ///
    /// # Errors
    ///
    /// If a program cannot be run.
    pub fn record(
        mut programs: Vec<TestProgram>,
        directory: &Path,
        options: SuiteOptions,
    ) -> Result<Suite> {
        programs.retain(|program| !options.unit_tests_only || program.unit_tests_of.is_some());
        let directory = directory.join(format!("runs-{}", std::process::id()));
        fs::create_dir_all(&directory)?;
        let mut suite = Suite { programs, tests: Vec::new(), directory, jobs: options.jobs };
        let mut names = Vec::new();
        for (index, program) in suite.programs.iter().enumerate() {
            let mut command = Command::new(&program.executable);
            command.args(["--list", "--format", "terse"]).current_dir(&program.directory);
            let output = command.output().with_context(|| program.name.clone())?;
            ensure!(output.status.success(), "{}: {}", program.name, output.status);
            for line in String::from_utf8(output.stdout)?.lines() {
                if let Some(name) = line.strip_suffix(": test") {
                    let full = format!("{} {name}", program.name);
                    if !EXCLUDED.iter().any(|excluded| full.starts_with(excluded)) {
                        names.push((index, name.to_owned()));
                    }
                }
            }
        }
        println!("{} tests run by themselves", names.len());
        let results = suite.parallel(&names, |index, (program, name)| {
            let path = suite.directory.join(format!("reached-{index}"));
            // Some tests run the command as another user.
            File::create(&path)?.set_permissions(Permissions::from_mode(0o666))?;
            let start = Instant::now();
            let variable = (REACHED, path.as_os_str().to_owned());
            let run = suite.run(*program, &[name], variable, Duration::from_secs(180))?;
            let time = start.elapsed();
            let numbers = fs::read_to_string(&path).unwrap_or_default();
            let _ = fs::remove_file(&path);
            let reached = numbers.lines().filter_map(|line| line.parse().ok()).collect();
            let test = Test { program: *program, name: name.clone(), time, reached };
            if !matches!(run, Run::Passed) {
                println!("not used, as it fails without a mutant: {}", suite.full_name(&test));
            }
            Ok(matches!(run, Run::Passed).then_some(test))
        })?;
        suite.tests = results.into_iter().flatten().collect();
        suite.tests.sort_by_key(|test| test.time);
        let sum: Duration = suite.tests.iter().map(|test| test.time).sum();
        println!("{} tests pass, in {} s", suite.tests.len(), sum.as_secs());
        Ok(suite)
    }

    /// Runs a function on all items, with their index, on several threads. The results have the order of the items.
    pub fn parallel<T: Sync, R: Send>(
        &self,
        items: &[T],
        function: impl Fn(usize, &T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(index) else {
                            break;
                        };
                        let result = function(index, item);
                        results.lock().unwrap().push((index, result));
                    }
                });
            }
        });
        let mut results = results.into_inner().unwrap();
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn full_name(&self, test: &Test) -> String {
        let program = &self.programs[test.program];
        let name = program.unit_tests_of.as_ref().map_or(&program.name, |path| path);
        format!("{name} {}", test.name)
    }

    /// Runs the tests that reach a mutant, the unit tests of its crate first, until one fails, or until they have used up this
    /// time without a mutant.
    ///
    /// # Errors
    ///
    /// If a program cannot be run.
    pub fn examine(&self, mutant: &Mutant, longest: Duration) -> Result<Outcome> {
        let mut time = Duration::ZERO;
        let reaching: Vec<&Test> =
            self.tests.iter().filter(|test| test.reached.contains(&mutant.number)).collect();
        if reaching.is_empty() {
            return Ok(Outcome::NotReached);
        }
        let is_unit = |test: &Test| {
            let of = self.programs[test.program].unit_tests_of.as_ref();
            of.is_some_and(|path| mutant.path.starts_with(path.as_str()))
        };
        let (unit, other) = reaching.into_iter().partition(|test| is_unit(test));
        for (tests, is_unit) in [(unit, true), (other, false)] {
            for batch in batches(tests) {
                if time > longest {
                    return Ok(Outcome::OutOfTime);
                }
                let recorded = recorded_time(&batch);
                time += recorded;
                let outcome = match self.run_mutant(&batch, mutant.number, recorded)? {
                    Run::Passed => continue,
                    // A test that also fails without the mutant has not noticed it.
                    Run::Failed(names) => {
                        let failed: Vec<_> = batch
                            .iter()
                            .copied()
                            .filter(|test| names.contains(&test.name))
                            .collect();
                        let failed = if failed.is_empty() { batch } else { vec![failed[0]] };
                        let name = self.full_name(failed[0]);
                        if self.time_without_mutant(&failed)?.is_none() {
                            continue;
                        }
                        if is_unit {
                            Outcome::KilledByUnitTest(name)
                        } else {
                            Outcome::KilledBySuite(name)
                        }
                    }
                    Run::TimedOut => Outcome::TimedOut(self.full_name(batch[0])),
                };
                return Ok(outcome);
            }
        }
        Ok(Outcome::Survived)
    }

    /// Runs tests of one program with a mutant, for a time that depends on how long they take without one: as recorded, and
    /// if that is not enough, as measured again, because the machine may be busier than before.
    fn run_mutant(&self, batch: &[&Test], number: u32, recorded: Duration) -> Result<Run> {
        let run = |time| self.run_batch(batch, number.to_string(), limit(time));
        Ok(match run(recorded)? {
            Run::TimedOut => match self.time_without_mutant(batch)? {
                Some(time) if time > recorded => run(time)?,
                Some(_) => Run::TimedOut,
                // Nor does the mutant make a difference to tests that do not pass now.
                None => Run::Passed,
            },
            run => run,
        })
    }

    /// Runs tests of one program without a mutant, and returns how long they take if they pass.
    fn time_without_mutant(&self, batch: &[&Test]) -> Result<Option<Duration>> {
        let start = Instant::now();
        let run = self.run_batch(batch, String::new(), 4 * limit(recorded_time(batch)))?;
        Ok(matches!(run, Run::Passed).then(|| start.elapsed()))
    }

    fn run_batch(&self, batch: &[&Test], mutant: String, longest: Duration) -> Result<Run> {
        let names: Vec<_> = batch.iter().map(|test| &test.name).collect();
        self.run(batch[0].program, &names, (MUTANT, mutant.into()), longest)
    }

    /// Runs tests of a program with a variable, for at most this time.
    fn run(
        &self,
        program: usize,
        names: &[&String],
        (variable, value): (&str, std::ffi::OsString),
        longest: Duration,
    ) -> Result<Run> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let program = &self.programs[program];
        let output =
            self.directory.join(format!("output-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        // A mutant may use any amount of memory, or write files that never end.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 8000000 -f 4000000; exec \"$@\"", "sh"]);
        command.arg(&program.executable).args(["--exact", "--test-threads=2"]).args(names);
        command.current_dir(&program.directory).env("CARGO_MANIFEST_DIR", &program.directory);
        command.env(variable, &value).stdin(Stdio::null());
        command.stdout(File::create(&output)?).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().context("sh")?;
        let status = wait(&mut child, longest)?;
        if status.is_none() {
            kill_process_group(Pid::from_child(&child), Signal::KILL)?;
            child.wait()?;
            end_processes(variable, &value.to_string_lossy());
        }
        let mut text = Vec::new();
        File::open(&output)?.read_to_end(&mut text)?;
        fs::remove_file(&output)?;
        let text = String::from_utf8_lossy(&text);
        Ok(match status {
            None => Run::TimedOut,
            Some(true) => Run::Passed,
            Some(false) => {
                let failed = text.lines().filter_map(|line| line.strip_suffix(" ... FAILED"));
                Run::Failed(
                    failed
                        .filter_map(|line| line.strip_prefix("test "))
                        .map(str::to_owned)
                        .collect(),
                )
            }
        })
    }
}

/// How long tests took when each ran by itself.
fn recorded_time(tests: &[&Test]) -> Duration {
    tests.iter().map(|test| test.time).sum()
}

/// How long tests may take with a mutant that take this time without one.
fn limit(time: Duration) -> Duration {
    Duration::from_secs(15) + 6 * time
}

/// Groups tests by their program, the fast ones first, so that fast tests fail before slow ones run.
fn batches(tests: Vec<&Test>) -> Vec<Vec<&Test>> {
    let mut by_program: HashMap<usize, Vec<&Test>> = HashMap::new();
    for test in tests {
        by_program.entry(test.program).or_default().push(test);
    }
    let mut batches: Vec<(Duration, Vec<&Test>)> = Vec::new();
    for tests in by_program.into_values() {
        let (mut batch, mut sum, mut limit) =
            (Vec::new(), Duration::ZERO, Duration::from_millis(500));
        for test in tests {
            if sum + test.time > limit && !batch.is_empty() {
                batches.push((sum, std::mem::take(&mut batch)));
                sum = Duration::ZERO;
                limit = (2 * limit).min(Duration::from_secs(8));
            }
            sum += test.time;
            batch.push(test);
        }
        batches.push((sum, batch));
    }
    batches.sort_by_key(|(sum, batch)| (*sum, batch[0].program));
    batches.into_iter().map(|(_, batch)| batch).collect()
}

/// Waits for a process, and returns whether it succeeded; `None` if it still runs.
fn wait(child: &mut Child, longest: Duration) -> Result<Option<bool>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > longest {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Ends the processes that tests have started in groups of their own: those with this variable.
fn end_processes(variable: &str, value: &str) {
    let wanted = format!("{variable}={value}");
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if !value.is_empty()
            && environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
            && let Some(process) = Pid::from_raw(number)
        {
            // It may have ended.
            let _ = kill_process(process, Signal::KILL);
        }
    }
}
