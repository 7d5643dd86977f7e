//! A table of what each byte is encoded to, where that does not depend on its neighbors.

use charpipe_kernel::byte_escapes::Units;
use charpipe_kernel::hex;

/// The number of literal bytes in a row after which a vectorized copy is faster.
const LONG_RUN: usize = 8;

/// What each byte is encoded to: one byte, or an escape of three bytes.
pub(super) struct UnitTable {
    /// The bytes, and their number in the last one. A byte that depends on others has none.
    units: Units,
}

impl UnitTable {
    /// Creates a table with the escapes that start with `mark`.
    pub fn new(mark: u8, is_literal: impl Fn(u8) -> bool) -> UnitTable {
        let unit = |byte| match hex::encode_byte(byte) {
            _ if is_literal(byte) => [byte, 0, 0, 1],
            [high, low] => [mark, high, low, 3],
        };
        UnitTable { units: std::array::from_fn(|byte| unit(byte as u8)) }
    }

    /// Encodes a byte to another one.
    pub fn set(&mut self, byte: u8, encoded: u8) {
        self.units[usize::from(byte)] = [encoded, 0, 0, 1];
    }

    /// Leaves a byte to the codec.
    pub fn set_special(&mut self, byte: u8) {
        self.units[usize::from(byte)] = [0; 4];
    }

    /// Returns the units for a kernel.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Returns the unit of a byte in a longer array, and its length.
    #[inline(always)]
    pub fn unit(&self, byte: u8) -> ([u8; 4], usize) {
        let unit = self.units[usize::from(byte)];
        (unit, usize::from(unit[3]))
    }

    /// Encodes bytes up to a special one, a long run of literals, or the end of `dst`. Returns the
    /// numbers of bytes read and written.
    pub fn encode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written, mut run) = (0, 0, 0);
        for byte in src {
            let (unit, len) = self.unit(*byte);
            if len == 0 || run == LONG_RUN {
                break;
            }
            let Some(to) = dst[written..].first_chunk_mut::<4>() else { break };
            *to = unit;
            read += 1;
            written += len;
            run = if len == 1 { run + 1 } else { 0 };
        }
        (read, written)
    }
}

/// Decodes escapes that start with `mark`, and single bytes between them that represent what `single`
/// contains. Stops at other bytes, after a long run of single bytes, and at the end of a slice.
/// Returns the numbers of bytes read and written.
pub(super) fn decode_escapes(
    mark: u8,
    single: &[Option<u8>; 256],
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    let (mut read, mut written, mut run) = (0, 0, 0);
    while let (Some(&[first, high, low]), Some(to)) =
        (src[read..].first_chunk(), dst.get_mut(written))
    {
        if first == mark {
            let Some(byte) = hex::decode_byte([high, low]) else { break };
            *to = byte;
            read += 3;
            run = 0;
        } else {
            let Some(byte) = single[usize::from(first)].filter(|_| run < LONG_RUN) else { break };
            *to = byte;
            read += 1;
            run += 1;
        }
        written += 1;
    }
    (read, written)
}
