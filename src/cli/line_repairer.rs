//! The repair of garbled text in a line, for diffs and messages.

use charpipe_encoding::codec::{State, Status, TextTransform};
use charpipe_encoding::encoding::EncodingOptions;
use charpipe_transcode::transform_spec;
use charpipe_transform::TransformCodecs;

/// The steps of a repair, which is a conversion.
pub const REPAIR_STEPS: [&str; 2] = ["mojibake", "windows-c1"];

/// Repairs lines, each by itself, as the conversion does.
pub struct LineRepairer {
    steps: Vec<Box<dyn TextTransform>>,
}

impl LineRepairer {
    /// Returns a repairer of any number of lines.
    pub fn new() -> LineRepairer {
        let step = |name: &str| match transform_spec::for_name(name).map(|found| found.codecs) {
            Some(TransformCodecs::Text { encoder, .. }) => encoder(&EncodingOptions::default()),
            _ => unreachable!("steps of a repair transform text"),
        };
        LineRepairer { steps: REPAIR_STEPS.map(step).into() }
    }

    /// Returns the line after the repair, or `None` if nothing changes.
    pub fn repair(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_ascii() {
            return None;
        }
        let mut text = String::from_utf8(line.to_vec()).ok()?;
        for step in &mut self.steps {
            step.restore_state(State::INITIAL);
            let (mut rest, mut repaired) = (&text[..], Vec::new());
            let mut buffer = [0; 8192];
            loop {
                let progress = step.transform_text(rest, &mut buffer, true);
                repaired.extend_from_slice(&buffer[..progress.written]);
                rest = &rest[progress.read..];
                match progress.status {
                    Status::InputEmpty => break,
                    Status::OutputFull => {}
                    Status::Error(_) => return None,
                }
            }
            text = String::from_utf8(repaired).ok()?;
        }
        (text.as_bytes() != line).then(|| text.into_bytes())
    }
}
