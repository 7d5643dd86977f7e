//! Vectors of 32 bytes as two vectors of 16, for processors that have no longer ones.

use super::{AsArrays, DOUBLE_WIDTH, Lanes, Simd, WIDTH};

/// A level of vectors of 32 bytes that are two vectors of the level `S`.
#[derive(Debug, Clone, Copy)]
pub struct Halves<S>(pub S);

/// Defines operations of each half.
macro_rules! in_each_half {
    ($($name:ident $(<$count:ident>)? ($($operand:ident),*);)*) => {$(
        #[inline(always)]
        fn $name $(<const $count: i32>)? (self, $($operand: Self::Bytes),*) -> Self::Bytes {
            [
                self.0.$name $(::<$count>)? ($($operand[0]),*),
                self.0.$name $(::<$count>)? ($($operand[1]),*),
            ]
        }
    )*};
}

impl<S: Simd> Lanes for Halves<S> {
    type Bytes = [S::Bytes; 2];
    type Array = [u8; DOUBLE_WIDTH];

    #[inline(always)]
    fn load(self, from: &[u8; DOUBLE_WIDTH]) -> Self::Bytes {
        match from.as_arrays().0 {
            [low, high] => [self.0.load(low), self.0.load(high)],
            _ => self.splat8(0),
        }
    }
    #[inline(always)]
    fn store(self, [low, high]: Self::Bytes, to: &mut [u8; DOUBLE_WIDTH]) {
        if let [to_low, to_high] = to.as_arrays_mut().0 {
            self.0.store(low, to_low);
            self.0.store(high, to_high);
        }
    }

    #[inline(always)]
    fn splat8(self, value: u8) -> Self::Bytes {
        [self.0.splat8(value); 2]
    }
    #[inline(always)]
    fn splat16(self, value: u16) -> Self::Bytes {
        [self.0.splat16(value); 2]
    }
    #[inline(always)]
    fn splat32(self, value: u32) -> Self::Bytes {
        [self.0.splat32(value); 2]
    }
    #[inline(always)]
    fn movemask8(self, [low, high]: Self::Bytes) -> u32 {
        self.0.movemask8(low) | self.0.movemask8(high) << WIDTH
    }
    #[inline(always)]
    fn are_clear(self, a: Self::Bytes, bits: Self::Bytes) -> bool {
        let [low, high] = self.and(a, bits);
        self.0.are_clear(self.0.or(low, high), self.0.splat8(0xFF))
    }

    in_each_half! {
        and(a, b);
        or(a, b);
        and_not(a, b);
        add8(a, b);
        add16(a, b);
        add32(a, b);
        sub8(a, b);
        saturating_sub8(a, b);
        eq8(a, b);
        eq16(a, b);
        eq32(a, b);
        gt_i8(a, b);
        max8(a, b);
        min16(a, b);
        shl16<N>(a);
        shr16<N>(a);
        shl32<N>(a);
        shr32<N>(a);
        mul_low16(a, b);
        mul_high16(a, b);
        mul_add_pairs8(a, b);
        mul_add_pairs16(a, b);
        select(mask, yes, no);
        shuffle8(a, indexes);
        concat_bytes<N>(a, b);
        zip_low8(a, b);
        zip_high8(a, b);
        zip_low16(a, b);
        zip_high16(a, b);
        narrow16(a, b);
        narrow32(a, b);
    }
}
