//! Programs that the commands of the documentation run.

use std::ffi::OsString;
use std::process::Stdio;

use charpipe_test_support::watch;

/// What the expected program prints for `--version`, where programs of other projects have the same name and other
/// options or mappings.
const IMPLEMENTATIONS: [(&str, &str); 8] = [
    ("find", "GNU findutils"),
    ("iconv", "GNU libc\\|GLIBC"),
    ("make", "GNU Make"),
    ("parallel", "GNU parallel"),
    ("recode", "recode"),
    ("script", "util-linux"),
    ("sed", "GNU sed"),
    ("xargs", "GNU findutils"),
];

/// Returns whether a program is installed, and is the one that the documentation means.
pub fn is_installed(program: &str) -> bool {
    is_in(program, std::env::var_os("PATH").unwrap_or_default())
}

fn is_in(program: &str, path: OsString) -> bool {
    let script = match IMPLEMENTATIONS.iter().find(|(name, _)| *name == program) {
        Some((_, text)) => format!("{program} --version </dev/null | grep '{text}'"),
        None if program.starts_with('/') => format!("test -e {program}"),
        None => format!("command -v {program}"),
    };
    let mut shell = watch::command("sh");
    shell.arg("-c").arg(script).env("PATH", path);
    shell.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
fn programs_of_the_same_name_are_recognized() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).collect::<Vec<_>>();
    let own = [directory.path().to_owned()].into_iter().chain(directories);
    let path = std::env::join_paths(own).unwrap();
    for (name, text) in IMPLEMENTATIONS {
        let text = text.split('\\').next().unwrap();
        for (printed, expected) in [("usage: another program", false), (text, true)] {
            let file = directory.path().join(name);
            fs::write(&file, format!("#!/bin/sh\necho '{printed}'\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(is_in(name, path.clone()), expected, "{name}: {printed}");
        }
    }
}
