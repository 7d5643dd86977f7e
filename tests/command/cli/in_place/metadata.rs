//! Metadata of the replaced file, and backups.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use super::{in_place, lines, read};
use crate::cli::acl;
use crate::cli::command::{as_unprivileged_user, create_directory, names, shell, system_message};
use charpipe_test_support::{Requirement, missing, require};

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
    if !require(Requirement::Superuser) {
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
    if !require(Requirement::Superuser) {
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
    let expected = "charpipe: a: cannot be written: cannot preserve owner and group: permission denied \
                    (use --no-preserve=owner,group)\n";
    assert!(messages.starts_with(expected), "{messages}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(read(directory.path(), "a"), b"\xE9");
    assert_eq!(names(directory.path()), ["a"]);
}

/// Creates a file of another user in a directory in which everybody may write, and runs `charpipe -f
/// latin1` on it as an unprivileged user whose group is 65534. Returns the result, the messages and the
/// directory, `None` if the test must be skipped.
fn convert_file_of_another_user(
    (owner, group, mode): (u32, u32, u32),
    words: &[&str],
) -> Option<(i32, String, tempfile::TempDir)> {
    if !require(Requirement::Superuser) {
        return None;
    }
    let mut command = as_unprivileged_user()?;
    let directory = create_directory(&[("a", b"\xE9")]);
    let path = directory.path().join("a");
    chown(&path, Some(owner), Some(group)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let output = command.current_dir(&directory).args(["-f", "latin1"]).args(words).output();
    let output = output.unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    Some((output.status.code().unwrap(), messages, directory))
}

const UNPRIVILEGED: u32 = 65534;

#[test]
fn owner_and_group_are_given_up_on_request() {
    // The set-id bits are dropped, and the new group has no more permissions than all others.
    for (owner, group, mode, attributes, expected) in [
        (1234, 4321, 0o6777, "owner,group", (UNPRIVILEGED, UNPRIVILEGED, 0o777)),
        (1234, 4321, 0o6776, "ownership", (UNPRIVILEGED, UNPRIVILEGED, 0o766)),
        (1234, 4321, 0o676, "owner,group", (UNPRIVILEGED, UNPRIVILEGED, 0o666)),
        (1234, UNPRIVILEGED, 0o6770, "owner", (UNPRIVILEGED, UNPRIVILEGED, 0o770)),
        (1234, UNPRIVILEGED, 0o660, "owner,group", (UNPRIVILEGED, UNPRIVILEGED, 0o660)),
        (UNPRIVILEGED, 4321, 0o6774, "group", (UNPRIVILEGED, UNPRIVILEGED, 0o744)),
    ] {
        for backup in [&[][..], &["--backup"]] {
            let option = format!("--no-preserve={attributes}");
            let words = [&["-i", &option, "a"][..], backup].concat();
            let Some((code, messages, directory)) =
                convert_file_of_another_user((owner, group, mode), &words)
            else {
                return;
            };
            assert_eq!(code, 0, "{mode:o} {attributes}: {messages}");
            assert_eq!(read(directory.path(), "a"), "é".as_bytes());
            let new = fs::metadata(directory.path().join("a")).unwrap();
            let found = (new.uid(), new.gid(), new.mode() & 0o7777);
            assert_eq!(found, expected, "{mode:o} {attributes}");
        }
    }
}

#[test]
fn what_cannot_be_preserved_is_named() {
    for (owner, group, names, words) in [
        (1234, 4321, "owner and group", "owner,group"),
        (1234, UNPRIVILEGED, "owner", "owner"),
        (UNPRIVILEGED, 4321, "group", "group"),
    ] {
        let ids = (owner, group, 0o666);
        let Some((code, messages, directory)) = convert_file_of_another_user(ids, &["-i", "a"])
        else {
            return;
        };
        let expected = format!(
            "charpipe: a: cannot be written: cannot preserve {names}: permission denied (use \
             --no-preserve={words})"
        );
        assert_eq!((code, messages.lines().next()), (2, Some(&*expected)));
        assert_eq!(read(directory.path(), "a"), b"\xE9");
        // Neither is enough if both are the reason.
        let option = if words == "owner" { "--no-preserve=group" } else { "--no-preserve=owner" };
        let (code, messages, _) = convert_file_of_another_user(ids, &["-i", option, "a"]).unwrap();
        assert_eq!(code, 2, "{messages}");
    }
}

#[test]
fn ownership_of_an_output_is_given_up_on_request() {
    let ids = (1234, 4321, 0o666);
    let words = ["--no-preserve=owner,group", "-o", "a", "a"];
    let Some((code, messages, directory)) = convert_file_of_another_user(ids, &words[1..]) else {
        return;
    };
    assert_eq!(code, 2);
    let hint = "cannot preserve owner and group: permission denied (use --no-preserve=owner,group)";
    assert!(messages.trim_end().ends_with(hint), "{messages}");
    assert_eq!(read(directory.path(), "a"), b"\xE9");
    let (code, _, directory) = convert_file_of_another_user(ids, &words).unwrap();
    assert_eq!((code, read(directory.path(), "a")), (0, "é".into()));
    // An existing output keeps its metadata, too.
    for option in ["--output-dir=d", "--suffix=~"] {
        for (preserve, expected) in [("--no-preserve=xattr", 2), ("--no-preserve=all", 0)] {
            let directory = create_directory(&[("in", b"\xE9"), ("in~", b"old")]);
            fs::create_dir(directory.path().join("d")).unwrap();
            fs::write(directory.path().join("d/in"), "old").unwrap();
            for (name, mode) in [("", 0o777), ("d", 0o777), ("d/in", 0o666), ("in~", 0o666)] {
                let path = directory.path().join(name);
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
            let mut command = as_unprivileged_user().unwrap();
            command.current_dir(&directory).args(["-f", "latin1", "in", option, preserve]);
            let output = command.output().unwrap();
            let messages = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(expected), "{option}: {messages}");
            assert_eq!(messages.contains("--no-preserve=owner,group"), expected == 2);
        }
    }
}

#[test]
fn capabilities_are_not_given_to_another_owner() {
    if !require(Requirement::Superuser) {
        return;
    }
    // cap_net_raw, permitted and effective, linux/capability.h.
    let capabilities = [1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (words, kept) in [(&[][..], true), (&["--no-preserve=owner"], false)] {
        let directory = create_directory(&[("a", b"\xE9")]);
        let path = directory.path().join("a");
        chown(&path, Some(1234), None).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
        let flags = rustix::fs::XattrFlags::empty();
        if rustix::fs::setxattr(&path, "security.capability", &capabilities, flags).is_err() {
            return missing("a file system with capabilities");
        }
        in_place(directory.path(), &[&["-f", "latin1", "a"], words].concat()).success();
        let mut value = [0; 64];
        let found = rustix::fs::getxattr(&path, "security.capability", &mut value[..]);
        assert_eq!(found.is_ok(), kept);
        let mode = fs::metadata(&path).unwrap().mode() & 0o7777;
        assert_eq!(mode, if kept { 0o4755 } else { 0o755 });
    }
}

#[test]
fn the_mode_is_given_up_on_request() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let path = directory.path().join("a");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4700)).unwrap();
    let script = "umask 027; \"$@\" -q -i -f latin1 --no-preserve=mode a";
    shell(script).current_dir(&directory).assert().success();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn attributes_of_no_preserve_are_validated() {
    let directory = create_directory(&[("a", b"\xE9")]);
    for words in [["--no-preserve=timestamps", "a"], ["--no-preserve=", "a"]] {
        in_place(directory.path(), &words).code(2);
    }
    assert_eq!(read(directory.path(), "a"), b"\xE9");
}

#[test]
fn extended_attributes_are_kept() {
    for (option, kept) in
        [("-v", true), ("--no-preserve=owner,acl", true), ("--no-preserve=xattr", false)]
    {
        let directory = create_directory(&[("a", b"\xE9")]);
        let path = directory.path().join("a");
        let flags = rustix::fs::XattrFlags::empty();
        if rustix::fs::setxattr(&path, "user.origin", b"here", flags).is_err() {
            return missing("a file system with extended attributes");
        }
        in_place(directory.path(), &["-f", "latin1", option, "a"]).success();
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(&path, "user.origin", &mut value[..]);
        assert_eq!(length.is_ok(), kept, "{option}");
        assert!(length.is_ok_and(|length| value[..length] == *b"here") == kept);
    }
}

#[test]
fn the_access_control_list_is_kept() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let path = directory.path().join("a");
    if !acl::give(&path) {
        return missing("a file system with access control lists");
    }
    in_place(directory.path(), &["-f", "latin1", "a"]).success();
    assert!(acl::is_set(&path));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, acl::MODE);
    // The group bits were the mask of the list, which gives the group no permission.
    fs::write(&path, b"\xE9").unwrap();
    in_place(directory.path(), &["-f", "latin1", "--no-preserve=acl", "a"]).success();
    assert!(!acl::is_set(&path));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
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
