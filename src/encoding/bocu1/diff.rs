//! Differences in 1 to 4 bytes, in an order that is that of their values.

use crate::conversion_error::MalformedReason;

/// Bytes that may be a trail: 20 of the controls, and all from 21 on.
const TRAIL_COUNT: i32 = 243;

/// The controls that may be a trail, which have the lowest values. The others, and the space, are
/// left alone, so that a line or a field can be cut without decoding.
const CONTROL_TRAILS: [u8; 20] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
    0x1C, 0x1D, 0x1E, 0x1F,
];

/// What to add to the value of any other trail to have its byte.
const TRAIL_OFFSET: i32 = 0x21 - CONTROL_TRAILS.len() as i32;

/// Leads with the same number of trails.
struct DiffRange {
    lead_bytes: std::ops::RangeInclusive<u8>,
    trail_len: usize,
    /// The difference of the first lead with the lowest trails.
    min_diff: i32,
}

/// The least differences in one byte; each further row begins where the one before it ends.
const RANGES: [DiffRange; 7] = [
    DiffRange { lead_bytes: 0x21..=0x21, trail_len: 3, min_diff: -187_660 - TRAIL_COUNT.pow(3) },
    DiffRange { lead_bytes: 0x22..=0x24, trail_len: 2, min_diff: -187_660 },
    DiffRange { lead_bytes: 0x25..=0x4F, trail_len: 1, min_diff: -10_513 },
    DiffRange { lead_bytes: 0x50..=0xCF, trail_len: 0, min_diff: -64 },
    DiffRange { lead_bytes: 0xD0..=0xFA, trail_len: 1, min_diff: 64 },
    DiffRange { lead_bytes: 0xFB..=0xFD, trail_len: 2, min_diff: 10_513 },
    DiffRange { lead_bytes: 0xFE..=0xFE, trail_len: 3, min_diff: 187_660 },
];

/// The reach of differences in one byte.
const SINGLE_BYTE: &DiffRange = &RANGES[3];

/// The value of each byte as a trail; less than zero if it is none.
const TRAIL_VALUES: [i16; 256] = trail_values();

const fn trail_values() -> [i16; 256] {
    let mut values = [-1; 256];
    let mut value = 0;
    while value < TRAIL_COUNT {
        values[trail_byte(value) as usize] = value as i16;
        value += 1;
    }
    values
}

const fn trail_byte(value: i32) -> u8 {
    if value < CONTROL_TRAILS.len() as i32 {
        CONTROL_TRAILS[value as usize]
    } else {
        (value + TRAIL_OFFSET) as u8
    }
}

/// The difference at the start of `src`, and its bytes; none if it is cut.
///
/// # Errors
///
/// The bytes that begin no difference, and why.
pub fn decode(src: &[u8]) -> Result<Option<(i32, usize)>, (usize, MalformedReason)> {
    let Some(&lead) = src.first() else { return Ok(None) };
    if SINGLE_BYTE.lead_bytes.contains(&lead) {
        return Ok(Some((
            i32::from(lead - SINGLE_BYTE.lead_bytes.start()) + SINGLE_BYTE.min_diff,
            1,
        )));
    }
    let Some(reach) = RANGES.iter().find(|reach| reach.lead_bytes.contains(&lead)) else {
        return Err((1, MalformedReason::InvalidLeadByte));
    };
    let mut steps = i32::from(lead - reach.lead_bytes.start());
    for at in 1..=reach.trail_len {
        let Some(&byte) = src.get(at) else { return Ok(None) };
        let value = i32::from(TRAIL_VALUES[usize::from(byte)]);
        if value < 0 {
            return Err((at, MalformedReason::MissingTrailByte));
        }
        steps = steps * TRAIL_COUNT + value;
    }
    Ok(Some((reach.min_diff + steps, 1 + reach.trail_len)))
}

/// The byte of a difference that is in reach of one.
pub fn encode_single_byte(difference: i32) -> Option<u8> {
    let step = u8::try_from(difference - SINGLE_BYTE.min_diff).ok()?;
    (step <= SINGLE_BYTE.lead_bytes.end() - SINGLE_BYTE.lead_bytes.start())
        .then(|| SINGLE_BYTE.lead_bytes.start() + step)
}

/// The bytes of a difference between two code points, and how many they are.
pub fn encode(difference: i32) -> ([u8; 4], usize) {
    let reach = match RANGES.iter().rfind(|reach| reach.min_diff <= difference) {
        Some(reach) => reach,
        None => &RANGES[0],
    };
    let mut steps = difference - reach.min_diff;
    let mut bytes = [0; 4];
    for at in (1..=reach.trail_len).rev() {
        bytes[at] = trail_byte(steps % TRAIL_COUNT);
        steps /= TRAIL_COUNT;
    }
    bytes[0] = reach.lead_bytes.start() + steps as u8;
    (bytes, 1 + reach.trail_len)
}
