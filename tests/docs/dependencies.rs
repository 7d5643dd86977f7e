//! The dependencies of charpipe, and code that the compiler cannot check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const REPOSITORY_ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(REPOSITORY_ROOT).join(path)).unwrap()
}

/// The values of a key in a file of TOML that has one on a line.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let value = |line: &'a str| {
        let value = line.trim_start_matches(['{', ' ']).strip_prefix(key)?.trim_start();
        value.strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()
    };
    text.lines().filter_map(value).collect()
}

#[test]
fn packages_come_from_crates_io() {
    let lock = read("Cargo.lock");
    let sources: BTreeSet<_> = values(&lock, "source").into_iter().collect();
    let expected = BTreeSet::from(["registry+https://github.com/rust-lang/crates.io-index"]);
    assert_eq!(sources, expected);
    // All but the packages of this repository.
    assert_eq!(values(&lock, "source").len(), values(&lock, "name").len() - 13);
    assert_eq!(values(&lock, "checksum").len(), values(&lock, "source").len());
}

#[test]
fn packages_compile_no_c_and_link_no_libraries() {
    let (lock, rules) = (read("Cargo.lock"), read("deny.toml"));
    let (_, bans) = rules.split_once("\n[bans]\n").unwrap();
    let banned = values(bans, "crate");
    assert!(banned.contains(&"cc") && banned.contains(&"pkg-config"), "{banned:?}");
    let packages = values(&lock, "name");
    assert!(packages.contains(&"rustix"), "{packages:?}");
    for name in packages {
        assert!(!banned.contains(&name), "{name}");
    }
}

/// The packages of others that a manifest has as dependencies, except those of the tests.
fn direct_dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_list = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let table = section.trim_end_matches(']').rsplit_once("dependencies.");
            found.extend(table.map(|(_, name)| name.to_owned()));
            is_list = section == "dependencies]" || section.ends_with(".dependencies]");
            is_list &= !section.starts_with("workspace");
        } else if let Some(end) = line.find([' ', '.', '=']).filter(|_| is_list) {
            found.insert(line[..end].to_owned());
        }
    }
    found.retain(|name| !name.is_empty() && name != "#" && !name.starts_with("charpipe"));
    found
}

#[test]
fn page_says_what_each_dependency_is_for() {
    let page = read("SECURITY.md");
    let (_, section) = page.split_once("\n## Dependencies\n").unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split(','));
    let documented: BTreeSet<_> = names.map(|name| name.trim().replace('`', "")).collect();
    let crates = fs::read_dir(Path::new(REPOSITORY_ROOT).join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path().join("Cargo.toml"));
    let manifests = [PathBuf::from("Cargo.toml")].into_iter().chain(crates);
    let used: BTreeSet<_> =
        manifests.flat_map(|path| direct_dependencies(&read(path.to_str().unwrap()))).collect();
    assert_eq!(documented, used);
}

/// The files below a directory whose code has the word in it.
fn files_containing(directory: &Path, word: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing(&path, word));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let mut words = code.flat_map(|line| {
                line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            });
            if words.any(|other| other == word) {
                found.insert(path.strip_prefix(REPOSITORY_ROOT).unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn unsafe_code_is_only_where_documented() {
    let page = read("SECURITY.md");
    let (_, section) = page.split_once("## Unsafe code").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let positions = section.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next());
    let positions: Vec<&str> = positions.collect();
    let found: BTreeSet<PathBuf> = ["src", "crates", "capi/src", "python/src", "xtask/src"]
        .iter()
        .flat_map(|directory| {
            files_containing(&Path::new(REPOSITORY_ROOT).join(directory), "unsafe")
        })
        .collect();
    for path in &found {
        assert!(positions.iter().any(|position| path.starts_with(position)), "{}", path.display());
    }
    for position in &positions {
        assert!(found.iter().any(|path| path.starts_with(position)), "{position} has none");
    }
}

#[test]
fn tests_named_in_the_page_exist() {
    let page = read("SECURITY.md");
    let tests = page.split("cargo test --test ").skip(1);
    let mut count = 0;
    for words in tests.map(|rest| rest.lines().next().unwrap()) {
        let mut words = words.split_whitespace().map(|word| word.trim_end_matches('`'));
        let target = words.next().unwrap();
        let mut paths = vec![format!("tests/{target}/main.rs")];
        // Other words are the names of tests.
        let module = words.next().filter(|word| word.contains("::"));
        paths.extend(module.map(|path| format!("tests/{target}/{}.rs", path.replace("::", "/"))));
        for path in paths {
            assert!(Path::new(REPOSITORY_ROOT).join(&path).exists(), "{path}");
        }
        count += 1;
    }
    assert!(count > 10, "{count}");
    // The root library has no tests of its own: they are in its crates and in the program.
    assert!(!page.contains("cargo test --lib"));
}
