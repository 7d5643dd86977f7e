//! A table from characters to codes that is filled in as far as the text needs it.
//!
//! To invert a mapping takes longer than the rest of a start. So the first few characters are searched
//! for in the mappings, and only more of them, or a long text, make the table complete.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::encode_table::{CodeBytes, MultiByteEncodeTable, TableSource};
use crate::encoding::shared;

/// The number of characters that are searched for. This many take about as long as all codes.
const MAX_SEARCHES: usize = 64;

/// The length of the longest text whose characters are searched for, in bytes.
const MAX_SEARCHED_LEN: usize = 512;

/// The length of all texts whose characters are searched for, in bytes. To look for the characters of this
/// much text that have been searched for already takes about as long as all codes.
const MAX_TOTAL_LEN: usize = 128 * 1024;

/// What a character is encoded as, whatever the mappings have.
#[derive(Debug, Clone, Copy)]
pub enum Override {
    /// This code, or 0 for none.
    Code(CodeBytes),
    /// The code of another character, which is not encoded as a third one.
    SameAs(char),
}

/// The codes of several mappings, of which the first one that has a character is used.
#[derive(Debug)]
pub struct LazyEncodeTable {
    table: MultiByteEncodeTable,
    sources: Box<[TableSource]>,
    /// Of a character that occurs more than once, the last override applies. Codes come first.
    overrides: Box<[(char, Override)]>,
    /// The characters whose codes are in the table, if it is not complete.
    searched: Vec<char>,
    /// The length of all texts so far.
    total_len: usize,
    is_complete: bool,
}

impl LazyEncodeTable {
    /// Returns a table without codes.
    pub fn new(sources: Box<[TableSource]>, overrides: Box<[(char, Override)]>) -> LazyEncodeTable {
        LazyEncodeTable {
            table: MultiByteEncodeTable::new(),
            sources,
            overrides,
            // The last search may be one for two characters.
            searched: Vec::with_capacity(MAX_SEARCHES + 1),
            total_len: 0,
            is_complete: false,
        }
    }

    /// Returns the table. It has the codes of all text passed to [`prepare`](Self::prepare).
    #[inline(always)]
    pub fn codes(&self) -> &MultiByteEncodeTable {
        &self.table
    }

    /// Returns whether the table has all codes.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the code of a character if it does not depend on the next one, or else 0; `None` if that
    /// takes a complete table. Does not allocate.
    pub fn try_single(&mut self, character: char) -> Option<CodeBytes> {
        let is_added = self.is_complete || self.add_character(character);
        is_added.then(|| self.table.single(character))
    }

    /// Adds the codes of the characters of a text. Does not allocate.
    #[inline(always)]
    pub fn prepare(&mut self, text: &str) {
        if !self.is_complete {
            self.add_text(text);
        }
    }

    #[cold]
    fn add_text(&mut self, text: &str) {
        self.total_len += text.len();
        let is_short = text.len() <= MAX_SEARCHED_LEN && self.total_len <= MAX_TOTAL_LEN;
        if !is_short || !text.chars().all(|character| self.add_character(character)) {
            self.complete();
        }
    }

    /// Adds the codes of one character; returns false if that would be too many searches.
    fn add_character(&mut self, character: char) -> bool {
        if self.is_known(character) {
            return true;
        }
        let is_possible = self.searched.len() < MAX_SEARCHES;
        if is_possible {
            self.search(character);
        }
        is_possible
    }

    fn is_known(&self, character: char) -> bool {
        self.table.entry(character.into()) != 0 || self.searched.contains(&character)
    }

    fn search(&mut self, character: char) {
        self.searched.push(character);
        let table = &mut self.table;
        self.sources.iter().for_each(|source| source.add_character(table, character));
        self.apply_overrides(|overridden| overridden == character);
    }

