//! `--list`: every charset and every name.

use charpipe::charset;

/// One charset a line: its own name, then the others, between blanks.
pub fn charsets() -> Vec<u8> {
    let mut text = String::new();
    for charset in charset::ALL {
        text.push_str(&charset.names().collect::<Vec<_>>().join(" "));
        text.push('\n');
    }
    text.into_bytes()
}
