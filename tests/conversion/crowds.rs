//! Faults of which only the number is wanted: as many of each sort as are met one by one, and the
//! same output, in blocks of any size.

use std::collections::BTreeMap;

use charpipe::Error;
use charpipe::fault::Fault;
use charpipe::plan::{Bom, Plan};
use charpipe::pump::Report;

use crate::corpus;
use crate::run::{feed, plan};

const TARGETS: [&str; 8] =
    ["UTF-8", "US-ASCII", "KOI8-R", "UTF-16LE", "UTF-7", "TCVN5712-1", "ISO-2022-JP", "SJIS"];
const BLOCKS: [usize; 5] = [64 * 1024, 64, 7, 3, 1];

/// Takes the first faults one by one, with their places, and counts the others.
#[derive(Default, Debug, PartialEq, Eq)]
struct Counts {
    singly: usize,
    first: Vec<Fault>,
    others: BTreeMap<String, u64>,
}

impl Report for Counts {
    fn wants_place(&self) -> bool {
        self.first.len() < self.singly
    }

    fn fault(&mut self, fault: &Fault) {
        if self.wants_place() {
            self.first.push(*fault);
        } else {
            self.faults(fault, 1);
        }
    }

    fn only_counts(&self) -> bool {
        !self.wants_place()
    }

    fn faults(&mut self, fault: &Fault, count: u64) {
        assert!(count > 0);
        *self.others.entry(format!("{:?} {:?}", fault.kind(), fault.done)).or_default() += count;
    }
}

/// What comes of files, what was told, and the fault that ended the run.
fn counted(plan: &Plan, singly: usize, files: &[&[u8]]) -> (Vec<u8>, Counts, Option<Fault>) {
    let (mut output, mut counts) = (Vec::new(), Counts { singly, ..Counts::default() });
    let last = match feed(plan, files, &mut output, &mut counts) {
        Ok(()) => None,
        Err(Error::Stopped(stopped)) => Some(stopped.fault),
        Err(other) => panic!("{other}"),
    };
    (output, counts, last)
}

fn are_counted_as_they_are_told(mut plan: Plan, files: &[&[u8]]) {
    for singly in [0, 3] {
        plan.fast = false;
        let expected = counted(&plan, singly, files);
        plan.fast = true;
        for block in BLOCKS {
            plan.block = block;
            let same = counted(&plan, singly, files) == expected;
            let (from, to) = (plan.from.charset.name, plan.to.charset.name);
            let start = files[0][..files[0].len().min(80)].escape_ascii();
            assert!(same, "{from} to {to}, {:?}, block {block}: {start}", plan.policy);
        }
    }
}

fn crowds_are_counted(policy: &str) {
    crowds_are_counted_under(policy, policy);
}

fn crowds_are_counted_under(invalid: &str, unmappable: &str) {
    for from in ["UTF-8", "US-ASCII", "UTF-16LE", "UTF-7", "EUC-JP", "UCS-4"] {
        let inputs = corpus::inputs(from);
        let small = inputs.iter().filter(|input| input.len() < 3000).step_by(29);
        let large = inputs.iter().filter(|input| input.len() >= 3000).take(1);
        for input in small.chain(large) {
            for to in TARGETS {
                let plan = plan(from, to, invalid, unmappable);
                are_counted_as_they_are_told(plan, &[input, b"\xFF"]);
            }
        }
    }
}

#[test]
fn faults_that_are_skipped_are_counted_as_they_are_told() {
    crowds_are_counted("skip");
}

#[test]
fn faults_that_are_replaced_are_counted_as_they_are_told() {
    crowds_are_counted("replace");
}

#[test]
fn faults_that_are_replaced_by_a_long_text_are_counted_as_they_are_told() {
    crowds_are_counted("replace=[something that is longer than a character and any small room]");
}

#[test]
fn faults_that_are_escaped_are_counted_as_they_are_told() {
    crowds_are_counted("backslash");
}

#[test]
fn faults_that_have_look_alikes_are_counted_as_they_are_told() {
    crowds_are_counted("translit");
}

/// Takes errors one by one, and counts characters that are converted as the policy says.
#[derive(Default, Debug, PartialEq, Eq)]
struct Errors {
    counts_conversions: bool,
    errors: Vec<Fault>,
    converted: u64,
}

impl Report for Errors {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        if fault.done.is_error() {
            self.errors.push(*fault);
        } else {
            self.converted += 1;
        }
    }

    fn only_counts_conversions(&self) -> bool {
        self.counts_conversions
    }

    fn faults(&mut self, fault: &Fault, count: u64) {
        assert!(!fault.done.is_error(), "{fault:?}");
        self.converted += count;
    }
}

