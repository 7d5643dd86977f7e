//! The text of a file with all its mutants, each chosen by a condition.

use std::cmp::Reverse;
use std::ops::Range;

use super::mutation::Part;
use super::sample::{Mutant, MutatedFile};

/// A file with its mutants.
pub struct Rewritten {
    /// The new text.
    pub text: String,
    /// Where each mutant is in it, by its number; the inner ones last.
    pub ranges: Vec<(Range<usize>, u32)>,
}

/// Sorts the mutants of a file, the outer ones first, and returns the text with them.
pub fn rewrite(file: &mut MutatedFile) -> Rewritten {
    file.mutants
        .sort_by_key(|mutant| (mutant.mutation.range.start, Reverse(mutant.mutation.range.end)));
    let mut writer = Writer {
        source: &file.text,
        mutants: &file.mutants,
        output: Rewritten { text: String::new(), ranges: Vec::new() },
    };
    writer.copy(0..file.text.len(), 0);
    writer.output.ranges.sort_by_key(|(range, _)| Reverse(range.len()));
    writer.output
}

struct Writer<'a> {
    source: &'a str,
    mutants: &'a [Mutant],
    output: Rewritten,
}

impl Writer<'_> {
    /// Writes a range of the source with the mutants in it, from that of this index on.
    fn copy(&mut self, range: Range<usize>, mut index: usize) {
        let mut position = range.start;
        while let Some(mutant) = self.mutants.get(index) {
            let at = mutant.mutation.range.clone();
            index += 1;
            if at.start < position || at.end > range.end {
                continue;
            }
            self.output.text.push_str(&self.source[position..at.start]);
            let start = self.output.text.len();
            for part in &mutant.mutation.parts {
                match part {
                    Part::Text(text) => self.output.text.push_str(text),
                    Part::Owned(text) => self.output.text.push_str(text),
                    Part::Original(range) => self.output.text.push_str(&self.source[range.clone()]),
                    Part::Source(range) => self.copy(range.clone(), index),
                    Part::Active => {
                        self.output
                            .text
                            .push_str(&format!("charpipe_mutants::active({})", mutant.number));
                    }
                }
            }
            self.output.ranges.push((start..self.output.text.len(), mutant.number));
            position = at.end;
        }
        self.output.text.push_str(&self.source[position..range.end]);
    }
}
