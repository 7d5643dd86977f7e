//! Tasks of the maintainers: `cargo xtask generate`, `book`, `train-detection`, `train-repair`, `fetch-texts`,
//! `measure-detection` and `mutants`.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use xtask::{COMMAND_OUTPUT, ENCODINGS_PAGE, TRANSFORMS_PAGE, root};

#[cfg(feature = "detection")]
mod detection;
#[cfg(feature = "pages")]
mod encodings_page;
#[cfg(feature = "mutants")]
mod mutants;

const USAGE: &str = "\
usage: cargo xtask generate
       cargo xtask book
       cargo xtask train-detection DIR
       cargo xtask train-repair DIR
       cargo xtask fetch-texts DIR [ROLE | SOURCE]...
       cargo xtask measure-detection DIR [--role ROLE] [--charpipe PROGRAM] [--quick]
       cargo xtask mutants [--count N] [--seed N] [--path PREFIX]... [--survivors REPORT] [--unit-tests]
                          [--seconds N] [--score N]

generate writes the generated files: tables, names of encodings and characters, the pages of encodings and of
transforms, the manual pages and the pictures of the documentation.

book builds the documentation as a book in target/book/html and checks its links. It needs mdbook and mandoc; MDBOOK is
the path of another mdbook.

train-detection writes the language models of the detector, crates/detect/src/model.bin, from the training texts that
fetch-texts wrote to DIR/train. train-repair writes the frequencies of letters, by which repairs are chosen,
crates/transform/src/repair/letters.bin, from the same texts.

fetch-texts downloads the packages of benches/detection/sources.toml to DIR and extracts their texts, with
which the detector is trained, tuned and measured. It needs apt-get, dpkg-deb, npm and Python 3.11 with pip.

mutants changes the source at random, 600 times by default, and writes target/mutants/report.tsv: which changes the tests
notice. Those of xtask/src/mutants/equivalent.tsv do not change what the code does; they are counted, and not run. --survivors
repeats only those that tests did not notice before, and --unit-tests runs only unit tests. Survivors and counts are printed
during the run, which can be stopped. No mutant is tried after --seconds, and the command fails if tests notice less than a
percentage, --score. It needs git and Linux. Mutants may do anything to files: run it in a container.
";

/// Runs this program again, with the library of charpipe, to print the page of encodings.
const PRINT_ENCODINGS_PAGE: &str = "print-encodings-page";

/// Likewise, to print the page of transforms.
const PRINT_TRANSFORMS_PAGE: &str = "print-transforms-page";

/// Runs this program again, with a parser of Rust, to test mutants.
const RUN_MUTANTS: &str = "run-mutants";

/// Runs this program again, with the library of charpipe, to measure detection.
const RUN_MEASUREMENT: &str = "run-measurement";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate"] => generate()?,
        ["book"] => xtask::book::build()?,
        ["train-detection", directory] => {
            xtask::training::train(&Path::new(directory).join("train"))?;
        }
        ["train-repair", directory] => {
            xtask::repair_letters::train(&Path::new(directory).join("train"))?;
        }
        ["fetch-texts", directory, ..] if !directory.starts_with('-') => {
            return fetch_texts(&arguments[1..]);
        }
        ["measure-detection", ..] => return measure_detection(&arguments[1..]),
        #[cfg(feature = "detection")]
        [RUN_MEASUREMENT, ..] => detection::measure(&arguments[1..])?,
        ["mutants", ..] => return test_mutants(&arguments[1..]),
        #[cfg(feature = "mutants")]
        [RUN_MUTANTS, ..] => mutants::run(&arguments[1..])?,
        #[cfg(feature = "pages")]
        [PRINT_ENCODINGS_PAGE] => print!("{}", encodings_page::render()),
        #[cfg(feature = "pages")]
        [PRINT_TRANSFORMS_PAGE] => print!("{}", encodings_page::render_transforms()),
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
    write_man_pages()?;
    for (path, page) in
        [(ENCODINGS_PAGE, PRINT_ENCODINGS_PAGE), (TRANSFORMS_PAGE, PRINT_TRANSFORMS_PAGE)]
    {
        let print = ["--package", "xtask", "--features", "pages", "--", page];
        write(path, &cargo_run(&print)?)?;
    }
    for file in xtask::pictures::all()? {
        write(&file.path, &file.contents)?;
    }
    let manifest = root().join("Cargo.toml");
    let recording = xtask::pictures::recording::record(&format!(
        "\"${{CARGO-cargo}}\" run --quiet --package charpipe --bin charpipe --manifest-path '{}' --",
        manifest.display()
    ))?;
    write(&recording.path, &recording.contents)
}

/// Writes the manual pages, with a test of charpipe.
fn write_man_pages() -> Result<()> {
    let read = || COMMAND_OUTPUT.map(|(path, _)| fs::read(root().join(path)).unwrap_or_default());
    let before = read();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["test", "--quiet", "--package", "charpipe", "--bin", "charpipe", "man_pages"]);
    command.env("CHARPIPE_BLESS", "1").current_dir(root()).stdout(Stdio::null());
    ensure!(command.status()?.success(), "{command:?}");
    for (index, (path, _)) in COMMAND_OUTPUT.iter().enumerate() {
        if read()[index] != before[index] {
            println!("{path}");
        }
    }
    Ok(())
}

/// Downloads texts in many languages.
fn fetch_texts(arguments: &[String]) -> Result<ExitCode> {
    let python = env::var_os("PYTHON").unwrap_or_else(|| OsString::from("python3"));
    let mut command = Command::new(python);
    command.arg(root().join("benches/detection/fetch.py")).args(arguments);
    run(&mut command)
}

/// Compiles charpipe and this program with its library, and measures detection.
fn measure_detection(arguments: &[String]) -> Result<ExitCode> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let build = ["build", "--quiet", "--release", "--package", "charpipe", "--bin", "charpipe"];
    ensure!(
        Command::new(&cargo).args(build).current_dir(root()).status()?.success(),
        "cargo build"
    );
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--release", "--package", "xtask", "--features", "detection"]);
    // The directory of the caller is kept, as arguments may be relative to it.
    command.arg("--manifest-path").arg(root().join("Cargo.toml"));
    run(command.args(["--", RUN_MEASUREMENT]).args(arguments))
}

/// Compiles this program with a parser of Rust, and tests mutants.
fn test_mutants(arguments: &[String]) -> Result<ExitCode> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "xtask", "--features", "mutants"]);
    command.arg("--manifest-path").arg(root().join("Cargo.toml"));
    run(command.args(["--", RUN_MUTANTS]).args(arguments))
}

fn run(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
