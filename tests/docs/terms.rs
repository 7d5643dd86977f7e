//! Checks that the tree uses the terms of `docs/glossary.md`: no identifier, comment, message, page or
//! test name contains a word that the glossary replaces.

use charpipe_test_support::missing;
use std::fs;
use std::path::Path;

/// A word, or several in a row, that is not used, and what to write instead.
struct Banned {
    words: &'static [&'static str],
    instead: &'static str,
    /// Words before or after it with which it has another, standard meaning.
    unless_before: &'static [&'static str],
    unless_after: &'static [&'static str],
}

const fn banned(words: &'static [&'static str], instead: &'static str) -> Banned {
    Banned { words, instead, unless_before: &[], unless_after: &[] }
}

/// Single words: each is looked up in identifiers too (`bad_input`, `BadInput`).
const WORDS: &[Banned] = &[
    banned(&["nought", "noughts"], "zero, none"),
    Banned {
        // A method of files in Python.
        unless_before: &["file"],
        ..banned(&["told", "tells", "tell", "telling"], "report, print, say what is returned")
    },
    banned(&["stand", "stands", "standing", "stood"], "is, follows, occurs"),
    banned(&["behind"], "after, following"),
    banned(&["offender", "offenders"], "malformed sequence, unmappable character"),
    banned(&["crowd", "crowds"], "bulk errors, pathological input"),
    banned(&["mend", "mends", "mended", "mending", "mender", "menders"], "handle, fix"),
    banned(&["twin", "twins"], "reference implementation"),
    Banned {
        unless_before: &["page", "segmentation"],
        unless_after: &["injection", "tolerance"],
        ..banned(&["fault", "faults", "faulty"], "error")
    },
    banned(&["whoever", "nobody"], "the caller, no one who"),
    banned(&["unencodable", "inexpressible"], "unmappable"),
    banned(&["lack", "lacks", "lacking", "lacked"], "unmappable, missing, has no"),
    banned(&["trouble", "troubles"], "error"),
    Banned {
        unless_after: &["matcher", "matchers"],
        ..banned(&["problem", "problems"], "error, finding")
    },
    Banned { unless_after: &["file"], ..banned(&["bad"], "invalid, malformed") },
    banned(&["folder", "folders"], "directory"),
    Banned { unless_after: &["stream"], ..banned(&["octet", "octets"], "byte") },
    banned(&["sheet", "sheets", "grid", "grids"], "table, mapping"),
    Banned {
        // Also `gh release create --draft`.
        unless_before: &["internet", "create"],
        unless_after: &["jseng", "ietf"],
        ..banned(&["draft", "drafts", "drafted"], "temporary file")
    },
    banned(&["flood", "floods"], "pathological input"),
    banned(&["oracle", "oracles", "peer", "peers"], "differential test, other converters"),
    banned(&["voice", "voices"], "message"),
    banned(&["sight", "sights"], "lookahead"),
    Banned { unless_after: &["object"], ..banned(&["verb", "verbs"], "subcommand") },
    banned(&["pump", "pumps"], "transcoder"),
    banned(&["room", "rooms"], "space, output buffer, remaining capacity"),
    banned(&["spot", "spots"], "position"),
    Banned {
        unless_before: &["in", "take", "takes", "took", "taking", "taken", "decimal"],
        unless_after: &[],
        ..banned(&["place", "places"], "position, directory entry")
    },
    banned(&["answer", "answers", "answered", "answering"], "replacement, result, returns"),
    Banned { unless_before: &["progress"], ..banned(&["bar", "bars"], "threshold") },
    Banned {
        unless_before: &["winget"],
        ..banned(&["setting", "settings", "plan", "plans"], "options")
    },
    banned(&["stamp", "stamps"], "replacement"),
    Banned {
        unless_before: &[
            "mime", "rfc", "coded", "locale", "iana", "declared", "for", "iconv", "plain",
        ],
        unless_after: &["normalizer", "parameter"],
        ..banned(&["charset", "charsets"], "encoding")
    },
    banned(&["flavour", "flavours"], "vendor variant"),
    banned(
        &[
            "licence",
            "licences",
            "spoilt",
            "colour",
            "colours",
            "behaviour",
            "honour",
            "favour",
            "centre",
            "normalise",
            "normalised",
            "normalises",
            "recognise",
            "recognised",
            "recognises",
            "organise",
            "optimise",
            "optimised",
            "serialise",
            "initialise",
            "initialised",
            "analyse",
            "analysed",
            "neighbour",
            "neighbours",
            "catalogue",
            "grey",
            "labelled",
            "cancelled",
            "artefact",
            "artefacts",
            "unrecognised",
            "travelled",
            "modelled",
            "signalled",
            "programme",
            "whilst",
        ],
        "the American spelling",
    ),
];

