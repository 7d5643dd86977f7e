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

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::auto::{Origin, Verdict};
use crate::binary::{self, Reason};
use crate::detect::Confidence;
use crate::directory::Entry;
use crate::error::Error;
use crate::identity::Identity;
use crate::plan::{Encoding, Plan};
use crate::pump::Report;
use crate::sink::replacement::Replacement;
use crate::sink::{Temporaries, Uncommitted};

mod backup;
mod content;
mod doubt;
mod draft;
mod failure;
mod known;
mod source;

use backup::Backup;
use doubt::Doubt;
use draft::{Draft, Drafted};
pub use failure::Failure;
use known::Known;
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
    /// Convert binary files and files that are already converted too, and replace older backups.
    pub force: bool,
    /// The least confidence in a detected encoding. With less a file is not converted.
    pub min_confidence: Confidence,
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
    /// It is already valid in the encoding of this name, so another conversion would corrupt it. It was
    /// not written.
    AlreadyIn(&'static str),
    /// It has been dealt with already, perhaps by another name.
    Repeated,
    /// It is binary. It was not written.
    Binary(Reason),
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
            min_confidence: Confidence::Likely,
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
    known: Mutex<Known>,
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
        self.claim_source(Source::open(path)?)
    }

    /// Claims a file that a search has found. It is opened, and later replaced, within its
    /// directory, and symbolic links are not followed.
    ///
    /// # Errors
    ///
    /// Why it cannot be opened.
    pub fn claim_entry(&self, entry: &Entry) -> Result<Option<Claim>, Failure> {
        self.claim_source(Source::at(entry.place().clone())?)
    }

    fn claim_source(&self, source: Source) -> Result<Option<Claim>, Failure> {
        let key = source.key(self.rewriting.break_hard_links).map_err(Failure::Read)?;
        let free = self.known().insert(&key);
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
        let plan = match self.plan(&source, told)? {
            Ok(plan) => plan,
            Err(reason) => return Ok(Outcome::Binary(reason)),
        };
        if !self.rewriting.force {
            match doubt::of(&source, &plan)? {
                Some(Doubt::AlreadyConverted) => {
                    return Ok(Outcome::AlreadyIn(plan.to.charset.name));
                }
                Some(Doubt::Binary(reason)) => return Ok(Outcome::Binary(reason)),
                None => {}
            }
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
            (Drafted::Unchanged, _) => return Ok(Outcome::Unchanged),
            (Drafted::WouldChange, _) => {}
            (Drafted::New(replacement), checksum) => {
                self.put(&source, &key, backup, replacement, checksum)?;
            }
        }
        Ok(Outcome::Converted(plan.from))
    }

    /// The plan for a file, or the reason why it is binary if its encoding cannot be determined.
    fn plan(&self, source: &Source, told: &mut dyn Told) -> Result<Result<Plan, Reason>, Failure> {
        let origin = &self.rewriting.origin;
        let from = match origin.of(&mut source.content()).map_err(Failure::Read)? {
            Verdict::Is(from, Some(confidence)) => {
                if confidence < self.rewriting.min_confidence {
                    return Err(Failure::Unsure(from.to_string(), confidence));
                }
                told.detected(&from, confidence);
                from
            }
            Verdict::Is(from, None) => from,
            verdict @ (Verdict::Binary | Verdict::Unknown) => {
                let reason = binary::of(&mut source.content(), None).map_err(Failure::Read)?;
                return match (verdict, reason) {
                    (_, Some(reason)) => Ok(Err(reason)),
                    (Verdict::Binary, None) => Ok(Err(Reason::Noise)),
                    _ if matches!(origin, Origin::Detect) => Err(Failure::Undetected),
                    _ => Err(Failure::Unknown),
                };
            }
        };
        let block = self.rewriting.plan.block.min(source.block());
        Ok(Ok(Plan { block, ..origin.plan(&self.rewriting.plan, from) }))
    }

    /// Puts the new content into the place of the old, if that still has this checksum.
    fn put(
        &self,
        source: &Source,
        key: &Key,
        backup: Option<Backup<'_>>,
        replacement: Replacement,
        checksum: u32,
    ) -> Result<(), Failure> {
        if self.rewriting.keep_mtime {
            let keep = || replacement.set_mtime(source.metadata.modified()?);
            keep().map_err(Failure::Write)?;
        }
        let mut new = None;
        let committed = replacement.commit(|file| {
            // Other threads may meet the new file as soon as it is in its place.
            new = Identity::of(file.as_fd())?.map(Key::of);
            if let Some(new) = &new {
                self.known().insert(new);
            }
            source.is_unchanged()?;
            let Some(backup) = &backup else {
                source.has_content(checksum)?;
                return source.is_unchanged();
            };
            backup.make()?;
            source.has_content(checksum)?;
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

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts the content of a file into a draft, and computes its checksum.
fn pour(
    source: &Source,
    plan: &Plan,
    mut draft: Draft<'_>,
    report: &mut dyn Report,
) -> Result<(Drafted, u32), Failure> {
    let mut pump = plan.pump()?;
    let mut content = source.content().with_checksum();
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
    Ok((draft.finish(run)?, content.checksum()))
}
