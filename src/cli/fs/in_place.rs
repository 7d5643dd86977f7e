//! In-place conversion of files.
//!
//! Replacement is atomic: the new content is written to a temporary file in the same directory, synced,
//! and renamed over the old file. After a crash or a power loss the file has its old or its new content,
//! complete. A file that cannot be converted, or would not change, is left untouched.
//!
//! [`InPlaceOptions`] configures the conversion. An [`InPlaceConverter`] converts one file at a time and
//! can be shared between threads.
//!
//! ```
//! use charpipe::{ErrorEvent, ErrorReporter, TranscodeOptions};
//! use charpipe::cli::fs::in_place::{InPlaceConverter, InPlaceOptions, InPlaceOutcome, InPlaceReporter};
//! use charpipe::cli::fs::output::TempFileRegistry;
//!
//! struct Silent;
//!
//! impl ErrorReporter for Silent {
//!     fn wants_position(&self) -> bool {
//!         false
//!     }
//!     fn error(&mut self, _: &ErrorEvent) {}
//! }
//!
//! impl InPlaceReporter for Silent {
//!     fn begin_file(&mut self, _: &TranscodeOptions) {}
//! }
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("menu");
//! std::fs::write(&path, b"caf\xE9")?;
//! let options = TranscodeOptions::from_labels("latin1", "utf-8")?;
//! let options = InPlaceOptions::new(options);
//! let converter = InPlaceConverter::new(options, TempFileRegistry::default())?;
//! let claim = converter.claim(&path)?.expect("not claimed yet");
//! let outcome = converter.convert(claim, &mut Silent)?;
//! assert!(matches!(outcome, InPlaceOutcome::Converted(_)));
//! assert_eq!(std::fs::read(&path)?, "café".as_bytes());
//! assert!(converter.claim(&path)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cli::fs::directory::FileEntry;
use crate::cli::fs::output::atomic_file::AtomicFile;
use crate::cli::fs::output::{CommitError, TempFileRegistry};
use crate::cli::quote::Quoted;
use crate::cli::sniff::{InputEncoding, Resolution};
use crate::cli::sys::status::FileStatus;
use crate::detect::Confidence;
use crate::detect::binary::{self, BinaryReason};
use crate::error::{ConversionError, Error};
use crate::options::{EncodingSpec, TranscodeOptions};
use crate::transcoder::{ErrorReporter, Transcoder};

mod backup;
mod file_key_set;
mod lazy_writer;
mod locked_file;
mod preflight;

use backup::Backup;
use file_key_set::{FileKey, FileKeySet};
use lazy_writer::{LazyWriter, WriteResult};
use locked_file::LockedFile;
use preflight::SkipReason;

/// Options of an in-place conversion.
#[derive(Debug, Clone)]
pub struct InPlaceOptions {
    /// The conversion. Its `from` is replaced by the result of
    /// [`input_encoding`](InPlaceOptions::input_encoding).
    pub transcode_options: TranscodeOptions,
    /// How to determine the encoding of a file.
    pub input_encoding: InputEncoding,
    /// The suffix of the backup's name. `None` for no backup.
    pub backup_suffix: Option<OsString>,
    /// Determine the outcome without writing anything.
    pub dry_run: bool,
    /// Preserve the modification time.
    pub keep_mtime: bool,
    /// Convert files that have several hard links. The other links keep the old content.
    pub break_hard_links: bool,
    /// Convert binary files and files that are already converted, and replace existing backups.
    pub force: bool,
    /// The minimum confidence in a detected encoding. Files with less are not converted.
    pub min_confidence: Confidence,
}

/// An open file that no other thread converts.
#[derive(Debug)]
pub struct FileClaim {
    file: LockedFile,
    key: FileKey,
}

