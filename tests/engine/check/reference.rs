//! On any bytes the checker finds what the plain model finds, however they come.

use charpipe::internals::check::{BinaryFiles, BomRule, CheckOptions, NewlineRule};
use charpipe_test_support::sample_count;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::check::driver::{BUFFER_SIZES, check_files, finding_row, rules};
use crate::check::model::{InputUnit, ascii, findings, utf8, utf16le};

/// Pieces of files: significant bytes, and runs that are longer than a buffer.
fn file_parts() -> impl Strategy<Value = Vec<u8>> {
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
    vec(file_parts(), 0..60).prop_map(|parts| parts.concat())
}

fn strict(encoding: &str) -> impl Strategy<Value = CheckOptions> {
    let marks = select(vec![BomRule::Any, BomRule::Forbid, BomRule::Require]);
    let newlines = select(vec![
        NewlineRule::Any,
        NewlineRule::Lf,
        NewlineRule::CrLf,
        NewlineRule::Cr,
        NewlineRule::Consistent,
    ]);
    let binaries = select(vec![BinaryFiles::Report, BinaryFiles::Skip, BinaryFiles::Text]);
    let plain = rules(encoding);
    (marks, newlines, binaries, any::<bool>(), select(BUFFER_SIZES.to_vec())).prop_map(
        move |(bom, newline, binary_files, ascii_only, buffer_size)| {
            let mut rules = plain.clone();
            (rules.bom, rules.newline, rules.ascii_only) = (bom, newline, ascii_only);
            (rules.binary_files, rules.buffer_size) = (binary_files, buffer_size);
            rules
        },
    )
}

fn assert_matches_model(rules: &CheckOptions, file: &[u8], units: &[InputUnit], has_nul: bool) {
    let nul_means_binary = !has_nul && rules.binary_files != BinaryFiles::Text;
    let expected = findings(rules, file, units, nul_means_binary);
    let found: Vec<_> = check_files(rules, &[file]).remove(0).iter().map(finding_row).collect();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample_count(400, 3) as u32))]

    #[test]
    fn in_utf8(rules in strict("utf-8"), file in files()) {
        assert_matches_model(&rules, &file, &utf8(&file), false);
    }

    #[test]
    fn in_ascii(mut rules in strict("us-ascii"), file in files()) {
        // A BOM cannot be required.
        rules.bom = BomRule::Any;
        assert_matches_model(&rules, &file, &ascii(&file), false);
    }

    #[test]
    fn in_utf16(
        rules in strict("utf-16le"),
        units in vec(select(vec![0x61, 0x0D, 0x0A, 0xFEFF, 0xD83D, 0xDE00, 0x0A0D, 0]), 0..9000),
    ) {
        let file: Vec<u8> = units.into_iter().chain([0x61]).flat_map(u16::to_le_bytes).collect();
        assert_matches_model(&rules, &file, &utf16le(&file), true);
    }
}
