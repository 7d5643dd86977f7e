//! Files that are converted where they stand.
//!
//! A file is the old one or the new one, whole, at every instant, whatever ends the process or the
//! power: the new content comes into being beside the old and takes its position with one `rename`
//! when it is on disk. A file that cannot be converted is left alone, and so is one that would not
//! change.
//!
//! [`Rewriting`] says what is to be done. [`InPlace`] does it, to one file at a time; several
//! threads may share one.
//!
//! ```
//! use charpipe::error::Error;
//! use charpipe::inplace::{InPlace, Outcome, Rewriting, Told};
//! use charpipe::options::Options;
//! use charpipe::transcoder::Report;
//! use charpipe::sink::Temporaries;
//!
//! struct Silence;
//!
//! impl Report for Silence {
//!     fn wants_position(&self) -> bool {
//!         false
//!     }
//!     fn error(&mut self, _: &Error) {}
//! }
//!
//! impl Told for Silence {
//!     fn begins(&mut self, _: &Options) {}
//! }
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("menu");
//! std::fs::write(&path, b"caf\xE9")?;
//! let options = Options::new("latin1".parse()?, "utf-8".parse()?);
//! let in_place = InPlace::new(Rewriting::new(options), Temporaries::default())?;
//! let claim = in_place.claim(&path)?.expect("nobody else converts it");
//! let outcome = in_place.convert(claim, &mut Silence)?;
//! assert!(matches!(outcome, Outcome::Converted(_)));
//! assert_eq!(std::fs::read(&path)?, "café".as_bytes());
//! assert!(in_place.claim(&path)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::binary::{self, BinaryReason};
use crate::detect::Confidence;
use crate::directory::FileEntry;
use crate::error::Error;
use crate::file_id::FileId;
use crate::options::{EncodingSpec, TranscodeOptions};
use crate::output::atomic_file::AtomicFile;
use crate::output::{CommitError, TempFileRegistry};
use crate::sniff::{InputEncoding, Resolution};
use crate::transcoder::ErrorReporter;

mod backup;
mod content_reader;
mod error;
mod file_key_set;
mod lazy_writer;
mod locked_file;
mod preflight;

use backup::Backup;
pub use error::InPlaceError;
use file_key_set::FileKeySet;
use lazy_writer::{LazyWriter, WriteResult};
use locked_file::{FileKey, LockedFile};
use preflight::SkipReason;

/// How files are to be rewritten.
#[derive(Debug, Clone)]
pub struct InPlaceOptions {
    /// What to convert; its `from` gives way to [`origin`](Rewriting::origin).
    pub transcode_options: TranscodeOptions,
    /// Where the encoding of a file is taken from.
    pub input_encoding: InputEncoding,
    /// What is put after the name of a file to keep its old content by. Without one it is lost.
    pub backup_suffix: Option<OsString>,
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
pub struct FileClaim {
    file: LockedFile,
    key: FileKey,
}

/// What has become of a file that nothing is wrong with.
#[derive(Debug, Clone)]
pub enum InPlaceOutcome {
    /// It was converted from this encoding, or would be if something were written.
    Converted(EncodingSpec),
    /// Its bytes are the same in both encodings. It was not written.
    Unchanged,
    /// It is already valid in the encoding of this name, so another conversion would corrupt it. It was
    /// not written.
    AlreadyConverted(&'static str),
    /// It has been dealt with already, perhaps by another name.
    AlreadyProcessed,
    /// It is binary. It was not written.
    Binary(BinaryReason),
}

impl InPlaceOptions {
    /// What this options says, with every care: no backup, but nothing that might be a mistake.
    pub fn new(options: TranscodeOptions) -> InPlaceOptions {
        InPlaceOptions {
            input_encoding: InputEncoding::Fixed(options.from.clone()),
            transcode_options: options,
            backup_suffix: None,
            dry_run: false,
            keep_mtime: false,
            break_hard_links: false,
            force: false,
            min_confidence: Confidence::Likely,
        }
    }
}

/// Told of the errors of a file.
pub trait InPlaceReporter: ErrorReporter {
    /// The conversion of a file begins, by this options.
    fn begin_file(&mut self, options: &TranscodeOptions);

