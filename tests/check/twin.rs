//! On any bytes the checker finds what the plain model finds, however they come.

use charpipe::check::{Binary, Mark, Newline, Rules};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::{Unit, ascii, findings, utf8, utf16le};
use crate::run::{BLOCKS, row, rules, run};

/// What files are made of: much of what matters, and stretches that reach beyond a block.
fn parts() -> impl Strategy<Value = Vec<u8>> {
    let short: Vec<&[u8]> = vec![
        b"a",
        b"\r",
        b"\n",
        b"\r\n",
        b"\xC3\xA9",
        b"\xE2\x82\xAC",
        b"\xF0\x9F\x98\x80",
        b"\xEF\xBB\xBF",
        b"\xFF",
        b"\x80",
        b"\xE2\x82",
        b"\xF0\x9F",
        b"\xED\xA0\x80",
        b"\xC0\xAF",
        b"\xF4\x90",
        b"\xE9",
    ];
    prop_oneof![
        40 => select(short).prop_map(<[u8]>::to_vec),
        2 => (1_usize..9000).prop_map(|count| vec![b'x'; count]),
        1 => (1_usize..3000).prop_map(|count| "é€\n".repeat(count).into_bytes()),
        1 => Just(vec![0]),
    ]
}

fn files() -> impl Strategy<Value = Vec<u8>> {
    vec(parts(), 0..60).prop_map(|parts| parts.concat())
}

fn strict(encoding: &str) -> impl Strategy<Value = Rules> {
    let marks = select(vec![Mark::Any, Mark::Forbid, Mark::Require]);
    let newlines = select(vec![Newline::Any, Newline::Lf, Newline::CrLf, Newline::Same]);
    let binaries = select(vec![Binary::Report, Binary::Skip, Binary::Text]);
    let plain = rules(encoding);
    (marks, newlines, binaries, select(BLOCKS.to_vec())).prop_map(
        move |(mark, newline, binary, block)| Rules {
            mark,
            newline,
            binary,
            block,
            ..plain.clone()
        },
    )
}

fn agree(rules: &Rules, file: &[u8], units: &[Unit], has_nul: bool) {
    let nul_tells = !has_nul && rules.binary != Binary::Text;
    let expected = findings(rules, file, units, nul_tells);
    let found: Vec<_> = run(rules, &[file]).remove(0).iter().map(row).collect();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn in_utf8(rules in strict("utf-8"), file in files()) {
        agree(&rules, &file, &utf8(&file), false);
    }

    #[test]
    fn in_ascii(mut rules in strict("us-ascii"), file in files()) {
        // There is no mark to require.
        rules.mark = Mark::Any;
        agree(&rules, &file, &ascii(&file), false);
    }

    #[test]
    fn in_utf16(
        rules in strict("utf-16le"),
        units in vec(select(vec![0x61, 0x0D, 0x0A, 0xFEFF, 0xD83D, 0xDE00, 0x0A0D, 0]), 0..9000),
    ) {
        let file: Vec<u8> = units.into_iter().chain([0x61]).flat_map(u16::to_le_bytes).collect();
        agree(&rules, &file, &utf16le(&file), true);
    }
}
