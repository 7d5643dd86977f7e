//! Numbers that look random and are the same in every run.

/// Marsaglia's xorshift generator with 64 bits.
#[derive(Debug)]
pub struct XorShift(u64);

impl XorShift {
    /// Creates a generator. The seed must not be zero.
    pub fn new(seed: u64) -> XorShift {
        XorShift(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }

    /// Returns any byte.
    pub fn byte(&mut self) -> u8 {
        (self.next() >> 32) as u8
    }

    /// Returns any one of these.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns 1 to `max` of these in a row.
    pub fn some<T: Copy>(&mut self, max: usize, of: &[T]) -> Vec<T> {
        (0..=self.below(max)).map(|_| self.one(of)).collect()
    }

    /// Returns 1 to `max` of these texts in a row.
    pub fn text(&mut self, max: usize, of: &[&str]) -> String {
        self.some(max, of).concat()
    }
}

/// Returns a generator for each seed, also for small ones.
pub fn random(seed: u64) -> XorShift {
    XorShift::new((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}
