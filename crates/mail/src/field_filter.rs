//! Drops everything from messages but the header fields of some names, with their continuation lines.

use crate::message_scanner::{self, LineKind, MessageScanner};
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::Malformed;

/// Copies header fields of some names. The state is that of the scanner after the line, and where in
/// the line the filter is.
#[allow(missing_debug_implementations, reason = "as the other stages")]
pub struct FieldFilter {
    names: Vec<String>,
    max_lookahead: usize,
    scanner: MessageScanner,
    at_line_start: bool,
    /// Whether the last field is copied.
    is_copied: bool,
}

impl FieldFilter {
    /// Creates a filter for these names, without colons and in any case.
    pub fn new(names: &[String]) -> FieldFilter {
        let max_name_len = names.iter().map(String::len).max().unwrap_or(0);
        let mut filter = FieldFilter {
            names: names.to_vec(),
            max_lookahead: message_scanner::LOOKAHEAD.max(max_name_len),
            scanner: MessageScanner::default(),
            at_line_start: true,
            is_copied: false,
        };
        filter.restore_state(State::INITIAL);
        filter
    }

    /// Returns whether a field is copied, or `None` if more input is needed.
    fn has_selected_name(&self, field: &[u8], end: bool) -> Option<bool> {
        let mut needs_more = false;
        for name in &self.names {
            let near = &field[..field.len().min(name.len())];
            if !near.eq_ignore_ascii_case(&name.as_bytes()[..near.len()]) {
                continue;
            }
            match field.get(name.len()) {
                Some(b':') => return Some(true),
                Some(_) => {}
                None => needs_more |= !end,
            }
        }
        (!needs_more).then_some(false)
    }
}

impl Checkpoint for FieldFilter {
    fn save_state(&self) -> State {
        let flags = u64::from(!self.at_line_start) | u64::from(self.is_copied) << 1;
        State::new(self.scanner.pack() | flags << MessageScanner::BITS)
    }

    fn restore_state(&mut self, state: State) {
        let flags = state.bits() >> MessageScanner::BITS;
        self.scanner = MessageScanner::unpack(state.bits());
        self.at_line_start = flags & 1 == 0;
        self.is_copied = flags & 2 != 0;
    }

    fn max_lookahead(&self) -> usize {
        self.max_lookahead
    }
}

impl ByteTransform for FieldFilter {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let rest = &src[read..];
            let (mut scanner, mut is_copied) = (self.scanner, self.is_copied);
            if self.at_line_start {
                let Some((kind, next)) = scanner.classify(rest, end) else { break };
                is_copied = match kind {
                    LineKind::Field => match self.has_selected_name(rest, end) {
                        Some(is_selected) => is_selected,
                        None => break,
                    },
                    LineKind::Continuation => is_copied,
                    LineKind::Other => false,
                };
                scanner = next;
            }
            let max = if is_copied { rest.len().min(dst.len() - written) } else { rest.len() };
            if max == 0 {
                return Progress::output_full(read, written);
            }
            let line_end = memchr::memchr(b'\n', &rest[..max]);
            let len = line_end.map_or(max, |at| at + 1);
            if is_copied {
                dst[written..written + len].copy_from_slice(&rest[..len]);
                written += len;
            }
            read += len;
            (self.scanner, self.is_copied) = (scanner, is_copied);
            self.at_line_start = line_end.is_some();
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::codec::Status;

    /// Filters a message in every split into two, and byte by byte into buffers of every size.
    fn filter(names: &[&str], message: &str) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let run = |cuts: &[usize], space: usize| {
            let mut codec = FieldFilter::new(&names);
            assert_eq!(codec.save_state(), State::INITIAL);
            let (mut out, mut at) = (Vec::new(), 0);
            for cut in cuts.iter().chain([&message.len()]) {
                let end = *cut == message.len();
                loop {
                    // Each call on a new codec that is put into the saved state.
                    let mut next = FieldFilter::new(&names);
                    next.restore_state(codec.save_state());
                    codec = next;
                    let mut dst = vec![0; space];
                    let src = &message.as_bytes()[at..*cut];
                    let progress = codec.transform_bytes(src, &mut dst, end);
                    at += progress.read;
                    out.extend_from_slice(&dst[..progress.written]);
                    assert!(progress.read > 0 || progress.status == Status::InputEmpty);
                    if progress.status == Status::InputEmpty {
                        break;
                    }
                }
                let unread = cut - at;
                assert!(unread <= if end { 0 } else { codec.max_lookahead() });
            }
            String::from_utf8(out).expect("parts of a text")
        };
        let whole = run(&[], message.len() + 1);
        let every: Vec<usize> = (0..message.len()).collect();
        for space in 1..20 {
            assert_eq!(run(&[], space), whole, "{message:?}");
            assert_eq!(run(&every, space), whole, "{message:?}");
        }
        for cut in 0..message.len() {
            assert_eq!(run(&[cut], 100), whole, "{message:?}");
        }
        whole
    }

    #[test]
    fn fields_of_the_names_are_copied_with_their_continuations() {
        let message =
            "From: a\nSUBJECT: b\n c\nSubjects: d\n e\nTo: f\nsubject:\n\nSubject: body\n";
        assert_eq!(filter(&["Subject"], message), "SUBJECT: b\n c\nsubject:\n");
        assert_eq!(filter(&["to", "from"], message), "From: a\nTo: f\n");
        assert_eq!(filter(&["Subj"], message), "");
        assert_eq!(filter(&["Subject"], "Subject"), "");
        assert_eq!(filter(&["Subject"], "Subject: x\r\n\ty\r\n\r\nz"), "Subject: x\r\n\ty\r\n");
    }

    #[test]
    fn fields_of_a_mailbox_and_of_parts_are_copied() {
        let message = "From x\nSubject: a\n\n--b\nContent-Type: c;\n d\n\nSubject: e\n\n\
                       From y\nSubject: f\n";
        assert_eq!(filter(&["Subject"], message), "Subject: a\nSubject: f\n");
        assert_eq!(filter(&["content-type"], message), "Content-Type: c;\n d\n");
    }
}
