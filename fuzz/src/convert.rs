//! A conversion has the same result for any buffer size, with and without fast paths: its output,
//! its errors and their positions, or how many there are.
//!
//! Input: four bytes for each of the two encodings, one for each half of the policy, one for the
//! mark, the option `message` and the number of files, one for the size of the block, two for the
//! length of the input, then the input.

use charpipe::{BomPolicy, TranscodeOptions};

use super::cases::choose_case;
use super::conversion::{FuzzOutcome, choose_error_policy, run_files};
use super::params::FuzzInput;

/// Sizes of blocks: the smallest, and those around the sizes that kernels work in.
const BUFFER_SIZES: &[usize] = &[1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 255, 1000];

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let (from, to) = (&choose_case(&mut bytes).encoding, &choose_case(&mut bytes).encoding);
    let mut options = TranscodeOptions::new(from.clone(), to.clone());
    choose_error_policy(&mut options, &mut bytes);
    let choice = bytes.byte();
    options.bom =
        [BomPolicy::Keep, BomPolicy::Strip, BomPolicy::Add][usize::from(choice & 0x7F) % 3];
    options.headers_only = choice & 0x80 != 0;
    let block = bytes.choose(BUFFER_SIZES);
    let content = bytes.with_ascii_prefix();
    let (first, second) = content.split_at(content.len() / 2);
    let files = if choice & 0x40 == 0 { &[&content[..]][..] } else { &[first, second] };
    let Some(whole) = run_files(&options, files, usize::MAX) else { return };
    for (fast, block) in [(true, block), (false, block), (false, options.buffer_size)] {
        let mut others = options.clone().buffer_size(block);
        others.fast_paths = fast;
        let other = run_files(&others, files, usize::MAX);
        let other = other.expect("the buffer size and the fast paths do not make options invalid");
        let reported = whole.errors.iter().zip(&other.errors).find(|(one, other)| one != other);
        assert!(reported.is_none(), "{from} {to}: fast {fast}, block {block}: {reported:?}");
        assert_eq!(other, whole, "{from} {to}: fast {fast}, block {block}");
    }
    check_counts(&options.buffer_size(block), files, &whole);
}

/// Of errors after the first few only the number is wanted: it is the same, and so is the output.
fn check_counts(options: &TranscodeOptions, files: &[&[u8]], whole: &FuzzOutcome) {
    let most = files[0].len() % 3;
    if whole.errors.len() <= most {
        return;
    }
    let counted = run_files(options, files, most).expect("counting does not make options invalid");
    let expected = FuzzOutcome { errors: whole.errors[..most].to_vec(), ..whole.clone() };
    assert_eq!(
        counted, expected,
        "{} {}: counted, block {}",
        options.from, options.to, options.buffer_size
    );
}
