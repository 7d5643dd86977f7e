use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::walk::WalkLimits;
use super::*;

const NO_PATH_ARGS: PathArgs = PathArgs {
    recursive: false,
    glob: Vec::new(),
    exclude: Vec::new(),
    hidden: false,
    no_ignore: false,
    files_from: None,
    null: false,
};

fn create_tree(files: &[&str]) -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    for file in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    tree
}

/// Returns the paths found in a tree, relative to its root, and the errors.
fn selected_paths(tree: &TempDir, args: &PathArgs) -> Vec<String> {
    let selection = Selection::new(vec![Input::File(tree.path().to_owned())], args).unwrap();
    let relative = |path: PathBuf| path.strip_prefix(tree.path()).unwrap().display().to_string();
    let describe = |found| match found {
        Ok(SelectedFile { input: Input::File(path), .. }) => relative(path),
        Ok(SelectedFile { input: Input::Stdin, .. }) => "-".to_owned(),
        Err(PathError { input: Input::File(path), message }) => {
            format!("{}: {message}", relative(path))
        }
        Err(PathError { input: Input::Stdin, message }) => format!("-: {message}"),
    };
    selection.files().map(describe).collect()
}

/// Returns the inputs that a selection finds.
fn selected_inputs(selection: &Selection) -> Vec<Result<Input, PathError>> {
    selection.files().map(|found| found.map(|selected| selected.input)).collect()
}

/// Returns the paths found in a directory, relative to it, with hidden ones.
pub(super) fn selected_paths_of(directory: &Path) -> impl Iterator<Item = Vec<u8>> {
    let args = PathArgs { hidden: true, ..recursive_args(&[]) };
    let selection = Selection::new(vec![Input::File(directory.to_owned())], &args).unwrap();
    selected_inputs(&selection).into_iter().map(move |found| match found {
        Ok(Input::File(path)) => {
            path.strip_prefix(directory).unwrap().as_os_str().as_bytes().to_vec()
        }
        other => panic!("{other:?}"),
    })
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
            let error = format!("sub/{rules}: {reason}, so its directory is skipped");
            assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a", &*error, "sub2/e"]);
            let child = Input::File(tree.path().join("sub/c"));
            let all = selected_inputs(&Selection::new(vec![child], &recursive_args(&[])).unwrap());
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
        // The directory is the root of a repository, so that the rules of its parents do not apply.
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
    let error = "a/b/c/d: the ignore rules that apply to it exceed 4 MiB";
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), [error, "z"]);
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
fn excluded_globs_override_included_ones() {
    let tree = create_tree(&["a.md", "a.txt", "docs/b.txt", "docs/old/c.txt"]);
    for (globs, excluded, expected) in [
        (&[][..], &["old"][..], &["a.md", "a.txt", "docs/b.txt"][..]),
        (&[], &["*.txt", "old/"], &["a.md"]),
        (&["*.txt"], &["docs"], &["a.txt"]),
        (&["*.txt", "!a.txt"], &["/docs/old"], &["docs/b.txt"]),
    ] {
        let exclude = excluded.iter().map(OsString::from).collect();
        let args = PathArgs { exclude, ..recursive_args(globs) };
        assert_eq!(selected_paths(&tree, &args), expected, "{globs:?} {excluded:?}");
    }
}

#[test]
fn no_ignore_includes_ignored_files_but_not_hidden_ones() {
    let tree = create_tree(&["a", "b.log", ".c", ".git/config", "sub/d.log"]);
    fs::write(tree.path().join(".gitignore"), "*.log\n").unwrap();
    let no_ignore = PathArgs { no_ignore: true, ..recursive_args(&[]) };
    assert_eq!(selected_paths(&tree, &recursive_args(&[])), ["a"]);
    assert_eq!(selected_paths(&tree, &no_ignore), ["a", "b.log", "sub/d.log"]);
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
        let args = PathArgs { files_from: Some(list.clone().into()), null, ..NO_PATH_ARGS };
        let selection = Selection::new(vec![Input::File("a".into())], &args).unwrap();
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
    let args = PathArgs { files_from: Some(list.into()), ..recursive_args(&[]) };
    let all = selected_inputs(&Selection::new(Vec::new(), &args).unwrap());
    assert_eq!(all, [Ok(Input::File(tree.path().join("dir/x")))]);
}

