//! Whether all inputs are tested, or a sample of them.

/// Returns whether `CHARPIPE_TEST_EXHAUSTIVE` is set, which requests all inputs.
pub fn is_exhaustive() -> bool {
    std::env::var_os("CHARPIPE_TEST_EXHAUSTIVE").is_some()
}

/// Returns the distance of the inputs that are tested: `stride` by default, and 1 if all are.
pub fn sample_stride(stride: usize) -> usize {
    if is_exhaustive() { 1 } else { stride }
}

/// Returns the number of random rounds: `count / stride` by default, and `count` if all inputs are tested.
pub fn sample_count(count: usize, stride: usize) -> usize {
    count / sample_stride(stride)
}
