//! The language models of detection, `crates/detect/src/model.bin`, in two fifths of their size: two thirds of what LZMA
//! needs. What a number is compared with are the numbers that it follows from: a pair of letters that did not occur has the
//! product of their frequencies, and languages have trigrams in common.
//!
//! The format of the file is documented in `crates/detect/src/model.rs`. A [`ModelCoder`] codes its numbers in their order: an
//! encoder has all of them, and a decoder those before.

use std::io;

use crate::mixing::{Coder, ContextMixer, Decoder, Encoder, hash};

/// The numbers of groups and of contexts, as in the detector.
const GROUP_COUNT: usize = 19;
const CONTEXT_COUNT: usize = 26 + 1 + GROUP_COUNT;

/// The length of the costs of uppercase and lowercase letters.
const CASE_COSTS_LEN: usize = 48;

/// The scripts of which languages have costs of Han characters or Hangul syllables, and their number.
const HANGUL: u8 = 9;
const HAN_COUNT: usize = 20_992;
const HANGUL_COUNT: usize = 11_172;

/// The bit of a trigram's cost that is set if no other trigram follows with the same first and second class.
const LAST_OF_PAIR: u8 = 0x80;

/// The number of entries of tables by hash.
const TABLE_LEN: usize = 1 << 18;

/// Sets of weights.
const HEADER: usize = 0;
const SIGNS: usize = 1;
const LETTERS: usize = 2;
const FREQUENCIES: usize = 3;
const BIGRAMS: usize = 4;
const SIGN_COSTS: usize = 5;
const SECOND_CLASSES: usize = 6;
const THIRD_CLASSES: usize = 7;
const KNOWN_THIRD_CLASSES: usize = 8;
const TRIGRAM_COSTS: usize = 9;
const BACKOFF: usize = 10;
const IDEOGRAPHS: usize = 11;
const COUNTS: usize = 12;
const GROUP_BIGRAMS: usize = 13;
const KNOWN_BIGRAMS: usize = 14;

/// Packs the models. The result is checked by unpacking it.
pub fn pack(models: &[u8]) -> io::Result<Vec<u8>> {
    let mut coder = ModelCoder::new(Encoder::new());
    coder.models(&mut Known(models))?;
    Ok(coder.mixer.coder.finish())
}

/// Unpacks the models.
pub(crate) fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut coder = ModelCoder::new(Decoder::new(packed)?);
    let models = coder.models(&mut Known(&[]))?;
    coder.mixer.coder.finish()?;
    Ok(models)
}

/// What an encoder has of the file; a decoder has nothing.
struct Known<'a>(&'a [u8]);

impl<'a> Known<'a> {
    /// Removes bytes from the start.
    fn take(&mut self, len: usize) -> &'a [u8] {
        let (part, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        part
    }
}

/// Returns the byte at an index, and 0 if it is not known.
fn at(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or_default()
}

/// Returns the byte `distance` before the end.
fn before(bytes: &[u8], distance: usize) -> u32 {
    bytes.len().checked_sub(distance).map_or(0, |index| bytes[index].into())
}

/// Numbers by the hash of what they belong to. Two may share an entry.
struct HashedTable(Vec<u8>);

impl HashedTable {
    fn new() -> HashedTable {
        HashedTable(vec![0; TABLE_LEN])
    }

    fn entry(&mut self, key: &[u32]) -> &mut u8 {
        &mut self.0[hash(key) as usize % TABLE_LEN]
    }
}

/// Codes the file from the start to the end.
struct ModelCoder<C> {
    mixer: ContextMixer<C>,
    /// Of the languages before: how much pairs of classes are more frequent than their frequencies say, the costs of
    /// trigrams plus 1, and the numbers of trigrams with a first and a second class.
    pairs: HashedTable,
    trigrams: HashedTable,
    counts: HashedTable,
}

