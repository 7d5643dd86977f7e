//! The manual pages, which `cargo xtask generate` writes to `docs/man/`.

#[cfg(test)]
mod render;

/// The pages: the name of the subcommand, the path from the root of the repository, and the text.
macro_rules! pages {
    ($($subcommand:literal: $path:literal,)*) => {
        const PAGES: &[(&str, &str, &[u8])] =
            &[$(($subcommand, $path, include_bytes!(concat!("../../", $path)))),*];
    };
}

pages! {
    "": "docs/man/charpipe.1",
    "check": "docs/man/charpipe-check.1",
    "detect": "docs/man/charpipe-detect.1",
    "fix": "docs/man/charpipe-fix.1",
    "list": "docs/man/charpipe-list.1",
    "repair": "docs/man/charpipe-repair.1",
    "show": "docs/man/charpipe-show.1",
    "split": "docs/man/charpipe-split.1",
    "iconv": "docs/man/charpipe-iconv.1",
    "help": "docs/man/charpipe-help.1",
    "install-links": "docs/man/charpipe-install-links.1",
}

/// Returns the manual page of a subcommand, or of charpipe, in roff.
pub fn page(subcommand: Option<&str>) -> &'static [u8] {
    let name = subcommand.unwrap_or_default();
    PAGES.iter().find(|page| page.0 == name).map_or(b"", |page| page.2)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Writes the pages instead, for `cargo xtask generate`.
    #[test]
    fn pages_are_up_to_date() {
        for (name, path, text) in PAGES {
            let rendered = render::render(Some(*name).filter(|name| !name.is_empty())).unwrap();
            if std::env::var_os("CHARPIPE_BLESS").is_some() {
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
                std::fs::write(file, rendered).unwrap();
            } else {
                assert!(rendered == *text, "{path} is out of date: run cargo xtask generate");
            }
        }
    }
}
