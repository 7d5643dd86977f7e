//! Conversion of files in place, or of each to a file of its own.
//!
//! Replacement is atomic: the new content is written to a temporary file in the same directory, synced,
//! and renamed over the old file. After a crash or a power loss the file has its old or its new content,
//! complete. A file that cannot be converted, or would not change, is left untouched.
//!
//! [`FileConverterOptions`] configures the conversion. An [`FileConverter`] converts one file at a time and
//! can be shared between threads.
//!
//! ```
//! use charpipe::{ErrorEvent, ErrorReporter, TranscodeOptions};
//! use charpipe::cli::fs::file_converter::{FileConverter, FileConverterOptions, FileOutcome, FileReporter};
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
//! impl FileReporter for Silent {
//!     fn begin_file(&mut self, _: &TranscodeOptions) {}
//! }
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("menu");
//! std::fs::write(&path, b"caf\xE9")?;
//! let options = TranscodeOptions::from_labels("latin1", "utf-8")?;
//! let options = FileConverterOptions::new(options);
//! let converter = FileConverter::new(options, TempFileRegistry::default())?;
//! let claim = converter.claim(&path)?.expect("not claimed yet");
//! let outcome = converter.convert(claim, &mut Silent)?;
//! assert!(matches!(outcome, FileOutcome::Converted(_)));
//! assert_eq!(std::fs::read(&path)?, "café".as_bytes());
//! assert!(converter.claim(&path)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use crate::cli::advice::{InputSample, SAMPLE_LEN};
use crate::cli::fs::directory::FileEntry;
use crate::cli::fs::output::atomic_file::AtomicFile;
use crate::cli::fs::output::{CommitError, TempFileRegistry};
use crate::cli::sniff::{self, InputEncoding, Resolution, ResolvedInput};
use crate::cli::sys::preserve::Preserve;
use crate::cli::sys::{FileAccess, stdio};
use charpipe_detect::binary::{self, BinaryReason};
use charpipe_detect::{Confidence, Declaration};
use charpipe_encoding::error::Error;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};
use charpipe_transcode::parallel::{self, MIN_PARALLEL_SIZE, PoolOptions};
use charpipe_transcode::transcoder::ErrorReporter;

mod backup;
mod error;
mod file_key_set;
mod lazy_writer;
mod locked_file;
mod outputs;
mod preflight;
mod spare_threads;

use backup::Backup;
use file_key_set::{FileKey, FileKeySet};
use lazy_writer::{LazyWriter, WriteResult};
use locked_file::LockedFile;
use outputs::{ClaimedOutput, OutputRules};
use preflight::{SkipReason, TargetEvidence, preflight_check};

pub use error::FileError;
pub use outputs::{Destination, Outputs};
pub use spare_threads::SpareThreads;

/// Options of the conversion of files.
#[derive(Debug, Clone)]
pub struct FileConverterOptions {
    /// The conversion. Its `from` is replaced by the result of
    /// [`input_encoding`](FileConverterOptions::input_encoding).
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
    /// Convert binary files and files that are already converted, and replace existing backups and
    /// read-only outputs.
    pub force: bool,
    /// The metadata that a file keeps when it is replaced.
    pub preserve: Preserve,
    /// The minimum confidence in a detected encoding. Files with less are not converted.
    pub min_confidence: Confidence,
}

/// An open file that no other thread converts.
#[derive(Debug)]
pub struct FileClaim {
    file: LockedFile,
    key: FileKey,
    /// Where it is converted to if not in place.
    output: Option<ClaimedOutput>,
}

impl FileClaim {
    /// Returns the path of the output if the file is not converted in place.
    pub fn output_path(&self) -> Option<&Path> {
        self.output.as_ref().map(ClaimedOutput::path)
    }

    /// Returns a reader of the content.
    pub fn reader(&self) -> impl Read + '_ {
        self.file.reader_at(0)
    }
}

/// The outcome of a conversion that did not fail.
#[derive(Debug, Clone)]
pub enum FileOutcome {
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
    /// A rule says that the file is binary. It was not read.
    Excluded,
}

impl FileConverterOptions {
    /// Returns options for this conversion, without a backup and with all safety checks.
    pub fn new(options: TranscodeOptions) -> FileConverterOptions {
        FileConverterOptions {
            input_encoding: InputEncoding::Fixed(options.from.clone()),
            transcode_options: options,
            backup_suffix: None,
            dry_run: false,
            keep_mtime: false,
            break_hard_links: false,
            force: false,
            preserve: Preserve::default(),
            min_confidence: Confidence::Likely,
        }
    }
}

