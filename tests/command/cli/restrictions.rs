//! Directories and files that take new files and new text, but let nothing be replaced.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::command::{as_unprivileged_user, charpipe, create_directory, messages_of, names};
use charpipe_test_support::{Requirement, missing, require, watch};

/// A file attribute that is set until this is dropped.
struct FileAttribute(&'static str, PathBuf);

impl FileAttribute {
    /// None where this user, or the file system, cannot set it.
    fn set(letter: &'static str, path: &Path) -> Option<FileAttribute> {
        let set = watch::command("chattr").arg(format!("+{letter}")).arg(path).output();
        if !set.is_ok_and(|output| output.status.success()) {
            missing("the permission to set file attributes");
            return None;
        }
        Some(FileAttribute(letter, path.to_owned()))
    }
}

impl Drop for FileAttribute {
    fn drop(&mut self) {
        let _ = watch::command("chattr").arg(format!("-{}", self.0)).arg(&self.1).status();
    }
}

/// Every way to replace the file `d/f`.
const REPLACING: [&[&str]; 6] = [
    &["-i", "d/f"],
    &["-i", "--no-o-tmpfile", "d/f"],
    &["-i", "--backup", "d/f"],
    &["-i", "-n", "d/f"],
    &["-o", "d/f", "in"],
    &["--no-o-tmpfile", "-o", "d/f", "in"],
];

/// A directory with `in`, and `f` in a directory of its own.
fn stage() -> TempDir {
    let stage = create_directory(&[("in", b"caf\xE9\n")]);
    fs::create_dir(stage.path().join("d")).unwrap();
    fs::write(stage.path().join("d/f"), b"\xE9t\xE9\n").unwrap();
    stage
}

/// Runs the command and checks that it refuses for this reason and leaves everything as it was.
fn assert_refuses(stage: &Path, words: &[&str], reason: &str) {
    let run = charpipe().current_dir(stage).args(["-f", "latin1"]).args(words).assert().code(2);
    let file = if words.contains(&"d/new") { "d/new" } else { "d/f" };
    assert_eq!(
        messages_of(&run)[0],
        format!("charpipe: {file}: cannot be written: {reason}"),
        "{words:?}"
    );
    assert_eq!(names(&stage.join("d")), ["f"], "{words:?}");
    assert_eq!(fs::read(stage.join("d/f")).unwrap(), b"\xE9t\xE9\n", "{words:?}");
}

#[test]
fn directory_with_an_attribute_is_rejected_before_any_change() {
    for (letter, name) in [("a", "append-only"), ("i", "immutable")] {
        let stage = stage();
        let Some(_set) = FileAttribute::set(letter, &stage.path().join("d")) else { return };
        let new: [&[&str]; 2] = [&["-o", "d/new", "in"], &["--no-o-tmpfile", "-o", "d/new", "in"]];
        for words in REPLACING.into_iter().chain(new) {
            assert_refuses(stage.path(), words, &format!("directory d is {name}"));
        }
    }
}

#[test]
fn file_with_an_attribute_is_rejected_before_any_change() {
    for (letter, name) in [("a", "append-only"), ("i", "immutable")] {
        let stage = stage();
        let Some(_set) = FileAttribute::set(letter, &stage.path().join("d/f")) else { return };
        for words in REPLACING {
            assert_refuses(stage.path(), words, &format!("is {name}"));
        }
    }
}

#[test]
fn an_attribute_is_found_in_memory_and_without_statx() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else { return };
    let path = directory.path().join("f");
    fs::write(&path, b"\xE9").unwrap();
    if let Some(_set) = FileAttribute::set("a", directory.path()) {
        let run = charpipe().args(["-i", "-f", "latin1"]).arg(&path).assert().code(2);
        assert!(messages_of(&run)[0].ends_with(" is append-only"), "{:?}", messages_of(&run));
        assert_eq!(names(directory.path()), ["f"]);
    }
    let stage = stage();
    let Some(_set) = FileAttribute::set("a", &stage.path().join("d")) else { return };
    let mut command = watch::command("strace");
    command.args(["-f", "-o", "/dev/null", "-e", "trace=statx", "-e", "inject=statx:error=EPERM"]);
    command.arg(env!("CARGO_BIN_EXE_charpipe")).args(["-f", "latin1", "-o", "d/new", "in"]);
    let Ok(output) = command.current_dir(&stage).output() else { return missing("strace") };
    let printed = String::from_utf8(output.stderr).unwrap();
    if printed.starts_with("strace") {
        return missing("the permission to trace with strace");
    }
    assert!(printed.ends_with("directory d is append-only\n"), "{printed}");
}

#[test]
fn file_of_another_user_in_a_sticky_directory_is_rejected() {
    if !require(Requirement::Superuser) {
        return;
    }
    let stage = stage();
    let (directory, file) = (stage.path().join("d"), stage.path().join("d/f"));
    fs::set_permissions(stage.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    chown(&file, Some(1234), Some(1234)).unwrap();
    for words in REPLACING {
        let Some(mut command) = as_unprivileged_user() else { return };
        let output = command.current_dir(&stage).args(["-f", "latin1"]).args(words).output();
        let output = output.unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        let reason = "directory d is sticky and the file belongs to another user";
        let expected = format!("charpipe: d/f: cannot be written: {reason}\n");
        assert!(printed.starts_with(&expected), "{words:?}: {printed}");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(names(&directory), ["f"], "{words:?}");
    }
    // Root may.
    let words = ["-f", "latin1", "-i", "--backup", "d/f"];
    charpipe().current_dir(&stage).args(words).assert().success();
    assert_eq!(names(&directory), ["f", "f~"]);
}

#[test]
fn backup_is_removed_if_the_rename_fails() {
    let stage = stage();
    let mut command = watch::command("strace");
    let inject = "inject=renameat,renameat2,rename:error=EPERM";
    command.args(["-f", "-o", "/dev/null", "-e", "trace=/^rename", "-e", inject]);
    command.arg(env!("CARGO_BIN_EXE_charpipe"));
    command.args(["-f", "latin1", "-i", "--backup", "d/f"]);
    let Ok(output) = command.current_dir(&stage).output() else {
        return missing("strace");
    };
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(&stage.path().join("d")), ["f"]);
}
