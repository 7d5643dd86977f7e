//! C programs that call the library. Skipped without `cc`; with valgrind, which also finds
//! accesses outside of buffers and leaks, if that is installed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{has, output_of, package, shared_library};

/// Returns the path of a program in `tests/c`.
fn source(name: &str) -> PathBuf {
    package().join("tests/c").join(name)
}

/// Compiles a program.
fn compile(source: &Path, directory: &Path, libraries: &[&OsStr]) -> PathBuf {
    let program = directory.join("program");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-I"])
        .arg(package().join("include"))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .args(libraries);
    output_of(&mut compiler);
    program
}

fn under_valgrind(program: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command.args([
        "-q",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
    ]);
    command.arg(program);
    command
}

#[test]
fn semantics_are_those_of_posix() {
    if !has("cc") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let library = shared_library();
    let search = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let program =
        compile(&source("posix.c"), directory.path(), &[library.as_ref(), search.as_ref()]);
    output_of(&mut Command::new(&program));
    if has("valgrind") {
        output_of(&mut under_valgrind(&program));
    }
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn calls_have_the_results_of_glibc() {
    if !has("cc") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let program = compile(&source("differential.c"), directory.path(), &["-ldl".as_ref()]);
    let rounds = if std::env::var_os("CHARPIPE_TEST_EXHAUSTIVE").is_some() { "400" } else { "12" };
    let stdout = output_of(Command::new(&program).arg(shared_library()).args(["1", rounds]));
    println!("{}", String::from_utf8_lossy(&stdout));
}

/// The program of the page `docs/c-api.md`, which says what it prints.
#[test]
fn example_of_the_page_works() {
    if !has("cc") {
        return;
    }
    let page = fs::read_to_string(package().join("../docs/c-api.md")).unwrap();
    let (_, rest) = page.split_once("```c\n").unwrap();
    let (source, text) = rest.split_once("```\n").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("example.c");
    fs::write(&path, source).unwrap();
    let library = shared_library();
    let search = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let program = compile(&path, directory.path(), &[library.as_ref(), search.as_ref()]);
    let stdout = output_of(&mut Command::new(program));
    let printed = format!("It prints `{}`.", String::from_utf8_lossy(&stdout).trim_end());
    assert!(text.trim_start().starts_with(&printed), "{printed}");
}