    /// Adds all codes.
    pub fn complete(&mut self) {
        if self.is_complete {
            return;
        }
        self.table.remove_all(&self.searched);
        let table = &mut self.table;
        self.sources.iter().for_each(|source| source.add_to(table));
        self.apply_overrides(|_| true);
        self.is_complete = true;
    }

    /// Sets the codes of those characters that are encoded otherwise than they are decoded.
    fn apply_overrides(&mut self, is_applied: impl Fn(char) -> bool) {
        for source in &self.sources {
            source.apply_one_way(&mut self.table, &is_applied);
        }
        for index in 0..self.overrides.len() {
            let (character, action) = self.overrides[index];
            if !is_applied(character) {
                continue;
            }
            let code = match action {
                Override::Code(code) => code,
                Override::SameAs(other) => {
                    if !is_applied(other) && !self.is_known(other) {
                        self.search(other);
                    }
                    self.table.single(other)
                }
            };
            self.table.insert(character, code);
        }
    }

    /// Sets the code of a character in a complete table.
    pub fn insert(&mut self, character: char, code: CodeBytes) {
        self.table.insert(character, code);
    }
}

/// A table that all encoders of an encoding share.
#[derive(Debug)]
pub struct SharedEncodeTable {
    complete: OnceLock<LazyEncodeTable>,
    /// The table until it is complete.
    partial: Mutex<Option<LazyEncodeTable>>,
}

/// A table that has the codes of a text.
pub enum TableRef<'a> {
    /// With all codes.
    Complete(&'a LazyEncodeTable),
    /// With codes that were searched for. Other encoders wait for it.
    Partial(MutexGuard<'a, Option<LazyEncodeTable>>),
}

impl Deref for TableRef<'_> {
    type Target = LazyEncodeTable;

    fn deref(&self) -> &LazyEncodeTable {
        match self {
            TableRef::Complete(table) => table,
            TableRef::Partial(table) => {
                table.as_ref().expect("it is taken only when it is complete")
            }
        }
    }
}

impl SharedEncodeTable {
    pub fn new(table: LazyEncodeTable) -> SharedEncodeTable {
        SharedEncodeTable { complete: OnceLock::new(), partial: Mutex::new(Some(table)) }
    }

    /// Returns the table if it has all codes.
    #[inline]
    pub fn complete(&self) -> Option<&LazyEncodeTable> {
        self.complete.get()
    }

