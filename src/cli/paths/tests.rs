use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use super::walk::WalkLimits;
use super::*;

mod git;

const NO_PATH_ARGS: PathArgs =
    PathArgs { recursive: false, glob: Vec::new(), hidden: false, files_from: None, null: false };

fn create_tree(files: &[&str]) -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    for file in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    tree
}

/// The paths found in a tree, from its root, and the names of what was lost.
fn selected_paths(tree: &TempDir, which: &PathArgs) -> Vec<String> {
    let selection = Selection::new(vec![Input::File(tree.path().to_owned())], which).unwrap();
    let below = |path: PathBuf| path.strip_prefix(tree.path()).unwrap().display().to_string();
    let describe = |found| match found {
        Ok(SelectedFile { input: Input::File(path), .. }) => below(path),
        Ok(SelectedFile { input: Input::Stdin, .. }) => "-".to_owned(),
        Err(PathError { input: Input::File(path), message: reason }) => {
            format!("{}: {reason}", below(path))
        }
        Err(PathError { input: Input::Stdin, message: reason }) => format!("-: {reason}"),
    };
    selection.files().map(describe).collect()
}

/// What a selection finds, without how it is opened.
fn selected_inputs(selection: &Selection) -> Vec<Result<Input, PathError>> {
    selection.files().map(|found| found.map(|selected| selected.input)).collect()
}

fn recursive_args(globs: &[&str]) -> PathArgs {
    PathArgs { recursive: true, glob: globs.iter().map(OsString::from).collect(), ..NO_PATH_ARGS }
}

#[test]
fn directories_are_entered_only_with_recursive() {
    let tree = create_tree(&["a", "b/c"]);
    assert_eq!(selected_paths(&tree, &NO_PATH_ARGS), [": is a directory (use -r)"]);
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a", "b/c"]);
}

#[test]
fn gitignore_applies_without_a_repository() {
    let tree = create_tree(&["a.txt", "a.o", "out/b.txt", "sub/c.o", "sub/d.txt", "sub/e.txt"]);
    fs::write(tree.path().join(".gitignore"), "*.o\n/out/\n").unwrap();
    fs::write(tree.path().join("sub/.gitignore"), "e.txt\n!c.o\n").unwrap();
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a.txt", "sub/c.o", "sub/d.txt"]);
}

#[test]
fn gitignore_of_a_parent_directory_applies() {
    let tree = create_tree(&["sub/a.o", "sub/b.txt"]);
    fs::write(tree.path().join(".gitignore"), "*.o\n").unwrap();
    let sub = Input::File(tree.path().join("sub"));
    let selection = Selection::new(vec![sub], &recursive_args(&[])).unwrap();
    let all = selected_inputs(&selection);
    assert_eq!(all, [Ok(Input::File(tree.path().join("sub/b.txt")))]);
}

fn create_fifo(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn directory_with_unreadable_ignore_rules_is_skipped() {
    let fifo = |path: PathBuf| create_fifo(&path);
    let long = |path: PathBuf| fs::File::create(path).unwrap().set_len(1 << 30).unwrap();
    let cases: [(&dyn Fn(PathBuf), &str); 2] =
        [(&fifo, "is not a regular file"), (&long, "exceeds 1 MiB")];
    for (make, reason) in cases {
        for rules in [".gitignore", ".git/info/exclude"] {
            let tree = create_tree(&["a", "sub/b", "sub/c/d", "sub/.git/info/x", "sub2/e"]);
            make(tree.path().join("sub").join(rules));
            let lost = format!("sub/{rules}: {reason}, so its directory is skipped");
            assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a", &*lost, "sub2/e"]);
            let below = Input::File(tree.path().join("sub/c"));
            let all = selected_inputs(&Selection::new(vec![below], &recursive_args(&[])).unwrap());
            assert!(matches!(&all[..], [Err(PathError { .. })]), "{all:?}");
        }
    }
}

#[test]
fn gitignore_that_is_a_symlink_or_directory_is_ignored() {
    for target in ["rules", "/dev/zero", "/proc/self/mem", "nowhere", "."] {
        let tree = create_tree(&["a", "rules"]);
        fs::write(tree.path().join("rules"), "a\n").unwrap();
        symlink(target, tree.path().join(".gitignore")).unwrap();
        assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a", "rules"], "{target}");
    }
    let tree = create_tree(&["a", ".gitignore/a"]);
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a"]);
}

#[test]
fn path_in_a_git_file_is_never_read() {
    let tree = create_tree(&["a", "sub/b", "real/info/exclude"]);
    fs::write(tree.path().join(".gitignore"), "b\n").unwrap();
    fs::write(tree.path().join("real/info/exclude"), "*\n").unwrap();
    create_fifo(&tree.path().join("real/commondir"));
    let all = ["a", "real/commondir", "real/info/exclude", "sub/b"];
    let gitdir = format!("gitdir: {}/real\n", tree.path().display());
    for content in [gitdir.as_bytes(), b"gitdir: /dev/zero\n", &[b'x'; 1 << 22]] {
        fs::write(tree.path().join("sub/.git"), content).unwrap();
        // It is the top of a repository, so that the rules above do not apply.
        assert_eq!(selected_paths(&tree, &recursive_args(&[])), [all[0], all[2], all[3]]);
    }
    let link = tree.path().join("sub/.git");
    for make in [create_fifo, |path: &Path| symlink("../real", path).unwrap()] {
        fs::remove_file(&link).unwrap();
        make(&link);
        assert_eq!(selected_paths(&tree, &recursive_args(&[])), [all[0], all[2], all[3]]);
    }
}

#[test]
fn exclude_file_of_a_repository_applies_unless_a_gitignore_decides() {
    let tree = create_tree(&["a.o", "b.o", "c", "sub/d", "sub/.git/info/x", ".git/info/x"]);
    fs::write(tree.path().join(".git/info/exclude"), "*.o\n/sub/d\n").unwrap();
    fs::write(tree.path().join(".gitignore"), "!b.o\n").unwrap();
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["b.o", "c", "sub/d"]);
}