/// Several words in a row, in prose or an identifier.
const PHRASES: &[Banned] = &[
    banned(&["so", "many"], "n, up to N, the given number of"),
    banned(&["in", "front", "of"], "before"),
    banned(&["at", "the", "front"], "at the start"),
    banned(&["look", "alike"], "transliteration"),
    banned(&["look", "alikes"], "transliteration"),
    banned(&["own", "words"], "replacement"),
    banned(&["all", "the", "same"], "anyway"),
    banned(&["asked", "for"], "requested"),
    banned(&["comes", "to"], "results in"),
    banned(&["held", "to"], "checked against"),
    banned(&["knows", "of"], "supports"),
    banned(&["want", "of"], "missing, needs more"),
    banned(&["what", "is", "none"], "a noun"),
    banned(&["that", "is", "none"], "a noun"),
    banned(&["cut", "short"], "truncated"),
    banned(&["anew"], "again"),
    Banned {
        unless_after: &["longer", "more", "less", "such"],
        ..banned(&["is", "no"], "is not a")
    },
];

/// Words that are terms in files whose path contains one of these: the charsets of MIME, HTML, CSS, vCard and ISO
/// 2022, and progress bars.
const SCOPES: &[(&str, &[&str])] = &[
    (
        "charset",
        &[
            "rfc2047",
            "stateful",
            "mail",
            "iso2022",
            "mime",
            "encoded_word",
            "editorconfig",
            "html",
            "declaration",
            "vcard",
        ],
    ),
    ("bar", &["progress"]),
    // In messages of glibc's iconv.
    ("problem", &["iconv"]),
];

/// Words near `charset` that make it the parameter of MIME or of vCard, the property of EditorConfig, the attribute of
/// `meta` in HTML or the rule of CSS.
const CHARSET_CONTEXT: &[&str] =
    &["mail", "mime", "rfc", "encoded", "editorconfig", "meta", "css", "vcard", "card", "cards"];
const CONTEXT_WORDS: usize = 25;

/// Files that quote the banned words, and legal text.
const QUOTING: &[&str] =
    &["docs/glossary.md", "tests/docs/terms.rs", "LICENSE-APACHE", "LICENSE-MIT"];

struct Token {
    /// In lower case.
    word: String,
    is_capitalized: bool,
    line: usize,
}

/// Returns the words of a text in lower case, with identifiers split at underscores and capitals.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut word = String::new();
        let mut previous = ' ';
        let mut push = |word: &mut String| {
            if !word.is_empty() {
                let is_capitalized = word.starts_with(|first: char| first.is_ascii_uppercase());
                let word = std::mem::take(word).to_ascii_lowercase();
                found.push(Token { word, is_capitalized, line: number + 1 });
            }
        };
        for (at, character) in line.char_indices() {
            let next_is_lower =
                line[at..].chars().nth(1).is_some_and(|next| next.is_ascii_lowercase());
            let begins_word = character.is_ascii_uppercase()
                && (previous.is_ascii_lowercase()
                    || previous.is_ascii_uppercase() && next_is_lower);
            if !character.is_ascii_alphabetic() || begins_word {
                push(&mut word);
            }
            // The escape of a line feed in a literal is no letter of a word.
            let escaped = previous == '\\' && matches!(character, 'n' | 'r' | 't' | 'x' | 'u');
            if character.is_ascii_alphabetic() && !escaped {
                word.push(character);
            }
            previous = if escaped { ' ' } else { character };
        }
        push(&mut word);
    }
    found
}

