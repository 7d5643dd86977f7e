//! Text to units, in an order that is known.

use super::order::Order;
use crate::codec::Progress;
use crate::fault::Unmappable;
use crate::kernel;

/// The characters that go one by one before the kernel is asked again.
const FEW: usize = 16;

/// Encodes to units of the order `O`, with surrogate pairs if `PAIRS`.
pub fn encode<O: Order, const PAIRS: bool>(src: &str, dst: &mut [u8]) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    loop {
        let (bytes, octets) =
            kernel::utf16::encode(&src[read..], &mut dst[written..], O::BIG, PAIRS);
        read += bytes;
        written += octets;
        let mut rest = src[read..].chars();
        for _ in 0..FEW {
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
