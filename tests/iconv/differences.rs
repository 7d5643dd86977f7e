//! Intended differences from glibc, with their reasons.

use crate::program::Outcome;
use crate::vectors::Vector;

/// Returns why the results of a vector differ, if that is intended.
pub fn reason(vector: &Vector, glibc: &Outcome, charpipe: &Outcome) -> Option<&'static str> {
    RULES.iter().find(|(_, applies)| applies(vector, glibc, charpipe)).map(|(reason, _)| *reason)
}

type Rule = (&'static str, fn(&Vector, &Outcome, &Outcome) -> bool);

const RULES: [Rule; 12] = [
    ("a file is unchanged after a stop; glibc leaves a part of the text", |_, glibc, charpipe| {
        glibc.status == 1
            && charpipe.files.is_empty()
            && Outcome { files: charpipe.files.clone(), ..glibc.clone() } == *charpipe
    }),
    ("charpipe knows more names", |_, glibc, charpipe| {
        is_unsupported(glibc) && glibc.stderr != charpipe.stderr
    }),
    ("no more inputs are converted after an incomplete character, as before glibc 2.41", |_, glibc, charpipe| {
        is_incomplete(glibc)
            && is_incomplete(charpipe)
            && charpipe.status == 1
            && glibc.stdout.starts_with(&charpipe.stdout)
            && glibc.stderr.starts_with(&charpipe.stderr)
    }),
    ("in the locale C characters are transliterated as in C.UTF-8", |vector, glibc, charpipe| {
        let is_c = ["LC_ALL", "LC_CTYPE"].iter().filter_map(|name| vector.variable(name)).next();
        let is_c = is_c.is_none_or(|name| !name.contains("UTF-8") || name.starts_with("xx"));
        is_c && is_transliterating(vector) && (glibc.status, &glibc.stderr) == (charpipe.status, &charpipe.stderr)
    }),
    ("ESC, SO and SI are not text of ISO-2022 encodings: they would change its state", |vector, _, _| {
        vector.arguments.iter().any(|name| name.starts_with("iso-2022") || name == "ISO-2022-KR")
            && vector.arguments.iter().any(|name| name.starts_with("kana"))
    }),
    ("values above U+10FFFF cannot be encoded in UTF-8", |vector, glibc, _| {
        let is_ucs4 = |name: &String| name.to_ascii_lowercase().contains("ucs-4") || name.ends_with("ucs4");
        vector.arguments.iter().any(is_ucs4) && glibc.stdout.iter().any(|byte| *byte >= 0xF8)
    }),
    ("no BOM without text, and not two", |vector, glibc, charpipe| {
        vector.arguments.iter().any(|name| name.starts_with("utf16"))
            && glibc.stdout.strip_prefix(b"\xFF\xFE") == Some(&charpipe.stdout)
            && (glibc.status, &glibc.stderr) == (charpipe.status, &charpipe.stderr)
    }),
    ("an ASCII byte after an invalid lead byte is kept", |vector, glibc, charpipe| {
        vector.has("-c")
            && glibc.stdout.len() < charpipe.stdout.len()
            && (glibc.status, &glibc.stderr) == (charpipe.status, &charpipe.stderr)
    }),
    ("bytes 80 to 9F are not characters of EUC-JP", |vector, _, _| {
        vector.has("euc-jp") || vector.has("EUC-JP")
    }),
    ("a file whose name ends with a slash is a directory", |vector, glibc, charpipe| {
        vector.has("new/") && glibc.status == charpipe.status && charpipe.files.is_empty()
    }),
    ("an unnamed output is an error when it is opened", |vector, _, charpipe| {
        let is_unnamed = vector.has("") || vector.arguments.iter().any(|name| name.starts_with("--o") && name.ends_with('='));
        is_unnamed && charpipe.status == 1 && charpipe.files.is_empty() && charpipe.stdout.is_empty()
    }),
    ("a position after skipped input counts all bytes", |vector, glibc, charpipe| {
        vector.arguments.iter().any(|name| name.to_ascii_uppercase().contains("IGNORE"))
            && (glibc.status, &glibc.stdout) == (charpipe.status, &charpipe.stdout)
    }),
];

fn is_unsupported(outcome: &Outcome) -> bool {
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    outcome.status == 1 && stderr.contains(" not supported\n")
}

fn is_incomplete(outcome: &Outcome) -> bool {
    String::from_utf8_lossy(&outcome.stderr).contains("incomplete character")
}

fn is_transliterating(vector: &Vector) -> bool {
    vector.arguments.iter().any(|name| name.to_ascii_uppercase().contains("TRANSLIT"))
}
