//! RFC 1642's estimates (section "Discussion"), computed from what it assumes.

/// One printed figure.
pub struct Estimate {
    /// The encoding, as the RFC names it.
    pub form: &'static str,
    /// The kind of text, as the RFC names it.
    pub text: &'static str,
    /// The parameters of the formula: p, the share of non-ASCII characters, and k, the bytes
    /// of such a character in UTF-8.
    pub assumed: &'static str,
    /// Bytes per character as a formula.
    pub formula: &'static str,
    /// Its value.
    pub computed: f64,
    /// The figure in the RFC.
    pub printed: &'static str,
}

const LATIN_B64: &str = "8859-x in Base64";
const LATIN_QP: &str = "8859-x in Quoted-Printable";
const UTF16_B64: &str = "Unicode in Base64";
const UTF8_B64: &str = "UTF-8 in Base64";
const UTF8_QP: &str = "UTF-8 in Quoted-Printable";
const UTF7: &str = "UTF-7";

const WESTERN: &str = "Western European";
const SOME: &str = "Some Alphabetics";
const OTHERS: &str = "All others";

/// All figures of the RFC, in its order.
pub static ESTIMATES: [Estimate; 17] = [
    row(LATIN_B64, "All", "", "4/3", 4.0 / 3.0, "1.33"),
    row(LATIN_QP, "US-ASCII", "p = 0", "1 - p + 3p", quoted(0.0, 1.0), "1"),
    row(LATIN_QP, WESTERN, "p = 1/8", "1 - p + 3p", quoted(0.125, 1.0), "1.25"),
    row(LATIN_QP, "Other", "p = 5/6", "1 - p + 3p", quoted(5.0 / 6.0, 1.0), "2.67"),
    row(UTF16_B64, "All", "", "2 × 4/3", 8.0 / 3.0, "2.67"),
    row(UTF8_B64, "US-ASCII", "p = 0", "4/3 (1 - p + kp)", base64(0.0, 2.0), "1.33"),
    row(UTF8_B64, WESTERN, "p = 1/8, k = 2", "4/3 (1 - p + kp)", base64(0.125, 2.0), "1.5"),
    row(UTF8_B64, SOME, "p = 5/6, k = 2", "4/3 (1 - p + kp)", base64(5.0 / 6.0, 2.0), "2.44"),
    row(UTF8_B64, OTHERS, "p = 1, k = 3", "4/3 (1 - p + kp)", base64(1.0, 3.0), "4"),
    row(UTF8_QP, "US-ASCII", "p = 0", "1 - p + 3kp", quoted(0.0, 2.0), "1"),
    row(UTF8_QP, WESTERN, "p = 1/8, k = 2", "1 - p + 3kp", quoted(0.125, 2.0), "1.63"),
    row(UTF8_QP, SOME, "p = 5/6, k = 2", "1 - p + 3kp", quoted(5.0 / 6.0, 2.0), "5.17"),
    row(UTF8_QP, OTHERS, "p = 5/6, k = 3", "1 - p + 3kp", quoted(5.0 / 6.0, 3.0), "7-9"),
    row(UTF8_QP, OTHERS, "p = 1, k = 3", "1 - p + 3kp", quoted(1.0, 3.0), "7-9"),
    row(UTF7, "Most US-ASCII", "p = 0", "1 - p + 5p", alone(0.0), "1"),
    row(UTF7, WESTERN, "p = 1/8", "1 - p + 5p", alone(0.125), "1.5"),
    row(UTF7, OTHERS, "p = 1", "8/3 + 2/n, n large", 8.0 / 3.0, "2.67+2/n"),
];

const fn row(
    form: &'static str,
    text: &'static str,
    assumed: &'static str,
    formula: &'static str,
    computed: f64,
    printed: &'static str,
) -> Estimate {
    Estimate { form, text, assumed, formula, computed, printed }
}

/// Three bytes for each non-ASCII byte.
const fn quoted(share: f64, bytes: f64) -> f64 {
    1.0 - share + 3.0 * bytes * share
}

/// Four bytes for three.
const fn base64(share: f64, bytes: f64) -> f64 {
    4.0 / 3.0 * (1.0 - share + bytes * share)
}

/// UTF-7 where each non-ASCII character is in a run of its own: `+`, three of Base64, `-`.
const fn alone(share: f64) -> f64 {
    1.0 - share + closed_run(1) as f64 * share
}

/// Bytes of a closed UTF-7 run of the given number of 16-bit units: `+`, Base64 without padding, `-`.
pub const fn closed_run(units: usize) -> usize {
    2 + (16 * units).div_ceil(6)
}
