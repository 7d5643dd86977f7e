//! `charpipe list`.

use assert_cmd::Command;
use charpipe::internals::encoding::ALL;

use crate::command::{charpipe, shell_subcommand};
use crate::watch;

fn list(words: &[&str]) -> String {
    let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    let run = command.arg("list").args(words).assert().success().stderr("");
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn list_prints_what_the_option_prints_as_plain_text() {
    charpipe().arg("--list=plain").assert().success().stdout(list(&[]));
}

#[test]
fn subcommand_prints_the_same_as_the_option() {
    for (word, option) in
        [(&[][..], "--list=plain"), (&["--json"], "--list=json"), (&["--tsv"], "--list=tsv")]
    {
        let run = charpipe().arg(option).assert().success();
        assert_eq!(list(word).as_bytes(), run.get_output().stdout);
    }
}

#[test]
fn tsv_and_json_have_the_same_content() {
    let table = list(&["--tsv"]);
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = [
        "name",
        "mime",
        "windows_code_page",
        "decode",
        "encode",
        "category",
        "aliases",
        "description",
    ];
    assert_eq!(lines.next().unwrap(), head);
    let objects: Vec<serde_json::Value> = serde_json::from_str(&list(&["--json"])).unwrap();
    assert_eq!(objects.len(), ALL.len());
    for object in objects {
        let line = lines.next().unwrap();
        assert_eq!(line.len(), head.len(), "{line:?}");
        for (cell, key) in line.iter().zip(head) {
            let expected = match &object[key] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::Bool(able) => if *able { "yes" } else { "no" }.to_owned(),
                serde_json::Value::Array(aliases) => with_sources(aliases),
                other => other.as_str().map_or(other.to_string(), str::to_owned),
            };
            assert_eq!(*cell, expected, "{key} of {}", object["name"]);
        }
    }
    assert_eq!(lines.next(), None);
}

fn with_sources(aliases: &[serde_json::Value]) -> String {
    let alias = |alias: &serde_json::Value| {
        let sources = alias["sources"].as_array().unwrap().iter();
        let sources: Vec<_> = sources.map(|source| source.as_str().unwrap()).collect();
        format!("{} ({})", alias["name"].as_str().unwrap(), sources.join(" "))
    };
    aliases.iter().map(alias).collect::<Vec<_>>().join(", ")
}

#[test]
fn mime_names_and_windows_code_pages_have_columns() {
    let table = list(&["--tsv"]);
    let cells = |name: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.split('\t').next() == Some(name)).unwrap();
        line.split('\t').skip(1).take(4).map(str::to_owned).collect()
    };
    assert_eq!(cells("CP1252"), ["windows-1252", "1252", "yes", "yes"]);
    assert_eq!(cells("UTF-8"), ["UTF-8", "65001", "yes", "yes"]);
}

#[test]
fn last_format_counts_and_operands_are_rejected() {
    assert_eq!(list(&["--json", "--tsv"]), list(&["--tsv"]));
    let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    command.args(["list", "utf-8"]).assert().code(2).stdout("");
}

#[cfg(unix)]
#[test]
fn unwritable_list_is_reported() {
    let run = shell_subcommand("list", "\"$1\" list --tsv >/dev/full").assert().code(2);
    run.stderr("charpipe: write error: No space left on device\n");
}
