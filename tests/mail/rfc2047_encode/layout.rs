//! Lines: their length, where they are folded and where they are not.

use crate::rfc2047_encode::reader::{check_lines, read, unfold};
use crate::rfc2047_encode::walk::{encode, encode_every_way, walk};

#[test]
fn a_line_with_an_encoded_word_counts_all_its_columns() {
    // 58 characters and a blank, and a word of 16: 75.
    let plain = "Subject: ".to_owned() + &"x".repeat(49);
    assert_eq!(encode("rfc2047", &format!("{plain} \u{E9}")), format!("{plain} =?UTF-8?B?w6k=?="));
    for (more, fold) in [("x", ""), ("xx", "\n"), ("xxxx", "\n")] {
        let text = format!("{plain}{more} \u{E9}");
        let expected = format!("{plain}{more}{fold} =?UTF-8?B?w6k=?=");
        assert_eq!(encode_every_way("rfc2047", &text).0, expected);
    }
}

#[test]
fn plain_text_after_a_word_is_folded_only_where_it_must_be() {
    let word = "=?UTF-8?B?w6k=?=";
    // 16 characters, a blank and 59: 76.
    let fits = format!("\u{E9} {}", "x".repeat(59));
    assert_eq!(encode_every_way("rfc2047", &fits).0, format!("{word} {}", "x".repeat(59)));
    let long = format!("\u{E9} {} y", "x".repeat(60));
    assert_eq!(encode_every_way("rfc2047", &long).0, format!("{word}\n {} y", "x".repeat(60)));
    // A line without a word may be of any length.
    let free = format!("\u{E9} {} {}", "x".repeat(60), "y".repeat(60));
    let expected = format!("{word}\n {} {}", "x".repeat(60), "y".repeat(60));
    assert_eq!(encode_every_way("rfc2047", &free).0, expected);
}

#[test]
fn a_fold_goes_before_all_of_the_white_space_that_was_there() {
    let plain = "x".repeat(70);
    let text = format!("{plain} \t  \u{E9}");
    assert_eq!(encode("rfc2047", &text), format!("{plain}\n \t  =?UTF-8?B?w6k=?="));
    let text = format!("\u{E9}   {plain}");
    assert_eq!(encode("rfc2047", &text), format!("=?UTF-8?B?w6k=?=\n   {plain}"));
}

#[test]
fn white_space_too_wide_for_a_line_goes_into_the_word_but_for_its_first() {
    let wide = " ".repeat(62);
    let text = format!("a{wide}\u{E9}");
    let (written, _) = encode_every_way("rfc2047", &text);
    assert!(written.starts_with("a\n =?UTF-8?Q?____"), "{written}");
    assert_eq!(read(&written), text);
    check_lines(&text, &written);
}

#[test]
fn white_space_at_the_end_of_a_record_goes_into_a_word_if_it_does_not_fit() {
    assert_eq!(encode("rfc2047", "\u{E9}   \n"), "=?UTF-8?B?w6k=?=   \n");
    let text = format!("\u{E9}{}", " ".repeat(61));
    let (written, _) = encode_every_way("rfc2047", &text);
    let expected = format!("=?UTF-8?B?w6k=?=\n =?UTF-8?Q?{}?=", "_".repeat(61));
    assert_eq!(written, expected);
}

#[test]
fn a_run_is_folded_between_its_words_by_a_line_end_and_a_space() {
    let text = format!("Subject: {}", "\u{E9}".repeat(40));
    let (written, _) = encode_every_way("rfc2047", &text);
    // 76 less 9 less 12: 55 characters, of which base64 fills 52 with 39 bytes, 19 characters.
    let first = format!("Subject: =?UTF-8?B?{}w6k=?=", "w6nDqcOp".repeat(6));
    // 21 are left: 42 bytes, 56 digits.
    let second = format!(" =?UTF-8?B?{}?=", "w6nDqcOp".repeat(7));
    assert_eq!(written, format!("{first}\n{second}"));
}

#[test]
fn line_ends_follow_the_input() {
    let run = "\u{E9}".repeat(40);
    for (text, folds) in [
        (format!("{run}\r\n"), 1),
        (format!("a\r\n{run}"), 1),
        (format!("a\r\n\n{run}\r\n"), 0),
        (format!("a\n{run}\r\n"), 0),
        (run.clone(), 0),
    ] {
        let (written, _) = encode_every_way("rfc2047", &text);
        assert_eq!(written.matches("\r\n =?").count(), folds, "{text:?} {written:?}");
        assert_eq!(written.matches("\n =?").count(), 1, "{text:?} {written:?}");
        assert_eq!(written.ends_with('\n'), text.ends_with('\n'));
    }
}

