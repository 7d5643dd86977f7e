//! Encodings that mapping files define, which options name by their path.

use std::fs::File;
use std::io::Read;
use std::path::is_separator;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use charpipe_encoding::encoding::Encoding;

use crate::cli::quote::Quoted;

/// The maximum length of a mapping file in bytes. That of GB 18030, with all characters, has 15 MB.
const MAX_LEN: u64 = 64 << 20;

/// The encodings that have been loaded, each with its path: an encoding is one static.
static LOADED: Mutex<Vec<(String, &'static Encoding)>> = Mutex::new(Vec::new());

/// Returns whether a label of an encoding is a path: it begins with `/`, `./` or `../`.
pub fn is_path(label: &str) -> bool {
    label.trim_start_matches('.').starts_with(is_separator)
        && label.find(is_separator).is_some_and(|dots| dots <= 2)
}

/// Returns the encoding that a file defines. Its name is the one in the file, or that of the file without its extension.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is too large or is not valid.
pub fn load(path: &str) -> Result<&'static Encoding> {
    let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, encoding)) = loaded.iter().find(|(known, _)| known == path) {
        return Ok(encoding);
    }
    let quoted = || Quoted::new(path).to_string();
    let mut content = Vec::new();
    let file = File::open(path).with_context(quoted)?;
    file.take(MAX_LEN + 1).read_to_end(&mut content).with_context(quoted)?;
    if content.len() as u64 > MAX_LEN {
        bail!("{}: not a mapping file: longer than 64 MiB", quoted());
    }
    let encoding = Encoding::from_mapping(&quoted(), &content)?;
    loaded.push((path.to_owned(), encoding));
    Ok(encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_with_a_separator_or_dots() {
        for path in ["/maps/x", "./x.ucm", "../x.ucm"] {
            assert!(is_path(path), "{path}");
        }
        for label in ["utf-8", "utf-8/qp", "", ".", "..", "x/y", ".../x", "latin1//TRANSLIT"] {
            assert!(!is_path(label), "{label}");
        }
    }
}
