//! Mojibake: UTF-8 that was decoded in another encoding, as "Ã©" for "é".
//!
//! The encoder repairs garbled text (see [`repair`](crate::repair)). The decoder, for checks, reports it
//! as an error instead. Both find the same text: the decoder assumes that what it reports was repaired.
//!
//! The first two characters of a line that could be garbled decide how it is examined. If only ASCII is
//! before them, the rest of the line is examined as a whole, or in parts of [`MAX_LEN`] bytes.
//! Otherwise, or if that finds nothing, each run is examined by itself: what it depends on is the two
//! characters before it, the characters up to the first one that no code page has, and whether
//! another repair in the line had the same code page. A run longer than [`MAX_LEN`] bytes is repaired in
//! pieces.

use memchr::{memchr, memrchr};

use super::{Transform, TransformCodecs};
use crate::repair::{Found, Repairer};
use charpipe_encoding::codec::{Checkpoint, Progress, State, Status, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_kernel::ascii;

/// Repairs UTF-8 that was decoded in another encoding.
pub static MOJIBAKE: Transform = Transform {
    name: "mojibake",
    aliases: &[],
    title: "text",
    description: "Repairs UTF-8 that was read in another encoding, as \"Ã©\"; decoded, it is an error",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(MojibakeCodec::new(MojibakeMode::Report))),
        encoder: |_| Box::new(MojibakeCodec::new(MojibakeMode::Repair)),
    },
};

/// The maximum length of a run or line that is examined at once, in bytes.
const MAX_LEN: usize = 4080;

/// The number of characters of a run that are examined first. Nearly all repairs are shorter.
const MIN_RUN_CHARS: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MojibakeMode {
    Repair,
    Report,
}

/// Repairs garbled text, or reports it.
struct MojibakeCodec {
    mode: MojibakeMode,
    repairer: Repairer,
    context: Context,
}

/// What the codec remembers of the text before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Context {
    /// The last two characters, after repair; line feeds at the start.
    last: [char; 2],
    /// The code page of the last repair in this line.
    page: Option<usize>,
    /// Whether the line has characters outside ASCII that are not garbled, or were repaired by
    /// themselves.
    is_mixed: bool,
    /// The number of bytes that follow in which everything outside ASCII is to be reported.
    pure_len: usize,
}

impl Context {
    const INITIAL: Context =
        Context { last: ['\n', '\n'], page: None, is_mixed: false, pure_len: 0 };

    /// Notes that `text` follows.
    fn advance(&mut self, text: &str) {
        let mut chars = text.chars().rev();
        match (chars.next(), chars.next()) {
            (Some(last), Some(first)) => self.last = [first, last],
            (Some(last), None) => self.last = [self.last[1], last],
            _ => {}
        }
        let mut line = text;
        if self.is_mixed || self.page.is_some() || !text.is_ascii() {
            if let Some(at) = memrchr(b'\n', text.as_bytes()) {
                (self.page, self.is_mixed) = (None, false);
                line = &text[at..];
            }
            self.is_mixed |= !line.is_ascii();
        }
    }

    /// Notes that repaired text follows.
    fn advance_repaired(&mut self, text: &[char], page: usize) {
        match *text {
            [.., first, last] => self.last = [first, last],
            [last] => self.last = [self.last[1], last],
            [] => {}
        }
        self.page = Some(page);
        self.is_mixed = true;
    }

    /// Notes that `len` bytes of a line follow in which everything outside ASCII is repaired.
    fn start_pure(&mut self, page: usize, len: usize) {
        self.page = Some(page);
        self.last = Context::INITIAL.last;
        self.pure_len = len;
    }

    /// The bits of the state. Those of [`Context::INITIAL`] are zero.
    fn to_bits(self) -> u64 {
        let [first, last] = self.last.map(|character| u64::from(u32::from(character) ^ 0x0A));
        let page = self.page.map_or(0, |page| page as u64 + 1);
        let pure_len = self.pure_len as u64;
        first | last << 21 | page << 42 | u64::from(self.is_mixed) << 47 | pure_len << 48
    }

    fn from_bits(bits: u64) -> Context {
        let character = |bits: u64| {
            char::from_u32((bits & 0x1F_FFFF) as u32 ^ 0x0A).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        Context {
            last: [character(bits), character(bits >> 21)],
            page: ((bits >> 42 & 0x1F) as usize).checked_sub(1),
            is_mixed: bits >> 47 & 1 != 0,
            pure_len: (bits >> 48) as usize,
        }
    }
}

impl MojibakeCodec {
    fn new(mode: MojibakeMode) -> MojibakeCodec {
        MojibakeCodec { mode, repairer: Repairer::new(MAX_LEN), context: Context::INITIAL }
    }

