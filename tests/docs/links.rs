//! The pages under `docs` hang together, and say what the program says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use charpipe::ErrorAction;

const REPOSITORY_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where readers begin.
const START_PAGES: [&str; 3] = ["README.md", "docs/guide.md", BOOK];

/// The table of contents of the book.
const BOOK: &str = "docs/SUMMARY.md";

fn read(page: &str) -> String {
    fs::read_to_string(Path::new(REPOSITORY_ROOT).join(page)).unwrap()
}

/// The pages at the top level and under `docs`, as paths from the repository.
fn pages() -> BTreeSet<String> {
    let names = |directory: &str| {
        let entries = fs::read_dir(Path::new(REPOSITORY_ROOT).join(directory)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.map(|name| format!("{directory}{name}")).collect::<Vec<_>>()
    };
    let all = ["", "docs/", "docs/guide/", "docs/notes/"].into_iter().flat_map(names);
    all.filter(|name| name.ends_with(".md")).collect()
}

/// The links of a page within the repository: path from the repository, and heading if one is named.
fn links(page: &str) -> Vec<(String, Option<String>)> {
    let text = read(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .filter(|target| !target.contains("://"))
        .map(|target| {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match path {
                "" => page.to_owned(),
                path => resolve(Path::new(page).parent().unwrap(), path),
            };
            (path, (!heading.is_empty()).then(|| heading.to_owned()))
        })
        .collect()
}

/// A relative path from a directory, without its `..`.
fn resolve(directory: &Path, path: &str) -> String {
    let mut whole = PathBuf::new();
    for part in directory.join(path).components() {
        match part {
            Component::ParentDir => assert!(whole.pop(), "{path} leads out of the repository"),
            part => whole.push(part),
        }
    }
    whole.to_str().unwrap().to_owned()
}

/// The anchors that readers of Markdown make of the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let anchor = |title: &str| title.to_lowercase().chars().filter(kept).collect::<String>();
    let text = read(page);
    let titles = text.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    titles.map(|title| anchor(title).replace(' ', "-")).collect()
}

#[test]
fn every_picture_is_on_one_page_of_the_book() {
    let pages: Vec<_> = pages().into_iter().filter(|page| page.starts_with("docs/")).collect();
    let shown: Vec<_> = pages.iter().flat_map(|page| links(page)).map(|(path, _)| path).collect();
    for entry in fs::read_dir(Path::new(REPOSITORY_ROOT).join("docs/images")).unwrap() {
        let path = format!("docs/images/{}", entry.unwrap().file_name().display());
        assert_eq!(shown.iter().filter(|shown| **shown == path).count(), 1, "{path}");
    }
}

#[test]
fn every_page_is_reachable_from_the_start_pages() {
    let of = |page: &String| links(page).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    let mut linked = BTreeSet::from(START_PAGES.map(str::to_owned));
    linked.extend(linked.clone().iter().flat_map(of));
    // The chapters of the guide are one step away from it.
    let chapters: Vec<_> = linked.iter().filter(|page| page.starts_with("docs/guide/")).collect();
    let further: Vec<_> = chapters.into_iter().flat_map(of).collect();
    linked.extend(further);
    for page in pages() {
        assert!(linked.contains(&page), "{page} is not linked from {START_PAGES:?} or the guide");
    }
}

#[test]
fn every_page_is_in_the_book_once() {
    let linked: Vec<String> = links(BOOK).into_iter().map(|(path, _)| path).collect();
    let in_book: BTreeSet<&String> = linked.iter().collect();
    assert_eq!(linked.len(), in_book.len(), "a page is in {BOOK} twice");
    let manual = fs::read_dir(Path::new(REPOSITORY_ROOT).join("docs/man")).unwrap();
    let manual = manual.map(|entry| format!("docs/man/{}", entry.unwrap().file_name().display()));
    let docs = pages().into_iter().filter(|page| page.starts_with("docs/") && page != BOOK);
    for page in docs.chain(manual) {
        assert!(in_book.contains(&page), "{page} is not in {BOOK}");
    }
}

#[test]
fn links_lead_to_existing_files_and_headings() {
    for page in pages() {
        for (path, heading) in links(&page) {
            assert!(Path::new(REPOSITORY_ROOT).join(&path).exists(), "{page}: no {path}");
            let found = heading.as_ref().is_none_or(|heading| anchors(&path).contains(heading));
            assert!(found, "{page}: no {heading:?} in {path}");
        }
    }
}

#[test]
fn guide_lists_all_error_actions() {
    let rows: Vec<_> =
        ErrorAction::NAMES.iter().map(|(word, about)| format!("{word:<13}{about}\n")).collect();
    let block = format!("```text\n{}```\n", rows.concat());
    assert!(read("docs/guide/error-actions.md").contains(&block), "the guide should have\n{block}");
}

#[test]
fn man_pages_have_every_option() {
    let mut count = 0;
    for (page, words) in [
        ("charpipe", &["--help"][..]),
        ("charpipe", &["help", "ranges"]),
        ("charpipe-check", &["check", "--help"]),
        ("charpipe-detect", &["detect", "--help"]),
        ("charpipe-fix", &["fix", "--help"]),
        ("charpipe-list", &["list", "--help"]),
        ("charpipe-repair", &["repair", "--help"]),
        ("charpipe-show", &["show", "--help"]),
        ("charpipe-split", &["split", "--help"]),
    ] {
        let man_page = read(&format!("docs/man/{page}.1")).replace("\\-", "-");
        let run = charpipe_test_support::watch::command(env!("CARGO_BIN_EXE_charpipe"))
            .args(words)
            .output()
            .unwrap();
        let help = String::from_utf8(run.stdout).unwrap();
        // Continuation lines of descriptions are indented further.
        let is_option = |line: &&str| line.starts_with("  -") || line.starts_with("      --");
        for line in help.lines().filter(is_option) {
            let definition = line.trim_start().split("  ").next().unwrap();
            for name in definition.split([' ', ',', '[']).filter(|word| word.starts_with('-')) {
                assert!(man_page.contains(&format!("\\fB{name}\\fR")), "{page}.1: no {name}");
                count += 1;
            }
        }
    }
    assert!(count > 60, "only {count} options found");
}
