//! `charpipe install-links`.

use std::fs;
use std::process::Output;

use charpipe_test_support::watch;

fn install(arguments: &[&str]) -> Output {
    let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
    command.arg("install-links").args(arguments).output().unwrap()
}

#[test]
fn link_runs_as_iconv_and_nothing_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    for _ in 0..2 {
        let output = install(&[path]);
        assert!(output.status.success(), "{output:?}");
    }
    let link = directory.path().join("iconv");
    let version = watch::command(&link).arg("--version").output().unwrap();
    assert!(version.stdout.starts_with(b"iconv (charpipe) "));
    fs::remove_file(&link).unwrap();
    fs::write(&link, "another").unwrap();
    assert_eq!(install(&[path]).status.code(), Some(2));
    assert_eq!(fs::read(&link).unwrap(), b"another");
}

#[test]
fn directory_is_required() {
    for arguments in [&[][..], &["a", "b"]] {
        assert_eq!(install(arguments).status.code(), Some(2));
    }
    let help = String::from_utf8(install(&["--help"]).stdout).unwrap();
    assert!(help.contains("\nUsage: charpipe install-links DIR\n"), "{help}");
}