/// The outcome of an in-place conversion that did not fail.
#[derive(Debug, Clone)]
pub enum InPlaceOutcome {
    /// The file was converted from this encoding, or would be without `dry_run`.
    Converted(EncodingSpec),
    /// The file has the same bytes in both encodings. It was not written.
    Unchanged,
    /// The file is already valid in the encoding of this name, so another conversion would corrupt it.
    /// It was not written.
    AlreadyConverted(&'static str),
    /// The file has already been processed, perhaps under another name.
    AlreadyProcessed,
    /// The file is binary. It was not written.
    Binary(BinaryReason),
}

impl InPlaceOptions {
    /// Returns options for this conversion, without a backup and with all safety checks.
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

/// The reason why a file was not converted. The file is unchanged, except after
/// [`InPlaceError::NotDurable`].
#[derive(Debug)]
#[non_exhaustive]
pub enum InPlaceError {
    /// A conversion error under the action [`Stop`](crate::error_policy::ErrorAction::Stop).
    Conversion(Box<ConversionError>),
    /// The file has neither a byte order mark nor valid UTF-8, and no default encoding is given.
    UnknownEncoding,
    /// The detector does not know the encoding.
    DetectionFailed,
    /// The detector returned this encoding, but with less confidence than required.
    LowConfidence(String, Confidence),
    /// It is not a regular file.
    NotRegularFile,
    /// It has this number of hard links, and replacing it would break them.
    HardLinked(u64),
    /// Another process has locked it.
    Locked,
    /// Its backup, of this name, already exists.
    BackupExists(OsString),
    /// It cannot be read.
    Read(io::Error),
    /// The new content cannot be written or renamed over the old.
    Write(io::Error),
    /// It is converted, but its directory could not be synced: the old file may be back after a crash.
    NotDurable(io::Error),
    /// The options are invalid.
    InvalidOptions(Error),
}

impl InPlaceError {
    /// Returns whether the content of the file is the reason, rather than the system or the options.
    pub fn is_data_error(&self) -> bool {
        use InPlaceError::{Conversion, DetectionFailed, LowConfidence, UnknownEncoding};
        matches!(self, Conversion(_) | UnknownEncoding | DetectionFailed | LowConfidence(..))
    }
}

impl fmt::Display for InPlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InPlaceError::Conversion(error) => error.fmt(f),
            InPlaceError::UnknownEncoding => {
                f.write_str("cannot determine encoding: no BOM and not valid UTF-8")
            }
            InPlaceError::DetectionFailed => f.write_str("encoding could not be detected"),
            InPlaceError::LowConfidence(encoding, confidence) => {
                write!(f, "detected {encoding} ({confidence}); not converted")
            }
            InPlaceError::NotRegularFile => f.write_str("is not a regular file"),
            InPlaceError::HardLinked(links) => {
                write!(f, "has {links} hard links; not converted")
            }
            InPlaceError::Locked => f.write_str("is locked by another process"),
            InPlaceError::BackupExists(name) => {
                write!(f, "backup {} already exists; not converted", Quoted::new(name))
            }
            InPlaceError::Read(_) => f.write_str("cannot be read"),
            InPlaceError::Write(_) => f.write_str("cannot be written"),
            InPlaceError::NotDurable(_) => f.write_str(
                "converted, but syncing its directory failed; it may be lost after a crash",
            ),
            InPlaceError::InvalidOptions(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InPlaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InPlaceError::Read(error)
            | InPlaceError::Write(error)
            | InPlaceError::NotDurable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<CommitError> for InPlaceError {
    fn from(error: CommitError) -> InPlaceError {
        match error {
            CommitError::NotCommitted(error) => InPlaceError::Write(error),
            CommitError::NotDurable(error) => InPlaceError::NotDurable(error),
        }
    }
}

impl From<Error> for InPlaceError {
    fn from(error: Error) -> InPlaceError {
        match error {
            Error::Conversion(error) => InPlaceError::Conversion(error),
            Error::Read(error) => InPlaceError::Read(error),
            Error::Io(error) => InPlaceError::Write(error),
            other => InPlaceError::InvalidOptions(other),
        }
    }
}

/// Receives conversion errors and progress of in-place conversions.
pub trait InPlaceReporter: ErrorReporter {
    /// Called before the conversion of a file, with its options.
    fn begin_file(&mut self, options: &TranscodeOptions);

    /// Called before [`begin_file`](InPlaceReporter::begin_file) if the encoding has been detected. A
    /// guess should be reported to the user.
    fn encoding_detected(&mut self, _encoding: &EncodingSpec, _confidence: Confidence) {}
}

/// Converts files in place.
#[derive(Debug)]
pub struct InPlaceConverter {
    options: InPlaceOptions,
    temp_files: TempFileRegistry,
    /// Files that are being converted or have been.
    claimed: Arc<Mutex<FileKeySet>>,
    hard_link_lock: Arc<Mutex<()>>,
}

impl InPlaceConverter {
    /// Returns a converter. Temporary files are listed in `temp_files` while they have a name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`TranscodeOptions::build`] for invalid options.
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
            options,
            temp_files,
            claimed: Arc::default(),
            hard_link_lock: Arc::default(),
        })
    }

    /// Returns the options.
    pub fn options(&self) -> &InPlaceOptions {
        &self.options
    }

