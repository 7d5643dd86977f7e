//! The inputs: every scalar value, texts, and systematic sets of malformed input.

/// Code points in one batch of [`scalar_batches`].
const BATCH_SIZE: u32 = 0x1000;

/// Every scalar value of the BMP in order, as texts of [`BATCH`] code points, and of the other planes every
/// eighth text. `CHARPIPE_TEST_EXHAUSTIVE=1` gives all.
pub fn scalar_batches() -> impl Iterator<Item = String> {
    let is_whole = charpipe_test_support::is_exhaustive();
    let wanted =
        move |batch: &u32| is_whole || batch * BATCH_SIZE < 0x1_0000 || batch.is_multiple_of(8);
    (0..=0x10_FFFF / BATCH_SIZE).filter(wanted).map(|batch| {
        (batch * BATCH_SIZE..(batch + 1) * BATCH_SIZE)
            .filter_map(char::from_u32)
            .collect::<String>()
    })
}

/// Texts in several scripts, and the edges of shift sequences and lines.
pub fn texts() -> Vec<String> {
    let mut texts: Vec<String> = PROSE.iter().map(|text| text.to_string()).collect();
    for ascii in '\0'..='\x7F' {
        texts.push(format!("é{ascii}"));
        texts.push(format!("{ascii}é{ascii}{ascii}漢字😀{ascii}é"));
    }
    texts
}

/// Characters at the edges of forms and planes, each alone.
pub fn single() -> impl Iterator<Item = String> {
    let edges = [0, 0x80, 0x100, 0x800, 0xD800, 0xE000, 0xFDD0, 0xFEFF, 0xFFFE, 0x1_0000, 0x2_0000];
    let around = |edge: u32| (edge.saturating_sub(2)..edge + 3).filter_map(char::from_u32);
    edges.into_iter().chain([0x10_FFFD]).flat_map(around).map(String::from)
}

static PROSE: &[&str] = &[
    "",
    "The quick brown fox isn't here; 2 + 2 = 4, ~5 \\ 6.\r\n\tSo it goes.\n",
    "Où êtes-vous, cœur brisé ? À l'été, naïvement – « déjà vu »…\n",
    "Größe, Übermut und Straßenbahn: 3 € für ½ Pfund.\n",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.\n",
    "Καλημέρα κόσμε, ούτε ένα λάθος.\n",
    "Доброе утро, мир! Ёжик & ежевика.\n",
    "שלום עולם, مرحبا بالعالم\n",
    "สวัสดีชาวโลก นมสเต नमस्ते दुनिया\n",
    "日本語の文章とカタカナ。\r\n漢字、かな、ＡＢＣ。\n",
    "你好，世界！+1-2=-1\n한국어 문장입니다.\n",
    "😀😁 👩‍👩‍👧 🇫🇷 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈\u{10FFFF}\n",
    "\u{FEFF}marked\u{FEFF}twice\u{FFFE}\u{FFFF}\u{FDD0}\n",
    "\u{FEFF}\u{FEFF}",
    "\0\u{1}\u{1F}\u{7F}\u{80}\u{9F}\u{A0}\u{FF}\u{100}",
];

/// The pieces whose strings are the systematic set of an encoding, and how many make a string.
struct InputPieces {
    encodings: &'static [&'static str],
    longest: u32,
    pieces: &'static [&'static [u8]],
}

