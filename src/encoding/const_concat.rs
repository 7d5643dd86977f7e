//! Lists of encodings, put together when charpipe is compiled.

use super::Encoding;

/// How many encodings stand in all these lists.
pub const fn total_len(lists: &[&[&Encoding]]) -> usize {
    let (mut list, mut total) = (0, 0);
    while list < lists.len() {
        total += lists[list].len();
        list += 1;
    }
    total
}

/// All these lists, one after the other. `COUNT` is the [`count`] of them.
pub const fn concat<const COUNT: usize>(
    lists: &[&[&'static Encoding]],
) -> [&'static Encoding; COUNT] {
    let mut all = [lists[0][0]; COUNT];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[at] = lists[list][index];
            at += 1;
            index += 1;
        }
        list += 1;
    }
    all
}

/// A reference to each encoding of an array.
pub const fn refs<const COUNT: usize>(
    encodings: &'static [Encoding; COUNT],
) -> [&'static Encoding; COUNT] {
    let mut all = [&encodings[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = &encodings[index];
        index += 1;
    }
    all
}
