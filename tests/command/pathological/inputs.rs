//! Pathological inputs.

/// Input without end.
pub struct PathologicalInput {
    pub name: &'static str,
    pub args: &'static [&'static str],
    pub prefix: &'static [u8],
    pub unit: &'static [u8],
    /// The exit code.
    pub exit_code: i32,
    /// Whether anything is left of it.
    pub writes_output: bool,
}

const fn errors(
    name: &'static str,
    words: &'static [&'static str],
    piece: &'static [u8],
) -> PathologicalInput {
    PathologicalInput {
        name,
        args: words,
        prefix: b"",
        unit: piece,
        exit_code: 1,
        writes_output: false,
    }
}

const fn text(
    name: &'static str,
    words: &'static [&'static str],
    front: &'static [u8],
    piece: &'static [u8],
    code: i32,
) -> PathologicalInput {
    PathologicalInput {
        name,
        args: words,
        prefix: front,
        unit: piece,
        exit_code: code,
        writes_output: true,
    }
}

const RFC2047_ARGS: &[&str] = &["-f", "rfc2047"];
const PARAMETERS_ARGS: &[&str] = &["-f", "rfc2047:rfc2231"];
const STRICT_ARGS: &[&str] = &["-f", "rfc2047", "--strict"];

/// To be converted to something that is UTF-8 too.
pub const CONVERTED: &[PathologicalInput] = &[
    errors("FF", &["-c"], b"\xFF"),
    errors("an overlong form", &["-c"], b"\xC0\x80"),
    errors("surrogates in UTF-8", &["-c"], b"\xED\xA0\x80"),
    errors("characters cut off", &["-c"], b"\xE2\x82"),
    text("FF replaced", &["--on-error", "replace"], b"", b"\xFF", 1),
    errors("lone surrogates", &["-c", "-f", "utf-16le"], b"\x00\xD8"),
    errors("what is beyond", &["-c", "-f", "utf-32le"], b"\xFF"),
    errors("surrogates in UTF-7", &["-c", "-f", "utf-7"], b"+2AA-"),
    text("a shift without end", &["-c", "-f", "utf-7"], b"+", b"AGEA", 0),
    errors("FF in EUC-JP", &["-c", "-f", "euc-jp"], b"\xFF"),
    errors("81 FF in Shift_JIS", &["-c", "-f", "shift_jis"], b"\x81\xFF"),
    text("codes of two characters", &["-f", "big5-hkscs"], b"", b"\x88\x62", 0),
    errors("ESC in ISO-2022-JP", &["-c", "-f", "iso-2022-jp"], b"\x1B"),
    PathologicalInput {
        exit_code: 0,
        ..errors("SO and SI in ISO-2022-KR", &["-c", "-f", "iso-2022-kr"], b"\x0E\x0F")
    },
    errors("not in US-ASCII", &["-c", "-t", "us-ascii"], "é".as_bytes()),
    text("transliterations", &["-t", "us-ascii//TRANSLIT"], b"", "“".as_bytes(), 0),
    text("a line without end", &["-f", "latin1"], b"", b"a", 0),
    text("a line without end, copied", &[], b"", b"a", 0),
    text("words that are none", RFC2047_ARGS, b"", b"=?", 0),
    text("words cut off", RFC2047_ARGS, b"", b"=?utf-8?b?", 0),
    text("a word without end", RFC2047_ARGS, b"=?utf-8?q?", b"a", 0),
    text("words", RFC2047_ARGS, b"", b"=?utf-8?q?=41?= ", 0),
    // A field of more than 64 KiB is copied.
    text("words with errors", RFC2047_ARGS, b"", b"=?utf-8?q?=FF?= ", 0),
    text("fields of words", RFC2047_ARGS, b"", b"a: =?utf-8?q?=41?=\n =?utf-8?b?QQ==?=\n", 0),
    text("fields of words with errors", RFC2047_ARGS, b"", b"a: =?utf-8?q?=FF?=\n", 1),
    text("fields of shifts", RFC2047_ARGS, b"", b"a: =?iso-2022-jp?b?GyRCJCIbKEI=?=\n", 0),
    text("words in no encoding", RFC2047_ARGS, b"", b"=?nope?q?a?= ", 0),
    text("words of shifts", RFC2047_ARGS, b"", b"=?iso-2022-jp?b?GyRCJCIbKEI=?= ", 0),
    text("folds", RFC2047_ARGS, b"Subject: a", b"\r\n ", 0),
    text("comments in comments", STRICT_ARGS, b"To: ", b"(", 0),
    text("a quoted string without end", STRICT_ARGS, b"To: \"", b"\\\"", 0),
    text("comments with words", STRICT_ARGS, b"To: ", b"(=?utf-8?q?a?= ", 0),
    text("parameters", PARAMETERS_ARGS, b"Content-Type: a", b"; b*=utf-8''%41", 0),
    text("parts of a parameter", PARAMETERS_ARGS, b"Content-Type: a", b"; b*0=c", 0),
    text("a parameter without end", PARAMETERS_ARGS, b"Content-Type: a; b*0=\"", b";b*0=\"", 0),
    text("semicolons", PARAMETERS_ARGS, b"Content-Type: a", b";", 0),
    text("folds in parameters", PARAMETERS_ARGS, b"Content-Type: a;", b"\n ", 0),
    text(
        "to parameters",
        &["-t", "rfc2047:rfc2231"],
        b"Content-Type: a",
        "; b=\"é\"".as_bytes(),
        0,
    ),
    text("folds unfolded", &["--unfold"], b"A: b", b"\n c", 0),
    text("to words", &["-t", "rfc2047"], b"Subject: ", "é".as_bytes(), 0),
    text("to words from a long token", &["-t", "rfc2047"], b"Subject: ", b"a", 0),
    text("to words from blanks", &["-t", "rfc2047"], b"Subject: a", b" ", 0),
    text("a header without a body", &["-f", "rfc2047", "--headers-only"], b"", b"Subject: a\n", 0),
];

const fn inspected(
    name: &'static str,
    words: &'static [&'static str],
    piece: &'static [u8],
    code: i32,
) -> PathologicalInput {
    PathologicalInput {
        name,
        args: words,
        prefix: b"",
        unit: piece,
        exit_code: code,
        writes_output: true,
    }
}

/// To be looked at. How much is found of errors is limited, because each is a line of output.
pub const CHECKED: &[PathologicalInput] = &[
    inspected("a line without end", &["check"], b"a", 0),
    inspected("errors", &["check", "--max-findings", "100"], b"\xFF", 1),
    inspected("errors, quiet", &["check", "--quiet"], b"\xFF", 1),
    inspected("line ends", &["check", "--newline", "lf", "--max-findings", "100"], b"\r", 1),
    inspected("in json", &["check", "--format", "json", "--max-findings", "100"], b"\xC0\x80", 1),
    inspected("noise", &["detect"], b"\xFF", 0),
    inspected("shifts", &["detect"], b"\x1B", 0),
    inspected("base64 that may be UTF-7", &["detect"], b"+AGE-", 0),
    inspected("text of unknown kind", &["detect"], b"\xE9 ", 0),
];
