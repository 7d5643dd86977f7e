//! The rules for a file that `.editorconfig` and `.gitattributes` files add to those of the command line.
//!
//! The files may come from a stranger: only regular files up to a maximum size are read, and those above
//! the start directory only if their owner is trusted.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::cli::exit::io_message;
use crate::cli::fs::input::InputStream;
use crate::cli::messages::print_message;
use crate::cli::paths::{SelectedFile, TrustedOwners};
use crate::cli::quote::Quoted;
use crate::cli::streams::Input;
use crate::cli::sys::status::FileStatus;

use super::editorconfig::{self, ConfigFile};
use super::gitattributes::{AttributeResolver, AttributesFile};
use super::rules::{EDITORCONFIG, FileRules, GITATTRIBUTES};

/// A message about a file with rules.
pub enum RuleMessage {
    /// The file cannot be used.
    Error(String),
    /// The file is ignored, which is not an error.
    Note(String),
}

impl RuleMessage {
    /// Prints the message. Returns whether it is an error.
    pub fn print(&self) -> bool {
        let (RuleMessage::Error(text) | RuleMessage::Note(text)) = self;
        print_message(text);
        matches!(self, RuleMessage::Error(_))
    }
}

/// Receives messages about files with rules.
pub type MessageCallback<'a> = &'a mut dyn FnMut(RuleMessage);

/// Finds the rules of files, one directory after the other.
#[derive(Debug)]
pub struct FileRuleFinder {
    editorconfig: bool,
    gitattributes: bool,
    /// The parent of the last file, as named, and the number of its last components that were found.
    parent: Option<(PathBuf, usize)>,
    /// The directory where the files were found.
    start: PathBuf,
    /// The trusted owners of files above the start directory.
    owners: TrustedOwners,
    /// The ancestors of the last file, the root first.
    directories: Vec<DirectoryFiles>,
}

/// The maximum memory size of the rules of a directory and its parents, in bytes.
const MAX_RULES_SIZE: usize = 4 << 20;

/// The maximum number of errors in a file with rules that are reported.
const MAX_LINE_ERRORS: usize = 10;

/// What a directory adds to the rules of the files below it.
#[derive(Debug)]
struct DirectoryFiles {
    path: PathBuf,
    /// None if it has not been read.
    editorconfig: Option<ConfigFile>,
    attributes: Option<RepositoryFiles>,
}

/// What git reads in a directory.
#[derive(Debug)]
struct RepositoryFiles {
    /// Whether it contains `.git`, so that the attributes of its parents do not apply.
    is_root: bool,
    /// The attributes of `.gitattributes`, and those of `.git/info/attributes`.
    files: [AttributesFile; 2],
    /// Whether one of them could not be read.
    is_incomplete: bool,
}

impl DirectoryFiles {
    /// Returns the memory size of the rules in bytes.
    fn size(&self) -> usize {
        let attributes = self.attributes.iter().flat_map(|attributes| &attributes.files);
        self.editorconfig.as_ref().map_or(0, ConfigFile::size)
            + attributes.map(AttributesFile::size).sum::<usize>()
    }
}

impl FileRuleFinder {
    /// Returns the finder for these kinds of files.
    pub fn new(editorconfig: bool, gitattributes: bool) -> FileRuleFinder {
        FileRuleFinder {
            editorconfig,
            gitattributes,
            parent: None,
            start: PathBuf::new(),
            owners: TrustedOwners::default(),
            directories: Vec::new(),
        }
    }

