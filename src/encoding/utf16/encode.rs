//! Text to units, in an order that is known.

use super::endian::Endian;
use crate::codec::Progress;
use crate::conversion_error::Unmappable;
use crate::kernel;

/// The characters that go one by one before the kernel is asked again.
const SCALAR_LIMIT: usize = 16;

/// Encodes to units of the order `O`, with surrogate pairs if `PAIRS`.
pub fn encode<O: Endian, const PAIRS: bool>(src: &str, dst: &mut [u8]) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    loop {
        let (bytes, raw_bytes) =
            kernel::utf16::encode(&src[read..], &mut dst[written..], O::IS_BIG, PAIRS);
        read += bytes;
        written += raw_bytes;
        let mut rest = src[read..].chars();
        for _ in 0..SCALAR_LIMIT {
            let Some(character) = rest.next() else { return Progress::input_empty(read, written) };
            if !PAIRS && character > '\u{FFFF}' {
                return Progress::error(read, written, Unmappable::new(character));
            }
            let Some(len) = write_char::<O>(character, &mut dst[written..]) else {
                return Progress::output_full(read, written);
            };
            read += character.len_utf8();
            written += len;
        }
    }
}

/// Writes the units of one character, if there is space; says how many bytes.
fn write_char<O: Endian>(character: char, dst: &mut [u8]) -> Option<usize> {
    let (space, _) = dst.as_chunks_mut::<2>();
    match (&*character.encode_utf16(&mut [0; 2]), space) {
        (&[unit], [only, ..]) => {
            *only = O::unit_to_bytes(unit);
            Some(2)
        }
        (&[high, low], [first, second, ..]) => {
            *first = O::unit_to_bytes(high);
            *second = O::unit_to_bytes(low);
            Some(4)
        }
        _ => None,
    }
}