/// The tables of a language that others depend on.
struct Language {
    script: u8,
    /// What each class is in all languages.
    symbols: Vec<u32>,
    bigrams: Vec<u8>,
    /// How much each bigram costs less than its frequencies say.
    savings: Vec<u8>,
}

impl<C: Coder> ModelCoder<C> {
    fn new(coder: C) -> ModelCoder<C> {
        ModelCoder {
            mixer: ContextMixer::new(coder),
            pairs: HashedTable::new(),
            trigrams: HashedTable::new(),
            counts: HashedTable::new(),
        }
    }

    fn models(&mut self, known: &mut Known<'_>) -> io::Result<Vec<u8>> {
        let mut file = self.bytes(6, HEADER, known, |_| [0, 0]);
        let number = |index: usize| usize::from(file[index]) | usize::from(file[index + 1]) << 8;
        let (languages, characters, signs) = (number(0), number(2), number(4));
        file.extend(self.numbers(characters, HEADER, known));
        for _ in 0..2 {
            file.extend(self.bytes(characters, HEADER, known, |table| [before(table, 1), 2]));
        }
        file.extend(self.numbers(signs, HEADER, known));
        for table in 0..2 {
            file.extend(self.sign_contexts(signs, table, known));
        }
        file.extend(self.bytes(CASE_COSTS_LEN, HEADER, known, |_| [1, 1]));
        // The lengths follow from what comes after them.
        known.take(4 * languages);
        let (mut lens, mut parts) = (Vec::new(), Vec::new());
        let mut sign_costs = vec![128; signs];
        let mut ideographs = Vec::new();
        for language in 0..languages {
            let part = self.language(language as u32, &mut sign_costs, &mut ideographs, known)?;
            lens.extend((part.len() as u32).to_le_bytes());
            parts.extend(part);
        }
        file.extend(lens);
        file.extend(parts);
        Ok(file)
    }

    /// Codes bytes by two contexts, which depend on those before.
    fn bytes(
        &mut self,
        len: usize,
        set: usize,
        known: &mut Known<'_>,
        contexts: impl Fn(&[u8]) -> [u32; 2],
    ) -> Vec<u8> {
        let known = known.take(len);
        let mut table = Vec::with_capacity(len);
        for index in 0..len {
            let [one, other] = contexts(&table);
            let contexts = [hash(&[set as u32, one]), hash(&[set as u32, one, other])];
            table.push(self.mixer.byte(&contexts, set, at(known, index)));
        }
        table
    }

    /// Codes numbers of 16 bits that mostly ascend.
    fn numbers(&mut self, len: usize, set: usize, known: &mut Known<'_>) -> Vec<u8> {
        self.bytes(2 * len, set, known, |table| {
            [before(table, 2) << 1 | table.len() as u32 & 1, before(table, 1)]
        })
    }

    /// Codes the costs of signs by the context before or after.
    fn sign_contexts(&mut self, signs: usize, table: u32, known: &mut Known<'_>) -> Vec<u8> {
        let known = known.take(signs * CONTEXT_COUNT);
        let mut costs = Vec::with_capacity(signs * CONTEXT_COUNT);
        for index in 0..signs * CONTEXT_COUNT {
            let (left, up) = (before(&costs, 1), before(&costs, CONTEXT_COUNT));
            let corner = before(&costs, CONTEXT_COUNT + 1);
            let contexts = [
                hash(&[1, table, left]),
                hash(&[2, table, (left + up).wrapping_sub(corner)]),
                hash(&[3, table, up, before(&costs, 2 * CONTEXT_COUNT)]),
            ];
            costs.push(self.mixer.byte(&contexts, SIGNS, at(known, index)));
        }
        costs
    }

