//! ISO-8859-1 from text and to text.

use super::from_text::{self, Encode, Near, Places, Target};
use super::simd::{self, Loop, Simd, WIDTH};
use super::to_text::{self, ROOM};

/// Encodes text at the front of `src` while `dst` has room to spare, up to a character beyond
/// U+00FF. Says octets read and written.
pub fn encode(src: &str, dst: &mut [u8]) -> (usize, usize) {
    simd::run(Encode::<Octets>::new(src.as_bytes(), dst))
}

struct Octets;

impl Target for Octets {
    const UNIT: usize = 1;
    const ROOM: usize = 2 * WIDTH;
    /// U+0100 begins with it.
    const LEAD: u8 = 0xC4;
    const LONG: usize = 1;

    #[inline(always)]
    fn long<S: Simd>(_: S, _: &Near) -> Option<Places<S::Bytes>> {
        None
    }

    #[inline(always)]
    fn ascii<S: Simd>(s: S, octets: S::Bytes, room: &mut [u8]) {
        if let Some(room) = room.first_chunk_mut() {
            s.store(octets, room);
        }
    }

    #[inline(always)]
    fn put<S: Simd, const LAST: bool>(s: S, places: Places<S::Bytes>, room: &mut [u8]) {
        if let Some(room) = room.first_chunk_mut() {
            let units = Places::zip::<S, LAST>(s, places.low, s.splat8(0));
            let units = places.gather::<S, LAST>(s, units);
            s.store(s.pack16(units, units), room);
        }
    }
}

/// Decodes octets at the front of `src` while `dst` has room to spare. Says octets read and
/// written.
pub fn decode(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(Decode { src, dst })
}

struct Decode<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Decode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Decode { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'octets: loop {
            let plain = from_text::ascii::<S, Octets>(s, &src[read..], &mut dst[written..]);
            read += plain;
            written += plain;
            for _ in 0..from_text::GROUP {
                let Some(octets) = src[read..].first_chunk() else { break 'octets };
                let Some(room) = dst.get_mut(written..written + 2 * ROOM) else { break 'octets };
                written += block(s, s.load(octets), room);
                read += WIDTH;
            }
        }
        (read, written)
    }
}

/// Decodes 16 octets; says how many octets of text.
#[inline(always)]
fn block<S: Simd>(s: S, octets: S::Bytes, room: &mut [u8]) -> usize {
    if s.mask8(octets) == 0 {
        if let Some(room) = room.first_chunk_mut() {
            s.store(octets, room);
        }
        return WIDTH;
    }
    let units = [s.zip_low8(octets, s.splat8(0)), s.zip_high8(octets, s.splat8(0))];
    let mut written = 0;
    for units in units {
        if let Some(room) = room[written..].first_chunk_mut() {
            written += to_text::of_two(s, units, room);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::samples::{self, Kernel};
    use crate::kernel::simd::Level;

    fn octets(text: &str) -> Option<Vec<u8>> {
        text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
    }

    const ENCODER: Kernel = Kernel {
        run: |level: Level, src, dst| level.run(Encode::<Octets>::new(src, dst)),
        twin: |src| octets(str::from_utf8(src).ok()?),
        least: (24, 34),
    };

    const DECODER: Kernel = Kernel {
        run: |level: Level, src, dst| level.run(Decode { src, dst }),
        twin: |src| Some(src.iter().copied().map(char::from).collect::<String>().into_bytes()),
        least: (WIDTH, 2 * ROOM),
    };

    #[test]
    fn both_ways_agree_with_plain_loops_at_every_length_place_and_room() {
        for text in samples::plain() {
            ENCODER.check_in_rooms(text.as_bytes());
            if let Some(octets) = octets(&text) {
                DECODER.check_in_rooms(&octets);
                ENCODER.check_at_places(text.as_bytes());
                DECODER.check_at_places(&octets);
            }
        }
    }

    #[test]
    fn both_ways_agree_wherever_an_odd_character_stands() {
        for text in samples::odd() {
            ENCODER.check(text.as_bytes(), text.len() + 64);
            if let Some(octets) = octets(&text) {
                DECODER.check(&octets, 2 * octets.len() + 64);
            }
        }
    }
}