#[test]
fn rules_of_all_directories_together_are_bounded() {
    let line = "x".repeat(100) + "\n";
    let rules = line.repeat((1 << 20) / line.len());
    let mut path = PathBuf::from("a");
    let tree = create_tree(&["a/b/c/d/e/f/g", "z"]);
    for name in ["b", "c", "d", "e"] {
        fs::write(tree.path().join(&path).join(".gitignore"), &rules).unwrap();
        path.push(name);
    }
    let lost = "a/b/c/d: the ignore rules that apply to it exceed 4 MiB";
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), [lost, "z"]);
}

#[test]
fn ignore_files_of_other_tools_do_not_apply() {
    let tree = create_tree(&["a.txt"]);
    fs::write(tree.path().join(".ignore"), "*.txt\n").unwrap();
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a.txt"]);
}

#[test]
fn globs_select_files_but_do_not_restore_ignored_ones() {
    let files = ["a.md", "a.txt", "docs/b.txt", "docs/old/c.txt", "no.txt"];
    let tree = create_tree(&files);
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
        assert_eq!(selected_paths(&tree, &recursive_args(globs)), expected, "{globs:?}");
    }
}

#[test]
fn hidden_files_need_an_option_and_vcs_directories_are_excluded() {
    let tree = create_tree(&[".hidden", ".git/config", ".svn/entries", ".conf/a", "a"]);
    let hidden = PathArgs { hidden: true, ..recursive_args(&[]) };
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a"]);
    assert_eq!(selected_paths(&tree, &hidden), [".conf/a", ".hidden", "a"]);
}

#[test]
fn temporary_files_of_a_crash_are_excluded() {
    let tree = create_tree(&[".a.charpipe-aB3dE6", "a"]);
    assert_eq!(selected_paths(&tree, &PathArgs { hidden: true, ..recursive_args(&[]) }), ["a"]);
}

#[test]
fn symlinks_and_special_files_are_skipped() {
    let tree = create_tree(&["a", "sub/b"]);
    symlink("a", tree.path().join("link")).unwrap();
    symlink("sub", tree.path().join("way")).unwrap();
    symlink("nowhere", tree.path().join("dangling")).unwrap();
    create_fifo(&tree.path().join("fifo"));
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a", "sub/b"]);
}

#[test]
fn files_with_an_excluded_suffix_are_skipped() {
    let tree = create_tree(&["a", "a~", "b~/c"]);
    let operands = vec![Input::File(tree.path().to_owned())];
    let selection =
        Selection::new(operands, &recursive_args(&[])).unwrap().exclude_suffix(OsStr::new("~"));
    let all: Vec<_> = selected_inputs(&selection).into_iter().map(Result::unwrap).collect();
    let expected = ["a", "b~/c"].map(|name| Input::File(tree.path().join(name)));
    assert_eq!(all, expected);
}

