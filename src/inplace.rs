//! Files that are converted where they stand.
//!
//! A file is the old one or the new one, whole, at every instant, whatever ends the process or the
//! power: the new content comes into being beside the old and takes its place with one `rename`
//! when it is on disk. A file that cannot be converted is left alone, and so is one that would not
//! change.
//!
//! [`Rewriting`] says what is to be done. [`InPlace`] does it, to one file at a time; several
//! threads may share one.
//!
//! ```
//! use charpipe::fault::Fault;
//! use charpipe::inplace::{InPlace, Outcome, Rewriting, Told};
//! use charpipe::plan::Plan;
//! use charpipe::pump::Report;
//! use charpipe::sink::Temporaries;
//!
//! struct Silence;
//!
//! impl Report for Silence {
//!     fn wants_place(&self) -> bool {
//!         false
//!     }
//!     fn fault(&mut self, _: &Fault) {}
//! }
//!
//! impl Told for Silence {
//!     fn begins(&mut self, _: &Plan) {}
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("menu");
//! std::fs::write(&path, b"caf\xE9")?;
//! let plan = Plan::new("latin1".parse()?, "utf-8".parse()?);
//! let in_place = InPlace::new(Rewriting::new(plan), Temporaries::default())?;
//! let claim = in_place.claim(&path)?.expect("nobody else converts it");
//! let outcome = in_place.convert(claim, &mut Silence)?;
//! assert!(matches!(outcome, Outcome::Converted(_)));
//! assert_eq!(std::fs::read(&path)?, "café".as_bytes());
//! assert!(in_place.claim(&path)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::auto::{Origin, Verdict};
use crate::detect::Confidence;
use crate::error::Error;
use crate::identity::Identity;
use crate::plan::{Encoding, Plan};
use crate::pump::Report;
use crate::sink::replacement::Replacement;
use crate::sink::{Temporaries, Uncommitted};

mod backup;
mod doubt;
mod draft;
mod failure;
mod source;

use backup::Backup;
use draft::{Draft, Drafted};
pub use failure::Failure;
use source::{Key, Source};

/// How files are to be rewritten.
#[derive(Debug, Clone)]
pub struct Rewriting {
    /// What to convert; its `from` gives way to [`origin`](Rewriting::origin).
    pub plan: Plan,
    /// Where the encoding of a file is taken from.
    pub origin: Origin,
    /// What is put behind the name of a file to keep its old content by. Without one it is lost.
    pub backup: Option<OsString>,
    /// Find out what would become of a file, and write nothing.
    pub dry_run: bool,
    /// Keep the time of the last change.
    pub keep_mtime: bool,
    /// Part a file from its other hard links, which keep the old content.
    pub break_hard_links: bool,
    /// Convert also what holds NUL or is valid in the target encoding, and replace older backups.
    pub force: bool,
}

/// A file that nobody else converts.
#[derive(Debug)]
pub struct Claim {
    source: Source,
    key: Key,
}

/// What has become of a file that nothing is wrong with.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It was converted from this encoding, or would be if something were written.
    Converted(Encoding),
    /// Its bytes are the same in both encodings. It was not written.
    Unchanged,
    /// It has been dealt with already, perhaps by another name.
    Repeated,
    /// It holds NUL and so is no text in its encoding. It was not written.
    Binary,
}

impl Rewriting {
    /// What this plan says, with every care: no backup, but nothing that might be a mistake.
    pub fn new(plan: Plan) -> Rewriting {
        Rewriting {
            origin: Origin::Given(plan.from.clone()),
            plan,
            backup: None,
            dry_run: false,
            keep_mtime: false,
            break_hard_links: false,
            force: false,
        }
    }
}

/// Told of the faults of a file.
pub trait Told: Report {
    /// The conversion of a file begins, by this plan.
    fn begins(&mut self, plan: &Plan);

    /// Its encoding has been detected, before it begins. That of a guess should be told.
    fn detected(&mut self, _encoding: &Encoding, _confidence: Confidence) {}
}

/// Rewrites files.
#[derive(Debug)]
pub struct InPlace {
    rewriting: Rewriting,
    temporaries: Temporaries,
    /// Files that are being dealt with or have been.
    known: Mutex<HashSet<Key>>,
    parting: Mutex<()>,
}

impl InPlace {
    /// Temporary files stand in the list as long as they have a name of their own.
    ///
    /// # Errors
    ///
    /// As [`Plan::pump`], for a plan that cannot be carried out.
    pub fn new(rewriting: Rewriting, temporaries: Temporaries) -> Result<InPlace, Error> {
        if let Origin::Given(from) | Origin::Auto(Some(from)) = &rewriting.origin {
            Plan { from: from.clone(), ..rewriting.plan.clone() }.pump()?;
        }
        rewriting.plan.pump()?;
        Ok(InPlace { rewriting, temporaries, known: Mutex::default(), parting: Mutex::default() })
    }

