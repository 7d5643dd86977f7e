//! Transforms of a line of text by itself, such as the repair of garbled text, for diffs and messages.

use std::cell::RefCell;

use charpipe_encoding::codec::{State, Status, TextTransform};
use charpipe_transcode::ChainStep;
use charpipe_transform::TransformCodecs;

/// The steps of a repair, which is a conversion.
pub const REPAIR_STEPS: [&str; 2] = ["mojibake", "windows-c1"];

/// Returns the steps of a repair.
pub fn repair_steps() -> [ChainStep; 2] {
    REPAIR_STEPS.map(|step| step.parse().expect("steps of a repair are valid"))
}

/// The steps of a conversion that change a line by itself.
pub struct LineTransformer {
    steps: Vec<Box<dyn TextTransform>>,
}

impl LineTransformer {
    /// Steps that are not transforms of text are left out.
    pub fn new(steps: &[ChainStep]) -> LineTransformer {
        let encoder = |step: &ChainStep| match step {
            ChainStep::Transform(spec, _) => match spec.transform.codecs {
                TransformCodecs::Text { encoder, .. } => Some(encoder(&spec.options)),
                TransformCodecs::Bytes { .. } => None,
            },
            _ => None,
        };
        LineTransformer { steps: steps.iter().filter_map(encoder).collect() }
    }

    /// Returns the transformed line, or `None` if nothing changes.
    pub fn transform(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if self.steps.is_empty() {
            return None;
        }
        let text = std::str::from_utf8(line).ok()?.to_owned();
        let mut steps = self.steps.iter_mut();
        let transformed = steps.try_fold(text, |text, step| transform_whole(&mut **step, &text))?;
        (transformed.as_bytes() != line).then(|| transformed.into_bytes())
    }
}

/// The steps of a conversion on a whole text, of which each line becomes a line: another line may decide what a line becomes.
pub struct TextPipeline {
    steps: Vec<PipelineStep>,
    /// The incomplete character at the end of the text so far.
    incomplete: Vec<u8>,
}

struct PipelineStep {
    transform: Box<dyn TextTransform>,
    /// The text that has not been read yet.
    unread: String,
}

impl TextPipeline {
    /// Steps that are not transforms of text are left out.
    pub fn new(steps: &[ChainStep]) -> TextPipeline {
        let steps = LineTransformer::new(steps).steps.into_iter();
        let steps = steps.map(|transform| PipelineStep { transform, unread: String::new() });
        TextPipeline { steps: steps.collect(), incomplete: Vec::new() }
    }

    /// Returns whether the text does not change.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Transforms the next bytes. `end` says that there are no more.
    pub fn feed(&mut self, bytes: &[u8], end: bool) -> String {
        let mut bytes = [&std::mem::take(&mut self.incomplete), bytes].concat();
        if let (Err(error), false) = (std::str::from_utf8(&bytes), end) {
            if error.error_len().is_none() {
                self.incomplete = bytes.split_off(error.valid_up_to());
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.steps.iter_mut().fold(text, |text, step| step.feed(&text, end))
    }
}

impl PipelineStep {
    fn feed(&mut self, text: &str, end: bool) -> String {
        self.unread.push_str(text);
        let mut transformed = Vec::new();
        let (mut read, mut buffer) = (0, [0; 8192]);
        loop {
            let progress = self.transform.transform_text(&self.unread[read..], &mut buffer, end);
            transformed.extend_from_slice(&buffer[..progress.written]);
            read += progress.read;
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                // What cannot be transformed stays.
                Status::Error(error) => {
                    let after = read + error.resume_len;
                    transformed.extend_from_slice(&self.unread.as_bytes()[read..after]);
                    read = after;
                    self.transform.restore_state(error.resume_state);
                }
            }
        }
        self.unread.drain(..read);
        String::from_utf8(transformed).unwrap_or_default()
    }
}

thread_local! {
    /// The codecs of a repair. Making them takes longer than to repair a line.
    static REPAIR: RefCell<LineTransformer> =
        RefCell::new(LineTransformer::new(&repair_steps()));
}

/// Repairs a line by itself, as the conversion does. Returns `None` if nothing changes.
pub fn repair_line(line: &[u8]) -> Option<Vec<u8>> {
    if line.is_ascii() {
        return None;
    }
    REPAIR.with_borrow_mut(|repair| repair.transform(line))
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
