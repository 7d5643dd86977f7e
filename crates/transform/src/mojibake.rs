//! Mojibake: UTF-8 that was decoded in another encoding, as "Ã©" for "é".
//!
//! The encoder repairs garbled text (see [`repair`](crate::repair)). The decoder, for checks, reports it
//! as an error instead. Both find the same text: the decoder assumes that what it reports was repaired.
//!
//! The first two characters of a line that could be garbled decide how it is examined. If only ASCII is
//! before them, the line is examined as a whole from up to [`MAX_CONTEXT_LEN`] bytes before them on, or in parts of
//! [`MAX_LEN`] bytes. If several code pages are nearly as plausible, those of earlier lines decide, or the first later
//! line in [`MAX_LEN`] bytes in which they are certain.
//! A space after "Ã" in such a line was a no-break space.
//! Otherwise, or if that finds nothing, each run is examined by itself: what it depends on is the two
//! characters before it, the characters up to the first one that no code page has, and whether
//! another repair in the line had the same code page. A run longer than [`MAX_LEN`] bytes is repaired in
//! pieces.

use memchr::{memchr, memrchr};

use super::{Transform, TransformCodecs};
use crate::repair::{ExpectedPages, Found, LineResult, Repairer};
use charpipe_encoding::codec::{Checkpoint, Progress, State, Status, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_kernel::ascii;
use charpipe_kernel::utf8::floor_char_boundary;

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

/// The maximum number of ASCII bytes of a line that are examined with the garbled text after them: they show the
/// language.
const MAX_CONTEXT_LEN: usize = 120;

/// The maximum length of what decides about "Ã" and a space: they and a part of a word.
const MAX_SPACE_CONTEXT_LEN: usize = 8;

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
    /// What has been found in the lines that follow: any code pages, and a single one.
    scans: [Scan; 2],
}

/// What is known of the lines after the start of the input.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    /// The length of text in which the code pages of no line are certain.
    len: usize,
    /// The code pages of the line after it; 0 if it has not been examined.
    pages: u16,
}

/// What the codec remembers of the text before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Context {
    /// The last two characters, after repair; line feeds at the start.
    last: [char; 2],
    /// The code page of the last repair in this line.
    page: Option<usize>,
    /// The code pages of earlier lines, as bits: one of them is right.
    file_pages: u16,
    /// Whether the line has characters outside ASCII that are not garbled, or were repaired by
    /// themselves.
    is_mixed: bool,
    /// The number of bytes that follow in which everything outside ASCII is to be reported.
    pure_len: usize,
}

impl Context {
    const INITIAL: Context =
        Context { last: ['\n', '\n'], page: None, file_pages: 0, is_mixed: false, pure_len: 0 };

    fn expected_pages(&self) -> ExpectedPages {
        ExpectedPages { line: self.page, file: self.file_pages }
    }

    /// Sets the last two characters. One above U+FFFF is replaced by one of its kind.
    fn set_last(&mut self, first: char, last: char) {
        self.last = [first, last].map(|character| match character {
            '\0'..='\u{FFFF}' => character,
            _ if character.is_alphabetic() => '\u{4E00}',
            _ => '\u{2605}',
        });
    }

    /// Notes that `text` follows.
    fn advance(&mut self, text: &str) {
        let mut chars = text.chars().rev();
        match (chars.next(), chars.next()) {
            (Some(last), Some(first)) => self.set_last(first, last),
            (Some(last), None) => self.set_last(self.last[1], last),
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
            [.., first, last] => self.set_last(first, last),
            [last] => self.set_last(self.last[1], last),
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
        let (file_pages, pure_len) = (u64::from(self.file_pages), self.pure_len as u64);
        let is_mixed = u64::from(self.is_mixed);
        first | last << 16 | page << 32 | file_pages << 36 | is_mixed << 48 | pure_len << 49
    }

    fn from_bits(bits: u64) -> Context {
        let character = |bits: u64| {
            char::from_u32((bits & 0xFFFF) as u32 ^ 0x0A).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        Context {
            last: [character(bits), character(bits >> 16)],
            page: ((bits >> 32 & 0xF) as usize).checked_sub(1),
            file_pages: (bits >> 36 & 0xFFF) as u16,
            is_mixed: bits >> 48 & 1 != 0,
            pure_len: (bits >> 49) as usize,
        }
    }

    /// Notes the code pages of a line, one of which is right.
    fn add_file_pages(&mut self, pages: u16) {
        let common = self.file_pages & pages;
        self.file_pages = if common == 0 { pages } else { common };
    }
}

impl MojibakeCodec {
    fn new(mode: MojibakeMode) -> MojibakeCodec {
        MojibakeCodec {
            mode,
            repairer: Repairer::new(MAX_LEN),
            context: Context::INITIAL,
            scans: Default::default(),
        }
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
                if leads & self.repairer.continuation_pages(next) != 0
                    || is_lost_no_break_space(character, next)
                {
                    return (at, true);
                }
                at += len;
                character = next;
            }
        }
    }

