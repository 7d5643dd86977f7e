//! What to do, in types: from which encoding to which, and by which policy.

use std::fmt;
use std::str::FromStr;

use crate::charset::{self, Charset, NotFound, Settings};
use crate::codec::{Encoder, Stop};
use crate::error::Error;
use crate::header;
use crate::policy::{self, Action, Policy, Substitutes, Transliterator};
use crate::pump::Pump;

/// What shows how an encoding treats ASCII.
const LINE: &str = "Az09 ~\r\n";

/// ASCII that every superset of it has, also the Japanese ones.
const PLAIN: &str = "AZaz09 \r\n<>&'()/=?";

/// Characters of which most charsets beyond ASCII have one. Not the yen sign, which is one byte of
/// ASCII in Shift_JIS.
const SAMPLES: &str = "£§äéøąčőşțơλжאاกაहあ中가—";

/// A charset with its options: `UTF-7:close=always`.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// The charset.
    pub charset: &'static Charset,
    /// Its options.
    pub settings: Settings,
}

/// What to do about U+FEFF at the start of the text, the signature or byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bom {
    /// Keep it; but where the encoding of an input is taken from its bytes, remove one from the
    /// start of UTF-8 ([`Origin::plan`](crate::auto::Origin::plan)).
    #[default]
    Default,
    /// Treat it as any character (RFC 3629, section 6: avoid stripping it without good reason).
    Keep,
    /// Remove one from the start of each input.
    Strip,
    /// Make sure that the output begins with exactly one, and remove one from the start of each
    /// further input.
    Add,
}

/// A whole conversion. A [`Pump`] carries it out.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The encoding of the input.
    pub from: Encoding,
    /// The encoding of the output.
    pub to: Encoding,
    /// What to do about a byte order mark.
    pub bom: Bom,
    /// What to do about faults.
    pub policy: Policy,
    /// Whether each input is a message, of which only the header block is converted: all up to
    /// the first empty line. The body goes out byte for byte.
    pub message: bool,
    /// Bytes that are read and converted at a time, from 1 to [`Plan::LARGEST_BLOCK`]; what is
    /// beyond counts as that. Results do not depend on it.
    pub block: usize,
    /// Whether text may be used where it stands in the input. Results do not depend on it.
    pub fast: bool,
}

/// GB/s of processor time of a program that only pumps, into `/dev/null`, medians of eleven runs in
/// turns over 32 MiB, in blocks of so many KiB:
///
/// | | 32 | 64 | 128 | 256 | 512 |
/// |---|---:|---:|---:|---:|---:|
/// | UTF-8 to UTF-8, English | 3.61 | 3.64 | 3.73 | 3.77 | 3.71 |
/// | UTF-8 to UTF-8, Russian | 3.11 | 3.22 | 3.29 | 3.31 | 3.29 |
/// | UTF-8 to UTF-16LE, English | 1.64 | 1.67 | 1.70 | 1.70 | 1.69 |
/// | UTF-16LE to UTF-8, English | 3.33 | 3.55 | 3.52 | 3.34 | 3.50 |
/// | UTF-8 to UTF-8, English, into a pipe | 2.18 | 2.41 | 2.45 | 2.53 | 2.42 |
///
/// Each doubling beyond costs 30 to 60 page faults more in a large input, and gains nothing.
const BLOCK: usize = 128 * 1024;

impl Plan {
    /// The largest block, in bytes: some blocks are all the memory that a pump takes.
    pub const LARGEST_BLOCK: usize = 16 << 20;

    pub(crate) fn block(&self) -> usize {
        self.block.clamp(1, Plan::LARGEST_BLOCK)
    }

    /// A plan that leaves byte order marks alone and stops at the first fault, but for header
    /// words: one bad word must not cost the others. What is wrong in one is replaced; under
    /// `strict` the word is kept as it stands.
    pub fn new(from: Encoding, to: Encoding) -> Plan {
        let policy = Policy { invalid: from.usual_action(), unmappable: Action::Stop };
        Plan { from, to, bom: Bom::Default, policy, message: false, block: BLOCK, fast: true }
    }

