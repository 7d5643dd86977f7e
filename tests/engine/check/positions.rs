//! Errors and line ends in their positions.

use charpipe::internals::check::{LineEnding, NewlineRule};

use crate::check::driver::{check_file, check_files, finding_rows, line_ends, rules};

#[test]
fn findings_have_offset_line_and_column() {
    let file = b"ab\xFF\ncd\xC3\xA9\xE9 \xE2\x82\n\n\x80\xED\xA0\x80x\xF0\x9F";
    let expected = [
        ("ill-formed", 2, 1, 1, 3, 3),
        ("ill-formed", 8, 1, 2, 4, 5),
        ("ill-formed", 10, 2, 2, 6, 7),
        ("ill-formed", 14, 1, 4, 1, 1),
        ("ill-formed", 15, 1, 4, 2, 2),
        ("ill-formed", 16, 1, 4, 3, 3),
        ("ill-formed", 17, 1, 4, 4, 4),
        ("truncated", 19, 2, 4, 6, 6),
    ];
    assert_eq!(finding_rows(rules("utf-8"), file), expected);
}

#[test]
fn columns_count_characters_and_byte_columns_count_bytes() {
    let text = "é\n€😀\u{10FFFF}";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (encoding, start, error, expected) in [
        ("utf-8", text.as_bytes().to_vec(), &b"\xFF"[..], ("ill-formed", 14, 1, 2, 4, 12)),
        ("utf-16le", utf16, b"\x00\xDC", ("ill-formed", 14, 2, 2, 4, 11)),
        ("ucs-4", b"\0\0\0\n\0\0\x20\xAC".to_vec(), b"\xFF\0\0\0", ("ill-formed", 8, 4, 2, 2, 5)),
        ("utf-7", b"+AOk-\n+IKw-".to_vec(), b"\\", ("ill-formed", 11, 1, 2, 2, 6)),
    ] {
        assert_eq!(
            finding_rows(rules(encoding), &[&start, error].concat()),
            [expected],
            "{encoding}"
        );
    }
}

#[test]
fn line_starting_inside_base64_has_a_byte_column() {
    // LF at 0 to 3, a at 2 or 3 to 5: the second line begins with the byte that has its first
    // bits.
    let found = finding_rows(rules("utf-7"), b"+AAoAYQ-\\");
    assert_eq!(found, [("ill-formed", 8, 1, 2, 2, 6)]);
}

#[test]
fn line_endings_that_break_the_rule_are_reported() {
    let file = b"a\nb\r\nc\rd\r\r\n\xC3\xA9\r";
    for (rule, expected) in [
        (NewlineRule::Any, vec![]),
        (
            NewlineRule::Lf,
            vec![
                ("newline", 3, 2, 2, 2, 2),
                ("newline", 6, 1, 3, 2, 2),
                ("newline", 8, 1, 3, 4, 4),
                ("newline", 9, 2, 3, 5, 5),
                ("newline", 13, 1, 4, 2, 3),
            ],
        ),
        (
            NewlineRule::CrLf,
            vec![
                ("newline", 1, 1, 1, 2, 2),
                ("newline", 6, 1, 3, 2, 2),
                ("newline", 8, 1, 3, 4, 4),
                ("newline", 13, 1, 4, 2, 3),
            ],
        ),
    ] {
        let mut rules = rules("utf-8");
        rules.newline = rule;
        assert_eq!(finding_rows(rules, file), expected, "{rule:?}");
    }
}

#[test]
fn same_rule_compares_with_the_first_line_ending() {
    let mut rules = rules("utf-8");
    rules.newline = NewlineRule::Consistent;
    let files: [&[u8]; 4] = [b"a\r\nb\nc\r\n", b"a\nb\nc\r\n", b"\r\n", b"a\rb"];
    let found = check_files(&rules, &files);
    assert_eq!(line_ends(&found[0]), [(LineEnding::Lf, LineEnding::CrLf)]);
    assert_eq!(line_ends(&found[1]), [(LineEnding::CrLf, LineEnding::Lf)]);
    assert_eq!(found[2..], [vec![], vec![]]);
}

#[test]
fn line_endings_are_found_in_text_and_reported_in_bytes() {
    let mut rules = rules("utf-16be");
    rules.newline = NewlineRule::Lf;
    // U+0A0D is one character, though it has both bytes.
    let file = b"\0a\x0A\x0D\0\r\0\n\0b\0\n\0\r";
    let expected = [("newline", 4, 4, 1, 3, 5), ("newline", 12, 2, 3, 1, 1)];
    assert_eq!(finding_rows(rules, file), expected);
}

#[test]
fn error_after_a_carriage_return_follows_its_finding() {
    let mut rules = rules("utf-8");
    rules.newline = NewlineRule::Lf;
    let expected = [("newline", 1, 1, 1, 2, 2), ("ill-formed", 2, 1, 1, 3, 3)];
    assert_eq!(finding_rows(rules, b"a\r\xFF\n"), expected);
}

#[test]
fn wide_values_are_valid_in_encodings_that_have_them() {
    assert_eq!(check_file(rules("ucs-4"), b"\x7F\xFF\xFF\xFF"), []);
    assert_eq!(check_file(rules("fss-utf"), b"\xFD\xBF\xBF\xBF\xBF\xBF"), []);
    assert_eq!(check_file(rules("utf-8"), b"\xFD\xBF").len(), 2);
}

#[test]
fn positions_restart_in_each_file() {
    let found = check_files(&rules("utf-16"), &[b"\xFE\xFF\0\n\0", b"\n\0\0\xD8", b"\0\0\0"]);
    let found: Vec<Vec<_>> = found
        .iter()
        .map(|file| file.iter().map(crate::check::driver::finding_row).collect())
        .collect();
    assert_eq!(found[0], [("truncated", 4, 1, 2, 1, 1)]);
    assert_eq!(found[1], [("truncated", 2, 2, 2, 1, 1)]);
    assert_eq!(found[2], [("truncated", 2, 1, 1, 2, 3)]);
}

#[test]
fn positions_in_encoded_words_are_those_of_the_file() {
    // The line end between the two words is not text.
    let file = b"Subject: =?utf-8?q?a?=\n =?utf-8?q?b?=\nx\xFF\n\xFFy\xFF";
    let expected = [
        ("ill-formed", 39, 1, 3, 2, 2),
        ("ill-formed", 41, 1, 4, 1, 1),
        ("ill-formed", 43, 1, 4, 3, 3),
    ];
    assert_eq!(finding_rows(rules("rfc2047"), file), expected);
    let long = [&file[..37].repeat(1000), &b"\n\xFF"[..]].concat();
    let offset = 37_001;
    assert_eq!(finding_rows(rules("rfc2047"), &long), [("ill-formed", offset, 1, 1002, 1, 1)]);
}