/// Receives conversion errors and progress of the conversions of files.
pub trait FileReporter: ErrorReporter {
    /// Called before the conversion of a file, with its options.
    fn begin_file(&mut self, options: &TranscodeOptions);

    /// Called before [`begin_file`](FileReporter::begin_file) if the encoding has been detected. A
    /// guess should be reported to the user.
    fn encoding_detected(&mut self, _encoding: &EncodingSpec, _confidence: Confidence) {}

    /// Called before [`begin_file`](FileReporter::begin_file) if the bytes contradict a declaration of
    /// the encoding.
    fn declaration_ignored(&mut self, _declaration: &Declaration) {}

    /// Called after a conversion, also one that failed. Returns the offset at which
    /// [`sample`](FileReporter::sample) needs the bytes of the file.
    fn wanted_sample(&self) -> Option<u64> {
        None
    }

    /// Called with the bytes of the file, up to `SAMPLE_LEN`, if they were wanted.
    fn sample(&mut self, _sample: InputSample<'_>) {}
}

/// Converts files in place, or each to a file of its own.
#[derive(Debug)]
pub struct FileConverter {
    options: FileConverterOptions,
    /// Where the files are converted to if not in place.
    outputs: Option<Outputs>,
    temp_files: TempFileRegistry,
    /// Files that are being converted or have been.
    claimed: Arc<Mutex<FileKeySet>>,
    hard_link_lock: Arc<Mutex<()>>,
    /// Held for reading while a file is replaced on Windows, where it cannot be opened for a moment.
    replacements: Arc<RwLock<()>>,
    spare_threads: Arc<SpareThreads>,
    /// What is evidence that a file is already converted, if it is the same for all files.
    evidence: OnceLock<Option<TargetEvidence>>,
}

impl FileConverter {
    /// Returns a converter. Temporary files are listed in `temp_files` while they have a name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`TranscodeOptions::build`] for invalid options.
    pub fn new(
        options: FileConverterOptions,
        temp_files: TempFileRegistry,
    ) -> Result<FileConverter, Error> {
        if let InputEncoding::Fixed(from) | InputEncoding::Auto(Some(from)) =
            &options.input_encoding
        {
            let mut options = options.transcode_options.clone();
            options.from = from.clone();
            options.build()?;
        }
        options.transcode_options.build()?;
        Ok(FileConverter {
            options,
            outputs: None,
            temp_files,
            claimed: Arc::default(),
            hard_link_lock: Arc::default(),
            replacements: Arc::default(),
            spare_threads: Arc::default(),
            evidence: OnceLock::new(),
        })
    }

    /// Returns a converter that converts each file to an output of its own. The files are not modified.
    pub fn with_outputs(self, outputs: Option<Outputs>) -> FileConverter {
        FileConverter { outputs, ..self }
    }

    /// Returns a converter that converts parts of large files on threads that are added to `spare_threads`,
    /// also during the conversion.
    pub fn with_spare_threads(self, spare_threads: Arc<SpareThreads>) -> FileConverter {
        FileConverter { spare_threads, ..self }
    }

    pub fn options(&self) -> &FileConverterOptions {
        &self.options
    }

    /// Returns a converter with other options. Files that one of them has claimed are claimed for
    /// both.
    ///
    /// # Errors
    ///
    /// As [`new`](FileConverter::new).
    pub fn with_options(&self, options: FileConverterOptions) -> Result<FileConverter, Error> {
        let converter = FileConverter::new(options, self.temp_files.clone())?;
        Ok(FileConverter {
            claimed: self.claimed.clone(),
            hard_link_lock: self.hard_link_lock.clone(),
            replacements: self.replacements.clone(),
            spare_threads: self.spare_threads.clone(),
            ..converter
        })
    }

    /// Returns where the files are converted to if not in place.
    pub fn outputs(&self) -> Option<&Outputs> {
        self.outputs.as_ref()
    }

    /// Opens a file to convert it, following symbolic links. Returns `None` if it has already been
    /// claimed, perhaps under another name.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn claim(&self, path: &Path) -> Result<Option<FileClaim>, FileError> {
        self.claim_source(|| LockedFile::open_path(path, FileAccess::Convert))
    }

