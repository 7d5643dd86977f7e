//! A name for a finding by which the next run knows it again.
//!
//! It is made of the path, the rule, and of how many findings of that rule the file has before it.
//! Text that is added or taken away elsewhere does not change it, as an offset or a line would.

use charpipe::check::Rule;

/// Names the findings of one file after the other.
#[derive(Debug, Default)]
pub struct Fingerprints {
    path: u128,
    counts: [u64; Rule::ALL.len()],
}

impl Fingerprints {
    /// What comes next is found in this file.
    pub fn begin(&mut self, path: &[u8]) {
        (self.path, self.counts) = (fnv1a(FNV_BASIS, path), Default::default());
    }

    /// The name of the next finding, which breaks this rule.
    pub fn next(&mut self, rule: Rule) -> u128 {
        let count = &mut self.counts[rule.index()];
        *count += 1;
        // NUL stands in no path, so that no two names are made of the same bytes.
        let named = fnv1a(fnv1a(self.path, b"\0"), rule.name().as_bytes());
        fnv1a(named, &count.to_be_bytes())
    }
}

// FNV-1a of 128 bits (draft-eastlake-fnv, section 5).
const FNV_BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
const FNV_PRIME: u128 = (1 << 88) + 0x13B;

fn fnv1a(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(FNV_PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fnv_1a() {
        assert_eq!(fnv1a(FNV_BASIS, b""), FNV_BASIS);
        assert_eq!(fnv1a(FNV_BASIS, b"a"), 0xD228_CB69_6F1A_8CAF_7891_2B70_4E4A_8964);
        assert_eq!(fnv1a(FNV_BASIS, b"foobar"), 0x343E_1662_793C_64BF_6F0D_3597_BA44_6F18);
    }

    #[test]
    fn fingerprints_are_unique_and_stable() {
        let run = |path: &[u8]| {
            let mut names = Fingerprints::default();
            names.begin(path);
            let rules = [Rule::IllFormed, Rule::Newline, Rule::IllFormed, Rule::Newline];
            rules.map(|rule| names.next(rule))
        };
        assert_eq!(run(b"a"), run(b"a"));
        let mut all = [run(b"a"), run(b"b")].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 8);
    }
}
