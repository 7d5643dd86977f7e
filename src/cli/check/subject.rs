//! The file that is being checked, as the formats name it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use charpipe::quote::Quoted;

use crate::cli::job::Input;

/// A file, and what it should be.
pub struct Subject<'a> {
    pub input: &'a Input,
    /// The name of the charset that it should be in.
    pub charset: &'static str,
}

impl Subject<'_> {
    /// The bytes of its path, without `./` in front: what reads reports compares them with paths
    /// below the root of a repository.
    pub fn path(&self) -> &[u8] {
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
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.path())
    }

    /// Its path, safe to show, as long as it is.
    pub fn shown(&self) -> String {
        Quoted::new(OsStr::from_bytes(self.path())).within(usize::MAX).to_string()
    }

    /// The same for the start of a line.
    pub fn shown_first(&self) -> String {
        match self.input {
            Input::Stdin => self.shown(),
            Input::File(_) => {
                Quoted::path(OsStr::from_bytes(self.path())).within(usize::MAX).to_string()
            }
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
    fn a_path_is_that_below_the_folder_in_which_the_command_runs() {
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
            assert_eq!(Subject { input: &input, charset: "UTF-8" }.text(), path);
        }
    }
}
