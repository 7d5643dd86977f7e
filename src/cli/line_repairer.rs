//! The repair of garbled text in a line, for diffs and messages.

use std::cell::RefCell;

use charpipe_encoding::codec::{State, Status, TextTransform};
use charpipe_encoding::encoding::EncodingOptions;
use charpipe_transcode::transform_spec;
use charpipe_transform::TransformCodecs;

/// The steps of a repair, which is a conversion.
pub const REPAIR_STEPS: [&str; 2] = ["mojibake", "windows-c1"];

thread_local! {
    /// The codecs of the steps. Making them takes longer than to repair a line.
    static STEPS: RefCell<Vec<Box<dyn TextTransform>>> =
        RefCell::new(REPAIR_STEPS.map(text_transform).into());
}

fn text_transform(name: &str) -> Box<dyn TextTransform> {
    match transform_spec::for_name(name).map(|found| found.codecs) {
        Some(TransformCodecs::Text { encoder, .. }) => encoder(&EncodingOptions::default()),
        _ => unreachable!("steps of a repair transform text"),
    }
}

/// Repairs a line by itself, as the conversion does. Returns `None` if nothing changes.
pub fn repair_line(line: &[u8]) -> Option<Vec<u8>> {
    if line.is_ascii() {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?.to_owned();
    let repaired = STEPS.with_borrow_mut(|steps| {
        steps.iter_mut().try_fold(text, |text, step| transform_whole(&mut **step, &text))
    })?;
    (repaired.as_bytes() != line).then(|| repaired.into_bytes())
}

/// Returns a whole text after a step, or `None` after an error.
fn transform_whole(step: &mut dyn TextTransform, mut text: &str) -> Option<String> {
    step.restore_state(State::INITIAL);
    let mut transformed = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let progress = step.transform_text(text, &mut buffer, true);
        transformed.extend_from_slice(&buffer[..progress.written]);
        text = &text[progress.read..];
        match progress.status {
            Status::InputEmpty => return String::from_utf8(transformed).ok(),
            Status::OutputFull => {}
            Status::Error(_) => return None,
        }
    }
}
