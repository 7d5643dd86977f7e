//! A random sample of all mutations.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Result;

use super::mutation::{Mutation, mutations};
use super::source;

/// The roots of the crates that are mutated.
const CRATE_ROOTS: [&str; 10] = [
    "crates/kernel/src/lib.rs",
    "crates/encoding/src/lib.rs",
    "crates/transform/src/lib.rs",
    "crates/mail/src/lib.rs",
    "crates/detect/src/lib.rs",
    "crates/transcode/src/lib.rs",
    "crates/check/src/lib.rs",
    "crates/iconv/src/lib.rs",
    "src/lib.rs",
    "src/main.rs",
];

/// Areas of the report: the beginnings of their paths, and how much more often than others their mutations are sampled.
/// The first that matches counts.
const AREAS: [(&str, &[&str], f64); 17] = [
    ("kernels", &["crates/kernel/"], 0.5),
    ("multi-byte", &["crates/encoding/src/encoding/multi_byte"], 3.0),
    ("stateful", &["crates/encoding/src/encoding/stateful"], 2.0),
    ("encodings", &["crates/encoding/"], 0.8),
    ("transforms", &["crates/transform/"], 0.7),
    ("mail", &["crates/mail/"], 2.0),
    ("detection", &["crates/detect/"], 2.0),
    ("transcoder", &["crates/transcode/src/transcoder"], 4.0),
    ("error policy", &["crates/transcode/src/error_policy"], 6.0),
    (
        "split",
        &["crates/transcode/src/split", "src/cli/split", "src/cli/range", "src/cli/convert/range"],
        6.0,
    ),
    (
        "parallel",
        &[
            "crates/transcode/src/parallel",
            "crates/transcode/src/block_pool",
            "crates/check/src/parallel",
        ],
        3.0,
    ),
    ("transcode", &["crates/transcode/"], 1.5),
    ("check", &["crates/check/"], 1.0),
    ("iconv", &["crates/iconv/", "src/cli/iconv"], 3.0),
    ("in place", &["src/cli/fs/", "src/cli/convert_files"], 6.0),
    ("command", &["src/cli"], 0.8),
    ("library", &["src/"], 1.0),
];

/// A file with the mutations of it that were sampled.
pub struct MutatedFile {
    /// The path from the root of the repository.
    pub path: String,
    /// The text without mutations.
    pub text: String,
    /// The mutants, in the order of [`super::rewrite::rewrite`].
    pub mutants: Vec<Mutant>,
}

/// A mutation that was sampled.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The number by which the environment selects it.
    pub number: u32,
    /// The path of the file.
    pub path: String,
    /// The part of the source that it is reported under.
    pub area: &'static str,
    /// What distinguishes it from all others, and does not depend on changes elsewhere.
    pub id: String,
    /// The mutation.
    pub mutation: Mutation,
}

/// Which mutations to sample.
pub struct Selection {
    /// How many, at most.
    pub count: usize,
    /// The same seed selects the same mutations, whatever else has changed.
    pub seed: u64,
    /// The beginnings of paths; all if there are none.
    pub paths: Vec<String>,
    /// The identifiers; all if there are none.
    pub only: HashSet<String>,
    /// The identifiers of those that do not compile.
    pub not_viable: HashSet<String>,
}

/// Returns the sample, and the number of mutations that it was taken from.
///
/// # Errors
///
/// If a file of the source cannot be read or parsed.
pub fn sample(root: &Path, selection: &Selection) -> Result<(Vec<MutatedFile>, usize)> {
    let mut files: Vec<MutatedFile> = Vec::new();
    let mut candidates = Vec::new();
    for crate_root in CRATE_ROOTS {
        for file in source::files(root, crate_root)? {
            let (area, _, weight) = AREAS
                .iter()
                .find(|(_, paths, _)| paths.iter().any(|path| file.path.starts_with(path)))
                .unwrap();
            let mut counts: HashMap<String, usize> = HashMap::new();
            for mutation in mutations(&file) {
                let id = format!("{} {}: {}", file.path, mutation.function, mutation.change);
                let count = counts.entry(id.clone()).or_default();
                *count += 1;
                let id = if *count == 1 { id } else { format!("{id} #{count}") };
                // The smallest of exponentially distributed numbers, each divided by its weight.
                let key = -uniform(&id, selection.seed).ln() / weight;
                let mutant = Mutant { number: 0, path: file.path.clone(), area, id, mutation };
                candidates.push((key, files.len(), mutant));
            }
            files.push(MutatedFile { path: file.path, text: file.text, mutants: Vec::new() });
        }
    }
    let all = candidates.len();
    candidates.retain(|(_, _, mutant)| {
        (selection.paths.is_empty()
            || selection.paths.iter().any(|path| mutant.path.starts_with(path)))
            && (selection.only.is_empty() || selection.only.contains(&mutant.id))
            && !selection.not_viable.contains(&mutant.id)
    });
    candidates.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let mut ranges = HashSet::new();
    let mut number = 0;
    for (_, file, mut mutant) in candidates {
        // Two mutations of the same expression cannot both be in the text.
        if number as usize == selection.count
            || !ranges.insert((file, mutant.mutation.range.clone()))
        {
            continue;
        }
        mutant.number = number;
        number += 1;
        files[file].mutants.push(mutant);
    }
    files.retain(|file| !file.mutants.is_empty());
    Ok((files, all))
}

/// Returns a number above 0 and at most 1 that depends on a text and a seed.
#[allow(clippy::cast_precision_loss)]
fn uniform(text: &str, seed: u64) -> f64 {
    // FNV-1a, and the last steps of MurmurHash3.
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^= hash >> 33;
    ((hash >> 11) + 1) as f64 / (1u64 << 53) as f64
}