    fn language(
        &mut self,
        number: u32,
        sign_costs: &mut [u8],
        ideographs: &mut Vec<(bool, Vec<u8>)>,
        known: &mut Known<'_>,
    ) -> io::Result<Vec<u8>> {
        let mut part = self.bytes(2, LETTERS, known, |table| [7, table.len() as u32]);
        let (script, letters) = (part[0], usize::from(part[1]));
        let classes = GROUP_COUNT + letters;
        if classes > u128::BITS as usize {
            return Err(io::Error::other("more classes than bits"));
        }
        let letters = self.numbers(letters, LETTERS, known);
        let values =
            letters.chunks_exact(2).map(|pair| u32::from(pair[0]) + (u32::from(pair[1]) << 8));
        let symbols = (0..GROUP_COUNT as u32).chain(values.map(|value| value + 256)).collect();
        part.extend(letters);
        let mut language = Language { script, symbols, bigrams: Vec::new(), savings: Vec::new() };
        self.bigrams(number, &mut language, known.take(classes * classes));
        part.extend(&language.bigrams);
        let own_signs = known.take(sign_costs.len());
        for (index, cost) in sign_costs.iter_mut().enumerate() {
            let contexts = [
                hash(&[1, index as u32]),
                hash(&[2, u32::from(*cost), u32::from(script)]),
                hash(&[3, index as u32, u32::from(*cost)]),
            ];
            *cost = self.mixer.byte(&contexts, SIGN_COSTS, at(own_signs, index));
        }
        let seconds: Vec<u128> = known
            .take(classes * size_of::<u128>())
            .chunks_exact(size_of::<u128>())
            .map(|bits| u128::from_le_bytes(bits.try_into().expect("16 bytes")))
            .collect();
        let backoff = known.take(seconds.iter().map(|bits| bits.count_ones() as usize).sum());
        let trigrams = self.trigrams(number, &language, &seconds, known);
        part.extend(&*sign_costs);
        part.extend(trigrams.seconds.iter().flat_map(|bits| bits.to_le_bytes()));
        part.extend(self.backoff(&language, &trigrams, backoff));
        part.extend((trigrams.thirds.len() as u16).to_le_bytes());
        part.extend(trigrams.thirds.as_flattened());
        let has_ideographs = self.mixer.bit(&[9], HEADER, at(known.take(1), 0) == 1);
        part.push(u8::from(has_ideographs));
        if has_ideographs {
            part.extend(self.ideographs(script == HANGUL, ideographs, known));
        }
        Ok(part)
    }

    /// Codes the costs of pairs, each as what it is less than the sum of a number for either class.
    fn bigrams(&mut self, number: u32, language: &mut Language, known: &[u8]) {
        let Language { script, symbols, .. } = &*language;
        let (script, classes) = (u32::from(*script), symbols.len());
        let fitted = fit(known, classes);
        let mut sums = Vec::new();
        for (index, (first, second)) in fitted.into_iter().enumerate() {
            let contexts = |id| [hash(&[id, 0]), hash(&[id, 1, symbols[index], script])];
            let first = self.mixer.byte(&contexts(1), FREQUENCIES, first);
            let second = self.mixer.byte(&contexts(2), FREQUENCIES, second);
            sums.push((i32::from(first), i32::from(second) - 128));
        }
        let (mut bigrams, mut savings) = (Vec::<u8>::new(), Vec::<u8>::new());
        for (index, first) in symbols.iter().enumerate() {
            for (column, second) in symbols.iter().enumerate() {
                let expected = (sums[index].0 + sums[column].1).clamp(0, 255) as u8;
                let expectation = u32::from(expected);
                let group = |class: usize| class.min(GROUP_COUNT) as u32;
                let other = self.pairs.entry(&[script, *first, *second]);
                let similar = u32::from(*other);
                let contexts = [
                    hash(&[1, expectation]),
                    hash(&[2, similar]),
                    hash(&[3, group(index), group(column)]),
                    hash(&[4, *first, *second]),
                    hash(&[
                        5,
                        before(&bigrams, classes) >> 3,
                        before(&bigrams, 1) >> 3,
                        expectation >> 3,
                    ]),
                    hash(&[6, *second, expectation >> 3]),
                    hash(&[7, number, column as u32]),
                    hash(&[8, number, index as u32]),
                ];
                let saving = expected.wrapping_sub(at(known, bigrams.len()));
                let set = match similar {
                    0 if index.min(column) >= GROUP_COUNT => BIGRAMS,
                    0 => GROUP_BIGRAMS,
                    _ => KNOWN_BIGRAMS,
                };
                let saving = self.mixer.byte(&contexts, set, saving);
                *other = saving;
                savings.push(saving);
                bigrams.push(expected.wrapping_sub(saving));
            }
        }
        (language.bigrams, language.savings) = (bigrams, savings);
    }

