//! Checks before a conversion: is the file binary, or already converted?

use std::io::{self, Read, Write};

use super::failure::Failure;
use super::source::Source;
use crate::adapter::{Tally, Writer};
use crate::binary::{self, Reason};
use crate::charset::name::same;
use crate::error::Error;
use crate::plan::{Encoding, Plan};

/// Target encodings in which text in another encoding is hardly ever valid by chance, unless it is
/// ASCII. UTF-16 and UTF-32 are not in the list: text in these contains NUL, which shows it.
const TELLING: [&str; 6] = ["UTF-8", "CESU-8", "MUTF-8", "FSS-UTF", "UTF-7", "UTF-7-IMAP"];

/// A letter that encodings with more than ASCII write differently.
const LETTER: &str = "é";

/// A letter that supersets of ASCII write as it is.
const ASCII_LETTER: &str = "a";

/// Why a file should not be converted.
pub(super) enum Doubt {
    /// It is valid in the target encoding.
    AlreadyConverted,
    /// It is binary.
    Binary(Reason),
}

/// What shows that a file is in the target encoding, if it is valid there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Any text: the source encoding does not even write ASCII as it is.
    Text,
    /// A character beyond ASCII.
    BeyondAscii,
    /// NUL bytes, as the target encoding writes them and the source encoding does not.
    Nul,
}

/// Examines a file that is to be converted by this plan.
pub(super) fn of(source: &Source, plan: &Plan) -> Result<Option<Doubt>, Failure> {
    let binary_in =
        |encoding| binary::of(&mut source.content(), Some(encoding)).map_err(Failure::Read);
    let reason = binary_in(&plan.from)?;
    // A binary file may be valid in the target encoding, too.
    if is_valid_target(source, plan, reason)? && binary_in(&plan.to)?.is_none() {
        return Ok(Some(Doubt::AlreadyConverted));
    }
    Ok(reason.map(Doubt::Binary))
}

/// Whether a file is valid in the target encoding, and shows that it is not in that of the source.
fn is_valid_target(source: &Source, plan: &Plan, reason: Option<Reason>) -> Result<bool, Failure> {
    let Some(proof) = proof(plan, reason)? else { return Ok(false) };
    let to = &plan.to;
    let mut back = Plan::new(to.clone(), "UTF-8".parse()?);
    (back.fast, back.block) = (plan.fast, plan.block);
    let (mut pump, mut tally) = (back.pump()?, Tally::default());
    let mut text = Text { empty: true, beyond_ascii: false, nul: false };
    let mut content = source.content();
    let mut read = || loop {
        match content.read(pump.space()).map_err(Failure::Read)? {
            0 => return Ok(pump.end_of_file(&mut text, &mut tally)?),
            count => pump.filled(count, &mut text, &mut tally)?,
        }
    };
    match read() {
        Ok(()) => Ok(match proof {
            Proof::Text => !text.empty && !text.nul,
            Proof::BeyondAscii => text.beyond_ascii,
            Proof::Nul => !text.nul,
        }),
        Err(Failure::Stopped(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What would show that a file is in the target encoding. None if nothing can.
fn proof(plan: &Plan, reason: Option<Reason>) -> Result<Option<Proof>, Error> {
    let (from, to) = (&plan.from, &plan.to);
    let utf_8: Encoding = "UTF-8".parse()?;
    if to.writes_nul() {
        let only_target = !from.writes_nul() && reason == Some(Reason::Nul);
        return Ok(only_target.then_some(Proof::Nul));
    }
    let telling = TELLING.iter().any(|name| same(name, to.charset.name));
    let letter = convert(&utf_8, to, LETTER.as_bytes());
    let read = letter.and_then(|bytes| convert(from, &utf_8, &bytes));
    if !telling || read.as_deref() == Some(LETTER.as_bytes()) {
        return Ok(None);
    }
    let ascii = convert(&utf_8, from, ASCII_LETTER.as_bytes()).unwrap_or_default();
    let writes_ascii = ascii.iter().all(|byte| matches!(byte, b' '..=b'~'));
    Ok(Some(if writes_ascii { Proof::BeyondAscii } else { Proof::Text }))
}

fn convert(from: &Encoding, to: &Encoding, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plan = Plan::new(from.clone(), to.clone());
    plan.block = bytes.len();
    let mut writer = Writer::new(Vec::new(), &plan).ok()?;
    writer.write_all(bytes).ok()?;
    writer.finish().ok()
}

/// Takes text and remembers only what is in it.
#[derive(Debug)]
struct Text {
    empty: bool,
    beyond_ascii: bool,
    nul: bool,
}

impl Write for Text {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.empty &= text.is_empty();
        self.beyond_ascii |= !text.is_ascii();
        self.nul |= memchr::memchr(0, text).is_some();
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
