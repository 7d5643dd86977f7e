//! The effects of the system calls of a run on a disk.
//!
//! A call that is not known here ends the test: it might change a file after the back of the model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::disk_model::{DirectoryEntry, DiskChange, DiskModel, FileMetadata, FileNumber};
use super::fixtures::metadata_with_mode;
use super::strace_log::SystemCall;

/// Calls that change nothing of what is kept.
const READ_ONLY_CALLS: &str = "access execve faccessat faccessat2 fadvise64 fgetxattr flistxattr flock fstat \
    fstatfs getcwd getdents64 ioctl lseek lstat newfstatat poll ppoll pread64 read readlink readlinkat \
    stat statfs statx";

/// The open files of the stage; other files are not listed.
#[derive(Clone)]
enum OpenFile {
    Directory(String),
    /// Which of `offsets` has its position.
    File(FileNumber, usize),
}

/// The descriptors of a process that works in one directory, the stage.
pub struct DescriptorTable<'a> {
    root: &'a Path,
    open: HashMap<i64, OpenFile>,
    offsets: Vec<usize>,
}

impl<'a> DescriptorTable<'a> {
    pub fn new(stage: &'a Path) -> DescriptorTable<'a> {
        DescriptorTable { root: stage, open: HashMap::new(), offsets: vec![] }
    }

    /// The change that a call has made.
    pub fn effect_of(&mut self, call: &SystemCall, disk: &DiskModel) -> Option<DiskChange> {
        let result = call.result?;
        match call.name.as_str() {
            "openat" => self.opened(call, result, disk),
            "fcntl" | "dup" | "dup2" | "dup3" => self.copied(call, result),
            "close" => self.closed(call),
            "write" => self.written(call, result),
            "ftruncate" => {
                let length = call.number(1).try_into().expect("a length");
                Some(DiskChange::Truncate(self.file(call, 0)?, length))
            }
            "fchmod" | "fchown" | "fsetxattr" | "fremovexattr" | "utimensat" => {
                let file = self.file(call, 0)?;
                let (name, value) = metadata_change(call, &disk.image(file).metadata)?;
                Some(DiskChange::SetMetadata(file, name, value))
            }
            "fsync" => match self.open.get(&call.number(0))? {
                OpenFile::Directory(directory) => {
                    Some(DiskChange::SyncDirectory(directory.clone()))
                }
                OpenFile::File(file, _) => Some(DiskChange::Sync(*file)),
            },
            "fdatasync" => Some(DiskChange::SyncData(self.file(call, 0)?)),
            "sync" | "syncfs" => Some(DiskChange::SyncAll),
            "linkat" => self.linked(call, disk),
            "mkdirat" => Some(DiskChange::CreateDirectory(self.entry(call, 0)?)),
            "renameat2" if !call.has(4, "RENAME_NOREPLACE") => {
                panic!("the model does not know {}", call.line)
            }
            "renameat" | "renameat2" => {
                Some(DiskChange::Rename(self.entry(call, 0)?, self.entry(call, 2)?))
            }
            "unlinkat" => Some(DiskChange::Unlink(self.entry(call, 0)?)),
            _ => {
                assert!(self.is_read_only(call), "the model does not know {}", call.line);
                None
            }
        }
    }

    fn is_read_only(&self, call: &SystemCall) -> bool {
        match call.name.as_str() {
            // Bytes written through it would be lost.
            "mmap" if call.has(3, "MAP_SHARED") && call.has(2, "PROT_WRITE") => {
                self.file(call, 4).is_none()
            }
            "mmap" => true,
            name => READ_ONLY_CALLS.split_whitespace().any(|known| known == name),
        }
    }

    fn opened(&mut self, call: &SystemCall, result: i64, disk: &DiskModel) -> Option<DiskChange> {
        self.open.remove(&result);
        let has = |flag| call.has(2, flag);
        if has("O_DIRECTORY") {
            let directory = self.directory(call, 0, &call.text(1))?;
            self.open.insert(result, OpenFile::Directory(directory));
            return None;
        }
        let (entry, found) = if has("O_TMPFILE") {
            self.directory(call, 0, &call.text(1))?;
            (None, None)
        } else {
            let entry = self.entry(call, 0)?;
            let found = disk.find(&entry);
            (Some(entry), found)
        };
        let is_new = found.is_none();
        if is_new && !has("O_TMPFILE") && !has("O_CREAT") {
            // A directory, or a link to a file that is only read.
            assert!(has("O_RDONLY"), "the model does not know what is opened: {}", call.line);
            return None;
        }
        self.offsets.push(0);
        let number = found.unwrap_or(disk.next());
        self.open.insert(result, OpenFile::File(number, self.offsets.len() - 1));
        if !is_new {
            return Some(if has("O_TRUNC") {
                DiskChange::Truncate(number, 0)
            } else {
                DiskChange::Open(number)
            });
        }
        let mode = u32::from_str_radix(call.word(3), 8).expect("a mode");
        Some(DiskChange::Create(entry, metadata_with_mode(mode)))
    }

    fn closed(&mut self, call: &SystemCall) -> Option<DiskChange> {
        let OpenFile::File(file, _) = self.open.remove(&call.number(0))? else { return None };
        let mut others = self.open.values();
        let is_last =
            !others.any(|open| matches!(open, OpenFile::File(other, _) if *other == file));
        is_last.then_some(DiskChange::Close(file))
    }

    fn copied(&mut self, call: &SystemCall, result: i64) -> Option<DiskChange> {
        if call.name != "fcntl" || call.word(1).starts_with("F_DUPFD") {
            let open = self.open.get(&call.number(0)).cloned();
            self.open.remove(&result);
            self.open.extend(open.map(|open| (result, open)));
        }
        None
    }

    fn written(&mut self, call: &SystemCall, result: i64) -> Option<DiskChange> {
        let OpenFile::File(file, offset) = *self.open.get(&call.number(0))? else { return None };
        let mut bytes = call.bytes(1);
        bytes.truncate(result.try_into().expect("a length"));
        let at = self.offsets[offset];
        self.offsets[offset] += bytes.len();
        Some(DiskChange::Write(file, at, bytes))
    }

    fn linked(&self, call: &SystemCall, disk: &DiskModel) -> Option<DiskChange> {
        let (to, path) = (self.entry(call, 2)?, call.text(1));
        let file = match path.strip_prefix("/proc/self/fd/") {
            Some(number) => self.file_of(number.parse().expect("a number"))?,
            None if path.is_empty() => self.file(call, 0)?,
            None => disk.find(&self.entry(call, 0)?)?,
        };
        Some(DiskChange::Link(file, to))
    }

    fn file(&self, call: &SystemCall, argument: usize) -> Option<FileNumber> {
        self.file_of(call.number(argument))
    }

    fn file_of(&self, descriptor: i64) -> Option<FileNumber> {
        match self.open.get(&descriptor)? {
            OpenFile::File(file, _) => Some(*file),
            OpenFile::Directory(_) => None,
        }
    }

    /// A directory of the stage by a path, from the directory that an argument names.
    fn directory(&self, call: &SystemCall, argument: usize, path: &str) -> Option<String> {
        let from: PathBuf = match call.word(argument) {
            "AT_FDCWD" => self.root.to_owned(),
            number => match self.open.get(&number.parse().ok()?)? {
                OpenFile::Directory(directory) => self.root.join(directory),
                OpenFile::File(..) => return None,
            },
        };
        let whole = from.join(path).canonicalize().ok()?;
        Some(whole.strip_prefix(self.root).ok()?.to_str()?.to_owned())
    }

    /// Returns the path of two arguments: a directory and a path relative to it.
    fn entry(&self, call: &SystemCall, argument: usize) -> Option<DirectoryEntry> {
        let path = call.text(argument + 1);
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", &path));
        let parent = if parent.is_empty() { "/" } else { parent };
        Some((self.directory(call, argument, parent)?, name.to_owned()))
    }
}

/// The mark that a call has set, and its value.
fn metadata_change(call: &SystemCall, marks: &FileMetadata) -> Option<(String, Option<String>)> {
    match call.name.as_str() {
        "fchmod" => {
            Some(("mode".to_owned(), Some(call.word(1).trim_start_matches('0').to_owned())))
        }
        "fchown" => {
            let was = marks.get("owner").and_then(|owner| owner.split_once(':'));
            let (user, group) = was.expect("each file has an owner");
            let kept = |argument, was: &str| match call.word(argument) {
                "-1" => was.to_owned(),
                new => new.to_owned(),
            };
            Some(("owner".to_owned(), Some(format!("{}:{}", kept(1, user), kept(2, group)))))
        }
        "utimensat" => {
            let number = |name| {
                let (_, rest) = call.word(2).rsplit_once(name)?;
                rest.split(|letter: char| !letter.is_ascii_digit()).next()
            };
            let time = format!("{}.{}", number("tv_sec=")?, number("tv_nsec=")?);
            Some(("mtime".to_owned(), Some(time)))
        }
        "fsetxattr" => Some((call.text(1), Some(call.word(2).to_owned()))),
        _ => Some((call.text(1), None)),
    }
}