    /// Claims a file found by a search. It is opened, and later replaced, relative to its directory;
    /// symbolic links are not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn claim_entry(&self, entry: &FileEntry) -> Result<Option<FileClaim>, FileError> {
        self.claim_source(|| LockedFile::open_entry(entry.clone(), FileAccess::Convert))
    }

    /// Opens a file to convert it to an output of its own. `path` is its path, `entry` its entry if it was
    /// found by a search, and `relative` its path in the output directory.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened, or if its output is an input or another output.
    pub fn claim_output(
        &self,
        outputs: &Outputs,
        path: &Path,
        entry: Option<&FileEntry>,
        relative: &Path,
    ) -> Result<FileClaim, FileError> {
        let file = match entry {
            Some(entry) => LockedFile::open_entry(entry.clone(), FileAccess::Read)?,
            None => LockedFile::open_path(path, FileAccess::Read)?,
        };
        let output = Some(outputs.claim(&file, path, relative)?);
        Ok(FileClaim { key: FileKey::from_id(file.id), file, output })
    }

    fn claim_source(
        &self,
        open: impl Fn() -> Result<LockedFile, FileError>,
    ) -> Result<Option<FileClaim>, FileError> {
        let file = match open() {
            // Another thread may be replacing it.
            Err(_) if cfg!(windows) => {
                let _guard = self.replacements.write().unwrap_or_else(PoisonError::into_inner);
                open()?
            }
            result => result?,
        };
        let key = file.key(self.options.break_hard_links).map_err(FileError::Read)?;
        let is_new = self.claimed().insert(&key);
        Ok(is_new.then_some(FileClaim { file, key, output: None }))
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
        reporter: &mut (impl FileReporter + Send),
    ) -> Result<FileOutcome, FileError> {
        let FileClaim { mut file, key, output } = claim;
        if let (Some(outputs), Some(output)) = (&self.outputs, output) {
            return self.convert_to_output(file, outputs, &output, reporter);
        }
        // All hard links of a file share its lock, so they are converted one after the other.
        let _guard = self.options.break_hard_links.then(|| self.hard_link_lock.lock());
        if let Err(error) = file.lock() {
            // Another thread may have replaced the file between opening and claiming it.
            let current_key = file.entry.file_id().map(FileKey::from_id);
            let replaced_by_us = current_key
                .is_ok_and(|current| current != key && self.claimed().contains(&current));
            return if replaced_by_us { Ok(FileOutcome::AlreadyProcessed) } else { Err(error) };
        }
        let options = match self.examine(&mut file, reporter)? {
            Ok(options) => options,
            Err(outcome) => return Ok(outcome),
        };
        let FileConverterOptions { dry_run, break_hard_links, force, preserve, .. } = self.options;
        let suffix = self.options.backup_suffix.as_deref();
        let backup = suffix.map(|suffix| Backup::new(&file, suffix, force, preserve));
        let create = || {
            let has_own_backup = backup.as_ref().is_some_and(Backup::already_exists);
            file.check_replaceable(break_hard_links, has_own_backup)?;
            backup.as_ref().map_or(Ok(()), Backup::check_available)?;
            if dry_run {
                file.entry.directory.check_writable().map_err(FileError::Write)?;
                return Ok(None);
            }
            self.create_replacement(&file).map(Some).map_err(FileError::Write)
        };
        reporter.begin_file(&options);
        let writer = LazyWriter::new(&file, &create);
        let result = convert_into(&file, &options, writer, reporter, &self.spare_threads);
        give_sample(&file, reporter);
        match result? {
            (WriteResult::Unchanged, _) => return Ok(FileOutcome::Unchanged),
            (WriteResult::WouldChange, _) => {}
            (WriteResult::Changed(new_file), checksum) => {
                self.commit(&file, &key, backup, new_file, checksum)?;
            }
        }
        Ok(FileOutcome::Converted(options.from))
    }

    /// Creates the new content of a file.
    fn create_replacement(&self, original: &LockedFile) -> io::Result<AtomicFile> {
        original.sync_mappings()?;
        let LockedFile { entry, file, status, .. } = original;
        let existing = (file.clone(), status.clone());
        let preserve = self.options.preserve;
        Ok(AtomicFile::replacing_open(entry.clone(), existing, preserve, &self.temp_files))
    }

    /// Converts one file to an output of its own. A file that would not change is copied, so that every
    /// file has an output, except for binary files if the outputs have a suffix.
    fn convert_to_output(
        &self,
        mut file: LockedFile,
        outputs: &Outputs,
        output: &ClaimedOutput,
        reporter: &mut (impl FileReporter + Send),
    ) -> Result<FileOutcome, FileError> {
        let FileConverterOptions { dry_run, break_hard_links, force, preserve, .. } = self.options;
        let rules = OutputRules { dry_run, break_hard_links, force, preserve };
        let examined = self.examine(&mut file, reporter)?;
        let file = &file;
        let create = || outputs.create(output, file, &rules, &self.temp_files);
        let in_output = |error| match error {
            FileError::Write(error) => output.error(error),
            error => error,
        };
        let (outcome, new_file) = match examined {
            Ok(options) => {
                reporter.begin_file(&options);
                let writer = LazyWriter::new(file, &create);
                let threads = &self.spare_threads;
                let result = convert_into(file, &options, writer, reporter, threads);
                give_sample(file, reporter);
                match result.map_err(in_output)?.0 {
                    WriteResult::Unchanged => (FileOutcome::Unchanged, None),
                    WriteResult::WouldChange => {
                        return Ok(FileOutcome::Converted(options.from));
                    }
                    WriteResult::Changed(new_file) => {
                        (FileOutcome::Converted(options.from), Some(new_file))
                    }
                }
            }
            Err(outcome) => (outcome, None),
        };
        let is_binary = matches!(outcome, FileOutcome::Binary(_));
        if is_binary && !outputs.destination().copies_binary_files() {
            return Ok(outcome);
        }
        let mut new_file = match new_file {
            Some(new_file) => new_file,
            None => {
                let Some(mut copy) = create()? else { return Ok(outcome) };
                copy_content(file, &mut copy).map_err(in_output)?;
                copy
            }
        };
        if self.options.keep_mtime {
            let mtime = file.status.modified();
            new_file.set_mtime(mtime.map_err(|error| output.error(error))?);
        }
        let committed = new_file.commit(|new| {
            let changed = |_| io::Error::other("the input was changed by another process");
            file.check_not_written().map_err(changed)?;
            outputs.register_new_file(output, new.status()?)
        });
        committed.map_err(|error| in_output(outputs.commit_error(output, error).into()))?;
        Ok(outcome)
    }

    /// Returns the options for a file, or the outcome if it is not to be converted.
    fn examine(
        &self,
        file: &mut LockedFile,
        reporter: &mut (impl FileReporter + Send),
    ) -> Result<Result<TranscodeOptions, FileOutcome>, FileError> {
        file.load().map_err(FileError::Read)?;
        file.byte_count.expect_passes(self.passes());
        let options = match self.resolve_options(file, reporter)? {
            Ok(options) => options,
            Err(reason) => return Ok(Err(FileOutcome::Binary(reason))),
        };
        let reason = match self.options.force {
            true => None,
            false => preflight_check(file, &options, self.target_evidence(&options))?,
        };
        Ok(match reason {
            Some(SkipReason::AlreadyConverted) => {
                Err(FileOutcome::AlreadyConverted(options.to.encoding.name()))
            }
            Some(SkipReason::Binary(reason)) => Err(FileOutcome::Binary(reason)),
            None => Ok(options),
        })
    }

    /// Returns what would be evidence that a file is already converted.
    fn target_evidence(&self, options: &TranscodeOptions) -> Option<TargetEvidence> {
        if self.options.input_encoding.needs_sniffing() {
            return TargetEvidence::new(options);
        }
        *self.evidence.get_or_init(|| TargetEvidence::new(options))
    }

    /// Returns the number of times that a file is examined: to determine its encoding, for each of the
    /// checks before the conversion, to convert it, and to compare the checksum.
    fn passes(&self) -> u64 {
        let FileConverterOptions { input_encoding, force, dry_run, .. } = &self.options;
        u64::from(input_encoding.needs_sniffing())
            + if *force { 0 } else { 2 }
            + 1
            + u64::from(!*dry_run)
    }

    /// Returns the options for a file, or the reason why it is binary if its encoding cannot be determined.
    fn resolve_options(
        &self,
        file: &LockedFile,
        reporter: &mut (impl FileReporter + Send),
    ) -> Result<Result<TranscodeOptions, BinaryReason>, FileError> {
        let input_encoding = &self.options.input_encoding;
        let ResolvedInput { resolution, ignored_declaration } =
            input_encoding.resolve(&mut file.reader()).map_err(FileError::Read)?;
        if let Some(declaration) = ignored_declaration {
            reporter.declaration_ignored(&declaration);
        }
        let from = match resolution {
            Resolution::Encoding(from) => from,
            Resolution::Detected(detected) => {
                if detected.confidence < self.options.min_confidence {
                    return Err(FileError::LowConfidence(detected));
                }
                reporter.encoding_detected(&detected.encoding, detected.confidence);
                detected.encoding
            }
            resolution @ (Resolution::Binary | Resolution::Unknown) => {
                let reason =
                    binary::scan_reader(&mut file.reader(), None).map_err(FileError::Read)?;
                return match (resolution, reason) {
                    (_, Some(reason)) => Ok(Err(reason)),
                    (Resolution::Binary, None) => Ok(Err(BinaryReason::RandomBytes)),
                    _ if matches!(input_encoding, InputEncoding::Detect(_)) => {
                        Err(FileError::DetectionFailed)
                    }
                    _ => {
                        let likely = sniff::likely_encoding(&mut file.reader());
                        Err(FileError::UnknownEncoding(likely))
                    }
                };
            }
        };
        // Text may become longer, and is then still written at once.
        let buffer_size = self.options.transcode_options.buffer_size.min(2 * file.buffer_size());
        let options = input_encoding.options_for(&self.options.transcode_options, from);
        Ok(Ok(options.buffer_size(buffer_size)))
    }

    /// Replaces the file by its new content if the old content still has this checksum.
    fn commit(
        &self,
        original: &LockedFile,
        key: &FileKey,
        backup: Option<Backup<'_>>,
        mut new_file: AtomicFile,
        checksum: u32,
    ) -> Result<(), FileError> {
        if self.options.keep_mtime {
            new_file.set_mtime(original.status.modified().map_err(FileError::Write)?);
        }
        let mut new_key = None;
        let _guard = cfg!(windows).then(|| self.replacements.read());
        let committed = new_file.commit(|file| {
            // Other threads may find the new file as soon as it is renamed.
            new_key = file.status()?.file_id().map(FileKey::from_id);
            if let Some(new) = &new_key {
                self.claimed().insert(new);
            }
            let Some(backup) = &backup else {
                original.check_checksum(checksum)?;
                return original.check_unchanged();
            };
            original.check_unchanged()?;
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
        committed.map_err(FileError::from)
    }

    fn claimed(&self) -> MutexGuard<'_, FileKeySet> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes the sample that the reporter needs. It gets none if the file cannot be read.
fn give_sample(file: &LockedFile, reporter: &mut impl FileReporter) {
    let Some(start) = reporter.wanted_sample() else { return };
    if let Some(content) = &file.content {
        let bytes = content.get(start as usize..).unwrap_or_default();
        return reporter
            .sample(InputSample { start, bytes: &bytes[..bytes.len().min(SAMPLE_LEN)] });
    }
    let mut bytes = vec![0; SAMPLE_LEN];
    if let Ok(len) = stdio::read_at(&file.file, &mut bytes, start) {
        reporter.sample(InputSample { start, bytes: &bytes[..len] });
    }
}

/// Writes the converted content of a file to `writer`. Returns the result and the checksum of the old
/// content.
fn convert_into(
    file: &LockedFile,
    options: &TranscodeOptions,
    mut writer: LazyWriter<'_>,
    reporter: &mut (dyn ErrorReporter + Send),
    spare_threads: &SpareThreads,
) -> Result<(WriteResult, u32), FileError> {
    let mut transcoder = options.build()?;
    let mut reader = file.reader().with_checksum();
    let is_large = file.status.len() >= MIN_PARALLEL_SIZE;
    let result = match is_large && parallel::is_supported(options, &transcoder) {
        true => {
            let taken = AtomicUsize::new(0);
            let another_thread = || {
                let is_spare = spare_threads.try_take();
                taken.fetch_add(is_spare.into(), Relaxed);
                is_spare
            };
            let pool = PoolOptions {
                threads: 1,
                block_size: parallel::BLOCK_SIZE,
                another_thread: Some(&another_thread),
            };
            let (input, output) = (&mut reader, &mut writer);
            let result = parallel::process_measured(
                &mut transcoder,
                input,
                // The checksum is that of all bytes in order.
                None,
                output,
                reporter,
                options,
                pool,
            );
            spare_threads.add(taken.into_inner());
            result
        }
        false => transcoder.process_reader(&mut reader, &mut writer, reporter),
    };
    let result = result
        .and_then(|()| transcoder.finish_input(&mut writer, reporter))
        .and_then(|()| transcoder.finish(&mut writer, reporter))
        .map_err(FileError::from);
    Ok((writer.finish(result)?, reader.checksum()))
}

/// Copies the content of a file.
fn copy_content(file: &LockedFile, copy: &mut AtomicFile) -> Result<(), FileError> {
    let (mut reader, mut buffer) = (file.reader(), file.new_buffer());
    loop {
        match reader.read(&mut buffer).map_err(FileError::Read)? {
            0 => return Ok(()),
            count => copy.write_all(&buffer[..count]).map_err(FileError::Write)?,
        }
    }
}