    /// Returns the rules for a file, and passes messages about the files that have them to `on_message`,
    /// each once while the files of a directory are checked.
    pub fn rules(&mut self, file: &SelectedFile, on_message: MessageCallback<'_>) -> FileRules {
        let Input::File(path) = &file.input else { return FileRules::default() };
        if !self.editorconfig && !self.gitattributes {
            return FileRules::default();
        }
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return FileRules::default(),
        };
        let depth = found_depth(file);
        if self.parent.as_ref().is_none_or(|known| (&*known.0, known.1) != (parent, depth)) {
            match fs::canonicalize(parent) {
                Ok(directory) => self.enter(&directory, depth),
                // The file cannot be opened either, which is reported.
                Err(_) => return FileRules::default(),
            }
            self.parent = Some((parent.to_owned(), depth));
        }
        let (Some(name), Some(directory)) = (path.file_name(), self.directories.last()) else {
            return FileRules::default();
        };
        let path = directory.path.join(name);
        let mut rules = FileRules::default();
        if self.editorconfig {
            self.apply_editorconfig(&path, &mut rules, on_message);
        }
        if self.gitattributes {
            self.apply_attributes(&path, &mut rules, on_message);
        }
        rules
    }

    /// Makes a directory the current one, and forgets those that are not among its ancestors. The files
    /// were found in the directory `depth` levels above it.
    fn enter(&mut self, directory: &Path, depth: usize) {
        let start = directory.ancestors().nth(depth).unwrap_or(directory);
        if self.start != start {
            self.directories.clear();
            self.start = start.to_owned();
            self.owners = TrustedOwners::of_start(start);
        }
        let mut ancestors: Vec<&Path> = directory.ancestors().collect();
        ancestors.reverse();
        let known = self.directories.iter().zip(&ancestors);
        let known = known.take_while(|(known, ancestor)| known.path == **ancestor).count();
        self.directories.truncate(known);
        self.directories.extend(ancestors[known..].iter().map(|ancestor| DirectoryFiles {
            path: ancestor.to_path_buf(),
            editorconfig: None,
            attributes: None,
        }));
    }

    fn apply_editorconfig(
        &mut self,
        path: &Path,
        rules: &mut FileRules,
        on_message: MessageCallback<'_>,
    ) {
        let trust = Trust { start: &self.start, owners: self.owners };
        let mut first = self.directories.len();
        let mut size: usize = self.directories.iter().map(DirectoryFiles::size).sum();
        for directory in self.directories.iter_mut().rev() {
            first -= 1;
            let file = directory.editorconfig.get_or_insert_with(|| {
                let path = directory.path.join(EDITORCONFIG);
                match read_text(&path, &trust, on_message) {
                    Ok(Some(text)) => {
                        let mut errors = LineErrors::new(&path, on_message);
                        let file = ConfigFile::parse(&text, &mut |line, message| {
                            errors.report(line, message);
                        });
                        errors.finish();
                        size += file.size();
                        if size <= MAX_RULES_SIZE {
                            file
                        } else {
                            on_message(file_error(&path, &too_large()));
                            ConfigFile::unreadable()
                        }
                    }
                    Ok(None) => ConfigFile::default(),
                    Err(error) => {
                        on_message(file_error(&path, &error));
                        ConfigFile::unreadable()
                    }
                }
            });
            if file.is_root {
                break;
            }
        }
        let mut steps = editorconfig::MAX_STEPS;
        for directory in &mut self.directories[first..] {
            let Some(file) = &mut directory.editorconfig else { continue };
            rules.is_incomplete |= file.is_unreadable;
            let Ok(relative) = path.strip_prefix(&directory.path) else { continue };
            if !file.apply(relative, rules, &mut steps) {
                let path = directory.path.join(EDITORCONFIG);
                on_message(file_error(&path, &io::Error::other(editorconfig::TOO_SLOW)));
                *file = ConfigFile::unreadable();
                rules.is_incomplete = true;
            }
        }
    }

    fn apply_attributes(
        &mut self,
        path: &Path,
        rules: &mut FileRules,
        on_message: MessageCallback<'_>,
    ) {
        let is_repository = |directory: &DirectoryFiles| match &directory.attributes {
            Some(known) => known.is_root,
            None => fs::symlink_metadata(directory.path.join(".git")).is_ok(),
        };
        // Without a repository attributes have no meaning.
        let Some(root) = self.directories.iter().rposition(is_repository) else { return };
        let trust = Trust { start: &self.start, owners: self.owners };
        let mut macros = Vec::new();
        let mut size: usize = self.directories.iter().map(DirectoryFiles::size).sum();
        for (index, directory) in self.directories[root..].iter_mut().enumerate() {
            let files = directory.attributes.get_or_insert_with(|| {
                let max_size = MAX_RULES_SIZE.saturating_sub(size);
                let is_root = index == 0;
                let files =
                    RepositoryFiles::read(&directory.path, is_root, max_size, &trust, on_message);
                size += files.files.iter().map(AttributesFile::size).sum::<usize>();
                files
            });
            rules.is_incomplete |= files.is_incomplete;
            if index == 0 {
                macros.extend(files.files.iter().flat_map(|file| &file.macros).cloned());
            }
        }
        let mut resolver = AttributeResolver::new(&macros);
        let relative = |directory: &Path| path.strip_prefix(directory).ok().map(Path::to_owned);
        let levels = self.directories[root..].iter();
        let levels: Vec<_> = levels
            .filter_map(|directory| {
                Some((directory.attributes.as_ref()?, relative(&directory.path)?))
            })
            .collect();
        if let Some((files, relative)) = levels.first() {
            resolver.add(&files.files[1], relative);
        }
        for (files, relative) in levels.iter().rev() {
            resolver.add(&files.files[0], relative);
        }
        resolver.apply(rules);
    }
}

