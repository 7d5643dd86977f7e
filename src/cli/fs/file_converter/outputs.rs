//! Outputs elsewhere: each file is converted to a file of its own instead of in place.
//!
//! Nothing is written outside of the output directory: each directory in it is opened relative to its
//! parent and never through a symbolic link. No file is written twice in a run, and none that is read.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::FileError;
use super::file_key_set::{FileKey, FileKeySet};
use super::locked_file::LockedFile;
use crate::cli::fs::directory::{Directory, FileEntry};
use crate::cli::fs::output::atomic_file::{AtomicFile, open_existing};
use crate::cli::fs::output::{CommitError, TempFileRegistry};
use crate::cli::quote::Quoted;
use crate::cli::sys::access::check_rename_allowed;
use crate::cli::sys::directory::is_a_directory;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::preserve::Preserve;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::{CreateMode, FileKind, parent_directory};

/// Where the outputs of several files go, one for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The directory in which trees are mirrored. `None` for the directory of each file.
    pub directory: Option<PathBuf>,
    /// What is appended to each name.
    pub suffix: OsString,
}

impl Destination {
    /// Returns whether a binary file is copied. With a suffix it is skipped, since the suffix says that a
    /// file was converted.
    pub fn copies_binary_files(&self) -> bool {
        self.suffix.is_empty()
    }

    /// Opens the output directory. Unless `dry_run`, it is created if it does not exist, with the
    /// permissions that all of `models` have.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn open<'a>(
        self,
        models: impl IntoIterator<Item = &'a Path>,
        dry_run: bool,
    ) -> io::Result<Outputs> {
        let permissions_of = |path| Directory::open(path)?.handle().permissions();
        let permissions = models.into_iter().map(|path| permissions_of(path).unwrap_or(0));
        let permissions = permissions.fold(0o777, |all, model| all & model);
        let root = match self.directory.as_deref() {
            None => None,
            Some(path) if dry_run => match Directory::open(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                result => Some(result?),
            },
            Some(path) => Some(Directory::open_or_create(path, permissions | OWNER_ACCESS)?),
        };
        Ok(Outputs {
            destination: self,
            root,
            last_directory: Mutex::default(),
            claimed: Mutex::default(),
        })
    }
}

/// The permissions that are required to write the files of a new directory.
const OWNER_ACCESS: u32 = 0o700;

/// The outputs of a run.
#[derive(Debug)]
pub struct Outputs {
    destination: Destination,
    /// The output directory. `None` if there is none, or if it is missing and this is a dry run.
    root: Option<Directory>,
    /// The directory below it that was opened last, and the names of its path there.
    last_directory: Mutex<Option<(Vec<OsString>, Directory)>>,
    claimed: Mutex<ClaimedFiles>,
}

/// The inputs and outputs of a run so far.
#[derive(Debug, Default)]
struct ClaimedFiles {
    hasher: RandomState,
    /// Hashes of the paths of the outputs, of which there may be millions.
    paths: HashSet<u64>,
    inputs: FileKeySet,
    /// The outputs that exist, old or new.
    outputs: FileKeySet,
}

/// The output of a file.
#[derive(Debug)]
pub(super) struct ClaimedOutput {
    /// The output directory, or that of the file.
    root: Option<Directory>,
    /// The directories below it.
    directories: Vec<OsString>,
    name: OsString,
    /// For messages.
    path: PathBuf,
    /// The file that is replaced.
    replaced: Option<FileId>,
}

impl Outputs {
    /// Returns where the outputs go.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Returns the output directory, if there is one and it exists.
    pub fn directory(&self) -> Option<&Directory> {
        self.root.as_ref()
    }

    /// Registers a file that will be converted later in the run, so that it cannot be an output.
    pub fn register_input(&self, path: &Path) {
        // An error is reported when the file is opened.
        if let Ok(Some(id)) = FileStatus::at(path).map(|status| status.file_id()) {
            self.claimed().inputs.insert(&FileKey::from_id(id));
        }
    }