fn is_text(name: &str) -> bool {
    let is_data = name.starts_with("fuzz/corpus")
        || name.starts_with("benches/text/") && !name.ends_with(".md");
    let extensions = [
        "rs", "md", "py", "sh", "toml", "yml", "yaml", "1", "fish", "bash", "ps1", "elv", "nu",
        "rb", "nix", "run",
    ];
    let path = Path::new(name);
    let has_extension =
        path.extension().is_some_and(|found| extensions.iter().any(|known| found == *known));
    !is_data && (has_extension || path.extension().is_none())
}

fn is_at(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    tokens.len() >= at + words.len()
        && words.iter().zip(&tokens[at..]).all(|(word, token)| *word == token.word)
}

fn is_excepted(rule: &Banned, tokens: &[Token], at: usize, len: usize) -> bool {
    let before = at.checked_sub(1).map(|at| tokens[at].word.as_str());
    let after = tokens.get(at + len).map(|token| token.word.as_str());
    before.is_some_and(|word| rule.unless_before.contains(&word))
        || after.is_some_and(|word| rule.unless_after.contains(&word))
}

/// Returns a line for each banned word of a file.
fn findings(name: &str, text: &str) -> Vec<String> {
    // A manual page of Linux.
    // Manual pages, and the name of ICU's detector.
    let text = text.replace("charsets(7)", "").replace("charsets (7)", "");
    let text = text.replace("CharsetDetector", "");
    let tokens = tokens(&text);
    let mut found = Vec::new();
    let mut report = |at: usize, words: &str, rule: &Banned| {
        found.push(format!("{name}:{}: \"{words}\": write {}", tokens[at].line, rule.instead));
    };
    let is_term = |word: &str| {
        let is_in_scope = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        SCOPES.iter().any(|(term, parts)| word.starts_with(term) && is_in_scope(parts))
    };
    let is_property = |at: usize| {
        let range = at.saturating_sub(CONTEXT_WORDS)..tokens.len().min(at + CONTEXT_WORDS);
        tokens[range].iter().any(|token| CHARSET_CONTEXT.contains(&token.word.as_str()))
    };
    // The name of a company, in lists of the programs that use a label.
    let is_name = |at: usize| tokens[at].word == "oracle" && tokens[at].is_capitalized;
    for at in 0..tokens.len() {
        for rule in WORDS {
            let word = tokens[at].word.as_str();
            let is_property = word.starts_with("charset") && is_property(at);
            let is_allowed = is_term(word) || is_name(at) || is_property;
            let is_allowed = is_allowed || is_excepted(rule, &tokens, at, 1);
            if rule.words.contains(&word) && !is_allowed {
                report(at, word, rule);
            }
        }
        for rule in PHRASES {
            if is_at(&tokens, at, rule.words) && !is_excepted(rule, &tokens, at, rule.words.len()) {
                report(at, &rule.words.join(" "), rule);
            }
        }
    }
    found
}

#[test]
fn tree_uses_the_terms_of_the_glossary() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".to_owned());
    let listed =
        charpipe_test_support::watch::command("git").args(["ls-files"]).current_dir(&root).output();
    let Ok(listed) = listed else { return missing("git") };
    if !listed.status.success() {
        return missing("a clone of the repository");
    }
    let mut found = Vec::new();
    for name in String::from_utf8(listed.stdout).unwrap().lines() {
        if QUOTING.contains(&name) || !is_text(name) {
            continue;
        }
        found.extend(findings(name, name));
        if let Ok(text) = fs::read_to_string(Path::new(&root).join(name)) {
            found.extend(findings(name, &text));
        }
    }
    assert!(found.is_empty(), "{} banned words:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_banned_word_is_found_in_identifiers_comments_and_across_lines() {
    let count = |text: &str| findings("x.rs", text).len();
    assert_eq!(count("fn is_bad() {}  struct BadInput; BAD_INPUT"), 3);
    assert_eq!(count("// Converts so\n// many files"), 1);
    assert_eq!(count("// This is no\n// longer used; converts files in place; fault injection"), 0);
    assert_eq!(count("\"text\\nought\""), 0);
    assert_eq!(findings("crates/mail/src/rfc2047.rs", "charset").len(), 0);
}
