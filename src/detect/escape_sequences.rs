//! Encodings of seven bits that switch between ASCII and more: ISO-2022, HZ, UTF-7.

use memchr::memchr;

use super::prober::DecoderProber;

/// The byte that every switch begins with, and the encodings that switch so. Those that allow less
/// come first. An encoding that there is not is passed over.
const ESCAPE_FAMILIES: [(u8, &[&str]); 3] = [
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

/// The position of UTF-7 among the families.
const UTF7_FAMILY: usize = 2;

/// Trials that begin with the first switch: up to there all is ASCII.
#[derive(Default)]
pub(super) struct EscapeProber {
    families: [Option<Vec<DecoderProber>>; ESCAPE_FAMILIES.len()],
    non_ascii: bool,
}

impl EscapeProber {
    /// Looks at the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.non_ascii || !bytes.is_ascii() {
            self.non_ascii = true;
            self.families = Default::default();
            return;
        }
        for (family, (first_byte, names)) in self.families.iter_mut().zip(ESCAPE_FAMILIES) {
            let (probers, bytes) = match (family, memchr(first_byte, bytes)) {
                (Some(trials), _) => (trials, bytes),
                (unstarted @ None, Some(at)) => {
                    let trials =
                        names.iter().filter_map(|name| DecoderProber::for_label(name)).collect();
                    (unstarted.insert(trials), &bytes[at..])
                }
                (None, None) => continue,
            };
            probers.iter_mut().for_each(|prober| prober.feed(bytes));
            probers.retain(DecoderProber::is_alive);
        }
    }

    /// The input ends here.
    pub(super) fn finish(&mut self) {
        self.families.iter_mut().flatten().flatten().for_each(DecoderProber::finish);
    }

    /// Whether a byte had the eighth bit.
    pub(super) fn has_non_ascii(&self) -> bool {
        self.non_ascii
    }

    /// The encoding whose switches fit all through and lead to more than ASCII. UTF-7 is not
    /// looked at: a sum or an address may look like it.
    pub(super) fn best_iso_2022_or_hz(&self) -> Option<&DecoderProber> {
        self.families[..UTF7_FAMILY].iter().flatten().flatten().find(|prober| is_convincing(prober))
    }

    /// The reading as UTF-7, if the text looks like it.
    pub(super) fn utf7(&self) -> Option<&DecoderProber> {
        self.families[UTF7_FAMILY].iter().flatten().find(|prober| is_convincing(prober))
    }
}

fn is_convincing(prober: &DecoderProber) -> bool {
    let stats = &prober.stats;
    prober.is_alive()
        && !prober.is_truncated()
        && stats.non_ascii > 0
        && stats.has_no_suspicious_chars()
}
