//! Takes a codec through an input for the tests of the charsets, in one piece or every way: in
//! each split into two, octet by octet, and in each room from the window to 64 octets.
//!
//! Each call is made by a fresh codec that is put into the noted state, so that nothing can be
//! remembered elsewhere.

use super::{Settings, Wide};
use crate::codec::{Decoder, Encoder, Progress, Resume, State, Stop, Surface};
use crate::fault::{Malformed, Unmappable, Why};
use crate::plan::Encoding;

/// Offset, length and reason.
pub type Fault = (usize, usize, Why);

/// Text with U+FFFD for each fault, or octets with nothing for it; the faults.
pub type Decoded<T = String> = (T, Vec<Fault>);

/// Octets, and the characters that have none, with their offsets in the text.
pub type Encoded = (Vec<u8>, Vec<(usize, char)>);

pub fn decode(label: &str, src: &[u8]) -> Decoded {
    text(decoder(label).once(src))
}

pub fn decode_every_way(label: &str, src: &[u8]) -> Decoded {
    text(decoder(label).every_way(src, &Vec::from_iter(0..=src.len())))
}

pub fn encode(label: &str, text: &str) -> Encoded {
    encoder(label).once(text.as_bytes())
}

pub fn encode_every_way(label: &str, text: &str) -> Encoded {
    let cuts = (0..=text.len()).filter(|cut| text.is_char_boundary(*cut));
    encoder(label).every_way(text.as_bytes(), &Vec::from_iter(cuts))
}

/// From the charset to 1 to 6 octets a character.
pub fn widen(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    surface(label, |wide| wide.decoder).once(src)
}

pub fn widen_every_way(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    surface(label, |wide| wide.decoder).every_way(src, &Vec::from_iter(0..=src.len()))
}

/// From 1 to 6 octets a character to the charset.
pub fn narrow(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    surface(label, |wide| wide.encoder).once(src)
}

pub fn narrow_every_way(label: &str, src: &[u8]) -> Decoded<Vec<u8>> {
    surface(label, |wide| wide.encoder).every_way(src, &Vec::from_iter(0..=src.len()))
}

fn text((octets, faults): Decoded<Vec<u8>>) -> Decoded {
    (String::from_utf8(octets).unwrap(), faults)
}

type Make<C> = Box<dyn Fn(&Settings) -> Box<C>>;

/// What makes one half of the 31-bit path.
type Half = fn(&Settings) -> Box<dyn Surface>;

/// A kind of codec: how one is made and called, and what is told and written for a fault.
struct Walk<C: ?Sized, F, T = Fault> {
    encoding: Encoding,
    make: Make<C>,
    call: fn(&mut C, &[u8], &mut [u8], bool) -> Progress<F>,
    /// Also says how far to go on, and in which state.
    tell: fn(usize, F, State) -> (T, usize, State),
    mark: &'static str,
}

fn malformed(at: usize, fault: Malformed, _: State) -> (Fault, usize, State) {
    ((at, fault.len, fault.why), fault.next, fault.then)
}

fn decoder(label: &str) -> Walk<dyn Decoder, Malformed> {
    let encoding: Encoding = label.parse().unwrap();
    let charset = encoding.charset;
    Walk {
        make: Box::new(|settings| charset.decoder(settings)),
        call: |codec, src, dst, end| {
            let progress = codec.decode(src, dst, end);
            assert!(std::str::from_utf8(&dst[..progress.written]).is_ok(), "whole characters");
            progress
        },
        tell: malformed,
        mark: "\u{FFFD}",
        encoding,
    }
}

fn encoder(label: &str) -> Walk<dyn Encoder, Unmappable, (usize, char)> {
    let encoding: Encoding = label.parse().unwrap();
    let charset = encoding.charset;
    Walk {
        make: Box::new(|settings| charset.encoder(settings)),
        call: |codec, src, dst, end| codec.encode(std::str::from_utf8(src).unwrap(), dst, end),
        tell: |at, fault, then| ((at, fault.character), fault.character.len_utf8(), then),
        mark: "",
        encoding,
    }
}

fn surface(label: &str, half: fn(&Wide) -> Half) -> Walk<dyn Surface, Malformed> {
    let encoding: Encoding = label.parse().unwrap();
    Walk {
        make: Box::new(half(encoding.charset.wide.as_ref().unwrap())),
        call: |codec, src, dst, end| codec.convert(src, dst, end),
        tell: malformed,
        mark: "",
        encoding,
    }
}

impl<C: Resume + ?Sized, F, T: PartialEq + std::fmt::Debug> Walk<C, F, T> {
    fn once(&self, src: &[u8]) -> (Vec<u8>, Vec<T>) {
        self.walk(src, &[], 6 * src.len() + 64)
    }

    fn every_way(&self, src: &[u8], cuts: &[usize]) -> (Vec<u8>, Vec<T>) {
        let whole = self.once(src);
        let window = (self.make)(&self.encoding.settings).window();
        let halves = cuts.iter().map(|cut| (std::slice::from_ref(cut), 64));
        let rooms = (window..=64).flat_map(|room| [(&[][..], room), (cuts, room)]);
        for (cuts, room) in halves.chain(rooms) {
            let walked = self.walk(src, cuts, room);
            assert_eq!(walked, whole, "{} {src:02X?} {cuts:?} {room}", self.encoding);
        }
        whole
    }

    /// Shows the source up to each of the cuts, then all of it, with so much room a call.
    fn walk(&self, src: &[u8], cuts: &[usize], room: usize) -> (Vec<u8>, Vec<T>) {
        let (mut out, mut faults) = (Vec::new(), Vec::new());
        let mut dst = vec![0; room];
        let (mut state, mut at) = (State::START, 0);
        for &cut in cuts.iter().chain([&src.len()]) {
            let end = cut == src.len();
            loop {
                let mut codec = (self.make)(&self.encoding.settings);
                codec.resume(state);
                let Progress { read, written, stop } =
                    (self.call)(&mut codec, &src[at..cut], &mut dst, end);
                state = codec.state();
                at += read;
                out.extend_from_slice(&dst[..written]);
                match stop {
                    Stop::Input => break assert!(cut - at <= if end { 0 } else { codec.window() }),
                    Stop::Output => assert!(read + written > 0, "no progress"),
                    Stop::Fault(fault) => {
                        let (told, next, then) = (self.tell)(at, fault, state);
                        faults.push(told);
                        out.extend_from_slice(self.mark.as_bytes());
                        (at, state) = (at + next, then);
                    }
                }
            }
        }
        (out, faults)
    }
}
