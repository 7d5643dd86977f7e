//! Charsets of one octet a character, by table: octets to text.

pub mod answers;
pub mod codes;
pub mod doubles;
mod lookup;
mod pairs;
pub mod units;

use super::simd::{self, Loop, Simd, WIDTH};
use lookup::{Half, look_up};
use pairs::Pairs;

/// Octets that are looked at together.
pub const STEP: usize = WIDTH;

/// Steps between two looks for a run of ASCII.
const STEPS: usize = 4;

/// Octets that are looked up together.
const HALF: usize = STEP / 2;

/// Bytes that a step may take: the longest forms, and what the last store writes too much.
const ROOM: usize = 3 * STEP + 1;

/// Up to three bytes, the first one lowest, and in the highest two bits how many they are. Nought is
/// no form.
pub type Form = u32;

/// A bit that every form has.
const FORM: Form = 1 << 29;

/// For each octet the UTF-8 form of its character; nought where there is no such character.
pub type Forms = [Form; 0x100];

/// A form of these bytes, at most three.
pub fn form(bytes: &[u8]) -> Form {
    let all = bytes.iter().rev().fold(0, |all, byte| all << 8 | Form::from(*byte));
    all | (bytes.len() as Form) << 30 | FORM
}

/// The UTF-8 form of a character up to U+FFFF.
pub fn form_of(character: char) -> Form {
    form(character.encode_utf8(&mut [0; 4]).as_bytes())
}

/// Bytes of a form.
#[inline(always)]
pub fn length(form: Form) -> usize {
    (form >> 30) as usize
}

/// What a charset decodes to.
#[derive(Debug)]
pub struct Table {
    forms: Box<Forms>,
    pairs: Option<Pairs>,
    /// Whether octets below 80 are ASCII.
    ascii: bool,
}

impl Table {
    /// A table of these forms.
    pub fn new(forms: Box<Forms>) -> Table {
        let itself = |(octet, form): (u8, &Form)| *form == form_of(char::from(octet));
        let ascii = (0..0x80).zip(forms.iter()).all(itself);
        let pairs = Pairs::new(&forms, ascii);
        Table { forms, pairs, ascii }
    }

    /// The form of an octet's character; nought where there is none.
    #[inline(always)]
    pub fn form(&self, octet: u8) -> Form {
        self.forms[usize::from(octet)]
    }

    /// Decodes octets at the front of `src` while `dst` has room to spare and each is a character.
    /// Says how many it has read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        simd::run(Decode { table: self, src, dst })
    }
}

struct Decode<'a> {
    table: &'a Table,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Decode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Decode { table, src, dst } = self;
        let (mut read, mut written) = (0, 0);
        loop {
            if table.ascii {
                let run = ascii_runs(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            for _ in 0..STEPS {
                let (Some(octets), Some(room)) =
                    (src[read..].first_chunk(), dst[written..].first_chunk_mut())
                else {
                    return (read, written);
                };
                let Some(put) = step(simd, table, octets, room) else { return (read, written) };
                read += STEP;
                written += put;
            }
        }
    }
}

/// Copies ASCII, four vectors at once, or what the table has for it; how many octets.
#[inline(always)]
fn ascii_runs<S: Simd>(simd: S, src: &[u8], dst: &mut [u8], table: Option<&Half>) -> usize {
    let groups = src.as_chunks().0.as_chunks::<STEPS>().0;
    let rooms = dst.as_chunks_mut().0.as_chunks_mut::<STEPS>().0;
    let mut done = 0;
    for ([a, b, c, d], to) in groups.iter().zip(rooms) {
        let vectors = [simd.load(a), simd.load(b), simd.load(c), simd.load(d)];
        let [a, b, c, d] = vectors;
        if simd.mask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
            break;
        }
        for (octets, to) in vectors.into_iter().zip(to) {
            let octets =
                if let Some(table) = table { look_up(simd, table, octets) } else { octets };
            simd.store(octets, to);
        }
        done += STEPS * WIDTH;
    }
    done
}

/// Writes the characters of these octets; how many bytes, if each octet is one.
#[inline(always)]
fn step<S: Simd>(
    simd: S,
    table: &Table,
    octets: &[u8; STEP],
    room: &mut [u8; ROOM],
) -> Option<usize> {
    if let (Some(pairs), Some(room)) = (&table.pairs, room.first_chunk_mut())
        && let Some(put) = pairs.put(simd, simd.load(octets), room)
    {
        return Some(put);
    }
    let [one, other] = octets.as_chunks::<HALF>().0 else { return None };
    let first = put(one.map(|octet| table.form(octet)), room)?;
    let second = put(other.map(|octet| table.form(octet)), &mut room[first..])?;
    Some(first + second)
}

