//! In every charset a check finds the faults that a conversion tells, in the same places.

use charpipe::charset::ALL;
use charpipe::check::{Binary, Problem, Rules};
use charpipe::fault::{Excerpt, Fault, Place, What, Why};
use charpipe::plan::{Encoding, Plan};
use charpipe::pump::Report;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::run::run;

type Met = (Place, usize, Why, Excerpt);

/// Notes every fault.
#[derive(Default)]
struct Notes(Vec<Met>);

impl Report for Notes {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        let What::Malformed { len, why } = fault.what else { panic!("{fault:?}") };
        self.0.push((fault.place.unwrap(), len, why, fault.excerpt));
    }
}

/// The faults of a conversion to an encoding that lacks nothing.
fn converted(encoding: &Encoding, file: &[u8]) -> Vec<Met> {
    let wide = encoding.charset.wide.as_ref();
    let wide = wide.is_some_and(|wide| (wide.holds)(&encoding.settings));
    let target = if wide { "fss-utf" } else { "utf-8" };
    let mut plan = Plan::new(encoding.clone(), target.parse().unwrap());
    plan.policy.invalid = "skip".parse().unwrap();
    plan.policy.unmappable = "skip".parse().unwrap();
    let (mut pump, mut notes) = (plan.pump().unwrap(), Notes::default());
    let mut rest = file;
    while !rest.is_empty() {
        let space = pump.space();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        pump.filled(count, &mut std::io::sink(), &mut notes).unwrap();
        rest = &rest[count..];
    }
    pump.end_of_file(&mut std::io::sink(), &mut notes).unwrap();
    notes.0
}

fn checked(encoding: &Encoding, block: usize, file: &[u8]) -> Vec<Met> {
    let mut rules = Rules::new(encoding.clone());
    (rules.binary, rules.block) = (Binary::Text, block);
    let found = run(&rules, &[file]).remove(0);
    let met = found.into_iter().map(|finding| match finding.problem {
        Problem::Malformed { why, excerpt } => (finding.place, finding.len as usize, why, excerpt),
        other => panic!("{other:?}"),
    });
    met.collect()
}

/// Bytes of all kinds, and many of those that mean something somewhere.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let telling = select(b"\n\r+-&=?_A0\x1B$B(J\x00\x80\xC3\xA9\xE2\xD8\xDC\xFE\xFF".to_vec());
    let short = vec(prop_oneof![telling, any::<u8>()], 0..300);
    (short, 0_usize..2, 8000_usize..9000).prop_map(|(short, long, count)| {
        [vec![b'0'; count * long], short.clone(), vec![b'0'; count * long], short].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn of_any_bytes(file in bytes(), block in select(vec![1, 7, 100, 100_000])) {
        let more = ["utf-5:ucs4", "utf-7:direct=ascii,pad=yes", "rfc2047", "rfc2047:strict"];
        let all = ALL.iter().map(|charset| charset.name).chain(more);
        for name in all {
            let encoding: Encoding = name.parse().unwrap();
            let told = checked(&encoding, block, &file);
            // All of both would be pages.
            let other = converted(&encoding, &file);
            let apart = told.iter().zip(&other).find(|(one, other)| one != other);
            assert!(apart.is_none(), "{name} {apart:?}");
            assert_eq!(told.len(), other.len(), "{name}");
        }
    }
}
