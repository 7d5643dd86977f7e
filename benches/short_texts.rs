//! Time to convert texts in memory in each encoding of the Encoding Standard, each with new codecs, beside
//! encoding_rs: `cargo bench -p xtask --bench short_texts`. Records, cells, tags and header fields are short.
//!
//! `cargo bench -p xtask --bench short_texts -- --ratios` prints the speed relative to encoding_rs, the slowest first.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use charpipe::Encoding;
use divan::Bencher;
use divan::counter::BytesCount;

const BALTIC: &str = "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. ";
const CYRILLIC: &str = "Все люди рождаются свободными и равными в достоинстве. ";
const HEBREW: &str = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. ";
const JAPANESE: &str = "東京から大阪まで新幹線で二時間半かかります。カタカナ、ABC。";
const CHINESE: &str = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。";
const FRENCH: &str = "Tout était prêt, à l'heure où l'été s'achève. Ça coûte 3. ";
const POLISH: &str = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności. ";
const GREEK: &str = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι. ";
const THAI: &str = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน ";
const ARABIC: &str = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. ";
const TURKISH: &str = "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. ";

/// A label and a text that the encoding has.
const TEXTS: [(&str, &str); 39] = [
    ("utf-8", CYRILLIC),
    ("utf-16le", CYRILLIC),
    ("utf-16be", FRENCH),
    ("ibm866", CYRILLIC),
    ("iso-8859-2", POLISH),
    ("iso-8859-3", "Ĉiuj homoj estas denaske liberaj kaj egalaj laŭ digno. "),
    ("iso-8859-4", BALTIC),
    ("iso-8859-5", CYRILLIC),
    ("iso-8859-6", ARABIC),
    ("iso-8859-7", GREEK),
    ("iso-8859-8", HEBREW),
    ("iso-8859-8-i", HEBREW),
    ("iso-8859-10", BALTIC),
    ("iso-8859-13", BALTIC),
    ("iso-8859-14", FRENCH),
    ("iso-8859-15", FRENCH),
    ("iso-8859-16", POLISH),
    ("koi8-r", CYRILLIC),
    ("koi8-u", CYRILLIC),
    ("macintosh", FRENCH),
    ("windows-874", THAI),
    ("windows-1250", POLISH),
    ("windows-1251", CYRILLIC),
    ("windows-1252", "Tout était prêt, à l’heure où l’été s’achève. Ça coûte 3 €. "),
    ("windows-1253", GREEK),
    ("windows-1254", TURKISH),
    ("windows-1255", HEBREW),
    ("windows-1256", ARABIC),
    ("windows-1257", BALTIC),
    ("windows-1258", "Tôi đăng mô\u{323}t thơ vê\u{300} quê hương, 3 ₫. "),
    ("x-mac-cyrillic", CYRILLIC),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("iso-2022-jp", JAPANESE),
    ("euc-kr", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. "),
    ("gbk", CHINESE),
    ("gb18030", CHINESE),
    ("big5", "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心。"),
    ("x-user-defined", "\u{F780}\u{F7A9}\u{F7FF} binary \u{F7C3}\u{F7BF}\u{F780}. "),
];

/// The lengths of the texts in bytes of the encoding.
const LENS: [usize; 6] = [16, 32, 64, 256, 4096, 1 << 20];

/// The speed relative to encoding_rs that is required for each of these lengths.
const REQUIRED: [f64; 6] = [0.8, 0.8, 0.8, 0.8, 1.0, 1.0];

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
        let mut whole = text.repeat(self.len.div_ceil(text.chars().count()));
        let is_longer = |text: &str| self.encoding().encode(text).0.len() > self.len;
        let ends: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
        let count = ends.partition_point(|end| !is_longer(&whole[..*end]));
        whole.truncate(ends.get(count).map_or(whole.len(), |_| ends[count - 1]));
        let (bytes, had_errors) = self.encoding().encode(&whole);
        assert!(!had_errors, "{self}");
        let bytes = bytes.into_owned();
        (whole, bytes)
    }

    fn encoding(&self) -> &'static Encoding {
        Encoding::for_mime_label(self.label.as_bytes()).expect("a label")
    }

    fn reference(&self) -> &'static encoding_rs::Encoding {
        encoding_rs::Encoding::for_label(self.label.as_bytes()).expect("a label")
    }
}

