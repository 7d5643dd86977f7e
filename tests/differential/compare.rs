//! The expected results of a converter: those of charpipe, except for the rows of the table.

use std::io::Write;

use charpipe::ErrorAction;
use charpipe::TranscodeOptions;
use charpipe::TranscodeWriter;

use crate::converters::{ConverterProcess, ConverterQuery, ConverterResult, QueryMode};
use crate::equivalences::Equivalence;
use crate::input_classes::{self, InputClass};
use crate::known_differences::{self, DifferenceRule, Direction, KnownDifference};

/// Bytes in a block of short inputs, few enough that many a character is cut by its end.
const SHORT_INPUT: usize = 5;

/// One conversion of charpipe's beside the same of a converter.
pub struct ConverterComparison<'a> {
    pub pairing: &'a Equivalence,
    pub direction: Direction,
}

/// An expected result.
#[derive(Debug, PartialEq, Eq)]
enum Expectation {
    Exactly(ConverterResult),
    /// Whatever it accepts the input as.
    Acceptance,
}

/// The result of comparing charpipe with every converter of a group.
pub struct ComparisonOutcome {
    /// The output of charpipe for each input that it accepted.
    pub given: Vec<Vec<u8>>,
    /// The inputs on which the result of a converter is neither that of charpipe nor that of a row, as text.
    pub surprises: Vec<String>,
}

/// Compares charpipe with the converters of a group that are here.
pub fn compare(
    group: &[&Equivalence],
    direction: Direction,
    converters: &mut ConverterProcess,
    inputs: &[Vec<u8>],
) -> ComparisonOutcome {
    let own = conversion_options(direction, group[0].encoding, group[0].pivot.0, false);
    let ours: Vec<ConverterResult> = inputs.iter().map(|input| convert(&own, input)).collect();
    let mut surprises = Vec::new();
    for &pairing in group {
        if converters.has(pairing.converter) {
            let comparison = ConverterComparison { pairing, direction };
            surprises.append(&mut comparison.surprises(converters, inputs, &ours));
        }
    }
    let given = ours.into_iter().filter_map(|result| match result {
        ConverterResult::Output(output) => Some(output),
        ConverterResult::Error => None,
    });
    ComparisonOutcome { given: given.collect(), surprises }
}

