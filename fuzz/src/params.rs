//! The first bytes of an input choose what is done with the rest.

/// An input, of which choices are taken from the front. After its end there are zeros.
#[derive(Debug, Clone, Copy)]
pub struct FuzzInput<'a>(&'a [u8]);

impl<'a> FuzzInput<'a> {
    pub fn new(input: &'a [u8]) -> FuzzInput<'a> {
        FuzzInput(input)
    }

    pub fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let count = N.min(self.0.len());
        let (front, rest) = self.0.split_at(count);
        array[..count].copy_from_slice(front);
        self.0 = rest;
        array
    }

    /// A number from 0 up to, but not including, `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    pub fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns the bytes that have not been taken.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// The rest as text, with U+FFFD for malformed sequences.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }

    /// Returns the rest with some ASCII before it, repeated a few times.
    pub fn with_ascii_prefix(mut self) -> Vec<u8> {
        let front = vec![b'a'; 4 * usize::from(self.byte() % 80)];
        let times = self.times();
        repeated([&front, self.0].concat(), times)
    }

    /// Returns the rest, repeated a few times.
    pub fn repeated(mut self) -> Vec<u8> {
        let times = self.times();
        repeated(self.0.to_vec(), times)
    }

    fn times(&mut self) -> usize {
        self.choose(REPETITIONS)
    }
}

/// How often an input is repeated: the loops for long runs must be met, and an input of the fuzzer
/// should stay short.
const REPETITIONS: &[usize] = &[1, 2, 3, 4, 5, 6, 1, 8, 13, 24, 40, 64];

/// Bytes that come of a repetition at the most.
const MAX_REPEATED_LEN: usize = 4096;

/// Once at least, as often as wanted where that does not become too long.
fn repeated(content: Vec<u8>, times: usize) -> Vec<u8> {
    let most = MAX_REPEATED_LEN / content.len().max(1);
    content.repeat(times.min(most).max(1))
}
