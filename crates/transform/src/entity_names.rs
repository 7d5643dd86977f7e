//! The names of character references in HTML, from `entity_names.txt`.

use std::sync::LazyLock;

/// The names and their characters, and the characters and the names that are written for them.
pub(super) struct EntityNames {
    /// In the order of their bytes.
    by_name: Vec<Entity>,
    /// The name of each character that has one, in the order of the characters.
    by_char: Vec<(char, &'static str)>,
}

/// A name and its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entity {
    /// The name, without the semicolon.
    name: &'static str,
    /// Whether the name is also a reference without a semicolon.
    is_legacy: bool,
    chars: (char, Option<char>),
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
        let mut names = EntityNames { by_name: Vec::new(), by_char: Vec::new() };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (code_points, line_names) = line.split_once('\t').unwrap_or((line, ""));
            let mut chars = code_points.split('+').map(|digits| {
                let number = u32::from_str_radix(digits, 16).unwrap_or_default();
                char::from_u32(number).unwrap_or_default()
            });
            let chars = (chars.next().unwrap_or_default(), chars.next());
            let line_names = line_names.split(' ').map(|name| match name.strip_suffix('*') {
                Some(name) => Entity { name, is_legacy: true, chars },
                None => Entity { name, is_legacy: false, chars },
            });
            let start = names.by_name.len();
            names.by_name.extend(line_names);
            if chars.1.is_none() {
                names.by_char.push((chars.0, names.by_name[start].name));
            }
        }
        names.by_name.sort_unstable_by_key(|entity| entity.name);
        names
    }

    /// Returns the entity of a name without its semicolon.
    pub fn find(&self, name: &[u8]) -> Option<Entity> {
        let compare = |entity: &Entity| entity.name.as_bytes().cmp(name);
        self.by_name.binary_search_by(compare).ok().map(|index| self.by_name[index])
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
        let found = self.by_char.binary_search_by_key(&character, |(own, _)| *own);
        found.ok().map(|index| self.by_char[index].1)
    }
}

impl Entity {
    /// Writes the text to `buffer` and returns it.
    pub fn text(self, buffer: &mut [u8; 8]) -> &str {
        let mut len = self.chars.0.encode_utf8(buffer).len();
        if let Some(second) = self.chars.1 {
            len += second.encode_utf8(&mut buffer[len..]).len();
        }
        std::str::from_utf8(&buffer[..len]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_the_names_of_the_standard() {
        let names = EntityNames::get();
        let legacy = names.by_name.iter().filter(|entity| entity.is_legacy);
        assert_eq!(names.by_name.len() + legacy.clone().count(), 2231);
        assert!(legacy.clone().all(|entity| LEGACY_LENS.contains(&entity.name.len())));
        assert_eq!(names.by_name.iter().map(|entity| entity.name.len()).max(), Some(MAX_NAME_LEN));
        assert!(names.by_name.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(names.by_char.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let is_name =
            |entity: &Entity| entity.name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(names.by_name.iter().all(is_name));
    }

    #[test]
    fn names_are_found_both_ways() {
        let names = EntityNames::get();
        let text = |name: &str| {
            names.find(name.as_bytes()).map(|entity| entity.text(&mut [0; 8]).to_owned())
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
