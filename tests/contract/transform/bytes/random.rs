//! Random inputs for the comparisons.

use charpipe_test_support::XorShift;

/// Returns bytes, text with line endings, or a mixture.
pub fn plain(random: &mut XorShift, max: usize) -> Vec<u8> {
    let len = random.below(max + 1);
    let kind = random.below(4);
    let text = b"The quick brown fox  jumps\tover, the lazy dog. = % + ~ \n \r\n\r 0123";
    (0..len)
        .map(|_| match kind {
            0 => random.byte(),
            1 => random.one(text),
            2 => b'a' + random.below(26) as u8,
            _ if random.below(20) == 0 => random.byte(),
            _ => random.one(text),
        })
        .collect()
}

/// Returns an input with a few bytes of `alphabet` inserted or overwritten, or some removed.
pub fn changed(random: &mut XorShift, input: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut input = input.to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(input.len() + 1);
        let byte = if random.below(3) == 0 { random.byte() } else { random.one(alphabet) };
        match random.below(4) {
            0 => input.truncate(at),
            1 if at < input.len() => input[at] = byte,
            2 if at < input.len() => drop(input.remove(at)),
            _ => input.insert(at, byte),
        }
    }
    input
}
