//! Repair of mojibake: UTF-8 that was decoded in another encoding.
//!
//! If all characters outside ASCII in a line are valid UTF-8 in a code page, the line is replaced by what
//! it means if that is less [odd](evidence). Otherwise a candidate is a longest sequence of characters
//! whose bytes in one code page are valid UTF-8. What a line or a candidate decodes to is repaired
//! first, so text that was garbled several times is compared with its original.
//!
//! A repair can always be undone: encoding it in UTF-8 (or CESU-8, if it contains surrogates) and
//! decoding that in the code page gives exactly the garbled characters, but for no-break spaces that were lost.

mod code_pages;
mod evidence;
mod letters;
mod omitted;

use std::ops::Range;

use charpipe_kernel::utf8_bytes::{self, utf8_bytes_of};
use code_pages::{CodePages, Roles, Scope, pages_of};
use evidence::{GarbledLine, OddnessCache};
use letters::TextContext;
use omitted::OmittedAscii;

/// How many times text may have been garbled.
const MAX_LEVELS: usize = 6;

/// The minimum by which a repair must make the text less odd. With 3, no text of 80 MB of translations,
/// manual pages, names and the Universal Declaration of Human Rights in 500 languages is changed
/// unless it is garbled, nor are the words of 15 spelling dictionaries.
const MIN_GAIN: i32 = 3;

/// Between repairs of which one makes the text less odd by no more than this, the models of letters decide.
const MAX_DOUBTFUL_GAIN: i32 = 12;

/// If the letters of a repair are not more probable than those of another one by this many eighths of a nat,
/// neither is made.
const MIN_ADVANTAGE: i32 = 24;

/// If the letters are more probable by this many eighths of a nat than those of every other repair, the code page of the
/// line is known, and so is that of the file.
const MIN_DISTINCT_ADVANTAGE: i32 = 40;

/// By how many eighths of a nat a repair in the code page of the file is more probable.
const FILE_ADVANTAGE: i32 = 96;

/// Examination of how odd a garbled line is ends here, unless a repair of it is nearly as odd.
const MAX_GARBLED_ODDNESS: i32 = 32;

/// What a repair is worth in a line where another one had the same code page, and in a file where other lines had.
const EXPECTED_BONUS: i32 = 3;
const FILE_BONUS: i32 = 2;

/// What it is worth there that the letters are more probable.
const MAX_LETTER_BONUS: i32 = 3;

/// Finds garbled text.
#[derive(Debug)]
pub struct Repairer {
    examiner: Examiner,
    /// A text for each level, the input first.
    levels: Vec<RepairLevel>,
}

/// What all levels use.
#[derive(Debug)]
struct Examiner {
    pages: &'static CodePages,
    /// What the text of a line does not have.
    omitted: OmittedAscii,
    oddness: OddnessCache,
}

/// The buffers of a level.
#[derive(Debug, Default)]
struct RepairLevel {
    /// The text to repair.
    text: Vec<char>,
    repaired: Vec<char>,
    best: Vec<char>,
}

/// What was found at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Garbled text.
    Mojibake {
        /// The number of characters.
        len: usize,
        /// The code page in which they were read.
        page: usize,
    },
    /// This number of characters that could be garbled text, but are not.
    Text(usize),
}

/// A line in which everything outside ASCII is garbled text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundLine {
    /// The number of characters. Less than in the text if the rest is an incomplete character.
    pub len: usize,
    /// The code page in which it was read.
    pub page: usize,
}

/// The code pages in which text is expected to be garbled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExpectedPages {
    /// That of other text in the line.
    pub line: Option<usize>,
    /// Those of other lines, as bits: one of them is right.
    pub file: u16,
}

impl ExpectedPages {
    /// Returns what a repair in a code page is worth because it is expected.
    fn bonus(&self, page: usize) -> i32 {
        match page {
            _ if self.line == Some(page) => EXPECTED_BONUS,
            _ if self.file >> page & 1 != 0 => FILE_BONUS,
            _ => 0,
        }
    }

