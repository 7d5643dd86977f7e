use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

const NOTHING: Which =
    Which { recursive: false, glob: Vec::new(), hidden: false, files_from: None, null: false };

fn tree(files: &[&str]) -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    for file in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    tree
}

/// The paths found in a tree, from its root, and the names of what was lost.
fn found(tree: &TempDir, which: &Which) -> Vec<String> {
    let selection = Selection::new(vec![Input::File(tree.path().to_owned())], which).unwrap();
    let below = |path: PathBuf| path.strip_prefix(tree.path()).unwrap().display().to_string();
    let told = |found| match found {
        Ok(Input::File(path)) => below(path),
        Ok(Input::Stdin) => "-".to_owned(),
        Err(Lost { input: Input::File(path), reason }) => format!("{}: {reason}", below(path)),
        Err(Lost { input: Input::Stdin, reason }) => format!("-: {reason}"),
    };
    selection.files().map(told).collect()
}

fn recursive(globs: &[&str]) -> Which {
    Which { recursive: true, glob: globs.iter().map(OsString::from).collect(), ..NOTHING }
}

#[test]
fn a_folder_is_gone_into_only_if_told() {
    let tree = tree(&["a", "b/c"]);
    assert_eq!(found(&tree, &NOTHING), [": is a directory (use -r)"]);
    assert_eq!(found(&tree, &recursive(&[])), ["a", "b/c"]);
}

#[test]
fn what_gitignore_names_is_left_out_also_without_a_repository() {
    let tree = tree(&["a.txt", "a.o", "out/b.txt", "sub/c.o", "sub/d.txt", "sub/e.txt"]);
    fs::write(tree.path().join(".gitignore"), "*.o\n/out/\n").unwrap();
    fs::write(tree.path().join("sub/.gitignore"), "e.txt\n!c.o\n").unwrap();
    assert_eq!(found(&tree, &recursive(&[])), ["a.txt", "sub/c.o", "sub/d.txt"]);
}

#[test]
fn the_gitignore_of_a_folder_above_counts() {
    let tree = tree(&["sub/a.o", "sub/b.txt"]);
    fs::write(tree.path().join(".gitignore"), "*.o\n").unwrap();
    let sub = Input::File(tree.path().join("sub"));
    let selection = Selection::new(vec![sub], &recursive(&[])).unwrap();
    let all: Vec<_> = selection.files().collect();
    assert_eq!(all, [Ok(Input::File(tree.path().join("sub/b.txt")))]);
}

/// To read a FIFO is to wait, and nothing is mapped at the beginning of the address space.
#[test]
fn a_folder_whose_rules_cannot_be_read_is_left_alone() {
    let fifo = |path: PathBuf| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    let failing = |path: PathBuf| symlink("/proc/self/mem", path).unwrap();
    let endless = |path: PathBuf| symlink("/dev/zero", path).unwrap();
    let long = |path: PathBuf| fs::File::create(path).unwrap().set_len(1 << 30).unwrap();
    let cases: [(&dyn Fn(PathBuf), &str); 4] = [
        (&fifo, "is not a regular file"),
        (&failing, "Input/output error"),
        (&endless, "is not a regular file"),
        (&long, "is too long for a list of rules"),
    ];
    for (make, reason) in cases {
        let tree = tree(&["a", "sub/b", "sub/c/d", "sub2/e"]);
        make(tree.path().join("sub/.gitignore"));
        let lost = format!("sub/.gitignore: {reason}, so its folder is left alone");
        assert_eq!(found(&tree, &recursive(&[])), ["a", &*lost, "sub2/e"]);
        let below = Input::File(tree.path().join("sub/c"));
        let all: Vec<_> = Selection::new(vec![below], &recursive(&[])).unwrap().files().collect();
        assert!(matches!(&all[..], [Err(Lost { .. })]), "{all:?}");
    }
}

#[test]
fn a_list_of_another_tool_or_of_the_user_does_not_count() {
    let tree = tree(&["a.txt"]);
    fs::write(tree.path().join(".ignore"), "*.txt\n").unwrap();
    assert_eq!(found(&tree, &recursive(&[])), ["a.txt"]);
}

#[test]
fn globs_choose_among_the_files_of_a_folder_and_bring_none_back() {
    let files = ["a.md", "a.txt", "docs/b.txt", "docs/old/c.txt", "no.txt"];
    let tree = tree(&files);
    fs::write(tree.path().join(".gitignore"), "no.txt\n").unwrap();
    for (globs, expected) in [
        (&["*.txt"][..], &["a.txt", "docs/b.txt", "docs/old/c.txt"][..]),
        (&["*.txt", "*.md"], &["a.md", "a.txt", "docs/b.txt", "docs/old/c.txt"]),
        (&["/*.txt"], &["a.txt"]),
        (&["docs/*.txt"], &["docs/b.txt"]),
        (&["docs/**"], &["docs/b.txt", "docs/old/c.txt"]),
        (&["!old"], &["a.md", "a.txt", "docs/b.txt"]),
        (&["*.txt", "!docs/**"], &["a.txt"]),
    ] {
        assert_eq!(found(&tree, &recursive(globs)), expected, "{globs:?}");
    }
}