    /// Returns the length of the text that is certainly not garbled, and whether two characters follow it
    /// that can start garbled text. If not, what follows is an incomplete pair.
    fn find_suspicious(&self, src: &str, end: bool) -> (usize, bool) {
        let mut at = 0;
        loop {
            at += ascii::prefix_len(&src.as_bytes()[at..]);
            let mut chars = src[at..].chars();
            let Some(mut character) = chars.next() else { return (src.len(), false) };
            while !character.is_ascii() {
                let len = character.len_utf8();
                let leads = self.repairer.lead_pages(character);
                let Some(next) = chars.next() else {
                    let is_incomplete = leads != 0 && !end;
                    return (if is_incomplete { at } else { src.len() }, false);
                };
                if leads & self.repairer.continuation_pages(next) != 0 {
                    return (at, true);
                }
                at += len;
                character = next;
            }
        }
    }

    /// Examines the run at the start of `src`, as far as the result depends on it. Returns nothing if more
    /// input is needed.
    fn examine_run(&mut self, src: &str, end: bool) -> Option<Found> {
        let Context { last, page, .. } = self.context;
        self.repairer.clear();
        let (mut len, mut count, mut examined_count) = (0, 0, MIN_RUN_CHARS);
        for character in src.chars() {
            if len + character.len_utf8() > MAX_LEN || !self.repairer.push(character) {
                return Some(self.repairer.examine(last, character, page));
            }
            len += character.len_utf8();
            count += 1;
            if count == examined_count {
                let found = self.repairer.examine_prefix(last, page);
                if found.is_some() {
                    return found;
                }
                examined_count *= 2;
            }
        }
        end.then(|| self.repairer.examine(last, '\n', page))
    }

    /// Collects the line at the start of `src`, or the first part of a longer one. Returns whether it
    /// is a part, or nothing if more input is needed.
    fn collect_line(&mut self, src: &str, end: bool) -> Option<bool> {
        self.repairer.clear();
        let window = &src[..floor_char_boundary(src, MAX_LEN)];
        let line_end = memchr(b'\n', window.as_bytes());
        if line_end.is_none() && window.len() == src.len() && !end {
            return None;
        }
        let line = &window[..line_end.unwrap_or(window.len())];
        line.chars().for_each(|character| self.repairer.push_any(character));
        Some(line_end.is_none() && window.len() < src.len())
    }

    /// Repairs the line at the start of `src`, or prepares to report it, if everything outside ASCII in
    /// it is garbled. Returns the numbers of bytes read and written, or `None` if it is not such a line.
    fn repair_line(
        &mut self,
        src: &str,
        dst: &mut [u8],
        end: bool,
    ) -> Result<Option<(usize, usize)>, Status<Malformed>> {
        let Context { last, page, is_mixed, .. } = self.context;
        if is_mixed {
            return Ok(None);
        }
        let is_partial = self.collect_line(src, end).ok_or(Status::InputEmpty)?;
        let Some(line) = self.repairer.examine_line(last, is_partial, page) else {
            return Ok(None);
        };
        let len = prefix_of_chars(src, line.len);
        if self.mode == MojibakeMode::Report {
            self.context.start_pure(line.page, len);
            return Ok(Some((0, 0)));
        }
        let written = write(self.repairer.replacement(), dst).ok_or(Status::OutputFull)?;
        self.context.start_pure(line.page, 0);
        Ok(Some((len, written)))
    }

    /// Repairs or reports the run at the start of `src`, or copies text that is not garbled. Returns the
    /// numbers of bytes read and written.
    fn repair_run(
        &mut self,
        src: &str,
        dst: &mut [u8],
        end: bool,
    ) -> Result<(usize, usize), Status<Malformed>> {
        match self.examine_run(src, end).ok_or(Status::InputEmpty)? {
            Found::Text(count) => {
                let len = prefix_of_chars(src, count);
                let space = dst.get_mut(..len).ok_or(Status::OutputFull)?;
                space.copy_from_slice(&src.as_bytes()[..len]);
                self.context.advance(&src[..len]);
                Ok((len, len))
            }
            Found::Mojibake { len: count, page } => {
                let len = prefix_of_chars(src, count);
                let mut context = self.context;
                context.advance_repaired(self.repairer.replacement(), page);
                if self.mode == MojibakeMode::Report {
                    let state = State::new(context.to_bits());
                    let error = Malformed::new(len, MalformedReason::Mojibake, state);
                    return Err(Status::Error(error));
                }
                let written = write(self.repairer.replacement(), dst).ok_or(Status::OutputFull)?;
                self.context = context;
                Ok((len, written))
            }
        }
    }