    /// Claims the output of the file at `path`. In the output directory its path is `relative`.
    pub(super) fn claim(
        &self,
        source: &LockedFile,
        path: &Path,
        relative: &Path,
    ) -> Result<ClaimedOutput, FileError> {
        let mut output = match &self.destination.directory {
            Some(directory) => {
                let (directories, name) = split_relative(relative)?;
                let path = directory.join(relative.with_file_name(self.with_suffix(&name)));
                let name = self.with_suffix(&name);
                ClaimedOutput { root: self.root.clone(), directories, name, path, replaced: None }
            }
            None => {
                let (directory, name) = (parent_directory(path), path.file_name());
                let name = self.with_suffix(name.ok_or(FileError::OutsideOutputDirectory)?);
                let path = path.with_file_name(&name);
                // The directory of a file that was found by a search is already open.
                let root = match source.entry.directory.path() == directory {
                    true => source.entry.directory.clone(),
                    false => Directory::open(directory)
                        .map_err(|error| FileError::Output(path.clone(), error))?,
                };
                ClaimedOutput {
                    root: Some(root),
                    directories: Vec::new(),
                    name,
                    path,
                    replaced: None,
                }
            }
        };
        output.replaced = self.find_replaced(&output).map_err(|error| output.error(error))?;
        let has_directory = self.destination.directory.is_some();
        let claimed = self.claimed().claim(source.id, &output, has_directory);
        claimed.map_err(|reason| output.error(io::Error::other(reason)))?;
        Ok(output)
    }

    fn with_suffix(&self, name: &OsStr) -> OsString {
        let mut name = name.to_owned();
        name.push(&self.destination.suffix);
        name
    }

    /// Registers the new file of an output immediately before it is renamed. Returns an error if the file that
    /// it replaces turns out to be that of another output, as on file systems that ignore case.
    pub(super) fn register_new_file(
        &self,
        output: &ClaimedOutput,
        new: &FileStatus,
    ) -> io::Result<()> {
        let mut claimed = self.claimed();
        if let Some(replaced) = output.replaced.map(FileKey::from_id) {
            let current = self.find_existing(output)?.map(FileKey::from_id);
            let is_other = current.as_ref() != Some(&replaced);
            if is_other && current.is_some_and(|id| claimed.outputs.contains(&id)) {
                return Err(io::Error::other(IS_OUTPUT));
            }
            // The inode number of the old file may be reused for another file.
            claimed.outputs.remove(&replaced);
        }
        if let Some(id) = new.file_id() {
            claimed.outputs.insert(&FileKey::from_id(id));
        }
        Ok(())
    }

    /// Returns the error of committing a new file. A file that has appeared since the output was claimed is
    /// not replaced.
    pub(super) fn commit_error(&self, output: &ClaimedOutput, error: CommitError) -> CommitError {
        let is_output = || {
            let current = self.find_existing(output).ok().flatten().map(FileKey::from_id);
            current.is_some_and(|id| self.claimed().outputs.contains(&id))
        };
        match error {
            CommitError::NotCommitted(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let reason = match is_output() {
                    true => IS_OUTPUT,
                    false => "was created by another process",
                };
                CommitError::NotCommitted(io::Error::other(reason))
            }
            error => error,
        }
    }

