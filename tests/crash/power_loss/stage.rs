//! The files that the runs work on, and what is to become of them.

use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::process::{getegid, geteuid};

use super::disk::{Disk, Entry, Image, Marks, Tree};

/// A file, before and after its conversion, and its mode.
pub struct Subject {
    pub path: &'static str,
    old: &'static [u8],
    pub new: &'static str,
    mode: u32,
}

const fn subject(path: &'static str, old: &'static [u8], new: &'static str, mode: u32) -> Subject {
    Subject { path, old, new, mode }
}

pub const SUBJECTS: [Subject; 7] = [
    subject("one", b"caf\xE9\n", "café\n", 0o640),
    subject("two", b"\xE9\xE8\n", "éè\n", 0o600),
    subject("below/three", b"\xC5\n", "Å\n", 0o755),
    subject("left", b"\xC9\n", "É\n", 0o644),
    subject("plain", b"plain\n", "plain\n", 0o644),
    // The second byte is no character.
    subject("faulty", b"\xE9\x81\n", "", 0o644),
    subject("two~", b"older\n", "", 0o644),
];

/// Another name of `left`.
pub const TWIN: &str = "right";

/// A symbolic link to `below/three`.
pub const LINK: &str = "link";

const ATTRIBUTE: &str = "user.charpipe";

/// Somebody else, if the test may give files away.
const OWNER: u32 = 4321;

pub fn fill(stage: &Path) {
    fs::create_dir(stage.join("below")).unwrap();
    for Subject { path, old, mode, .. } in SUBJECTS {
        let path = stage.join(path);
        fs::write(&path, old).unwrap();
        let _ = chown(&path, Some(OWNER), Some(OWNER));
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        // There may be no such thing here.
        let _ = setxattr(&path, ATTRIBUTE, b"kept", XattrFlags::empty());
    }
    fs::hard_link(stage.join("left"), stage.join(TWIN)).unwrap();
    symlink("below/three", stage.join(LINK)).unwrap();
}

/// A synced disk with what is on a stage.
pub fn disk(tree: &Tree) -> Disk {
    let mut disk = Disk::default();
    for (path, image) in tree {
        let names: &[&str] = match path.as_str() {
            TWIN => continue,
            "left" => &["left", TWIN],
            path => &[path],
        };
        disk.put(image.clone(), &names.iter().map(|path| entry(path)).collect::<Vec<_>>());
    }
    disk
}

/// What a file has that is created with this mode.
pub fn created(mode: u32) -> Marks {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap().trim();
    let mode = mode & !u32::from_str_radix(umask, 8).unwrap();
    let owner = format!("{}:{}", geteuid().as_raw(), getegid().as_raw());
    let marks = [("mode", format!("{mode:o}")), ("owner", owner)];
    marks.map(|(name, value)| (name.to_owned(), value)).into()
}

/// What a new file has that nobody has said more about.
pub fn fresh() -> Marks {
    created(0o666)
}

fn entry(path: &str) -> Entry {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder.to_owned(), name.to_owned())
}

/// All files of a stage. Times are looked at where they are to be kept.
pub fn read(stage: &Path, times: bool) -> Tree {
    let mut tree = Tree::new();
    for (folder, prefix) in [(stage.to_owned(), ""), (stage.join("below"), "below/")] {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_file() {
                let name = entry.file_name().into_string().unwrap();
                tree.insert(format!("{prefix}{name}"), image(&entry.path(), &metadata, times));
            }
        }
    }
    tree
}

fn image(path: &Path, metadata: &Metadata, times: bool) -> Image {
    let mut image = Image { bytes: fs::read(path).unwrap(), ..Image::default() };
    let mut put = |name: &str, value| image.marks.insert(name.to_owned(), value);
    put("mode", format!("{:o}", metadata.mode() & 0o7777));
    put("owner", format!("{}:{}", metadata.uid(), metadata.gid()));
    if times {
        put("mtime", format!("{}.{}", metadata.mtime(), metadata.mtime_nsec()));
    }
    let mut value = [0; 64];
    if let Ok(length) = getxattr(path, ATTRIBUTE, &mut value[..]) {
        let digits = value[..length].iter().map(|byte| format!("\\x{byte:02x}"));
        put(ATTRIBUTE, format!("\"{}\"", digits.collect::<String>()));
    }
    image
}