    fn trigrams(
        &mut self,
        number: u32,
        language: &Language,
        seconds: &[u128],
        known: &mut Known<'_>,
    ) -> Trigrams {
        let Language { script, symbols, bigrams, .. } = language;
        let (script, classes) = (u32::from(*script), symbols.len());
        let len = known.take(2);
        let len = usize::from(at(len, 0)) | usize::from(at(len, 1)) << 8;
        let mut known = KnownTrigrams(known.take(2 * len));
        let mut trigrams = Trigrams::default();
        // How often a pair was the end of a trigram.
        let mut ends = vec![0_u32; classes * classes];
        for first in 0..classes {
            let mut bits = 0_u128;
            for second in 0..classes {
                let cost = u32::from(bigrams[first * classes + second]);
                let pair = [script, symbols[first], symbols[second]];
                let similar = u32::from(*self.counts.entry(&pair));
                let contexts = [
                    hash(&[1, cost >> 2]),
                    hash(&[2, similar, cost >> 3]),
                    hash(&[3, symbols[first], symbols[second]]),
                    hash(&[4, number, first as u32, cost >> 4]),
                    hash(&[5, number, second as u32, cost >> 4]),
                    hash(&[6, bits.count_ones(), cost >> 3]),
                ];
                let is_known = seconds.get(first).is_some_and(|bits| bits >> second & 1 == 1);
                let mut count = 0;
                if self.mixer.bit(&contexts, SECOND_CLASSES, is_known) {
                    bits |= 1 << second;
                    let contexts = [
                        hash(&[1, cost >> 3]),
                        hash(&[2, similar, cost >> 4]),
                        hash(&[3, symbols[first], symbols[second]]),
                        hash(&[4, number, second as u32]),
                    ];
                    let row = known.row();
                    count = self.mixer.byte(&contexts, COUNTS, (row.len() / 2) as u8);
                    self.row(
                        number,
                        language,
                        (first, second),
                        count,
                        row,
                        &mut ends,
                        &mut trigrams,
                    );
                }
                *self.counts.entry(&pair) = count;
            }
            trigrams.seconds.push(bits);
        }
        trigrams
    }

