//! Encodings of seven bits that switch between ASCII and more: ISO-2022, HZ, UTF-7.

use memchr::memchr;

use super::trial::Trial;

/// The byte that every switch begins with, and the charsets that switch so. Those that allow less
/// come first. A charset that there is not is passed over.
const FAMILIES: [(u8, &[&str]); 3] = [
    (
        b'\x1B',
        &[
            "ISO-2022-JP",
            "ISO-2022-JP-1",
            "ISO-2022-KR",
            "ISO-2022-CN",
            "ISO-2022-CN-EXT",
            "ISO-2022-JP-2",
            "ISO-2022-JP-3",
            "ISO-2022-JP-MS",
        ],
    ),
    (b'~', &["HZ"]),
    (b'+', &["UTF-7"]),
];

/// The place of UTF-7 among the families.
const UTF_7: usize = 2;

/// Trials that begin with the first switch: up to there all is ASCII.
#[derive(Default)]
pub(super) struct Shifted {
    families: [Option<Vec<Trial>>; FAMILIES.len()],
    eight_bit: bool,
}

impl Shifted {
    /// Looks at the next bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        if self.eight_bit || !bytes.is_ascii() {
            self.eight_bit = true;
            self.families = Default::default();
            return;
        }
        for (family, (switch, names)) in self.families.iter_mut().zip(FAMILIES) {
            let (trials, bytes) = match (family, memchr(switch, bytes)) {
                (Some(trials), _) => (trials, bytes),
                (begun @ None, Some(at)) => {
                    let trials = names.iter().filter_map(|name| Trial::of(name)).collect();
                    (begun.insert(trials), &bytes[at..])
                }
                (None, None) => continue,
            };
            trials.iter_mut().for_each(|trial| trial.add(bytes));
            trials.retain(Trial::stands);
        }
    }

    /// The input ends here.
    pub(super) fn end(&mut self) {
        self.families.iter_mut().flatten().flatten().for_each(Trial::end);
    }

    /// Whether a byte had the eighth bit.
    pub(super) fn is_eight_bit(&self) -> bool {
        self.eight_bit
    }

    /// The charset whose switches fit all through and lead to more than ASCII. UTF-7 is not
    /// looked at: a sum or an address may look like it.
    pub(super) fn charset(&self) -> Option<&Trial> {
        self.families[..UTF_7].iter().flatten().flatten().find(|trial| shows(trial))
    }

    /// The reading as UTF-7, if the text looks like it.
    pub(super) fn utf_7(&self) -> Option<&Trial> {
        self.families[UTF_7].iter().flatten().find(|trial| shows(trial))
    }
}

fn shows(trial: &Trial) -> bool {
    let sight = &trial.sight;
    trial.stands() && !trial.is_cut() && sight.beyond_ascii > 0 && sight.is_spotless()
}
