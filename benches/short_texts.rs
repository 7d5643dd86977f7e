//! Time to convert short texts in memory, each with new codecs, and beside encoding_rs where it has the
//! encoding: `cargo bench --bench short_texts`. Records, cells, tags and header fields are this short.

use std::fmt;

use charpipe::Encoding;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

/// A label and a text that the encoding has.
const TEXTS: [(&str, &str); 8] = [
    ("windows-1252", "Tout était prêt, à l’heure où l’été s’achève. Ça coûte 3 €. "),
    ("shift_jis", "東京から大阪まで新幹線で二時間半かかります。カタカナ、ABC。"),
    ("euc-jp", "東京から大阪まで新幹線で二時間半かかります。カタカナ、ABC。"),
    ("iso-2022-jp", "東京から大阪まで新幹線で二時間半かかります。カタカナ、ABC。"),
    ("euc-kr", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. "),
    ("gbk", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。"),
    ("gb18030", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。"),
    ("big5", "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心。"),
];

/// The lengths of the texts in bytes of the encoding.
const LENS: [usize; 4] = [32, 256, 4096, 1 << 20];

struct Case {
    label: &'static str,
    len: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bytes", self.label, self.len)
    }
}

impl Case {
    /// Returns a text of about this length in the encoding, and its bytes.
    fn text(&self) -> (String, Vec<u8>) {
        let (_, text) = TEXTS.iter().find(|(label, _)| *label == self.label).expect("it is listed");
        let reference = encoding_rs::Encoding::for_label(self.label.as_bytes()).expect("a label");
        let mut whole = text.repeat(self.len.div_ceil(text.chars().count()));
        let is_longer = |text: &str| reference.encode(text).0.len() > self.len;
        let ends: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
        let count = ends.partition_point(|end| !is_longer(&whole[..*end]));
        whole.truncate(ends.get(count).map_or(whole.len(), |_| ends[count - 1]));
        let bytes = reference.encode(&whole).0.into_owned();
        (whole, bytes)
    }

    fn encoding(&self) -> &'static Encoding {
        Encoding::for_mime_label(self.label.as_bytes()).expect("a label")
    }

    fn reference(&self) -> &'static encoding_rs::Encoding {
        encoding_rs::Encoding::for_label(self.label.as_bytes()).expect("a label")
    }
}

fn cases() -> impl Iterator<Item = Case> {
    TEXTS.iter().flat_map(|(label, _)| LENS.map(|len| Case { label, len }))
}

#[divan::bench(args = cases())]
fn decode(bencher: Bencher, case: &Case) {
    let (text, bytes) = case.text();
    assert_eq!(case.encoding().decode(&bytes).0, text);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| case.encoding().decode(black_box(&bytes)).0.len());
}

#[divan::bench(args = cases())]
fn decode_encoding_rs(bencher: Bencher, case: &Case) {
    let (_, bytes) = case.text();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| case.reference().decode_without_bom_handling(black_box(&bytes)).0.len());
}

#[divan::bench(args = cases())]
fn encode(bencher: Bencher, case: &Case) {
    let (text, bytes) = case.text();
    assert_eq!(case.encoding().encode(&text).0, bytes);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| case.encoding().encode(black_box(&text)).0.len());
}

#[divan::bench(args = cases())]
fn encode_encoding_rs(bencher: Bencher, case: &Case) {
    let (text, bytes) = case.text();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| case.reference().encode(black_box(&text)).0.len());
}

fn main() {
    divan::main();
}