    /// Codes the trigrams with a first and a second class.
    #[allow(clippy::too_many_arguments, reason = "the state of a coder")]
    fn row(
        &mut self,
        number: u32,
        language: &Language,
        (first, second): (usize, usize),
        count: u8,
        known: &[u8],
        ends: &mut [u32],
        trigrams: &mut Trigrams,
    ) {
        let Language { symbols, bigrams, savings, .. } = language;
        let classes = symbols.len();
        let mut known = known.chunks_exact(2).peekable();
        let total = u32::from(count);
        // The number of trigrams left, and the sum of the probabilities of those before, in 65536ths.
        let (mut left, mut sum) = (total, 0);
        for third in 0..classes {
            if left == 0 {
                break;
            }
            let pair = second * classes + third;
            let cost = u32::from(bigrams[pair]);
            let similar = self.trigrams.entry(&[symbols[first], symbols[second], symbols[third]]);
            let similar_cost = u32::from(*similar);
            let classes_left = (classes - third) as u32;
            let contexts = [
                hash(&[8, sum >> 12, left.min(6), cost >> 4]),
                hash(&[1, similar_cost >> 2]),
                hash(&[2, similar_cost.min(1), cost >> 3]),
                hash(&[3, ends[pair].min(30), cost >> 3]),
                hash(&[4, symbols[first], symbols[second], symbols[third]]),
                hash(&[5, u32::from(savings[pair]).min(1), left.min(9), classes_left / 4]),
                hash(&[6, number, third as u32]),
                hash(&[7, total.min(20), cost >> 3]),
            ];
            let set = if *similar > 0 { KNOWN_THIRD_CLASSES } else { THIRD_CLASSES };
            let is_known = known.peek().is_some_and(|known| usize::from(known[0]) == third);
            if !self.mixer.bit(&contexts, set, is_known) {
                continue;
            }
            let own = known.next().map_or(0, |known| known[1] & !LAST_OF_PAIR);
            // That of the pair, in the other unit.
            let expected = (cost / 2).min(127);
            let contexts = [
                hash(&[1, total.min(10), cost >> 3]),
                hash(&[4, sum >> 12, left.min(6), cost >> 4]),
                hash(&[2, symbols[first], symbols[second], symbols[third]]),
                hash(&[3, u32::from(bigrams[first * classes + second]) >> 4, cost >> 4]),
            ];
            let saving = (expected as u8).wrapping_sub(own);
            let saving = self.mixer.byte(&contexts, TRIGRAM_COSTS, saving);
            let own = (expected as u8).wrapping_sub(saving) & !LAST_OF_PAIR;
            *similar = own + 1;
            ends[pair] += 1;
            sum += probability(u32::from(own) * 2);
            left -= 1;
            let flag = if left == 0 { LAST_OF_PAIR } else { 0 };
            trigrams.thirds.push([third as u8, own | flag]);
        }
    }

    /// Codes what remains for other third classes than those of the trigrams of each pair, which follows from those but for
    /// rounding.
    fn backoff(&mut self, language: &Language, trigrams: &Trigrams, known: &[u8]) -> Vec<u8> {
        let Language { symbols, bigrams, .. } = language;
        let classes = symbols.len();
        let mut backoff = Vec::new();
        let mut rest = trigrams.thirds.iter();
        for bits in &trigrams.seconds {
            for second in (0..classes).filter(|second| bits >> second & 1 == 1) {
                let (mut own, mut pairs) = (0, 0);
                for [third, cost] in rest.by_ref() {
                    own += probability(u32::from(cost & !LAST_OF_PAIR) * 2);
                    pairs += probability(bigrams[second * classes + usize::from(*third)].into());
                    if cost & LAST_OF_PAIR != 0 {
                        break;
                    }
                }
                let remains = |sum: u32| 65_536_u32.saturating_sub(sum).max(131);
                let (own, pairs) = (remains(own), remains(pairs));
                let expected = (128 + log_cost(own) - log_cost(pairs)).clamp(0, 255) as u8;
                let contexts = [
                    hash(&[1]),
                    hash(&[2, u32::from(expected) >> 1]),
                    hash(&[3, own >> 11]),
                    hash(&[4, own >> 11, pairs >> 12]),
                ];
                let difference = expected.wrapping_sub(at(known, backoff.len()));
                let difference = self.mixer.byte(&contexts, BACKOFF, difference);
                backoff.push(expected.wrapping_sub(difference));
            }
        }
        backoff
    }

    /// Codes the costs of Han characters or Hangul syllables. `others` has those of the languages before.
    fn ideographs(
        &mut self,
        is_hangul: bool,
        others: &mut Vec<(bool, Vec<u8>)>,
        known: &mut Known<'_>,
    ) -> Vec<u8> {
        let len = if is_hangul { HANGUL_COUNT } else { HAN_COUNT };
        let known = known.take(len);
        let number = others.len() as u32;
        let similar = others.iter().rev().find(|(hangul, _)| *hangul == is_hangul);
        let similar = similar.map_or(&[][..], |(_, costs)| costs);
        let mut costs = Vec::with_capacity(len);
        for index in 0..len {
            let last = before(&costs, 1);
            let other = at(similar, index);
            let contexts = [
                hash(&[1, number]),
                hash(&[2, number, last]),
                hash(&[3, number, u32::from(other)]),
            ];
            costs.push(self.mixer.byte(&contexts, IDEOGRAPHS, at(known, index)));
        }
        others.push((is_hangul, costs.clone()));
        costs
    }
}