    /// Returns the expected code pages of `pages`, then the others.
    fn first(&self, pages: u16) -> impl Iterator<Item = usize> + use<> {
        let line = self.line.map_or(0, |page| 1 << page);
        let parts = [line, self.file & !line, !self.file & !line];
        parts.into_iter().flat_map(move |part| pages_of(pages & part))
    }
}

/// What [`Repairer::examine_line`] finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineResult {
    /// The line is not garbled as a whole.
    Other,
    /// The line could be garbled in these code pages, as bits, but nothing else than their bytes shows it.
    Unlikely(u16),
    /// The repairs in these code pages are different, but nearly as plausible.
    Ambiguous([u16; 2], Option<FoundLine>),
    /// The line is garbled in one of these code pages, in which its repair is the same.
    Certain(u16, FoundLine),
}

impl LineResult {
    fn found(&self) -> Option<FoundLine> {
        match *self {
            LineResult::Other | LineResult::Unlikely(_) => None,
            LineResult::Ambiguous(_, found) => found,
            LineResult::Certain(_, found) => Some(found),
        }
    }
}

impl Repairer {
    /// Returns a repairer for texts of up to `max_len` characters at a time.
    pub fn new(max_len: usize) -> Repairer {
        let level = || RepairLevel {
            text: Vec::with_capacity(max_len),
            repaired: Vec::with_capacity(max_len),
            best: Vec::with_capacity(max_len),
        };
        letters::prepare();
        let examiner = Examiner {
            pages: CodePages::get(),
            omitted: OmittedAscii::new(max_len),
            oddness: OddnessCache::default(),
        };
        Repairer { examiner, levels: (0..=MAX_LEVELS).map(|_| level()).collect() }
    }

    /// Returns the code pages, as bits, in which the character is a lead byte of UTF-8.
    pub fn lead_pages(&self, character: char) -> u16 {
        self.examiner.pages.roles(character).lead
    }

    /// Returns the code pages, as bits, in which the character is a continuation byte of UTF-8.
    pub fn continuation_pages(&self, character: char) -> u16 {
        self.examiner.pages.roles(character).continuation
    }

    /// Removes the text to examine. What follows may be a part of a longer line.
    pub fn clear(&mut self, is_partial: bool) {
        self.levels[0].text.clear();
        self.examiner.omitted.clear(is_partial);
    }

    /// Returns the text to examine. That of a line has not all of its ASCII.
    pub fn text(&self) -> &[char] {
        &self.levels[0].text
    }

    /// Adds a character to the text to examine. Returns whether a code page has it; if not, it is not
    /// added.
    pub fn push(&mut self, character: char) -> bool {
        count_work(1);
        let Roles { lead, continuation, .. } = self.examiner.pages.roles(character);
        let is_known = lead | continuation != 0;
        if is_known {
            self.levels[0].text.push(character);
        }
        is_known
    }

    /// Adds the characters of a line before the first one in ASCII to the text to examine. Returns their length in bytes.
    pub fn push_foreign(&mut self, line: &str) -> usize {
        let text = &mut self.levels[0].text;
        let mut chars = line.chars();
        loop {
            let rest = chars.as_str().len();
            match chars.next() {
                Some(character) if !character.is_ascii() => text.push(character),
                _ => return line.len() - rest,
            }
            count_work(1);
        }
    }

    /// Adds ASCII of a line to the text to examine, which does not end with ASCII.
    pub fn push_ascii(&mut self, ascii: &[u8]) {
        count_work(ascii.len());
        self.examiner.omitted.push(ascii, &mut self.levels[0].text);
    }

    /// Examines the text as a line, or as the first part of a line that is longer. `before` are the
    /// characters before it; all of them in the line are in ASCII.
    pub fn examine_line(
        &mut self,
        before: [char; 2],
        is_partial: bool,
        expected: ExpectedPages,
    ) -> LineResult {
        let text = std::mem::take(&mut self.levels[0].text);
        let result =
            self.examiner.examine_line(before, &text, is_partial, expected, &mut self.levels);
        self.levels[0].text = text;
        result
    }