    /// The machine for this plan.
    ///
    /// # Errors
    ///
    /// [`Error::Inexpressible`] if a policy would write what the target cannot express, or if that
    /// has no byte order mark to add; [`Error::KeepsNoBytes`] and [`Error::KeepsNoCharacters`] if
    /// one would keep what cannot be kept; [`Error::NoMessage`] if there are no header lines to
    /// convert or the rest cannot go out as it came.
    pub fn pump(&self) -> Result<Pump, Error> {
        if self.message && !self.suits_messages() {
            let (from, to) = (self.from.charset.name, self.to.charset.name);
            return Err(Error::NoMessage { from, to });
        }
        // Making an encoder may mean building its tables: one serves all questions.
        let mut encoder = self.to.charset.encoder(&self.to.settings);
        let Policy { invalid, unmappable } = &self.policy;
        if unmappable.is_for_bytes() {
            return Err(Error::KeepsNoCharacters);
        }
        if *invalid == Action::Keep && !self.to.passes_bytes() {
            return Err(Error::KeepsNoBytes { to: self.to.charset.name });
        }
        for action in [invalid, unmappable] {
            self.expressible(&mut *encoder, action.repertoire(), action)?;
        }
        if self.bom == Bom::Add {
            // It would be a fault at byte 0 of an input that has no such character.
            self.expressible(&mut *encoder, "\u{FEFF}", &"adding a byte order mark")?;
        }
        let fallback = fallback(self.to.charset, &mut *encoder);
        let transliterates = *unmappable == Action::Translit;
        // In header lines a character may be unmappable because no encoded-word is allowed there.
        let ascii_only = header::is_header(self.to.charset);
        let transliterator = transliterates.then(|| Transliterator::new(encoder, ascii_only));
        Ok(Pump::new(self, Substitutes { fallback, transliterator }))
    }

    /// Whether header lines are converted between encodings that both have ASCII as it is, so
    /// that a body may follow.
    fn suits_messages(&self) -> bool {
        let ends = [&self.from, &self.to];
        ends.iter().any(|end| header::is_header(end.charset))
            && ends.iter().all(|end| end.keeps_ascii())
    }

    fn expressible(
        &self,
        encoder: &mut dyn Encoder,
        text: &str,
        action: &dyn fmt::Display,
    ) -> Result<(), Error> {
        match policy::inexpressible(encoder, text) {
            None => Ok(()),
            Some(character) => Err(Error::Inexpressible {
                character,
                action: action.to_string(),
                charset: self.to.charset.name,
            }),
        }
    }
}

/// What is written for an offender by a policy that names no text.
fn fallback(charset: &Charset, encoder: &mut dyn Encoder) -> &'static str {
    if header::is_header(charset) {
        // It may have to stand where no word may.
        return "?";
    }
    ["\u{FFFD}", "?"]
        .into_iter()
        .find(|text| policy::inexpressible(encoder, text).is_none())
        .unwrap_or("")
}

impl Encoding {
    /// Sets the option `strict`, if there is one; says whether there is.
    pub fn make_strict(&mut self) -> bool {
        let strict = self.charset.options.iter().find(|key| key.name == "strict");
        if let Some(key) = strict {
            self.settings.set(key.name);
        }
        strict.is_some()
    }

    /// What becomes of bytes that are no character where nobody has said so.
    pub(crate) fn usual_action(&self) -> Action {
        match (header::is_header(self.charset), self.settings.flag("strict")) {
            (false, _) => Action::Stop,
            (true, false) => Action::Replace(None),
            (true, true) => Action::KeepText,
        }
    }

    /// Whether ASCII, from the start, is written as it is.
    pub(crate) fn keeps_ascii(&self) -> bool {
        let mut room = [0; 256];
        *self.written(&mut room) == *LINE.as_bytes()
    }

