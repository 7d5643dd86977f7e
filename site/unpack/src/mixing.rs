//! Predicts bits by their contexts, and codes them with as many bits as they are improbable.
//!
//! The method is context mixing: each context has a probability that follows the bits that occurred in it, the
//! logarithms of the odds are added with weights, and the weights follow the success of each. See M. Mahoney, "Adaptive
//! Weighing of Context Models for Lossless Data Compression" (2005). All numbers are integers, so that every machine predicts
//! the same.

use std::io;

/// The maximum number of contexts of a bit.
const MAX_CONTEXTS: usize = 8;

/// The number of sets of weights.
const SET_COUNT: usize = 16;

/// The number of weights of a set: one for each context and each node of the tree of a byte.
const SET_LEN: usize = MAX_CONTEXTS * 256;

/// The number of probabilities, a power of two. Contexts may share one.
const SLOT_COUNT: usize = 1 << 22;

/// The number of slots for half a byte.
const ROW_LEN: usize = 16;

/// The number of bits after which the probability of a context changes no more slowly.
const MAX_COUNT: u32 = 1023;

/// How much a probability counts of which few bits are known, in sixteenths.
const CONFIDENCE: [i32; 16] = [0, 6, 9, 11, 12, 13, 14, 14, 15, 15, 15, 16, 16, 16, 16, 16];

/// The probability of 1 for the logarithms of the odds from -8 to 8, in 4096ths.
const LOGISTIC: [i32; 33] = [
    1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348,
    3607, 3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
];

/// Codes bits, or decodes them.
pub(crate) trait Coder {
    /// Codes a bit, the probability of which to be 1 is `probability` / 4096. Returns the bit; a decoder ignores the
    /// one that it is given.
    fn code(&mut self, probability: u32, bit: bool) -> bool;
}

/// Codes bits in the contexts in which they occur.
pub(crate) struct ContextMixer<C> {
    pub(crate) coder: C,
    /// The logarithms of the odds of probabilities in 4096ths, in 256ths.
    log_odds: Box<[i32; 4096]>,
    /// 22 bits of a probability, and the number of bits that it is of.
    slots: Vec<u32>,
    /// How fast the probability of a number of bits changes.
    rates: Box<[i32; MAX_COUNT as usize + 1]>,
    weights: Vec<i32>,
}

impl<C: Coder> ContextMixer<C> {
    pub(crate) fn new(coder: C) -> ContextMixer<C> {
        let mut log_odds = Vec::with_capacity(4096);
        for odds in -2047..=2047 {
            let probability = logistic(odds) as usize;
            log_odds.resize(log_odds.len().max(probability + 1), odds);
        }
        log_odds.resize(4096, 2047);
        ContextMixer {
            coder,
            log_odds: log_odds.try_into().expect("4096 numbers"),
            slots: vec![1 << 31; SLOT_COUNT],
            rates: Box::new(std::array::from_fn(|count| 655_360 / (count as i32 * 10 + 13))),
            weights: vec![(1 << 16) / 4; SET_COUNT * SET_LEN],
        }
    }

    /// Codes a bit by its contexts, with weights from a set.
    pub(crate) fn bit(&mut self, contexts: &[u32], set: usize, bit: bool) -> bool {
        let mut slots = [0; MAX_CONTEXTS];
        for (index, context) in contexts.iter().enumerate() {
            slots[index] = hash(&[*context, index as u32]) % SLOT_COUNT as u32;
        }
        self.node(&slots[..contexts.len()], (set, 0), 0, bit)
    }

    /// Codes a byte by its contexts, from the highest bit to the lowest.
    pub(crate) fn byte(&mut self, contexts: &[u32], set: usize, byte: u8) -> u8 {
        let mut node = 1;
        for half in [byte >> 4, byte & 15] {
            let rows = rows(contexts, node as u32);
            let mut column = 1;
            for shift in (0..4).rev() {
                let bit = half >> shift & 1 == 1;
                let bit = self.node(&rows[..contexts.len()], (set, node), column, bit);
                node = node << 1 | usize::from(bit);
                column = column << 1 | usize::from(bit);
            }
        }
        node as u8
    }

    /// Codes a bit by the slots in this column of rows, with the weights of a set for the node of a tree.
    fn node(
        &mut self,
        rows: &[u32],
        (set, node): (usize, usize),
        column: usize,
        bit: bool,
    ) -> bool {
        let mut inputs = [0; MAX_CONTEXTS];
        let weights = &mut self.weights[set * SET_LEN + node * MAX_CONTEXTS..][..MAX_CONTEXTS];
        let mut sum = 0;
        for ((row, input), weight) in rows.iter().zip(&mut inputs).zip(&*weights) {
            let slot = self.slots[*row as usize + column];
            let confidence = CONFIDENCE[(slot & MAX_COUNT).min(15) as usize];
            *input = (self.log_odds[(slot >> 20) as usize] * confidence) >> 4;
            sum += (*input * (*weight >> 2)) >> 14;
        }
        let probability = logistic(sum.clamp(-2047, 2047)).clamp(1, 4094);
        let bit = self.coder.code(probability as u32, bit);
        let error = (i32::from(bit) << 12) - probability;
        let target = if bit { (1 << 22) - 1 } else { 0 };
        for ((row, input), weight) in rows.iter().zip(inputs).zip(weights) {
            *weight += (input * error * 3 + 0x2000) >> 14;
            let slot = &mut self.slots[*row as usize + column];
            let (old, count) = ((*slot >> 10) as i32, *slot & MAX_COUNT);
            let change = (i64::from(target - old) * i64::from(self.rates[count as usize])) >> 16;
            *slot = ((i64::from(old) + change) as u32) << 10 | (count + 1).min(MAX_COUNT);
        }
        bit
    }
}

