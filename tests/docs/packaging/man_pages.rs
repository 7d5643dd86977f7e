//! The manual pages are well-formed for man and whatis, and have what a page needs.

use std::fs;
use std::path::Path;

use super::{CHARPIPE, REPOSITORY_ROOT, read};
use charpipe_test_support::{Requirement, require, watch};

const PAGES: [(&str, &[&str], &str); 11] = [
    ("charpipe", &[], "convert text between encodings"),
    ("charpipe-check", &["check"], "check that files are valid in an encoding"),
    ("charpipe-detect", &["detect"], "detect the encoding of files"),
    ("charpipe-fix", &["fix"], "fix the encoding, BOM and line endings of files"),
    ("charpipe-list", &["list"], "list encodings and their aliases"),
    ("charpipe-show", &["show"], "show the characters of a text"),
    ("charpipe-split", &["split"], "print ranges of a file that can be converted independently"),
    ("charpipe-repair", &["repair"], "repair text that was decoded in the wrong encoding"),
    ("charpipe-iconv", &["iconv"], "convert text as iconv does"),
    ("charpipe-help", &["help"], "print help about a topic or a command"),
    ("charpipe-install-links", &["install-links"], "create links to charpipe: iconv"),
];

/// Runs a program, which must succeed, and returns what it prints on both outputs.
fn output(program: &str, args: &[&str]) -> String {
    let mut command = watch::command(program);
    command.args(args).env("LC_ALL", "C.UTF-8").env("MANWIDTH", "100").env("MANROFFOPT", "-c");
    let run = command.current_dir(REPOSITORY_ROOT).output().unwrap();
    let text = [run.stdout, run.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(run.status.success(), "{program} {args:?}: {text}");
    text
}

#[test]
fn every_command_prints_its_page() {
    for (name, words, _) in PAGES {
        let path = format!("docs/man/{name}.1");
        assert_eq!(output(CHARPIPE, &[words, &["--man"]].concat()), read(&path), "{path}");
    }
    let directory = Path::new(REPOSITORY_ROOT).join("docs/man");
    assert_eq!(std::fs::read_dir(directory).unwrap().count(), PAGES.len());
}

#[test]
fn pages_have_their_sections_in_the_usual_order() {
    for (name, words, about) in PAGES {
        let page = read(&format!("docs/man/{name}.1"));
        let headings: Vec<_> = page
            .lines()
            .filter_map(|line| line.strip_prefix(".SH "))
            .map(|heading| heading.trim_matches('"'))
            .collect();
        let mut expected = vec!["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"];
        if words.is_empty() {
            expected.extend(["SUBCOMMANDS", "ACTIONS", "ENCODING OPTIONS", "TRANSFORMS"]);
        }
        expected.extend(["EXIT STATUS", "EXAMPLES", "ENVIRONMENT"]);
        if ["charpipe", "charpipe-check", "charpipe-detect", "charpipe-fix", "charpipe-repair"]
            .contains(&name)
        {
            expected.push("FILES");
        }
        expected.push("SEE ALSO");
        assert_eq!(headings, expected, "{name}");
        let [escaped_name, escaped_about] = [name, about].map(|text| text.replace('-', "\\-"));
        assert!(page.contains(&format!("\n.SH NAME\n{escaped_name} \\- {escaped_about}\n")));
        for (other, ..) in PAGES {
            let reference = format!(".BR {} (1)", other.replace('-', "\\-"));
            let see_also = page.split(".SH \"SEE ALSO\"").nth(1).unwrap();
            assert_eq!(see_also.contains(&reference), other != name, "{name}: {other}");
        }
        for line in page.lines().filter(|line| line.starts_with('.')) {
            let request = line[1..].split(' ').next().unwrap();
            let known = [
                "ie", "el", "TH", "SH", "SS", "TP", "PP", "IP", "RS", "RE", "nf", "fi", "BR", "br",
                "nh", "ad",
            ];
            assert!(known.contains(&request), "{name}: {line}");
        }
    }
}

#[test]
fn brackets_of_synopses_are_balanced() {
    for page in fs::read_dir(Path::new(REPOSITORY_ROOT).join("docs/man")).unwrap() {
        let path = page.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        let synopsis = page.split(".SH SYNOPSIS").nth(1).and_then(|rest| rest.split(".fi").next());
        for line in synopsis.unwrap().lines() {
            let count = |bracket: char| line.matches(bracket).count();
            assert_eq!(count('['), count(']'), "{}: {line}", path.display());
        }
    }
}

#[test]
fn man_renders_the_pages_without_a_warning() {
    if !require(Requirement::Program("man")) {
        return;
    }
    for (name, words, _) in PAGES {
        let page = format!("docs/man/{name}.1");
        let text = output("man", &["--warnings", "-E", "UTF-8", "-l", &page]);
        assert!(!text.contains("warning"), "{page}: {text}");
        // Commands can be copied: hyphens, quotes and tildes are those of ASCII.
        let usage = format!("charpipe {} [", words.concat()).replace("  ", " ");
        assert!(
            text.contains(&usage) || ["charpipe-list", "charpipe-install-links"].contains(&name),
            "{page}: {text}"
        );
        assert!(!text.contains(['\u{2010}', '\u{2019}', '\u{2212}']), "{page}");
    }
    let text = output("man", &["-E", "UTF-8", "-l", "docs/man/charpipe.1"]);
    assert!(text.contains("charpipe -f latin1 -i -r docs --glob '*.txt' --backup\n"), "{text}");
}

#[test]
fn whatis_finds_the_names() {
    if !require(Requirement::Program("lexgrog")) {
        return;
    }
    for (name, _, about) in PAGES {
        let page = format!("docs/man/{name}.1");
        assert_eq!(output("lexgrog", &[&page]), format!("{page}: \"{name} - {about}\"\n"));
    }
}
