//! The conversions for which glibc has a module of its own, which does not go through Unicode, for
//! every code of the source.
//!
//! `CHARPIPE_BLESS=1 cargo test --test iconv direct` writes the tables in `crates/iconv/src/direct/` from
//! the results of the system's iconv.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::{env, fs, thread};

use crate::program::{Program, fixtures, locale};

/// A module: its encodings, the differences of its results from those through Unicode, and the numbers
/// of codes that charpipe converts otherwise.
struct Module {
    from: &'static str,
    to: &'static str,
    /// The code that `-c` writes for a character without one.
    missing: &'static [u8],
    differences: usize,
    /// Malformed sequences, which glibc converts, copies, or skips together with an ASCII byte.
    malformed: usize,
    /// Second codes of a character, which glibc does not convert.
    duplicates: usize,
}

/// The modules for multi-byte encodings.
const MODULES: [Module; 4] = [
    Module {
        from: "GB2312",
        to: "BIG5",
        missing: b"\xA1\xBC",
        differences: 2332,
        malformed: 820,
        duplicates: 0,
    },
    Module {
        from: "BIG5",
        to: "GB2312",
        missing: b"\xA1\xF5",
        differences: 2711,
        malformed: 63,
        duplicates: 2,
    },
    Module {
        from: "GBK",
        to: "GB2312",
        missing: b"",
        differences: 3,
        malformed: 1337,
        duplicates: 0,
    },
    Module {
        from: "GB2312",
        to: "GBK",
        missing: b"",
        differences: 2,
        malformed: 16812,
        duplicates: 0,
    },
];

/// Returns every code of one or two bytes that is not malformed in all of these encodings.
fn codes() -> impl Iterator<Item = Vec<u8>> {
    let single = (0..0x80u8).filter(|byte| *byte != b'\n').map(|byte| vec![byte]);
    let trails = || (0x40..0x7F).chain(0x80..=0xFFu8);
    let pairs = (0x81..=0xFFu8).flat_map(move |lead| trails().map(move |trail| vec![lead, trail]));
    single.chain(pairs)
}

/// Converts every code, and skips what cannot be converted.
fn convert(program: &Program, from: &str, to: &str) -> Vec<Vec<u8>> {
    let mut command = program.command(&locale("C"));
    command.args(["-c", "-f", from, "-t", to]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        pipe.write_all(
            &codes().flat_map(|code| [code, b"\n".to_vec()].concat()).collect::<Vec<_>>(),
        )
    });
    let stdout = child.wait_with_output().unwrap().stdout;
    writer.join().unwrap().unwrap();
    let lines = stdout.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

/// Returns the characters of a conversion to UTF-8, `None` for a code that is malformed.
fn characters(lines: Vec<Vec<u8>>) -> Vec<Option<char>> {
    let character = |(code, line): (Vec<u8>, Vec<u8>)| {
        let text = String::from_utf8(line).unwrap();
        let mut chars = text.chars();
        let character = chars.next().filter(|_| chars.next().is_none())?;
        (code.len() == 1 || !character.is_ascii() && !character.is_control()).then_some(character)
    };
    codes().zip(lines).map(character).collect()
}

/// A code of the source encoding in glibc's module.
struct Row {
    code: Vec<u8>,
    /// Its character, if it has one.
    source: Option<char>,
    /// What glibc makes of it.
    direct: Vec<u8>,
    /// The character of that, if it is not written in place of a missing one.
    target: Option<char>,
    /// Whether it would be another one by way of Unicode.
    differs: bool,
}

fn rows(glibc: &Program, module: &Module) -> Vec<Row> {
    let Module { from, to, missing, .. } = *module;
    let sources = characters(convert(glibc, from, "UTF-8"));
    let targets = characters(convert(glibc, to, "UTF-8"));
    let targets: BTreeMap<Vec<u8>, char> =
        codes().zip(targets).filter_map(|(code, found)| Some((code, found?))).collect();
    let directory = fixtures();
    let text: String = sources.iter().flatten().flat_map(|source| [*source, '\n']).collect();
    let arguments = ["-c", "-f", "UTF-8", "-t", to];
    let through = glibc.run(directory.path(), &locale("C"), &arguments, text.as_bytes()).stdout;
    let mut through = through.split(|byte| *byte == b'\n');
    let row = |((code, source), direct): ((Vec<u8>, Option<char>), Vec<u8>)| {
        let Some(character) = source else {
            return Row { code, source, direct, target: None, differs: false };
        };
        let through = through.next().unwrap();
        // A white square is converted to a white square.
        let is_missing = direct == missing && character != '\u{25A1}';
        let target = if is_missing { None } else { Some(targets[&direct]) };
        let differs = direct != through && (target.is_some() || !through.is_empty());
        Row { code, source, direct, target, differs }
    };
    codes().zip(sources).zip(convert(glibc, from, to)).map(row).collect()
}

