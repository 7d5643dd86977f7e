//! How long a header field may be, and that nothing depends on where a block ends.

use std::iter;

use crate::rfc2047_decode::driver::text;

/// The length of the longest header field that is decoded.
const MAX_FIELD: usize = 64 * 1024;

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
fn a_word_is_one_in_a_field_that_is_not_too_long() {
    let (input, decoded) = word(MAX_FIELD);
    decodes(&input, &decoded);
    decodes(&format!("{input} x"), &format!("{input} x"));
    let (input, decoded) = word(MAX_FIELD - 1);
    decodes(&format!("{input}\n=?utf-8?q?b?=\n"), &format!("{decoded}\nb\n"));
    decodes(&format!("{input}\n =?utf-8?q?b?=\n"), &format!("{input}\n =?utf-8?q?b?=\n"));
    decodes(&format!("x {input}\n=?utf-8?q?b?="), &format!("x {input}\nb"));
}

#[test]
fn white_space_after_a_word_vanishes_in_a_field_that_is_not_too_long() {
    let (first, second) = ("=?utf-8?q?a?=", "=?utf-8?q?b?=");
    let most = MAX_FIELD - first.len() - second.len();
    let field = |spaces: usize| format!("{first}{}{second}", " ".repeat(spaces));
    decodes(&field(most), "ab");
    decodes(&field(most + 1), &field(most + 1));
}

#[test]
fn a_character_is_put_together_in_a_field_that_is_not_too_long() {
    let cut = |empty: usize| {
        let between = "=?utf-8?q??=".repeat(empty);
        format!("=?utf-8?q?a=E2?={between}=?utf-8?b?gqw?=")
    };
    decodes(&cut(5000), "a€");
    decodes(&cut(6000), &cut(6000));
}

#[test]
fn many_words_in_a_row_are_one_text() {
    let euro = ["=?utf-8?q?=E2?=", "=?utf-8?b?gg==?=", "=?utf-8?q?=AC?="];
    let input = |count| euro.into_iter().cycle().take(count).collect::<Vec<_>>().join("\r\n ");
    decodes(&input(3_000), &"€".repeat(1_000));
    decodes(&input(30_000), &input(30_000));
}

#[test]
fn a_long_line_is_copied() {
    let line: String = iter::repeat_n("word = é =?x ?= =?utf-8?q? ", 20_000).collect();
    decodes(&line, &line);
}