    /// Examines the start of the text, which must be two characters that could start garbled text. `before`
    /// is the character before it; `after` the one after it.
    pub fn examine(&mut self, before: [char; 2], after: char, expected: ExpectedPages) -> Found {
        let text = std::mem::take(&mut self.levels[0].text);
        let found = self.examiner.examine(before, &text, after, expected, &mut self.levels);
        self.levels[0].text = text;
        found
    }

    /// Examines the start of the text like [`examine`](Repairer::examine), if what follows the text cannot
    /// change the result.
    pub fn examine_prefix(&mut self, before: [char; 2], expected: ExpectedPages) -> Option<Found> {
        let [RepairLevel { text, .. }, RepairLevel { text: decoded, .. }, ..] =
            &mut self.levels[..]
        else {
            return None;
        };
        let [first, second, ..] = text[..] else { return None };
        let pages = self.examiner.pages;
        let leads = pages.roles(first).lead & pages.roles(second).continuation;
        let is_decided = pages_of(leads).all(|page| {
            let len = pages.decode(page, text, Scope::Run, decoded);
            count_work(len);
            len + code_pages::MAX_CHARACTER_LEN < text.len()
        });
        is_decided.then(|| self.examine(before, '\n', expected))
    }

    /// Sets the repaired text of what was found without examining it.
    pub fn set_replacement(&mut self, text: &[char]) {
        self.levels[0].best.clear();
        self.levels[0].best.extend_from_slice(text);
    }

    /// Returns the repaired text, if [`examine`](Repairer::examine) has found mojibake.
    pub fn replacement(&self) -> &[char] {
        &self.levels[0].best
    }

    /// Writes the repaired text if there is space for it. Returns its length in bytes.
    pub fn write_replacement(&self, dst: &mut [u8]) -> Option<usize> {
        let mut at = 0;
        for (part, omitted) in self.examiner.omitted.parts(self.replacement()) {
            for &character in part {
                at += match character {
                    '\0'..='\x7F' => {
                        *dst.get_mut(at)? = character as u8;
                        1
                    }
                    '\u{80}'..='\u{FFFF}' => {
                        utf8_bytes::write_utf8(utf8_bytes_of(character), &mut dst[at..])?
                    }
                    _ => character.encode_utf8(dst.get_mut(at..at + 4)?).len(),
                };
            }
            dst.get_mut(at..at + omitted.len())?.copy_from_slice(omitted);
            at += omitted.len();
        }
        Some(at)
    }
}

/// Counts characters that are examined, for tests.
#[inline]
fn count_work(_chars: usize) {
    #[cfg(test)]
    WORK.set(WORK.get() + _chars);
}