#[test]
fn operands_are_always_selected() {
    let tree = create_tree(&[".hidden", "no.o", "dir/x"]);
    fs::write(tree.path().join(".gitignore"), "*.o\n").unwrap();
    let named = |name: &str| Input::File(tree.path().join(name));
    let operands = vec![named(".hidden"), named("no.o"), named("missing"), Input::Stdin];
    let selection = Selection::new(operands.clone(), &recursive_args(&["*.txt"])).unwrap();
    let all: Vec<_> = selected_inputs(&selection).into_iter().map(Result::unwrap).collect();
    assert_eq!(all, operands);
}

#[test]
fn names_from_a_list_follow_the_operands() {
    let tree = create_tree(&["dir/x"]);
    let list = tree.path().join("list");
    let file = |name: &[u8]| Ok(Input::File(OsStr::from_bytes(name).into()));
    for (null, content, expected) in [
        (false, &b"b\n\nc d\r\n-\n\xFF"[..], vec![&b"b"[..], b"c d\r", b"-", b"\xFF"]),
        (false, b"", vec![]),
        (true, b"b\nc\0\0d\0", vec![b"b\nc", b"d"]),
        (true, b"b", vec![b"b"]),
    ] {
        fs::write(&list, content).unwrap();
        let which = PathArgs { files_from: Some(list.clone().into()), null, ..NO_PATH_ARGS };
        let selection = Selection::new(vec![Input::File("a".into())], &which).unwrap();
        let all = selected_inputs(&selection);
        let expected: Vec<_> = [&b"a"[..]].into_iter().chain(expected).map(file).collect();
        assert_eq!(all, expected);
    }
}

#[test]
fn directory_in_a_list_is_entered() {
    let tree = create_tree(&["dir/x"]);
    let list = tree.path().join("list");
    fs::write(&list, tree.path().join("dir").as_os_str().as_bytes()).unwrap();
    let which = PathArgs { files_from: Some(list.into()), ..recursive_args(&[]) };
    let all = selected_inputs(&Selection::new(Vec::new(), &which).unwrap());
    assert_eq!(all, [Ok(Input::File(tree.path().join("dir/x")))]);
}

#[test]
fn unreadable_list_is_reported_and_ends() {
    let endless = PathArgs { files_from: Some("/dev/zero".into()), ..NO_PATH_ARGS };
    let missing = PathArgs { files_from: Some("/nope".into()), ..NO_PATH_ARGS };
    for (which, reason) in [
        (endless, "a name in it is too long; do its names end with NUL (-0)?"),
        (missing, "No such file or directory"),
    ] {
        let input = Input::File(which.files_from.clone().unwrap().into());
        let all = selected_inputs(&Selection::new(Vec::new(), &which).unwrap());
        assert_eq!(all, [Err(PathError { input, message: reason.to_owned() })]);
    }
}

#[test]
fn invalid_glob_is_rejected() {
    assert!(Selection::new(Vec::new(), &recursive_args(&["a[b"])).is_err());
}

#[test]
fn unreadable_directory_is_reported_and_the_rest_is_found() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: permissions do not bind root");
        return;
    }
    let tree = create_tree(&["a", "b/x", "c"]);
    let closed = tree.path().join("b");
    let mode =
        |bits| fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(bits));
    mode(0o000).unwrap();
    let all = selected_paths(&tree, &recursive_args(&[]));
    mode(0o700).unwrap();
    assert_eq!(all, ["a", "b: Permission denied", "c"]);
}

/// Creates directories in each other, each with a file before and one after the directory.
fn create_deep_tree(tree: &TempDir, levels: usize) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut directory = openat(CWD, tree.path(), flags, Mode::empty()).unwrap();
    for _ in 0..levels {
        for name in ["a", "c"] {
            let flags = OFlags::CREATE | OFlags::CLOEXEC | OFlags::WRONLY;
            openat(&directory, name, flags, Mode::from_raw_mode(0o600)).unwrap();
        }
        mkdirat(&directory, "b", Mode::from_raw_mode(0o700)).unwrap();
        directory = openat(&directory, "b", flags, Mode::empty()).unwrap();
    }
}

fn walk_tree(tree: &TempDir, limits: WalkLimits) -> DirectoryWalk {
    DirectoryWalk::new(tree.path(), PathFilter::new(&[], false).unwrap(), limits)
}