    /// Returns how many bytes at the end of `text` belong to the line after it, if that may be garbled as a whole.
    fn context_len(&self, text: &str) -> usize {
        let line_start = memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
        let start = line_start.max(text.len().saturating_sub(MAX_CONTEXT_LEN));
        let is_mixed = line_start == 0 && self.context.is_mixed;
        let context = &text.as_bytes()[start..];
        if is_mixed || !context.is_ascii() { 0 } else { context.len() }
    }

    /// Examines the run at the start of `src`, as far as the result depends on it. Returns nothing if more
    /// input is needed.
    fn examine_run(&mut self, src: &str, end: bool) -> Option<Found> {
        let (last, expected) = (self.context.last, self.context.expected_pages());
        self.repairer.clear(false);
        let (mut len, mut count, mut examined_count) = (0, 0, MIN_RUN_CHARS);
        for character in src.chars() {
            if len + character.len_utf8() > MAX_LEN || !self.repairer.push(character) {
                return Some(self.repairer.examine(last, character, expected));
            }
            len += character.len_utf8();
            count += 1;
            if count == examined_count {
                let found = self.repairer.examine_prefix(last, expected);
                if found.is_some() {
                    return found;
                }
                examined_count *= 2;
            }
        }
        end.then(|| self.repairer.examine(last, '\n', expected))
    }

    /// Returns whether a line has two characters that can start garbled text, not only a no-break space that was lost.
    fn has_garbled_pair(&self, line: &str) -> bool {
        let line = &line[ascii::prefix_len(line.as_bytes()).saturating_sub(1)..];
        let mut before = '\n';
        let mut pairs = line.chars().zip(line.chars().skip(1));
        pairs.any(|(first, second)| {
            // A capital after a small letter.
            let is_inside_word = before.is_lowercase() && is_lost_no_break_space(first, second);
            before = first;
            is_inside_word
                || self.repairer.lead_pages(first) & self.repairer.continuation_pages(second) != 0
        })
    }

    /// Collects a line, or the first part of a longer one.
    fn collect_line(&mut self, line: &str, is_partial: bool) {
        self.repairer.clear(is_partial);
        let mut rest = line;
        while !rest.is_empty() {
            let (ascii, run) = rest.split_at(ascii::prefix_len(rest.as_bytes()));
            let mut ascii = ascii.as_bytes();
            if let [b' ', ..] = ascii {
                let before = match *self.repairer.text() {
                    [.., first, last] => [first, last],
                    [last] => ['\n', last],
                    [] => ['\n', '\n'],
                };
                if let Some(len) = lost_space_len(before, ' ', &rest[1..]) {
                    self.repairer.push_foreign("\u{A0}");
                    ascii = &ascii[len..];
                }
            }
            self.repairer.push_ascii(ascii);
            rest = &run[self.repairer.push_foreign(run)..];
        }
    }

    /// Examines the line at the start of `src`. If several code pages are nearly as plausible, other lines decide.
    fn examine_line(&mut self, src: &str, end: bool) -> Result<LineResult, Status<Malformed>> {
        let result = self.examine_line_alone(src, end)?;
        let known = self.context.file_pages;
        let decide =
            |known: u16, sides: [u16; 2]| (known & sides[0] != 0) != (known & sides[1] != 0);
        let later = match result {
            LineResult::Unlikely(pages) if known == 0 => {
                self.find_later_pages(src, false, end)? & pages
            }
            LineResult::Ambiguous(sides, _) if !decide(known, sides) => {
                let pages = self.find_later_pages(src, true, end)?;
                if decide(pages, sides) { pages } else { 0 }
            }
            LineResult::Certain(pages, _) => {
                self.context.add_file_pages(pages);
                return Ok(result);
            }
            _ => return Ok(result),
        };
        if later != 0 {
            self.context.add_file_pages(later);
        }
        // The repairer has the text of another line now.
        self.examine_line_alone(src, end)
    }

    fn examine_line_alone(
        &mut self,
        src: &str,
        end: bool,
    ) -> Result<LineResult, Status<Malformed>> {
        let (line, is_ended) = line_window(src);
        if !is_ended && line.len() == src.len() && !end {
            return Err(Status::InputEmpty);
        }
        if !self.has_garbled_pair(line) {
            return Ok(LineResult::Other);
        }
        let is_partial = !is_ended && line.len() < src.len();
        self.collect_line(line, is_partial);
        let expected = self.context.expected_pages();
        Ok(self.repairer.examine_line(self.context.last, is_partial, expected))
    }