static PIECE_SETS: &[InputPieces] = &[
    InputPieces {
        encodings: &["UTF-8", "FSS-UTF"],
        longest: 4,
        pieces: &[
            b"A", b"\x80", b"\x8F", b"\x90", b"\x9F", b"\xA0", b"\xBF", b"\xC1", b"\xC2", b"\xE0",
            b"\xED", b"\xF0", b"\xF4", b"\xFF",
        ],
    },
    InputPieces {
        encodings: &["UTF-8", "FSS-UTF"],
        longest: 5,
        pieces: &[b"\xF5\x80", b"\xF8", b"\xFC\x84", b"\xFD\xBF", b"\x83", b"\x87\xBF", b"\x88"],
    },
    InputPieces {
        encodings: &["CESU-8"],
        longest: 4,
        pieces: &[
            b"A", b"\0", b"\x80", b"\xA0", b"\xAF", b"\xB0", b"\xBF", b"\xC0", b"\xC3", b"\xE0",
            b"\xED", b"\xF0",
        ],
    },
    InputPieces {
        encodings: &["CESU-8"],
        longest: 4,
        pieces: &[b"\xED\xA0\x81", b"\xED\xB0\x80", b"\xED", b"\xA1", b"\xB1\x80", b"z"],
    },
    InputPieces {
        encodings: &["UTF-7"],
        longest: 4,
        pieces: &[b"+", b"-", b"A", b"Q", b"/", b"!", b"\\", b"2", b"\n", b"\xE9"],
    },
    InputPieces {
        encodings: &["UTF-7"],
        longest: 4,
        pieces: &[
            b"+", b"-", b"2D3eAA", b"2AA", b"3gA", b"AOk", b"A", b"=", b"~", b"+2D0-", b"+3gA-",
        ],
    },
    InputPieces {
        encodings: &["UTF-7-IMAP"],
        longest: 4,
        pieces: &[b"&", b"-", b"A", b"Q", b",", b"/", b"!", b"2", b"\t", b"\xE9"],
    },
    InputPieces {
        encodings: &["UTF-7-IMAP"],
        longest: 4,
        pieces: &[
            b"&", b"-", b"2D3eAA", b"2AA", b"3gA", b"AOk", b"ACY", b"AEE", b"A", b"&AOk-",
            b"&2D0-", b"&3gA-",
        ],
    },
    InputPieces {
        encodings: &["UTF-16", "UTF-16LE", "UCS-2", "UCS-2LE", "UNICODE"],
        longest: 4,
        pieces: &[b"A\0", b"\0\xD8", b"\0\xDC", b"\xFF\xDF", b"\xFF\xFE", b"\xFE\xFF", b"\xD8"],
    },
    InputPieces {
        encodings: &["UTF-16", "UTF-16BE", "UCS-2", "UCS-2BE", "UNICODE"],
        longest: 4,
        pieces: &[b"\0A", b"\xD8\0", b"\xDC\0", b"\xDF\xFF", b"\xFE\xFF", b"\xFF\xFE", b"\xD8"],
    },
    InputPieces {
        encodings: &["UTF-32", "UTF-32LE", "UCS-4", "UCS-4LE"],
        longest: 3,
        pieces: &[
            b"A\0\0\0",
            b"\0\xD8\0\0",
            b"\xFF\xDF\0\0",
            b"\xFF\xFE\0\0",
            b"\0\0\xFE\xFF",
            b"\xFF\xFF\x10\0",
            b"\0\0\x11\0",
            b"\xFF\xFF\xFF\x7F",
            b"\0\0\0\x80",
            b"A\0\0",
            b"A",
        ],
    },
    InputPieces {
        encodings: &["UTF-32", "UTF-32BE", "UCS-4", "UCS-4BE"],
        longest: 3,
        pieces: &[
            b"\0\0\0A",
            b"\0\0\xD8\0",
            b"\0\0\xDF\xFF",
            b"\0\0\xFE\xFF",
            b"\xFF\xFE\0\0",
            b"\0\x10\xFF\xFF",
            b"\0\x11\0\0",
            b"\x7F\xFF\xFF\xFF",
            b"\x80\0\0\0",
            b"\0\0\0",
            b"A",
        ],
    },
    InputPieces {
        encodings: &["BOCU-1"],
        longest: 4,
        pieces: &[
            b"A", b" ", b"\0", b"\n", b"\x7F", b"\x90", b"\xCF", b"\xD0", b"\xFA", b"\xFB",
            b"\xFE", b"\xFF", b"\x1C",
        ],
    },
];

/// The systematic set of an encoding: every byte alone, and all strings of its
/// pieces up to a length, well-formed or not.
pub fn systematic(encoding: &str) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    for set in PIECE_SETS.iter().filter(|set| set.encodings.contains(&encoding)) {
        let mut shorter = vec![Vec::new()];
        for _ in 0..set.longest {
            let longer = |start: &Vec<u8>| {
                let start = start.clone();
                set.pieces.iter().map(move |piece| [start.as_slice(), piece].concat())
            };
            let grown: Vec<Vec<u8>> = shorter.iter().flat_map(longer).collect();
            all.append(&mut shorter);
            shorter = grown;
        }
        all.append(&mut shorter);
    }
    let is_wanted =
        |index: usize| index < 256 || index % charpipe_test_support::sample_stride(3) == 0;
    let mut indices = 0..;
    all.retain(|_| indices.next().is_some_and(is_wanted));
    all
}
