//! Test inputs for the kernels, and their comparison with reference implementations.

use super::simd::{Level, WIDE_WIDTH, WIDTH};

pub use charpipe_test_support::{XorShift, random};

/// Characters that texts are filled with.
const FILLERS: [&str; 8] = ["a", "é", "中", "🎂", "aé", "x中", "of 🎂", "é中a🎂"];

/// The first and the last character of each length and of the ranges of encodings.
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

/// Malformed sequences, and a character that few encodings have.
pub const MALFORMED: [&[u8]; 12] = [
    b"\x80",
    b"\xC2",
    b"\xC3\xC3",
    b"\xC3\xA9\xA9",
    b"\xC0\x80",
    b"\xC1\xBF",
    b"\xE2\x80",
    b"\xE2\x80\x91\x91",
    b"\xE2\xC3\xA9",
    b"\xED\xA0\x80",
    b"\xFF",
    "\u{A980}".as_bytes(),
];

/// Invalid and incomplete sequences, and those that RFC 3629 excludes.
const INVALID_SEQUENCES: [&[u8]; 20] = [
    b"\x80",
    b"\xBF",
    b"\xC0\x80",
    b"\xC1\xBF",
    b"\xC2",
    b"\xC3\x28",
    b"\xE0\x80\x80",
    b"\xE0\x9F\xBF",
    b"\xE0\xA0",
    b"\xE2\x28\xA1",
    b"\xED\xA0\x80",
    b"\xED\xBF\xBF",
    b"\xEF\xBF",
    b"\xF0\x80\x80\x80",
    b"\xF0\x8F\xBF\xBF",
    b"\xF0\x9F\x8E",
    b"\xF4\x90\x80\x80",
    b"\xF5\x80\x80\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xFF",
];

/// The limit of the length of a text of one filler, in characters.
const MAX_CHARS: usize = 200;

/// The number of positions of an edge character.
const MAX_POSITIONS: usize = 70;

/// Returns the distance of the inputs that are tested: `stride` with Miri, which takes a thousand times as long, and 1
/// otherwise.
pub const fn stride(stride: usize) -> usize {
    if cfg!(miri) { stride } else { 1 }
}

/// Returns texts of each filler and of each length.
pub fn uniform_texts() -> impl Iterator<Item = String> {
    let text = |filler: &str, len| filler.chars().cycle().take(len).collect();
    let lens = (0..MAX_CHARS).step_by(stride(101));
    FILLERS.into_iter().flat_map(move |filler| lens.clone().map(move |len| text(filler, len)))
}

/// Returns texts of each filler with each edge character at each position.
pub fn edge_cases() -> impl Iterator<Item = String> {
    let text = |filler: &str, edge: char, position: usize| {
        let filler = || filler.chars().cycle();
        filler().take(position).chain([edge]).chain(filler().take(40)).collect()
    };
    let edges = EDGE_CHARS.into_iter().step_by(stride(11));
    let each = move |filler| edges.clone().map(move |edge| (filler, edge));
    let pairs = FILLERS.into_iter().step_by(stride(2)).flat_map(each);
    pairs.flat_map(move |(filler, edge)| {
        let positions = (0..MAX_POSITIONS).step_by(stride(35));
        positions.map(move |position| text(filler, edge, position))
    })
}

/// Returns texts with an invalid sequence at each of 350 positions, followed by some fillers.
pub fn malformed_texts<const N: usize>(
    filler: &str,
    fillers_after: [usize; N],
) -> impl Iterator<Item = Vec<u8>> {
    (0..350 / filler.len()).step_by(stride(123)).flat_map(move |before| {
        INVALID_SEQUENCES.into_iter().step_by(stride(7)).flat_map(move |sequence| {
            fillers_after.into_iter().map(move |after| {
                [filler.repeat(before).as_bytes(), sequence, filler.repeat(after).as_bytes()]
                    .concat()
            })
        })
    })
}

/// Runs a kernel at a SIMD level and returns the numbers of bytes read and written.
pub type KernelFn = fn(Level, &[u8], &mut [u8]) -> (usize, usize);

/// Converts whole characters, or returns `None` where the kernel must stop: slow and obvious.
pub type ReferenceFn = fn(&[u8]) -> Option<Vec<u8>>;

/// A kernel, its reference implementation, and the amount of input that it must convert.
pub struct KernelTest {
    pub run: KernelFn,
    pub reference: ReferenceFn,
    /// The numbers of bytes of input and of output capacity with which the kernel must continue.
    pub min_lens: (usize, usize),
}

impl KernelTest {
    /// Checks at every level that the kernel converts what it reads as the reference implementation
    /// does, and that it stops only for a reason.
    pub fn check(&self, src: &[u8], output_len: usize) {
        for level in Level::all() {
            let mut dst = vec![0x55; output_len];
            let (read, written) = (self.run)(level, src, &mut dst);
            let expected = (self.reference)(&src[..read]);
            assert_eq!(expected.as_deref(), Some(&dst[..written]), "{level:?} {read} {src:X?}");
            let next = src.get(read..read + self.min_lens.0);
            let stopped = next.is_none_or(|next| {
                // Some prefix of them must be whole characters, or there is an error.
                !(next.len() - 4..=next.len()).any(|len| (self.reference)(&next[..len]).is_some())
            });
            let full = output_len - written < self.min_lens.1;
            assert!(stopped || full, "{level:?} stops at {read} of {src:X?} in {output_len}");
        }
    }

    /// Calls [`check`](Self::check) with outputs that are too small, exactly large enough, and
    /// larger.
    pub fn check_output_sizes(&self, src: &[u8]) {
        let whole = (self.reference)(src).map_or(0, |bytes| bytes.len());
        let outputs = [0, whole / 2, whole, whole + 1, whole + self.min_lens.1];
        for output in outputs.into_iter().step_by(stride(2)) {
            self.check(src, output);
        }
    }

    /// Calls [`check`](Self::check) with malformed texts.
    pub fn check_malformed(&self) {
        for filler in ["a", "é", "中", "🎂", "aé中"] {
            for src in malformed_texts(filler, [0, 100]) {
                self.check(&src, 4 * src.len() + self.min_lens.1);
            }
        }
    }

    /// Checks that levels with wide vectors convert a text but for the end.
    pub fn check_wide_converts_most_of(&self, text: &str) {
        for level in
            Level::all().filter(|level| ["avx512", "portable-wide"].contains(&level.name()))
        {
            let mut dst = vec![0; 4 * text.len() + self.min_lens.1];
            let (read, _) = (self.run)(level, text.as_bytes(), &mut dst);
            assert!(text.len() - read <= 2 * WIDE_WIDTH, "{level:?} {read} of {}", text.len());
        }
    }

    /// Calls [`check`](Self::check) with the input at each alignment.
    pub fn check_alignments(&self, src: &[u8]) {
        let mut bytes = vec![0; src.len() + 2 * WIDTH];
        let first = bytes.as_ptr().align_offset(WIDTH).min(WIDTH);
        for at in (first..first + WIDTH).step_by(stride(11)) {
            bytes[at..at + src.len()].copy_from_slice(src);
            self.check(&bytes[at..at + src.len()], 4 * src.len() + self.min_lens.1);
        }
    }
}

#[test]
fn levels_of_the_processor_are_reported() {
    let levels: Vec<Level> = Level::all().collect();
    charpipe_test_support::report(&format!("kernels are tested at {levels:?}"));
    assert!(!levels.is_empty());
}
