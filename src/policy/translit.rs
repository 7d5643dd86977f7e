//! Look-alikes in ASCII, as `iconv -t CHARSET//TRANSLIT` writes them.
//!
//! glibc takes them from the locale; charpipe gives the same bytes everywhere and takes those of
//! `en_US`. The table is text, so that a reader can look a character up; it is parsed on the first
//! fault that asks, in about a tenth of a millisecond.

use std::sync::LazyLock;

const TABLE: &str = include_str!("translit.tsv");

static ROWS: LazyLock<Vec<(u32, &'static str)>> = LazyLock::new(|| {
    TABLE
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(code, text)| Some((u32::from_str_radix(code, 16).ok()?, text)))
        .collect()
});

/// What looks like this code point.
pub(super) fn look_alike(value: u32) -> Option<&'static str> {
    let row = ROWS.binary_search_by_key(&value, |(code, _)| *code).ok()?;
    Some(ROWS[row].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_texts_are_short_ascii() {
        assert_eq!(ROWS.len(), TABLE.lines().filter(|line| !line.starts_with('#')).count());
        assert!(ROWS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (code, text) in ROWS.iter() {
            assert!(text.len() <= 16, "{code:04X}");
            assert!(text.bytes().all(|b| (b' '..=b'~').contains(&b)), "{code:04X} {text:?}");
        }
    }

    #[test]
    fn well_known_look_alikes_are_those_of_iconv() {
        for (character, text) in [('é', "e"), ('€', "EUR"), ('—', "--"), ('“', "\""), ('ß', "ss")]
        {
            assert_eq!(look_alike(character.into()), Some(text), "{character}");
        }
        assert_eq!(look_alike('я'.into()), None);
    }
}
