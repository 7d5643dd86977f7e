//! Parsing of the command line, including the forms that users of iconv write.

use assert_cmd::Command;
use predicates::prelude::*;

#[cfg(unix)]
use charpipe_test_support::missing;
use charpipe_test_support::watch;

use crate::cli::command::{charpipe, create_directory, messages_of};

#[test]
fn encodings_can_be_given_in_each_of_the_usual_ways() {
    for words in [
        &["-f", "latin1", "-t", "utf-8"][..],
        &["-flatin1", "-tutf-8"],
        &["--from", "latin1", "--to", "utf-8"],
        &["--from=latin1", "--to=utf-8"],
        &["--from-code", "latin1", "--to-code", "utf-8"],
        &["--from-code=latin1", "--to-code=utf-8"],
        &["-cf", "latin1"],
    ] {
        charpipe().args(words).write_stdin(b"\xE9").assert().success().stdout("é");
    }
}

#[test]
fn an_encoding_that_is_not_given_is_utf8() {
    charpipe().args(["-t", "latin1"]).write_stdin("é").assert().success().stdout(&b"\xE9"[..]);
    charpipe().args(["-f", "latin1"]).write_stdin(b"\xE9").assert().success().stdout("é");
    charpipe().write_stdin("é").assert().success().stdout("é");
}

#[test]
fn the_last_of_several_equal_options_counts() {
    let words = ["-f", "us-ascii", "-f", "latin1"];
    charpipe().args(words).write_stdin(b"\xE9").assert().success().stdout("é");
}

#[test]
fn case_and_punctuation_of_a_name_do_not_count() {
    for name in ["LATIN1", "Latin-1", "iso_8859-1", "ISO 8859-1"] {
        charpipe().args(["-f", name]).write_stdin(b"\xE9").assert().success().stdout("é");
    }
}

#[cfg(unix)]
#[test]
fn locale_is_the_encoding_of_the_locale() {
    for locale in ["C", "POSIX", "C.UTF-8"] {
        let charmap = watch::command("locale").arg("charmap").env("LC_ALL", locale).output();
        let Ok(charmap) = charmap else { return missing("locale") };
        let charmap = String::from_utf8(charmap.stdout).unwrap();
        let convert = |label: &str| {
            let mut command = charpipe();
            command.env("LC_ALL", locale).args(["-c", "-f", label, "-t", "utf-16be/hex"]);
            command.write_stdin(&b"a\xC3\xA9"[..]).assert().get_output().stdout.clone()
        };
        assert_eq!(convert("locale"), convert(charmap.trim()), "{locale}");
        assert_eq!(convert("LOCALE"), convert(charmap.trim()), "{locale}");
    }
}

#[test]
fn unknown_encoding_is_rejected_with_similar_names() {
    let run = charpipe().args(["-f", "latin-l"]).assert().code(2).stdout("");
    assert_eq!(messages_of(&run).len(), 1);
    run.stderr(predicate::str::starts_with(
        "charpipe: unknown encoding \"latin-l\" (did you mean ",
    ));
}

#[test]
fn empty_encoding_is_rejected() {
    charpipe().args(["-f", ""]).assert().code(2);
    charpipe().args(["-t", "//TRANSLIT"]).assert().code(2);
}

#[test]
fn options_may_follow_files() {
    let directory = create_directory(&[("a", b"\xE9")]);
    charpipe().current_dir(&directory).args(["a", "-f", "latin1"]).assert().success().stdout("é");
}

#[test]
fn two_hyphens_end_the_options() {
    let directory = create_directory(&[("-f", b"text")]);
    charpipe().current_dir(&directory).args(["--", "-f"]).assert().success().stdout("text");
}

#[test]
fn unknown_option_message_has_the_common_format() {
    let run = charpipe().arg("--frob").assert().code(2).stdout("");
    assert!(messages_of(&run)[0].starts_with("charpipe: "), "{:?}", messages_of(&run));
}

