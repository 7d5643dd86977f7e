//! Converts files where they stand, and says what has become of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};
use charpipe::auto::Origin;
use charpipe::binary::Reason;
use charpipe::inplace::{Claim, Failure, InPlace, Outcome, Rewriting};
use charpipe::plan::{Bom, Plan};

use super::descriptors::Closed;
use super::exit::Status;
use super::job::{InPlaceJob, Input, Telling};
use super::order::{Order, Voice};
use super::paths::{Files, Lost, Selected};
use super::progress::Progress;
use super::remedy::with_remedy;
use super::report::{Faults, say};
use super::run::temporaries;
use super::signals;

/// What has come of claiming a file: none where another has claimed it.
type Claimed = Result<Option<Claim>, Failure>;

/// A file whose turn it is.
struct Next {
    /// Files that were before it.
    number: u64,
    file: Result<Found, Lost>,
}

struct Found {
    path: PathBuf,
    claim: Claimed,
    /// Whether it was found in a folder, and not named itself.
    in_folder: bool,
}

/// Converts the files of a job.
///
/// # Errors
///
/// What keeps the whole job from being done; what is wrong with one file is told, and counts.
pub fn run(job: &InPlaceJob, closed: Closed) -> Result<Status> {
    if closed.stdin && job.selection.reads_stdin() {
        bail!("stdin is closed");
    }
    let list = temporaries(job.always_named);
    signals::remove_first(&list)?;
    let selection = job.selection.clone();
    let counted = move || (!selection.reads_stdin()).then(|| selection.files().count() as u64);
    let run = Run {
        job,
        in_place: InPlace::new(job.rewriting.clone(), list)?,
        files: Mutex::new((0, job.selection.files())),
        order: Order::default(),
        counts: Mutex::default(),
        ended: AtomicBool::new(false),
        progress: Progress::begin(counted),
    };
    thread::scope(|scope| {
        for _ in 1..job.jobs {
            let worker = thread::Builder::new().name("worker".into());
            worker.spawn_scoped(scope, || run.work()).context("cannot start a thread")?;
        }
        run.work();
        anyhow::Ok(())
    })?;
    Ok(run.end())
}

/// A run, shared by those who work at it.
struct Run<'a> {
    job: &'a InPlaceJob,
    in_place: InPlace,
    /// The number of the next file, and where it comes from.
    files: Mutex<(u64, Files)>,
    order: Order,
    counts: Mutex<Counts>,
    /// Whether no more files are to be begun.
    ended: AtomicBool,
    progress: Progress,
}

/// How many files have fared how, and the worst of it.
#[derive(Debug, Default)]
struct Counts {
    converted: u64,
    unchanged: u64,
    skipped: u64,
    failed: u64,
    worst: Status,
}

