//! The table of disagreements as a page of the manual.

use std::fmt::Write;

use crate::disagreements::{self, Direction, Example, Row, Rule, Said};
use crate::labels;
use crate::peers::Peer;
use crate::tables;

const HEAD: &str = "\
<!-- Made by `CHARPIPE_BLESS=1 cargo test --test oracle` from tests/oracle/disagreements/*.rs and tests/oracle/tables/rows.rs. -->

# Where charpipe and other converters differ

`cargo test --test oracle` compares charpipe with iconv of the GNU C library, ICU (uconv) and CPython
where they are present: on every scalar value, on texts in many scripts, and on systematic sets of
malformed input. Whatever is not in the tables below is the same, octet for octet, in strict mode; UTF-8,
UTF-16 and UTF-32 are the same with one U+FFFD for each ill-formed sequence as well. Each row's examples
are run. In the examples, octets that are not printable ASCII stand as `\\xNN`.
";

const TABLES: &str = "
## glibc 2.36, tables

The charsets with tables that both have are compared whole: every code of one to three octets and a choice
of those of four, in every state, and every scalar value. In 2.36 the differences are these and no others;
the figures count codes or characters, in all the charsets of the line together. GB18030 is compared as
`GB18030:2005`, the edition that this version has. [The page of charsets](charsets.md) counts the cells in which
a charset differs from other converters.

| charset | input | how many | glibc | charpipe | because | examples: input → glibc / charpipe |
|---|---|---|---|---|---|---|
";

const LABELS: &str = "
## Labels of ICU, CPython, Perl and Java

Every label that ICU 72.1, CPython 3.11, Perl's Encode 3.17 or Java 17 has as well is compared with what they mean
by it. The encodings that are not in this table are the same in every code and character, but for
characters without a code that ICU drops. The numbers are those of codes that decode otherwise, that only
charpipe has, that only the other has; then of characters likewise.

| other | its encoding | charpipe | codes | characters | because |
|---|---|---|---|---|---|
";

/// The whole page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for peer in Peer::ALL {
        if disagreements::all().all(|row| row.peer != peer) {
            continue;
        }
        write!(page, "\n## {peer}\n\n").unwrap();
        page.push_str("| charset | input | the peer | charpipe | because | examples: input → the peer / charpipe |\n");
        page.push_str("|---|---|---|---|---|---|\n");
        for row in disagreements::all().filter(|row| row.peer == peer) {
            page.push_str(&line(row));
        }
    }
    page.push_str(TABLES);
    for row in tables::ROWS {
        page.push_str(&table(row));
    }
    page.push_str(LABELS);
    for (pair, line) in labels::table() {
        if line.differs() {
            page.push_str(&label(&pair, &line));
        }
    }
    page
}

fn label(pair: &labels::Pair, line: &labels::Line) -> String {
    let labels::Pair { peer, theirs, ours } = pair;
    let [codes, characters] = line
        .counts
        .map(|labels::Count { otherwise, here, there }| format!("{otherwise}, {here}, {there}"));
    let why = labels::reason(&line.why).unwrap_or_default();
    format!("| {} | {theirs} | {ours} | {codes} | {characters} | {why} |\n", peer.name())
}

fn table(row: &tables::Row) -> String {
    let tables::Row { count, inputs, theirs, ours, why, .. } = row;
    let names = row.names();
    let conversion = match row.direction {
        Direction::Decode => format!("from {names}"),
        Direction::Encode => format!("to {names}"),
    };
    let examples: Vec<String> = row.examples.iter().map(shown).collect();
    let examples = examples.join(", ");
    format!("| {conversion} | {inputs} | {count} | {theirs} | {ours} | {why} | {examples} |\n")
}

fn line(row: &Row) -> String {
    let Row { charset, inputs, theirs, ours, why, .. } = row;
    let conversion = match row.direction {
        Direction::Decode => format!("from {charset}"),
        Direction::Encode => format!("to {charset}"),
    };
    let same = match row.rule {
        Rule::SameAs(charset, "UTF-8") => format!(" (as charpipe's `{charset}`)"),
        Rule::SameAs(charset, pivot) => {
            let (from, to) = row.direction.sort(charset, pivot);
            format!(" (as charpipe from `{from}` to `{to}`)")
        }
        _ => String::new(),
    };
    let examples: Vec<String> = row.examples.iter().map(shown).collect();
    let examples = examples.join(", ");
    format!("| {conversion} | {inputs} | {theirs}{same} | {ours} | {why} | {examples} |\n")
}

fn shown(example: &Example) -> String {
    let (theirs, ours) = (said(example.theirs), said(example.ours));
    format!("{} → {theirs} / {ours}", octets(example.input))
}

fn said(said: Said) -> String {
    match said {
        Said::Gives(bytes) => octets(bytes),
        Said::Refuses => "refused".to_owned(),
    }
}

/// Octets as a code span. A backslash stands as `\x5C`, so that none is ambiguous.
fn octets(bytes: &[u8]) -> String {
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
