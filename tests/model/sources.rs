//! The sources, read by the book: the standard library, or the plainest loop.

use charpipe::fault::Kind;

/// What a file is made of.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    Character(char),
    Byte(u8),
}

/// What stands in a file, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Character(char),
    Bad(Kind, Vec<u8>),
}

/// A charset and how a file in it is written and read.
pub type Source = (&'static str, fn(&[Unit]) -> File);

/// A file, and each item in it with its offset.
pub type File = (Vec<u8>, Vec<(u64, Item)>);

pub const SOURCES: [Source; 5] = [
    ("utf-8", utf_8),
    ("utf-16le", utf_16le),
    ("latin1", |units| single(units, 0x100)),
    ("ascii", |units| single(units, 0x80)),
    ("utf-7", utf_7),
];

fn bytes(units: &[Unit], write: impl Fn(char, &mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        match *unit {
            Unit::Character(character) => write(character, &mut bytes),
            Unit::Byte(byte) => bytes.push(byte),
        }
    }
    bytes
}

fn utf_8(units: &[Unit]) -> File {
    let bytes = bytes(units, |c, to| to.extend_from_slice(c.to_string().as_bytes()));
    let (mut items, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let chunk = bytes[at..].utf8_chunks().next().unwrap();
        for (index, character) in chunk.valid().char_indices() {
            items.push(((at + index) as u64, Item::Character(character)));
        }
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            let cut = std::str::from_utf8(&bytes[at..]).unwrap_err().error_len().is_none();
            let kind = if cut { Kind::Truncated } else { Kind::IllFormed };
            items.push((at as u64, Item::Bad(kind, chunk.invalid().to_vec())));
        }
        at += chunk.invalid().len();
    }
    (bytes, items)
}

fn utf_16le(units: &[Unit]) -> File {
    let bytes = bytes(units, |character, to| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            to.extend_from_slice(&unit.to_le_bytes());
        }
    });
    let unit = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let (mut items, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let (len, item) = match (unit(at), unit(at + 2)) {
            (Some(one @ 0xD800..=0xDBFF), Some(two @ 0xDC00..=0xDFFF)) => {
                let value = 0x1_0000 + (u32::from(one & 0x3FF) << 10) + u32::from(two & 0x3FF);
                (4, Ok(char::from_u32(value).unwrap()))
            }
            (None, _) | (Some(0xD800..=0xDBFF), None) => (bytes.len() - at, Err(Kind::Truncated)),
            (Some(one), _) => (2, char::from_u32(one.into()).ok_or(Kind::IllFormed)),
        };
        let bad = |kind| Item::Bad(kind, bytes[at..at + len].to_vec());
        items.push((at as u64, item.map_or_else(bad, Item::Character)));
        at += len;
    }
    (bytes, items)
}

fn single(units: &[Unit], limit: u32) -> File {
    let bytes = bytes(units, |character, to| to.push(character as u8));
    let item = |byte: u8| match u32::from(byte) < limit {
        true => Item::Character(byte.into()),
        false => Item::Bad(Kind::IllFormed, vec![byte]),
    };
    let items = bytes.iter().enumerate().map(|(at, byte)| (at as u64, item(*byte))).collect();
    (bytes, items)
}

/// A character in base64 stands where the first octet stands that has bits of it.
fn utf_7(units: &[Unit]) -> File {
    let (mut bytes, mut items, mut run) = (Vec::new(), Vec::new(), Vec::<u16>::new());
    for unit in units.iter().copied().chain([Unit::Character('\n')]) {
        if let Unit::Character(character) = unit
            && !"abc\n".contains(character)
        {
            let bits = 16 * run.len();
            items.push(((bytes.len() + 1 + bits / 6) as u64, Item::Character(character)));
            run.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            continue;
        }
        if !run.is_empty() {
            bytes.extend_from_slice(format!("+{}-", base64(&run)).as_bytes());
            run.clear();
        }
        let (byte, item) = match unit {
            Unit::Character(character) => (character as u8, Item::Character(character)),
            Unit::Byte(byte) => (byte | 0x80, Item::Bad(Kind::IllFormed, vec![byte | 0x80])),
        };
        items.push((bytes.len() as u64, item));
        bytes.push(byte);
    }
    (bytes, items)
}

fn base64(units: &[u16]) -> String {
    use base64::Engine;
    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes)
}
