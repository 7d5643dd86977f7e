//! In every encoding a check finds the errors that a conversion reports, in the same positions.

use charpipe::ErrorReporter;
use charpipe::internals::check::{BinaryFiles, CheckOptions, FindingKind};
use charpipe::internals::conversion_error::{
    ErrorEvent, ErrorKind, Excerpt, MalformedReason, Position,
};
use charpipe::internals::encoding::ALL;
use charpipe::{EncodingSpec, TranscodeOptions};
use charpipe_test_support::sample_count;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::check::driver::check_files;

/// One of this number of encodings is given each file.
const ENCODINGS_STEP: usize = 7;

type ReportedError = (Position, usize, MalformedReason, Excerpt);

/// Notes every error.
#[derive(Default)]
struct ErrorRecorder(Vec<ReportedError>);

impl ErrorReporter for ErrorRecorder {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        let ErrorKind::Malformed { len, reason: why } = error.kind else { panic!("{error:?}") };
        self.0.push((error.position.unwrap(), len, why, error.excerpt));
    }
}

/// The errors of a conversion to an encoding that can encode every character.
fn converted(encoding: &EncodingSpec, file: &[u8]) -> Vec<ReportedError> {
    let wide = encoding.encoding.ucs4.as_ref();
    let wide = wide.is_some_and(|wide| (wide.is_enabled)(&encoding.options));
    let target = if wide { "fss-utf" } else { "utf-8" };
    let mut options =
        TranscodeOptions::new(encoding.clone(), target.parse::<EncodingSpec>().unwrap());
    options.error_policy.malformed = "skip".parse().unwrap();
    options.error_policy.unmappable = "skip".parse().unwrap();
    let (mut transcoder, mut notes) = (options.build().unwrap(), ErrorRecorder::default());
    let mut rest = file;
    while !rest.is_empty() {
        let space = transcoder.input_buffer();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        transcoder.process(count, &mut std::io::sink(), &mut notes).unwrap();
        rest = &rest[count..];
    }
    transcoder.finish_input(&mut std::io::sink(), &mut notes).unwrap();
    notes.0
}

fn checked(encoding: &EncodingSpec, block: usize, file: &[u8]) -> Vec<ReportedError> {
    let mut rules = CheckOptions::new(encoding.clone());
    (rules.binary_files, rules.buffer_size) = (BinaryFiles::Text, block);
    let found = check_files(&rules, &[file]).remove(0);
    let met = found.into_iter().map(|finding| match finding.kind {
        FindingKind::Malformed { reason: why, excerpt, .. } => {
            (finding.position, finding.len as usize, why, excerpt)
        }
        other => panic!("{other:?}"),
    });
    met.collect()
}

/// Bytes of all kinds, and many of those that mean something somewhere.
fn byte_sequences() -> impl Strategy<Value = Vec<u8>> {
    let informative = select(b"\n\r+-&=?_A0\x1B$B(J\x00\x80\xC3\xA9\xE2\xD8\xDC\xFE\xFF".to_vec());
    let short = vec(prop_oneof![informative, any::<u8>()], 0..300);
    (short, 0_usize..2, 8000_usize..9000).prop_map(|(short, long, count)| {
        [vec![b'0'; count * long], short.clone(), vec![b'0'; count * long], short].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample_count(60, 3) as u32))]

    #[test]
    fn of_any_bytes(
        file in byte_sequences(),
        block in select(vec![1, 7, 100, 100_000]),
        first in 0..ENCODINGS_STEP,
    ) {
        let is_exhaustive = charpipe_test_support::is_exhaustive();
        let (first, step) = if is_exhaustive { (0, 1) } else { (first, ENCODINGS_STEP) };
        let more = ["utf-5:ucs4", "utf-7:accept=ascii,pad=yes", "rfc2047", "rfc2047:strict"];
        let all = ALL.iter().map(|registered| registered.name()).chain(more);
        for name in all.skip(first).step_by(step) {
            let encoding: EncodingSpec = name.parse().unwrap();
            let reported = checked(&encoding, block, &file);
            // All of both would be pages.
            let other = converted(&encoding, &file);
            let apart = reported.iter().zip(&other).find(|(one, other)| one != other);
            assert!(apart.is_none(), "{name} {apart:?}");
            assert_eq!(reported.len(), other.len(), "{name}");
        }
    }
}
