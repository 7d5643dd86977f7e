//! Properties of every text.

use crate::rfc2047_encode::reader::{check_lines, read, unfold};
use crate::rfc2047_encode::texts::{ADDRESSES, ANY, FOLDED, LATIN};
use crate::rfc2047_encode::walk::{encode, walk};
use charpipe_test_support::{XorShift, sample_count};

const LABELS: [&str; 10] = [
    "rfc2047",
    "rfc2047:encoding=b",
    "rfc2047:encoding=q",
    "rfc2047:iso-8859-1",
    "rfc2047:iso-8859-1,encoding=b",
    "rfc2047:iso-8859-1,encoding=q",
    "rfc2047:us-ascii",
    "rfc2047:utf-16",
    "rfc2047:utf-16,encoding=q",
    "rfc2047:utf-7",
];

/// Returns the number of texts of each kind for each label. `CHARPIPE_TEST_EXHAUSTIVE=1` tries three times as many.
fn times() -> usize {
    sample_count(300, 3)
}

#[test]
fn what_is_written_reads_as_it_was_and_keeps_to_its_lines() {
    let mut random = XorShift::new(0x2047);
    for round in 0..times() {
        for (label, pieces) in LABELS.iter().flat_map(|label| [(label, ANY), (label, LATIN)]) {
            let name = if round % 3 == 0 { "Subject: " } else { "" };
            let text = name.to_owned() + &random.text(40, pieces);
            let written = encode(label, &text);
            assert!(written.is_ascii(), "{text:?}\n{written}");
            assert_eq!(read(&written), text, "{label}\n{written}");
            check_lines(&text, &written);
        }
    }
}

#[test]
fn folds_stay_or_vanish_but_text_does_not() {
    let mut random = XorShift::new(0x5322);
    for _ in 0..times() {
        for label in LABELS {
            let text = format!("x{}", random.text(40, FOLDED));
            let written = encode(label, &text);
            assert_eq!(read(&written), unfold(&text), "{label} {text:?}\n{written}");
            check_lines(&text, &written);
        }
    }
}

#[test]
fn a_text_that_needs_no_fold_gets_none() {
    let mut random = XorShift::new(0x76);
    for _ in 0..times() {
        let text = random.text(6, &["é", " ", "a", "  ", "ab", "=?", "\t"]);
        let written = encode("rfc2047", &text);
        assert!(!written.contains('\n'), "{text:?}\n{written}");
    }
}

#[test]
fn ascii_stays_byte_for_byte() {
    let pieces = [
        " ",
        "a",
        "\n",
        "\r\n",
        "\n ",
        "\t",
        "From: ",
        "\"",
        "(",
        "<",
        "@",
        ":",
        "Received:",
        "=",
        "?",
        "long-token-long-token-long-token-long-token-long-token-long-token-long-token-long-token",
    ];
    let mut random = XorShift::new(0x7F);
    for label in LABELS {
        for _ in 0..times() {
            let text = random.text(40, &pieces).replace("=?", "= ?");
            assert_eq!(encode(label, &text), text, "{label}");
        }
    }
}

#[test]
fn portions_and_space_make_no_difference() {
    let mut random = XorShift::new(0x8);
    for round in 0..times() {
        let strict = ["rfc2047:latin1,strict", "rfc2047:us-ascii,strict"];
        for label in LABELS.iter().chain(&strict) {
            let pieces = random.one(&[ANY, FOLDED, ADDRESSES]);
            let name = ["", "Subject: ", "From: ", "Received: ", "Bcc:\t", "To: "][round % 6];
            let text = name.to_owned() + &random.text(40, pieces);
            let whole = walk(label, &text, &[], 1 << 16);
            let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let space = 160 + random.below(100);
            assert_eq!(walk(label, &text, &cuts, space), whole, "{label} {text:?}");
            cuts.retain(|_| random.below(8) == 0);
            assert_eq!(walk(label, &text, &cuts, space), whole, "{label} {text:?}");
        }
    }
}

#[test]
fn lines_of_address_fields_stay_short() {
    let mut random = XorShift::new(0x822);
    for _ in 0..times() * 30 {
        let text = format!("Disposition-Notification-To: {}", random.text(40, ADDRESSES));
        let (written, errors) = walk("rfc2047", &text, &[], 1 << 16);
        if errors.is_empty() {
            check_lines(&text, &written);
        }
    }
}
