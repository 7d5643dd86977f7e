//! The operations on 64 bytes with arrays: the reference implementation of the other levels.

use super::portable::{self, Portable, lanes8, lanes16, lanes32};
use super::{AsArrays, WIDE_WIDTH, WIDTH, WideSimd};

/// The portable level of wide vectors, for tests.
#[derive(Debug, Clone, Copy)]
pub struct PortableWide;

/// A vector of 64 bytes.
type WideVector = [u8; WIDE_WIDTH];

type Lanes16 = [u16; WIDE_WIDTH / 2];
type Lanes32 = [u32; WIDE_WIDTH / 4];

fn to16(bytes: WideVector) -> Lanes16 {
    let lanes = bytes.as_arrays().0;
    std::array::from_fn(|lane| u16::from_le_bytes(lanes[lane]))
}

fn to32(bytes: WideVector) -> Lanes32 {
    let lanes = bytes.as_arrays().0;
    std::array::from_fn(|lane| u32::from_le_bytes(lanes[lane]))
}

/// Returns the lanes of which `is_in` is true.
fn set(is_in: impl Fn(usize) -> bool) -> u64 {
    (0..WIDE_WIDTH).map(|lane| u64::from(is_in(lane)) << lane).sum()
}

fn set16(a: WideVector, b: WideVector, is_in: impl Fn(u16, u16) -> bool) -> u32 {
    let (a, b) = (to16(a), to16(b));
    set(|lane| lane < a.len() && is_in(a[lane], b[lane])) as u32
}

fn set32(a: WideVector, b: WideVector, is_in: impl Fn(u32, u32) -> bool) -> u16 {
    let (a, b) = (to32(a), to32(b));
    set(|lane| lane < a.len() && is_in(a[lane], b[lane])) as u16
}

impl WideSimd for PortableWide {
    type Bytes = WideVector;
    type Narrow = Portable;

    fn narrow(self) -> Portable {
        Portable
    }

    fn load(self, from: &WideVector) -> WideVector {
        *from
    }
    fn load_prefix(self, from: &[u8]) -> WideVector {
        std::array::from_fn(|lane| from.get(lane).copied().unwrap_or(0))
    }
    fn load_repeated(self, from: &[u8; WIDTH]) -> WideVector {
        std::array::from_fn(|lane| from[lane % WIDTH])
    }
    fn store(self, bytes: WideVector, to: &mut WideVector) {
        *to = bytes;
    }

    fn splat8(self, value: u8) -> WideVector {
        [value; WIDE_WIDTH]
    }
    fn splat16(self, value: u16) -> WideVector {
        lanes16([0; WIDE_WIDTH], [0; WIDE_WIDTH], |_, _| value)
    }
    fn splat32(self, value: u32) -> WideVector {
        lanes32([0; WIDE_WIDTH], [0; WIDE_WIDTH], |_, _| value)
    }

    fn select8(self, mask: u64, yes: WideVector, no: WideVector) -> WideVector {
        std::array::from_fn(|lane| if mask >> lane & 1 != 0 { yes[lane] } else { no[lane] })
    }
    fn select16(self, mask: u32, yes: WideVector, no: WideVector) -> WideVector {
        std::array::from_fn(|at| if mask >> (at / 2) & 1 != 0 { yes[at] } else { no[at] })
    }
    fn select32(self, mask: u16, yes: WideVector, no: WideVector) -> WideVector {
        std::array::from_fn(|at| if mask >> (at / 4) & 1 != 0 { yes[at] } else { no[at] })
    }

    fn shuffle8_in_16(self, a: WideVector, indexes: WideVector) -> WideVector {
        std::array::from_fn(|lane| match indexes[lane] {
            index @ ..0x80 => a[lane / WIDTH * WIDTH + usize::from(index) % WIDTH],
            _ => 0,
        })
    }
    fn permute8_of_2(self, a: WideVector, b: WideVector, indexes: WideVector) -> WideVector {
        indexes.map(|index| [a, b].as_flattened()[usize::from(index) % (2 * WIDE_WIDTH)])
    }
    fn concat_last16<const N: i32>(self, a: WideVector, b: WideVector) -> WideVector {
        let from = WIDE_WIDTH - WIDTH + N as usize;
        std::array::from_fn(|lane| [a, b].as_flattened()[from + lane])
    }

    fn compress8(self, set: u64, a: WideVector) -> WideVector {
        let mut kept = (0..WIDE_WIDTH).filter(|lane| set >> lane & 1 != 0).map(|lane| a[lane]);
        std::array::from_fn(|_| kept.next().unwrap_or(0))
    }
    fn upper_half(self, a: WideVector) -> WideVector {
        self.load_prefix(&a[WIDE_WIDTH / 2..])
    }

    fn multishift8(self, shifts: WideVector, a: WideVector) -> WideVector {
        std::array::from_fn(|lane| {
            let bytes = a[lane / 8 * 8..].first_chunk().copied().unwrap_or_default();
            u64::from_le_bytes(bytes).rotate_right(u32::from(shifts[lane]) % 64) as u8
        })
    }

    operations! { (WideVector) -> WideVector;
        and(a, b) = lanes8(a, b, |a, b| a & b);
        or(a, b) = lanes8(a, b, |a, b| a | b);
        xor(a, b) = lanes8(a, b, |a, b| a ^ b);
        add8(a, b) = lanes8(a, b, u8::wrapping_add);
        add32(a, b) = lanes32(a, b, u32::wrapping_add);
        sub8(a, b) = lanes8(a, b, u8::wrapping_sub);
        saturating_sub8(a, b) = lanes8(a, b, u8::saturating_sub);
        max8(a, b) = lanes8(a, b, u8::max);
        shl16<N: u32>(a) = lanes16(a, a, |lane, _| lane << N);
        shl32<N: u32>(a) = lanes32(a, a, |lane, _| lane << N);
        shr16<N: u32>(a) = lanes16(a, a, |lane, _| lane >> N);
        shr32<N: u32>(a) = lanes32(a, a, |lane, _| lane >> N);
        mul_add_pairs8(a, b) = portable::mul_add_pairs8(a, b);
        mul_add_pairs16(a, b) = portable::mul_add_pairs16(a, b);
        permute8(a, indexes) = indexes.map(|index| a[usize::from(index) % WIDE_WIDTH]);
        widen16(a) = std::array::from_fn(|at| if at % 4 < 2 { a[at / 4 * 2 + at % 4] } else { 0 });
    }

    operations! { (WideVector) -> u64;
        eq8(a, b) = set(|lane| a[lane] == b[lane]);
        at_least8(a, b) = set(|lane| a[lane] >= b[lane]);
        gt_i8(a, b) = set(|lane| a[lane] as i8 > b[lane] as i8);
        test8(a, b) = set(|lane| a[lane] & b[lane] != 0);
        movemask8(a) = set(|lane| a[lane] >= 0x80);
    }

    operations! { (WideVector) -> u32;
        eq16(a, b) = set16(a, b, |a, b| a == b);
        at_least16(a, b) = set16(a, b, |a, b| a >= b);
    }

    operations! { (WideVector) -> u16;
        eq32(a, b) = set32(a, b, |a, b| a == b);
        at_least32(a, b) = set32(a, b, |a, b| a >= b);
    }
}