/// Returns the index of the first slot of each context for the half of a byte that follows a node. They are
/// together, in a line of the cache.
fn rows(contexts: &[u32], node: u32) -> [u32; MAX_CONTEXTS] {
    let mut rows = [0; MAX_CONTEXTS];
    for (index, context) in contexts.iter().enumerate() {
        let row = hash(&[*context, (index as u32) << 8 | node]);
        rows[index] = row % (SLOT_COUNT / ROW_LEN) as u32 * ROW_LEN as u32;
    }
    rows
}

/// Returns the probability in 4096ths of which the logarithm of the odds is `odds` / 256.
fn logistic(odds: i32) -> i32 {
    let (index, rest) = (((odds >> 7) + 16) as usize, odds & 127);
    (LOGISTIC[index] * (128 - rest) + LOGISTIC[(index + 1).min(32)] * rest + 64) >> 7
}

/// Returns a hash of numbers.
pub(crate) fn hash(numbers: &[u32]) -> u32 {
    numbers.iter().fold(0x9E37_79B1_u32, |hash, number| {
        let mixed = (hash ^ number).wrapping_mul(0x85EB_CA6B);
        mixed ^ mixed >> 15
    })
}

/// The range of numbers that is left for the bits to come, of which the leading bytes that are the same have been written.
#[derive(Debug)]
struct Range {
    low: u32,
    high: u32,
}

impl Range {
    const ALL: Range = Range { low: 0, high: u32::MAX };

    /// Returns the last number of the part for the bit 1.
    fn split(&self, probability: u32) -> u32 {
        self.low + ((u64::from(self.high - self.low) * u64::from(probability)) >> 12) as u32
    }

    fn narrow(&mut self, split: u32, bit: bool) {
        match bit {
            true => self.high = split,
            false => self.low = split + 1,
        }
    }

    /// Removes a leading byte that is the same in all numbers, and returns it.
    fn shift(&mut self) -> Option<u8> {
        let leading = self.low ^ self.high < 1 << 24;
        leading.then(|| {
            let byte = (self.high >> 24) as u8;
            (self.low, self.high) = (self.low << 8, self.high << 8 | 0xFF);
            byte
        })
    }
}

/// Writes bits as numbers from ranges.
#[derive(Debug)]
pub(crate) struct Encoder {
    range: Range,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder { range: Range::ALL, bytes: Vec::new() }
    }

    /// Returns all bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(self.range.high.to_be_bytes());
        self.bytes
    }
}

impl Coder for Encoder {
    fn code(&mut self, probability: u32, bit: bool) -> bool {
        self.range.narrow(self.range.split(probability), bit);
        while let Some(byte) = self.range.shift() {
            self.bytes.push(byte);
        }
        bit
    }
}

/// Reads bits that were written by an [`Encoder`].
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    range: Range,
    /// The number in the range.
    number: u32,
    rest: &'a [u8],
    is_truncated: bool,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> io::Result<Decoder<'a>> {
        let (number, rest) = bytes.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
        let number = u32::from_be_bytes(*number);
        Ok(Decoder { range: Range::ALL, number, rest, is_truncated: false })
    }

    /// Returns an error if bytes were missing.
    pub(crate) fn finish(self) -> io::Result<()> {
        if self.is_truncated { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

impl Coder for Decoder<'_> {
    fn code(&mut self, probability: u32, _: bool) -> bool {
        let split = self.range.split(probability);
        let bit = self.number <= split;
        self.range.narrow(split, bit);
        while self.range.shift().is_some() {
            let (byte, rest) = self.rest.split_first().unwrap_or_else(|| {
                self.is_truncated = true;
                (&0, &[])
            });
            self.rest = rest;
            self.number = self.number << 8 | u32::from(*byte);
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_follow_their_context_cost_little() {
        let bits: Vec<bool> = (0..10_000).map(|index| index % 7 < 3).collect();
        let mut mixer = ContextMixer::new(Encoder::new());
        for (index, bit) in bits.iter().enumerate() {
            mixer.bit(&[index as u32 % 7], 0, *bit);
        }
        let bytes = mixer.coder.finish();
        assert!(bytes.len() < 50, "{} bytes", bytes.len());
        let mut mixer = ContextMixer::new(Decoder::new(&bytes).unwrap());
        let decoded: Vec<bool> =
            (0..bits.len()).map(|index| mixer.bit(&[index as u32 % 7], 0, false)).collect();
        assert_eq!(decoded, bits);
        mixer.coder.finish().unwrap();
    }

    #[test]
    fn bytes_without_a_pattern_are_decoded() {
        let bytes: Vec<u8> = (0..1000_u32).map(|index| hash(&[index]) as u8).collect();
        let mut mixer = ContextMixer::new(Encoder::new());
        for byte in &bytes {
            mixer.byte(&[1, 2], 3, *byte);
        }
        let encoded = mixer.coder.finish();
        let mut mixer = ContextMixer::new(Decoder::new(&encoded).unwrap());
        let decoded: Vec<u8> = bytes.iter().map(|_| mixer.byte(&[1, 2], 3, 0)).collect();
        assert_eq!(decoded, bytes);
    }
}