    /// Returns the code pages of the first line after that at the start of `src` in which they are certain; 0 if there is no
    /// such line in [`MAX_LEN`] bytes. If `is_single`, lines with several possible code pages do not count.
    fn find_later_pages(
        &mut self,
        src: &str,
        is_single: bool,
        end: bool,
    ) -> Result<u16, Status<Malformed>> {
        let window = &src[..floor_char_boundary(src, MAX_LEN)];
        let is_whole = end && window.len() == src.len();
        let line_end = memchr(b'\n', window.as_bytes()).map_or(window.len(), |at| at + 1);
        let known = self.scans[usize::from(is_single)];
        let is_later = (line_end..=window.len()).contains(&known.len);
        let mut scan = if is_later { known } else { Scan { len: line_end, pages: 0 } };
        while scan.pages == 0 && scan.len < window.len() {
            let rest = &window[scan.len..];
            let line = match memchr(b'\n', rest.as_bytes()) {
                Some(line_end) => &rest[..line_end + 1],
                None if is_whole => rest,
                None => break,
            };
            if !line.is_ascii() {
                self.collect_line(line.trim_end_matches('\n'), false);
                let expected = ExpectedPages::default();
                let last = Context::INITIAL.last;
                if let LineResult::Certain(pages, _) =
                    self.repairer.examine_line(last, false, expected)
                {
                    scan.pages = if !is_single || pages.is_power_of_two() { pages } else { 0 };
                }
            }
            scan.len += if scan.pages == 0 { line.len() } else { 0 };
        }
        self.scans[usize::from(is_single)] = scan;
        let needs_more = scan.pages == 0 && window.len() == src.len() && !end;
        if needs_more { Err(Status::InputEmpty) } else { Ok(scan.pages) }
    }

    /// Copies the line at the start of `src`, or the first part of a longer one. Returns the numbers of bytes read and
    /// written.
    fn copy_line(
        &mut self,
        src: &str,
        dst: &mut [u8],
    ) -> Result<(usize, usize), Status<Malformed>> {
        let line = line_window(src).0;
        let space = dst.get_mut(..line.len()).ok_or(Status::OutputFull)?;
        space.copy_from_slice(line.as_bytes());
        self.context.advance(line);
        Ok((line.len(), line.len()))
    }

    /// Notes that `len` bytes have been read.
    fn pass(&mut self, len: usize) {
        for scan in &mut self.scans {
            *scan = match scan.len.checked_sub(len) {
                Some(rest) => Scan { len: rest, ..*scan },
                None => Scan::default(),
            };
        }
    }

    /// Repairs the line at the start of `src`, or prepares to report it, if everything outside ASCII in
    /// it is garbled. Returns the numbers of bytes read and written, or `None` if it is not such a line.
    fn repair_line(
        &mut self,
        src: &str,
        dst: &mut [u8],
        end: bool,
    ) -> Result<Option<(usize, usize)>, Status<Malformed>> {
        if self.context.is_mixed {
            return Ok(None);
        }
        let line = match self.examine_line(src, end)? {
            LineResult::Certain(_, line) | LineResult::Ambiguous(_, Some(line)) => line,
            // Parts of the line are no less doubtful.
            LineResult::Ambiguous(_, None) => return self.copy_line(src, dst).map(Some),
            LineResult::Unlikely(_) | LineResult::Other => return Ok(None),
        };
        let len = self.source_len(src, line.len);
        if self.mode == MojibakeMode::Report {
            self.context.start_pure(line.page, len);
            return Ok(Some((0, 0)));
        }
        let written = self.repairer.write_replacement(dst).ok_or(Status::OutputFull)?;
        self.context.start_pure(line.page, 0);
        Ok(Some((len, written)))
    }

    /// Returns how many bytes of `src` the first characters of the line are that was collected from it.
    fn source_len(&self, src: &str, char_count: usize) -> usize {
        let (line, is_ended) = line_window(src);
        let rest_count = self.repairer.text().len() - char_count;
        if is_ended && rest_count == 0 {
            return line.len();
        }
        let count = line_chars(line).count() - rest_count;
        line_chars(src).take(count).map(|(_, len)| len).sum()
    }

