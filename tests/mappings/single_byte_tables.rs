//! The table of 8-bit tables is that of the truth. With `CHARPIPE_BLESS=1` in the environment this
//! test draws it again: what a head says of an encoding is kept, what stands below a head is made from
//! the encoding's map.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::archive;
use crate::map::EncodingMap;

const TABLES_FILE: &str = "src/encoding/single_byte/tables.txt";

type ByteTable = [Option<char>; 0x100];

#[test]
fn single_byte_tables_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLES_FILE);
    let written = fs::read_to_string(&path).unwrap();
    let drawn = render_tables(&written);
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    assert!(written == drawn, "{TABLES_FILE} is out of date; set CHARPIPE_BLESS=1 to draw it anew");
}

/// The names of the encodings of the table.
pub fn names() -> Vec<String> {
    let table =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLES_FILE)).unwrap();
    let heads = table.lines().filter_map(|line| line.strip_prefix("= "));
    heads.map(|head| head.split(' ').next().unwrap().to_owned()).collect()
}

/// The map that says what an encoding is: that of the vendor variant, else of glibc, else of
/// libiconv, else of the one that has it.
pub fn source_map(name: &str) -> EncodingMap {
    let name = match name {
        "US-ASCII" => "ANSI_X3.4-1968",
        _ => name,
    };
    if let Some((vendor @ ("whatwg" | "libiconv"), name)) = name.split_once(':') {
        return archive::map(&format!("{vendor}/{name}"));
    }
    let origins = ["glibc", "libiconv", "whatwg", "icu", "python", "recode", "perl"];
    let maps = origins.map(|origin| format!("{origin}/{name}"));
    let known = |map: &&String| archive::names().any(|known| known == map.as_str());
    archive::map(maps.iter().find(known).unwrap_or_else(|| panic!("no map of {name}")))
}

/// The heads of a table, and below each what the truth has.
fn render_tables(table: &str) -> String {
    let mut mappings: BTreeMap<&str, ByteTable> = BTreeMap::new();
    let mut drawn = String::new();
    let heads = |line: &&str| line.starts_with(['#', '~', '=']);
    for (index, line) in table.lines().filter(heads).enumerate() {
        let remark = line.starts_with('#');
        let apart =
            index > 0 && !(remark && drawn.lines().last().is_some_and(|l| l.starts_with('#')));
        drawn += if apart { "\n" } else { "" };
        drawn += line;
        drawn += "\n";
        if remark {
            continue;
        }
        let mut words = line[2..].split(' ');
        let name = words.next().unwrap();
        let base = (words.next() == Some("<")).then(|| mappings[words.next().unwrap()]);
        let map = source_map(name);
        let mapping = byte_table(&map);
        drawn += &rows(&mapping, &base.unwrap_or([None; 0x100]));
        drawn += &codes(&map);
        mappings.insert(name, mapping);
    }
    drawn
}

fn byte_table(map: &EncodingMap) -> ByteTable {
    let mut mapping = [None; 0x100];
    for (code, text) in &map.decode {
        if let [byte] = code[..] {
            mapping[usize::from(byte)] = text.chars().next();
        }
    }
    mapping
}

/// The rows that differ from those of the base.
fn rows(mapping: &ByteTable, base: &ByteTable) -> String {
    let pairs = mapping.chunks(16).zip(base.chunks(16)).enumerate();
    let own = pairs.filter(|(_, (row, base))| row != base);
    own.map(|(digit, (row, _))| {
        let cells: Vec<_> = row.iter().copied().map(cell).collect();
        format!("{digit:X}_ {}\n", cells.join(" "))
    })
    .collect()
}

/// A character as itself, where that can be read in a row, else as its code point.
fn cell(character: Option<char>) -> String {
    let Some(character) = character else { return "--".to_owned() };
    let shown = match character {
        '!'..='~' | '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{2FF}' => true,
        // Marks, scripts that run from right to left, and scripts with marks.
        '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{590}'..='\u{DFF}' => false,
        '\u{E31}' | '\u{E34}'..='\u{E3E}' | '\u{E47}'..='\u{E4E}' => false,
        '\u{EB1}' | '\u{EB4}'..='\u{EBC}' | '\u{EC7}'..='\u{ECF}' => false,
        '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' => false,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{2070}'..='\u{2BFF}' => true,
        _ => character.is_alphanumeric(),
    };
    if shown { character.to_string() } else { format!("{:02X}", u32::from(character)) }
}

/// What stands beside the mapping: codes that are only encoded, then accents or marks.
fn codes(map: &EncodingMap) -> String {
    let hex = |code: &[u8]| code.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let number = |text: &str| format!("{:02X}", u32::from(text.chars().next().unwrap()));
    let mut lines = String::new();
    let decoded =
        map.decode.iter().chain(&map.composed).filter_map(|(_, text)| text.chars().next());
    let both: BTreeSet<char> = map.encode.keys().copied().chain(decoded).collect();
    let only: Vec<_> = both
        .iter()
        .filter(|character| map.encode.get(character) != default_code(map, **character))
        .map(|character| {
            let code = map.encode.get(character).map_or("--".to_owned(), |code| hex(code));
            format!("{:02X}={code}", u32::from(*character))
        })
        .collect();
    for line in only.chunks(12) {
        lines += &format!("+ {}\n", line.join(" "));
    }
    let accented = map.decode.iter().filter(|(code, _)| code.len() > 1);
    for (mark, codes) in [("^", Vec::from_iter(accented)), ("&", Vec::from_iter(&map.composed))] {
        let lead = |code: &&(Vec<u8>, String)| code.0.split_last().unwrap().1.to_vec();
        let mut codes = codes;
        codes.sort();
        for side_by_side in codes.chunk_by(|one, other| lead(one) == lead(other)) {
            let lead = lead(&side_by_side[0]);
            lines += &format!("{mark} {}", hex(&lead));
            for (code, text) in side_by_side {
                lines += &format!(" {:02X}={}", code.last().unwrap(), number(text));
            }
            lines += "\n";
        }
    }
    lines
}

/// What one expects a character to be encoded to: the lowest byte, else the first of the codes.
fn default_code(map: &EncodingMap, character: char) -> Option<&Vec<u8>> {
    let means = |(_, text): &&(Vec<u8>, String)| text.chars().eq([character]);
    let mut codes: Vec<_> = map.decode.iter().filter(means).map(|(code, _)| code).collect();
    codes.sort_by_key(|code| (code.len(), *code));
    let composed = map.composed.iter().filter(means).map(|(code, _)| code).min();
    codes.first().copied().or(composed)
}
