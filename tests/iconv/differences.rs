//! Intended differences from glibc, with their reasons.

use crate::program::Outcome;
use crate::vectors::Vector;

/// Returns why the results of a vector differ, if that is intended.
pub fn reason(vector: &Vector, glibc: &Outcome, charpipe: &Outcome) -> Option<&'static str> {
    RULES.iter().find(|(_, applies)| applies(vector, glibc, charpipe)).map(|(reason, _)| *reason)
}

type Rule = (&'static str, fn(&Vector, &Outcome, &Outcome) -> bool);

const RULES: [Rule; 16] = [
    ("a file is unchanged after a stop; glibc leaves a part of the text", |_, glibc, charpipe| {
        glibc.status == 1
            && charpipe.files.is_empty()
            && Outcome { files: charpipe.files.clone(), ..glibc.clone() } == *charpipe
    }),
    ("charpipe knows more names", |_, glibc, charpipe| {
        is_unsupported(glibc) && glibc.stderr != charpipe.stderr
    }),
    (
        "no more inputs are converted after an incomplete character, as before glibc 2.41",
        |_, glibc, charpipe| {
            is_incomplete(glibc)
                && is_incomplete(charpipe)
                && charpipe.status == 1
                && glibc.stdout.starts_with(&charpipe.stdout)
                && glibc.stderr.starts_with(&charpipe.stderr)
        },
    ),
    ("letters are transliterated in the locale C as in C.UTF-8", |vector, glibc, charpipe| {
        is_in_c(vector)
            && is_transliterating(vector)
            && (glibc.status, &glibc.stderr) == (charpipe.status, &charpipe.stderr)
    }),
    (
        "the locale's encoding is US-ASCII and letters are transliterated in C",
        |vector, glibc, charpipe| {
            is_in_c(vector) && vector.has("//TRANSLIT") && glibc.status == charpipe.status
        },
    ),
    ("skipped input makes the exit status 1", |_, glibc, charpipe| {
        (glibc.status, charpipe.status) == (0, 1) && glibc.stdout == charpipe.stdout
    }),
    ("bytes of messages that are not UTF-8 are quoted", |_, glibc, charpipe| {
        let quoted = |text: &[u8]| {
            let chunk = |chunk: std::str::Utf8Chunk<'_>| {
                let bytes = chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}"));
                chunk.valid().to_owned() + &bytes.collect::<String>()
            };
            text.utf8_chunks().map(chunk).collect::<String>()
        };
        std::str::from_utf8(&glibc.stderr).is_err()
            && (glibc.status, &glibc.stdout) == (charpipe.status, &charpipe.stdout)
            && quoted(&glibc.stderr).as_bytes() == charpipe.stderr
    }),
    ("an output is opened after the first input", |vector, glibc, charpipe| {
        vector.has("missing") && glibc.stdout == charpipe.stdout && charpipe.files.is_empty()
    }),
    (
        "ESC, SO and SI are not text of ISO-2022 encodings: they would change its state",
        |vector, _, _| {
            vector
                .arguments
                .iter()
                .any(|name| name.starts_with("iso-2022") || name == "ISO-2022-KR")
                && vector.arguments.iter().any(|name| name.starts_with("kana"))
        },
    ),
    ("values above U+10FFFF cannot be encoded in UTF-8", |vector, glibc, _| {
        let is_ucs4 = |name: &String| {
            name.to_ascii_lowercase().contains("ucs-4")
                || name == "wchar_t"
                || name.ends_with("ucs4")
        };
        vector.arguments.iter().any(is_ucs4) && glibc.stdout.iter().any(|byte| *byte >= 0xF4)
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
        let is_unnamed = vector.has("")
            || vector.arguments.iter().any(|name| name.starts_with("--o") && name.ends_with('='));
        is_unnamed
            && charpipe.status == 1
            && charpipe.files.is_empty()
            && charpipe.stdout.is_empty()
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

/// Whether a run is in the locale `C`, perhaps because another one is not installed.
fn is_in_c(vector: &Vector) -> bool {
    let installed = |name: &str| {
        let normalized =
            name.replace("UTF-8", "utf8").replace("EUC-JP", "eucjp").replace("KOI8-R", "koi8r");
        let is_generated =
            crate::vectors::LOCALES.iter().any(|(locale, _, _)| normalized.starts_with(locale));
        normalized == "C.utf8" || is_generated && normalized != "de_DE.utf8"
    };
    let value = |name| vector.variable(name).filter(|value| !value.is_empty());
    let ctype = value("LC_ALL").or(value("LC_CTYPE")).or(value("LANG")).unwrap_or("C");
    !installed(ctype) || value("LC_TIME").is_some_and(|time| !installed(time))
}

fn is_transliterating(vector: &Vector) -> bool {
    vector.arguments.iter().any(|name| name.to_ascii_uppercase().contains("TRANSLIT"))
}
