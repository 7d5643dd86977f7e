//! The generated files that are checked in are current.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use xtask::{COMMAND_OUTPUT, ENCODINGS_PAGE, TRANSFORMS_PAGE};

#[path = "../../xtask/src/encodings_page.rs"]
mod encodings_page;

fn assert_current(path: &str, expected: &[u8]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let is_current = fs::read(file).is_ok_and(|contents| contents == expected);
    assert!(is_current, "{path} is out of date: run cargo xtask generate");
}

/// Runs charpipe and returns what it prints.
fn output(arguments: &[&str]) -> Vec<u8> {
    let mut command =
        Command::from_std(charpipe_test_support::watch::command(env!("CARGO_BIN_EXE_charpipe")));
    let run = command.args(arguments).assert().success().stderr("");
    run.get_output().stdout.clone()
}

#[test]
fn tables_are_up_to_date_and_all_generated() {
    let generated = xtask::tables().unwrap();
    for file in &generated {
        assert_current(&file.path, &file.contents);
    }
    let directory = "crates/encoding/src/encoding/multi_byte/data";
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory)).unwrap() {
        let path = format!("{directory}/{}", entry.unwrap().file_name().display());
        assert!(generated.iter().any(|file| file.path == path), "{path} is not generated");
    }
}

#[test]
fn man_pages_are_up_to_date() {
    for (path, arguments) in COMMAND_OUTPUT {
        assert_current(path, &output(arguments));
    }
}

#[test]
fn pages_of_encodings_and_transforms_are_up_to_date() {
    assert_current(ENCODINGS_PAGE, encodings_page::render().as_bytes());
    assert_current(TRANSFORMS_PAGE, encodings_page::render_transforms().as_bytes());
}

#[test]
fn pictures_are_up_to_date_and_all_generated() {
    let mut generated = xtask::pictures::all().unwrap();
    let charpipe = format!("'{}'", env!("CARGO_BIN_EXE_charpipe"));
    generated.push(xtask::pictures::recording::record(&charpipe).unwrap());
    for file in &generated {
        assert_current(&file.path, &file.contents);
    }
    let directory = xtask::pictures::DIRECTORY;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory)).unwrap() {
        let path = format!("{directory}/{}", entry.unwrap().file_name().display());
        assert!(generated.iter().any(|file| file.path == path), "{path} is not generated");
    }
}

#[test]
fn texts_about_the_package_have_the_number_of_encodings() {
    let hundreds = charpipe::internals::encoding::ALL.len() / 100 * 100;
    for path in [
        "README.md",
        "Cargo.toml",
        "python/README.md",
        "python/pyproject.toml",
        "python/charpipe/__init__.py",
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = fs::read_to_string(file).unwrap();
        let mut before = text.split(" encodings").map(|part| part.rsplit(' ').next().unwrap());
        let found: Vec<_> = before.by_ref().filter_map(|word| word.parse::<usize>().ok()).collect();
        assert_eq!(found, [hundreds], "{path}");
        let lower = text.to_lowercase();
        assert!(lower.contains(&format!("more than {hundreds} encodings")), "{path}");
    }
}

#[test]
fn every_encoding_has_a_category() {
    for encoding in charpipe::internals::encoding::ALL {
        assert_ne!(encoding.category(), "Others", "{} has no category", encoding.name());
    }
}

#[test]
fn hidden_options_are_not_documented() {
    for (path, arguments) in COMMAND_OUTPUT {
        let printed = String::from_utf8(output(arguments)).unwrap();
        for hidden in ["buffer-size", "no-fast-paths"] {
            assert!(!printed.replace('\\', "").contains(hidden), "{path}: {hidden}");
        }
    }
}
