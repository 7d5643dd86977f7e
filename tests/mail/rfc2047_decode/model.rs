//! The decoder once more, slow and obvious: over whole records, with everything in vectors.
//!
//! It knows UTF-8, ISO-8859-1 and UTF-16BE, and makes U+FFFD of each error. It does without
//! limits, so words and gaps must be short.

use crate::rfc2047_decode::model_charset::Known;

/// The rules that a record keeps.
#[derive(Clone, Copy, PartialEq)]
pub enum Rules {
    Free,
    Addresses,
    Copied,
}

/// A word of a record; all are indexes into it.
#[derive(Clone)]
struct Word {
    charset: Known,
    base64: bool,
    text: Vec<u8>,
    start: usize,
    end: usize,
}

/// The text of header lines.
pub fn decode(input: &[u8]) -> String {
    records(input).into_iter().map(record).collect()
}

pub fn records(input: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    let mut start = 0;
    for at in 0..input.len() {
        let ends = input[at] == b'\n' && !matches!(input.get(at + 1), Some(b' ' | b'\t'));
        if ends || at + 1 == input.len() {
            records.push(&input[start..=at]);
            start = at + 1;
        }
    }
    records
}

pub fn rules(record: &[u8]) -> Rules {
    let colon = record.iter().position(|byte| *byte == b':').unwrap_or(0);
    let name = String::from_utf8_lossy(&record[..colon]).to_lowercase();
    match name.as_str() {
        "to" | "from" | "cc" => Rules::Addresses,
        "date" | "received" | "content-type" => Rules::Copied,
        _ => Rules::Free,
    }
}

fn record(record: &[u8]) -> String {
    let rules = rules(record);
    let (mut output, mut text) = (String::new(), Vec::new());
    let mut at = 0;
    while at < record.len() {
        let shape = (rules != Rules::Copied).then(|| shape(record, at)).flatten();
        let Some((end, word)) = shape else {
            text.push(record[at]);
            at += 1;
            continue;
        };
        // Of what is copied, all before here counts; what was decoded has no syntax.
        let free = !(rules == Rules::Addresses && is_barred(record, at, end, &copied(record, at)));
        match word.filter(|word| free && !word.yields_nothing()) {
            Some(word) => {
                output.push_str(&String::from_utf8_lossy(&std::mem::take(&mut text)));
                let (decoded, after) = run(record, rules, word);
                output.push_str(&decoded);
                at = after;
            }
            None => {
                text.extend(&record[at..end]);
                at = end;
            }
        }
    }
    output.push_str(&String::from_utf8_lossy(&text));
    output
}

/// Returns the text that is copied from an address field before `at`.
fn copied(record: &[u8], before: usize) -> Vec<u8> {
    let (mut text, mut at) = (Vec::new(), 0);
    while at < before {
        let Some((end, word)) = shape(record, at) else {
            text.push(record[at]);
            at += 1;
            continue;
        };
        let free = !is_barred(record, at, end, &text);
        match word.filter(|word| free && !word.yields_nothing()) {
            Some(word) => at = run(record, Rules::Addresses, word).1,
            None => {
                text.extend(&record[at..end]);
                at = end;
            }
        }
    }
    text
}

/// Returns whether an encoded-word from `at` to `end` is in an address, after this text.
pub fn is_barred(record: &[u8], at: usize, end: usize, before: &[u8]) -> bool {
    let touches = at > 0 && record[at - 1] == b'@' || record.get(end) == Some(&b'@');
    let (mut quoted, mut comments, mut angle) = (false, 0, false);
    let mut bytes = before.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quoted || comments > 0 => {
                bytes.next();
            }
            b'"' if comments == 0 => quoted = !quoted,
            _ if quoted => {}
            b'(' => comments += 1,
            b')' if comments > 0 => comments -= 1,
            b'<' if comments == 0 => angle = true,
            b'>' if comments == 0 => angle = false,
            _ => {}
        }
    }
    touches || angle
}

/// Where what has the form of a word ends that begins at `at`, and the word if its charset is
/// known.
fn shape(record: &[u8], at: usize) -> Option<(usize, Option<Word>)> {
    let rest = record[at..].strip_prefix(b"=?")?;
    let label = rest.split(|byte| *byte == b'?').next()?;
    let printable = label.iter().all(|byte| byte.is_ascii_graphic());
    if label.is_empty() || label[0] == b'*' || !printable {
        return None;
    }
    let [b'?', encoding @ (b'b' | b'B' | b'q' | b'Q'), b'?', after @ ..] = &rest[label.len()..]
    else {
        return None;
    };
    let length = (0..after.len()).find(|at| after[*at..].starts_with(b"?="))?;
    let text = &after[..length];
    if text.windows(2).any(|two| two == b"=?") || records(text).len() > 1 || text.ends_with(b"\n") {
        return None;
    }
    let end = at + 2 + label.len() + 3 + length + 2;
    let name = label.split(|byte| *byte == b'*').next()?;
    let word = Known::meant(name).map(|charset| Word {
        charset,
        base64: encoding.eq_ignore_ascii_case(&b'b'),
        text: text.to_vec(),
        start: at,
        end,
    });
    Some((end, word))
}

