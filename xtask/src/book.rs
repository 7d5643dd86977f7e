//! The documentation as a book: `docs/SUMMARY.md` and the pages that it links to.
//!
//! The pages are those that the tests run. Before mdBook reads them, they are copied to `target/book/pages`, where links
//! to files that are not in the book lead to the repository, pictures are part of their page, long tables are
//! folded, and manual pages are HTML. After that, all links of the book are checked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{pictures, root};

mod links;
mod man_page;

/// The table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The page to try charpipe in a browser, if it has been built.
const TRY_PAGE: &str = "target/site/try.html";

/// The page about it, whose links lead to it in the book.
const TRY_PAGE_README: &str = "site/README.md";

/// Tables with more rows are folded.
const MAX_ROWS: usize = 40;

/// Builds the book in `target/book/html`.
///
/// # Errors
///
/// If a program is missing or fails, or a link of the book leads nowhere.
pub fn build() -> Result<()> {
    let target = root().join("target/book");
    let (pages, html) = (target.join("pages"), target.join("html"));
    for directory in [&pages, &html] {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
    }
    stage(&pages)?;
    for name in ["book.toml", "book.css"] {
        fs::copy(root().join("docs").join(name), target.join(name))?;
    }
    let mdbook = std::env::var_os("MDBOOK").unwrap_or_else(|| "mdbook".into());
    let mut command = Command::new(mdbook);
    command.arg("build").arg(&target).arg("--dest-dir").arg(&html);
    let status = command.status().with_context(|| format!("{command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    let try_page = root().join(TRY_PAGE);
    if try_page.exists() {
        fs::copy(try_page, html.join("try.html"))?;
    }
    let broken = links::broken(&html)?;
    ensure!(broken.is_empty(), "{} links lead nowhere:\n{}", broken.len(), broken.join("\n"));
    println!("{}", html.join("index.html").display());
    Ok(())
}

/// Writes the pages as mdBook reads them.
fn stage(directory: &Path) -> Result<()> {
    let summary = read(SUMMARY)?;
    let mut book: BTreeMap<String, String> = links_of(&summary)
        .map(|target| resolve("docs", target).map(|path| (path.clone(), staged_path(&path))))
        .collect::<Result<_>>()?;
    book.insert(SUMMARY.to_owned(), "SUMMARY.md".to_owned());
    let mut targets = book.clone();
    if root().join(TRY_PAGE).exists() {
        targets.insert(TRY_PAGE_README.to_owned(), "try.html".to_owned());
    }
    for (path, staged) in &book {
        let page = if path.ends_with(".1") {
            man_page::render(path)?
        } else {
            let page = fold_tables(&inline_pictures(path, &read(path)?)?);
            with_links_of_book(path, staged, &page, &targets)?
        };
        let file = directory.join(staged);
        fs::create_dir_all(file.parent().context("no directory")?)?;
        fs::write(file, page)?;
    }
    Ok(())
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}

/// Returns the path in the book of a file of the repository.
fn staged_path(path: &str) -> String {
    let path = path.strip_prefix("docs/").unwrap_or(path);
    match path.strip_suffix("/README.md").or(path.strip_suffix(".1")) {
        Some(path) => format!("{path}.md"),
        None => path.to_lowercase(),
    }
}

/// The relative targets of the links of a page.
fn links_of(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

/// Returns the path from the repository of a path that is relative to a directory.
fn resolve(directory: &str, path: &str) -> Result<String> {
    let mut whole = PathBuf::new();
    for part in Path::new(directory).join(path).components() {
        match part {
            Component::ParentDir => ensure!(whole.pop(), "{path} leads out of the repository"),
            part => whole.push(part),
        }
    }
    Ok(whole.to_string_lossy().into_owned())
}

/// Replaces the links to files of the repository by links to pages of the book or to the repository.
fn with_links_of_book(
    path: &str,
    staged: &str,
    page: &str,
    book: &BTreeMap<String, String>,
) -> Result<String> {
    let directory =
        Path::new(path).parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let to_top = "../".repeat(staged.matches('/').count());
    let mut parts = page.split("](");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(')').context("a link has no end")?;
        let (file, heading) =
            target.split_once('#').map_or((target, ""), |(file, name)| (file, name));
        let heading = if heading.is_empty() { String::new() } else { format!("#{heading}") };
        let new = if target.contains("://") || file.is_empty() {
            target.to_owned()
        } else {
            let file = resolve(&directory, file)?;
            match book.get(&file) {
                Some(page) => format!("{to_top}{page}{heading}"),
                None => format!("{}/blob/main/{file}{heading}", repository()?),
            }
        };
        result += &format!("]({new}){rest}");
    }
    Ok(result)
}

/// The address of the repository, of the manifest.
fn repository() -> Result<String> {
    let manifest = read("Cargo.toml")?;
    let (_, rest) = manifest.split_once("\nrepository = \"").context("no repository")?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}

/// Replaces pictures of the repository by their contents, which follow the colors of the page.
fn inline_pictures(path: &str, page: &str) -> Result<String> {
    let directory =
        Path::new(path).parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let mut lines = Vec::new();
    for line in page.lines() {
        let target = line.strip_prefix("![").and_then(|rest| rest.split_once("]("));
        match target.and_then(|(_, rest)| rest.strip_suffix(".svg)")) {
            Some(name) => {
                let svg = read(&format!("{}.svg", resolve(&directory, name)?))?;
                lines.push(format!("<figure>{}</figure>", pictures::inline(&svg)));
            }
            None => lines.push(line.to_owned()),
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Folds tables with many rows, unless they are folded already.
fn fold_tables(page: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let mut result = String::new();
    let (mut index, mut is_folded, mut is_code) = (0, false, false);
    while index < lines.len() {
        let line = lines[index];
        match line {
            "<details>" => is_folded = true,
            "</details>" => is_folded = false,
            _ if line.starts_with("```") => is_code = !is_code,
            _ => {}
        }
        let len = lines[index..].iter().take_while(|line| line.starts_with('|')).count();
        if len > MAX_ROWS + 2 && !is_folded && !is_code {
            result += &format!("<details>\n<summary>Table of {} rows</summary>\n\n", len - 2);
            result += &lines[index..index + len].join("\n");
            result += "\n\n</details>\n";
            index += len;
        } else {
            result += line;
            result.push('\n');
            index += 1;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_book_or_the_repository() {
        let book = BTreeMap::from([
            ("docs/a.md".to_owned(), "a.md".to_owned()),
            ("SECURITY.md".to_owned(), "security.md".to_owned()),
        ]);
        let page = "[a](../a.md#top) [b](../../SECURITY.md) [c](../../src/lib.rs) [d](#here) [e](https://e.org)";
        let linked = with_links_of_book("docs/guide/x.md", "guide/x.md", page, &book).unwrap();
        let repository = repository().unwrap();
        assert_eq!(
            linked,
            format!(
                "[a](../a.md#top) [b](../security.md) [c]({repository}/blob/main/src/lib.rs) [d](#here) [e](https://e.org)"
            )
        );
    }

    #[test]
    fn long_tables_are_folded_once() {
        let table = format!("| a |\n|---|\n{}", "| 1 |\n".repeat(MAX_ROWS + 1));
        let folded = fold_tables(&format!("Text.\n\n{table}\nText.\n"));
        assert!(folded.contains("<summary>Table of 41 rows</summary>"), "{folded}");
        assert_eq!(fold_tables(&folded), folded);
        let short = "| a |\n|---|\n| 1 |\n";
        assert_eq!(fold_tables(short), short);
    }

    #[test]
    fn path_in_the_book() {
        assert_eq!(staged_path("docs/guide/x.md"), "guide/x.md");
        assert_eq!(staged_path("docs/man/charpipe.1"), "man/charpipe.md");
        assert_eq!(staged_path("crates/check/README.md"), "crates/check.md");
        assert_eq!(staged_path("SECURITY.md"), "security.md");
    }
}