/// Returns the number of directories between the one where a file was found and the file. A named file was
/// found in its own directory.
fn found_depth(file: &SelectedFile) -> usize {
    let directory = file.relative_path.parent().unwrap_or(Path::new(""));
    let is_below = |component| matches!(component, Component::Normal(_) | Component::CurDir);
    if file.entry.is_none() || !directory.components().all(is_below) {
        return 0;
    }
    directory.components().filter(|component| matches!(component, Component::Normal(_))).count()
}

/// Decides which files are read, as `safe.directory` of git does.
struct Trust<'a> {
    start: &'a Path,
    owners: TrustedOwners,
}

impl Trust<'_> {
    /// Returns whether a file in a directory may be read: whether it is in the start directory or below it,
    /// or is owned by the user or the owner of the start directory.
    fn is_trusted(&self, directory: &Path, status: &FileStatus) -> bool {
        directory.starts_with(self.start) || self.owners.own(status)
    }

    /// Returns whether a file that the user may not read can be ignored: whether its directory is above the
    /// start directory, and it is private to another user.
    fn is_private(&self, directory: &Path, path: &Path) -> bool {
        !directory.starts_with(self.start) && self.owners.is_private(path)
    }
}

impl RepositoryFiles {
    fn read(
        directory: &Path,
        is_root: bool,
        mut max_size: usize,
        trust: &Trust<'_>,
        on_message: MessageCallback<'_>,
    ) -> RepositoryFiles {
        let mut is_incomplete = false;
        let mut read = |name: &str| {
            let path = directory.join(name);
            // Git does not follow symbolic links here either.
            let is_link = fs::symlink_metadata(&path).is_ok_and(|status| status.is_symlink());
            let text = match is_link {
                true => Ok(None),
                false => read_file(&path, directory, MAX_ATTRIBUTES_SIZE, trust, on_message),
            };
            let file = text.and_then(|text| {
                let mut errors = LineErrors::new(&path, on_message);
                let mut on_error = |line, message: &str| errors.report(line, message);
                let text = text.unwrap_or_default();
                let file = AttributesFile::parse(&text, is_root, max_size, &mut on_error);
                errors.finish();
                file.ok_or_else(too_large)
            });
            match file {
                Ok(file) => {
                    max_size -= file.size();
                    file
                }
                Err(error) => {
                    on_message(file_error(&path, &error));
                    is_incomplete = true;
                    AttributesFile::default()
                }
            }
        };
        let attributes = read(GITATTRIBUTES);
        let info = if is_root { read(".git/info/attributes") } else { AttributesFile::default() };
        RepositoryFiles { is_root, files: [attributes, info], is_incomplete }
    }
}

/// The maximum size of a file with attributes, in bytes.
const MAX_ATTRIBUTES_SIZE: u64 = 1 << 20;

/// Reports errors in the lines of a file, up to a maximum number.
struct LineErrors<'a, 'b> {
    path: &'a Path,
    on_message: &'a mut (dyn FnMut(RuleMessage) + 'b),
    count: usize,
}

