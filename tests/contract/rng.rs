//! Numbers that look random and are the same in every run.

/// Marsaglia's xorshift generator with 64 bits.
pub struct XorShift(u64);

impl XorShift {
    /// A generator; the seed must not be zero.
    pub fn new(seed: u64) -> XorShift {
        XorShift(seed)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    /// Any one of these.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Up to `most` of these in a row.
    pub fn some<T: Copy>(&mut self, most: usize, of: &[T]) -> Vec<T> {
        (0..=self.below(most)).map(|_| self.one(of)).collect()
    }
}