#[test]
fn unreadable_list_is_reported_and_ends() {
    let endless = PathArgs { files_from: Some("/dev/zero".into()), ..NO_PATH_ARGS };
    let missing = PathArgs { files_from: Some("/nope".into()), ..NO_PATH_ARGS };
    for (args, reason) in [
        (endless, "file name too long (NUL-separated list? use -0)"),
        (missing, "No such file or directory"),
    ] {
        let input = Input::File(args.files_from.clone().unwrap().into());
        let all = selected_inputs(&Selection::new(Vec::new(), &args).unwrap());
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
        println!("skipped: permissions do not apply to root");
        return;
    }
    let tree = create_tree(&["a", "b/x", "c"]);
    let unreadable = tree.path().join("b");
    let mode =
        |bits| fs::set_permissions(&unreadable, std::os::unix::fs::PermissionsExt::from_mode(bits));
    mode(0o000).unwrap();
    let all = selected_paths(&tree, &recursive_args(&[]));
    mode(0o700).unwrap();
    assert_eq!(all, ["a", "b: Permission denied", "c"]);
}

/// Creates nested directories, each with a file before and one after the subdirectory.
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
    DirectoryWalk::new(tree.path(), PathFilter::from_args(&recursive_args(&[])).unwrap(), limits)
}

#[test]
fn directories_are_entered_up_to_the_maximum_length_of_a_path() {
    let tree = tempfile::tempdir().unwrap();
    create_deep_tree(&tree, 10);
    // Each has two files and the directory b.
    for (more, directories) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3)] {
        let limit = tree.path().as_os_str().len() + more;
        let walk = walk_tree(&tree, WalkLimits { path: limit, ..DEFAULT_LIMITS });
        let (files, errors): (Vec<_>, Vec<_>) = walk.partition(|entry| entry.is_ok());
        assert_eq!((files.len(), errors.len()), (2 * directories, 1), "{more}");
    }
}

