//! The ways in which an input is handed over.

use crate::half::Half;
use crate::walk::{Plan, Rooms};

/// Inputs up to so many bytes, and those from so many on, are given every room to 64 bytes; there
/// are too many of those between.
const SHORT: usize = 1;
const LONG: usize = 100;

/// Where this input may be cut: anywhere, but an encoder's only between characters.
pub fn places(half: &Half, input: &[u8]) -> Vec<usize> {
    let inside = |at: usize| input.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let text = matches!(half, Half::Encoder(_));
    (0..=input.len()).filter(|at| !(text && inside(*at))).collect()
}

/// Every split into two; the split into single bytes, also with empty pieces between and with
/// little room. A cut behind the last byte has the end come late.
pub fn splits(half: &Half, input: &[u8]) -> Vec<Plan> {
    let places = places(half, input);
    let small = Rooms::Fixed(half.window());
    let twice: Vec<usize> = places.iter().flat_map(|at| [*at, *at]).collect();
    let two = places.iter().map(|at| Plan { cuts: vec![*at], rooms: Rooms::Ample });
    let mut plans: Vec<Plan> = two.collect();
    plans.push(Plan { cuts: places.clone(), rooms: Rooms::Ample });
    plans.push(Plan { cuts: places, rooms: small });
    plans.push(Plan { cuts: twice, rooms: small });
    plans
}

/// Rooms from the codec's window up to 64 bytes, with the input at once.
pub fn rooms(half: &Half, input: &[u8]) -> Vec<Plan> {
    let window = half.window();
    let every = input.len() <= SHORT || input.len() >= LONG;
    let wanted = |room: &usize| every || *room <= window + 3 || room.is_multiple_of(16);
    let fixed = (window..=64).filter(wanted).map(Rooms::Fixed);
    fixed.map(|rooms| Plan { cuts: Vec::new(), rooms }).collect()
}

/// Rooms below the window, where a call need not get anywhere: the input at once, and in single
/// bytes.
pub fn cramped(half: &Half, input: &[u8]) -> Vec<Plan> {
    [Vec::new(), places(half, input)].map(|cuts| Plan { cuts, rooms: Rooms::Rising }).into()
}

/// A few of all these, for what is looked at in each single call.
pub fn few(half: &Half, input: &[u8]) -> Vec<Plan> {
    let places = places(half, input);
    let middle = vec![places[places.len() / 2]];
    let small = Rooms::Fixed(half.window());
    [
        (Vec::new(), Rooms::Ample),
        (places.clone(), small),
        (Vec::new(), small),
        (middle, Rooms::Rising),
        (places, Rooms::Ample),
    ]
    .map(|(cuts, rooms)| Plan { cuts, rooms })
    .into()
}
