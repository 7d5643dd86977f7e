//! A differential test: the files that `git` does not ignore are those that a walk finds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

/// Trees with rules of their own, all in one repository.
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
        const PARTS: [&str; 44] = [
            "a",
            "a",
            "a",
            "b",
            "b",
            "c",
            "*",
            "*",
            "*",
            "*",
            "**",
            "**",
            "**/",
            "/**",
            "/**/",
            "***",
            "/",
            "/",
            "/",
            "/",
            "?",
            "?",
            "[ab]",
            "[!a]",
            "[^b]",
            "[a-c]",
            "[]a]",
            "[b-]",
            "[[:alpha:]]",
            "[[:x:]]",
            "[",
            "]",
            "\\",
            "\\*",
            "\\a",
            "\\/",
            " ",
            "\\ ",
            "!",
            "#",
            ".o",
            "é",
            "[/]",
            "-",
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
        let top = tree.path().join(number.to_string());
        for _ in 0..6 {
            let path = top.join(random.path());
            // Where a file has the name of a directory already there is one file less.
            let _ = fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, ""));
        }
        fs::write(top.join(".gitignore"), random.rules()).unwrap();
        let _ = fs::write(top.join("a/.gitignore"), random.rules());
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
        let top = path.split('/').next().unwrap();
        let rules = |path: &str| fs::read_to_string(tree.path().join(top).join(path)).ok();
        let by = if found.contains(path) { "git" } else { "the walk" };
        wrong.push(format!(
            "{path} is ignored by {by} alone: {:?} {:?}",
            rules(".gitignore"),
            rules("a/.gitignore")
        ));
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
