//! To use text where it stands changes nothing: neither output nor faults nor places, in blocks of
//! any size.

use crate::corpus;
use crate::run::{plan, run};

/// With state and without, with and without look-ahead.
const CHARSETS: [&str; 7] =
    ["UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16LE", "UTF-7", "TCVN5712-1", "ISO-2022-JP"];
const BLOCKS: [usize; 4] = [64 * 1024, 64, 7, 1];

fn changes_nothing(policy: &str) {
    for input in corpus::inputs("UTF-8") {
        for to in CHARSETS {
            holds("UTF-8", to, policy, &input);
        }
    }
}

fn holds(from: &str, to: &str, policy: &str, input: &[u8]) {
    let mut plan = plan(from, to, policy, policy);
    plan.fast = false;
    let expected = run(&plan, &[input]);
    for fast in [true, false] {
        for block in BLOCKS {
            (plan.fast, plan.block) = (fast, block);
            let same = run(&plan, &[input]) == expected;
            let start = input[..input.len().min(80)].escape_ascii();
            let len = input.len();
            assert!(same, "{from} to {to}, block {block}, fast {fast}: {len} octets, {start}");
        }
    }
}

#[test]
fn text_used_where_it_stands_changes_nothing_where_the_first_fault_stops() {
    changes_nothing("stop");
}

#[test]
fn text_used_where_it_stands_changes_nothing_where_faults_are_skipped() {
    changes_nothing("skip");
}

#[test]
fn text_used_where_it_stands_changes_nothing_where_faults_are_replaced() {
    changes_nothing("replace");
}

#[test]
fn text_used_where_it_stands_changes_nothing_where_faults_are_escaped() {
    changes_nothing("backslash");
}
