//! The pictures of the documentation: SVG that reads on light and dark backgrounds, drawn from the tables of its pages.
//!
//! Text and lines have the color of the surrounding text (`currentColor`). As an image of its own, a picture selects that
//! color by `prefers-color-scheme`; in the book it is part of the page and follows the theme.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};

use crate::{GeneratedFile, root};

mod chain;
mod detection;
pub mod recording;
mod speed;

/// The directory of the pictures.
pub const DIRECTORY: &str = "docs/images";

/// The rule that selects the color of text and lines. It is on a line of its own, which the book omits.
const COLOR_RULE: &str = "<style>.picture{color:#1f2328}\
    @media(prefers-color-scheme:dark){.picture{color:#e6edf3}}</style>\n";

/// Colors that have enough contrast on white and on black.
const BLUE: &str = "#3b82c4";
const ORANGE: &str = "#d9822b";
const GREEN: &str = "#3a9a5b";
const RED: &str = "#d64550";

/// Returns the pictures that are drawn from pages.
///
/// # Errors
///
/// If a page cannot be read, or does not have the expected tables.
pub fn all() -> Result<Vec<GeneratedFile>> {
    let speed = read("docs/notes/speed-tables.md")?;
    let detection = read("docs/detection.md")?;
    Ok(vec![
        file("chain.svg", chain::draw()),
        file("speed.svg", speed::draw(&speed)?),
        file("detection.svg", detection::draw_matrix(&detection)?),
        file("reliability.svg", detection::draw_reliability(&detection)?),
    ])
}

fn read(page: &str) -> Result<String> {
    fs::read_to_string(root().join(page)).with_context(|| page.to_owned())
}

fn file(name: &str, svg: String) -> GeneratedFile {
    GeneratedFile { path: format!("{DIRECTORY}/{name}"), contents: svg.into_bytes() }
}

/// Returns a picture as part of an HTML page: without the color rule and line feeds.
pub fn inline(svg: &str) -> String {
    svg.replace(COLOR_RULE, "").replace('\n', "")
}

/// A picture under construction.
struct Svg(String);

impl Svg {
    /// Begins a picture. `description` is what a screen reader says.
    fn new(width: u32, height: u32, title: &str, description: &str) -> Svg {
        Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             role=\"img\" font-family=\"system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif\" font-size=\"12\" \
             fill=\"currentColor\">\n<title>{}</title>\n<desc>{}</desc>\n{COLOR_RULE}",
            escape(title),
            escape(description)
        ))
    }

    /// Appends an element.
    fn push(&mut self, element: &str) {
        self.0.push_str(element);
        self.0.push('\n');
    }

    /// Appends text. `attributes` may select the anchor and the font.
    fn text(&mut self, x: f64, y: f64, attributes: &str, text: &str) {
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>",
            escape(text)
        );
    }

    fn rect(&mut self, [x, y, width, height]: [f64; 4], attributes: &str) {
        let _ = writeln!(
            self.0,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {attributes}/>"
        );
    }

    fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], attributes: &str) {
        let _ = writeln!(
            self.0,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"currentColor\" {attributes}/>"
        );
    }

    fn end(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The cells of the first table after `start`: its head, then its rows.
fn table<'a>(page: &'a str, start: &str) -> Result<Vec<Vec<&'a str>>> {
    let (_, rest) = page.split_once(start).with_context(|| format!("no {start:?}"))?;
    let lines = rest.lines().skip_while(|line| !line.starts_with('|'));
    let lines = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &'a str| line.trim_matches('|').split('|').map(str::trim).collect();
    let rows: Vec<Vec<&str>> = lines.filter(|line| !line.starts_with("|---")).map(cells).collect();
    anyhow::ensure!(rows.len() > 1, "no table after {start:?}");
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_head_and_rows() {
        let page = "## A\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n\n| x |\n";
        assert_eq!(table(page, "## A\n").unwrap(), [vec!["a", "b"], vec!["1", "2"]]);
        assert!(table(page, "## B\n").is_err());
    }

    #[test]
    fn inline_picture_has_no_color_rule_and_one_line() {
        let svg = Svg::new(1, 1, "a < b", "").end();
        assert!(svg.contains("prefers-color-scheme") && svg.contains("a &lt; b"));
        let inline = inline(&svg);
        assert!(!inline.contains("prefers-color-scheme") && !inline.contains('\n'));
    }
}
