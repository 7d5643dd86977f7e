//! Tasks of the maintainers: `cargo xtask generate`.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use xtask::{COMMAND_OUTPUT, ENCODINGS_PAGE, root};

#[cfg(feature = "pages")]
mod encodings_page;

const USAGE: &str = "\
usage: cargo xtask generate

Writes the generated files: tables and names of encodings, docs/encodings.md and the manual pages.
";

/// Runs this program again, with the library of charpipe, to print the page of encodings.
const PRINT_ENCODINGS_PAGE: &str = "print-encodings-page";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate"] => generate()?,
        #[cfg(feature = "pages")]
        [PRINT_ENCODINGS_PAGE] => print!("{}", encodings_page::render()),
        _ => {
            eprint!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn generate() -> Result<()> {
    // The tables first: what follows is compiled with them.
    for file in xtask::tables()? {
        write(&file.path, &file.contents)?;
    }
    for (path, arguments) in COMMAND_OUTPUT {
        let program = ["--package", "charpipe", "--bin", "charpipe", "--"];
        write(path, &cargo_run(&[&program, arguments].concat())?)?;
    }
    let page = ["--package", "xtask", "--features", "pages", "--", PRINT_ENCODINGS_PAGE];
    write(ENCODINGS_PAGE, &cargo_run(&page)?)
}

/// Returns what a program prints that `cargo run` compiles.
fn cargo_run(arguments: &[&str]) -> Result<Vec<u8>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet"]).args(arguments).current_dir(root());
    let output = command.stderr(Stdio::inherit()).output().context("cargo run")?;
    ensure!(output.status.success(), "{command:?}: {}", output.status);
    Ok(output.stdout)
}

/// Writes a file and reports it, unless it has these contents already.
fn write(path: &str, contents: &[u8]) -> Result<()> {
    let file = root().join(path);
    if fs::read(&file).is_ok_and(|current| current == contents) {
        return Ok(());
    }
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(&file, contents).with_context(|| path.to_owned())?;
    println!("{path}");
    Ok(())
}
