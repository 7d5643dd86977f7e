//! The names of a checked file in the reports.

use std::borrow::Cow;
use std::fmt::Write;

use crate::cli::json::JsonObject;
use crate::cli::quote::Quoted;
use crate::cli::sys::file_name;

use crate::cli::streams::Input;

/// A checked file and the encoding that is expected of it.
pub struct FileLabel<'a> {
    pub input: &'a Input,
    /// The name of the expected encoding.
    pub encoding: &'static str,
}

impl FileLabel<'_> {
    /// Returns the bytes of the path without a leading `./`, because services compare it with
    /// paths relative to the root of the repository.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        let Input::File(path) = self.input else { return Cow::Borrowed(b"<stdin>") };
        match file_name::with_slashes(path.as_os_str().as_encoded_bytes()) {
            Cow::Borrowed(path) => Cow::Borrowed(strip_current_directory(path)),
            Cow::Owned(path) => Cow::Owned(strip_current_directory(&path).to_vec()),
        }
    }

    /// Returns the exact name, as named or found.
    pub fn exact_name(&self) -> &[u8] {
        match self.input {
            Input::Stdin => b"<stdin>",
            Input::File(path) => path.as_os_str().as_encoded_bytes(),
        }
    }

    /// Returns the whole name, as named or found, with unprintable characters escaped.
    pub fn quoted_name(&self) -> String {
        match self.input {
            Input::Stdin => "<stdin>".to_owned(),
            Input::File(path) => Quoted::from_path(path).with_max_len(usize::MAX).to_string(),
        }
    }

    /// Returns the path with U+FFFD for bytes that are not UTF-8.
    pub fn lossy(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Returns the whole path with unprintable characters escaped.
    pub fn display(&self) -> String {
        Quoted::new(&*file_name::from_bytes(&self.bytes())).with_max_len(usize::MAX).to_string()
    }

    /// Returns the whole path, escaped for the start of a line.
    pub fn display_at_line_start(&self) -> String {
        match self.input {
            Input::Stdin => self.display(),
            Input::File(_) => Quoted::from_path(&*file_name::from_bytes(&self.bytes()))
                .with_max_len(usize::MAX)
                .to_string(),
        }
    }

    /// Returns the path as a URI reference (RFC 3986), exact for any bytes: relative for a
    /// relative path, a `file` URI (RFC 8089) for an absolute path.
    pub fn uri(&self) -> String {
        if *self.input == Input::Stdin { "stdin".to_owned() } else { uri_reference(&self.bytes()) }
    }

    /// Returns a JSON object that names the file: the path, with U+FFFD for bytes that are not UTF-8, and then
    /// also the exact path as a URI reference.
    pub fn json_name(&self) -> JsonObject {
        let is_utf8 = std::str::from_utf8(&self.bytes()).is_ok();
        let uri = (!is_utf8).then(|| uri_reference(&self.bytes()));
        JsonObject::default().with("file", self.lossy()).with_some("uri", uri)
    }
}

fn strip_current_directory(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path.strip_prefix(b"./") {
        path = rest;
        while let Some(rest) = path.strip_prefix(b"/") {
            path = rest;
        }
    }
    path
}

/// Converts a path to a URI reference. Slashes are kept; all other bytes except the unreserved
/// characters of RFC 3986 are percent-encoded.
fn uri_reference(path: &[u8]) -> String {
    let (mut uri, mut path) = (String::with_capacity(path.len() + 8), path);
    match path {
        [drive, b':', rest @ ..] if cfg!(windows) && rest.starts_with(b"/") => {
            uri.push_str("file:///");
            uri.extend([char::from(*drive), ':']);
            path = rest;
        }
        // The path of a share starts with its server.
        [b'/', b'/', ..] if cfg!(windows) => uri.push_str("file:"),
        [b'/', ..] => uri.push_str("file://"),
        _ => {}
    }
    for &byte in path {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
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

    #[test]
    fn every_byte_of_a_path_can_be_encoded() {
        for (path, uri) in [
            (&b"src/main.rs"[..], "src/main.rs"),
            (b"/tmp/a b", "file:///tmp/a%20b"),
            (b"c:d", "c%3Ad"),
            (b"100%#?", "100%25%23%3F"),
            (b"caf\xE9", "caf%E9"),
            ("é".as_bytes(), "%C3%A9"),
            #[cfg(windows)]
            (b"C:/a b", "file:///C:/a%20b"),
            #[cfg(windows)]
            (b"//server/share", "file://server/share"),
        ] {
            assert_eq!(uri_reference(path), uri);
        }
    }
}