/// A conversion. Returns the length of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    Decode,
    DecodeStrict,
    Encode,
    EncodeStrict,
}

const CONVERSIONS: [Conversion; 4] =
    [Conversion::Decode, Conversion::DecodeStrict, Conversion::Encode, Conversion::EncodeStrict];

impl Conversion {
    /// Returns whether encoding_rs has it: it encodes UTF-8 instead of UTF-16.
    fn has_reference(self, case: &Case) -> bool {
        matches!(self, Conversion::Decode | Conversion::DecodeStrict)
            || case.reference().output_encoding() == case.reference()
    }

    fn run(self, case: &Case, text: &str, bytes: &[u8], encoding: &'static Encoding) -> usize {
        let converted = match self {
            Conversion::Decode => encoding.decode(black_box(bytes)).0.len(),
            Conversion::DecodeStrict => {
                encoding.decode_strict(black_box(bytes)).map_or(0, |text| text.len())
            }
            Conversion::Encode => encoding.encode(black_box(text)).0.len(),
            Conversion::EncodeStrict => {
                encoding.encode_strict(black_box(text)).map_or(0, |bytes| bytes.len())
            }
        };
        debug_assert!(converted >= case.len.min(1));
        converted
    }

    fn run_reference(
        self,
        text: &str,
        bytes: &[u8],
        encoding: &'static encoding_rs::Encoding,
    ) -> usize {
        match self {
            Conversion::Decode => encoding.decode_without_bom_handling(black_box(bytes)).0.len(),
            Conversion::DecodeStrict => encoding
                .decode_without_bom_handling_and_without_replacement(black_box(bytes))
                .map_or(0, |text| text.len()),
            Conversion::Encode | Conversion::EncodeStrict => {
                encoding.encode(black_box(text)).0.len()
            }
        }
    }
}

fn cases() -> impl Iterator<Item = Case> {
    TEXTS.iter().flat_map(|(label, _)| LENS.map(|len| Case { label, len }))
}

/// Compares the results with those of encoding_rs.
fn check(case: &Case, text: &str, bytes: &[u8]) {
    let (encoding, reference) = (case.encoding(), case.reference());
    assert!(encoding.decode(bytes).0 == text, "{case}");
    assert!(encoding.decode_strict(bytes).expect("it is well-formed") == text, "{case}");
    assert!(reference.decode_without_bom_handling(bytes).0 == text, "{case}");
    assert!(*encoding.encode_strict(text).expect("it is mappable") == *bytes, "{case}");
    if Conversion::Encode.has_reference(case) {
        assert!(*reference.encode(text).0 == *bytes, "{case}");
    }
}

fn bench(bencher: Bencher, case: &Case, conversion: Conversion) {
    let (text, bytes) = case.text();
    check(case, &text, &bytes);
    let encoding = case.encoding();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| conversion.run(case, &text, &bytes, encoding));
}

fn bench_reference(bencher: Bencher, case: &Case, conversion: Conversion) {
    let (text, bytes) = case.text();
    let encoding = case.reference();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| conversion.run_reference(&text, &bytes, encoding));
}

#[divan::bench(args = cases())]
fn decode(bencher: Bencher, case: &Case) {
    bench(bencher, case, Conversion::Decode);
}

#[divan::bench(args = cases())]
fn decode_strict(bencher: Bencher, case: &Case) {
    bench(bencher, case, Conversion::DecodeStrict);
}