#[test]
fn conversions_that_are_only_counted_change_no_error() {
    let text = "aé€\nя\u{301}½ \n中\u{2033}é".repeat(40);
    let input = [text.as_bytes(), b"\xE2\x82\n", text.as_bytes(), b"\xFF"].concat();
    for to in ["US-ASCII", "KOI8-R", "TCVN5712-1", "ISO-2022-JP", "SJIS", "CP037"] {
        for unmappable in ["translit", "xml", "percent"] {
            for invalid in ["stop", "skip", "replace", "xml"] {
                for bom in [Bom::Keep, Bom::Strip] {
                    let mut plan = plan("UTF-8", to, invalid, unmappable);
                    plan.bom = bom;
                    let run = |plan: &Plan, counts_conversions| {
                        let mut output = Vec::new();
                        let mut errors = Errors { counts_conversions, ..Errors::default() };
                        let ended = feed(plan, &[&input, &input], &mut output, &mut errors);
                        (output, errors.errors, errors.converted, ended.is_ok())
                    };
                    plan.fast = false;
                    let expected = run(&plan, false);
                    assert!(expected.2 > 0 && !expected.1.is_empty());
                    for (fast, block) in
                        [true, false].into_iter().flat_map(|fast| BLOCKS.map(|block| (fast, block)))
                    {
                        (plan.fast, plan.block) = (fast, block);
                        assert!(
                            run(&plan, true) == expected,
                            "{to} {unmappable} {invalid} {block}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn kept_bytes_are_counted_as_they_are_reported() {
    for from in ["UTF-8", "US-ASCII", "UTF-16LE", "UTF-7", "EUC-JP"] {
        for input in corpus::inputs(from).iter().filter(|input| input.len() < 3000).step_by(29) {
            for to in ["UTF-8", "US-ASCII", "KOI8-R", "TCVN5712-1", "SJIS", "EUC-JISX0213"] {
                are_counted_as_they_are_told(plan(from, to, "keep", "skip"), &[input, b"\xFF"]);
                are_counted_as_they_are_told(plan(from, to, "keep", "xml"), &[input, b"\xFF"]);
            }
        }
    }
}

#[test]
fn bytes_kept_as_text_are_counted_as_they_are_reported() {
    crowds_are_counted_under("keep-text", "replace");
}

#[test]
fn a_fault_that_ends_the_run_has_its_place_behind_a_crowd() {
    crowds_are_counted_under("skip", "stop");
    crowds_are_counted_under("stop", "replace");
    let lacking = "é\n中é a\n".repeat(40) + "a中é";
    let bad = b"\xFF\na\xFF\xE2\x82".repeat(40);
    for to in TARGETS {
        let spoilt = [lacking.as_bytes(), b"\xFF\n", lacking.as_bytes()].concat();
        are_counted_as_they_are_told(plan("UTF-8", to, "stop", "skip"), &[&spoilt, b"a"]);
        are_counted_as_they_are_told(plan("UTF-8", to, "stop", "translit"), &[b"a", &spoilt]);
        let spoilt = [&bad, lacking.as_bytes(), &bad].concat();
        are_counted_as_they_are_told(plan("UTF-8", to, "skip", "stop"), &[&spoilt, b"a"]);
        are_counted_as_they_are_told(plan("UTF-8", to, "backslash", "stop"), &[b"a", &spoilt]);
    }
    let beyond = b"\xFF\xFF\xFF\xFF\x7F\0\0\0".repeat(9);
    are_counted_as_they_are_told(plan("UCS-4", "UTF-8", "skip", "stop"), &[&beyond]);
}

#[test]
fn a_look_alike_that_is_lacking_too_is_counted_once() {
    for to in ["DIN_66003", "ISO-2022-KR"] {
        let text = "\u{2225}a\u{2225}\u{2225}\u{2216}中\u{2216}b".repeat(30);
        are_counted_as_they_are_told(plan("UTF-8", to, "stop", "translit"), &[text.as_bytes()]);
        are_counted_as_they_are_told(plan("UTF-8", to, "skip", "translit"), &[text.as_bytes()]);
    }
}

/// A charset, units of it, and targets.
type Rows = (&'static str, &'static [&'static [u8]], &'static [&'static str]);

/// Rows of faults that codecs look at as a whole, and what stands at their ends.
const ROWS: [Rows; 10] = [
    ("UTF-8", &[b"\xFF", b"a\xFF", b"\xE2\x82", b"\xC3\xA9"], &["UTF-8", "UTF-16LE"]),
    ("UTF-16LE", &[b"\x00\xD8", b"\x01\xDC", b"a\x00", b"\x00\xD8\x01\xDC"], &["UTF-8"]),
    ("UTF-16BE", &[b"\xD8\x00", b"\xDC\x01", b"\x00a", b"\xD8\x00\xDC\x01"], &["UTF-8"]),
    ("UTF-16", &[b"\xFE\xFF", b"\xFF\xFE", b"\xD8\x00", b"\x00\xD8"], &["UTF-8"]),
    ("UCS-2", &[b"\x00\xD8", b"\x01\xDC", b"a\x00"], &["UTF-8"]),
    ("US-ASCII", &[b"\xFF", b"\x80", b"a"], &["UTF-8"]),
    // Half a pair, the last digit of which carries bits of the next unit.
    ("UTF-7", &[b"+2AAAQQ-", b"+2ADYAABB-", b"a"], &["UTF-8", "US-ASCII"]),
    ("EUC-JP", &[b"\xFF", b"\xA4", b"\xA4\xA2", b"\x8F", b"a"], &["UTF-8", "KOI8-R"]),
    ("TCVN5712-1", &[b"\xB0", b"a", b"\xFF"], &["US-ASCII"]),
    (
        "UTF-8",
        &["ж".as_bytes(), "aж".as_bytes(), "é".as_bytes(), "か゚".as_bytes(), "😀中".as_bytes()],
        &["ISO-8859-1", "US-ASCII", "KOI8-R", "GB2312", "EUC-JISX0213", "UCS-2", "UTF-7"],
    ),
];

#[test]
fn rows_of_faults_are_counted_whatever_stands_behind_them() {
    for (from, units, targets) in ROWS {
        for (first, second) in units.iter().flat_map(|a| units.iter().map(move |b| (a, b))) {
            for times in [1, 12] {
                let input = [first.repeat(times), second.repeat(2), first.repeat(3)].concat();
                for (to, policy) in targets.iter().flat_map(|to| {
                    ["skip", "replace", "replace=<a long answer>", "xml"].map(|policy| (to, policy))
                }) {
                    are_counted_as_they_are_told(plan(from, to, "replace", policy), &[&input]);
                    are_counted_as_they_are_told(plan(from, to, policy, "skip"), &[&input]);
                }
            }
        }
    }
}

#[test]
fn a_mark_is_stripped_in_front_of_a_crowd_and_not_behind_it() {
    for bom in [Bom::Strip, Bom::Add] {
        for policy in ["skip", "replace"] {
            for to in ["UTF-8", "UTF-16", "UTF-16LE"] {
                let mut plan = plan("UTF-8", to, policy, policy);
                plan.bom = bom;
                let (marked, spoilt) = (&b"\xEF\xBB\xBFa\xFF\xFF"[..], b"\xFF\xEF\xBB\xBFa\xFF");
                are_counted_as_they_are_told(plan.clone(), &[marked, spoilt]);
                are_counted_as_they_are_told(plan, &[spoilt, marked]);
            }
        }
    }
}

/// What header lines are made of, with faults of all kinds.
const WORDS: [&[u8]; 12] = [
    b"=?utf-8?b?//8AAP/C?=",
    b"=?utf-8?q?a=FF=0A\x01=E2=80=A8=E2=82?=",
    b"=?utf-8?q?=82=E2?= ",
    b"=?utf-8?q?=FF=FFb\xFFa=F0=9F=92?=\r\n ",
    b"=?utf-8*en?b?8J-SPv8?= ",
    b"=?utf-16be?b?2AAACgBh3AAAAA==?= ",
    b"=?gb18030?q?=81=30=81a=FF=81?=",
    b"=?iso-2022-jp?q?=1B$B=FF=0E$\"=1B(B=80?= ",
    b"\xFF\xC3\xA9\xE2\x82",
    b"\nTo: \"\\\xFF\" (\xFF\\\xFF) <\xFF",
    b"\r\n\xFF\xFF: \xFF\xFF",
    b"\nSubject: a =?nope?q?a\xFF?= ",
];

#[test]
fn faults_of_header_words_are_counted_as_they_are_told() {
    for (first, second) in WORDS.iter().zip(WORDS.iter().cycle().skip(5)) {
        let input = [*first, first, second, first, b"\n", second, second].concat();
        for (policy, unmappable) in [("skip", "skip"), ("replace", "stop"), ("backslash", "skip")] {
            for from in ["RFC2047", "RFC2047:strict"] {
                are_counted_as_they_are_told(plan(from, "UTF-8", policy, unmappable), &[&input]);
            }
        }
        are_counted_as_they_are_told(plan("RFC2047", "KOI8-R", "replace", "xml"), &[&input]);
    }
}

#[test]
fn what_no_header_line_may_hold_is_counted_as_it_is_told() {
    let pieces = ["é", "éa", "a é", "a\n é", "\né", "Received: é", "To: é@é, é <é> (é)", "я"];
    for (first, second) in pieces.iter().zip(pieces.iter().cycle().skip(3)) {
        for field in ["Received: ", "To: é@"] {
            let input = [field, &first.repeat(3), second, first, "\nDate: é", second].concat();
            for to in ["RFC2047", "RFC2047:charset=iso-8859-1,strict"] {
                for policy in ["skip", "replace", "xml", "replace==?é a", "replace=ä "] {
                    for invalid in ["stop", policy] {
                        let plan = plan("UTF-8", to, invalid, policy);
                        if plan.pump().is_ok() {
                            are_counted_as_they_are_told(plan, &[input.as_bytes()]);
                        }
                    }
                }
            }
        }
    }
}
