//! Files with several names.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use super::{in_place, lines, read, summary};
use crate::cli::command::{create_directory, names, system_message};

#[test]
fn target_of_a_symlink_is_converted_and_the_link_is_kept() {
    let directory = create_directory(&[("target", b"\xE9")]);
    let sub = directory.path().join("sub");
    fs::create_dir(&sub).unwrap();
    symlink("../target", sub.join("one")).unwrap();
    symlink("sub/one", directory.path().join("two")).unwrap();
    in_place(directory.path(), &["-f", "latin1", "two"]).success();
    assert_eq!(read(directory.path(), "target"), "é".as_bytes());
    for link in ["sub/one", "two"] {
        assert!(directory.path().join(link).is_symlink(), "{link}");
    }
    assert_eq!(names(&sub), ["one"]);
}

#[test]
fn dangling_or_looping_symlink_fails() {
    let directory = create_directory(&[]);
    symlink("nothing", directory.path().join("dangling")).unwrap();
    symlink("circle", directory.path().join("circle")).unwrap();
    let run = in_place(directory.path(), &["dangling", "circle"]).code(2);
    assert_eq!(
        lines(&run),
        [
            "dangling: cannot be read: No such file or directory".to_owned(),
            format!("circle: cannot be read: {}", system_message(rustix::io::Errno::LOOP)),
        ]
    );
    assert_eq!(names(directory.path()), ["circle", "dangling"]);
}

#[test]
fn file_with_hard_links_is_rejected() {
    let directory = create_directory(&[("a", b"\xE9")]);
    fs::hard_link(directory.path().join("a"), directory.path().join("b")).unwrap();
    let run = in_place(directory.path(), &["-f", "latin1", "a"]).code(2);
    let expected = "a: has 2 hard links; not converted (use --break-hard-links)";
    assert_eq!(lines(&run), [expected]);
    assert_eq!(read(directory.path(), "a"), b"\xE9");
    assert_eq!(names(directory.path()), ["a", "b"]);
}

#[test]
fn hard_links_of_a_file_that_would_not_change_do_not_matter() {
    let directory = create_directory(&[("a", b"plain")]);
    fs::hard_link(directory.path().join("a"), directory.path().join("b")).unwrap();
    in_place(directory.path(), &["-f", "latin1", "a"]).success();
    assert_eq!(fs::metadata(directory.path().join("a")).unwrap().nlink(), 2);
}

#[test]
fn hard_links_are_broken_on_request_and_each_operand_is_converted() {
    for jobs in ["-j1", "-j4"] {
        let directory = create_directory(&[("a", b"\xE9")]);
        for name in ["b", "c"] {
            fs::hard_link(directory.path().join("a"), directory.path().join(name)).unwrap();
        }
        let words = ["-f", "latin1", "--break-hard-links", jobs, "a", "b", "a"];
        let run = in_place(directory.path(), &words).success();
        assert_eq!(summary(&run), "charpipe: 2 converted, 0 unchanged, 1 skipped, 0 failed");
        for (name, content) in [("a", "é".as_bytes()), ("b", "é".as_bytes()), ("c", b"\xE9")] {
            assert_eq!(read(directory.path(), name), content, "{jobs} {name}");
        }
    }
}

#[test]
fn the_same_file_given_twice_is_converted_once() {
    for jobs in ["-j1", "-j4"] {
        let directory = create_directory(&[("a", b"\xE9"), ("b", b"\xE9")]);
        symlink("a", directory.path().join("link")).unwrap();
        fs::create_dir(directory.path().join("sub")).unwrap();
        let words = ["-f", "latin1", "--force", "-v", jobs, "a", "./a", "link", "sub/../a", "b"];
        let run = in_place(directory.path(), &words).success();
        let again = "skipped: already processed";
        assert_eq!(
            lines(&run),
            [
                "a: converted from ISO-8859-1 to UTF-8".to_owned(),
                format!("./a: {again}"),
                format!("link: {again}"),
                format!("sub/../a: {again}"),
                "b: converted from ISO-8859-1 to UTF-8".to_owned(),
            ],
            "{jobs}"
        );
        assert_eq!(read(directory.path(), "a"), "é".as_bytes());
    }
}