    /// Returns the directory of an output. `None` if it does not exist.
    fn open_directory(&self, output: &ClaimedOutput) -> io::Result<Option<Directory>> {
        self.walk_directories(output, |_, _, error| match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        })
    }

    /// Returns the directory of an output and creates what is missing of it, with the permissions of the
    /// directories that contain the input.
    fn create_directory(
        &self,
        output: &ClaimedOutput,
        source: &FileEntry,
    ) -> io::Result<Directory> {
        let created = self.walk_directories(output, |directory, index, error| match error.kind() {
            io::ErrorKind::NotFound => {
                let depth = output.directories.len() - 1 - index;
                let permissions = permissions_above(&source.directory, depth)?;
                let name = &output.directories[index];
                directory.create_child(name, permissions | OWNER_ACCESS).map(Some)
            }
            _ => Err(error),
        });
        created?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens the directories of an output one after the other. `on_error` is called with the parent of a
    /// directory that cannot be opened, its index and the error, and may return a directory instead.
    fn walk_directories(
        &self,
        output: &ClaimedOutput,
        on_error: impl Fn(&Directory, usize, io::Error) -> io::Result<Option<Directory>>,
    ) -> io::Result<Option<Directory>> {
        let Some(mut directory) = output.root.clone() else { return Ok(None) };
        if output.directories.is_empty() {
            return Ok(Some(directory));
        }
        let mut last = self.last_directory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, directory)) = last.as_ref().filter(|last| last.0 == output.directories) {
            return Ok(Some(directory.clone()));
        }
        for (index, name) in output.directories.iter().enumerate() {
            directory = match open_child(&directory, name) {
                Ok(child) => child,
                Err(error) => match on_error(&directory, index, error)? {
                    Some(child) => child,
                    None => return Ok(None),
                },
            };
        }
        *last = Some((output.directories.clone(), directory.clone()));
        Ok(Some(directory))
    }

    /// Returns the identity of the file that a new output will replace. In a directory that was empty, it is
    /// looked for by the rename only.
    fn find_replaced(&self, output: &ClaimedOutput) -> io::Result<Option<FileId>> {
        match self.open_directory(output)? {
            Some(directory) if !directory.is_new() => find_file(&directory, &output.name),
            _ => Ok(None),
        }
    }

    /// Returns the identity of the file at the name of an output. Anything but a regular file is an error.
    fn find_existing(&self, output: &ClaimedOutput) -> io::Result<Option<FileId>> {
        match self.open_directory(output)? {
            Some(directory) => find_file(&directory, &output.name),
            None => Ok(None),
        }
    }

    /// Creates the new file of an output. A dry run only checks whether it could be created.
    pub(super) fn create(
        &self,
        output: &ClaimedOutput,
        source: &LockedFile,
        rules: &OutputRules,
        temp_files: &TempFileRegistry,
    ) -> Result<Option<AtomicFile>, FileError> {
        let directory = match rules.dry_run {
            true => self.open_directory(output),
            false => self.create_directory(output, &source.entry).map(Some),
        };
        let Some(directory) = directory.map_err(|error| output.error(error))? else {
            return Ok(None);
        };
        let entry = directory.entry(&output.name).map_err(|error| output.error(error))?;
        // A file that has appeared since this one was claimed is found by the rename.
        let existing = match output.replaced {
            Some(_) => self.find_existing(output).map_err(|error| output.error(error))?,
            None => None,
        };
        let existing = existing.map(|_| output.open_replaceable(&entry, rules)).transpose()?;
        let new_file = || {
            check_rename_allowed(
                directory.handle(),
                directory.path(),
                existing.as_ref().map(|(file, status)| (&**file, status)),
            )?;
            if rules.dry_run {
                return directory.check_writable().map(|()| None);
            }
            Ok(Some(match existing {
                Some(existing) => {
                    AtomicFile::replacing_open(entry, existing, rules.preserve, temp_files)
                }
                None => {
                    let mode = match rules.preserve.mode {
                        true => CreateMode::Permissions(source.status.permissions()),
                        false => CreateMode::Default,
                    };
                    AtomicFile::create_new(entry, mode, temp_files).excluding_existing()
                }
            }))
        };
        new_file().map_err(|error| output.error(error))
    }

    fn claimed(&self) -> MutexGuard<'_, ClaimedFiles> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const IS_OUTPUT: &str = "is already an output of this run";