#[test]
fn every_code_of_a_direct_conversion_has_the_result_of_glibc() {
    let Some(glibc) = Program::system().filter(|_| Program::glibc().is_some()) else { return };
    for module in MODULES {
        let Module { from, to, differences, malformed, duplicates, .. } = module;
        let rows = rows(&glibc, &module);
        // Of several codes of a character one is converted.
        let mut table = BTreeMap::new();
        for row in rows.iter().filter(|row| row.source.is_some()) {
            let entry = table.entry(row.source.unwrap()).or_insert((row.target, row.differs));
            if entry.0.is_none() {
                *entry = (row.target, row.differs);
            }
        }
        if env::var_os("CHARPIPE_BLESS").is_some() {
            table.retain(|_, (_, differs)| *differs);
            bless(from, to, &table);
            continue;
        }
        let (mut malformed_found, mut duplicates_found) = (0, 0);
        let mut different = Vec::new();
        let found = convert(&Program::charpipe(), from, to);
        assert_eq!(found.len(), rows.len());
        for (Row { code, source, direct, target, .. }, found) in rows.iter().zip(found) {
            match source.map(|source| table[&source].0) {
                None => malformed_found += usize::from(*direct != found),
                Some(other) if other != *target => duplicates_found += 1,
                Some(_) if *direct != found => different.push((code, source, direct, found)),
                Some(_) => {}
            }
        }
        let examples = &different[..different.len().min(5)];
        assert!(different.is_empty(), "{from} to {to}: {} as {examples:02X?}", different.len());
        table.retain(|_, (_, differs)| *differs);
        assert_eq!(
            (table.len(), malformed_found, duplicates_found),
            (differences, malformed, duplicates),
            "{from} to {to}"
        );
    }
}

#[test]
fn every_byte_of_a_direct_conversion_has_the_result_of_glibc() {
    let Some(glibc) = Program::system().filter(|_| Program::glibc().is_some()) else { return };
    let bytes: Vec<u8> = (0..=255).collect();
    let directory = fixtures();
    for (from, to) in [("IBM1008", "IBM420"), ("IBM420", "IBM1008")] {
        let run = |program: &Program| {
            program.run(directory.path(), &locale("C"), &["-f", from, "-t", to], &bytes)
        };
        let expected = run(&glibc);
        if env::var_os("CHARPIPE_BLESS").is_some() && from == "IBM1008" {
            let hex = |row: &[u8]| row.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>();
            let rows = expected.stdout.chunks(16).map(|row| hex(row).join(" ") + "\n");
            let page = format!(
                "# The bytes of IBM420 for the bytes 00 to FF of IBM1008, as in glibc's module, and in \
                 the other\n# direction the inverse. Generated from glibc 2.36 by\n# {COMMAND}\n{}",
                rows.collect::<String>()
            );
            fs::write(format!("{DIRECTORY}ibm1008-ibm420.txt"), page).unwrap();
            continue;
        }
        assert_eq!(run(&Program::charpipe()), expected, "{from} to {to}");
    }
}

#[test]
fn errors_of_direct_conversions_are_those_of_glibc() {
    let Some(glibc) = Program::system().filter(|_| Program::glibc().is_some()) else { return };
    let directory = fixtures();
    let ends = [&b""[..], b"z", b"\n\xB0\xA1"];
    for module in MODULES.iter().filter(|module| module.to != "GBK") {
        // In GBK glibc takes FF for a lead byte.
        let rows = rows(&glibc, module);
        let unmappable = rows.iter().filter(|row| row.source.is_some() && row.target.is_none());
        let sequences: [&[u8]; 4] = [b"\xFF", b"\xA1", b"\xA1\x20", b"\xC9"];
        let sequences = sequences.map(<[u8]>::to_vec).into_iter().filter(|_| module.from != "GBK");
        for code in unmappable.step_by(97).map(|row| row.code.clone()).take(5).chain(sequences) {
            for end in ends {
                let input = [b"a\xB0\xA1", &code[..], end].concat();
                for arguments in [&[][..], &["//TRANSLIT"], &["//IGNORE"], &["-c"]] {
                    let suffix = arguments.iter().find(|word| word.starts_with('/'));
                    let to = format!("{}{}", module.to, suffix.unwrap_or(&""));
                    let mut arguments: Vec<&str> =
                        arguments.iter().copied().filter(|word| *word == "-c").collect();
                    arguments.extend(["-f", module.from, "-t", &to]);
                    let run = |program: &Program| {
                        program.run(directory.path(), &locale("C"), &arguments, &input)
                    };
                    let (mut expected, found) = (run(&glibc), run(&Program::charpipe()));
                    if arguments[0] == "-c" && expected.status == 0 {
                        // As in glibc 2.41.
                        expected.status = found.status;
                    }
                    assert_eq!(found, expected, "{arguments:?} {}", input.escape_ascii());
                }
            }
        }
    }
}

const COMMAND: &str = "CHARPIPE_BLESS=1 cargo test --test iconv direct";
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/iconv/src/direct/");

fn bless(from: &str, to: &str, table: &BTreeMap<char, (Option<char>, bool)>) {
    let mut page = format!(
        "# From {from} to {to} as in glibc's module: each character whose result is not the same\n\
         # character in {to}, and what it becomes, if anything. Generated from glibc 2.36 by\n\
         # {COMMAND}\n",
    );
    for (source, (target, _)) in table {
        writeln!(page, "{source}\t{}", target.map(String::from).unwrap_or_default()).unwrap();
    }
    let name = format!("{}-{}.tsv", from.to_lowercase(), to.to_lowercase());
    fs::write(format!("{DIRECTORY}{name}"), page).unwrap();
}
