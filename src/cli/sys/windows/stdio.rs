//! Standard streams. Bytes are passed unchanged, without conversion of line ends.
//!
//! A console displays text: output on it is taken as UTF-8 and written as UTF-16, whatever its code page.
//! What is typed on a console is read as UTF-8.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};
use std::sync::{Mutex, OnceLock, PoisonError};

use windows_sys::Win32::System::Console::{
    STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
};

use super::ffi;

/// The key that ends the input on a console.
pub(crate) const END_OF_INPUT_KEY: &str = "Ctrl-Z and Enter";

/// The number of bytes written to a console at a time.
const CONSOLE_BLOCK: usize = 4096;

/// An open stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Handle<'a> {
    Standard(&'static StandardStream),
    File(&'a File),
}

/// A standard stream.
#[derive(Debug)]
pub(crate) struct StandardStream {
    id: STD_HANDLE,
    /// A duplicate of the handle; `None` if it is closed.
    file: OnceLock<Option<File>>,
    is_console: OnceLock<bool>,
    /// The start of a character whose rest has not been written yet.
    incomplete: Mutex<Vec<u8>>,
}

static STDIN: StandardStream = StandardStream::new(STD_INPUT_HANDLE);
static STDOUT: StandardStream = StandardStream::new(STD_OUTPUT_HANDLE);
static STDERR: StandardStream = StandardStream::new(STD_ERROR_HANDLE);

pub(crate) fn stdin() -> Handle<'static> {
    Handle::Standard(&STDIN)
}

pub(crate) fn stdout() -> Handle<'static> {
    Handle::Standard(&STDOUT)
}

pub(crate) fn stderr() -> Handle<'static> {
    Handle::Standard(&STDERR)
}

/// Returns the stream of a file.
pub(crate) fn of_file(file: &File) -> Handle<'_> {
    Handle::File(file)
}

impl<'a> Handle<'a> {
    pub(super) fn file(self) -> io::Result<&'a File> {
        match self {
            Handle::Standard(stream) => stream.file(),
            Handle::File(file) => Ok(file),
        }
    }

    fn console(self) -> Option<&'static StandardStream> {
        match self {
            Handle::Standard(stream) => stream.is_console().then_some(stream),
            Handle::File(_) => None,
        }
    }
}

impl StandardStream {
    const fn new(id: STD_HANDLE) -> StandardStream {
        StandardStream {
            id,
            file: OnceLock::new(),
            is_console: OnceLock::new(),
            incomplete: Mutex::new(Vec::new()),
        }
    }

    fn handle(&self) -> BorrowedHandle<'static> {
        ffi::standard_handle(self.id)
    }

    fn file(&self) -> io::Result<&File> {
        let duplicate = || self.handle().try_clone_to_owned().ok().map(File::from);
        self.file.get_or_init(duplicate).as_ref().ok_or_else(closed_error)
    }

    fn is_console(&self) -> bool {
        *self.is_console.get_or_init(|| ffi::is_console(self.handle()))
    }

    /// Writes text to the console. The start of a character at the end is kept for the next call;
    /// bytes that are not UTF-8 are shown as U+FFFD.
    fn write_console(&self, bytes: &[u8]) -> io::Result<usize> {
        let block = &bytes[..bytes.len().min(CONSOLE_BLOCK)];
        let mut incomplete = self.incomplete.lock().unwrap_or_else(PoisonError::into_inner);
        incomplete.extend_from_slice(block);
        let (text, rest) = decode_complete(&incomplete);
        let units: Vec<u16> = text.encode_utf16().collect();
        *incomplete = rest;
        let mut rest = &units[..];
        while !rest.is_empty() {
            match ffi::write_console(self.handle(), rest)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => rest = &rest[written..],
            }
        }
        Ok(block.len())
    }
}

/// Decodes UTF-8. Returns the text and the start of a character at the end.
fn decode_complete(bytes: &[u8]) -> (String, Vec<u8>) {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return (text, Vec::new());
            }
            Err(error) => {
                let (valid, invalid) = rest.split_at(error.valid_up_to());
                text.push_str(&String::from_utf8_lossy(valid));
                let Some(len) = error.error_len() else { return (text, invalid.to_vec()) };
                text.push('\u{FFFD}');
                rest = &invalid[len..];
            }
        }
    }
}

/// Reads available bytes into `buffer`, waiting until there are some. Returns the number of bytes read,
/// which is zero only at the end of the input or for an empty buffer.
pub(crate) fn read(stream: Handle<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    retry(|| match stream.console() {
        Some(_) => io::stdin().lock().read(buffer),
        None => stream.file()?.read(buffer),
    })
}

/// Reads bytes at `offset` into `buffer`. Returns the number of bytes read, zero at the end of the file.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    retry(|| file.seek_read(buffer, offset))
}

/// Writes as many leading bytes as possible, waiting until at least one can be written. Returns the
/// number of bytes written.
pub(crate) fn write(stream: Handle<'_>, bytes: &[u8]) -> io::Result<usize> {
    retry(|| match stream.console() {
        Some(console) => console.write_console(bytes),
        None => stream.file()?.write(bytes),
    })
}

/// Writes all of `bytes`.
///
/// # Errors
///
/// Returns the error of the write, and [`io::ErrorKind::WriteZero`] if it makes no progress.
pub(crate) fn write_all(stream: Handle<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(stream, bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Returns whether a stream is the console of standard error.
pub(crate) fn shares_stderr_terminal(stream: Handle<'_>) -> bool {
    stream.console().is_some() && STDERR.is_console()
}

/// Returns the position in a stream; zero if it cannot be repositioned.
pub(crate) fn position(stream: Handle<'_>) -> u64 {
    stream.file().and_then(|mut file| file.stream_position()).unwrap_or(0)
}

/// Returns whether a stream is a console that interprets escape sequences, and makes it do so.
pub(crate) fn supports_escapes(stream: Handle<'_>) -> bool {
    stream.console().is_some_and(|console| ffi::enable_escape_sequences(console.handle()))
}

/// Returns true: a console does not make its processes wait.
pub(crate) fn is_available(_stream: Handle<'_>) -> bool {
    true
}

/// Opens nothing: handles have no numbers that are used again. Returns `true`.
pub(crate) fn occupy_descriptor() -> bool {
    true
}

/// Returns whether a stream is closed.
pub(crate) fn is_closed(stream: Handle<'_>) -> bool {
    match stream {
        Handle::Standard(stream) => stream.handle().as_raw_handle().is_null(),
        Handle::File(_) => false,
    }
}

/// Returns the error for a stream that is closed.
pub(crate) fn closed_error() -> io::Error {
    io::Error::other("is closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_complete_across_writes() {
        let text = "aé€😀";
        for split in 0..=text.len() {
            let (mut shown, rest) = decode_complete(&text.as_bytes()[..split]);
            let rest = [&rest, &text.as_bytes()[split..]].concat();
            let (end, rest) = decode_complete(&rest);
            shown.push_str(&end);
            assert!(shown == text && rest.is_empty(), "{split}");
        }
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        let (text, rest) = decode_complete(b"a\xFFb\xC3(\xE2\x82");
        assert_eq!((&*text, &*rest), ("a\u{FFFD}b\u{FFFD}(", &b"\xE2\x82"[..]));
    }
}