#[test]
fn list_has_one_line_for_each_encoding() {
    let run = charpipe().arg("--list=plain").assert().success().stderr("");
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let expected = charpipe::internals::encoding::ALL.iter().map(|encoding| encoding.name());
    assert!(text.lines().map(|line| line.split(' ').next().unwrap()).eq(expected));
    assert!(text.lines().any(|line| line.split(' ').any(|name| name == "latin1")));
}

#[test]
fn the_list_of_iconv_has_every_name_with_slashes() {
    let run = charpipe().arg("--list=iconv").assert().success().stderr("");
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    for option in ["-l", "--list"] {
        charpipe().arg(option).assert().success().stdout(text.clone());
    }
    let plain = |name: &&str| !name.contains("libiconv:") && !name.contains("whatwg:");
    let all = charpipe::internals::encoding::ALL.iter().flat_map(|encoding| encoding.names());
    let mut names: Vec<_> = all.filter(plain).collect();
    names.sort_unstable();
    let slashes = |name: &str| if name.contains('/') { "/" } else { "//" };
    let expected = names.iter().map(|name| format!("{name}{}", slashes(name)));
    assert!(text.lines().eq(expected));
    assert!(text.lines().any(|line| line == "ISO-10646/UTF8/"));
}

#[test]
fn json_list_describes_every_encoding() {
    let run = charpipe().arg("--list=json").assert().success().stderr("");
    let list: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), charpipe::internals::encoding::ALL.len());
    for (object, encoding) in list.iter().zip(charpipe::internals::encoding::ALL) {
        assert_eq!(object["name"], encoding.name());
        assert_eq!(object["description"], encoding.description());
        assert!(object["category"].is_string(), "{object}");
        let flags = [&object["decode"], &object["encode"]];
        assert!(flags.iter().all(|flag| **flag == true), "{object}");
    }
    let latin1 = list.iter().find(|object| object["name"] == "ISO-8859-1").unwrap();
    assert_eq!(
        (&latin1["mime"], &latin1["windows_code_page"]),
        (&"ISO-8859-1".into(), &28591.into())
    );
    let mut aliases = latin1["aliases"].as_array().unwrap().iter();
    let ascii_name = aliases.find(|alias| alias["name"] == "latin1").unwrap();
    let sources = ascii_name["sources"].as_array().unwrap();
    assert!(["IANA", "glibc", "libiconv"].iter().all(|user| sources.contains(&(*user).into())));
}

#[test]
fn unknown_list_format_is_rejected() {
    charpipe().arg("--list=xml").assert().code(2).stdout("");
}

#[test]
fn ambiguous_label_is_rejected_with_all_candidates() {
    let run = charpipe().args(["-f", "ksc-5601"]).assert().code(2).stdout("");
    let expected =
        "charpipe: ambiguous encoding name \"ksc-5601\": use KSC5601 or KSC_5601 or ks_c_5601";
    assert_eq!(messages_of(&run), [expected]);
}

#[test]
fn the_help_shows_examples_and_the_long_one_every_action() {
    let short = charpipe().arg("-h").assert().success().stderr("");
    short.stdout(predicate::str::contains("Examples:\n  charpipe -f cp1252 -o new.txt"));
    let mut long = charpipe().arg("--help").assert().success().stderr("");
    for (word, _) in charpipe::ErrorAction::NAMES {
        long = long.stdout(predicate::str::contains(*word));
    }
}

#[test]
fn help_lists_subcommands_and_groups_of_options() {
    let run = charpipe().arg("--help").assert().success().stderr("");
    let help = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let headings: Vec<_> = help.lines().filter(|line| line.ends_with(':')).collect();
    let expected = [
        "Commands:",
        "Arguments:",
        "Input and output:",
        "Error handling:",
        "In place or elsewhere:",
        "File selection:",
        "Mail headers:",
        "Other:",
        "Exit code:",
        "Examples:",
    ];
    let top_level = headings.into_iter().filter(|line| !line.starts_with(' '));
    assert!(top_level.eq(expected), "{help}");
}

/// Returns the command without a size of buffers, for subcommands as arguments.
fn bare() -> Command {
    Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")))
}

