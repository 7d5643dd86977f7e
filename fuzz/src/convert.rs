//! A conversion comes to the same whatever the block and with or without fast ways: its output,
//! its faults and their places, or how many there are.
//!
//! Input: four bytes for each of the two charsets, one for each half of the policy, one for the
//! mark, the option `message` and the number of files, one for the size of the block, two for the
//! length of the input, then the input.

use charpipe::plan::{Bom, Plan};

use super::bytes::Bytes;
use super::run::{Outcome, choose_policy, run_files};
use super::subject::subject;

/// Sizes of blocks: the smallest, and those around the sizes that kernels work in.
const BLOCKS: &[usize] = &[1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 255, 1000];

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let (from, to) = (&subject(&mut bytes).encoding, &subject(&mut bytes).encoding);
    let mut plan = Plan::new(from.clone(), to.clone());
    choose_policy(&mut plan, &mut bytes);
    let choice = bytes.byte();
    plan.bom = [Bom::Keep, Bom::Strip, Bom::Add][usize::from(choice & 0x7F) % 3];
    plan.message = choice & 0x80 != 0;
    let block = bytes.one(BLOCKS);
    let content = bytes.stretched();
    let (first, second) = content.split_at(content.len() / 2);
    let files = if choice & 0x40 == 0 { &[&content[..]][..] } else { &[first, second] };
    let Some(whole) = run_files(&plan, files, usize::MAX) else { return };
    for (fast, block) in [(true, block), (false, block), (false, plan.block)] {
        let other = run_files(&Plan { fast, block, ..plan.clone() }, files, usize::MAX);
        let other = other.expect("a block or a fast way makes no plan worse");
        let told = whole.told.iter().zip(&other.told).find(|(one, other)| one != other);
        assert!(told.is_none(), "{from} {to}: fast {fast}, block {block}: {told:?}");
        assert_eq!(other, whole, "{from} {to}: fast {fast}, block {block}");
    }
    counts(&Plan { block, ..plan }, files, &whole);
}

/// Of faults behind the first few only the number is wanted: it is the same, and so is the output.
fn counts(plan: &Plan, files: &[&[u8]], whole: &Outcome) {
    let most = files[0].len() % 3;
    if whole.told.len() <= most {
        return;
    }
    let counted = run_files(plan, files, most).expect("to count makes no plan worse");
    let expected = Outcome { told: whole.told[..most].to_vec(), ..whole.clone() };
    assert_eq!(counted, expected, "{} {}: counted, block {}", plan.from, plan.to, plan.block);
}
