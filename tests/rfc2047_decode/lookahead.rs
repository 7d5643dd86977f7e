//! How far the decoder looks ahead, and that nothing depends on where a block ends.

use std::iter;

use crate::driver::text;

/// How far the decoder looks, in bytes.
const REACH: usize = 64 * 1024;

/// Each input decodes so in blocks of several sizes.
fn decodes(input: &str, expected: &str) {
    for block in [1 << 20, 64 * 1024, 64 * 1024 - 1, 5000, 97] {
        let output = text("rfc2047", input.as_bytes(), block);
        let same = output == expected;
        let (front, length) = (input.chars().take(40).collect::<String>(), input.len());
        assert!(same, "{front}… of {length} bytes in blocks of {block}: {} bytes", output.len());
    }
}

fn word(length: usize) -> (String, String) {
    let text = "a".repeat(length - "=?utf-8?q??=".len());
    (format!("=?utf-8?q?{text}?="), text)
}

#[test]
fn a_word_is_one_if_it_ends_within_reach() {
    let (input, decoded) = word(REACH);
    decodes(&input, &decoded);
    decodes(&format!("{input} x"), &format!("{decoded} x"));
    let (input, _) = word(REACH + 1);
    decodes(&input, &input);
    decodes(&format!("x {input} =?utf-8?q?b?="), &format!("x {input} b"));
}

#[test]
fn white_space_after_a_word_vanishes_if_the_next_word_ends_within_reach() {
    // Both are counted from the end of the first word's text.
    let (first, second) = ("=?utf-8?q?a?=", "=?utf-8?q?b?=");
    let most = REACH - "?=".len() - second.len();
    for (spaces, kept) in [(most, 0), (most + 1, most + 1)] {
        let gap = " ".repeat(spaces);
        decodes(&format!("{first}{gap}{second} c"), &format!("a{}b c", " ".repeat(kept)));
    }
}

#[test]
fn a_character_is_put_together_within_reach() {
    let cut = |empty: usize| {
        let between = "=?utf-8?q??=".repeat(empty);
        format!("=?utf-8?q?a=E2?={between}=?utf-8?b?gqw?=")
    };
    decodes(&cut(5000), "a€");
    decodes(&cut(6000), "a\u{FFFD}\u{FFFD}\u{FFFD}");
}

#[test]
fn many_words_in_a_row_are_one_text() {
    let euro = ["=?utf-8?q?=E2?=", "=?utf-8?b?gg==?=", "=?utf-8?q?=AC?="];
    let input: Vec<_> = euro.into_iter().cycle().take(30_000).collect();
    decodes(&input.join("\r\n "), &"€".repeat(10_000));
}

#[test]
fn a_long_line_is_copied() {
    let line: String = iter::repeat_n("word = é =?x ?= =?utf-8?q? ", 20_000).collect();
    decodes(&line, &line);
}