    /// Its encoding has been detected, before it begins. That of a guess should be told.
    fn encoding_detected(&mut self, _encoding: &EncodingSpec, _confidence: Confidence) {}
}

/// Rewrites files.
#[derive(Debug)]
pub struct InPlaceConverter {
    options: InPlaceOptions,
    temp_files: TempFileRegistry,
    /// Files that are being dealt with or have been.
    claimed: Mutex<FileKeySet>,
    hard_link_lock: Mutex<()>,
}

impl InPlaceConverter {
    /// Temporary files stand in the list as long as they have a name of their own.
    ///
    /// # Errors
    ///
    /// As [`Options::transcoder`], for a options that cannot be carried out.
    pub fn new(
        options: InPlaceOptions,
        temp_files: TempFileRegistry,
    ) -> Result<InPlaceConverter, Error> {
        if let InputEncoding::Fixed(from) | InputEncoding::Auto(Some(from)) =
            &options.input_encoding
        {
            TranscodeOptions { from: from.clone(), ..options.transcode_options.clone() }.build()?;
        }
        options.transcode_options.build()?;
        Ok(InPlaceConverter {
            options: options,
            temp_files: temp_files,
            claimed: Mutex::default(),
            hard_link_lock: Mutex::default(),
        })
    }

    /// Opens a file to convert it. None if it has been claimed already, perhaps by another name.
    /// Where the path is a symbolic link, the file that it leads to is meant.
    ///
    /// # Errors
    ///
    /// Why it cannot be opened.
    pub fn claim(&self, path: &Path) -> Result<Option<FileClaim>, InPlaceError> {
        self.claim_source(LockedFile::open_path(path)?)
    }

    /// Claims a file that a search has found. It is opened, and later replaced, within its
    /// directory, and symbolic links are not followed.
    ///
    /// # Errors
    ///
    /// Why it cannot be opened.
    pub fn claim_entry(&self, entry: &FileEntry) -> Result<Option<FileClaim>, InPlaceError> {
        self.claim_source(LockedFile::open_entry(entry.entry_ref().clone())?)
    }

    fn claim_source(&self, file: LockedFile) -> Result<Option<FileClaim>, InPlaceError> {
        let key = file.key(self.options.break_hard_links).map_err(InPlaceError::Read)?;
        let is_new = self.known().insert(&key);
        Ok(is_new.then_some(FileClaim { file, key }))
    }

    /// Converts one file.
    ///
    /// # Errors
    ///
    /// Why it was not converted. Errors that the policy knows an answer to are none.
    pub fn convert(
        &self,
        claim: FileClaim,
        reporter: &mut dyn InPlaceReporter,
    ) -> Result<InPlaceOutcome, InPlaceError> {
        // Names of one file share its lock, so they are converted one after the other.
        let _turn = self.options.break_hard_links.then(|| self.hard_link_lock.lock());
        let FileClaim { mut file, key } = claim;
        if let Err(error) = file.lock() {
            // It may have been replaced between its opening and its claim, and not by others.
            let current_key =
                file.entry.stat().map(|stat| FileKey::from_id(FileId::from_stat(&stat)));
            let replaced_by_us =
                current_key.is_ok_and(|stands| stands != key && self.known().contains(&stands));
            return if replaced_by_us { Ok(InPlaceOutcome::AlreadyProcessed) } else { Err(error) };
        }
        let options = match self.resolve_options(&file, reporter)? {
            Ok(transcode_options) => transcode_options,
            Err(reason) => return Ok(InPlaceOutcome::Binary(reason)),
        };
        if !self.options.force {
            match preflight::preflight_check(&file, &options)? {
                Some(SkipReason::AlreadyConverted) => {
                    return Ok(InPlaceOutcome::AlreadyConverted(options.to.encoding.name));
                }
                Some(SkipReason::Binary(reason)) => return Ok(InPlaceOutcome::Binary(reason)),
                None => {}
            }
        }
        let suffix = self.options.backup_suffix.as_deref();
        let backup = suffix.map(|suffix| Backup::new(&file, suffix, self.options.force));
        let check_allowed = || {
            file.check_replaceable(self.options.break_hard_links, backup.as_ref())?;
            backup.as_ref().map_or(Ok(()), Backup::check_available)
        };
        let writer = LazyWriter::new(&file, &self.temp_files, &check_allowed, self.options.dry_run);
        reporter.begin_file(&options);
        match convert_into(&file, &options, writer, reporter)? {
            (WriteResult::Unchanged, _) => return Ok(InPlaceOutcome::Unchanged),
            (WriteResult::WouldChange, _) => {}
            (WriteResult::Changed(new_file), checksum) => {
                self.commit(&file, &key, backup, new_file, checksum)?;
            }
        }
        Ok(InPlaceOutcome::Converted(options.from))
    }

