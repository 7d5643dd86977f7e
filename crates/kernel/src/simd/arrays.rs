//! Slices as slices of arrays: `as_chunks` of the standard library, which is stable since Rust 1.88.

#![allow(unsafe_code)]

/// Splits a slice into arrays of `N` elements and the elements after them. `N` must not be zero.
#[inline(always)]
pub const fn as_arrays<T, const N: usize>(slice: &[T]) -> (&[[T; N]], &[T]) {
    let count = slice.len() / N;
    let (whole, rest) = slice.split_at(count * N);
    // SAFETY: `whole` has `count * N` elements, and an array has the alignment of its elements.
    (unsafe { std::slice::from_raw_parts(whole.as_ptr().cast(), count) }, rest)
}

/// The methods of slices.
pub trait AsArrays<T> {
    /// Splits the slice into arrays of `N` elements and the elements after them.
    fn as_arrays<const N: usize>(&self) -> (&[[T; N]], &[T]);

    /// Splits the slice into arrays of `N` elements and the elements after them.
    fn as_arrays_mut<const N: usize>(&mut self) -> (&mut [[T; N]], &mut [T]);
}

impl<T> AsArrays<T> for [T] {
    #[inline(always)]
    fn as_arrays<const N: usize>(&self) -> (&[[T; N]], &[T]) {
        as_arrays(self)
    }

    #[inline(always)]
    fn as_arrays_mut<const N: usize>(&mut self) -> (&mut [[T; N]], &mut [T]) {
        let count = self.len() / N;
        let (whole, rest) = self.split_at_mut(count * N);
        // SAFETY: as in `as_arrays`; `whole` is borrowed exclusively.
        (unsafe { std::slice::from_raw_parts_mut(whole.as_mut_ptr().cast(), count) }, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_and_the_rest_are_the_slice() {
        let mut numbers: Vec<u16> = (0..11).collect();
        let (arrays, rest) = numbers.as_arrays::<4>();
        assert_eq!((arrays, rest), (&[[0, 1, 2, 3], [4, 5, 6, 7]][..], &[8, 9, 10][..]));
        assert_eq!(numbers[..3].as_arrays::<4>(), (&[][..], &[0, 1, 2][..]));
        let (arrays, rest) = numbers.as_arrays_mut::<5>();
        arrays[1][4] = 90;
        rest[0] = 100;
        assert_eq!(numbers[9..], [90, 100]);
    }
}
