//! The tables of `docs/notes/utf-7-sizes.md`.

use std::fmt::Write;

pub mod estimate;
pub mod measure;
#[path = "../text/mod.rs"]
pub mod text;

use estimate::{ESTIMATES, closed_run};
use measure::{FORMS, base64, quoted_printable};

/// RFC 1642's figures beside those of their formulas.
pub fn estimated() -> String {
    let mut table = String::from(
        "| Encoding | Text | Assumed | Bytes per character | Computed | RFC 1642 |\n\
         |---|---|---|---|---:|---:|\n",
    );
    for row in &ESTIMATES {
        let (form, text, assumed, formula) = (row.form, row.text, row.assumed, row.formula);
        let (value, printed) = (row.computed, row.printed);
        let line = format!("| {form} | {text} | {assumed} | {formula} | {value:.3} | {printed} |");
        writeln!(table, "{}", line.replace("|  |", "| |")).expect("a string takes all");
    }
    table
}

/// A closed run of n characters: the RFC's estimate beside the exact cost.
pub fn runs() -> String {
    let mut table = String::from(
        "| n | Bytes | Bytes per character | 8/3 + 2/n |\n\
         |---:|---:|---:|---:|\n",
    );
    for units in [1, 2, 3, 4, 5, 6, 8, 16, 64] {
        let (bytes, n) = (closed_run(units), units as f64);
        let (exact, estimate) = (bytes as f64 / n, 8.0 / 3.0 + 2.0 / n);
        writeln!(table, "| {units} | {bytes} | {exact:.3} | {estimate:.3} |")
            .expect("a string takes all");
    }
    table
}

/// The sizes of the texts.
///
/// # Panics
///
/// If charpipe's UTF-7 has another length than counting gives.
pub fn measured() -> String {
    let mut table = String::from(
        "| Text | Characters | Non-ASCII % | Characters a run | UTF-16 Base64 | UTF-8 Base64 \
         | UTF-8 Q-P | UTF-7 | `close=always` | `optional=direct` |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (name, text) in text::TEXTS {
        writeln!(table, "{}", measured_row(name, text)).expect("a string takes all");
    }
    table
}

fn measured_row(name: &str, text: &str) -> String {
    let characters = text.chars().count();
    let foreign = text.chars().filter(|c| !c.is_ascii()).count();
    let share = 100.0 * foreign as f64 / characters as f64;
    let in_runs = text.chars().filter(|&c| !FORMS[0].direct(c)).count();
    let length = match FORMS[0].count(text).1 {
        0 => "-".to_owned(),
        runs => format!("{:.1}", in_runs as f64 / runs as f64),
    };
    let cost = |bytes: usize| format!("{:.3}", bytes as f64 / characters as f64);
    let utf7 = FORMS.map(|form| {
        let bytes = form.encoded(text);
        assert_eq!(bytes, form.count(text).0, "{name} in {}", form.name);
        cost(bytes)
    });
    let wide = cost(base64(2 * text.encode_utf16().count()));
    let (narrow, quoted) = (cost(base64(text.len())), cost(quoted_printable(text)));
    format!(
        "| {name} | {characters} | {share:.1} | {length} | {wide} | {narrow} | {quoted} | {} |",
        utf7.join(" | ")
    )
}