    /// Whether any bytes may be written between two characters: it is a superset of ASCII in which
    /// no byte changes the meaning of later ones, so that only a lead byte, or one of its own
    /// characters, can be misread together with what follows.
    pub(crate) fn passes_bytes(&self) -> bool {
        if header::is_header(self.charset) {
            return false;
        }
        let write = |text: &str| {
            let mut room = [0; 64];
            let progress = self.charset.encoder(&self.settings).encode(text, &mut room, true);
            (progress.stop == Stop::Input).then(|| room[..progress.written].to_vec())
        };
        let is_superset = write(PLAIN).as_deref() == Some(PLAIN.as_bytes());
        let mut samples = SAMPLES.chars();
        is_superset
            && samples.all(|sample| match write(&sample.to_string()) {
                // Shifts and escapes begin with a byte of ASCII.
                Some(bytes) => {
                    bytes.first().is_some_and(|byte| !byte.is_ascii())
                        && write(&format!("A{sample}A")) == Some([b"A", &bytes[..], b"A"].concat())
                }
                None => true,
            })
    }

    /// Whether plain text has the byte 00 in it, as in UTF-16.
    pub(crate) fn writes_nul(&self) -> bool {
        let mut room = [0; 256];
        self.written(&mut room).contains(&0)
    }

    /// [`LINE`] as it is written.
    fn written<'a>(&self, room: &'a mut [u8]) -> &'a [u8] {
        let progress = self.charset.encoder(&self.settings).encode(LINE, room, true);
        &room[..progress.written]
    }
}

impl FromStr for Encoding {
    type Err = Error;

    /// Reads `NAME` or `NAME:key=value,…`. A name that is a charset's as a whole wins over the
    /// colon, as in `ISO_8859-1:1987`.
    fn from_str(label: &str) -> Result<Encoding, Error> {
        if let Some(charset) = named(label)? {
            return Ok(Encoding { charset, settings: Settings::default() });
        }
        let colons = label.rmatch_indices(':').map(|(at, _)| at);
        let split = colons.map(|at| (&label[..at], &label[at + 1..]));
        for (name, options) in split {
            if let Some(charset) = named(name)? {
                let settings = Settings::parse(options, charset.options)
                    .map_err(|reason| Error::BadSetting { charset: charset.name, reason })?;
                return Ok(Encoding { charset, settings });
            }
        }
        let name = if charset::is_prefixed(label) { Some(label) } else { label.split(':').next() };
        let name = name.unwrap_or(label);
        Err(Error::UnknownCharset { name: name.to_owned(), nearest: charset::nearest(name) })
    }
}

/// The charset of this name, or what is asked for like one, if there is one.
fn named(name: &str) -> Result<Option<&'static Charset>, Error> {
    if let Some(header) = header::find(name) {
        return Ok(Some(header));
    }
    match charset::resolve(name) {
        Ok(charset) => Ok(Some(charset)),
        Err(NotFound::Unknown) => Ok(None),
        Err(NotFound::Ambiguous(candidates)) => {
            Err(Error::AmbiguousCharset { name: name.to_owned(), candidates })
        }
        Err(NotFound::Refused(reason)) => {
            Err(Error::RefusedCharset { name: name.to_owned(), reason })
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.charset.name, self.settings)
    }
}

impl FromStr for Bom {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Bom, Self::Err> {
        match word {
            "keep" => Ok(Bom::Keep),
            "strip" => Ok(Bom::Strip),
            "add" => Ok(Bom::Add),
            _ => Err("keep, strip or add expected"),
        }
    }
}

impl fmt::Display for Bom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bom::Default => "default",
            Bom::Keep => "keep",
            Bom::Strip => "strip",
            Bom::Add => "add",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_the_target_lacks_is_refused_before_anything_is_read() {
        for (to, lacks) in [("ascii", true), ("latin1", true), ("utf-7", false), ("utf-16", false)]
        {
            let mut plan = Plan::new("utf-8".parse().unwrap(), to.parse().unwrap());
            plan.bom = Bom::Add;
            let refused = plan.pump().map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(refused.is_err(), lacks, "{to} {refused:?}");
        }
    }
}
