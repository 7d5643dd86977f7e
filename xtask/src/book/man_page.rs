//! Manual pages as pages of the book.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::root;

/// Returns a manual page as Markdown that contains the HTML of mandoc.
pub fn render(path: &str) -> Result<String> {
    let name = Path::new(path).file_stem().context("no name")?.to_string_lossy().into_owned();
    let mut command = Command::new("mandoc");
    command.args(["-T", "html", "-O", "fragment"]).arg(root().join(path));
    let output = command.output().with_context(|| format!("{command:?}"))?;
    // 1 and 2 are remarks on style and warnings.
    let is_rendered = output.status.code().is_some_and(|code| code <= 2);
    ensure!(is_rendered, "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    // The title of the page is above the headings.
    let html = String::from_utf8(output.stdout)?;
    let html = html.replace("<h2", "<h3").replace("</h2>", "</h3>");
    let html = html.replace("<h1", "<h2").replace("</h1>", "</h2>");
    Ok(format!("# {name}(1)\n\n<div class=\"man\">\n{}\n</div>\n", one_block(&html)))
}

/// Makes HTML one block of Markdown, which ends at an empty line: empty lines of preformatted text are kept as references, the
/// others are omitted.
fn one_block(html: &str) -> String {
    let mut result = String::new();
    for (index, part) in html.split("<pre").enumerate() {
        let (preformatted, rest) = match part.split_once("</pre>") {
            Some((inside, rest)) if index > 0 => (inside, rest),
            _ => ("", part),
        };
        if index > 0 {
            result += &format!("<pre{}</pre>", preformatted.replace('\n', "&#10;"));
        }
        let lines = rest.lines().filter(|line| !line.trim().is_empty());
        result += &lines.collect::<Vec<_>>().join("\n");
        result.push('\n');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_has_no_empty_lines() {
        assert_eq!(
            one_block("<p>a</p>\n\n<pre>1\n\n2</pre>\n\n<p>b</p>\n"),
            "<p>a</p>\n<pre>1&#10;&#10;2</pre><p>b</p>\n"
        );
    }
}