#[test]
fn short_help_fits_on_a_screen() {
    for (command, lines) in [
        ("", 40),
        ("check", 30),
        ("detect", 30),
        ("fix", 30),
        ("list", 30),
        ("show", 30),
        ("split", 30),
        ("repair", 30),
        ("help", 30),
        ("install-links", 30),
    ] {
        let words = command.split_whitespace().chain(["-h"]);
        let run = bare().args(words).assert().success().stderr("");
        let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert!(text.lines().count() <= lines, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn help_has_pages_of_topics_and_commands() {
    let output = |words: &[&str]| {
        let run = bare().args(words).assert().success().stderr("");
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    for (topic, option) in [
        ("chains", "--via <STEP>"),
        ("errors", "--on-unmappable <ACTION>"),
        ("detect", "--min-confidence <LEVEL>"),
        ("mail", "--field <NAME>"),
        ("ranges", "--start-state <STATE>"),
    ] {
        let page = output(&["help", topic]);
        assert!(page.contains(option), "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    }
    assert_eq!(output(&["help", "check"]), output(&["check", "--help"]));
    assert_eq!(output(&["help"]), output(&["-h"]));
    assert!(!output(&["--help"]).contains("--start-state"));
    let run = bare().args(["help", "sorting"]).assert().code(2).stdout("");
    assert!(messages_of(&run)[0].starts_with("charpipe: invalid value 'sorting' for '[TOPIC]'"));
}

#[test]
fn invalid_usage_is_explained_in_two_lines() {
    for (words, message) in [
        ("--foo", "unexpected argument '--foo' found\n  tip: 'charpipe -h' shows the options\n"),
        (
            "check --foo",
            "unexpected argument '--foo' found\n  tip: 'charpipe check -h' shows the options\n",
        ),
        (
            "--newline x",
            "invalid value 'x' for '--newline <FORM>'\n  [possible values: lf, crlf, cr]\n",
        ),
        ("--strip-bom", "unexpected argument '--strip-bom' found\n  tip: use --bom strip\n"),
    ] {
        let run = bare().args(words.split(' ')).assert().code(2).stdout("");
        run.stderr(format!("charpipe: {message}"));
    }
}

#[test]
fn files_named_like_a_subcommand_can_be_converted() {
    let directory = create_directory(&[("check", b"text")]);
    for arguments in [&["./check"][..], &["--", "check"], &["-f", "latin1", "check"]] {
        charpipe().current_dir(&directory).args(arguments).assert().success().stdout("text");
    }
}

#[test]
fn help_does_not_show_hidden_options() {
    let hidden = predicate::str::contains("buffer-size").or(predicate::str::contains("fast-paths"));
    charpipe().arg("--help").assert().success().stdout(hidden.not());
}

#[test]
fn version_is_that_of_the_package() {
    let expected = concat!("charpipe ", env!("CARGO_PKG_VERSION"), "\n");
    charpipe().arg("-V").assert().success().stdout(expected);
    charpipe().arg("--version").assert().success().stdout(expected);
}

#[test]
fn buffer_size_is_between_a_byte_and_16_mebibytes() {
    for (bytes, code) in [("0", 2), ("1", 0), ("16777216", 0), ("16777217", 2), ("x", 2)] {
        charpipe().args(["--buffer-size", bytes]).write_stdin("é").assert().code(code);
    }
}

#[test]
fn fast_paths_do_not_change_the_output() {
    charpipe().args(["--no-fast-paths"]).write_stdin("aé€").assert().success().stdout("aé€");
}

#[cfg(unix)]
#[test]
fn messages_name_what_was_written() {
    let empty = "charpipe: empty encoding name; 'charpipe list' shows all names\n";
    for (words, message) in [
        (vec!["-f", ""], empty),
        (vec!["-f", ":x"], empty),
        (vec![""], "charpipe: '': No such file or directory\n"),
        (
            vec!["-t", "utf-7:close"],
            "charpipe: UTF-7: option close needs a value (expected needed|always)\n",
        ),
        (
            vec!["-t", "us-ascii", "--bom", "add"],
            "charpipe: adding a byte order mark: US-ASCII cannot encode a byte order mark\n",
        ),
    ] {
        charpipe().args(&words).write_stdin("x").assert().code(2).stderr(message);
    }
}
