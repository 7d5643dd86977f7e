//! Odd names.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::{in_place, lines};
use crate::cli::command::create_directory;
use charpipe_test_support::missing;

#[test]
fn any_name_will_do() {
    let directory = create_directory(&[]);
    let long = "é".repeat(127);
    for name in [&b"caf\xE9"[..], b" ", b"a\nb", b"\x1B[31m", b"...", b"--", b"*", long.as_bytes()]
    {
        let path = directory.path().join(OsStr::from_bytes(name));
        if fs::write(&path, b"\xE9").is_err() {
            missing("a file system with names of any bytes");
            continue;
        }
        for option in ["--backup=~", "--no-o-tmpfile"] {
            if option == "--backup=~" && name.len() > 250 {
                continue;
            }
            fs::write(&path, b"\xE9").unwrap();
            let words = ["-f", "latin1", option, "--"].map(OsString::from);
            let words = [&words[..], &[OsStr::from_bytes(name).to_owned()]].concat();
            in_place(directory.path(), &words).success();
            assert_eq!(fs::read(&path).unwrap(), "é".as_bytes(), "{name:?}");
        }
    }
}

#[test]
fn names_are_shown_spelled_out() {
    let directory = create_directory(&[]);
    let name = OsStr::from_bytes(b"\xE9\x1B[31m\n");
    if fs::write(directory.path().join(name), b"\xE9").is_err() {
        return missing("a file system with names of any bytes");
    }
    let words = [OsStr::new("-f"), OsStr::new("latin1"), OsStr::new("-v"), name];
    let run = in_place(directory.path(), &words).success();
    let expected = "./\\xE9\\x1B[31m\\x0A: converted from ISO-8859-1 to UTF-8";
    assert_eq!(lines(&run), [expected]);
}
