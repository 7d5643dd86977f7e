//! Text to units, in an order that is known.

use super::blocks;
use super::order::Order;
use crate::codec::Progress;
use crate::fault::Unmappable;

/// The bytes that are looked at together; characters go one by one where no block does.
const BLOCK: usize = 16;

/// Encodes to units of the order `O`, with surrogate pairs if `PAIRS`.
pub fn encode<O: Order, const PAIRS: bool>(src: &str, dst: &mut [u8]) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    loop {
        let bytes = ascii_blocks::<O>(&src.as_bytes()[read..], &mut dst[written..]);
        read += bytes;
        written += 2 * bytes;
        let rest = &src.as_bytes()[read..];
        let (bytes, octets) = blocks::encode::<O>(rest, &mut dst[written..]);
        read += bytes;
        written += octets;
        if bytes > 0 {
            continue;
        }
        let mut rest = src[read..].chars();
        for _ in 0..BLOCK {
            let Some(character) = rest.next() else { return Progress::input(read, written) };
            if !PAIRS && character > '\u{FFFF}' {
                return Progress::fault(read, written, Unmappable::new(character));
            }
            let Some(len) = put::<O>(character, &mut dst[written..]) else {
                return Progress::output(read, written);
            };
            read += character.len_utf8();
            written += len;
        }
    }
}

/// Writes the units of one character, if there is room; says how many octets.
fn put<O: Order>(character: char, dst: &mut [u8]) -> Option<usize> {
    let (room, _) = dst.as_chunks_mut::<2>();
    match (&*character.encode_utf16(&mut [0; 2]), room) {
        (&[unit], [only, ..]) => {
            *only = O::octets(unit);
            Some(2)
        }
        (&[high, low], [first, second, ..]) => {
            *first = O::octets(high);
            *second = O::octets(low);
            Some(4)
        }
        _ => None,
    }
}

/// Encodes whole blocks as long as they are ASCII and there is room; says how many bytes.
fn ascii_blocks<O: Order>(src: &[u8], dst: &mut [u8]) -> usize {
    let (from, _) = src.as_chunks::<BLOCK>();
    let (pairs, _) = dst.as_chunks_mut::<2>();
    let (into, _) = pairs.as_chunks_mut::<BLOCK>();
    let mut blocks = 0;
    for (ascii, octets) in from.iter().zip(into) {
        if !ascii.is_ascii() {
            break;
        }
        *octets = ascii.map(|byte| O::octets(u16::from(byte)));
        blocks += 1;
    }
    blocks * BLOCK
}