impl Run<'_> {
    fn work(&self) {
        while let Some(Next { number, file }) = self.next() {
            let voice = Voice::Turn(&self.order, number);
            let failed = match file {
                Ok(found) => self.convert(found, voice),
                Err(lost) => {
                    voice.say(&format!("{}: {}", lost.input.name(), lost.reason));
                    self.count(|counts| &mut counts.failed, Status::Trouble);
                    true
                }
            };
            self.order.end(number);
            self.progress.advance();
            if failed && self.job.fail_fast {
                self.ended.store(true, Relaxed);
            }
        }
    }

    /// The next file. It is claimed in turn: of two names of one file the first counts.
    fn next(&self) -> Option<Next> {
        if self.ended.load(Relaxed) {
            return None;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, files) = &mut *files;
        let file = loop {
            match files.next()? {
                Ok(Selected { input: Input::File(path), entry }) => {
                    let claim = match &entry {
                        Some(entry) => self.in_place.claim_entry(entry),
                        None => self.in_place.claim(&path),
                    };
                    break Ok(Found { path, claim, in_folder: entry.is_some() });
                }
                Ok(Selected { input: Input::Stdin, .. }) => {}
                Err(lost) => break Err(lost),
            }
        };
        *number += 1;
        Some(Next { number: *number - 1, file })
    }

    /// Converts one file, tells what is to be told, and says whether it failed.
    fn convert(&self, found: Found, voice: Voice<'_>) -> bool {
        let Found { path, claim, in_folder } = found;
        let name = Input::File(path).name();
        let mut faults = Faults::new(&self.job.rewriting.plan, self.job.telling, voice);
        faults.begin(&name);
        let outcome = claim.and_then(|claim| match claim {
            Some(claim) => self.in_place.convert(claim, &mut faults),
            None => Ok(Outcome::Repeated),
        });
        faults.end();
        match outcome {
            Ok(outcome) => {
                // A directory may contain images. A user who names one did not get the result.
                let missed = matches!(outcome, Outcome::Binary(_)) && !in_folder;
                let status = if faults.any() || missed { Status::Faults } else { Status::Clean };
                let marked = mark_alone(&self.job.rewriting.plan, &outcome) && !faults.any();
                if marked {
                    self.tell_mark(&name, voice);
                } else {
                    self.tell(&name, &outcome, in_folder, voice);
                }
                self.count(field(&outcome), status);
                false
            }
            Err(failure) => {
                let about_data = failure.is_about_data();
                if !matches!(failure, Failure::Stopped(_)) {
                    voice.say(&format!("{name}: {}", with_remedy(failure)));
                }
                let status = if about_data { Status::Faults } else { Status::Trouble };
                self.count(|counts| &mut counts.failed, status);
                true
            }
        }
    }

    /// Reports what was done with a file, if that was requested or might be overlooked.
    fn tell(&self, name: &str, outcome: &Outcome, in_folder: bool, voice: Voice<'_>) {
        let Rewriting { plan, dry_run, .. } = &self.job.rewriting;
        let (line, matters) = match outcome {
            Outcome::Converted(from) => {
                let done = if *dry_run { "would be converted" } else { "converted" };
                let to = plan.to.charset.name;
                (format!("{done} from {} to {to}", from.charset.name), *dry_run)
            }
            Outcome::Unchanged => ("unchanged".to_owned(), false),
            Outcome::AlreadyIn(charset) => (
                format!("already valid {charset}; not converted{}", self.hint(charset)),
                !in_folder,
            ),
            Outcome::Repeated => ("skipped: already processed".to_owned(), false),
            Outcome::Binary(reason @ (Reason::Signature(_) | Reason::Nul)) => {
                (format!("skipped: binary file ({reason})"), !in_folder)
            }
            // It might be text in another encoding, so that matters in a directory tree, too.
            Outcome::Binary(reason) => {
                (format!("skipped: binary file or other encoding ({reason})"), true)
            }
        };
        self.tell_line(name, &line, matters, voice);
    }

    /// Reports that a byte order mark is the only change.
    fn tell_mark(&self, name: &str, voice: Voice<'_>) {
        let Rewriting { plan, dry_run, .. } = &self.job.rewriting;
        let done = match (plan.bom == Bom::Add, *dry_run) {
            (true, false) => "added",
            (true, true) => "would add",
            (false, false) => "removed",
            (false, true) => "would remove",
        };
        self.tell_line(name, &format!("{done} byte order mark"), *dry_run, voice);
    }

    fn tell_line(&self, name: &str, line: &str, matters: bool, voice: Voice<'_>) {
        let telling = self.job.telling;
        if telling == Telling::Everything || telling == Telling::TheFirst && matters {
            voice.say(&format!("{name}: {line}"));
        }
    }

    /// How to convert files in the encoding of this name together with others.
    fn hint(&self, charset: &str) -> String {
        match &self.job.rewriting.origin {
            Origin::Given(from) if charset == "UTF-8" => {
                format!(
                    " (for files in either encoding use -f auto --fallback {})",
                    from.charset.name
                )
            }
            _ => String::new(),
        }
    }

    fn count(&self, field: fn(&mut Counts) -> &mut u64, status: Status) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *field(&mut counts) += 1;
        counts.worst = counts.worst.max(status);
    }

    /// Ends with the line that sums up.
    fn end(self) -> Status {
        drop(self.progress);
        let counts = self.counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.job.telling != Telling::Nothing {
            let done = if self.job.rewriting.dry_run { "would be converted" } else { "converted" };
            let Counts { converted, unchanged, skipped, failed, .. } = counts;
            say(&format!(
                "{converted} {done}, {unchanged} unchanged, {skipped} skipped, {failed} failed"
            ));
        }
        counts.worst
    }
}

/// Where a file that has fared so is counted.
fn field(outcome: &Outcome) -> fn(&mut Counts) -> &mut u64 {
    match outcome {
        Outcome::Converted(_) => |counts| &mut counts.converted,
        Outcome::Unchanged | Outcome::AlreadyIn(_) => |counts| &mut counts.unchanged,
        Outcome::Repeated | Outcome::Binary(_) => |counts| &mut counts.skipped,
    }
}

/// Whether only a byte order mark can differ: there is one way to write each text in these encodings.
fn mark_alone(plan: &Plan, outcome: &Outcome) -> bool {
    let to = plan.to.charset.name;
    let unique = ["UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"].contains(&to);
    unique && matches!(outcome, Outcome::Converted(from) if from.charset.name == to)
}
