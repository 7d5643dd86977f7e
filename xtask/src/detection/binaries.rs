//! Binary files of the system, which are not text in any encoding.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::results::detect;

/// The number of files.
const FILES: usize = 2000;

const MAX_SIZE: u64 = 4 << 20;

/// Directories of installed packages.
const DIRECTORIES: [&str; 6] =
    ["/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share", "/usr/libexec", "/usr/local/lib"];

/// The extensions of binary formats, and the first bytes that files with them have.
const SIGNATURES: [(&str, &[u8]); 26] = [
    ("", b"\x7FELF"),
    ("so", b"\x7FELF"),
    ("o", b"\x7FELF"),
    ("ko", b"\x7FELF"),
    ("a", b"!<arch>\n"),
    ("rlib", b"!<arch>\n"),
    ("png", b"\x89PNG"),
    ("gif", b"GIF8"),
    ("jpg", b"\xFF\xD8\xFF"),
    ("ico", b"\0\0\x01\0"),
    ("webp", b"RIFF"),
    ("wav", b"RIFF"),
    ("pdf", b"%PDF"),
    ("ttf", b"\0\x01\0\0"),
    ("otf", b"OTTO"),
    ("woff", b"wOFF"),
    ("woff2", b"wOF2"),
    ("gz", b"\x1F\x8B"),
    ("xz", b"\xFD7zXZ"),
    ("bz2", b"BZh"),
    ("zip", b"PK"),
    ("whl", b"PK"),
    ("jar", b"PK"),
    ("mo", b"\xDE\x12\x04\x95"),
    ("pyc", b""),
    ("gresource", b"GVariant"),
];

/// The result for binary files.
pub struct Binaries {
    pub total: usize,
    /// The number of files by extension.
    pub kinds: Vec<(String, usize)>,
    /// The files that are text in a legacy encoding according to charpipe, with the encoding.
    pub legacy: Vec<(String, String)>,
    /// The number of files that are text in another encoding according to charpipe.
    pub other_text: usize,
}

/// Examines binary files of the packages that are installed here.
pub fn measure(program: &Path) -> Result<Binaries> {
    let mut files = Vec::new();
    for directory in DIRECTORIES {
        collect(Path::new(directory), &mut files);
    }
    // The same number of each kind, as far as there are that many, in an order without a pattern.
    files.sort_by_cached_key(|(_, path)| path_hash(path));
    let mut chosen: Vec<(usize, PathBuf)> = Vec::new();
    let mut limit = FILES / SIGNATURES.len();
    while chosen.len() < FILES.min(files.len()) {
        let mut counts = [0; SIGNATURES.len()];
        chosen = files.clone();
        chosen.retain(|(kind, _)| {
            counts[*kind] += 1;
            counts[*kind] <= limit
        });
        limit += 10;
    }
    chosen.truncate(FILES);
    let mut binaries =
        Binaries { total: chosen.len(), kinds: Vec::new(), legacy: Vec::new(), other_text: 0 };
    for (kind, (extension, _)) in SIGNATURES.iter().enumerate() {
        let count = chosen.iter().filter(|(of, _)| *of == kind).count();
        let name = if extension.is_empty() { "programs" } else { extension };
        binaries.kinds.push((name.to_owned(), count));
    }
    for part in chosen.chunks(500) {
        let paths: Vec<&Path> = part.iter().map(|(_, path)| path.as_path()).collect();
        for (file, value) in detect(program, &paths)? {
            if value["content"].as_str() != Some("text") {
                continue;
            }
            match value["encoding"].as_str().unwrap_or("-") {
                "UTF-8" | "ASCII" | "US-ASCII" => binaries.other_text += 1,
                encoding => binaries.legacy.push((file, encoding.to_owned())),
            }
        }
    }
    binaries.legacy.sort();
    Ok(binaries)
}

/// Adds the binary files in a directory, with the index of their kind.
fn collect(directory: &Path, files: &mut Vec<(usize, PathBuf)>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            collect(&path, files);
        } else if kind.is_file()
            && entry.metadata().is_ok_and(|data| (1..=MAX_SIZE).contains(&data.len()))
        {
            let extension =
                path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let kind = SIGNATURES
                .iter()
                .position(|(of, signature)| *of == extension && starts_with(&path, signature));
            if let Some(kind) = kind {
                files.push((kind, path));
            }
        }
    }
}

fn starts_with(path: &Path, signature: &[u8]) -> bool {
    use std::io::Read;
    let mut head = vec![0; signature.len()];
    fs::File::open(path)
        .is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && head == signature)
}

/// Returns a hash of a path that is the same everywhere (FNV-1a).
fn path_hash(path: &Path) -> u64 {
    path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
