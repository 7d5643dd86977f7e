//! charpipe beside the converters of other projects: iconv of the GNU C library, ICU's uconv and
//! CPython's codecs. They must agree on every byte, but for the disagreements of one table, each of
//! which is shown to exist. A converter that is not here is skipped with a word.

mod compare;
mod disagreements;
mod families;
mod inputs;
mod labels;
mod lc_ctype;
mod pairings;
mod peers;
mod report;
mod tables;
mod translit;
#[path = "../watch/mod.rs"]
mod watch;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use compare::{Comparison, compare, convert, plan};
use disagreements::{Direction, Said};
use pairings::{PAIRINGS, Pairing};
use peers::{Answer, Mode, Peer, Peers, by_program, program};

/// Checks every group of pairings, on all processors. Passes where no peer is here.
fn over_groups(check: impl Fn(&mut Peers, &[&Pairing]) -> Vec<String> + Sync) {
    let groups = pairings::groups();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut surprises = Vec::new();
        let Some(mut peers) = Peers::start() else { return surprises };
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            surprises.append(&mut check(&mut peers, group));
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
fn both_ways(texts: impl Fn() -> Vec<String> + Sync) {
    over_groups(|peers, group| {
        let texts = encoded(group[0].pivot.0, texts());
        let encoding = compare(group, Direction::Encode, peers, &texts);
        let mut decoding = compare(group, Direction::Decode, peers, &encoding.given);
        decoding.surprises.extend(encoding.surprises);
        decoding.surprises
    });
}

/// The same texts in another encoding, where it has them.
fn encoded(charset: &str, texts: impl IntoIterator<Item = String>) -> Vec<Vec<u8>> {
    let plan = plan(Direction::Encode, charset, "UTF-8", false);
    let encode = |text: String| match convert(&plan, text.as_bytes()) {
        Answer::Gives(bytes) => Some(bytes),
        Answer::Refuses => None,
    };
    texts.into_iter().filter_map(encode).collect()
}

#[test]
fn texts_are_converted_as_the_peers_convert_them() {
    both_ways(|| inputs::texts().into_iter().chain(inputs::single()).collect());
}

#[test]
fn every_scalar_value_is_converted_as_the_peers_convert_it() {
    both_ways(|| inputs::scalar_batches().collect());
}

#[test]
fn malformed_input_is_accepted_and_refused_as_by_the_peers() {
    over_groups(|peers, group| {
        let inputs = inputs::systematic(group[0].charset);
        compare(group, Direction::Decode, peers, &inputs).surprises
    });
}

/// Where all agree on what one ill-formed sequence is (Unicode, section 3.9, on U+FFFD).
static REPLACED_ALIKE: [&str; 7] =
    ["UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"];

#[test]
fn malformed_input_is_replaced_as_by_the_peers() {
    over_groups(|peers, group| {
        let mut others = Vec::new();
        for &pairing in group.iter().filter(|pairing| REPLACED_ALIKE.contains(&pairing.charset)) {
            let comparison = Comparison { pairing, direction: Direction::Decode };
            // iconv has no such mode; where a row stands, the text is another one.
            let replaces = pairing.peer != Peer::Glibc && comparison.rows().is_empty();
            if replaces && peers.has(pairing.peer) {
                let inputs = inputs::systematic(pairing.charset);
                others.append(&mut comparison.other_replacements(peers, &inputs));
            }
        }
        others
    });
}

#[test]
fn the_programs_agree_on_a_whole_text() {
    let texts = || [inputs::texts().concat()];
    for (peer, program) in Peer::ALL.into_iter().filter_map(|peer| Some((peer, program(peer)?))) {
        for pairing in PAIRINGS.iter().filter(|pairing| pairing.peer == peer) {
            for direction in [Direction::Encode, Direction::Decode] {
                let Pairing { theirs, charset, pivot, .. } = *pairing;
                let is_plain = Comparison { pairing, direction }.rows().is_empty();
                let (source, _) = direction.sort(charset, pivot.0);
                for input in encoded(source, texts()).iter().filter(|_| is_plain) {
                    let (from, to) = direction.sort(theirs, pivot.1);
                    let ours = convert(&plan(direction, charset, pivot.0, false), input);
                    let answer = by_program(program, from, to, input);
                    assert!(answer == ours, "{program} -f {from} -t {to}");
                }
            }
        }
    }
}

#[test]
fn every_disagreement_of_the_table_exists() {
    let mut peers = Peers::start();
    let answer = |said: Said| match said {
        Said::Gives(bytes) => Answer::Gives(bytes.to_vec()),
        Said::Refuses => Answer::Refuses,
    };
    for row in disagreements::all() {
        let is_of_row = |pairing: &&Pairing| {
            (pairing.peer, pairing.charset, pairing.pivot.0) == (row.peer, row.charset, row.pivot)
        };
        let pairing = PAIRINGS.iter().find(is_of_row).unwrap();
        let comparison = Comparison { pairing, direction: row.direction };
        let own = plan(row.direction, row.charset, row.pivot, false);
        for example in row.examples {
            assert_eq!(convert(&own, example.input), answer(example.ours), "charpipe: {row:#?}");
            if let Some(peers) = peers.as_mut().filter(|peers| peers.is_as_measured(row.peer)) {
                let theirs = comparison.ask(peers, Mode::Strict, &[example.input.to_vec()]);
                assert_eq!(theirs, [answer(example.theirs)], "the peer: {row:#?}");
            }
        }
        assert!(!row.examples.is_empty(), "{row:#?}");
    }
}

#[test]
fn the_page_of_disagreements_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/disagreements.md");
    let page = report::page();
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(stands, page, "CHARPIPE_BLESS=1 cargo test --test oracle writes it anew");
}