#[divan::bench(args = cases())]
fn decode_encoding_rs(bencher: Bencher, case: &Case) {
    bench_reference(bencher, case, Conversion::Decode);
}

#[divan::bench(args = cases())]
fn encode(bencher: Bencher, case: &Case) {
    bench(bencher, case, Conversion::Encode);
}

#[divan::bench(args = cases().filter(|case| Conversion::Encode.has_reference(case)))]
fn encode_encoding_rs(bencher: Bencher, case: &Case) {
    bench_reference(bencher, case, Conversion::Encode);
}

/// The time of a measurement, unless one conversion takes longer.
const SAMPLE: Duration = Duration::from_micros(20);

/// The number of measurements of each conversion; the shortest counts.
const SAMPLES: usize = 25;

/// Returns the time of one of `count` conversions, in nanoseconds.
fn measure(count: u32, mut convert: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        black_box(convert());
    }
    start.elapsed().as_nanos() as f64 / f64::from(count)
}

/// Returns the time of a conversion in nanoseconds, here and in encoding_rs, in turns.
fn compare(case: &Case, conversion: Conversion, (text, bytes): &(String, Vec<u8>)) -> [f64; 2] {
    let (encoding, reference) = (case.encoding(), case.reference());
    let mut convert = || conversion.run(case, text, bytes, encoding);
    let mut convert_reference = || conversion.run_reference(text, bytes, reference);
    let once = measure(3, &mut convert).max(measure(3, &mut convert_reference));
    let count = (SAMPLE.as_nanos() as f64 / once.max(1.0)) as u32 + 1;
    let mut best = [f64::MAX; 2];
    for _ in 0..SAMPLES {
        best[0] = best[0].min(measure(count, &mut convert));
        best[1] = best[1].min(measure(count, &mut convert_reference));
    }
    best
}

/// Prints a line for each encoding and conversion with the speed relative to encoding_rs at each length, those
/// first that are the farthest below what is required. Only those whose label contains one of `labels`, if
/// there are any.
fn print_ratios(labels: &[String]) {
    let mut rows = Vec::new();
    for (label, _) in TEXTS {
        if !labels.is_empty() && !labels.iter().any(|part| label.contains(part.as_str())) {
            continue;
        }
        let cases = LENS.map(|len| Case { label, len });
        let texts: Vec<_> = cases.iter().map(Case::text).collect();
        cases.iter().zip(&texts).for_each(|(case, (text, bytes))| check(case, text, bytes));
        for conversion in CONVERSIONS {
            if !conversion.has_reference(&cases[0]) {
                continue;
            }
            let times =
                cases.iter().zip(&texts).map(|(case, text)| compare(case, conversion, text));
            let times: Vec<_> = times.collect();
            let ratios: Vec<f64> = times.iter().map(|[ours, theirs]| theirs / ours).collect();
            let relative = ratios.iter().zip(REQUIRED).map(|(ratio, required)| ratio / required);
            rows.push((relative.fold(f64::MAX, f64::min), label, conversion, ratios, times[1][0]));
        }
    }
    rows.sort_by(|one, two| one.0.total_cmp(&two.0));
    let missed = rows.iter().filter(|row| row.0 < 1.0).count();
    println!("{missed} of {} below what is required ({REQUIRED:?})", rows.len());
    print!("{:<15} {:<13}", "encoding", "conversion");
    LENS.iter().for_each(|len| print!(" {len:>8}"));
    println!(" {:>8}", "ns (32)");
    for (_, label, conversion, ratios, time) in rows {
        print!("{label:<15} {:<13}", format!("{conversion:?}"));
        ratios.iter().for_each(|ratio| print!(" {ratio:>8.2}"));
        println!(" {time:>8.0}");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|one| one != "--bench").collect();
    match arguments.split_first() {
        Some((first, labels)) if first == "--ratios" => print_ratios(labels),
        _ => divan::main(),
    }
}
