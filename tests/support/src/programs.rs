//! Other programs that tests run.

use std::ffi::OsStr;
use std::process::Stdio;

use crate::watch;

/// What the expected program prints for `--version`, where programs of other projects have the same name and other
/// options or mappings.
const IMPLEMENTATIONS: [(&str, &[&str]); 10] = [
    ("find", &["GNU findutils"]),
    ("iconv", &["GNU libc", "GLIBC"]),
    ("make", &["GNU Make"]),
    ("nkf", &["Network Kanji Filter"]),
    ("parallel", &["GNU parallel"]),
    ("recode", &["recode"]),
    ("script", &["util-linux"]),
    ("sed", &["GNU sed"]),
    ("uconv", &["ICU"]),
    ("xargs", &["GNU findutils"]),
];

/// Returns whether a program is installed, and is the one that is meant.
#[must_use]
pub fn is_installed(program: &str) -> bool {
    is_in(program, &std::env::var_os("PATH").unwrap_or_default())
}

fn is_in(program: &str, path: &OsStr) -> bool {
    let Some(file) = std::env::split_paths(path)
        .map(|directory| directory.join(program))
        .find(|file| !program.is_empty() && file.exists())
    else {
        return false;
    };
    let Some((_, texts)) = IMPLEMENTATIONS.iter().find(|(name, _)| *name == program) else {
        return true;
    };
    let version = watch::command(file).arg("--version").stdin(Stdio::null()).output();
    version.is_ok_and(|output| {
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        texts.iter().any(|text| printed.contains(text))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn programs_are_found_in_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
        assert!(!is_installed(""));
    }

    #[test]
    fn programs_of_the_same_name_are_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().as_os_str();
        for (name, texts) in IMPLEMENTATIONS {
            for (printed, expected) in [("usage: another program", false), (texts[0], true)] {
                let file = directory.path().join(name);
                fs::write(&file, format!("#!/bin/sh\necho '{printed}'\n")).unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
                assert_eq!(is_in(name, path), expected, "{name}: {printed}");
            }
        }
    }
}
