//! The same result whatever the pieces and whatever the space.

use crate::chunkings;
use crate::codec_pair::ALL_KINDS;
use crate::runner::{check_against_reference, check_all};

#[test]
fn result_is_independent_of_input_chunks() {
    check_all(ALL_KINDS, |bench, input| {
        let reference = bench.reference(input)?;
        let chunkings = chunkings::split_chunkings(&bench.codec, input);
        chunkings.iter().try_for_each(|options| {
            check_against_reference(&mut bench.codec, input, options, &reference)
        })
    });
}

#[test]
fn result_is_independent_of_sufficient_output_space() {
    check_all(ALL_KINDS, |bench, input| {
        let reference = bench.reference(input)?;
        let chunkings = chunkings::output_space_chunkings(&bench.codec, input);
        chunkings.iter().try_for_each(|options| {
            check_against_reference(&mut bench.codec, input, options, &reference)
        })
    });
}

#[test]
fn insufficient_output_space_only_adds_calls() {
    check_all(ALL_KINDS, |bench, input| {
        let reference = bench.reference(input)?;
        let chunkings = chunkings::growing_space_chunkings(&bench.codec, input);
        chunkings.iter().try_for_each(|options| {
            check_against_reference(&mut bench.codec, input, options, &reference)
        })
    });
}
