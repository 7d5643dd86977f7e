//! The transcoder against a slow and obvious model.
//!
//! The model decodes a whole file at once, counts lines one character at a time, puts a replacement in
//! the position of every error, and has the text that comes out encoded in one go. The transcoder must come
//! to the same output, the same errors and the same positions, in blocks and portions of any size.

mod expected;
mod sources;

use charpipe::Error;
use charpipe::ErrorReporter;
use charpipe::internals::conversion_error::{ErrorEvent, ErrorKind};
use charpipe::internals::error_policy::ErrorPolicy;
use charpipe::{BomPolicy, TranscodeOptions};
use charpipe_test_support::sample_count;
use proptest::prelude::*;
use proptest::sample::select;

use expected::{ACTIONS, KEEP, ModelOutput, PASSTHROUGH_TARGETS, ReferenceModel, TARGETS};
use sources::{InputUnit, SOURCES};

impl ErrorReporter for ModelOutput {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        let (len, character) = match error.kind {
            ErrorKind::Malformed { len, .. } => (len, None),
            ErrorKind::Unmappable(character) | ErrorKind::NotAllowedHere(character) => {
                (0, Some(character))
            }
            other => unreachable!("{other:?}"),
        };
        self.errors.push((
            error.class(),
            len,
            character,
            error.action_taken,
            error.position.unwrap(),
        ));
    }
}

#[derive(Debug)]
struct ModelCase {
    /// Index into [`SOURCES`].
    source: usize,
    rules: ReferenceModel,
    files: Vec<Vec<InputUnit>>,
    /// Bytes that are fed at a time, over and over.
    chunks: Vec<usize>,
    buffer_size: usize,
    fast: bool,
}

impl ModelCase {
    fn transcode(&self) -> ModelOutput {
        let (mut output, mut reported) = (Vec::new(), ModelOutput::default());
        let stopped = match self.feed(&mut output, &mut reported) {
            Ok(()) => false,
            Err(Error::Conversion(_)) => true,
            Err(error) => panic!("{error}"),
        };
        ModelOutput { output, stopped, ..reported }
    }

    fn feed(&self, output: &mut Vec<u8>, reported: &mut ModelOutput) -> Result<(), Error> {
        let (from, to) = (SOURCES[self.source], TARGETS[self.rules.target].0);
        let mut options = TranscodeOptions::from_labels(from.0, to)?;
        let (invalid, unmappable) = (self.rules.invalid, self.rules.unmappable);
        let [invalid, unmappable] = [invalid, unmappable].map(|word| word.parse().unwrap());
        options.error_policy = ErrorPolicy { malformed: invalid, unmappable };
        (options.bom, options.buffer_size, options.fast_paths) =
            (self.rules.bom, self.buffer_size, self.fast);
        let mut transcoder = options.build()?;
        let mut portions = self.chunks.iter().cycle();
        for units in &self.files {
            let file = from.1(units).0;
            let mut rest = &file[..];
            while !rest.is_empty() {
                let space = transcoder.input_buffer();
                let count = space.len().min(rest.len()).min(*portions.next().unwrap());
                space[..count].copy_from_slice(&rest[..count]);
                transcoder.process(count, output, reported)?;
                rest = &rest[count..];
            }
            transcoder.finish_input(output, reported)?;
        }
        transcoder.finish(output, reported)
    }

    fn expected(&self) -> ModelOutput {
        self.rules.outcome(self.files.iter().map(|units| SOURCES[self.source].1(units).1))
    }
}

fn units() -> impl Strategy<Value = Vec<InputUnit>> {
    let character = select("aabc\n\né€я½\u{301}\u{2033}\u{FEFF}😀".chars().collect::<Vec<_>>());
    let byte = select(b"\x00\x80\xA9\xC3\xD8\xDC\xE2\xED\xF0\xFF".to_vec());
    let one = prop_oneof![
        4 => character.prop_map(|character| vec![InputUnit::Character(character)]),
        1 => byte.prop_map(|byte| vec![InputUnit::Byte(byte)]),
        1 => (1..200usize).prop_map(|len| vec![InputUnit::Character('a'); len]),
    ];
    prop::collection::vec(one, 0..24).prop_map(|parts| parts.concat())
}

fn case() -> impl Strategy<Value = ModelCase> {
    let ends = (0..SOURCES.len(), 0..TARGETS.len());
    let bom = select(vec![BomPolicy::Keep, BomPolicy::Keep, BomPolicy::Strip, BomPolicy::Add]);
    let invalid = prop_oneof![5 => select(ACTIONS.to_vec()), 1 => Just(KEEP)];
    let actions = (invalid, select(ACTIONS.to_vec()));
    let files = prop::collection::vec(units(), 0..4);
    let portions = prop::collection::vec(1..40usize, 1..4);
    let block = select(vec![1, 2, 3, 4, 5, 7, 16, 64, 1000]);
    (ends, bom, actions, files, portions, block, any::<bool>()).prop_map(
        |((source, target), bom, (invalid, unmappable), files, portions, block, fast)| {
            // A BOM that is unmappable would be an error of its own.
            let bom = if TARGETS[target].1 > 0xFEFF { bom } else { BomPolicy::Keep };
            let keeps = PASSTHROUGH_TARGETS.contains(&TARGETS[target].0);
            let invalid = if invalid == KEEP && !keeps { "skip" } else { invalid };
            let rules = ReferenceModel { target, bom, invalid, unmappable };
            ModelCase { source, rules, files, chunks: portions, buffer_size: block, fast }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: sample_count(5000, 2) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_transcoder_does_what_the_model_does(case in case()) {
        prop_assert_eq!(case.transcode(), case.expected());
    }
}
