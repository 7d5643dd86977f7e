//! The library as C programs use it.

#![cfg(unix)]

mod header;
mod preload;
mod programs;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of this package.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The shared library, which is built with this test.
fn shared_library() -> PathBuf {
    let test = env::current_exe().unwrap();
    let name =
        format!("libcharpipe_capi.{}", if cfg!(target_os = "macos") { "dylib" } else { "so" });
    let path = test.parent().unwrap().join(name);
    assert!(path.exists(), "{}", path.display());
    path
}

/// Returns whether a program is installed, or reports that the test is skipped.
fn has(program: &str) -> bool {
    charpipe_test_support::require(charpipe_test_support::Requirement::Program(program))
}

/// Runs a command to its end and returns its standard output.
fn output_of(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{stdout:.4000}{stderr:.4000}",
        output.status
    );
    output.stdout
}
