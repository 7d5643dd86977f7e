//! File names as bytes: in WTF-8, which is UTF-8 except that it can represent unpaired surrogates.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::OsStringExt;
use std::path::Path;

/// The longest file name that file systems commonly support, in UTF-16 code units.
pub(crate) const NAME_MAX: usize = 255;

/// Names of devices that are devices in any directory.
const DEVICES: [&str; 4] = ["NUL", "CON", "CONOUT$", "AUX"];

/// Returns the file name that consists of these bytes, with U+FFFD for invalid ones.
pub(crate) fn from_bytes(bytes: &[u8]) -> Cow<'_, OsStr> {
    match std::str::from_utf8(bytes) {
        Ok(name) => Cow::Borrowed(OsStr::new(name)),
        Err(_) => Cow::Owned(OsString::from_wide(&wtf8_to_utf16(bytes))),
    }
}

fn wtf8_to_utf16(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        units.extend(chunk.valid().encode_utf16());
        rest = &rest[chunk.valid().len()..];
        if let [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, tail @ ..] = rest {
            units.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
            rest = tail;
        } else if !chunk.invalid().is_empty() {
            units.push(0xFFFD);
            rest = &rest[chunk.invalid().len()..];
        }
    }
    units
}

/// Returns the path in a line or record of a list of files. Lines may end with CR LF.
pub(crate) fn from_list(mut record: Vec<u8>) -> OsString {
    record.pop_if(|last| *last == b'\r');
    from_bytes(&record).into_owned()
}

/// Returns a path with slashes between its components.
pub(crate) fn with_slashes(path: &[u8]) -> Cow<'_, [u8]> {
    if !path.contains(&b'\\') {
        return Cow::Borrowed(path);
    }
    let slash = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
    Cow::Owned(path.iter().map(slash).collect())
}

/// Returns whether a name is a single component of a path, other than `.` and `..`, and does not name a
/// stream of a file.
pub(crate) fn is_component(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.iter().any(|byte| b"/\\:\0".contains(byte))
}

/// Returns whether a path names a device by its form, whatever the file system contains.
pub(crate) fn is_device(path: &Path) -> bool {
    let text = path.as_os_str();
    text.as_encoded_bytes().starts_with(br"\\.\")
        || DEVICES.iter().any(|device| text.eq_ignore_ascii_case(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_unpaired_surrogates_are_exact() {
        for units in [
            &[0x61, 0xD800, 0x62][..],
            &[0xDC00],
            &[0xD83D, 0xDE00, 0xD83D],
            &[0xDFFF, 0xD800],
            &[0xFFFD, 0xE9],
        ] {
            let name = OsString::from_wide(units);
            assert_eq!(from_bytes(name.as_encoded_bytes()), name);
        }
        let invalid = from_bytes(b"a\xFFb\xED\xA0");
        assert_eq!(invalid.to_str(), Some("a\u{FFFD}b\u{FFFD}\u{FFFD}"));
    }

    #[test]
    fn devices_are_recognized() {
        for (path, device) in [
            ("nul", true),
            ("CON", true),
            (r"\\.\pipe\x", true),
            ("nul.txt", false),
            (r"a\b", false),
        ] {
            assert_eq!(is_device(Path::new(path)), device, "{path}");
        }
    }

    #[test]
    fn names_with_separators_or_streams_are_rejected() {
        for name in ["", ".", "..", "a/b", r"a\b", "a:b", "C:"] {
            assert!(!is_component(OsStr::new(name)), "{name}");
        }
        assert!(is_component(OsStr::new("a.txt")));
    }
}
