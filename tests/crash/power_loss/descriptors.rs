//! What the system calls of a run do to a disk.
//!
//! A call that is not known here ends the test: it might change a file behind the back of the model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::disk::{Change, Disk, Entry, Marks, Number};
use super::stage::created;
use super::trace::Call;

/// Calls that change nothing of what is kept.
const HARMLESS: &str = "access execve faccessat faccessat2 fadvise64 fgetxattr flistxattr flock fstat \
    fstatfs getcwd getdents64 ioctl lseek lstat newfstatat poll ppoll pread64 read readlink readlinkat \
    stat statfs statx";

/// What is open of the stage; anything else is not listed.
#[derive(Clone)]
enum Open {
    Folder(String),
    /// Which of `offsets` says where it stands.
    File(Number, usize),
}

/// The descriptors of a process that works in one folder, the stage.
pub struct Descriptors<'a> {
    stage: &'a Path,
    open: HashMap<i64, Open>,
    offsets: Vec<usize>,
}

impl<'a> Descriptors<'a> {
    pub fn new(stage: &'a Path) -> Descriptors<'a> {
        Descriptors { stage, open: HashMap::new(), offsets: vec![] }
    }

    /// What a call has changed.
    pub fn change(&mut self, call: &Call, disk: &Disk) -> Option<Change> {
        let result = call.result?;
        match call.name.as_str() {
            "openat" => self.opened(call, result, disk),
            "fcntl" | "dup" | "dup2" | "dup3" => self.copied(call, result),
            "close" => self.closed(call),
            "write" => self.written(call, result),
            "ftruncate" => {
                let length = call.number(1).try_into().expect("a length");
                Some(Change::Truncate(self.file(call, 0)?, length))
            }
            "fchmod" | "fchown" | "fsetxattr" | "fremovexattr" | "utimensat" => {
                let file = self.file(call, 0)?;
                let (name, value) = mark(call, &disk.image(file).marks)?;
                Some(Change::Mark(file, name, value))
            }
            "fsync" => match self.open.get(&call.number(0))? {
                Open::Folder(folder) => Some(Change::SyncFolder(folder.clone())),
                Open::File(file, _) => Some(Change::Sync(*file)),
            },
            "fdatasync" => Some(Change::SyncData(self.file(call, 0)?)),
            "sync" | "syncfs" => Some(Change::SyncAll),
            "linkat" => self.linked(call, disk),
            "renameat" => Some(Change::Rename(self.entry(call, 0)?, self.entry(call, 2)?)),
            "unlinkat" => Some(Change::Unlink(self.entry(call, 0)?)),
            _ => {
                assert!(self.is_harmless(call), "the model does not know {}", call.line);
                None
            }
        }
    }

    fn is_harmless(&self, call: &Call) -> bool {
        match call.name.as_str() {
            // Nobody would hear of what is written through it.
            "mmap" if call.has(3, "MAP_SHARED") && call.has(2, "PROT_WRITE") => {
                self.file(call, 4).is_none()
            }
            "mmap" => true,
            name => HARMLESS.split_whitespace().any(|known| known == name),
        }
    }

    fn opened(&mut self, call: &Call, result: i64, disk: &Disk) -> Option<Change> {
        self.open.remove(&result);
        let has = |flag| call.has(2, flag);
        if has("O_DIRECTORY") {
            let folder = self.folder(call, 0, &call.text(1))?;
            self.open.insert(result, Open::Folder(folder));
            return None;
        }
        let (entry, found) = if has("O_TMPFILE") {
            self.folder(call, 0, &call.text(1))?;
            (None, None)
        } else {
            let entry = self.entry(call, 0)?;
            let found = disk.find(&entry);
            (Some(entry), found)
        };
        let is_new = found.is_none();
        if is_new && !has("O_TMPFILE") && !has("O_CREAT") {
            // A folder, or a link to a file that is only read.
            assert!(has("O_RDONLY"), "the model does not know what is opened: {}", call.line);
            return None;
        }
        self.offsets.push(0);
        let number = found.unwrap_or(disk.next());
        self.open.insert(result, Open::File(number, self.offsets.len() - 1));
        if !is_new {
            return Some(if has("O_TRUNC") {
                Change::Truncate(number, 0)
            } else {
                Change::Hold(number)
            });
        }
        let mode = u32::from_str_radix(call.word(3), 8).expect("a mode");
        Some(Change::Create(entry, created(mode)))
    }

    fn closed(&mut self, call: &Call) -> Option<Change> {
        let Open::File(file, _) = self.open.remove(&call.number(0))? else { return None };
        let mut others = self.open.values();
        let is_last = !others.any(|open| matches!(open, Open::File(other, _) if *other == file));
        is_last.then_some(Change::Release(file))
    }

    fn copied(&mut self, call: &Call, result: i64) -> Option<Change> {
        if call.name != "fcntl" || call.word(1).starts_with("F_DUPFD") {
            let open = self.open.get(&call.number(0)).cloned();
            self.open.remove(&result);
            self.open.extend(open.map(|open| (result, open)));
        }
        None
    }

    fn written(&mut self, call: &Call, result: i64) -> Option<Change> {
        let Open::File(file, offset) = *self.open.get(&call.number(0))? else { return None };
        let mut bytes = call.bytes(1);
        bytes.truncate(result.try_into().expect("a length"));
        let at = self.offsets[offset];
        self.offsets[offset] += bytes.len();
        Some(Change::Write(file, at, bytes))
    }

    fn linked(&self, call: &Call, disk: &Disk) -> Option<Change> {
        let (to, path) = (self.entry(call, 2)?, call.text(1));
        let file = match path.strip_prefix("/proc/self/fd/") {
            Some(number) => self.file_of(number.parse().expect("a number"))?,
            None => disk.find(&self.entry(call, 0)?)?,
        };
        Some(Change::Link(file, to))
    }

    fn file(&self, call: &Call, argument: usize) -> Option<Number> {
        self.file_of(call.number(argument))
    }

    fn file_of(&self, descriptor: i64) -> Option<Number> {
        match self.open.get(&descriptor)? {
            Open::File(file, _) => Some(*file),
            Open::Folder(_) => None,
        }
    }

    /// A folder of the stage by a path, from the folder that an argument names.
    fn folder(&self, call: &Call, argument: usize, path: &str) -> Option<String> {
        let from: PathBuf = match call.word(argument) {
            "AT_FDCWD" => self.stage.to_owned(),
            number => match self.open.get(&number.parse().ok()?)? {
                Open::Folder(folder) => self.stage.join(folder),
                Open::File(..) => return None,
            },
        };
        let whole = from.join(path).canonicalize().ok()?;
        Some(whole.strip_prefix(self.stage).ok()?.to_str()?.to_owned())
    }

    /// What two arguments name: the one a folder, the next a path from there.
    fn entry(&self, call: &Call, argument: usize) -> Option<Entry> {
        let path = call.text(argument + 1);
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", &path));
        let parent = if parent.is_empty() { "/" } else { parent };
        Some((self.folder(call, argument, parent)?, name.to_owned()))
    }
}

/// The mark that a call has set, and its value.
fn mark(call: &Call, marks: &Marks) -> Option<(String, Option<String>)> {
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
