//! What speaks against converting a file: it is no text, or it has been converted already.

use std::io::{self, Read, Write};

use super::failure::Failure;
use super::source::Source;
use crate::adapter::{Tally, Writer};
use crate::charset::name::same;
use crate::error::Error;
use crate::plan::{Encoding, Plan};

/// Target charsets in which text of another charset is hardly ever valid by chance, unless it is
/// all ASCII. UTF-16 and UTF-32 are not among them: what has been converted to these holds NUL,
/// and that is looked for anyway.
const TELLING: [&str; 6] = ["UTF-8", "CESU-8", "MUTF-8", "FSS-UTF", "UTF-7", "UTF-7-IMAP"];

/// Text that an encoding with more than ASCII shows its ways in.
const SAMPLE: &str = "é";

/// Whether a file holds NUL although text in this encoding has none.
pub(super) fn is_binary(source: &Source, encoding: &Encoding) -> io::Result<bool> {
    if encoding.writes_nul() {
        return Ok(false);
    }
    let mut content = source.content();
    let mut space = source.space();
    loop {
        match content.read(&mut space)? {
            0 => return Ok(false),
            count if memchr::memchr(0, &space[..count]).is_some() => return Ok(true),
            _ => {}
        }
    }
}

/// Whether a file is text in the encoding that it is to be converted to, and not all ASCII.
pub(super) fn is_converted(source: &Source, plan: &Plan) -> Result<bool, Failure> {
    let (from, to) = (&plan.from, &plan.to);
    if !TELLING.iter().any(|name| same(name, to.charset.name)) || reads_alike(from, to)? {
        return Ok(false);
    }
    let mut back = Plan::new(to.clone(), "UTF-8".parse()?);
    (back.fast, back.block) = (plan.fast, plan.block);
    let (mut pump, mut tally) = (back.pump()?, Tally::default());
    let mut text = BeyondAscii(false);
    let mut content = source.content();
    let mut read = || loop {
        match content.read(pump.space()).map_err(Failure::Read)? {
            0 => return Ok(pump.end_of_file(&mut text, &mut tally)?),
            count => pump.filled(count, &mut text, &mut tally)?,
        }
    };
    match read() {
        Ok(()) => Ok(text.0),
        Err(Failure::Stopped(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether text in the one encoding is, beyond ASCII, the same text in the other.
fn reads_alike(from: &Encoding, to: &Encoding) -> Result<bool, Error> {
    let utf_8: Encoding = "UTF-8".parse()?;
    let convert = |mut plan: Plan, bytes: &[u8]| {
        plan.block = bytes.len();
        let mut writer = Writer::new(Vec::new(), &plan).ok()?;
        writer.write_all(bytes).ok()?;
        writer.finish().ok()
    };
    let sample = convert(Plan::new(utf_8.clone(), to.clone()), SAMPLE.as_bytes());
    let text = sample.and_then(|bytes| convert(Plan::new(from.clone(), utf_8), &bytes));
    Ok(text.as_deref() == Some(SAMPLE.as_bytes()))
}

/// Takes text and remembers only whether any of it was beyond ASCII.
struct BeyondAscii(bool);

impl Write for BeyondAscii {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 |= !text.is_ascii();
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