    /// Copies `context_len` bytes of text, then repairs or reports the run after them, or copies text that is not garbled.
    /// Returns the numbers of bytes read and written.
    fn repair_run(
        &mut self,
        src: &str,
        context_len: usize,
        dst: &mut [u8],
        end: bool,
    ) -> Result<(usize, usize), Status<Malformed>> {
        self.context.is_mixed = true;
        if context_len != 0 {
            let space = dst.get_mut(..context_len).ok_or(Status::OutputFull)?;
            space.copy_from_slice(&src.as_bytes()[..context_len]);
            self.context.advance(&src[..context_len]);
            return Ok((context_len, context_len));
        }
        let found = match starts_with_lost_space(src) {
            true => Some(self.restore_space(src, end).ok_or(Status::InputEmpty)?),
            false => self.examine_run(src, end),
        };
        match found.ok_or(Status::InputEmpty)? {
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
                let written = self.repairer.write_replacement(dst).ok_or(Status::OutputFull)?;
                self.context = context;
                Ok((len, written))
            }
        }
    }

    /// Examines "Ã" and a space in a line that is not garbled as a whole: they are repaired if other text in it was. Returns
    /// nothing if more input is needed.
    fn restore_space(&mut self, src: &str, end: bool) -> Option<Found> {
        if src.len() < MAX_SPACE_CONTEXT_LEN && !end {
            return None;
        }
        let pages = self.repairer.lead_pages('Ã') & self.repairer.continuation_pages('\u{A0}');
        let page = self.context.page.filter(|page| pages >> page & 1 != 0);
        Some(match page {
            Some(page) if !self.context.last[1].is_uppercase() => {
                self.repairer.set_replacement(&['à']);
                Found::Mojibake { len: if keeps_space(&src[3..]) { 1 } else { 2 }, page }
            }
            _ => Found::Text(2),
        })
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
        self.scans = Default::default();
    }

    fn max_lookahead(&self) -> usize {
        4096
    }
}

impl TextTransform for MojibakeCodec {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let context = self.context;
        let progress = self.transform(src, dst, end);
        if (progress.read, progress.written) == (0, 0) {
            // What was found in the line is found again.
            self.context = context;
        }
        progress
    }
}

impl MojibakeCodec {
    fn transform(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            if self.context.pure_len != 0 {
                let progress = self.report_pure(rest, &mut dst[written..], end);
                self.pass(progress.read);
                (read, written) = (read + progress.read, written + progress.written);
                if self.context.pure_len != 0 {
                    return Progress { read, written, status: progress.status };
                }
                continue;
            }
            let (len, is_suspicious) = self.find_suspicious(rest, end);
            let context_len =
                if is_suspicious || !end { self.context_len(&rest[..len]) } else { 0 };
            let copied_len = len - context_len;
            let copied = floor_char_boundary(rest, copied_len.min(dst.len() - written));
            dst[written..written + copied].copy_from_slice(&rest.as_bytes()[..copied]);
            self.context.advance(&rest[..copied]);
            self.pass(copied);
            (read, written) = (read + copied, written + copied);
            if copied < copied_len {
                return Progress::output_full(read, written);
            }
            if !is_suspicious {
                return Progress::input_empty(read, written);
            }
            let (rest, to) = (&src[read..], &mut dst[written..]);
            let repaired = match self.repair_line(rest, to, end) {
                Ok(None) => self.repair_run(rest, context_len, to, end),
                Ok(Some(repaired)) => Ok(repaired),
                Err(status) => Err(status),
            };
            match repaired {
                Ok((more_read, more_written)) => {
                    self.pass(more_read);
                    (read, written) = (read + more_read, written + more_written);
                }
                Err(status) => return Progress { read, written, status },
            }
        }
    }
}

/// Returns the line at the start of `src` as far as it is examined at once, and whether a line feed ends it.
fn line_window(src: &str) -> (&str, bool) {
    let window = &src[..floor_char_boundary(src, MAX_LEN)];
    match memchr(b'\n', window.as_bytes()) {
        Some(line_end) => (&window[..line_end], true),
        None => (window, false),
    }
}

/// Returns whether two characters may be "Ã" and a no-break space, as which "à" is garbled: HTML and editors make a space of it.
fn is_lost_no_break_space(first: char, second: char) -> bool {
    first == 'Ã' && second == ' '
}

fn starts_with_lost_space(text: &str) -> bool {
    let mut chars = text.chars();
    matches!((chars.next(), chars.next()), (Some(a), Some(b)) if is_lost_no_break_space(a, b))
}

/// Returns whether the no-break space before `text` was lost beside a space: a letter follows, and not the rest of the Portuguese
/// words "às", "àquele" and "àquilo".
fn keeps_space(text: &str) -> bool {
    let is_inside_word =
        ["s ", "quele", "quela", "quilo"].iter().any(|rest| text.starts_with(rest));
    text.starts_with(char::is_alphabetic) && !is_inside_word
}