#[cfg(test)]
thread_local! {
    /// The number of characters that were examined by this thread.
    pub static WORK: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A repair in one of the code pages.
#[derive(Debug, Clone, Copy)]
struct Proposal {
    /// How much less odd the text is.
    gain: i32,
    /// By how many eighths of a nat it is more probable than every other one.
    advantage: i32,
    /// The number of garbled characters.
    len: usize,
    page: usize,
    /// The code page of the other one that is the most probable.
    rival: usize,
}

impl Proposal {
    fn new(gain: i32, len: usize, page: usize) -> Proposal {
        Proposal { gain, advantage: i32::MAX, len, page, rival: page }
    }

    /// Returns whether another one is nearly as probable.
    fn is_doubtful(&self) -> bool {
        self.advantage < MIN_ADVANTAGE
    }

    /// Returns whether this is a repair, and better than the best one before. `more_cost` returns how much less probable
    /// its letters are, which must be exact in a range.
    fn is_better(
        &mut self,
        best: &mut Option<Proposal>,
        expected: ExpectedPages,
        more_cost: impl FnOnce(Range<i32>) -> i32,
    ) -> bool {
        if self.gain < MIN_GAIN {
            return false;
        }
        let Some(best) = best else { return true };
        let gain = self.gain - best.gain;
        if self.len != best.len || gain.abs() > MAX_DOUBTFUL_GAIN {
            return gain > 0;
        }
        let of_file = |page: usize| i32::from(expected.file >> page & 1) * FILE_ADVANTAGE;
        let other = gain * letters::UNITS_PER_ODDNESS + of_file(self.page) - of_file(best.page);
        let range = other - MIN_DISTINCT_ADVANTAGE + 1..other + MIN_DISTINCT_ADVANTAGE;
        let advantage = other - more_cost(range);
        let distance = advantage.abs();
        let (winner, loser) = if advantage > 0 { (self, best) } else { (best, self) };
        if distance < winner.advantage {
            (winner.advantage, winner.rival) = (distance, loser.page);
        }
        advantage > 0
    }
}

/// Returns whether a repair in a code page has what text does not.
fn is_false(
    page: usize,
    expected: ExpectedPages,
    before: char,
    repaired: &[char],
    after: char,
) -> bool {
    // Characters of three bytes are hardly ever valid by chance in windows-1252 and ISO-8859-1.
    let is_expected = page < 2 || expected.bonus(page) > 0;
    !is_expected && evidence::is_lone_ideograph(before, repaired, after)
        || evidence::has_impossible_control(repaired)
}

/// Returns how many of the `garbled_len` characters that were decoded to `decoded` were decoded to the
/// first `count` of these.
fn garbled_len(garbled_len: usize, decoded: &[char], count: usize) -> usize {
    if count == decoded.len() {
        return garbled_len;
    }
    let utf8_len = decoded.iter().map(|character| character.len_utf8()).sum::<usize>();
    let len_of = |character: &char| match character.len_utf8() {
        // A pair of surrogates.
        4 if utf8_len < garbled_len => 6,
        len => len,
    };
    decoded[..count].iter().map(len_of).sum()
}

/// Returns a number that is different for different repairs.
fn hash(len: usize, text: &[char]) -> u64 {
    text.iter().fold(len as u64, |hash, &character| {
        (hash ^ u64::from(character)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    })
}

/// Long sequences are rarely valid by accident.
fn shape_bonus(len: usize, repaired_len: usize) -> i32 {
    (len as i32 - 2 * repaired_len as i32).min(4)
}

/// What it costs that a neighbor could be a part of UTF-8, too: the one before, the one after, and both.
const STRAY_PENALTIES: [i32; 3] = [5, 3, 100];

/// A neighbor that could be a part of UTF-8, too, is a sign that the bytes are something else.
fn stray_penalty(pages: &CodePages, before: char, after: char) -> i32 {
    let is_stray = |neighbor: char| {
        pages.bytes(neighbor) != &[0; code_pages::COUNT] && !evidence::is_separator(neighbor)
    };
    let [only_before, only_after, both] = STRAY_PENALTIES;
    match (is_stray(before), is_stray(after)) {
        (true, true) => both,
        (true, false) => only_before,
        (false, true) => only_after,
        (false, false) => 0,
    }
}

impl Examiner {
    fn examine(
        &mut self,
        before: [char; 2],
        text: &[char],
        after: char,
        expected: ExpectedPages,
        levels: &mut [RepairLevel],
    ) -> Found {
        let Some((level, inner)) = levels.split_first_mut() else { return Found::Text(text.len()) };
        if inner.is_empty() {
            return Found::Text(text.len());
        }
        let pages = self.pages;
        let mut examined_len = 2;
        let mut best: Option<Proposal> = None;
        let mut known = [0_u64; code_pages::COUNT];
        for page in pages_of(pages.start_pages(text)) {
            let next_level = &mut inner[0];
            let len = pages.decode(page, text, Scope::Run, &mut next_level.text);
            count_work(len);
            if len == 0 || evidence::is_russian(&text[..len]) {
                continue;
            }
            examined_len = examined_len.max(len);
            let hash = hash(len, &next_level.text);
            if known.contains(&hash) {
                continue;
            }
            known[page] = hash;
            let following = text.get(len).copied().unwrap_or(after);
            let garbled = self.oddness.of(before, &text[..len], following);
            let bonus = expected.bonus(page)
                + shape_bonus(len, next_level.text.len()).min(garbled)
                + evidence::coherence_bonus(&text[..len], &next_level.text, next_level.text.len());
            if garbled + bonus < MIN_GAIN {
                continue;
            }
            self.repair_all(before, following, false, ExpectedPages::default(), inner);
            let repaired = &inner[0].repaired;
            if is_false(page, expected, before[1], repaired, following) {
                continue;
            }
            let gain = garbled - self.oddness.of(before, repaired, following) + bonus
                - stray_penalty(pages, before[1], following);
            let context =
                TextContext { before: before[1], after: following, omitted: &self.omitted };
            let more_cost = |range| context.cost_difference([repaired, &level.best], range);
            let mut proposal = Proposal::new(gain, len, page);
            if proposal.is_better(&mut best, expected, more_cost) {
                best = Some(proposal);
                level.best.clone_from(repaired);
            }
        }
        match best.filter(|best| !best.is_doubtful()) {
            None => Found::Text(examined_len),
            Some(Proposal { len, page, .. }) => Found::Mojibake { len, page },
        }
    }

    fn examine_line(
        &mut self,
        before: [char; 2],
        text: &[char],
        is_partial: bool,
        expected: ExpectedPages,
        levels: &mut [RepairLevel],
    ) -> LineResult {
        let Some((level, inner)) = levels.split_first_mut() else { return LineResult::Other };
        if inner.is_empty() {
            return LineResult::Other;
        }
        count_work(text.len());
        let pure = self.pages.pure_pages(text, is_partial);
        if pure == 0 {
            return LineResult::Other;
        }
        let (mut best, mut found_len): (Option<Proposal>, usize) = (None, 0);
        let mut known = [0_u64; code_pages::COUNT];
        let (mut possible, mut tried) = (0, 0);
        let mut garbled = GarbledLine::default();
        let max_oddness = if is_partial { i32::MAX } else { MAX_GARBLED_ODDNESS };
        for page in expected.first(pure) {
            let pages = self.pages;
            let mut earlier = pages_of(tried);
            if let Some(alike) = earlier.find(|earlier| pages.are_alike([*earlier, page], text)) {
                known[page] = known[alike];
                possible |= (possible >> alike & 1) << page;
                continue;
            }
            tried |= 1 << page;
            let decoded = &mut inner[0].text;
            let len = pages.decode(page, text, Scope::Line, decoded);
            count_work(len);
            if garbled.len != len {
                garbled = GarbledLine::new(before, &text[..len], max_oddness, &mut self.oddness);
            }
            if garbled.is_russian
                || text.len() - len > if is_partial { 5 } else { 0 }
                || len == decoded.len()
            {
                continue;
            }
            let hash = if pure.is_power_of_two() { 1 } else { hash(len, decoded) };
            let is_known = known.contains(&hash);
            known[page] = hash;
            possible |= 1 << page;
            if is_known {
                continue;
            }
            let bonus = expected.bonus(page) + garbled.bonus(&text[..len], decoded);
            let max_letter_bonus = if expected.bonus(page) > 0 { MAX_LETTER_BONUS } else { 0 };
            if garbled.oddness + bonus + max_letter_bonus < MIN_GAIN {
                continue;
            }
            let repaired_len = self.repair_all(before, '\n', is_partial, expected, inner);
            let RepairLevel { text: decoded, repaired, .. } = &inner[0];
            if is_false(page, expected, before[1], repaired, '\n') {
                continue;
            }
            // From here on, the repair is much worse than the best one.
            let limit = match best {
                Some(best) if best.len == len => {
                    garbled.oddness + bonus + max_letter_bonus - best.gain + MAX_DOUBTFUL_GAIN + 1
                }
                _ => i32::MAX,
            };
            let remaining = self.oddness.up_to(limit, before, repaired, '\n');
            if remaining >= limit {
                continue;
            }
            let context = TextContext { before: before[1], after: '\n', omitted: &self.omitted };
            let mut gain = garbled.oddness - remaining + bonus;
            if gain < MIN_GAIN && garbled.oddness >= max_oddness {
                let more = self.oddness.of(before, &text[..len], '\n') - garbled.oddness;
                garbled.oddness += more;
                gain += more;
                best.iter_mut().for_each(|best| best.gain += more);
            }
            if gain < MIN_GAIN && max_letter_bonus != 0 && remaining == 0 {
                let range = 0..max_letter_bonus * letters::UNITS_PER_ODDNESS;
                let saved = context.cost_difference([&text[..len], repaired], range);
                gain += (saved / letters::UNITS_PER_ODDNESS).clamp(0, max_letter_bonus);
            }
            let more_cost = |range| context.cost_difference([repaired, &level.best], range);
            let mut proposal = Proposal::new(gain, len, page);
            if proposal.is_better(&mut best, expected, more_cost) {
                best = Some(proposal);
                found_len = garbled_len(len, decoded, repaired_len);
                level.best.clone_from(repaired);
            }
        }
        let Some(best) = best else {
            return if possible == 0 { LineResult::Other } else { LineResult::Unlikely(possible) };
        };
        let pages_like = |page: usize| {
            let alike = (0..code_pages::COUNT).filter(|other| known[*other] == known[page]);
            alike.fold(0, |pages, other| pages | 1 << other)
        };
        let found = FoundLine { len: found_len, page: best.page };
        match best.advantage < MIN_DISTINCT_ADVANTAGE {
            true => LineResult::Ambiguous(
                [best.page, best.rival].map(pages_like),
                (!best.is_doubtful()).then_some(found),
            ),
            false => LineResult::Certain(pages_like(best.page), found),
        }
    }

    /// Repairs the text of the first level into its `repaired`. Returns the number of characters that were
    /// repaired: less than all if `is_partial` and the rest is an incomplete character.
    fn repair_all(
        &mut self,
        before: [char; 2],
        after: char,
        is_partial: bool,
        expected: ExpectedPages,
        levels: &mut [RepairLevel],
    ) -> usize {
        let text = std::mem::take(&mut levels[0].text);
        levels[0].repaired.clear();
        if after == '\n' {
            let result = self.examine_line(before, &text, is_partial, expected, levels);
            let found = result.found();
            if found.is_some() || matches!(result, LineResult::Ambiguous(..)) {
                let level = &mut levels[0];
                level.repaired.clone_from(if found.is_some() { &level.best } else { &text });
                level.text = text;
                return found.map_or(level.text.len(), |line| line.len);
            }
        }
        let pages = self.pages;
        let mut at = 0;
        loop {
            let start = pages.find_start(&text[at..]);
            let suspicious = start.map_or(text.len(), |len| at + len);
            let repaired = &mut levels[0].repaired;
            repaired.extend_from_slice(&text[at..suspicious]);
            if start.is_none() {
                break;
            }
            let previous = match repaired[..] {
                [.., first, last] => [first, last],
                [last] => [before[1], last],
                [] => before,
            };
            let rest = &text[suspicious..];
            let found = self.examine(previous, rest, after, ExpectedPages::default(), levels);
            let RepairLevel { repaired, best, .. } = &mut levels[0];
            let (part, len) = match found {
                Found::Mojibake { len, .. } => (&best[..], len),
                Found::Text(len) => (&rest[..len], len),
            };
            repaired.extend_from_slice(part);
            at = suspicious + len;
        }
        let len = text.len();
        levels[0].text = text;
        len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_line_is_tried_first_then_those_of_the_file() {
        let expected = ExpectedPages { line: Some(3), file: 0b100 };
        assert!(expected.first(0b1111).eq([3, 2, 0, 1]));
        assert!(expected.first(0b0011).eq([0, 1]));
    }
}
