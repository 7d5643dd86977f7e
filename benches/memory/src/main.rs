//! Converts texts in memory with charpipe and with simdutf, and prints how many times as fast charpipe is:
//! `cargo run --release --manifest-path benches/memory/Cargo.toml [CONVERSION] [TEXT]`.
//!
//! Both write to a buffer that is used again. Decoders check their input. Encoders get valid UTF-8, for which simdutf has
//! functions of its own. The outputs have to be the same. UTF-8 is only validated, also beside simdutf8.

use std::hint::black_box;
use std::time::{Duration, Instant};

use charpipe::{CoderResult, Encoding, ISO_8859_1, UTF_8, UTF_16LE};

#[path = "../../text/mod.rs"]
mod text;

use text::TEXTS;

/// The lengths of the texts in bytes of UTF-8.
const LENS: [usize; 3] = [256, 64 << 10, 1 << 20];

/// The time of a measurement, unless one call takes longer.
const SAMPLE: Duration = Duration::from_micros(200);

/// The number of measurements of each side, in turns; the shortest counts.
const SAMPLES: usize = 15;

/// A conversion by simdutf: an input of this number of units to an output. Returns the number of units.
type Function = unsafe fn(*const u8, usize, *mut u8) -> usize;

/// Returns a function of simdutf with pointers to bytes instead of units.
macro_rules! function {
    ($name:ident) => {{
        unsafe fn call(src: *const u8, len: usize, dst: *mut u8) -> usize {
            // SAFETY: the caller passes aligned pointers, and a buffer for the longest output.
            unsafe { simdutf::$name(src.cast(), len, dst.cast()) }
        }
        call as Function
    }};
}

struct Conversion {
    name: &'static str,
    encoding: &'static Encoding,
    decodes: bool,
    function: Function,
    /// The numbers of bytes of a unit of the input and of the output.
    units: [usize; 2],
}

fn conversions() -> [Conversion; 6] {
    let utf_32le = Encoding::lookup("UTF-32LE").expect("a name");
    let new = |name, encoding, decodes, function, units| Conversion {
        name,
        encoding,
        decodes,
        function,
        units,
    };
    [
        new("utf-16le > utf-8", UTF_16LE, true, function!(convert_utf16le_to_utf8), [2, 1]),
        new("utf-8 > utf-16le", UTF_16LE, false, function!(convert_valid_utf8_to_utf16le), [1, 2]),
        new("utf-32le > utf-8", utf_32le, true, function!(convert_utf32_to_utf8), [4, 1]),
        new("utf-8 > utf-32le", utf_32le, false, function!(convert_valid_utf8_to_utf32), [1, 4]),
        new("latin1 > utf-8", ISO_8859_1, true, function!(convert_latin1_to_utf8), [1, 1]),
        new("utf-8 > latin1", ISO_8859_1, false, function!(convert_valid_utf8_to_latin1), [1, 1]),
    ]
}

/// Bytes that are aligned for units of UTF-32.
struct AlignedBytes {
    words: Vec<u32>,
    len: usize,
}

impl AlignedBytes {
    fn new(bytes: &[u8]) -> AlignedBytes {
        let mut aligned =
            AlignedBytes { words: vec![0; bytes.len().div_ceil(4)], len: bytes.len() };
        for (word, part) in aligned.words.iter_mut().zip(bytes.chunks(4)) {
            let mut whole = [0; 4];
            whole[..part.len()].copy_from_slice(part);
            *word = u32::from_ne_bytes(whole);
        }
        aligned
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the words have at least this number of bytes, each of which is valid.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }
}

/// Returns the text, repeated and cut to at most `len` bytes.
fn text_of_len(text: &str, len: usize) -> String {
    let mut repeated = text.repeat(len.div_ceil(text.len()) + 1);
    let boundary = (0..=len).rev().find(|at| repeated.is_char_boundary(*at));
    repeated.truncate(boundary.unwrap_or(0));
    repeated
}

/// Returns the time of one of `count` calls, in nanoseconds.
fn measure(count: u32, call: &mut dyn FnMut() -> usize) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        black_box(call());
    }
    start.elapsed().as_nanos() as f64 / f64::from(count)
}