    /// Opens a file to convert it. None if it has been claimed already, perhaps by another name.
    /// Where the path is a symbolic link, the file that it leads to is meant.
    ///
    /// # Errors
    ///
    /// Why it cannot be opened.
    pub fn claim(&self, path: &Path) -> Result<Option<Claim>, Failure> {
        let source = Source::open(path)?;
        let key = source.key(self.rewriting.break_hard_links).map_err(Failure::Read)?;
        let free = self.known().insert(key.clone());
        Ok(free.then_some(Claim { source, key }))
    }

    /// Converts one file.
    ///
    /// # Errors
    ///
    /// Why it was not converted. Faults that the policy knows an answer to are none.
    pub fn convert(&self, claim: Claim, told: &mut dyn Told) -> Result<Outcome, Failure> {
        // Names of one file share its lock, so they are converted one after the other.
        let _turn = self.rewriting.break_hard_links.then(|| self.parting.lock());
        let Claim { mut source, key } = claim;
        if let Err(failure) = source.lock() {
            // It may have been replaced between its opening and its claim, and not by others.
            let stands = source.place.look().map(|stat| Key::of(Identity::from_stat(&stat)));
            let ours = stands.is_ok_and(|stands| stands != key && self.known().contains(&stands));
            return if ours { Ok(Outcome::Repeated) } else { Err(failure) };
        }
        let Some(plan) = self.plan(&source, told)? else { return Ok(Outcome::Binary) };
        if !self.rewriting.force && doubt::is_converted(&source, &plan)? {
            return Err(Failure::AlreadyIn(plan.to.charset.name));
        }
        let suffix = self.rewriting.backup.as_deref();
        let backup = suffix.map(|suffix| Backup::new(&source, suffix, self.rewriting.force));
        let permit = || {
            source.may_be_replaced(self.rewriting.break_hard_links, backup.as_ref())?;
            backup.as_ref().map_or(Ok(()), Backup::is_free)
        };
        let draft = Draft::new(&source, &self.temporaries, &permit, self.rewriting.dry_run);
        told.begins(&plan);
        match pour(&source, &plan, draft, told)? {
            Drafted::Unchanged => return Ok(Outcome::Unchanged),
            Drafted::WouldChange => {}
            Drafted::New(replacement) => self.put(&source, &key, backup, replacement)?,
        }
        Ok(Outcome::Converted(plan.from))
    }

    /// The plan for a file; none for one that is no text.
    fn plan(&self, source: &Source, told: &mut dyn Told) -> Result<Option<Plan>, Failure> {
        let origin = &self.rewriting.origin;
        let from = match origin.of(&mut source.content()).map_err(Failure::Read)? {
            Verdict::Is(from, confidence) => {
                if let Some(confidence) = confidence {
                    told.detected(&from, confidence);
                }
                from
            }
            Verdict::Binary => return Ok(None),
            Verdict::Unknown if matches!(origin, Origin::Detect) => {
                return Err(Failure::Undetected);
            }
            Verdict::Unknown => return Err(Failure::Unknown),
        };
        if !self.rewriting.force && doubt::is_binary(source, &from).map_err(Failure::Read)? {
            return Ok(None);
        }
        let block = self.rewriting.plan.block.min(source.block());
        Ok(Some(Plan { block, ..origin.plan(&self.rewriting.plan, from) }))
    }

    /// Puts the new content into the place of the old.
    fn put(
        &self,
        source: &Source,
        key: &Key,
        backup: Option<Backup<'_>>,
        replacement: Replacement,
    ) -> Result<(), Failure> {
        let new = Identity::of(replacement.descriptor()).map_err(Failure::Write)?.map(Key::of);
        if self.rewriting.keep_mtime {
            let keep = || replacement.set_mtime(source.metadata.modified()?);
            keep().map_err(Failure::Write)?;
        }
        // Other threads may meet the new file as soon as it is in its place.
        self.known().extend(new.clone());
        let committed = replacement.commit(|| {
            source.is_unchanged()?;
            let Some(backup) = &backup else { return Ok(()) };
            backup.make()?;
            // To put that on disk has taken its time.
            source.is_unwritten()
        });
        let gone = match &committed {
            Err(Uncommitted::Unchanged(_)) => {
                backup.iter().for_each(Backup::take_back);
                new
            }
            // Its number is free, for what may be another file.
            _ => backup.is_none().then(|| key.clone()),
        };
        if let Some(gone) = gone {
            self.known().remove(&gone);
        }
        committed.map_err(Failure::from)
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts the content of a file into a draft.
fn pour(
    source: &Source,
    plan: &Plan,
    mut draft: Draft<'_>,
    report: &mut dyn Report,
) -> Result<Drafted, Failure> {
    let mut pump = plan.pump()?;
    let mut content = source.content();
    let mut run = || loop {
        match content.read(pump.space()).map_err(Failure::Read)? {
            0 => {
                pump.end_of_file(&mut draft, report)?;
                return Ok(pump.finish(&mut draft, report)?);
            }
            count => pump.filled(count, &mut draft, report)?,
        }
    };
    let run = run();
    draft.finish(run)
}
