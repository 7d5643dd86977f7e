//! The ASCII of a line that decides nothing.
//!
//! Whether text is garbled depends on the characters outside ASCII and on two characters beside them. The text that is examined
//! has no more than the ends of a stretch of ASCII. The rest shows the language, and is in the repaired text again.

/// The ASCII that the text of a line does not have.
#[derive(Debug, Default)]
pub struct OmittedAscii {
    /// The number of characters that are kept at each end of a stretch.
    kept: usize,
    bytes: Vec<u8>,
    /// The end in `bytes` of what was omitted from each stretch that is as long as possible in the text.
    ends: Vec<usize>,
}

impl OmittedAscii {
    /// Returns a value for lines of up to `max_len` bytes.
    pub fn new(max_len: usize) -> OmittedAscii {
        let (bytes, ends) = (Vec::with_capacity(max_len), Vec::with_capacity(max_len / 4));
        OmittedAscii { kept: 2, bytes, ends }
    }

    /// Starts a line. Of a part of a longer line, more characters are kept than may follow what can be decoded.
    pub fn clear(&mut self, is_partial: bool) {
        self.kept = if is_partial { 3 } else { 2 };
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends a stretch of ASCII to a text that does not end with ASCII, without its middle.
    pub fn push(&mut self, ascii: &[u8], text: &mut Vec<char>) {
        let Some(middle) = ascii.len().checked_sub(2 * self.kept) else {
            text.extend(ascii.iter().map(|byte| char::from(*byte)));
            return;
        };
        let (first, rest) = ascii.split_at(self.kept);
        let (omitted, last) = rest.split_at(middle);
        text.extend(first.iter().chain(last).map(|byte| char::from(*byte)));
        self.bytes.extend_from_slice(omitted);
        self.ends.push(self.bytes.len());
    }

    /// Returns the length of a text with what was omitted from its line, which is a part of it at most.
    pub fn whole_len(&self, text: &[char]) -> usize {
        text.len() + self.bytes.len()
    }

    /// Returns the parts of a text, with what was omitted after each. The text is the line, or what it was decoded to.
    pub fn parts<'a>(
        &'a self,
        mut text: &'a [char],
    ) -> impl Iterator<Item = (&'a [char], &'a [u8])> {
        let (mut ends, mut start) = (self.ends.iter(), 0);
        std::iter::from_fn(move || {
            let mut count = 0;
            let next = ends.next().and_then(|end| {
                let full = text.iter().position(|character| {
                    count = if character.is_ascii() { count + 1 } else { 0 };
                    count == 2 * self.kept
                });
                Some((full?, *end))
            });
            let Some((at, end)) = next else {
                let rest = std::mem::take(&mut text);
                return (!rest.is_empty()).then_some((rest, &[][..]));
            };
            let (part, rest) = text.split_at(at + 1 - self.kept);
            let omitted = &self.bytes[start..end];
            (text, start) = (rest, end);
            Some((part, omitted))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_ascii_is_omitted_and_found_again() {
        for (line, expected) in [
            ("", ""),
            ("abc", "abc"),
            ("abcd", "abcd"),
            ("abcde", "abde"),
            ("é abc é 12345678é", "é ac é 178é"),
            ("Ã©abcdÃ©abcdeÃ©ab", "Ã©abcdÃ©abdeÃ©ab"),
        ] {
            let (mut omitted, mut text) = (OmittedAscii::new(16), Vec::new());
            omitted.clear(false);
            for run in line.as_bytes().chunk_by(|one, other| one.is_ascii() == other.is_ascii()) {
                match run.is_ascii() {
                    true => omitted.push(run, &mut text),
                    false => text.extend(std::str::from_utf8(run).unwrap().chars()),
                }
            }
            assert_eq!(text.iter().collect::<String>(), expected);
            let parts = omitted.parts(&text);
            let whole = parts.flat_map(|(part, ascii)| {
                part.iter().copied().chain(ascii.iter().map(|byte| char::from(*byte)))
            });
            assert_eq!(whole.collect::<String>(), line);
        }
    }
}