#[test]
fn tree_of_any_depth_is_walked_with_few_descriptors_and_names() {
    const LEVELS: usize = 4_000;
    let tree = tempfile::tempdir().unwrap();
    create_deep_tree(&tree, LEVELS);
    for limits in
        [DEFAULT_LIMITS, WalkLimits { listing: 1, listings: 1, directories: 0, ..DEFAULT_LIMITS }]
    {
        let mut files = 0;
        for (number, entry) in walk_tree(&tree, limits).enumerate() {
            let entry = entry.unwrap();
            files += 1;
            assert_eq!(
                entry.path().file_name().unwrap().as_bytes(),
                if number < LEVELS { b"a" } else { b"c" }
            );
            if number % 100 == 0 {
                entry.open().unwrap();
            }
        }
        assert_eq!(files, 2 * LEVELS);
    }
    let short = walk_tree(&tree, WalkLimits { path: 1000, ..DEFAULT_LIMITS });
    let errors: Vec<_> = short.filter_map(Result::err).collect();
    assert!(
        matches!(&errors[..], [error] if error.message.contains("its path exceeds")),
        "{errors:?}"
    );
    // `std::fs::remove_dir_all` keeps every directory on the path open.
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
    // The parent is reached by a descriptor that is still open, by "..", from the root, or not at all.
    for (directories, moved, expected) in [
        (3, &["a/b/c/d"][..], &["a/e", "f"][..]),
        (0, &["a"], &["a/e", "f"]),
        (0, &["a/b/c/d"], &["a/e", "f"]),
        (0, &["a/b/c"], &["a/e", "f"]),
        (0, &["a/b"], &["a/e", "f"]),
        (0, &["a/b", "a"], &[missing, "f"]),
    ] {
        let tree = create_tree(&["a/b/c/d/1", "a/e", "f"]);
        let relative = |path: &Path| path.strip_prefix(tree.path()).unwrap().display().to_string();
        let mut walk = walk_tree(&tree, WalkLimits { directories, ..DEFAULT_LIMITS });
        let first = walk.next().unwrap().unwrap();
        assert_eq!(relative(&first.path()), "a/b/c/d/1");
        for (number, moved) in moved.iter().enumerate() {
            let position = outside.path().join(number.to_string());
            fs::rename(tree.path().join(moved), position).unwrap();
            symlink(outside.path(), tree.path().join(moved)).unwrap();
        }
        let rest: Vec<_> = walk
            .map(|found| match found {
                Ok(entry) => relative(&entry.path()),
                Err(PathError { input: Input::File(path), message }) => {
                    format!("{}: {message}", relative(&path))
                }
                Err(error) => panic!("{error:?}"),
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
    let error = walk.next().unwrap().unwrap_err();
    assert_eq!(error.input, Input::File(tree.path().join("b")));
    assert_eq!(walk.next().unwrap().unwrap().path(), tree.path().join("c"));
}

/// The number of trees with their own ignore rules, all in one repository.
const TREE_COUNT: u64 = 1500;

struct RandomTrees(u64);

impl RandomTrees {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn choose<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn path(&mut self) -> String {
        const NAMES: [&str; 20] = [
            "a", "b", "ab", "abc", "ba", "a b", "a ", "[a", "*", "**", "!a", "#a", "-", "a.o",
            "b.o", "a\\", "é", "]", "A", "a\r",
        ];
        let deep = 1 + self.below(4);
        let names: Vec<_> = (0..deep).map(|_| self.choose(&NAMES)).collect();
        names.join("/")
    }

    fn pattern(&mut self) -> String {
        #[rustfmt::skip]
        const PARTS: [&str; 44] = [
            "a", "a", "a", "b", "b", "c", "*", "*", "*", "*", "**", "**", "**/", "/**", "/**/",
            "***", "/", "/", "/", "/", "?", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[b-]",
            "[[:alpha:]]", "[[:x:]]", "[", "]", "\\", "\\*", "\\a", "\\/", " ", "\\ ", "!", "#",
            ".o", "é", "[/]", "-",
        ];
        let mut pattern = String::from(self.choose(&["", "", "", "!", "/", "\\!"]));
        for _ in 0..1 + self.below(5) {
            pattern += self.choose(&PARTS);
        }
        pattern + self.choose(&["\n", "\n", "\n", "/\n", " \n", "\r\n", ""])
    }

    fn rules(&mut self) -> String {
        (0..1 + self.below(4)).map(|_| self.pattern()).collect()
    }
}

fn run_git(directory: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.current_dir(directory).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", "/nonexistent");
    command.env("XDG_CONFIG_HOME", "/nonexistent").env_remove("GIT_DIR");
    let output = command.args(["-c", "core.excludesFile=/dev/null"]).args(args).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// A differential test: a walk finds the files that git does not ignore.
#[test]
fn walk_finds_the_files_that_git_does_not_ignore() {
    let seed = std::env::var("CHARPIPE_TEST_SEED").map_or(1, |seed| seed.parse().unwrap());
    let tree = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    if run_git(tree.path(), &["init", "-q"]).is_none() {
        println!("skipped: git is not installed");
        return;
    }
    let mut random = RandomTrees(seed);
    fs::write(tree.path().join(".git/info/exclude"), "abc\n!b.o\n").unwrap();
    for number in 0..TREE_COUNT {
        let root = tree.path().join(number.to_string());
        for _ in 0..6 {
            let path = root.join(random.path());
            // If a directory of this name exists already, the file is not created.
            let _ = fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, ""));
        }
        fs::write(root.join(".gitignore"), random.rules()).unwrap();
        let _ = fs::write(root.join("a/.gitignore"), random.rules());
    }
    let listed = run_git(tree.path(), &["ls-files", "-z", "-o", "--exclude-standard"]).unwrap();
    let listed = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let expected: BTreeSet<_> =
        listed.map(|name| String::from_utf8(name.to_vec()).unwrap()).collect();
    let found = selected_paths(&tree, &PathArgs { hidden: true, ..recursive_args(&[]) });
    let count = found.len();
    let found: BTreeSet<_> = found.into_iter().collect();
    assert_eq!(found.len(), count);
    let mut wrong = Vec::new();
    for path in expected.symmetric_difference(&found) {
        let root = path.split('/').next().unwrap();
        let rules = |path: &str| fs::read_to_string(tree.path().join(root).join(path)).ok();
        let by = if found.contains(path) { "git" } else { "the walk" };
        wrong.push(format!(
            "{path} is ignored by {by} alone: {:?} {:?}",
            rules(".gitignore"),
            rules("a/.gitignore")
        ));
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
