//! The names of character references in HTML, from `entity_names.txt`.

use std::sync::LazyLock;

/// The names and their characters, and the characters and the names that are written for them.
pub(super) struct EntityNames {
    by_name: Vec<Entity>,
    name_index: HashIndex,
    /// The name of each character that has one, in the order of the characters.
    by_char: Vec<(char, &'static str)>,
    char_index: HashIndex,
}

/// A name and its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entity {
    /// The name, without the semicolon.
    name: &'static str,
    /// Whether the name is also a reference without a semicolon.
    is_legacy: bool,
    /// One or two characters.
    text: [u8; 8],
    text_len: u8,
}

/// The maximum length of a name, without the semicolon.
pub(super) const MAX_NAME_LEN: usize = 31;

/// The lengths of the names that are also references without a semicolon.
const LEGACY_LENS: std::ops::RangeInclusive<usize> = 2..=6;

static NAMES: LazyLock<EntityNames> =
    LazyLock::new(|| EntityNames::parse(include_str!("entity_names.txt")));

impl EntityNames {
    /// Returns the table, which the first call creates.
    pub fn get() -> &'static EntityNames {
        &NAMES
    }

    fn parse(table: &'static str) -> EntityNames {
        let (mut by_name, mut by_char) = (Vec::new(), Vec::new());
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (code_points, line_names) = line.split_once('\t').unwrap_or((line, ""));
            let chars = code_points.split('+').map(|digits| {
                let number = u32::from_str_radix(digits, 16).unwrap_or_default();
                char::from_u32(number).unwrap_or_default()
            });
            let (mut text, mut text_len) = ([0; 8], 0);
            for character in chars.clone() {
                text_len += character.encode_utf8(&mut text[text_len..]).len();
            }
            let text_len = text_len as u8;
            let line_names = line_names.split(' ').map(|name| match name.strip_suffix('*') {
                Some(name) => Entity { name, is_legacy: true, text, text_len },
                None => Entity { name, is_legacy: false, text, text_len },
            });
            let start = by_name.len();
            by_name.extend(line_names);
            if let (Some(character), 1) = (chars.clone().next(), chars.count()) {
                by_char.push((character, by_name[start].name));
            }
        }
        let name_index = HashIndex::new(by_name.iter().map(|entity| hash(entity.name.as_bytes())));
        let char_index = HashIndex::new(by_char.iter().map(|(own, _)| hash_char(*own)));
        EntityNames { by_name, name_index, by_char, char_index }
    }

    /// Returns the entity of a name without its semicolon.
    pub fn find(&self, name: &[u8]) -> Option<Entity> {
        let mut found = self.name_index.candidates(hash(name)).map(|index| self.by_name[index]);
        found.find(|entity| entity.name.as_bytes() == name)
    }

    /// Returns the entity of the longest start of `text` that is a reference without a semicolon,
    /// and its length.
    pub fn find_legacy_prefix(&self, text: &[u8]) -> Option<(Entity, usize)> {
        LEGACY_LENS.rev().find_map(|len| {
            let entity = self.find(text.get(..len)?)?;
            entity.is_legacy.then_some((entity, len))
        })
    }

    /// Returns the name of a character, without the semicolon.
    pub fn name_of(&self, character: char) -> Option<&'static str> {
        let mut found =
            self.char_index.candidates(hash_char(character)).map(|index| self.by_char[index]);
        found.find(|(own, _)| *own == character).map(|(_, name)| name)
    }
}

impl Entity {
    /// Returns the text, in a longer array, and its length.
    pub fn text(self) -> ([u8; 8], usize) {
        (self.text, self.text_len.into())
    }
}

/// The number of slots: about twice that of the names.
const SLOT_COUNT: usize = 4096;

/// The indexes of a list by a hash of its items: open addressing with linear probing.
struct HashIndex {
    /// One more than the index, or zero.
    slots: Box<[u16]>,
}

impl HashIndex {
    /// Creates the index of a list from the hashes of its items, of which there are fewer than slots.
    fn new(hashes: impl Iterator<Item = u32>) -> HashIndex {
        let mut slots = vec![0; SLOT_COUNT].into_boxed_slice();
        for (index, hash) in hashes.enumerate() {
            let mut at = slot_of(hash);
            while slots[at] != 0 {
                at = (at + 1) % SLOT_COUNT;
            }
            slots[at] = index as u16 + 1;
        }
        HashIndex { slots }
    }

    /// Returns the indexes of the items that may have this hash.
    fn candidates(&self, hash: u32) -> impl Iterator<Item = usize> {
        let slots = (slot_of(hash)..).map(|at| self.slots[at % SLOT_COUNT]);
        slots.map_while(|slot| usize::from(slot).checked_sub(1))
    }
}

fn slot_of(hash: u32) -> usize {
    (hash >> 20) as usize % SLOT_COUNT
}

fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, byte| {
        (hash.rotate_left(5) ^ u32::from(*byte)).wrapping_mul(0x9E37_79B1)
    })
}

fn hash_char(character: char) -> u32 {
    u32::from(character).wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn table_has_the_names_of_the_standard() {
        let names = EntityNames::get();
        let legacy = names.by_name.iter().filter(|entity| entity.is_legacy);
        assert_eq!(names.by_name.len() + legacy.clone().count(), 2231);
        assert!(legacy.clone().all(|entity| LEGACY_LENS.contains(&entity.name.len())));
        assert_eq!(names.by_name.iter().map(|entity| entity.name.len()).max(), Some(MAX_NAME_LEN));
        let found = names.by_name.iter().map(|entity| names.find(entity.name.as_bytes()));
        assert!(
            found
                .zip(&names.by_name)
                .all(|(found, own)| found.is_some_and(|found| found.name == own.name))
        );
        let distinct: HashSet<_> = names.by_name.iter().map(|entity| entity.name).collect();
        assert_eq!(distinct.len(), names.by_name.len());
        assert!(names.by_char.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let is_name =
            |entity: &Entity| entity.name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(names.by_name.iter().all(is_name));
    }

    #[test]
    fn names_are_found_both_ways() {
        let names = EntityNames::get();
        let text = |name: &str| {
            names.find(name.as_bytes()).map(|entity| {
                let (text, len) = entity.text();
                String::from_utf8_lossy(&text[..len]).into_owned()
            })
        };
        assert_eq!(text("notin").as_deref(), Some("∉"));
        assert_eq!(text("NotEqualTilde").as_deref(), Some("\u{2242}\u{338}"));
        assert_eq!(text("Amp"), None);
        let prefix = |text: &str| names.find_legacy_prefix(text.as_bytes()).map(|(_, len)| len);
        assert_eq!(prefix("notit"), Some(3));
        assert_eq!(prefix("frac12x"), Some(6));
        assert_eq!(prefix("alpha"), None);
        assert_eq!(names.name_of('…'), Some("hellip"));
        assert_eq!(names.name_of('\u{A0}'), Some("nbsp"));
        assert_eq!(names.name_of('日'), None);
    }
}