/// The word after `at`, with nothing but white space before it.
fn next(record: &[u8], rules: Rules, at: usize) -> Option<Word> {
    let start = (at..record.len()).find(|at| !b" \t\r\n".contains(&record[*at]))?;
    let folds = String::from_utf8_lossy(&record[at..start]).replace("\r\n", "\n");
    if folds.contains('\r') {
        return None;
    }
    let (end, word) = shape(record, start)?;
    let touches = start > at && record[start - 1] == b'@' || record.get(end) == Some(&b'@');
    word.filter(|_| !(rules == Rules::Addresses && touches))
}

/// Decodes a word and those that follow it. The text, and where it goes on after them.
fn run(record: &[u8], rules: Rules, first: Word) -> (String, usize) {
    let mut output = String::new();
    let mut bytes = Vec::new();
    let mut quantum = Vec::new();
    first.read(&mut quantum, &mut bytes);
    let mut word = first;
    while let Some(after) = next(record, rules, word.end) {
        let weak = after.is_weak();
        if after.yields_nothing() && !weak {
            break;
        }
        if after.charset != word.charset {
            if weak {
                break;
            }
            output.push_str(&word.charset.text(&bytes));
            (bytes, quantum) = (Vec::new(), Vec::new());
        } else {
            let open = word.base64 && after.base64 && !quantum.is_empty();
            let pending = bytes[bytes.len() - word.charset.unfinished(&bytes)..].to_vec();
            let good = |quantum: &[u8]| is_good(record, rules, &after, pending.clone(), quantum);
            let whole = open && (weak || !good(&[])) && good(&quantum);
            if weak && !whole {
                break;
            }
            if !whole {
                quantum.clear();
            }
        }
        after.read(&mut quantum, &mut bytes);
        word = after;
    }
    (output + &word.charset.text(&bytes), word.end)
}

/// Whether a word is of its charset up to its end, and its last character up to its own end in
/// the words after it, if it follows on these bytes and this quantum.
fn is_good(record: &[u8], rules: Rules, word: &Word, mut bytes: Vec<u8>, quantum: &[u8]) -> bool {
    let joined = !quantum.is_empty();
    let mut quantum = quantum.to_vec();
    word.read(&mut quantum, &mut bytes);
    let all = bytes.len();
    let mut last = word.clone();
    loop {
        let sound = word.charset.sound(&bytes);
        if sound >= all {
            return true;
        }
        if sound + word.charset.unfinished(&bytes[sound..]) < bytes.len() {
            return false;
        }
        let Some(after) = next(record, rules, last.end) else { return false };
        let nothing = after.yields_nothing() && !(after.is_weak() && joined);
        if after.charset != word.charset || nothing {
            return false;
        }
        if !(joined && last.base64 && after.base64) {
            quantum.clear();
        }
        after.read(&mut quantum, &mut bytes);
        last = after;
    }
}

impl Word {
    /// Returns whether this is not an encoded-word: it is not empty but decodes to no byte.
    fn yields_nothing(&self) -> bool {
        let (mut quantum, mut bytes) = (Vec::new(), Vec::new());
        self.read(&mut quantum, &mut bytes);
        self.base64 && bytes.is_empty() && !self.text.iter().all(u8::is_ascii_whitespace)
    }

    /// Returns whether it decodes to no byte but has some base64.
    fn is_weak(&self) -> bool {
        let (mut quantum, mut bytes) = (Vec::new(), Vec::new());
        self.read(&mut quantum, &mut bytes);
        self.base64 && bytes.is_empty() && !quantum.is_empty()
    }

    /// Adds the bytes of this word, after the base64 of a quantum that is open.
    fn read(&self, quantum: &mut Vec<u8>, bytes: &mut Vec<u8>) {
        debug_assert!(self.start < self.end);
        if self.base64 {
            read_base64(&self.text, quantum, bytes);
        } else {
            quantum.clear();
            read_q(&self.text, bytes);
        }
    }
}

fn read_base64(text: &[u8], quantum: &mut Vec<u8>, bytes: &mut Vec<u8>) {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for byte in text {
        if *byte == b'=' && quantum.len() >= 2 {
            quantum.clear();
        }
        let Some(value) = alphabet.iter().position(|known| known == byte) else { continue };
        quantum.push(value as u8);
        match quantum[..] {
            [a, b] => bytes.push(a << 2 | b >> 4),
            [_, b, c] => bytes.push(b << 4 | c >> 2),
            [_, _, c, d] => {
                bytes.push(c << 6 | d);
                quantum.clear();
            }
            _ => {}
        }
    }
}

pub fn read_q(text: &[u8], bytes: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let digits = text.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        let digits = digits.filter(|two| two.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match (text[at], digits) {
            (b'=', Some(two)) => {
                bytes.push(u8::from_str_radix(two, 16).unwrap());
                at += 2;
            }
            (b'_', _) => bytes.push(b' '),
            (b'\n', _) => {}
            (b'\r', _) if text.get(at + 1) == Some(&b'\n') => {}
            (byte, _) => bytes.push(byte),
        }
        at += 1;
    }
}
