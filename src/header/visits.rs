//! How often bytes of header lines are looked at: counted in tests and by the fuzzer.
//!
//! That decoding takes linear time is so tested without a clock. Each loop over bytes of the source
//! notes how many it has looked at; one that takes many at once notes those up to what it has found.

/// Notes that so many bytes have been looked at. Nothing in a build for use.
#[inline(always)]
pub fn note(_bytes: usize) {
    #[cfg(any(test, fuzzing))]
    count::VISITS.with(|visits| visits.set(visits.get() + _bytes as u64));
}

/// How many have been noted in this thread since this was asked last.
#[cfg(any(test, fuzzing))]
pub fn take() -> u64 {
    count::VISITS.take()
}

#[cfg(any(test, fuzzing))]
mod count {
    use std::cell::Cell;

    thread_local! {
        pub static VISITS: Cell<u64> = const { Cell::new(0) };
    }
}