#[test]
fn a_line_end_that_is_cut_in_two_is_followed_as_well() {
    let run = "\u{E9}".repeat(40);
    for field in ["Received", "Subject", "To", "Comments"] {
        for line in ["x", "x y\r\n z", "\"x\" (y)"] {
            let text = format!("{field}: {line}\r\n{run}");
            let (written, _) = encode_every_way("rfc2047", &text);
            assert_eq!(written.matches("\r\n =?").count(), 1, "{text:?} {written:?}");
        }
    }
}

#[test]
fn the_first_encoded_word_follows_the_field_name() {
    for name in ["Subject", "X-A-Name-Of-Thirty-Characters-", "S"] {
        let text = format!("{name}: {}", "\u{4E2D}".repeat(60));
        let written = encode("rfc2047", &text);
        assert!(written.starts_with(&format!("{name}: =?UTF-8?B?5Lit")), "{written}");
    }
    // Longer than any name that is looked for, and no space beside it.
    let long = format!("{}: {}", "N".repeat(70), "\u{4E2D}");
    assert_eq!(encode("rfc2047", &long), format!("{}:\n =?UTF-8?B?5Lit?=", "N".repeat(70)));
}

#[test]
fn a_name_is_none_of_the_text_even_without_a_blank_after_it() {
    assert_eq!(encode("rfc2047", "Subject:\u{E9}"), "Subject:=?UTF-8?B?w6k=?=");
}

#[test]
fn each_limit_is_counted_from_a_fixed_position() {
    for text in [
        "x".repeat(5000) + "\u{E9}y \u{E9}",
        "x".repeat(4095) + "\u{E9} y",
        "x".repeat(4096) + "\u{E9} y",
        format!("a{}\u{E9}", " ".repeat(3000)),
        format!("\u{E9}{}b", " ".repeat(3000)),
        format!("\u{E9}{}\u{E9}", "\t".repeat(3000)),
        format!("\u{E9}{}b", "\n ".repeat(2000)),
        format!("b{}\u{E9}", "\r\n ".repeat(2000)),
        format!("\u{E9} {}\u{E9}", "x".repeat(5000)),
        format!("\u{E9} {} \u{E9}", "x".repeat(5000)),
        format!("From: \"{}\u{E9}\" <a@b>", "x".repeat(5000)),
        format!("From: \u{E9}\"{}\" <a@b>", "x ".repeat(5000)),
        format!("From: {}\u{E9}@b", "x".repeat(5000)),
        format!("{}\u{4E2D}", "\u{E9}".repeat(6000)),
    ] {
        for label in ["rfc2047", "rfc2047:latin1"] {
            let whole = walk(label, &text, &[], 1 << 18);
            for cut in [1, 7, 1000, 1024, 1025, 4090, 4096, 4097, 4100, 8191, 8192, 8193] {
                let cuts: Vec<usize> = (1..)
                    .map(|count| count * cut)
                    .take_while(|at| *at < text.len())
                    .filter(|at| {
                        text.is_char_boundary(*at) && (cut > 500 || *at > text.len() - 200)
                    })
                    .collect();
                assert_eq!(walk(label, &text, &cuts, 1000), whole, "{label} {cut}");
            }
        }
    }
}

#[test]
fn what_is_beyond_a_limit_still_reads_as_it_was() {
    for text in [
        format!("a{}\u{E9}", " ".repeat(3000)),
        format!("\u{E9}{}b", " ".repeat(3000)),
        format!("\u{E9}{}\u{E9}", "\t".repeat(3000)),
        format!("\u{E9}{}b", "\n ".repeat(2000)),
        format!("\u{E9} {} \u{E9}", "x".repeat(5000)),
        format!("\u{E9}{}", " ".repeat(3000)),
    ] {
        let written = encode("rfc2047", &text);
        assert_eq!(read(&written), unfold(&text), "{written}");
        check_lines(&text, &written);
    }
    // The word is glued to the token.
    let text = "x".repeat(5000) + "\u{E9}y";
    assert_eq!(encode("rfc2047", &text), "x".repeat(5000) + "=?UTF-8?B?w6l5?=");
}