impl ClaimedFiles {
    /// Claims an input and its output. Returns the reason if the output must not be written.
    ///
    /// `has_directory` says that all outputs are in one directory.
    fn claim(
        &mut self,
        input: FileId,
        output: &ClaimedOutput,
        has_directory: bool,
    ) -> Result<(), &'static str> {
        let input = FileKey::from_id(input);
        let replaced = output.replaced.map(FileKey::from_id);
        let root = output.root.as_ref().filter(|_| !has_directory);
        let root = root.and_then(|root| root.file_id().ok());
        let path = self.hasher.hash_one((root, &output.directories, &output.name));
        let is_output = |id: &FileKey| self.outputs.contains(id);
        match &replaced {
            Some(id) if *id == input => return Err("input file is output file"),
            Some(id) if self.inputs.contains(id) => return Err("is also an input"),
            Some(id) if is_output(id) => return Err(IS_OUTPUT),
            _ if is_output(&input) => return Err("its input is an output of this run"),
            _ => {}
        }
        if !self.paths.insert(path) {
            return Err(IS_OUTPUT);
        }
        self.inputs.insert(&input);
        if let Some(id) = &replaced {
            self.outputs.insert(id);
        }
        Ok(())
    }
}

/// Returns the directories and the name in a path, which must not lead out of the output directory.
fn split_relative(path: &Path) -> Result<(Vec<OsString>, OsString), FileError> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_owned()),
            Component::CurDir => {}
            _ => return Err(FileError::OutsideOutputDirectory),
        }
    }
    let name = names.pop().ok_or(FileError::OutsideOutputDirectory)?;
    Ok((names, name))
}

impl ClaimedOutput {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the error for an output that cannot be written.
    pub(super) fn error(&self, error: io::Error) -> FileError {
        FileError::Output(self.path.clone(), error)
    }

    /// Opens the file that is to be replaced, if that is permitted.
    fn open_replaceable(
        &self,
        entry: &FileEntry,
        rules: &OutputRules,
    ) -> Result<(Arc<File>, FileStatus), FileError> {
        if !rules.force {
            let writable = entry.directory.handle().check_file_writable(&entry.name);
            writable.map_err(|error| match error.kind() {
                io::ErrorKind::PermissionDenied => FileError::OutputReadOnly(self.path.clone()),
                _ => self.error(error),
            })?;
        }
        let (file, status) = open_existing(entry).map_err(|error| self.error(error))?;
        match status.links() {
            links if links > 1 && !rules.break_hard_links => {
                Err(FileError::OutputHardLinked(self.path.clone(), links))
            }
            _ => Ok((file, status)),
        }
    }
}

/// The rules for files that are replaced.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputRules {
    pub(super) dry_run: bool,
    pub(super) break_hard_links: bool,
    /// Replace files that are read-only.
    pub(super) force: bool,
    pub(super) preserve: Preserve,
}

/// Returns the identity of a file. Anything but a regular file is an error.
fn find_file(directory: &Directory, name: &OsStr) -> io::Result<Option<FileId>> {
    match directory.kind_of(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        kind => match kind? {
            FileKind::File => directory.entry(name)?.file_id().map(Some),
            FileKind::Directory => Err(is_a_directory()),
            FileKind::Symlink => Err(io::Error::other("is a symbolic link")),
            FileKind::Other => Err(io::Error::other("is not a regular file")),
        },
    }
}

/// Opens a subdirectory of the output directory.
fn open_child(directory: &Directory, name: &OsStr) -> io::Result<Directory> {
    directory.open_child(name).map_err(|error| {
        let path = || Quoted::from_path(&directory.path().join(name)).to_string();
        match directory.kind_of(name) {
            Ok(FileKind::Symlink) => io::Error::other(format!("{} is a symbolic link", path())),
            Ok(FileKind::File | FileKind::Other) => io::Error::new(
                io::ErrorKind::NotADirectory,
                format!("{} is not a directory", path()),
            ),
            _ => error,
        }
    })
}

/// Returns the permissions of the directory that is `levels` above this one.
fn permissions_above(directory: &Directory, levels: usize) -> io::Result<u32> {
    let mut directory = directory.clone();
    for _ in 0..levels {
        directory = directory.open_parent()?;
    }
    directory.handle().permissions()
}
