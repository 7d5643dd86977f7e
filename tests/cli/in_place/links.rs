//! Files with several names.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use super::{in_place, lines, read, summary};
use crate::command::{folder, names};

#[test]
fn the_file_a_symbolic_link_leads_to_is_converted_and_the_link_stays() {
    let folder = folder(&[("target", b"\xE9")]);
    let sub = folder.path().join("sub");
    fs::create_dir(&sub).unwrap();
    symlink("../target", sub.join("one")).unwrap();
    symlink("sub/one", folder.path().join("two")).unwrap();
    in_place(folder.path(), &["-f", "latin1", "two"]).success();
    assert_eq!(read(folder.path(), "target"), "é".as_bytes());
    for link in ["sub/one", "two"] {
        assert!(folder.path().join(link).is_symlink(), "{link}");
    }
    assert_eq!(names(&sub), ["one"]);
}

#[test]
fn a_symbolic_link_to_nothing_or_to_itself_fails() {
    let folder = folder(&[]);
    symlink("nothing", folder.path().join("dangling")).unwrap();
    symlink("circle", folder.path().join("circle")).unwrap();
    let run = in_place(folder.path(), &["dangling", "circle"]).code(2);
    assert_eq!(
        lines(&run),
        [
            "dangling: cannot be read: No such file or directory",
            "circle: cannot be read: Too many levels of symbolic links"
        ]
    );
    assert_eq!(names(folder.path()), ["circle", "dangling"]);
}

#[test]
fn a_file_with_several_hard_links_is_refused() {
    let folder = folder(&[("a", b"\xE9")]);
    fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
    let run = in_place(folder.path(), &["-f", "latin1", "a"]).code(2);
    let told = "a: has 2 hard links; --break-hard-links parts it from the others";
    assert_eq!(lines(&run), [told]);
    assert_eq!(read(folder.path(), "a"), b"\xE9");
    assert_eq!(names(folder.path()), ["a", "b"]);
}

#[test]
fn hard_links_of_a_file_that_would_not_change_do_not_matter() {
    let folder = folder(&[("a", b"plain")]);
    fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
    in_place(folder.path(), &["-f", "latin1", "a"]).success();
    assert_eq!(fs::metadata(folder.path().join("a")).unwrap().nlink(), 2);
}

#[test]
fn hard_links_are_parted_if_told_and_each_name_that_is_given_is_converted() {
    for jobs in ["-j1", "-j4"] {
        let folder = folder(&[("a", b"\xE9")]);
        for name in ["b", "c"] {
            fs::hard_link(folder.path().join("a"), folder.path().join(name)).unwrap();
        }
        let words = ["-f", "latin1", "--break-hard-links", jobs, "a", "b", "a"];
        let run = in_place(folder.path(), &words).success();
        assert_eq!(summary(&run), "charpipe: 2 converted, 0 unchanged, 1 skipped, 0 failed");
        for (name, content) in [("a", "é".as_bytes()), ("b", "é".as_bytes()), ("c", b"\xE9")] {
            assert_eq!(read(folder.path(), name), content, "{jobs} {name}");
        }
    }
}

#[test]
fn the_same_file_given_twice_is_converted_once() {
    for jobs in ["-j1", "-j4"] {
        let folder = folder(&[("a", b"\xE9"), ("b", b"\xE9")]);
        symlink("a", folder.path().join("link")).unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let words = ["-f", "latin1", "--force", "-v", jobs, "a", "./a", "link", "sub/../a", "b"];
        let run = in_place(folder.path(), &words).success();
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
        assert_eq!(read(folder.path(), "a"), "é".as_bytes());
    }
}
