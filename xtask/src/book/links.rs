//! The links of the book: each leads to a file and, if it names one, to an element of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Pages whose links are not checked: the page for missing files has absolute ones, the others repeat those of all pages.
const OMITTED: [&str; 3] = ["404.html", "print.html", "toc.html"];

/// Returns the links within a directory of HTML that lead nowhere, with their pages.
pub fn broken(directory: &Path) -> Result<Vec<String>> {
    // Without `..`, as the targets of links are.
    let directory = &directory.canonicalize()?;
    let mut files = Vec::new();
    list(directory, &mut files)?;
    let files: BTreeSet<PathBuf> = files.into_iter().collect();
    let mut pages = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|found| found == "html")) {
        let html = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        pages.insert(file.clone(), html);
    }
    let ids: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(file, html)| (file, attributes(html, "id").collect())).collect();
    let mut broken = Vec::new();
    for (file, html) in &pages {
        let name = file.strip_prefix(directory)?.to_string_lossy();
        if OMITTED.contains(&&*name) {
            continue;
        }
        for target in attributes(html, "href").chain(attributes(html, "src")) {
            let is_elsewhere = ["https:", "http:", "mailto:", "data:", "javascript:"];
            if target.is_empty() || is_elsewhere.iter().any(|scheme| target.starts_with(scheme)) {
                continue;
            }
            let (path, id) = target.split_once('#').unwrap_or((target, ""));
            let path = path.split('?').next().unwrap_or_default();
            let whole = match path {
                "" => file.clone(),
                _ => normalized(&file.parent().unwrap_or(directory).join(path)),
            };
            let is_found = match ids.get(&whole) {
                Some(ids) => id.is_empty() || ids.contains(&*decoded(id)),
                None => files.contains(&whole),
            };
            if !is_found {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    Ok(broken)
}

fn list(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The values of an attribute in double quotes.
fn attributes<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    let parts: Vec<&str> = html.split(&start).skip(1).collect();
    parts.into_iter().filter_map(|rest| rest.split('"').next())
}

/// Returns a path without `.` and `..`.
fn normalized(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = whole.pop(),
            std::path::Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}

/// Decodes percent-encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_and_elements_are_found() {
        let directory = std::env::temp_dir().join(format!("charpipe-links-{}", std::process::id()));
        fs::create_dir_all(directory.join("sub")).unwrap();
        let page = r##"<a href="b.html#x">, <a href="b.html#y">, <a href="c.html">, <a href="../a.html#%C3%A9">, <p id="x">"##;
        fs::write(directory.join("sub/b.html"), page).unwrap();
        fs::write(directory.join("a.html"), "<p id=\"é\"><img src=\"https://e.org/x.png\">")
            .unwrap();
        let found = broken(&directory.join("sub/..")).unwrap();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(found, ["sub/b.html: b.html#y", "sub/b.html: c.html"]);
    }
}