#[test]
fn tree_of_any_depth_is_walked_with_few_descriptors_and_names() {
    const LEVELS: usize = 10_000;
    let tree = tempfile::tempdir().unwrap();
    create_deep_tree(&tree, LEVELS);
    for limits in
        [DEFAULT_LIMITS, WalkLimits { listing: 1, listings: 1, directories: 0, ..DEFAULT_LIMITS }]
    {
        let mut files = 0;
        for (number, entry) in walk_tree(&tree, limits).enumerate() {
            let entry = entry.unwrap();
            files += 1;
            assert_eq!(entry.name().as_bytes(), if number < LEVELS { b"a" } else { b"c" });
            if number % 100 == 0 {
                entry.open().unwrap();
            }
        }
        assert_eq!(files, 2 * LEVELS);
    }
    let short = walk_tree(&tree, WalkLimits { path: 1000, ..DEFAULT_LIMITS });
    let lost: Vec<_> = short.filter_map(Result::err).collect();
    assert!(matches!(&lost[..], [lost] if lost.message.contains("its path exceeds")), "{lost:?}");
    // Rust's library holds each directory of a tree open that it removes.
    assert!(
        std::process::Command::new("rm").arg("-rf").arg(tree.path()).status().unwrap().success()
    );
}

#[test]
fn walk_finds_the_same_files_within_any_limits() {
    let names =
        ["a", "b/a", "b/c/a", "b/c/d/a", "b/c/d/e/a", "b/c/d/f", "b/c/g", "b/h", "i", "j/k"];
    let tree = create_tree(&names);
    let paths = |limits| -> Vec<_> {
        walk_tree(&tree, limits).map(|entry| entry.unwrap().path()).collect()
    };
    let expected = names.map(|name| tree.path().join(name));
    for listing in [1, 200, 10_000] {
        for directories in 0..4 {
            let limits = WalkLimits { listing, listings: listing, directories, ..DEFAULT_LIMITS };
            assert_eq!(paths(limits), expected, "{limits:?}");
        }
    }
}

#[test]
fn moved_directories_are_reported_and_never_followed() {
    let outside = create_tree(&["b/x", "y"]);
    let missing = "a: was moved or removed by another process before all of it was found";
    // Reached by a descriptor that is still open, by "..", from the top, and not at all.
    for (directories, moved, expected) in [
        (3, &["a/b/c/d"][..], &["a/e", "f"][..]),
        (0, &["a"], &["a/e", "f"]),
        (0, &["a/b/c/d"], &["a/e", "f"]),
        (0, &["a/b/c"], &["a/e", "f"]),
        (0, &["a/b"], &["a/e", "f"]),
        (0, &["a/b", "a"], &[missing, "f"]),
    ] {
        let tree = create_tree(&["a/b/c/d/1", "a/e", "f"]);
        let below = |path: &Path| path.strip_prefix(tree.path()).unwrap().display().to_string();
        let mut walk = walk_tree(&tree, WalkLimits { directories, ..DEFAULT_LIMITS });
        let first = walk.next().unwrap().unwrap();
        assert_eq!(below(&first.path()), "a/b/c/d/1");
        for (number, moved) in moved.iter().enumerate() {
            let position = outside.path().join(number.to_string());
            fs::rename(tree.path().join(moved), position).unwrap();
            symlink(outside.path(), tree.path().join(moved)).unwrap();
        }
        let rest: Vec<_> = walk
            .map(|found| match found {
                Ok(entry) => below(&entry.path()),
                Err(PathError { input: Input::File(path), message: reason }) => {
                    format!("{}: {reason}", below(&path))
                }
                Err(lost) => panic!("{lost:?}"),
            })
            .collect();
        assert_eq!(rest, expected, "{directories} {moved:?}");
        assert!(first.open().is_ok());
        for number in 0..moved.len() {
            fs::remove_dir_all(outside.path().join(number.to_string())).unwrap();
        }
    }
}

#[test]
fn directory_swapped_for_a_link_before_it_is_entered_is_reported() {
    let outside = create_tree(&["x"]);
    let tree = create_tree(&["a", "b/x", "c"]);
    let mut walk = walk_tree(&tree, DEFAULT_LIMITS);
    walk.next().unwrap().unwrap();
    fs::rename(tree.path().join("b"), tree.path().join("d")).unwrap();
    symlink(outside.path(), tree.path().join("b")).unwrap();
    let lost = walk.next().unwrap().unwrap_err();
    assert_eq!(lost.input, Input::File(tree.path().join("b")));
    assert_eq!(walk.next().unwrap().unwrap().path(), tree.path().join("c"));
}