/// The trigrams of a language: a bit for each pair of a first and a second class, third classes and costs.
#[derive(Default)]
struct Trigrams {
    seconds: Vec<u128>,
    thirds: Vec<[u8; 2]>,
}

/// The third classes and costs that an encoder knows.
struct KnownTrigrams<'a>(&'a [u8]);

impl<'a> KnownTrigrams<'a> {
    /// Removes those with the same first and second class.
    fn row(&mut self) -> &'a [u8] {
        let last = self.0.chunks_exact(2).position(|third| third[1] & LAST_OF_PAIR != 0);
        let (row, rest) = self.0.split_at(last.map_or(self.0.len(), |last| 2 * last + 2));
        self.0 = rest;
        row
    }
}

/// Returns a number for each class as the first and as the second of a pair, whose sums are the costs of most pairs.
fn fit(bigrams: &[u8], classes: usize) -> Vec<(u8, u8)> {
    let mut fitted = vec![(0_i32, 0_i32); classes];
    for _ in 0..6 {
        for class in 0..classes {
            let costs = (GROUP_COUNT..classes)
                .map(|second| i32::from(at(bigrams, class * classes + second)) - fitted[second].1);
            fitted[class].0 = most_frequent(costs);
        }
        for class in 0..classes {
            let costs = (0..classes)
                .map(|first| i32::from(at(bigrams, first * classes + class)) - fitted[first].0);
            fitted[class].1 = most_frequent(costs);
        }
    }
    let limited = |(first, second): (i32, i32)| {
        (first.clamp(0, 255) as u8, (second + 128).clamp(0, 255) as u8)
    };
    fitted.into_iter().map(limited).collect()
}

/// Returns the most frequent number, the highest of several.
fn most_frequent(numbers: impl Iterator<Item = i32>) -> i32 {
    let mut numbers: Vec<i32> = numbers.collect();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|one, other| one == other);
    runs.max_by_key(|run| run.len()).map_or(0, |run| run[0])
}

/// Returns the probability of a cost in sixteenths of a nat, in 65536ths.
fn probability(cost: u32) -> u32 {
    // Integers, because the exponential function of machines differs in the last bit. e^(-1/16) is 61565 / 65536.
    (0..cost).fold(65_536, |probability: u32, _| ((u64::from(probability) * 61_565) >> 16) as u32)
}

/// Returns the cost of a probability in 65536ths, in sixteenths of a nat.
fn log_cost(probability: u32) -> i32 {
    let mut cost = 0;
    let mut limit = 65_536_u64;
    while (limit * 63_520) >> 16 > u64::from(probability) {
        limit = (limit * 61_565) >> 16;
        cost += 1;
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the models of the detector.
    fn models() -> Vec<u8> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        std::fs::read(format!("{root}/crates/detect/src/model.bin")).unwrap()
    }

    #[test]
    fn models_are_unpacked_from_less_than_half() {
        let models = models();
        let packed = pack(&models).unwrap();
        assert!(packed.len() * 2 < models.len(), "{} bytes", packed.len());
        assert!(unpack(&packed).unwrap() == models);
        assert!(unpack(&packed[..packed.len() / 2]).is_err());
    }

    #[test]
    fn costs_follow_from_probabilities() {
        for cost in 0..100 {
            let exact = 65_536.0 * (-f64::from(cost) / 16.0).exp();
            let error = (f64::from(probability(cost)) - exact).abs();
            assert!(error < 16.0, "{cost}: {error}");
            assert_eq!(log_cost(probability(cost)), cost as i32);
        }
    }
}
