//! The table of disagreements as a page of the manual.

use std::fmt::Write;

use crate::converters::OtherConverter;
use crate::known_differences::{
    self, DifferenceExample, DifferenceRule, Direction, ExpectedResult, KnownDifference,
};
use crate::label_tables;
use crate::tables;

const INTRODUCTION: &str = "\
<!-- Made by `CHARPIPE_BLESS=1 cargo test --test differential` from tests/differential/known_differences/*.rs and tests/differential/tables/rows.rs. -->

# Where charpipe and other converters differ

`cargo test --test differential` compares charpipe with iconv of the GNU C library, ICU (uconv) and CPython
where they are present: on every scalar value, on texts in many scripts, and on systematic sets of
malformed input. Whatever is not in the tables below is the same, byte for byte, in strict mode; UTF-8,
UTF-16 and UTF-32 are the same with one U+FFFD for each ill-formed sequence as well. Each row's examples
are run. In the examples, bytes that are not printable ASCII are written as `\\xNN`.
";

const TABLES: &str = "
## glibc 2.36, tables

The encodings with tables that both have are compared whole: every code of one to three bytes and a choice
of those of four, in every state, and every scalar value. In 2.36 the differences are these and no others;
the figures count codes or characters, in all the encodings of the line together. GB18030 is compared as
`GB18030:2005`, the edition that this version has. [The page of encodings](encodings.md) counts the cells in which
an encoding differs from other converters.

| encoding | input | how many | glibc | charpipe | because | examples: input → glibc / charpipe |
|---|---|---|---|---|---|---|
";

const TEST_PROGRAMS: &str = "
## The test programs of glibc 2.36

Of the 35 programs `iconv/tst-*.c`, `iconvdata/tst-*.c` and `iconvdata/bug-*.c`, 33 can be compiled without glibc's
build system. Two of those compare tables of a build, and three need locales that few systems have. Of the other 28
the [C library](c-api.md) passes all but these:

| program | glibc | charpipe | because |
|---|---|---|---|
| `iconv/tst-iconv8.c` | converts 41414141 of UCS-4 to six bytes of UTF-8, and needs more space | skips it | values above U+10FFFF have no UTF-8 (RFC 3629, section 3) |
| `iconvdata/bug-iconv10.c` | writes the shift of the next character to EBCDIC although the character does not fit | writes a character and its shift sequence together | output that is cut there is complete |
";

const LABELS: &str = "
## Labels of ICU, CPython, Perl and Java

Every label that ICU 72.1, CPython 3.11, Perl's Encode 3.17 or Java 17 has as well is compared with what they mean
by it. The encodings that are not in this table are the same in every code and character, but for
characters without a code that ICU drops. The numbers are those of codes that decode otherwise, that only
charpipe has, that only the other has; then of characters likewise. They are grouped by the reason.
";

const LABELS_OF_REASON: &str = "
| other | its encoding | charpipe | codes | characters |
|---|---|---|---|---|
";

/// The whole page.
pub fn render_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for converter in OtherConverter::ALL {
        if known_differences::all_differences().all(|row| row.converter != converter) {
            continue;
        }
        write!(page, "\n## {converter}\n\n").unwrap();
        page.push_str("| encoding | input | the other converter | charpipe | because | examples: input → the converter / charpipe |\n");
        page.push_str("|---|---|---|---|---|---|\n");
        for row in known_differences::all_differences().filter(|row| row.converter == converter) {
            page.push_str(&line(row));
        }
    }
    page.push_str(TABLES);
    for row in tables::TABLE_DIFFERENCES {
        page.push_str(&table(row));
    }
    page.push_str(TEST_PROGRAMS);
    page.push_str(LABELS);
    for (reason, rows) in labels_by_reason() {
        write!(page, "\n<details>\n<summary>{reason} ({})</summary>\n", rows.len()).unwrap();
        page.push_str(LABELS_OF_REASON);
        page.push_str(&rows.concat());
        page.push_str("\n</details>\n");
    }
    page
}

/// The rows of the labels that differ, by the reason, in the order in which the reasons first occur.
fn labels_by_reason() -> Vec<(&'static str, Vec<String>)> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for (pair, line) in label_tables::table() {
        if !line.differs_from_counts() {
            continue;
        }
        let reason = label_tables::reason_for(&line.reason).unwrap_or_default();
        let row = label(&pair, &line);
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((reason, vec![row])),
        }
    }
    groups
}

fn label(pair: &label_tables::LabelPair, line: &label_tables::LabelDifference) -> String {
    let label_tables::LabelPair { converter: other, theirs, ours } = pair;
    let [codes, characters] = line.counts.map(
        |label_tables::LabelCounts {
             different: otherwise,
             only_ours: here,
             only_theirs: there,
         }| { format!("{otherwise}, {here}, {there}") },
    );
    format!("| {} | {theirs} | {ours} | {codes} | {characters} |\n", other.name())
}

fn table(row: &tables::KnownTableDifference) -> String {
    let tables::KnownTableDifference { count, inputs, theirs, ours, reason: why, .. } = row;
    let names = row.names();
    let conversion = match row.direction {
        Direction::Decode => format!("from {names}"),
        Direction::Encode => format!("to {names}"),
    };
    let examples: Vec<String> = row.examples.iter().map(format_bytes).collect();
    let examples = examples.join(", ");
    format!("| {conversion} | {inputs} | {count} | {theirs} | {ours} | {why} | {examples} |\n")
}

fn line(row: &KnownDifference) -> String {
    let KnownDifference { encoding, inputs, theirs, ours, reason: why, .. } = row;
    let conversion = match row.direction {
        Direction::Decode => format!("from {encoding}"),
        Direction::Encode => format!("to {encoding}"),
    };
    let same = match row.rule {
        DifferenceRule::SameResultAs(encoding, "UTF-8") => format!(" (as charpipe's `{encoding}`)"),
        DifferenceRule::SameResultAs(encoding, pivot) => {
            let (from, to) = row.direction.sort(encoding, pivot);
            format!(" (as charpipe from `{from}` to `{to}`)")
        }
        _ => String::new(),
    };
    let examples: Vec<String> = row.examples.iter().map(format_bytes).collect();
    let examples = examples.join(", ");
    format!("| {conversion} | {inputs} | {theirs}{same} | {ours} | {why} | {examples} |\n")
}

fn format_bytes(example: &DifferenceExample) -> String {
    let (theirs, ours) = (format_result(example.theirs), format_result(example.ours));
    format!("{} → {theirs} / {ours}", format_hex(example.input))
}

fn format_result(said: ExpectedResult) -> String {
    match said {
        ExpectedResult::Converts(bytes) => format_hex(bytes),
        ExpectedResult::Refuses => "refused".to_owned(),
    }
}

/// Bytes as a code span. A backslash is written as `\x5C`, so that none is ambiguous.
fn format_hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let mut span = String::from("`");
    for byte in bytes {
        match byte {
            b'\\' | b'`' | b'|' | 0..=0x20 | 0x7F.. => write!(span, "\\x{byte:02X}").unwrap(),
            _ => span.push(char::from(*byte)),
        }
    }
    span + "`"
}
