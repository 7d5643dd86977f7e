//! One half of a charset, with bytes on both sides, so that one driver serves all of them.

use std::fmt;

use charpipe::codec::{Decoder, Encoder, Progress, Resume, State, Stop, Surface};
use charpipe::fault::{Malformed, Unmappable, Why};

use crate::allocation;
use crate::subject::{Subject, subjects};

/// Which half of a charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Decoder,
    /// A decoder that is ready for a large input, if that makes a difference.
    Prepared,
    Encoder,
    WideDecoder,
    WideEncoder,
}

use Part::*;

pub const DECODERS: &[Part] = &[Decoder, Prepared, WideDecoder];
pub const ENCODERS: &[Part] = &[Encoder, WideEncoder];
pub const EVERY: &[Part] = &[Decoder, Prepared, WideDecoder, Encoder, WideEncoder];

/// A charset with settings, and which half of it.
#[derive(Clone)]
pub struct Stage {
    pub subject: Subject,
    pub part: Part,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.subject, self.part)
    }
}

/// Every stage of these parts.
pub fn stages(parts: &[Part]) -> Vec<Stage> {
    let of = |subject: Subject| {
        parts.iter().map(move |part| Stage { subject: subject.clone(), part: *part })
    };
    subjects().into_iter().flat_map(of).filter(|stage| stage.make().is_some()).collect()
}

impl Stage {
    /// A new codec, unless the charset with these settings has no such half.
    pub fn make(&self) -> Option<Half> {
        let Subject { charset, settings } = &self.subject;
        let wide = charset.wide.as_ref().filter(|wide| (wide.holds)(settings));
        Some(match self.part {
            Decoder => Half::Decoder(charset.decoder(settings)),
            Prepared => Half::Decoder(prepared(charset.decoder(settings))?),
            Encoder => Half::Encoder(charset.encoder(settings)),
            WideDecoder => Half::Surface((wide?.decoder)(settings)),
            WideEncoder => Half::Surface((wide?.encoder)(settings)),
        })
    }

    /// The same charset with the same settings, another half.
    pub fn beside(&self, part: Part) -> Stage {
        Stage { part, ..self.clone() }
    }
}

/// A decoder made ready, unless it is ready as it is: what makes it so asks for memory.
fn prepared(mut decoder: Box<dyn Decoder>) -> Option<Box<dyn Decoder>> {
    let asked = allocation::count();
    decoder.prepare();
    (allocation::count() > asked).then_some(decoder)
}

/// A codec of any kind.
pub enum Half {
    Decoder(Box<dyn Decoder>),
    Encoder(Box<dyn Encoder>),
    Surface(Box<dyn Surface>),
}

/// A fault of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offence {
    pub len: usize,
    pub why: Reason,
    pub next: usize,
    pub then: State,
}

/// What an [`Offence`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Malformed(Why),
    Unmappable(char),
}

impl Half {
    /// One call. The source of an encoder must be whole characters.
    pub fn call(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Offence> {
        match self {
            Half::Decoder(decoder) => named(decoder.decode(src, dst, end), malformed),
            Half::Surface(surface) => named(surface.convert(src, dst, end), malformed),
            Half::Encoder(encoder) => {
                let text = std::str::from_utf8(src).expect("only whole characters are read");
                let progress = encoder.encode(text, dst, end);
                let then = encoder.state();
                named(progress, |unmappable| passed_over(unmappable, then))
            }
        }
    }

    fn memory(&self) -> &dyn Resume {
        match self {
            Half::Decoder(decoder) => &**decoder,
            Half::Encoder(encoder) => &**encoder,
            Half::Surface(surface) => &**surface,
        }
    }

    pub fn state(&self) -> State {
        self.memory().state()
    }

    pub fn window(&self) -> usize {
        self.memory().window()
    }

    pub fn resume(&mut self, at: State) {
        match self {
            Half::Decoder(decoder) => decoder.resume(at),
            Half::Encoder(encoder) => encoder.resume(at),
            Half::Surface(surface) => surface.resume(at),
        }
    }
}

fn named<F>(progress: Progress<F>, name: impl Fn(F) -> Offence) -> Progress<Offence> {
    let stop = match progress.stop {
        Stop::Input => Stop::Input,
        Stop::Output => Stop::Output,
        Stop::Fault(fault) => Stop::Fault(name(fault)),
    };
    Progress { read: progress.read, written: progress.written, stop }
}

fn malformed(fault: Malformed) -> Offence {
    let Malformed { len, why, next, then } = fault;
    Offence { len, why: Reason::Malformed(why), next, then }
}

/// An encoder goes on behind the character, in the state that it is in.
fn passed_over(fault: Unmappable, then: State) -> Offence {
    let len = fault.character.len_utf8();
    Offence { len, why: Reason::Unmappable(fault.character), next: len, then }
}
