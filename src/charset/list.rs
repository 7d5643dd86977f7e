//! Lists of charsets, put together when charpipe is compiled.

use super::Charset;

/// How many charsets stand in all these lists.
pub const fn count(lists: &[&[&Charset]]) -> usize {
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

/// All these lists, one behind the other. `COUNT` is the [`count`] of them.
pub const fn chained<const COUNT: usize>(
    lists: &[&[&'static Charset]],
) -> [&'static Charset; COUNT] {
    let mut chained = [lists[0][0]; COUNT];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            chained[at] = lists[list][index];
            at += 1;
            index += 1;
        }
        list += 1;
    }
    chained
}

/// A reference to each charset of an array.
pub const fn each<const COUNT: usize>(
    charsets: &'static [Charset; COUNT],
) -> [&'static Charset; COUNT] {
    let mut each = [&charsets[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        each[index] = &charsets[index];
        index += 1;
    }
    each
}
