//! Charsets of one octet a character, by table: octets to text.

pub mod answers;

/// Octets that are looked at together.
pub const STEP: usize = 16;

/// Octets that are looked up together.
const HALF: usize = STEP / 2;

/// Bytes that a step may take: the longest forms, and what the last store writes too much.
const ROOM: usize = 3 * STEP + 1;

/// Up to three bytes, the first one lowest, and in the highest byte how many they are.
pub type Form = u32;

/// For each octet the UTF-8 form of its character; nought where there is no such character.
pub type Forms = [Form; 0x100];

/// The UTF-8 form of a character up to U+FFFF, and its length in the highest byte.
pub fn form_of(character: char) -> Form {
    let mut form = [0; 4];
    let len = character.encode_utf8(&mut form).len();
    u32::from_le_bytes(form) | (len as u32) << 24
}

/// Decodes octets at the front of `src` while `dst` has room to spare and each is a character.
/// Says how many it has read and written. `ascii`: octets below 80 are ASCII.
pub fn decode(src: &[u8], dst: &mut [u8], forms: &Forms, ascii: bool) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    for step in src.as_chunks::<STEP>().0 {
        let Some(room) = dst[written..].first_chunk_mut::<ROOM>() else { break };
        if ascii && step.is_ascii() {
            room[..STEP].copy_from_slice(step);
            written += STEP;
        } else {
            let [one, other] = step.as_chunks::<HALF>().0 else { break };
            let Some(first) = put(one, room, forms) else { break };
            let Some(second) = put(other, &mut room[first..], forms) else { break };
            written += first + second;
        }
        read += STEP;
    }
    (read, written)
}

/// Writes the forms of these octets side by side; how many bytes, if each octet is a character.
///
/// All are looked up before the first is written: a third faster than one after the other.
#[inline(always)]
fn put(octets: &[u8; HALF], room: &mut [u8], forms: &Forms) -> Option<usize> {
    let room = room.first_chunk_mut::<{ 3 * HALF + 1 }>()?;
    let forms: [u32; HALF] = std::array::from_fn(|lane| forms[usize::from(octets[lane])]);
    if !forms.iter().fold(true, |all, form| all & (*form != 0)) {
        return None;
    }
    let mut at = 0;
    for form in forms {
        if let Some(place) = room[at..].first_chunk_mut() {
            *place = form.to_le_bytes();
        }
        at += (form >> 24) as usize;
    }
    Some(at)
}

/// Writes a form if there is room for it; says how many bytes it is long.
#[inline(always)]
pub fn write(form: Form, room: &mut [u8]) -> Option<usize> {
    let len = (form >> 24) as usize;
    if let Some(room) = room.first_chunk_mut() {
        *room = form.to_le_bytes();
    } else {
        room.get_mut(..len)?.copy_from_slice(&form.to_le_bytes()[..len]);
    }
    Some(len)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Octets below 80 are ASCII, then come characters of two bytes and of three, but for every
    /// seventh octet, which is none.
    pub fn character(octet: u8) -> Option<char> {
        match octet {
            0..0x80 => Some(char::from(octet)),
            _ if octet.is_multiple_of(7) => None,
            0x80..0xC0 => char::from_u32(0x400 + u32::from(octet)),
            _ => char::from_u32(0x2500 + u32::from(octet)),
        }
    }

    fn forms() -> Forms {
        let mut forms = [0; 0x100];
        for (octet, form) in (0..=0xFF).zip(&mut forms) {
            let text = character(octet).map(String::from).unwrap_or_default();
            let bytes = text.bytes().enumerate().map(|(at, byte)| u32::from(byte) << (8 * at));
            *form = bytes.sum::<u32>() | (text.len() as u32) << 24;
        }
        forms
    }

    /// Octets of each sort in runs of each length.
    pub fn octets() -> Vec<u8> {
        let runs = (1..40).flat_map(|len| {
            [b'a', 0x85, 0xC5].into_iter().flat_map(move |first| (0..len % 19).map(move |_| first))
        });
        runs.chain(0..=0xFF).collect()
    }

    #[test]
    fn decoding_agrees_with_the_plain_loop_as_far_as_it_goes() {
        let (octets, forms) = (octets(), forms());
        for start in 0..octets.len() {
            for room in [0, 16, 48, 49, 100, 10_000] {
                for ascii in [false, true] {
                    let src = &octets[start..];
                    let mut dst = vec![0x55; room];
                    let (read, written) = decode(src, &mut dst, &forms, ascii);
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
}
