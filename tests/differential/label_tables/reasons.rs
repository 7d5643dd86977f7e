//! Why an encoding of charpipe's and one that has the same label elsewhere differ.

/// The reasons, by the keys that `label_tables.tsv` has.
pub const REASONS: &[(&str, &str)] = &[
    ("glibc", "the label is one of glibc's, and glibc's table is meant"),
    ("libiconv", "the label is one of libiconv only, and has the table of libiconv"),
    ("standard", "the label is the Encoding Standard's or IANA's, and that encoding is meant"),
    ("windows", "the number is a code page of Windows, which is meant"),
    (
        "spelling",
        "by UTS #22 the label is another spelling of one of glibc's or libiconv's, whose table is \
         meant",
    ),
    (
        "rotated",
        "ICU exchanges 1A, 1C and 7F in the code pages of PCs, which no other program does",
    ),
    ("newlines", "Java exchanges the NEL and LF of EBCDIC"),
    (
        "fallbacks",
        "the same codes, but a few more characters are encoded in one of the two, as near \
         equivalents or by a second code",
    ),
    (
        "private",
        "the one has characters for private use, or control characters at bytes without a \
         meaning, which the other does not have",
    ),
    ("controls", "Perl's tables leave out DEL and other control or ASCII characters"),
    ("noncharacters", "Perl refuses noncharacters, which are scalar values"),
    ("order", "the byte order without a byte order mark, and whether one is written; as above"),
    ("shifts", "which escape sequences, shifts and control characters are accepted; as above"),
    (
        "jisx0213",
        "the cells 213D, 2232, 2256 and 2257 of plane 1 of JIS X 0213 are those of glibc, and escape \
         sequences as above",
    ),
    ("utf7", "what UTF-7 leaves open; as above"),
    ("marks", "letters and combining marks are composed, as in glibc"),
    ("yen", "5C and 7E, which are the yen sign and the overline in Roman of JIS X 0201"),
    ("strict", "the other accepts malformed sequences besides, which the standard forbids"),
    (
        "edition",
        "another edition of the standard: charpipe has the newest by the name without a year",
    ),
    ("gsm", "an escape by itself, which receivers display as a space (3GPP TS 23.038)"),
    ("icu", "ICU has the label as well and comes first, and ICU's table is meant"),
    (
        "iscii",
        "charpipe selects a script only when it changes and repeats it between characters whose bytes \
         would be a pair; it decodes the danda in every script, as the standard",
    ),
    (
        "scsu",
        "other ways to write the same text, which UTS #6 leaves to the encoder; ICU accepts the \
         reserved offsets of windows",
    ),
    (
        "compound",
        "ICU drops characters that its sets do not have, takes JIS X 0208 before GB 2312, exchanges the \
         bytes of two planes of CNS 11643, and has no sets as G0",
    ),
    (
        "lmbcs",
        "a few characters are in several groups, of which the two take another one; private use \
         characters of ICU's code pages",
    ),
    ("cns", "the converter of ICU 72 accepts ASCII only; it is meant as in Java"),
    ("java2022", "Java does not return to ASCII at the end, has fewer sets, and accepts 80 to FF"),
    (
        "patterns",
        "Perl's patterns take the label for another encoding than the programs that list it",
    ),
];

/// The reason of this key.
pub fn reason_for(key: &str) -> Option<&'static str> {
    REASONS.iter().find(|(known, _)| *known == key).map(|(_, reason)| *reason)
}
