//! What kernels of text are tested with: mixtures of all lengths, and how far they must come.

use super::simd::{Level, WIDTH};

/// Characters that text is filled with.
const FILLERS: [&str; 8] = ["a", "é", "中", "🎂", "aé", "x中", "of 🎂", "é中a🎂"];

/// The first and the last character of each length, and of what encodings hold.
const EDGE_CHARS: [char; 14] = [
    '\0',
    '\u{7F}',
    '\u{80}',
    '\u{BF}',
    '\u{C0}',
    '\u{FF}',
    '\u{100}',
    '\u{7FF}',
    '\u{800}',
    '\u{D7FF}',
    '\u{E000}',
    '\u{FFFF}',
    '\u{10000}',
    '\u{10FFFF}',
];

/// The longest text of one filler, in characters.
pub const MAX_CHARS: usize = if cfg!(miri) { 40 } else { 200 };

/// The last position of an odd character.
const MAX_POSITIONS: usize = if cfg!(miri) { 20 } else { 70 };

/// Texts of each filler and of each length.
pub fn uniform_texts() -> impl Iterator<Item = String> {
    let text = |filler: &str, len| filler.chars().cycle().take(len).collect();
    FILLERS.into_iter().flat_map(move |filler| (0..MAX_CHARS).map(move |len| text(filler, len)))
}

/// Texts of each filler with each odd character at each position.
pub fn edge_cases() -> impl Iterator<Item = String> {
    let text = |filler: &str, odd: char, position: usize| {
        let filler = || filler.chars().cycle();
        filler().take(position).chain([odd]).chain(filler().take(40)).collect()
    };
    let odd = EDGE_CHARS.into_iter().step_by(if cfg!(miri) { 5 } else { 1 });
    let each = move |filler| odd.clone().map(move |odd| (filler, odd));
    let all = FILLERS.into_iter().flat_map(each);
    all.flat_map(move |(filler, odd)| {
        (0..MAX_POSITIONS).map(move |position| text(filler, odd, position))
    })
}

/// A kernel at a level: bytes to bytes, and how many it has read and written.
pub type KernelFn = fn(Level, &[u8], &mut [u8]) -> (usize, usize);

/// What bytes are made into, if a kernel may do that: slow and obvious.
pub type ReferenceFn = fn(&[u8]) -> Option<Vec<u8>>;

/// A kernel, its twin, and how far it must come.
pub struct KernelTest {
    pub run: KernelFn,
    pub reference: ReferenceFn,
    /// Bytes of input, and of space, which a kernel may not leave if it can go on.
    pub min_lens: (usize, usize),
}

impl KernelTest {
    /// Holds the kernel to its twin at every level: what it has read is what the twin reads to the
    /// same bytes, and it goes as far as it can.
    pub fn check(&self, src: &[u8], output_len: usize) {
        for level in Level::all() {
            let mut dst = vec![0x55; output_len];
            let (read, written) = (self.run)(level, src, &mut dst);
            let plain = (self.reference)(&src[..read]);
            assert_eq!(plain.as_deref(), Some(&dst[..written]), "{level:?} {read} {src:X?}");
            let next = src.get(read..read + self.min_lens.0);
            let stopped = next.is_none_or(|next| {
                // Some cut of them must be whole characters, or there is an error.
                !(next.len() - 4..=next.len()).any(|len| (self.reference)(&next[..len]).is_some())
            });
            let full = output_len - written < self.min_lens.1;
            assert!(stopped || full, "{level:?} stops at {read} of {src:X?} in {output_len}");
        }
    }

    /// Does so in space that are too small, barely enough, and more.
    pub fn check_output_sizes(&self, src: &[u8]) {
        let whole = (self.reference)(src).map_or(0, |bytes| bytes.len());
        for output in [0, whole / 2, whole, whole + 1, whole + self.min_lens.1] {
            self.check(src, output);
        }
    }

    /// Does so at each position in memory, counted from one where a vector begins.
    pub fn check_alignments(&self, src: &[u8]) {
        let mut bytes = vec![0; src.len() + 2 * WIDTH];
        let first = bytes.as_ptr().align_offset(WIDTH).min(WIDTH);
        for at in first..first + WIDTH {
            bytes[at..at + src.len()].copy_from_slice(src);
            self.check(&bytes[at..at + src.len()], 4 * src.len() + self.min_lens.1);
        }
    }
}