impl ConverterComparison<'_> {
    fn surprises(
        &self,
        converters: &mut ConverterProcess,
        inputs: &[Vec<u8>],
        ours: &[ConverterResult],
    ) -> Vec<String> {
        let results = self.query(converters, QueryMode::Strict, inputs);
        let rows = self.rows();
        let is_measured = converters.is_as_measured(self.pairing.converter);
        let mut surprises = Vec::new();
        for ((input, theirs), ours) in inputs.iter().zip(&results).zip(ours) {
            // Another version of the converter may have given up a disagreement.
            if ours == theirs && (rows.is_empty() || !is_measured) {
                continue;
            }
            let is_expected = match self.expected(&rows, ours, input) {
                Expectation::Exactly(result) => result == *theirs,
                Expectation::Acceptance => *theirs != ConverterResult::Error,
            };
            if !is_expected {
                surprises.push(self.surprise(input, theirs, ours));
            }
        }
        surprises
    }

    /// The inputs in which the converter replaces other sequences than charpipe, in words.
    pub fn other_replacements(
        &self,
        converters: &mut ConverterProcess,
        inputs: &[Vec<u8>],
    ) -> Vec<String> {
        let mut own =
            conversion_options(self.direction, self.pairing.encoding, self.pairing.pivot.0, false);
        own.error_policy.malformed = "replace".parse::<ErrorAction>().unwrap();
        let results = self.query(converters, QueryMode::Replace, inputs);
        let mut others = Vec::new();
        for (input, theirs) in inputs.iter().zip(&results) {
            let ours = convert(&own, input);
            if ours != *theirs {
                others.push(self.surprise(input, theirs, &ours));
            }
        }
        others
    }

    /// The results of the converter.
    pub fn query(
        &self,
        converters: &mut ConverterProcess,
        mode: QueryMode,
        inputs: &[Vec<u8>],
    ) -> Vec<ConverterResult> {
        let Equivalence { converter, theirs, pivot: (_, pivot), .. } = *self.pairing;
        let (from, to) = self.direction.sort(theirs, pivot);
        let question = |input| ConverterQuery { converter, mode, from, to, input };
        converters.query(&inputs.iter().map(|input| question(input)).collect::<Vec<_>>())
    }

    /// The rows about this comparison.
    pub fn rows(&self) -> Vec<&'static KnownDifference> {
        let Equivalence { converter, encoding, pivot: (pivot, _), .. } = *self.pairing;
        let is_about = |row: &&KnownDifference| {
            (row.converter, row.encoding, row.pivot, row.direction)
                == (converter, encoding, pivot, self.direction)
        };
        known_differences::all_differences().filter(is_about).collect()
    }

    fn expected(
        &self,
        rows: &[&KnownDifference],
        ours: &ConverterResult,
        input: &[u8],
    ) -> Expectation {
        let mut families = input_classes::classes_of(self.pairing.encoding, self.direction, input);
        let rows: Vec<_> = rows.iter().filter(|row| families.contains(&row.family)).collect();
        families.retain(|family| matches!(family, InputClass::Malformed(_)));
        // A flaw that the converter minds is minded whatever else it lets pass.
        let forgiven = families.iter().all(|flaw| rows.iter().any(|row| row.family == *flaw));
        if forgiven && rows.iter().any(|row| row.rule == DifferenceRule::Accepts) {
            return Expectation::Acceptance;
        }
        let skips = forgiven && rows.iter().any(|row| row.rule == DifferenceRule::Skips);
        let same = rows.iter().find_map(|row| match row.rule {
            DifferenceRule::SameResultAs(encoding, pivot) => Some((encoding, pivot)),
            _ => None,
        });
        if !skips && same.is_none() {
            return Expectation::Exactly(ours.clone());
        }
        let (encoding, pivot) = same.unwrap_or((self.pairing.encoding, self.pairing.pivot.0));
        Expectation::Exactly(convert(
            &conversion_options(self.direction, encoding, pivot, skips),
            input,
        ))
    }

    fn surprise(&self, input: &[u8], theirs: &ConverterResult, ours: &ConverterResult) -> String {
        let Equivalence { converter, encoding, pivot: (pivot, _), .. } = self.pairing;
        let (from, to) = self.direction.sort(encoding, pivot);
        let (converter, input, theirs, ours) =
            (converter.name(), format_bytes(input), format_result(theirs), format_result(ours));
        format!("{from} to {to}: {input}: {converter} {theirs}, charpipe {ours}")
    }
}

impl Direction {
    /// From what to what.
    pub fn sort<'a>(self, encoding: &'a str, pivot: &'a str) -> (&'a str, &'a str) {
        match self {
            Direction::Decode => (encoding, pivot),
            Direction::Encode => (pivot, encoding),
        }
    }
}

/// Returns the options of charpipe.
pub fn conversion_options(
    direction: Direction,
    encoding: &str,
    pivot: &str,
    skips: bool,
) -> TranscodeOptions {
    let (from, to) = direction.sort(encoding, pivot);
    let mut options = TranscodeOptions::from_labels(from, to).unwrap();
    if skips {
        options.error_policy.malformed = "skip".parse::<ErrorAction>().unwrap();
        options.error_policy.unmappable = "skip".parse::<ErrorAction>().unwrap();
    }
    options
}

/// Returns the result of charpipe.
pub fn convert(options: &TranscodeOptions, input: &[u8]) -> ConverterResult {
    let mut options = options.clone();
    if input.len() < 64 {
        options.buffer_size = SHORT_INPUT;
    }
    let mut writer = TranscodeWriter::new(Vec::new(), &options).unwrap();
    match writer.write_all(input).and_then(|()| writer.finish()) {
        Ok(output) => ConverterResult::Output(output),
        Err(_) => ConverterResult::Error,
    }
}

/// The first bytes of an input, as text and as bytes.
fn format_bytes(bytes: &[u8]) -> String {
    let first = &bytes[..bytes.len().min(24)];
    format!("\"{}\" ({} bytes: {first:02X?})", first.escape_ascii(), bytes.len())
}

fn format_result(result: &ConverterResult) -> String {
    match result {
        ConverterResult::Output(bytes) => format!("gives {}", format_bytes(bytes)),
        ConverterResult::Error => "refuses".to_owned(),
    }
}