impl<'a, 'b> LineErrors<'a, 'b> {
    fn new(
        path: &'a Path,
        on_message: &'a mut (dyn FnMut(RuleMessage) + 'b),
    ) -> LineErrors<'a, 'b> {
        LineErrors { path, on_message, count: 0 }
    }

    fn report(&mut self, line: usize, message: &str) {
        self.count += 1;
        if self.count <= MAX_LINE_ERRORS {
            let name = Quoted::from_path(self.path);
            (self.on_message)(RuleMessage::Error(format!("{name}:{line}: {message}")));
        }
    }

    /// Reports the number of the other errors.
    fn finish(self) {
        if self.count > MAX_LINE_ERRORS {
            let (name, more) = (Quoted::from_path(self.path), self.count - MAX_LINE_ERRORS);
            let s = if more == 1 { "" } else { "s" };
            (self.on_message)(RuleMessage::Error(format!("{name}: {more} more error{s}")));
        }
    }
}

/// Returns the error for rules that take too much memory.
fn too_large() -> io::Error {
    let max_size = MAX_RULES_SIZE >> 20;
    io::Error::other(format!("the rules of a directory and its parents exceed {max_size} MiB"))
}

fn file_error(path: &Path, error: &io::Error) -> RuleMessage {
    RuleMessage::Error(format!("{}: {}", Quoted::from_path(path), io_message(error)))
}

/// Reads a `.editorconfig`. Returns `None` if it does not exist or is not trusted.
fn read_text(
    path: &Path,
    trust: &Trust<'_>,
    on_message: MessageCallback<'_>,
) -> io::Result<Option<String>> {
    let directory = path.parent().unwrap_or(path);
    let text = read_file(path, directory, editorconfig::MAX_FILE_SIZE, trust, on_message)?;
    let not_utf8 = |_| io::Error::other("is not valid UTF-8");
    text.map(|text| String::from_utf8(text).map_err(not_utf8)).transpose()
}

/// Reads a file. Returns `None` if it does not exist, is a directory, is not trusted, or is private to another
/// user.
fn read_file(
    path: &Path,
    directory: &Path,
    max_size: u64,
    trust: &Trust<'_>,
    on_message: MessageCallback<'_>,
) -> io::Result<Option<Vec<u8>>> {
    match read_trusted_file(path, directory, max_size, trust, on_message) {
        Err(error)
            if error.kind() == io::ErrorKind::PermissionDenied
                && trust.is_private(directory, path) =>
        {
            on_message(RuleMessage::Note(TrustedOwners::note(path)));
            Ok(None)
        }
        result => result,
    }
}

fn read_trusted_file(
    path: &Path,
    directory: &Path,
    max_size: u64,
    trust: &Trust<'_>,
    on_message: MessageCallback<'_>,
) -> io::Result<Option<Vec<u8>>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let status = match FileStatus::at(path) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
        status => status?,
    };
    if status.is_dir() {
        return Ok(None);
    }
    if !trust.is_trusted(directory, &status) {
        on_message(RuleMessage::Note(TrustedOwners::note(path)));
        return Ok(None);
    }
    if !status.is_file() {
        return Err(io::Error::other("is not a regular file"));
    }
    let source = InputStream::open(path)?;
    source.reject_output()?;
    let mut text = Vec::new();
    source.take(max_size + 1).read_to_end(&mut text)?;
    if text.len() as u64 > max_size {
        return Err(io::Error::other(format!("exceeds {} KiB", max_size >> 10)));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_of_a_repository_share_the_maximum_size() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        fs::create_dir_all(directory.join(".git/info")).unwrap();
        let text = b"*.txt working-tree-encoding=UTF-16";
        for name in [GITATTRIBUTES, ".git/info/attributes"] {
            fs::write(directory.join(name), text).unwrap();
        }
        let size = AttributesFile::parse(text, true, usize::MAX, &mut |_, _| {}).unwrap().size();
        let trust = Trust { start: directory, owners: TrustedOwners::of_start(directory) };
        for (max_size, is_incomplete) in [(2 * size, false), (2 * size - 1, true)] {
            let mut count = 0;
            let files =
                RepositoryFiles::read(directory, true, max_size, &trust, &mut |_| count += 1);
            assert_eq!((files.is_incomplete, count), (is_incomplete, i32::from(is_incomplete)));
        }
    }
}