    /// Copies ASCII, then reports the next run, in text in which everything outside ASCII is garbled.
    fn report_pure(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let len = ascii::prefix_len(&src.as_bytes()[..src.len().min(self.context.pure_len)]);
        let copied = len.min(dst.len());
        dst[..copied].copy_from_slice(&src.as_bytes()[..copied]);
        self.context.pure_len -= copied;
        if copied < len {
            return Progress::output_full(copied, copied);
        }
        let pure_len = self.context.pure_len;
        let rest = &src[copied..];
        let run = rest.bytes().take(pure_len).take_while(|byte| !byte.is_ascii()).count();
        if run == 0 || run == rest.len() && run < pure_len && !end {
            return Progress::input_empty(copied, copied);
        }
        let mut context = self.context;
        context.pure_len -= run;
        let state = State::new(context.to_bits());
        Progress::error(copied, copied, Malformed::new(run, MalformedReason::Mojibake, state))
    }
}

impl Checkpoint for MojibakeCodec {
    fn save_state(&self) -> State {
        State::new(self.context.to_bits())
    }

    fn restore_state(&mut self, state: State) {
        self.context = Context::from_bits(state.bits());
    }

    fn max_lookahead(&self) -> usize {
        4096
    }
}

impl TextTransform for MojibakeCodec {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            if self.context.pure_len != 0 {
                let progress = self.report_pure(rest, &mut dst[written..], end);
                (read, written) = (read + progress.read, written + progress.written);
                if self.context.pure_len != 0 {
                    return Progress { read, written, status: progress.status };
                }
                continue;
            }
            let (len, is_suspicious) = self.find_suspicious(rest, end);
            let copied = floor_char_boundary(rest, len.min(dst.len() - written));
            dst[written..written + copied].copy_from_slice(&rest.as_bytes()[..copied]);
            self.context.advance(&rest[..copied]);
            (read, written) = (read + copied, written + copied);
            if copied < len {
                return Progress::output_full(read, written);
            }
            if !is_suspicious {
                return Progress::input_empty(read, written);
            }
            let (rest, to) = (&src[read..], &mut dst[written..]);
            let repaired = match self.repair_line(rest, to, end) {
                Ok(None) => self.repair_run(rest, to, end),
                Ok(Some(repaired)) => Ok(repaired),
                Err(status) => Err(status),
            };
            match repaired {
                Ok((more_read, more_written)) => {
                    (read, written) = (read + more_read, written + more_written);
                }
                Err(status) => return Progress { read, written, status },
            }
        }
    }
}

/// Writes the characters if there is space for all of them. Returns their length in bytes.
fn write(text: &[char], dst: &mut [u8]) -> Option<usize> {
    let len = text.iter().map(|character| character.len_utf8()).sum();
    let mut space = dst.get_mut(..len)?;
    for character in text {
        let len = character.encode_utf8(space).len();
        space = &mut space[len..];
    }
    Some(len)
}

/// Returns the length of the first `count` characters, in bytes.
fn prefix_of_chars(text: &str, count: usize) -> usize {
    text.chars().take(count).map(char::len_utf8).sum()
}

/// Returns the greatest index up to `index` and the length, between two characters.
fn floor_char_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::WORK;

    /// Returns how many characters are examined in all per character of the text.
    fn work_per_char(text: &str, mode: MojibakeMode) -> usize {
        let mut codec = MojibakeCodec::new(mode);
        let (mut dst, mut read) = (vec![0; 2 * text.len() + 4096], 0);
        WORK.set(0);
        loop {
            let progress = codec.transform_text(&text[read..], &mut dst, true);
            read += progress.read;
            match progress.status {
                Status::InputEmpty => return WORK.get() / text.chars().count(),
                Status::OutputFull => {}
                Status::Error(malformed) => {
                    read += malformed.resume_len;
                    codec.restore_state(malformed.resume_state);
                }
            }
        }
    }

    #[test]
    fn work_does_not_depend_on_the_length_of_a_line() {
        for unit in [
            "Ã©Ã",
            "Ã©",
            "Ã©é",
            "Ã",
            "Ãa©",
            "â€",
            "â€™â",
            "Ð\u{96}Ð",
            "ÃƒÂ©Ãƒ",
            "ĂźÃƒÂ",
            "Ñ\u{8F}├â“С“",
            "Ä‚Â\u{A0}П÷≤Ä‚Â¤Ă‚Â¸Ă‚Â",
            "├ö├ç├├ö├ç├û",
            "ÃƒÆ’Ã‚Â©ÃƒÆ’",
            "Ã¢â‚¬â„¢Ã©Ã",
            "тА",
            "ф╕",
            "Ã©\nÃ",
            "aÃ ©Ã©",
        ] {
            for mode in [MojibakeMode::Repair, MojibakeMode::Report] {
                // Each character once for the line, and a few times for its run.
                for count in [200, 2000] {
                    let work = work_per_char(&unit.repeat(count), mode);
                    assert!(work <= 24, "{unit:?} {mode:?}: {work} per character");
                }
            }
        }
    }
}