/// Returns how long the no-break space was that became `character` after two others: 0 if it was lost beside a space, or
/// `None` if it is what it is. `after` is the rest of the line.
fn lost_space_len(before: [char; 2], character: char, after: &str) -> Option<usize> {
    let is_lost = is_lost_no_break_space(before[1], character) && !before[0].is_uppercase();
    is_lost.then(|| usize::from(!keeps_space(after)))
}

/// Returns the characters of a line with their lengths in bytes, and with the no-break spaces that were lost.
fn line_chars(line: &str) -> impl Iterator<Item = (char, usize)> {
    let mut before = ['\n'; 2];
    line.char_indices().flat_map(move |(at, character)| {
        let len = character.len_utf8();
        let chars = match lost_space_len(before, character, &line[at + len..]) {
            None => [Some((character, len)), None],
            Some(0) => [Some(('\u{A0}', 0)), Some((' ', 1))],
            Some(lost_len) => [Some(('\u{A0}', lost_len)), None],
        };
        before = [before[1], character];
        chars.into_iter().flatten()
    })
}

/// Returns the length of the first `count` characters, in bytes.
fn prefix_of_chars(text: &str, count: usize) -> usize {
    text.chars().take(count).map(char::len_utf8).sum()
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
    fn context_is_restored_from_its_bits() {
        for (page, file_pages, pure_len) in
            [(None, 0xFFF, 0), (Some(0), 1, 1), (Some(11), 0x800, 0x7FFF), (Some(4), 0, 77)]
        {
            for (last, is_mixed) in [(['\u{FFFD}', 'Ã'], true), (['\0', '\u{FFFF}'], false)] {
                let context = Context { last, page, file_pages, is_mixed, pure_len };
                assert_eq!(Context::from_bits(context.to_bits()), context);
            }
        }
        assert_eq!(State::new(Context::INITIAL.to_bits()), State::INITIAL);
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

    #[test]
    fn state_changes_only_with_progress() {
        for mode in [MojibakeMode::Repair, MojibakeMode::Report] {
            for text in ["Ã©Ã©Ã©\n", "some Ã©Ã©Ã© words\n"] {
                let mut codec = MojibakeCodec::new(mode);
                let progress = codec.transform_text(text, &mut [], true);
                assert_eq!((progress.read, progress.written), (0, 0), "{text} {mode:?}");
                assert_eq!(codec.save_state(), State::INITIAL, "{text} {mode:?}");
            }
        }
    }

    #[test]
    fn later_lines_with_several_code_pages_count_unless_one_is_wanted() {
        // ISO-8859-1 and windows-1252 garble it alike.
        let text = "first\ncafÃ©\n";
        let mut codec = MojibakeCodec::new(MojibakeMode::Repair);
        let pages = codec.find_later_pages(text, false, true).unwrap();
        assert!(pages.count_ones() > 1, "{pages:b}");
        assert_eq!(codec.find_later_pages(text, true, true), Ok(0));
    }

    #[test]
    fn start_of_a_word_decides_about_a_space_before_it() {
        let mut codec = MojibakeCodec::new(MojibakeMode::Repair);
        let pages = codec.repairer.lead_pages('Ã') & codec.repairer.continuation_pages('\u{A0}');
        codec.context.page = Some(pages.trailing_zeros() as usize);
        // "às cinco", "à semaine", "àquele dia", "à quelques"
        for (text, len) in
            [("Ã s cinco", 2), ("Ã semaine", 1), ("Ã quele dia", 2), ("Ã quelques", 1)]
        {
            let found = |cut, codec: &mut MojibakeCodec| {
                codec.restore_space(&text[..cut], false).map(|found| match found {
                    Found::Mojibake { len, .. } => len,
                    Found::Text(_) => 0,
                })
            };
            assert_eq!(found(4, &mut codec), None, "{text}");
            assert_eq!(found(8, &mut codec), Some(len), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_long_line_is_examined_before_its_end() {
        let mut codec = MojibakeCodec::new(MojibakeMode::Repair);
        let long = "a".repeat(MAX_LEN + 1);
        assert_eq!(codec.examine_line_alone(&long, false), Ok(LineResult::Other));
        assert_eq!(codec.examine_line_alone(&long[..MAX_LEN], false), Err(Status::InputEmpty));
        assert_eq!(codec.examine_line_alone(&long[..MAX_LEN], true), Ok(LineResult::Other));
        assert_eq!(codec.examine_line_alone("a\n", false), Ok(LineResult::Other));
    }
}