/// Writes these forms side by side; how many bytes, if each is one of a character.
///
/// All are looked up before the first is written: a third faster than one after the other.
#[inline(always)]
fn put(forms: [Form; HALF], room: &mut [u8]) -> Option<usize> {
    let room = room.first_chunk_mut::<{ 3 * HALF + 1 }>()?;
    if forms.iter().fold(FORM, |all, form| all & form) == 0 {
        return None;
    }
    let mut at = 0;
    for form in forms {
        if let Some(place) = room[at..].first_chunk_mut() {
            *place = form.to_le_bytes();
        }
        at += length(form);
    }
    Some(at)
}

/// Writes a form if there is room for it; says how many bytes it is long.
#[inline(always)]
pub fn write(form: Form, room: &mut [u8]) -> Option<usize> {
    let len = length(form);
    if let Some(room) = room.first_chunk_mut() {
        *room = form.to_le_bytes();
    } else {
        room.get_mut(..len)?.copy_from_slice(&form.to_le_bytes()[..len]);
    }
    Some(len)
}

#[cfg(test)]
pub(super) mod tests {
    use super::simd::Level;
    use super::*;

    /// Octets below 80 are ASCII, then come characters of two bytes and of three, but for every
    /// seventh octet, which is none.
    pub fn character(octet: u8) -> Option<char> {
        match octet {
            0..0x80 => Some(char::from(octet)),
            _ if octet.is_multiple_of(7) => None,
            0x80..0xF0 => char::from_u32(0x400 + 5 * u32::from(octet)),
            _ => char::from_u32(0x2500 + u32::from(octet)),
        }
    }

    /// What the octets of charsets of different kinds mean.
    pub const CHARSETS: [fn(u8) -> Option<char>; 4] = [
        character,
        |octet| {
            if octet < 0x80 { Some(octet.into()) } else { char::from_u32(0xE00 + u32::from(octet)) }
        },
        |octet| Some(char::from(octet ^ 0x65)),
        |octet| character(octet ^ 0x65),
    ];

    fn table(character: fn(u8) -> Option<char>) -> Table {
        let mut forms = Box::new([0; 0x100]);
        for (octet, form) in (0..=0xFF).zip(forms.iter_mut()) {
            let text = character(octet).map(String::from).unwrap_or_default();
            let bytes = text.bytes().enumerate().map(|(at, byte)| u32::from(byte) << (8 * at));
            let length = (text.len() as u32) << 30;
            *form = if text.is_empty() { 0 } else { bytes.sum::<u32>() | length | 1 << 29 };
        }
        Table::new(forms)
    }

    /// Octets of each sort in runs of each length.
    pub fn octets() -> Vec<u8> {
        let runs = (1..40).flat_map(|len| {
            let sorts = [b'a', 0x85, 0xF5, b'a' ^ 0x65].into_iter();
            sorts.flat_map(move |first| (0..len % 19).map(move |_| first))
        });
        runs.chain(0..=0xFF).chain([b'x'; 200]).chain([b'x' ^ 0x65; 100]).collect()
    }

    #[test]
    fn each_kind_of_charset_has_the_tables_that_suit_it() {
        let [high, long, latin, turned] = CHARSETS.map(|character| table(character).pairs);
        assert!(matches!(high, Some(Pairs::High(_))) && long.is_none());
        assert!(matches!(latin, Some(Pairs::Latin(_))));
        assert!(matches!(turned, Some(Pairs::Ascii(_))));
    }

    #[test]
    fn decoding_agrees_with_the_plain_loop_as_far_as_it_goes() {
        let octets = octets();
        for character in CHARSETS {
            let table = table(character);
            for start in (0..250).chain((250..octets.len()).step_by(7)) {
                for (level, room) in Level::all()
                    .flat_map(|level| [0, 16, 48, 49, 100, 10_000].map(|room| (level, room)))
                {
                    let src = &octets[start..];
                    let mut dst = vec![0x55; room];
                    let (read, written) = level.run(Decode { table: &table, src, dst: &mut dst });
                    let plain: Option<String> =
                        src[..read].iter().copied().map(character).collect();
                    let plain = plain.expect("only characters are read");
                    assert_eq!(str::from_utf8(&dst[..written]), Ok(&plain[..]), "{start} {room}");
                    let odd =
                        src[read..].iter().take(STEP).any(|octet| character(*octet).is_none());
                    let full = room - written < ROOM;
                    assert!(odd || full || src.len() - read < STEP, "{start} {room} stops early");
                }
            }
        }
    }

    #[test]
    fn a_form_is_written_where_it_fits() {
        for character in ['a', '\u{E9}', '\u{20AC}'] {
            let text = character.to_string();
            for room in 0..6 {
                let mut dst = vec![0x55; room];
                let fits = room >= text.len();
                assert_eq!(write(form_of(character), &mut dst), fits.then_some(text.len()));
                assert!(!fits || dst.starts_with(text.as_bytes()));
            }
        }
    }
}