#[test]
fn hidden_files_are_left_out_unless_asked_for_and_version_control_always() {
    let tree = tree(&[".hidden", ".git/config", ".svn/entries", ".conf/a", "a"]);
    let hidden = Which { hidden: true, ..recursive(&[]) };
    assert_eq!(found(&tree, &recursive(&[])), ["a"]);
    assert_eq!(found(&tree, &hidden), [".conf/a", ".hidden", "a"]);
}

#[test]
fn what_a_crash_has_left_is_no_file_of_the_folder() {
    let tree = tree(&[".a.charpipe-aB3dE6", "a"]);
    assert_eq!(found(&tree, &Which { hidden: true, ..recursive(&[]) }), ["a"]);
}

#[test]
fn links_and_what_is_no_regular_file_are_passed_by() {
    let tree = tree(&["a", "sub/b"]);
    symlink("a", tree.path().join("link")).unwrap();
    symlink("sub", tree.path().join("way")).unwrap();
    symlink("nowhere", tree.path().join("dangling")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        tree.path().join("fifo"),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )
    .unwrap();
    assert_eq!(found(&tree, &recursive(&[])), ["a", "sub/b"]);
}

#[test]
fn a_suffix_may_be_left_out() {
    let tree = tree(&["a", "a~", "b~/c"]);
    let operands = vec![Input::File(tree.path().to_owned())];
    let selection = Selection::new(operands, &recursive(&[])).unwrap().without(OsStr::new("~"));
    let all: Vec<_> = selection.files().map(Result::unwrap).collect();
    let expected = ["a", "b~/c"].map(|name| Input::File(tree.path().join(name)));
    assert_eq!(all, expected);
}

#[test]
fn what_is_named_is_taken_whatever_it_is() {
    let tree = tree(&[".hidden", "no.o", "dir/x"]);
    fs::write(tree.path().join(".gitignore"), "*.o\n").unwrap();
    let named = |name: &str| Input::File(tree.path().join(name));
    let operands = vec![named(".hidden"), named("no.o"), named("missing"), Input::Stdin];
    let selection = Selection::new(operands.clone(), &recursive(&["*.txt"])).unwrap();
    let all: Vec<_> = selection.files().map(Result::unwrap).collect();
    assert_eq!(all, operands);
}

#[test]
fn names_come_from_a_list_after_the_operands() {
    let tree = tree(&["dir/x"]);
    let list = tree.path().join("list");
    let file = |name: &[u8]| Ok(Input::File(OsStr::from_bytes(name).into()));
    for (null, content, expected) in [
        (false, &b"b\n\nc d\r\n-\n\xFF"[..], vec![&b"b"[..], b"c d\r", b"-", b"\xFF"]),
        (false, b"", vec![]),
        (true, b"b\nc\0\0d\0", vec![b"b\nc", b"d"]),
        (true, b"b", vec![b"b"]),
    ] {
        fs::write(&list, content).unwrap();
        let which = Which { files_from: Some(list.clone().into()), null, ..NOTHING };
        let selection = Selection::new(vec![Input::File("a".into())], &which).unwrap();
        let all: Vec<_> = selection.files().collect();
        let expected: Vec<Found> = [&b"a"[..]].into_iter().chain(expected).map(file).collect();
        assert_eq!(all, expected);
    }
}

#[test]
fn a_folder_in_a_list_is_gone_into() {
    let tree = tree(&["dir/x"]);
    let list = tree.path().join("list");
    fs::write(&list, tree.path().join("dir").as_os_str().as_bytes()).unwrap();
    let which = Which { files_from: Some(list.into()), ..recursive(&[]) };
    let all: Vec<_> = Selection::new(Vec::new(), &which).unwrap().files().collect();
    assert_eq!(all, [Ok(Input::File(tree.path().join("dir/x")))]);
}

#[test]
fn a_list_that_cannot_be_read_is_lost_and_ends() {
    let endless = Which { files_from: Some("/dev/zero".into()), ..NOTHING };
    let missing = Which { files_from: Some("/nope".into()), ..NOTHING };
    for (which, reason) in [
        (endless, "a name in it is too long; do its names end with NUL (-0)?"),
        (missing, "No such file or directory"),
    ] {
        let input = Input::File(which.files_from.clone().unwrap().into());
        let all: Vec<_> = Selection::new(Vec::new(), &which).unwrap().files().collect();
        assert_eq!(all, [Err(Lost { input, reason: reason.to_owned() })]);
    }
}

#[test]
fn words_that_say_nothing_are_refused() {
    for (which, message) in [
        (Which { hidden: true, ..NOTHING }, "--hidden says nothing without --recursive"),
        (Which { null: true, ..NOTHING }, "--null says nothing without --files-from"),
        (Which { glob: vec!["*".into()], ..NOTHING }, "--glob says nothing without --recursive"),
    ] {
        let refused = Selection::new(Vec::new(), &which).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
    assert!(Selection::new(Vec::new(), &recursive(&["a[b"])).is_err());
}

#[test]
fn a_folder_that_cannot_be_read_is_lost_and_the_rest_is_found() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: permissions do not bind root");
        return;
    }
    let tree = tree(&["a", "b/x", "c"]);
    let closed = tree.path().join("b");
    let mode =
        |bits| fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(bits));
    mode(0o000).unwrap();
    let all = found(&tree, &recursive(&[]));
    mode(0o700).unwrap();
    assert_eq!(all, ["a", "b: Permission denied", "c"]);
}
