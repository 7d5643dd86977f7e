//! What the tests of these charsets share: a caller that feeds a codec in pieces and keeps the
//! contract in view.

mod chunks;
mod pairs;
mod samples;

use crate::charset::{Charset, Settings, find};
use crate::codec::{Decoder, Encoder, Progress, Resume, Stop, Surface};
use crate::fault::{Malformed, Why};

/// Offset, length and reason of each fault of an input.
pub(in crate::charset) type Reasons = &'static [(usize, usize, Why)];

/// All that a codec made of its input; faults are stepped over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::charset) struct Seen {
    /// What was written.
    pub out: Vec<u8>,
    /// Octets written before the fault, its offset in the input, its length and its reason.
    pub faults: Vec<(usize, usize, usize, Why)>,
}

impl Seen {
    /// Offset, length and reason of each fault.
    pub fn reasons(&self) -> Vec<(usize, usize, Why)> {
        self.faults.iter().map(|&(_, offset, len, why)| (offset, len, why)).collect()
    }

    /// The output with U+FFFD in the place of each fault.
    pub fn replaced(&self) -> String {
        let mut text = String::from_utf8(self.out.clone()).unwrap();
        for &(at, ..) in self.faults.iter().rev() {
            text.insert(at, '\u{FFFD}');
        }
        text
    }
}

/// A decoder, an encoder, or a half of the 31-bit path: all octets to octets for these tests.
pub(super) enum Stage {
    ToText(Box<dyn Decoder>),
    FromText(Box<dyn Encoder>),
    ThirtyOneBits(Box<dyn Surface>),
}

impl Stage {
    fn resume(&mut self) -> &mut dyn Resume {
        match self {
            Stage::ToText(decoder) => &mut **decoder,
            Stage::FromText(encoder) => &mut **encoder,
            Stage::ThirtyOneBits(half) => &mut **half,
        }
    }

    fn step(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        match self {
            Stage::ToText(decoder) => {
                let progress = decoder.decode(src, dst, end);
                assert!(std::str::from_utf8(&dst[..progress.written]).is_ok(), "whole characters");
                progress
            }
            Stage::FromText(encoder) => {
                let whole = std::str::from_utf8(src).map_or_else(|e| e.valid_up_to(), str::len);
                let text = std::str::from_utf8(&src[..whole]).unwrap();
                let Progress { read, written, stop } = encoder.encode(text, dst, end);
                match stop {
                    Stop::Input => Progress::input(read, written),
                    Stop::Output => Progress::output(read, written),
                    Stop::Fault(fault) => panic!("{fault:?}: every character has a code"),
                }
            }
            Stage::ThirtyOneBits(half) => half.convert(src, dst, end),
        }
    }
}

/// Runs a stage over the pieces of an input with so much room a call.
pub(super) fn pour(mut stage: Stage, pieces: &[&[u8]], room: usize) -> Seen {
    let window = stage.resume().window();
    assert!(window <= 64);
    let (mut seen, mut held, mut offset) = (Seen::default(), Vec::new(), 0);
    for (index, piece) in pieces.iter().enumerate() {
        let end = index + 1 == pieces.len();
        held.extend_from_slice(piece);
        let mut lent = room;
        loop {
            let mut dst = vec![0xAA; lent];
            let before = stage.resume().state();
            let Progress { read, written, stop } = stage.step(&held, &mut dst, end);
            assert!(dst[written..].iter().all(|octet| *octet == 0xAA), "nothing beyond written");
            seen.out.extend_from_slice(&dst[..written]);
            held.drain(..read);
            offset += read;
            match stop {
                Stop::Input => break,
                Stop::Output if read + written > 0 => lent = room,
                Stop::Output => {
                    assert!(lent < window, "no progress with {lent} octets of room");
                    assert_eq!(stage.resume().state(), before);
                    lent = window;
                }
                Stop::Fault(Malformed { len, why, next, then }) => {
                    assert!(1 <= next && next <= len && len <= held.len());
                    seen.faults.push((seen.out.len(), offset, len, why));
                    stage.resume().resume(then);
                    held.drain(..next);
                    offset += next;
                }
            }
        }
        assert!(held.len() <= if end { 0 } else { window }, "{} octets left", held.len());
    }
    seen
}

/// The charset and its options, as in `utf-5:eol=keep`.
pub(super) fn open(label: &str) -> (&'static Charset, Settings) {
    let (name, options) = label.split_once(':').unwrap_or((label, ""));
    let charset = find(name).unwrap();
    (charset, Settings::parse(options, charset.options).unwrap())
}

/// Decodes to text.
pub(in crate::charset) fn decode(label: &str, bytes: &[u8]) -> Seen {
    let (charset, settings) = open(label);
    pour(Stage::ToText((charset.decoder)(&settings)), &[bytes], 1 << 16)
}

/// Encodes text.
pub(in crate::charset) fn encode(label: &str, text: &str) -> Vec<u8> {
    let (charset, settings) = open(label);
    pour(Stage::FromText((charset.encoder)(&settings)), &[text.as_bytes()], 1 << 16).out
}

/// Decodes to 1 to 6 octets.
pub(in crate::charset) fn widen(label: &str, bytes: &[u8]) -> Seen {
    let (charset, settings) = open(label);
    let wide = charset.wide.as_ref().unwrap();
    pour(Stage::ThirtyOneBits((wide.decoder)(&settings)), &[bytes], 1 << 16)
}

/// Encodes 1 to 6 octets.
pub(in crate::charset) fn narrow(label: &str, octets: &[u8]) -> Seen {
    let (charset, settings) = open(label);
    let wide = charset.wide.as_ref().unwrap();
    pour(Stage::ThirtyOneBits((wide.encoder)(&settings)), &[octets], 1 << 16)
}
