//! What is repeated.

/// Input without end.
pub struct Flood {
    pub name: &'static str,
    pub words: &'static [&'static str],
    pub front: &'static [u8],
    pub piece: &'static [u8],
    /// The exit code.
    pub code: i32,
    /// Whether anything is left of it.
    pub writes: bool,
}

const fn faults(name: &'static str, words: &'static [&'static str], piece: &'static [u8]) -> Flood {
    Flood { name, words, front: b"", piece, code: 1, writes: false }
}

const fn text(
    name: &'static str,
    words: &'static [&'static str],
    front: &'static [u8],
    piece: &'static [u8],
    code: i32,
) -> Flood {
    Flood { name, words, front, piece, code, writes: true }
}

const WORDS: &[&str] = &["-f", "rfc2047"];
const STRICT: &[&str] = &["-f", "rfc2047", "--strict"];

/// To be converted to something that is UTF-8 too.
pub const CONVERTED: &[Flood] = &[
    faults("FF", &["-c"], b"\xFF"),
    faults("an overlong form", &["-c"], b"\xC0\x80"),
    faults("surrogates in UTF-8", &["-c"], b"\xED\xA0\x80"),
    faults("characters cut off", &["-c"], b"\xE2\x82"),
    text("FF replaced", &["--on-error", "replace"], b"", b"\xFF", 1),
    faults("lone surrogates", &["-c", "-f", "utf-16le"], b"\x00\xD8"),
    faults("what is beyond", &["-c", "-f", "utf-32le"], b"\xFF"),
    faults("surrogates in UTF-7", &["-c", "-f", "utf-7"], b"+2AA-"),
    text("a shift without end", &["-c", "-f", "utf-7"], b"+", b"AGEA", 0),
    faults("FF in EUC-JP", &["-c", "-f", "euc-jp"], b"\xFF"),
    faults("81 FF in Shift_JIS", &["-c", "-f", "shift_jis"], b"\x81\xFF"),
    text("codes of two characters", &["-f", "big5-hkscs"], b"", b"\x88\x62", 0),
    faults("ESC in ISO-2022-JP", &["-c", "-f", "iso-2022-jp"], b"\x1B"),
    Flood {
        code: 0,
        ..faults("SO and SI in ISO-2022-KR", &["-c", "-f", "iso-2022-kr"], b"\x0E\x0F")
    },
    faults("not in US-ASCII", &["-c", "-t", "us-ascii"], "é".as_bytes()),
    text("transliterations", &["-t", "us-ascii//TRANSLIT"], b"", "“".as_bytes(), 0),
    text("a line without end", &["-f", "latin1"], b"", b"a", 0),
    text("a line without end, copied", &[], b"", b"a", 0),
    text("words that are none", WORDS, b"", b"=?", 0),
    text("words cut off", WORDS, b"", b"=?utf-8?b?", 0),
    text("a word without end", WORDS, b"=?utf-8?q?", b"a", 0),
    text("words", WORDS, b"", b"=?utf-8?q?=41?= ", 0),
    text("words with faults", WORDS, b"", b"=?utf-8?q?=FF?= ", 1),
    text("words in no charset", WORDS, b"", b"=?nope?q?a?= ", 0),
    text("words of shifts", WORDS, b"", b"=?iso-2022-jp?b?GyRCJCIbKEI=?= ", 0),
    text("folds", WORDS, b"Subject: a", b"\r\n ", 0),
    text("comments in comments", STRICT, b"To: ", b"(", 0),
    text("a quoted string without end", STRICT, b"To: \"", b"\\\"", 0),
    text("comments with words", STRICT, b"To: ", b"(=?utf-8?q?a?= ", 0),
    text("to words", &["-t", "rfc2047"], b"Subject: ", "é".as_bytes(), 0),
    text("to words from a long token", &["-t", "rfc2047"], b"Subject: ", b"a", 0),
    text("to words from blanks", &["-t", "rfc2047"], b"Subject: a", b" ", 0),
    text("a header without a body", &["-f", "rfc2047", "--message"], b"", b"Subject: a\n", 0),
];

const fn looked(
    name: &'static str,
    words: &'static [&'static str],
    piece: &'static [u8],
    code: i32,
) -> Flood {
    Flood { name, words, front: b"", piece, code, writes: true }
}

/// To be looked at. How much is found of faults is limited, because each is a line of output.
pub const CHECKED: &[Flood] = &[
    looked("a line without end", &["check"], b"a", 0),
    looked("faults", &["check", "--max-faults", "100"], b"\xFF", 1),
    looked("faults for no one", &["check", "--silent"], b"\xFF", 1),
    looked("line ends", &["check", "--newline", "lf", "--max-faults", "100"], b"\r", 1),
    looked("in json", &["check", "--format", "json", "--max-faults", "100"], b"\xC0\x80", 1),
    looked("noise", &["detect"], b"\xFF", 0),
    looked("shifts", &["detect"], b"\x1B", 0),
    looked("base64 that may be UTF-7", &["detect"], b"+AGE-", 0),
    looked("text of unknown kind", &["detect"], b"\xE9 ", 0),
];