    /// The options for a file, or the reason why it is binary if its encoding cannot be determined.
    fn resolve_options(
        &self,
        file: &LockedFile,
        reporter: &mut dyn InPlaceReporter,
    ) -> Result<Result<TranscodeOptions, BinaryReason>, InPlaceError> {
        let input_encoding = &self.options.input_encoding;
        let from = match input_encoding.resolve(&mut file.reader()).map_err(InPlaceError::Read)? {
            Resolution::Encoding(from, Some(confidence)) => {
                if confidence < self.options.min_confidence {
                    return Err(InPlaceError::LowConfidence(from.to_string(), confidence));
                }
                reporter.encoding_detected(&from, confidence);
                from
            }
            Resolution::Encoding(from, None) => from,
            resolution @ (Resolution::Binary | Resolution::Unknown) => {
                let reason =
                    binary::scan_reader(&mut file.reader(), None).map_err(InPlaceError::Read)?;
                return match (resolution, reason) {
                    (_, Some(reason)) => Ok(Err(reason)),
                    (Resolution::Binary, None) => Ok(Err(BinaryReason::RandomBytes)),
                    _ if matches!(input_encoding, InputEncoding::Detect) => {
                        Err(InPlaceError::DetectionFailed)
                    }
                    _ => Err(InPlaceError::UnknownEncoding),
                };
            }
        };
        let buffer_size = self.options.transcode_options.buffer_size.min(file.buffer_size());
        Ok(Ok(TranscodeOptions {
            buffer_size,
            ..input_encoding.options_for(&self.options.transcode_options, from)
        }))
    }

    /// Puts the new content into the position of the old, if that still has this checksum.
    fn commit(
        &self,
        original: &LockedFile,
        key: &FileKey,
        backup: Option<Backup<'_>>,
        new_file: AtomicFile,
        checksum: u32,
    ) -> Result<(), InPlaceError> {
        if self.options.keep_mtime {
            let keep = || new_file.set_mtime(original.metadata.modified()?);
            keep().map_err(InPlaceError::Write)?;
        }
        let mut new_key = None;
        let committed = new_file.commit(|file| {
            // Other threads may meet the new file as soon as it is in its position.
            new_key = FileId::from_fd(file.as_fd())?.map(FileKey::from_id);
            if let Some(new) = &new_key {
                self.known().insert(new);
            }
            original.check_unchanged()?;
            let Some(backup) = &backup else {
                original.check_checksum(checksum)?;
                return original.check_unchanged();
            };
            backup.create()?;
            original.check_checksum(checksum)?;
            original.check_not_written()
        });
        let unclaimed = match &committed {
            Err(CommitError::NotCommitted(_)) => {
                backup.iter().for_each(Backup::remove);
                new_key
            }
            // Its number is free, for what may be another file.
            _ => backup.is_none().then(|| key.clone()),
        };
        if let Some(gone) = unclaimed {
            self.known().remove(&gone);
        }
        committed.map_err(InPlaceError::from)
    }

    fn known(&self) -> MutexGuard<'_, FileKeySet> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts the content of a file into a draft, and computes its checksum.
fn convert_into(
    file: &LockedFile,
    options: &TranscodeOptions,
    mut writer: LazyWriter<'_>,
    reporter: &mut dyn ErrorReporter,
) -> Result<(WriteResult, u32), InPlaceError> {
    let mut transcoder = options.build()?;
    let mut reader = file.reader().with_checksum();
    let mut transcode_all = || {
        transcoder.process_reader(&mut reader, &mut writer, reporter)?;
        transcoder.finish_input(&mut writer, reporter)?;
        Ok(transcoder.finish(&mut writer, reporter)?)
    };
    let run = transcode_all();
    Ok((writer.finish(run)?, reader.checksum()))
}