    /// Returns a converter with other options. Files that one of them has claimed are claimed for both.
    ///
    /// # Errors
    ///
    /// As [`new`](InPlaceConverter::new).
    pub fn with_options(&self, options: InPlaceOptions) -> Result<InPlaceConverter, Error> {
        let (claimed, hard_link_lock) = (self.claimed.clone(), self.hard_link_lock.clone());
        let converter = InPlaceConverter::new(options, self.temp_files.clone())?;
        Ok(InPlaceConverter { claimed, hard_link_lock, ..converter })
    }

    /// Opens a file to convert it, following symbolic links. Returns `None` if it has already been
    /// claimed, perhaps under another name.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn claim(&self, path: &Path) -> Result<Option<FileClaim>, InPlaceError> {
        self.claim_source(LockedFile::open_path(path)?)
    }

    /// Claims a file found by a search. It is opened, and later replaced, relative to its directory;
    /// symbolic links are not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn claim_entry(&self, entry: &FileEntry) -> Result<Option<FileClaim>, InPlaceError> {
        self.claim_source(LockedFile::open_entry(entry.clone())?)
    }

    fn claim_source(&self, file: LockedFile) -> Result<Option<FileClaim>, InPlaceError> {
        let key = file.key(self.options.break_hard_links).map_err(InPlaceError::Read)?;
        let is_new = self.claimed().insert(&key);
        Ok(is_new.then_some(FileClaim { file, key }))
    }

    /// Converts one file.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file was not converted. Conversion errors are included only if the
    /// error policy stops on them.
    pub fn convert(
        &self,
        claim: FileClaim,
        reporter: &mut impl InPlaceReporter,
    ) -> Result<InPlaceOutcome, InPlaceError> {
        // All hard links of a file share its lock, so they are converted one after the other.
        let _guard = self.options.break_hard_links.then(|| self.hard_link_lock.lock());
        let FileClaim { mut file, key } = claim;
        if let Err(error) = file.lock() {
            // Another thread may have replaced the file between opening and claiming it.
            let current_key = file.entry.file_id().map(FileKey::from_id);
            let replaced_by_us = current_key
                .is_ok_and(|current| current != key && self.claimed().contains(&current));
            return if replaced_by_us { Ok(InPlaceOutcome::AlreadyProcessed) } else { Err(error) };
        }
        let options = match self.resolve_options(&file, reporter)? {
            Ok(options) => options,
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

    /// Returns the options for a file, or the reason why it is binary if its encoding cannot be determined.
    fn resolve_options(
        &self,
        file: &LockedFile,
        reporter: &mut impl InPlaceReporter,
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

    /// Replaces the file by its new content if the old content still has this checksum.
    fn commit(
        &self,
        original: &LockedFile,
        key: &FileKey,
        backup: Option<Backup<'_>>,
        new_file: AtomicFile,
        checksum: u32,
    ) -> Result<(), InPlaceError> {
        if self.options.keep_mtime {
            let mtime = original.status.modified();
            mtime.and_then(|mtime| new_file.set_mtime(mtime)).map_err(InPlaceError::Write)?;
        }
        let mut new_key = None;
        let committed = new_file.commit(|file| {
            // Other threads may find the new file as soon as it is renamed.
            new_key = FileStatus::of(file)?.file_id().map(FileKey::from_id);
            if let Some(new) = &new_key {
                self.claimed().insert(new);
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
            // The inode number of the old file may be reused for another file.
            _ => backup.is_none().then(|| key.clone()),
        };
        if let Some(key) = unclaimed {
            self.claimed().remove(&key);
        }
        committed.map_err(InPlaceError::from)
    }

    fn claimed(&self) -> MutexGuard<'_, FileKeySet> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the converted content of a file to `writer`. Returns the result and the checksum of the old
/// content.
fn convert_into(
    file: &LockedFile,
    options: &TranscodeOptions,
    mut writer: LazyWriter<'_>,
    reporter: &mut dyn ErrorReporter,
) -> Result<(WriteResult, u32), InPlaceError> {
    let mut transcoder = options.build()?;
    let mut reader = file.reader().with_checksum();
    let result = transcode_reader(&mut transcoder, &mut reader, &mut writer, reporter)
        .and_then(|()| Ok(transcoder.finish(&mut writer, reporter)?));
    Ok((writer.finish(result)?, reader.checksum()))
}

/// Transcodes the rest of a file, up to the end of the input but not of the output.
fn transcode_reader(
    transcoder: &mut Transcoder,
    reader: &mut impl Read,
    writer: &mut dyn Write,
    reporter: &mut dyn ErrorReporter,
) -> Result<(), InPlaceError> {
    transcoder.process_reader(reader, writer, reporter)?;
    Ok(transcoder.finish_input(writer, reporter)?)
}