    /// Returns the table with the codes of a text. Does not allocate.
    #[inline]
    pub fn for_text(&self, text: &str) -> TableRef<'_> {
        match self.complete() {
            Some(table) => TableRef::Complete(table),
            None => self.prepare(text),
        }
    }

    /// Returns the code of a character if it does not depend on the next one, or else 0. Does not
    /// allocate.
    #[inline]
    pub fn single(&self, character: char) -> CodeBytes {
        match self.complete() {
            Some(table) => table.codes().single(character),
            None => self.search(character),
        }
    }

    #[cold]
    fn prepare(&self, text: &str) -> TableRef<'_> {
        let mut partial = shared::lock(&self.partial);
        if let Some(table) = partial.as_mut() {
            table.prepare(text);
            if !table.is_complete() {
                return TableRef::Partial(partial);
            }
        }
        TableRef::Complete(self.share(&mut partial))
    }

    #[cold]
    fn search(&self, character: char) -> CodeBytes {
        let mut partial = shared::lock(&self.partial);
        if let Some(table) = partial.as_mut() {
            if let Some(code) = table.try_single(character) {
                return code;
            }
            table.complete();
        }
        self.share(&mut partial).codes().single(character)
    }

    /// Returns the complete table, which was in `partial` or is shared already.
    fn share(&self, partial: &mut Option<LazyEncodeTable>) -> &LazyEncodeTable {
        let take = || partial.take().expect("it is taken only here, and shared then");
        self.complete.get_or_init(take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::multi_byte::mapping::MultiByteMapping;
    use crate::encoding::multi_byte::{cells, mapping};

    fn lazy(mappings: &[MultiByteMapping]) -> LazyEncodeTable {
        let tag = |index: usize| if mappings.len() == 1 { 0 } else { (index as u32 + 1) << 16 };
        let sources = mappings.iter().enumerate();
        let sources = sources.map(|(index, mapping)| TableSource::new(mapping, tag(index)));
        LazyEncodeTable::new(sources.collect(), Box::default())
    }

    /// Compares what a search finds with the complete table, for a part of all characters, by themselves
    /// and before those with which they have a common code.
    fn searches_equal_complete_table(mappings: &[MultiByteMapping]) {
        let mut complete = lazy(mappings);
        complete.complete();
        let mut partial = lazy(mappings);
        let one_way: Vec<char> = mappings
            .iter()
            .flat_map(|it| it.trie.one_way())
            .map(|(character, _)| character)
            .collect();
        let is_tried = |character: &char| {
            u32::from(*character) % 61 == 0
                || *character < '\u{180}'
                || cells::begins_pair(*character)
                || one_way.contains(character)
        };
        for character in ('\0'..='\u{2_FFFF}').filter(is_tried) {
            if partial.searched.len() == MAX_SEARCHES {
                partial = lazy(mappings);
            }
            assert!(partial.add_character(character));
            let seconds = cells::PAIRS.iter().filter(|(first, _)| *first == character);
            for second in seconds.map(|(_, second)| *second).chain(['a']) {
                let pair: String = [character, second].iter().collect();
                for text in [&pair[..character.len_utf8()], &pair] {
                    for end in [false, true] {
                        let [found, expected] =
                            [&partial, &complete].map(|it| it.codes().encode_first(text, end));
                        assert_eq!(found, expected, "{text:?}");
                    }
                }
            }
        }
    }

    macro_rules! mapping {
        ($trie:literal, $trail_index:ident) => {
            MultiByteMapping::with_ascii(
                include_bytes!(concat!("data/", $trie, ".trie")),
                &mapping::$trail_index,
            )
        };
    }

    macro_rules! without_ascii {
        ($trie:literal) => {
            MultiByteMapping::without_ascii(
                include_bytes!(concat!("data/", $trie, ".trie")),
                &mapping::GL_94,
            )
        };
    }

    #[test]
    fn searches_in_one_mapping_equal_complete_table() {
        // Codes of three bytes, of two characters, of plane 2, and codes that are only decoded.
        for mapping in [
            mapping!("euc-jp-ms", GR_94),
            mapping!("shift-jisx0213", SHIFT_JIS),
            mapping!("cp932", SHIFT_JIS),
            mapping!("big5-hkscs", BIG5),
            mapping!("whatwg-big5", BIG5),
            mapping!("euc-tw", GR_94),
            mapping!("gb18030", GBK),
            mapping!("johab", JOHAB),
        ] {
            searches_equal_complete_table(&[mapping]);
        }
    }

    #[test]
    fn searches_in_several_mappings_equal_complete_table() {
        let ascii = MultiByteMapping::ascii_only();
        searches_equal_complete_table(&[
            ascii,
            without_ascii!("jisx0208"),
            without_ascii!("jisx0213-1"),
            without_ascii!("jisx0213-2"),
        ]);
        searches_equal_complete_table(&[
            mapping!("ibm1390-single", EBCDIC),
            mapping!("ibm1390-double", EBCDIC),
        ]);
    }

    #[test]
    fn overrides_apply_to_searches_and_to_the_complete_table() {
        let overrides = [
            ('~', Override::Code(0)),
            ('\u{3002}', Override::Code(0x1234)),
            ('A', Override::Code(0)),
            ('A', Override::Code(0x42)),
            ('\u{FF61}', Override::SameAs('\u{3002}')),
        ];
        let tables = || {
            let sources = Box::new([TableSource::new(&mapping!("cp932", SHIFT_JIS), 0)]);
            LazyEncodeTable::new(sources, Box::new(overrides))
        };
        let (mut searched, mut complete) = (tables(), tables());
        let text = "A~\u{3002}\u{3042}";
        searched.prepare(text);
        complete.complete();
        for (character, code) in [('A', 0x42), ('~', 0), ('\u{3002}', 0x1234), ('\u{3042}', 0xA082)]
        {
            assert_eq!(searched.codes().single(character), code, "{character:?}");
            assert_eq!(complete.codes().single(character), code, "{character:?}");
        }
        let mut alone = tables();
        alone.prepare("\u{FF61}");
        let same = [&alone, &complete].map(|table| table.codes().single('\u{FF61}'));
        assert_eq!(same, [0x1234; 2]);
    }

    #[test]
    fn searches_count_for_all_encoders_of_a_shared_table() {
        let mapping = [mapping!("cp932", SHIFT_JIS)];
        let mut expected = lazy(&mapping);
        expected.complete();
        for by_text in [false, true] {
            let table = SharedEncodeTable::new(lazy(&mapping));
            for (count, character) in ('\u{4E00}'..).take(2 * MAX_SEARCHES).enumerate() {
                let code = match by_text {
                    false => table.single(character),
                    true => table.for_text(&character.to_string()).codes().single(character),
                };
                assert_eq!(code, expected.codes().single(character), "{character:?}");
                assert_eq!(table.complete().is_some(), count >= MAX_SEARCHES, "{count}");
            }
            assert!(shared::lock(&table.partial).is_none());
        }
    }

    #[test]
    fn shared_table_is_completed_by_several_threads() {
        let mapping = [mapping!("cp932", SHIFT_JIS)];
        let mut expected = lazy(&mapping);
        expected.complete();
        let table = SharedEncodeTable::new(lazy(&mapping));
        std::thread::scope(|scope| {
            for first in ['\u{4E00}', '\u{4E20}', '\u{5000}', '\u{5100}'] {
                let (table, expected) = (&table, &expected);
                scope.spawn(move || {
                    for character in (first..).take(MAX_SEARCHES) {
                        let code = expected.codes().single(character);
                        assert_eq!(table.single(character), code, "{character:?}");
                        let text = character.to_string();
                        assert_eq!(table.for_text(&text).codes().single(character), code);
                    }
                });
            }
        });
        assert!(table.complete().is_some());
    }

    #[test]
    fn table_is_completed_by_many_short_texts_of_few_characters() {
        let mut table = lazy(&[mapping!("cp932", SHIFT_JIS)]);
        let text = "\u{4E00}\u{3042}".repeat(10);
        let count = (0..).take_while(|_| {
            table.prepare(&text);
            !table.is_complete()
        });
        assert_eq!(count.take(MAX_TOTAL_LEN).count(), MAX_TOTAL_LEN / text.len());
    }

    #[test]
    fn table_is_completed_by_many_characters_or_a_long_text() {
        let mapping = [mapping!("shift-jisx0213", SHIFT_JIS)];
        let mut expected = lazy(&mapping);
        expected.complete();
        // Characters with a common code with the next one, whose entries are replaced.
        let few: String = cells::PAIRS.iter().map(|(first, _)| *first).collect();
        let many: String = ('\u{4E00}'..).take(MAX_SEARCHES).collect();
        for second in [many, "a".repeat(MAX_SEARCHED_LEN + 1)] {
            let mut table = lazy(&mapping);
            table.prepare(&few);
            assert!(!table.is_complete());
            table.prepare(&second);
            assert!(table.is_complete());
            for character in '\0'..='\u{2_FFFF}' {
                let text = character.to_string();
                let [found, expected] =
                    [&table, &expected].map(|it| it.codes().encode_first(&text, true));
                assert_eq!(found, expected, "{character:?}");
            }
        }
    }
}
