//! The files that the runs work on, and what is to become of them.

use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::process::{getegid, geteuid};

use super::disk_model::{DirectoryEntry, DiskModel, FileImage, FileMetadata, FileTree};

/// A file, before and after its conversion, and its mode.
pub struct FileCase {
    pub path: &'static str,
    old: &'static [u8],
    pub new: &'static str,
    pub mode: u32,
}

const fn file_case(
    path: &'static str,
    old: &'static [u8],
    new: &'static str,
    mode: u32,
) -> FileCase {
    FileCase { path, old, new, mode }
}

pub const FILE_CASES: [FileCase; 8] = [
    file_case("one", b"caf\xE9\n", "café\n", 0o640),
    file_case("two", b"\xE9\xE8\n", "éè\n", 0o600),
    file_case("below/three", b"\xC5\n", "Å\n", 0o755),
    file_case("left", b"\xC9\n", "É\n", 0o644),
    file_case("long", LONG_FILE, LONG_TEXT, 0o644),
    file_case("plain", b"plain\n", "plain\n", 0o644),
    // The second byte is malformed.
    file_case("invalid", b"\xE9\x81\n", "", 0o644),
    file_case("two~", b"older\n", "", 0o644),
];

/// A file whose new content is not kept in memory.
pub const LONG_FILE: &[u8] = &[0xE9; LONG_LEN];
pub const LONG_TEXT: &str = match std::str::from_utf8(&LONG_BYTES) {
    Ok(text) => text,
    Err(_) => panic!("it is UTF-8"),
};
const LONG_LEN: usize = 33_000;
static LONG_BYTES: [u8; 2 * LONG_LEN] = {
    let mut bytes = [0xC3; 2 * LONG_LEN];
    let mut index = 1;
    while index < bytes.len() {
        bytes[index] = 0xA9;
        index += 2;
    }
    bytes
};

/// Another name of `left`.
pub const HARD_LINK: &str = "right";

/// A symbolic link to `below/three`.
pub const LINK: &str = "link";

const ATTRIBUTE: &str = "user.charpipe";

/// Somebody else, if the test may give files away.
const OWNER: u32 = 4321;

pub fn create_files(stage: &Path) {
    fs::create_dir(stage.join("below")).unwrap();
    for FileCase { path, old, mode, .. } in FILE_CASES {
        let path = stage.join(path);
        fs::write(&path, old).unwrap();
        let _ = chown(&path, Some(OWNER), Some(OWNER));
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        // There may be no such thing here.
        let _ = setxattr(&path, ATTRIBUTE, b"kept", XattrFlags::empty());
    }
    fs::hard_link(stage.join("left"), stage.join(HARD_LINK)).unwrap();
    symlink("below/three", stage.join(LINK)).unwrap();
}

/// A synced disk with what is on a stage.
pub fn synced_disk(tree: &FileTree) -> DiskModel {
    let mut disk = DiskModel::default();
    for (path, image) in tree {
        let names: &[&str] = match path.as_str() {
            HARD_LINK => continue,
            "left" => &["left", HARD_LINK],
            path => &[path],
        };
        disk.add_file(image.clone(), &names.iter().map(|path| entry(path)).collect::<Vec<_>>());
    }
    disk
}

/// Returns the metadata of a file that is created with this mode.
pub fn metadata_with_mode(mode: u32) -> FileMetadata {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap().trim();
    let mode = mode & !u32::from_str_radix(umask, 8).unwrap();
    let owner = format!("{}:{}", geteuid().as_raw(), getegid().as_raw());
    let marks = [("mode", format!("{mode:o}")), ("owner", owner)];
    marks.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The default metadata of a new file.
pub fn new_file_metadata() -> FileMetadata {
    metadata_with_mode(0o666)
}

fn entry(path: &str) -> DirectoryEntry {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    (directory.to_owned(), name.to_owned())
}

/// All files of a stage. Times are looked at where they are to be kept.
pub fn read_tree(stage: &Path, times: bool) -> FileTree {
    let mut tree = FileTree::new();
    let mut directories = vec![String::new()];
    while let Some(prefix) = directories.pop() {
        for entry in fs::read_dir(stage.join(&prefix)).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if metadata.is_file() {
                tree.insert(path, read_file(&entry.path(), &metadata, times));
            } else if metadata.is_dir() {
                directories.push(format!("{path}/"));
            }
        }
    }
    tree
}

fn read_file(path: &Path, metadata: &Metadata, times: bool) -> FileImage {
    let mut image = FileImage { bytes: fs::read(path).unwrap(), ..FileImage::default() };
    let mut put = |name: &str, value| image.metadata.insert(name.to_owned(), value);
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
