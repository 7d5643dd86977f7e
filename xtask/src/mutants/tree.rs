//! A copy of the tree with all mutants, and its test programs.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::rewrite::{Rewritten, rewrite};
use super::sample::{Mutant, MutatedFile};

/// A test program of the copy.
pub struct TestProgram {
    /// The directory of its package, in which it runs.
    pub directory: PathBuf,
    /// What the package of its crate is called in a path, such as `crates/mail`; empty for tests from outside.
    pub unit_tests_of: Option<String>,
    /// The name of the target.
    pub name: String,
    /// The program.
    pub executable: PathBuf,
}

/// A copy of the tree.
pub struct Tree {
    root: PathBuf,
    target: PathBuf,
    /// The contents of its files, by the path from the root.
    files: BTreeMap<String, Vec<u8>>,
}

/// The path of a file from the root, and an offset in it.
type Location = (String, usize);

/// The packages with mutants.
const PACKAGES: [&str; 9] = [
    "charpipe",
    "charpipe-kernel",
    "charpipe-encoding",
    "charpipe-transform",
    "charpipe-mail",
    "charpipe-detect",
    "charpipe-transcode",
    "charpipe-check",
    "charpipe-iconv",
];

/// The tests from outside that run.
const TESTS: [&str; 7] = ["command", "contract", "detection", "engine", "fuzz", "iconv", "mail"];

impl Tree {
    /// Reads the files that git knows, for a copy in a directory.
    ///
    /// # Errors
    ///
    /// If git does not run, or a file cannot be read.
    pub fn copy(source: &Path, directory: &Path) -> Result<Tree> {
        let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let output =
            Command::new("git").arg("-C").arg(source).args(list).output().context("git")?;
        ensure!(output.status.success(), "git ls-files: {}", output.status);
        let mut files = BTreeMap::new();
        for path in String::from_utf8(output.stdout)?.split_terminator('\0') {
            let from = source.join(path);
            if from.is_file() {
                files.insert(path.to_owned(), fs::read(&from)?);
            }
        }
        fs::create_dir_all(directory)?;
        let directory = directory.canonicalize()?;
        let mut tree =
            Tree { root: directory.join("tree"), target: directory.join("target"), files };
        tree.add_runtime()?;
        Ok(tree)
    }

    /// Adds the package that knows the active mutant, on which all mutated packages depend.
    fn add_runtime(&mut self) -> Result<()> {
        let manifest =
            "[package]\nname = \"charpipe-mutants\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
        self.files.insert("mutants/Cargo.toml".to_owned(), manifest.into());
        self.files.insert("mutants/src/lib.rs".to_owned(), include_bytes!("runtime.rs").into());
        let crates = PACKAGES.iter().filter_map(|package| package.strip_prefix("charpipe-"));
        let crates = crates.map(|name| (format!("crates/{name}/Cargo.toml"), "../../"));
        // xtask includes some files of the crates.
        let others = [("Cargo.toml".to_owned(), ""), ("xtask/Cargo.toml".to_owned(), "../")];
        for (path, up) in crates.chain(others) {
            let manifest = self.files.get_mut(&path).with_context(|| path.clone())?;
            let dependency =
                format!("\n[dependencies]\ncharpipe-mutants = {{ path = \"{up}mutants\" }}\n");
            let text =
                std::str::from_utf8(manifest)?.replacen("\n[dependencies]\n", &dependency, 1);
            *manifest = text.replacen("\nmembers = [", "\nmembers = [\"mutants\", ", 1).into();
        }
        Ok(())
    }

    /// Writes the files, except those that have these contents already: cargo compiles what has changed.
    fn write(&self) -> Result<()> {
        for (path, contents) in &self.files {
            let file = self.root.join(path);
            let contents = if is_crate_root(path) { &with_lints(contents) } else { contents };
            if !fs::read(&file).is_ok_and(|current| current == *contents) {
                fs::create_dir_all(file.parent().context("a path without a directory")?)?;
                fs::write(&file, contents).with_context(|| path.to_owned())?;
            }
        }
        let kept: HashSet<_> = self.files.keys().map(|path| self.root.join(path)).collect();
        remove_others(&self.root, &kept)
    }

