//! The file that is being checked, as the formats name it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use charpipe::quote::Quoted;

use crate::cli::config::Input;

/// A file, and what it should be.
pub struct FileLabel<'a> {
    pub input: &'a Input,
    /// The name of the encoding that it should be in.
    pub encoding: &'static str,
}

impl FileLabel<'_> {
    /// The bytes of its path, without `./` in front: what reads reports compares them with paths
    /// below the root of a repository.
    pub fn bytes(&self) -> &[u8] {
        let Input::File(path) = self.input else { return b"<stdin>" };
        let mut path = path.as_os_str().as_bytes();
        while let Some(rest) = path.strip_prefix(b"./") {
            path = rest;
            while let Some(rest) = path.strip_prefix(b"/") {
                path = rest;
            }
        }
        path
    }

    /// Its path as text, with U+FFFD for what is no UTF-8.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// Its path, safe to show, as long as it is.
    pub fn display(&self) -> String {
        Quoted::new(OsStr::from_bytes(self.bytes())).with_max_len(usize::MAX).to_string()
    }

    /// The same for the start of a line.
    pub fn display_at_line_start(&self) -> String {
        match self.input {
            Input::Stdin => self.display(),
            Input::File(_) => Quoted::from_path(OsStr::from_bytes(self.bytes()))
                .with_max_len(usize::MAX)
                .to_string(),
        }
    }

    pub fn is_stdin(&self) -> bool {
        *self.input == Input::Stdin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_relative_to_the_current_directory() {
        for (given, path) in [
            ("a/b", "a/b"),
            ("./a/b", "a/b"),
            (".//a", "a"),
            ("././a", "a"),
            ("../a", "../a"),
            ("/a", "/a"),
            (".a", ".a"),
        ] {
            let input = Input::File(given.into());
            assert_eq!(FileLabel { input: &input, encoding: "UTF-8" }.lossy(), path);
        }
    }
}
