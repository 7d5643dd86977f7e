//! `docs/notes/utf-7-sizes.md` says what its program prints.

#[path = "../../benches/sizes/mod.rs"]
mod sizes;

const DOCUMENT: &str = include_str!("../../docs/notes/utf-7-sizes.md");

fn assert_in_document(table: &str) {
    assert!(
        DOCUMENT.contains(table),
        "run `cargo bench -p xtask --bench utf7_sizes`; it prints\n{table}"
    );
}

#[test]
fn estimates_match_their_formulas() {
    assert_in_document(&sizes::estimated());
}

#[test]
fn run_lengths_match_the_formula() {
    assert_in_document(&sizes::runs());
}

#[test]
fn measurements_are_up_to_date() {
    assert_in_document(&sizes::measured());
}

#[test]
fn computed_figures_round_to_the_printed_ones() {
    for row in &sizes::estimate::ESTIMATES {
        let Ok(printed) = row.printed.parse::<f64>() else { continue };
        let off = (row.computed - printed).abs();
        assert!(off <= 0.005 + 1e-9, "{} {}: {}", row.form, row.text, row.computed);
    }
}

/// RFC 1642's own examples, and RFC 2152's.
#[test]
fn computed_lengths_match_the_rfc_examples() {
    const NEEDED: usize = 0;
    const ALWAYS: usize = 1;
    const SET_O: usize = 2;
    let examples = [
        ("A\u{2262}\u{391}.", NEEDED, "A+ImIDkQ."),
        ("Hi Mom -\u{263A}-!", SET_O, "Hi Mom -+Jjo--!"),
        ("\u{65E5}\u{672C}\u{8A9E}", NEEDED, "+ZeVnLIqe-"),
        ("Item 3 is \u{A3}1.", NEEDED, "Item 3 is +AKM-1."),
        ("(\u{8AD6}\u{8A9E}).", ALWAYS, "(+itaKng-)."),
        ("U+9F08", NEEDED, "U+-9F08"),
    ];
    for (text, form, encoded) in examples {
        assert_eq!(sizes::measure::FORMS[form].count(text).0, encoded.len(), "{encoded}");
    }
}
