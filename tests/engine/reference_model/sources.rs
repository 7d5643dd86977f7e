//! The sources, read by the book: the standard library, or the plainest loop.

use charpipe::internals::conversion_error::ErrorClass;

/// The items of a file.
#[derive(Debug, Clone, Copy)]
pub enum InputUnit {
    Character(char),
    Byte(u8),
}

/// The content of a file, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputItem {
    Character(char),
    Malformed(ErrorClass, Vec<u8>),
}

/// An encoding and how a file in it is written and read.
pub type InputEncoding = (&'static str, fn(&[InputUnit]) -> File);

/// A file, and each item in it with its offset.
pub type File = (Vec<u8>, Vec<(u64, InputItem)>);

pub const SOURCES: [InputEncoding; 5] = [
    ("utf-8", utf_8),
    ("utf-16le", utf_16le),
    ("latin1", |units| single_byte(units, 0x100)),
    ("ascii", |units| single_byte(units, 0x80)),
    ("utf-7", utf_7),
];

fn bytes(units: &[InputUnit], write: impl Fn(char, &mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        match *unit {
            InputUnit::Character(character) => write(character, &mut bytes),
            InputUnit::Byte(byte) => bytes.push(byte),
        }
    }
    bytes
}

fn utf_8(units: &[InputUnit]) -> File {
    let bytes = bytes(units, |c, to| to.extend_from_slice(c.to_string().as_bytes()));
    let (mut items, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let chunk = bytes[at..].utf8_chunks().next().unwrap();
        for (index, character) in chunk.valid().char_indices() {
            items.push(((at + index) as u64, InputItem::Character(character)));
        }
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            let cut = std::str::from_utf8(&bytes[at..]).unwrap_err().error_len().is_none();
            let kind = if cut { ErrorClass::Truncated } else { ErrorClass::Malformed };
            items.push((at as u64, InputItem::Malformed(kind, chunk.invalid().to_vec())));
        }
        at += chunk.invalid().len();
    }
    (bytes, items)
}

fn utf_16le(units: &[InputUnit]) -> File {
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
            (None, _) | (Some(0xD800..=0xDBFF), None) => {
                (bytes.len() - at, Err(ErrorClass::Truncated))
            }
            (Some(one), _) => (2, char::from_u32(one.into()).ok_or(ErrorClass::Malformed)),
        };
        let invalid = |kind| InputItem::Malformed(kind, bytes[at..at + len].to_vec());
        items.push((at as u64, item.map_or_else(invalid, InputItem::Character)));
        at += len;
    }
    (bytes, items)
}

fn single_byte(units: &[InputUnit], limit: u32) -> File {
    let bytes = bytes(units, |character, to| to.push(character as u8));
    let item = |byte: u8| match u32::from(byte) < limit {
        true => InputItem::Character(byte.into()),
        false => InputItem::Malformed(ErrorClass::Malformed, vec![byte]),
    };
    let items = bytes.iter().enumerate().map(|(at, byte)| (at as u64, item(*byte))).collect();
    (bytes, items)
}

/// The position of a character in base64 is that of the first byte with bits of it.
fn utf_7(units: &[InputUnit]) -> File {
    let (mut bytes, mut items, mut run) = (Vec::new(), Vec::new(), Vec::<u16>::new());
    for unit in units.iter().copied().chain([InputUnit::Character('\n')]) {
        if let InputUnit::Character(character) = unit
            && !"abc\n".contains(character)
        {
            let bits = 16 * run.len();
            items.push(((bytes.len() + 1 + bits / 6) as u64, InputItem::Character(character)));
            run.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            continue;
        }
        if !run.is_empty() {
            bytes.extend_from_slice(format!("+{}-", base64(&run)).as_bytes());
            run.clear();
        }
        let (byte, item) = match unit {
            InputUnit::Character(character) => (character as u8, InputItem::Character(character)),
            InputUnit::Byte(byte) => {
                (byte | 0x80, InputItem::Malformed(ErrorClass::Malformed, vec![byte | 0x80]))
            }
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