    /// Compiles the tests with the mutants. Removes mutants that do not compile, and returns their identifiers.
    ///
    /// # Errors
    ///
    /// If the tests do not compile for another reason than a mutant.
    pub fn build(&mut self, files: &mut [MutatedFile]) -> Result<(Vec<TestProgram>, Vec<String>)> {
        let mut removed = Vec::new();
        loop {
            let mut rewritten = Vec::new();
            for file in files.iter_mut() {
                let new = rewrite(file);
                self.files.insert(file.path.clone(), new.text.clone().into());
                rewritten.push(new);
            }
            self.write()?;
            // A check is fast.
            let (_, mut errors) = self.cargo(&["check", "--keep-going", "--lib", "--bins"])?;
            if errors.is_empty() {
                let tests = TESTS.iter().flat_map(|test| ["--test", test]);
                let arguments: Vec<_> =
                    ["test", "--no-run", "--lib", "--bins"].into_iter().chain(tests).collect();
                let (programs, errors_of_tests) = self.cargo(&arguments)?;
                errors = errors_of_tests;
                if errors.is_empty() {
                    return Ok((programs, removed));
                }
            }
            let not_viable = mutants_at(&errors, files, &rewritten);
            ensure!(!not_viable.is_empty(), "the copy does not compile: {errors:?}");
            println!("{} mutants do not compile", not_viable.len());
            for file in files.iter_mut() {
                let is_removed = |mutant: &mut Mutant| not_viable.contains(&mutant.number);
                removed.extend(file.mutants.extract_if(.., is_removed).map(|mutant| mutant.id));
            }
        }
    }

    /// Compiles the packages, and returns the test programs or else the paths and offsets of the errors.
    fn cargo(&self, arguments: &[&str]) -> Result<(Vec<TestProgram>, Vec<Location>)> {
        let mut command =
            Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
        command.args(arguments).arg("--message-format=json");
        command.args(PACKAGES.iter().flat_map(|package| ["-p", package]));
        command
            .env("CARGO_TARGET_DIR", &self.target)
            .current_dir(&self.root)
            .stdout(Stdio::piped());
        let mut child = command.spawn().context("cargo")?;
        let (mut programs, mut errors) = (Vec::new(), Vec::new());
        let mut rendered = String::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let message: Value = serde_json::from_str(&line?)?;
            if message["reason"] == "compiler-message" && message["message"]["level"] == "error" {
                rendered += message["message"]["rendered"].as_str().unwrap_or_default();
                let spans =
                    message["message"]["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
                for span in spans {
                    let path = span["file_name"].as_str().unwrap_or_default();
                    let start = span["byte_start"].as_u64().unwrap_or_default();
                    if span["is_primary"] == true {
                        errors.push((path.to_owned(), usize::try_from(start)?));
                    }
                }
            }
            if message["reason"] == "compiler-artifact" && message["profile"]["test"] == true {
                programs.extend(self.program(&message)?);
            }
        }
        if !child.wait()?.success() && errors.is_empty() {
            bail!("{command:?}: {rendered}");
        }
        if !errors.is_empty() {
            fs::write(self.target.join("errors.txt"), rendered)?;
        }
        Ok((programs, errors))
    }

    fn program(&self, message: &Value) -> Result<Option<TestProgram>> {
        let Some(executable) = message["executable"].as_str() else {
            return Ok(None);
        };
        let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
        let directory = manifest.parent().context("a manifest without a directory")?;
        let is_unit = message["target"]["kind"][0] != "test";
        let package = directory.strip_prefix(&self.root)?;
        Ok(Some(TestProgram {
            unit_tests_of: is_unit.then(|| package.join("src").display().to_string()),
            name: message["target"]["name"].as_str().unwrap_or_default().to_owned(),
            directory: directory.to_owned(),
            executable: executable.into(),
        }))
    }
}

/// Returns whether a file is the root module of a library or program.
fn is_crate_root(path: &str) -> bool {
    path.ends_with("src/lib.rs") || path.ends_with("src/main.rs")
}

/// Lints that mutants raise, and that are errors by default, are off. The first line remains the first.
const LINTS: &str = "#![allow(warnings, unconditional_recursion, arithmetic_overflow, overflowing_literals, \
    unconditional_panic, invalid_value)] ";

fn with_lints(text: &[u8]) -> Vec<u8> {
    [LINTS.as_bytes(), text].concat()
}

/// Returns the innermost mutant at each position.
fn mutants_at(errors: &[Location], files: &[MutatedFile], rewritten: &[Rewritten]) -> HashSet<u32> {
    let mut found = HashSet::new();
    for (path, offset) in errors {
        let Some(index) = files.iter().position(|file| file.path == *path) else {
            continue;
        };
        let offset = offset.saturating_sub(if is_crate_root(path) { LINTS.len() } else { 0 });
        let ranges = rewritten[index].ranges.iter().rev();
        found.extend(
            ranges.filter(|(range, _)| range.contains(&offset)).map(|(_, number)| *number).next(),
        );
    }
    found
}

/// Removes the files that are not among these.
fn remove_others(directory: &Path, kept: &HashSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_symlink() || path.is_file() {
            if !kept.contains(&path) {
                fs::remove_file(&path)?;
            }
        } else {
            remove_others(&path, kept)?;
        }
    }
    Ok(())
}