/// Returns the least time of each call, in nanoseconds.
fn compare(calls: &mut [&mut dyn FnMut() -> usize]) -> Vec<f64> {
    let once = calls.iter_mut().map(|call| measure(3, *call)).fold(1.0, f64::max);
    let count = (SAMPLE.as_nanos() as f64 / once) as u32 + 1;
    let mut best = vec![f64::MAX; calls.len()];
    for _ in 0..SAMPLES {
        for (best, call) in best.iter_mut().zip(calls.iter_mut()) {
            *best = best.min(measure(count, *call));
        }
    }
    best
}

/// Returns the times of a conversion by charpipe and by simdutf.
fn convert(conversion: &Conversion, text: &str) -> Vec<f64> {
    let Conversion { name, encoding, decodes, function, units } = conversion;
    let encoded = encoding.encode_strict(text).expect("a text that the encoding has");
    let encoded = AlignedBytes::new(&encoded);
    let (input, expected) = match decodes {
        true => (encoded.bytes(), text.as_bytes()),
        false => (text.as_bytes(), encoded.bytes()),
    };
    let (mut own, mut buffer) = (vec![0; 4 * text.len() + 256], vec![0_u32; text.len() + 64]);
    let mut ours = || {
        let (result, _, written) = match decodes {
            true => encoding.new_decoder().decode_to_utf8(black_box(input), &mut own, true),
            false => encoding.new_encoder().encode_from_utf8(black_box(text), &mut own, true),
        };
        assert!(result == CoderResult::InputEmpty, "{name}: {result:?}");
        written
    };
    let mut theirs = || {
        let src = black_box(input);
        // SAFETY: the buffer has four bytes for each byte of UTF-8, of which no output has more, and both are
        // aligned.
        let len =
            unsafe { function(src.as_ptr(), src.len() / units[0], buffer.as_mut_ptr().cast()) };
        len * units[1]
    };
    let times = compare(&mut [&mut ours, &mut theirs]);
    let len = theirs();
    // SAFETY: simdutf has written this number of bytes.
    let output = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<u8>(), len) };
    assert!(output == expected, "{name}");
    assert!(own[..expected.len()] == *expected, "{name}");
    times
}

/// Returns the times to validate a text by charpipe, simdutf and simdutf8.
fn validate(text: &str) -> Vec<f64> {
    let bytes = text.as_bytes();
    let mut ours = || UTF_8.decode(black_box(bytes)).0.len();
    let mut theirs = || usize::from(simdutf::validate_utf8(black_box(bytes)));
    let mut rust = || simdutf8::basic::from_utf8(black_box(bytes)).map_or(0, str::len);
    compare(&mut [&mut ours, &mut theirs, &mut rust])
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_selected = |name: &str, text: &str| {
        arguments.iter().all(|one| name.replace(' ', "").contains(one.as_str()) || text == one)
    };
    println!(
        "| Conversion | Text | GB/s | 256 B | 64 KiB | 1 MiB |\n|---|---|---:|---:|---:|---:|"
    );
    let mut missed = [0; LENS.len()];
    let mut rows = 0;
    let mut print =
        |name: &str, text: &str, times: [Vec<f64>; LENS.len()], lens: [usize; LENS.len()]| {
            for other in 1..times[0].len() {
                let beside = if other == 2 { ", beside simdutf8" } else { "" };
                print!("| {name}{beside} | {text} | {:.1} |", lens[1] as f64 / times[1][0]);
                for (missed, times) in missed.iter_mut().zip(&times) {
                    *missed += usize::from(times[0] > times[other]);
                    print!(" {:.2} |", times[other] / times[0]);
                }
                println!();
                rows += 1;
            }
        };
    for (name, text) in TEXTS {
        if is_selected("utf-8>utf-8", name) {
            let texts = LENS.map(|len| text_of_len(text, len));
            let lens = texts.each_ref().map(String::len);
            print("utf-8, validated", name, texts.each_ref().map(|text| validate(text)), lens);
        }
    }
    for conversion in conversions() {
        for (name, text) in TEXTS {
            let is_encodable = conversion.encoding.encode_strict(text).is_ok();
            if !is_encodable || !is_selected(conversion.name, name) {
                continue;
            }
            let texts = LENS.map(|len| text_of_len(text, len));
            let lens = texts.each_ref().map(|text| match conversion.decodes {
                true => conversion.encoding.encode(text).0.len(),
                false => text.len(),
            });
            let times = texts.each_ref().map(|text| convert(&conversion, text));
            print(conversion.name, name, times, lens);
        }
    }
    println!("\nOf {rows} rows, {missed:?} are slower than the other at these lengths.");
}
