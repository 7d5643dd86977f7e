//! What kernels of text are tested with: mixtures of all lengths, and how far they must come.

use super::simd::{Level, WIDTH};

/// Characters that text is filled with.
const FILLERS: [&str; 8] = ["a", "é", "中", "🎂", "aé", "x中", "of 🎂", "é中a🎂"];

/// The first and the last character of each length, and of what charsets hold.
const ODD: [char; 14] = [
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
pub const LONGEST: usize = if cfg!(miri) { 40 } else { 200 };

/// The last place of an odd character.
const PLACES: usize = if cfg!(miri) { 20 } else { 70 };

/// Texts of each filler and of each length.
pub fn plain() -> impl Iterator<Item = String> {
    let text = |filler: &str, len| filler.chars().cycle().take(len).collect();
    FILLERS.into_iter().flat_map(move |filler| (0..LONGEST).map(move |len| text(filler, len)))
}

/// Texts of each filler with each odd character at each place.
pub fn odd() -> impl Iterator<Item = String> {
    let text = |filler: &str, odd: char, place: usize| {
        let filler = || filler.chars().cycle();
        filler().take(place).chain([odd]).chain(filler().take(40)).collect()
    };
    let odd = ODD.into_iter().step_by(if cfg!(miri) { 5 } else { 1 });
    let each = move |filler| odd.clone().map(move |odd| (filler, odd));
    let all = FILLERS.into_iter().flat_map(each);
    all.flat_map(move |(filler, odd)| (0..PLACES).map(move |place| text(filler, odd, place)))
}

/// A kernel at a level: octets to octets, and how many it has read and written.
pub type Run = fn(Level, &[u8], &mut [u8]) -> (usize, usize);

/// What octets are made into, if a kernel may do that: slow and obvious.
pub type Twin = fn(&[u8]) -> Option<Vec<u8>>;

/// A kernel, its twin, and how far it must come.
pub struct Kernel {
    pub run: Run,
    pub twin: Twin,
    /// Octets of input, and of room, which a kernel may not leave if it can go on.
    pub least: (usize, usize),
}

impl Kernel {
    /// Holds the kernel to its twin at every level: what it has read is what the twin reads to the
    /// same octets, and it goes as far as it can.
    pub fn check(&self, src: &[u8], room: usize) {
        for level in Level::all() {
            let mut dst = vec![0x55; room];
            let (read, written) = (self.run)(level, src, &mut dst);
            let plain = (self.twin)(&src[..read]);
            assert_eq!(plain.as_deref(), Some(&dst[..written]), "{level:?} {read} {src:X?}");
            let next = src.get(read..read + self.least.0);
            let stopped = next.is_none_or(|next| {
                // Some cut of them must be whole characters, or there is a fault.
                !(next.len() - 4..=next.len()).any(|len| (self.twin)(&next[..len]).is_some())
            });
            let full = room - written < self.least.1;
            assert!(stopped || full, "{level:?} stops at {read} of {src:X?} in {room}");
        }
    }

    /// Does so in rooms that are too small, barely enough, and more.
    pub fn check_in_rooms(&self, src: &[u8]) {
        let whole = (self.twin)(src).map_or(0, |octets| octets.len());
        for room in [0, whole / 2, whole, whole + 1, whole + self.least.1] {
            self.check(src, room);
        }
    }

    /// Does so at each place in memory, counted from one where a vector begins.
    pub fn check_at_places(&self, src: &[u8]) {
        let mut bytes = vec![0; src.len() + 2 * WIDTH];
        let first = bytes.as_ptr().align_offset(WIDTH).min(WIDTH);
        for at in first..first + WIDTH {
            bytes[at..at + src.len()].copy_from_slice(src);
            self.check(&bytes[at..at + src.len()], 4 * src.len() + self.least.1);
        }
    }
}
