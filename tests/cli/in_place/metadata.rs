//! Metadata of the replaced file, and backups.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use super::{in_place, lines, read};
use crate::acl;
use crate::command::{
    as_unprivileged_user, create_directory, ignores_permissions, names, system_message,
};

#[test]
fn the_mode_is_kept() {
    for mode in [0o600, 0o604, 0o664, 0o755, 0o4755] {
        let directory = create_directory(&[("a", b"\xE9")]);
        let path = directory.path().join("a");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        in_place(directory.path(), &["-f", "latin1", "a"]).success();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode, "{mode:o}");
    }
}

#[test]
fn owner_is_kept_if_permitted() {
    if !ignores_permissions() {
        return;
    }
    let directory = create_directory(&[("a", b"\xE9")]);
    let path = directory.path().join("a");
    chown(&path, Some(1234), Some(4321)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
    in_place(directory.path(), &["-f", "latin1", "a"]).success();
    let new = fs::metadata(&path).unwrap();
    assert_eq!((new.uid(), new.gid(), new.mode() & 0o7777), (1234, 4321, 0o6755));
}

#[test]
fn file_whose_owner_cannot_be_kept_is_rejected() {
    if !ignores_permissions() {
        println!("skipped: only root can be two users");
        return;
    }
    let Some(mut command) = as_unprivileged_user() else { return };
    let directory = create_directory(&[("a", b"\xE9")]);
    for path in [directory.path(), &directory.path().join("a")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let output =
        command.current_dir(&directory).args(["-i", "-f", "latin1", "a"]).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    let expected = "a: cannot be written: cannot preserve owner and group: permission denied";
    assert!(messages.contains(expected), "{messages}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(read(directory.path(), "a"), b"\xE9");
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn extended_attributes_are_kept() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let path = directory.path().join("a");
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(&path, "user.origin", b"here", flags).is_err() {
        println!("skipped: the file system takes no extended attributes");
        return;
    }
    in_place(directory.path(), &["-f", "latin1", "a"]).success();
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&path, "user.origin", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"here");
}

#[test]
fn the_access_control_list_is_kept() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let path = directory.path().join("a");
    if !acl::give(&path) {
        println!("skipped: the file system takes no access control lists");
        return;
    }
    in_place(directory.path(), &["-f", "latin1", "a"]).success();
    assert!(acl::is_set(&path));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, acl::MODE);
}

#[test]
fn a_backup_keeps_the_old_file() {
    for (option, name) in
        [("--backup", "a~"), ("-b", "a~"), ("--backup=.bak", "a.bak"), ("-bk", "a~")]
    {
        let directory = create_directory(&[("a", b"\xE9")]);
        let before = fs::metadata(directory.path().join("a")).unwrap();
        in_place(directory.path(), &["-f", "latin1", option, "a"]).success();
        assert_eq!(read(directory.path(), "a"), "é".as_bytes());
        let kept = fs::metadata(directory.path().join(name)).unwrap();
        assert_eq!((kept.ino(), kept.mtime_nsec()), (before.ino(), before.mtime_nsec()));
        assert_eq!(read(directory.path(), name), b"\xE9");
        assert_eq!(fs::metadata(directory.path().join("a")).unwrap().nlink(), 1);
    }
}

#[test]
fn an_older_backup_is_not_replaced_unless_forced() {
    let directory = create_directory(&[("a", b"\xE9"), ("a~", b"older")]);
    let words = ["-f", "latin1", "--backup", "a"];
    let run = in_place(directory.path(), &words).code(2);
    assert_eq!(
        lines(&run),
        ["a: backup a~ already exists; not converted (use --force to replace it)"]
    );
    assert_eq!(
        (read(directory.path(), "a"), read(directory.path(), "a~")),
        (b"\xE9".into(), b"older".into())
    );
    in_place(directory.path(), &[&words[..], &["--force"]].concat()).success();
    assert_eq!(read(directory.path(), "a~"), b"\xE9");
}

#[test]
fn backup_of_an_interrupted_run_is_accepted() {
    let directory = create_directory(&[("a", b"\xE9")]);
    fs::hard_link(directory.path().join("a"), directory.path().join("a~")).unwrap();
    in_place(directory.path(), &["-f", "latin1", "--backup", "a"]).success();
    assert_eq!(read(directory.path(), "a"), "é".as_bytes());
    assert_eq!(read(directory.path(), "a~"), b"\xE9");
}

#[test]
fn a_backup_whose_name_would_be_too_long_leaves_the_file() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let backup = format!("--backup={}", "x".repeat(255));
    // It can be known before anything is written.
    for option in ["-v", "-n"] {
        let run = in_place(directory.path(), &["-f", "latin1", &backup, option, "a"]).code(2);
        let message = system_message(rustix::io::Errno::NAMETOOLONG);
        assert_eq!(lines(&run), [format!("a: cannot be written: {message}")], "{option}");
        assert_eq!(read(directory.path(), "a"), b"\xE9");
        assert_eq!(names(directory.path()), ["a"]);
    }
}
