//! Files in the tree that the command itself prints: its completions and its manual page.
//!
//! After a change of the command line, `CHARPIPE_BLESS=1 cargo test --test generated` writes them
//! again.

mod watch;

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const FILES: [(&str, &[&str]); 6] = [
    ("completions/charpipe.bash", &["--completions", "bash"]),
    ("completions/_charpipe", &["--completions", "zsh"]),
    ("completions/charpipe.fish", &["--completions", "fish"]),
    ("completions/_charpipe.ps1", &["--completions", "powershell"]),
    ("completions/charpipe.elv", &["--completions", "elvish"]),
    ("docs/charpipe.1", &["--man"]),
];

#[test]
fn completions_and_man_page_are_up_to_date() {
    for (path, words) in FILES {
        let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
        let run = command.args(words).assert().success().stderr("");
        let printed = &run.get_output().stdout;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if std::env::var_os("CHARPIPE_BLESS").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, printed).unwrap();
        }
        let current = fs::read(&file).is_ok_and(|kept| &kept == printed);
        assert!(current, "{path} is out of date: run CHARPIPE_BLESS=1 cargo test --test generated");
    }
}

#[test]
fn hidden_options_are_not_documented() {
    for (path, words) in FILES {
        let run = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")))
            .args(words)
            .assert()
            .success();
        let printed = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        for hidden in ["buffer-size", "no-fast-paths"] {
            assert!(!printed.replace('\\', "").contains(hidden), "{path}: {hidden}");
        }
    }
}
