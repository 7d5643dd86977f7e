//! The stretches against a loop of one code after another.

use super::*;
use crate::kernel::simd::Level;

/// Singles are ASCII or turned, pairs are characters of all lengths but for some.
fn character(shape: Shape, code: &[u8]) -> Option<char> {
    match (shape, code) {
        (Shape::Ascii, [one]) => Some(char::from(*one)),
        (Shape::Mixed, [one]) => char::from_u32(0x3A0 + u32::from(*one)).filter(|_| *one != 0x5C),
        (_, [lead, trail]) if trail % 32 == 31 || *lead == 0xFF => None,
        (_, [lead, trail]) => {
            char::from_u32(u32::from(*lead) << (trail % 3 + 4) | u32::from(*trail))
        }
        _ => None,
    }
}

fn doubles(shape: Shape) -> Doubles {
    let mut forms = vec![0; 0x1_0000];
    for (unit, form) in forms.iter_mut().enumerate() {
        let [lead, trail] = (unit as u16).to_le_bytes();
        let code = match (shape, lead, trail) {
            (Shape::Double, ..) | (_, 0x80.., _) => &[lead, trail][..],
            (_, _, 0) => &[lead][..],
            _ => &[],
        };
        *form = character(shape, code).map_or(0, crate::kernel::octet::form_of);
    }
    Doubles { forms: forms.into_boxed_slice().try_into().unwrap(), shape }
}

/// The text of the bytes, code by code, and where it ends.
fn plain(shape: Shape, bytes: &[u8]) -> (usize, String) {
    let (mut read, mut text) = (0, String::new());
    while let Some(first) = bytes.get(read) {
        let len = if shape == Shape::Double || *first >= 0x80 { 2 } else { 1 };
        let code = bytes.get(read..read + len).and_then(|code| character(shape, code));
        let Some(character) = code else { break };
        text.push(character);
        read += len;
    }
    (read, text)
}

/// Bytes that are codes, in runs of one byte and of two.
fn bytes(shape: Shape, seed: usize) -> Vec<u8> {
    let mut bytes = vec![b' '; 2 * (seed % 40)];
    for turn in 0..150 {
        let mixed = (turn + seed).wrapping_mul(0x9E37_79B9) >> 7;
        let [lead, trail, ..] = mixed.to_le_bytes();
        let run = mixed >> 16 & 3;
        let single = lead & 0x7F;
        if shape != Shape::Double && character(shape, &[single]).is_some() {
            bytes.extend(std::iter::repeat_n(single, run));
        }
        let lead = if shape == Shape::Double { lead & 0x7F } else { lead | 0x80 };
        if character(shape, &[lead, trail]).is_some() {
            bytes.extend([lead, trail].repeat(run));
        }
    }
    bytes
}

#[test]
fn decoding_agrees_with_the_plain_loop() {
    for shape in [Shape::Ascii, Shape::Mixed, Shape::Double] {
        let doubles = doubles(shape);
        for seed in 0..200 {
            let mut src = bytes(shape, seed);
            if seed % 3 > 0 {
                let at = (seed * 5 % src.len()) & !1;
                src.splice(at..at, [0xFF, 0x1F]);
            }
            let (most, text) = plain(shape, &src);
            for (level, dst) in Level::all()
                .flat_map(|level| [0, room(1) - 1, room(1), 500, 9000].map(|room| (level, room)))
            {
                let mut dst = vec![0x55; dst];
                let whole = dst.len() == 9000;
                let doubles = &doubles;
                let (read, written) = match shape {
                    Shape::Double => doubles.decode(&src, &mut dst),
                    _ => level.run(Decode { doubles, src: &src, dst: &mut dst }),
                };
                let (same, front) = plain(shape, &src[..read]);
                assert_eq!((same, &dst[..written]), (read, front.as_bytes()), "{shape:?} {seed}");
                assert!(text.starts_with(&front));
                assert!(!whole || most == read || src.len() - read < NEAR, "{shape:?} {seed}");
            }
        }
    }
}
