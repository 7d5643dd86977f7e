//! Compares charpipe with the converters of other projects: iconv of the GNU C library, ICU's uconv and
//! CPython's codecs. Every byte is the same, except for the differences of one table, each of which a test
//! shows. A converter that is not installed is skipped with a message. The maps of other converters in `mappings`,
//! the lists of names in `labels` and the package encoding_rs are always here.

mod charmaps;
mod compare;
mod converters;
mod encoding_standard;
mod equivalences;
mod icu_encodings;
mod input_classes;
mod inputs;
mod known_differences;
mod label_tables;
mod labels;
mod lc_ctype;
mod mappings;
mod report;
mod tables;
mod translit;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use compare::{ConverterComparison, compare, conversion_options, convert};
use converters::{
    ConverterProcess, ConverterResult, OtherConverter, QueryMode, by_program, program,
};
use equivalences::{EQUIVALENCES, Equivalence};
use known_differences::{Direction, ExpectedResult};

/// Checks every group of pairings, on all processors. Passes where no converter is here.
fn for_each_group(check: impl Fn(&mut ConverterProcess, &[&Equivalence]) -> Vec<String> + Sync) {
    let groups = equivalences::converter_groups();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut surprises = Vec::new();
        let Some(mut converters) = ConverterProcess::start() else { return surprises };
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            surprises.append(&mut check(&mut converters, group));
        }
        surprises
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let surprises = thread::scope(|scope| {
        // Named as the test, which says by its name what it skips.
        let test = thread::current().name().unwrap_or_default().to_owned();
        let worker = || thread::Builder::new().name(test.clone()).spawn_scoped(scope, work);
        let workers: Vec<_> = (0..processors).map(|_| worker().unwrap()).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    let first = surprises[..surprises.len().min(40)].join("\n");
    assert!(surprises.is_empty(), "{} disagree:\n{first}", surprises.len());
}

/// Compares on these texts encoding, and on what charpipe makes of them decoding.
fn convert_both_ways(texts: impl Fn() -> Vec<String> + Sync) {
    for_each_group(|converters, group| {
        let texts = encoded(group[0].pivot.0, texts());
        let encoding = compare(group, Direction::Encode, converters, &texts);
        let mut decoding = compare(group, Direction::Decode, converters, &encoding.given);
        decoding.surprises.extend(encoding.surprises);
        decoding.surprises
    });
}

/// The same texts in another encoding, where it has them.
fn encoded(encoding: &str, texts: impl IntoIterator<Item = String>) -> Vec<Vec<u8>> {
    let options = conversion_options(Direction::Encode, encoding, "UTF-8", false);
    let encode = |text: String| match convert(&options, text.as_bytes()) {
        ConverterResult::Output(bytes) => Some(bytes),
        ConverterResult::Error => None,
    };
    texts.into_iter().filter_map(encode).collect()
}

#[test]
fn texts_convert_as_in_other_converters() {
    convert_both_ways(|| inputs::texts().into_iter().chain(inputs::single()).collect());
}

#[test]
fn scalar_values_convert_as_in_other_converters() {
    convert_both_ways(|| inputs::scalar_batches().collect());
}

#[test]
fn malformed_input_is_accepted_as_in_other_converters() {
    for_each_group(|converters, group| {
        let inputs = inputs::systematic(group[0].encoding);
        compare(group, Direction::Decode, converters, &inputs).surprises
    });
}

/// Where all agree on what one ill-formed sequence is (Unicode, section 3.9, on U+FFFD).
static SAME_REPLACEMENTS: [&str; 7] =
    ["UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"];

#[test]
fn malformed_input_is_replaced_as_in_other_converters() {
    for_each_group(|converters, group| {
        let mut others = Vec::new();
        for &pairing in group.iter().filter(|pairing| SAME_REPLACEMENTS.contains(&pairing.encoding))
        {
            let comparison = ConverterComparison { pairing, direction: Direction::Decode };
            // iconv has no such mode; where a row exists, the text is another one.
            let replaces =
                pairing.converter != OtherConverter::Glibc && comparison.rows().is_empty();
            if replaces && converters.has(pairing.converter) {
                let inputs = inputs::systematic(pairing.encoding);
                others.append(&mut comparison.other_replacements(converters, &inputs));
            }
        }
        others
    });
}

#[test]
fn programs_agree_on_a_whole_text() {
    let texts = || [inputs::texts().concat()];
    for (converter, program) in OtherConverter::ALL
        .into_iter()
        .filter_map(|converter| Some((converter, program(converter)?)))
    {
        for pairing in EQUIVALENCES.iter().filter(|pairing| pairing.converter == converter) {
            for direction in [Direction::Encode, Direction::Decode] {
                let Equivalence { theirs, encoding, pivot, .. } = *pairing;
                let is_plain = ConverterComparison { pairing, direction }.rows().is_empty();
                let (source, _) = direction.sort(encoding, pivot.0);
                for input in encoded(source, texts()).iter().filter(|_| is_plain) {
                    let (from, to) = direction.sort(theirs, pivot.1);
                    let ours =
                        convert(&conversion_options(direction, encoding, pivot.0, false), input);
                    let result = by_program(program, from, to, input);
                    assert!(result == ours, "{program} -f {from} -t {to}");
                }
            }
        }
    }
}

#[test]
fn known_differences_still_exist() {
    let mut converters = ConverterProcess::start();
    let result = |said: ExpectedResult| match said {
        ExpectedResult::Converts(bytes) => ConverterResult::Output(bytes.to_vec()),
        ExpectedResult::Refuses => ConverterResult::Error,
    };
    for row in known_differences::all_differences() {
        let is_of_row = |pairing: &&Equivalence| {
            (pairing.converter, pairing.encoding, pairing.pivot.0)
                == (row.converter, row.encoding, row.pivot)
        };
        let pairing = EQUIVALENCES.iter().find(is_of_row).unwrap();
        let comparison = ConverterComparison { pairing, direction: row.direction };
        let own = conversion_options(row.direction, row.encoding, row.pivot, false);
        for example in row.examples {
            assert_eq!(convert(&own, example.input), result(example.ours), "charpipe: {row:#?}");
            if let Some(converters) =
                converters.as_mut().filter(|converters| converters.is_as_measured(row.converter))
            {
                let theirs =
                    comparison.query(converters, QueryMode::Strict, &[example.input.to_vec()]);
                assert_eq!(theirs, [result(example.theirs)], "the converter: {row:#?}");
            }
        }
        assert!(!row.examples.is_empty(), "{row:#?}");
    }
}

#[test]
fn known_differences_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/disagreements.md");
    let page = report::render_page();
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let existing = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(existing, page, "CHARPIPE_BLESS=1 cargo test --test differential writes it again");
}
