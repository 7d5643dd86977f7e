//! Differences in 1 to 4 octets, in an order that is that of their values.

use crate::fault::Why;

/// Octets that may be a trail: 20 of the controls, and all from 21 on.
const TRAILS: i32 = 243;

/// The controls that may be a trail, which have the lowest values. The others, and the space, are
/// left alone, so that a line or a field can be cut without decoding.
const CONTROLS: [u8; 20] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
    0x1C, 0x1D, 0x1E, 0x1F,
];

/// What to add to the value of any other trail to have its octet.
const ABOVE_CONTROLS: i32 = 0x21 - CONTROLS.len() as i32;

/// Leads with the same number of trails.
struct Reach {
    leads: std::ops::RangeInclusive<u8>,
    trails: usize,
    /// The difference of the first lead with the lowest trails.
    least: i32,
}

/// The least differences in one octet; each further row begins where the one before it ends.
const REACHES: [Reach; 7] = [
    Reach { leads: 0x21..=0x21, trails: 3, least: -187_660 - TRAILS.pow(3) },
    Reach { leads: 0x22..=0x24, trails: 2, least: -187_660 },
    Reach { leads: 0x25..=0x4F, trails: 1, least: -10_513 },
    Reach { leads: 0x50..=0xCF, trails: 0, least: -64 },
    Reach { leads: 0xD0..=0xFA, trails: 1, least: 64 },
    Reach { leads: 0xFB..=0xFD, trails: 2, least: 10_513 },
    Reach { leads: 0xFE..=0xFE, trails: 3, least: 187_660 },
];

/// The reach of differences in one octet.
const NEAR: &Reach = &REACHES[3];

/// The value of each octet as a trail; less than nought if it is none.
const VALUES: [i16; 256] = values();

const fn values() -> [i16; 256] {
    let mut values = [-1; 256];
    let mut value = 0;
    while value < TRAILS {
        values[trail(value) as usize] = value as i16;
        value += 1;
    }
    values
}

const fn trail(value: i32) -> u8 {
    if value < CONTROLS.len() as i32 {
        CONTROLS[value as usize]
    } else {
        (value + ABOVE_CONTROLS) as u8
    }
}

/// The difference at the front of `src`, and its octets; none if it is cut.
///
/// # Errors
///
/// The octets that begin no difference, and why.
pub fn read(src: &[u8]) -> Result<Option<(i32, usize)>, (usize, Why)> {
    let Some(&lead) = src.first() else { return Ok(None) };
    if NEAR.leads.contains(&lead) {
        return Ok(Some((i32::from(lead - NEAR.leads.start()) + NEAR.least, 1)));
    }
    let Some(reach) = REACHES.iter().find(|reach| reach.leads.contains(&lead)) else {
        return Err((1, Why::Stray));
    };
    let mut steps = i32::from(lead - reach.leads.start());
    for at in 1..=reach.trails {
        let Some(&octet) = src.get(at) else { return Ok(None) };
        let value = i32::from(VALUES[usize::from(octet)]);
        if value < 0 {
            return Err((at, Why::Continuation));
        }
        steps = steps * TRAILS + value;
    }
    Ok(Some((reach.least + steps, 1 + reach.trails)))
}

/// The octet of a difference that is in reach of one.
pub fn single(difference: i32) -> Option<u8> {
    let step = u8::try_from(difference - NEAR.least).ok()?;
    (step <= NEAR.leads.end() - NEAR.leads.start()).then(|| NEAR.leads.start() + step)
}

/// The octets of a difference between two code points, and how many they are.
pub fn form(difference: i32) -> ([u8; 4], usize) {
    let reach = match REACHES.iter().rfind(|reach| reach.least <= difference) {
        Some(reach) => reach,
        None => &REACHES[0],
    };
    let mut steps = difference - reach.least;
    let mut octets = [0; 4];
    for at in (1..=reach.trails).rev() {
        octets[at] = trail(steps % TRAILS);
        steps /= TRAILS;
    }
    octets[0] = reach.leads.start() + steps as u8;
    (octets, 1 + reach.trails)
}
