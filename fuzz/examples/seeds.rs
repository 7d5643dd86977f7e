//! Writes the first inputs of every target into `corpus/TARGET/`, from the encodings that there are
//! and the vectors in `tests/data/`: `cargo run --manifest-path fuzz/Cargo.toml --example seeds`.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use charpipe::ErrorAction;
use charpipe::internals::encoding::ALL;
use charpipe::internals::encoding::alias;
use charpipe::{EncodingSpec, TranscodeOptions};
use charpipe_fuzz::cases::case_bytes;
use charpipe_fuzz::transform::{transform_case_bytes, transform_labels};
use serde_json::Value;

/// Texts that many encodings have, and some that few have.
const TEXTS: &[&str] = &[
    "Az09 ~\\+&-\r\n\t\u{E9}\u{FF}",
    "caf\u{E9} \u{20AC}5 \u{410}\u{411}\u{44F} \u{3B1}\u{3C9}",
    "\u{65E5}\u{672C}\u{8A9E}\u{FF71}\u{3042}\u{4E00}\u{AC00}\u{D55C}",
    "\u{FEFF}a\u{1F600}\u{10FFFF}\u{E000}\u{FFFD}",
    "\u{5D0}\u{627}\u{E01}\u{B85}\u{BCA}\u{CA}\u{304}\u{304B}\u{309A}",
];

/// Bytes that mean something somewhere.
const BYTE_SEQUENCES: &[&[u8]] = &[
    b"\x1B$B0!\x1B(B\x1B(J\\~\x1B(I1\x1B$(D0!\x0E0!\x0F\x1BN0!",
    b"\x1B$)A\x0E0!\x0F\x1B$)C~{0!~}~~",
    b"a\x80\xC3\xA9\xE2\x82\xAC\xED\xA0\x80\xF0\x9F\x98\x80\xF5\xC0\xAF\xFE\xFF",
    b"\xFF\xFEa\0\xD8\x00\x00\xD8\x00\x00\xFE\xFF\xDC\x00",
    b"+AOk-+2D3eAA-&AOk-+-&-\\u00e9\\U0001F600",
];

/// What decoders of transforms accept, and some errors.
const TRANSFORM_INPUTS: &[&[u8]] = &[
    b"Zm9v\r\nYm-_ +/E=\nZh==",
    b"MZXW6YTB\nOI======CPNG",
    b"66 6f\n6F",
    b"=C3=a9= \n \t\r\n=G1 =4",
    b"a+b%C3%a9&x=%G1\r\n%4",
    b"x\nbegin 644 a\n#0V%T\n!0\n`\nend\n",
];

/// Files that define encodings.
const MAPPING_FILES: &[&[u8]] = &[
    b"0x41 0x0041\n0x80 0x20AC # EURO SIGN\n0x8140 0x3042\n0x81 0x0061+0x0300\n",
    b"<code_set_name> \"x\"\n<mb_cur_max> 2\nCHARMAP\n<U0041> \\x41 |0\n<U20AC> \\x80 |1\n<U3042> \\x81\\x40 |3\nEND CHARMAP\n",
    b"<code_set_name> x\n<escape_char> /\nCHARMAP\n<U0041> /x41 A\n<U0042>..<U0044> /x42 B\nEND CHARMAP\n",
];

/// The space, the sizes and the repetition that are chosen for each content.
const CHUNKINGS: &[[u8; 5]] = &[[0, 1, 1, 1, 0], [12, 3, 0, 7, 8]];

fn seed(target: &str, parts: &[&[u8]]) {
    let content = parts.concat();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&directory).unwrap();
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    fs::write(directory.join(format!("seed-{:016x}", hasher.finish())), content).unwrap();
}

/// A text in an encoding, without the characters that are unmappable in it.
fn encoded(to: &EncodingSpec, text: &str) -> Vec<u8> {
    let mut options = TranscodeOptions::new(charpipe::UTF_8, to.clone());
    options.error_policy.unmappable = ErrorAction::Skip;
    let mut writer = charpipe::TranscodeWriter::new(Vec::new(), &options).unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

/// Each encoding by itself, and each of its options.
fn labels() -> Vec<String> {
    let options = ALL.iter().flat_map(|encoding| {
        let name = encoding.name();
        encoding.options.iter().map(move |key| {
            let value = key.values.to_string();
            let value = value.split(['|', '.']).next().unwrap().replace("ENCODING", "utf-8");
            format!("{name}:{}={value}", key.name)
        })
    });
    let labels = ALL.iter().map(|encoding| encoding.name().to_owned()).chain(options);
    let headers = ["RFC2047", "RFC2047:strict"].map(str::to_owned);
    let printed = |label: String| label.parse::<EncodingSpec>().unwrap().to_string();
    labels.chain(headers).map(printed).collect()
}

fn seed_encodings() {
    let utf_8 = case_bytes("UTF-8").unwrap();
    for (index, label) in labels().iter().enumerate() {
        let Some(choice) = case_bytes(label) else { continue };
        let encoding: EncodingSpec = label.parse().unwrap();
        let text = TEXTS.concat();
        let bytes =
            [encoded(&encoding, &text), BYTE_SEQUENCES[index % BYTE_SEQUENCES.len()].to_vec()]
                .concat();
        let policy = [index as u8 % 14, (index / 14) as u8 % 14];
        for manner in CHUNKINGS {
            seed("decode", &[&choice, manner, &bytes]);
            seed("encode", &[&choice, manner, text.as_bytes()]);
        }
        seed("convert", &[&choice, &utf_8, &policy, &[0, 3, 0, 0], &bytes]);
        seed("convert", &[&utf_8, &choice, &policy, &[1, 9, 3, 1], text.as_bytes()]);
        for (from, to, content) in
            [(&choice, &utf_8, &bytes[..]), (&utf_8, &choice, text.as_bytes())]
        {
            let lines = [content, b"\n"].concat();
            seed("ranges", &[from, to, &policy, &[5, 0, 3], &lines]);
            seed("threads", &[from, to, &policy, &[1, 30, 0, 3], &lines]);
            seed("streams", &[from, to, &policy, &[7, 2, 3, 0, 1], &lines]);
            seed("iconv", &[from, to, &[2, index as u8, 0, 1], &lines]);
        }
        seed("chain", &[&[1], &utf_8, &[0], &choice, &utf_8, &policy, &[2, 0, 0], text.as_bytes()]);
        seed("error_policies", &[&choice, &[4, 0], &bytes]);
        seed("check", &[&choice, &[4, index as u8, 1, 1, 1], &bytes]);
        seed("detect", &[&[3, 5, 7, 0, 3], &bytes]);
        seed("labels", &[label.as_bytes()]);
    }
}

fn seed_encoding_standard() {
    for encoding in 0..37 {
        for label in ["utf-8", "utf-16be", "euc-jp", "gb18030", "iso-2022-jp", "sjis", "big5"] {
            let bytes = encoded(&label.parse().unwrap(), &TEXTS.concat());
            seed("encoding_standard", &[&[encoding, 0, 0], &bytes]);
            seed("utf8", &[&[7, 5, 2], &bytes]);
        }
    }
    for bytes in BYTE_SEQUENCES {
        seed("utf8", &[&[7, 5, 2], bytes]);
        seed("encoding_standard", &[&[33, 0, 0], bytes]);
    }
}

/// Text in each direction of each transform, and what has a meaning in some of them.
fn seed_transforms() {
    for label in transform_labels() {
        let choice = transform_case_bytes(label).unwrap();
        for manner in CHUNKINGS {
            for content in TRANSFORM_INPUTS {
                seed("transform", &[&choice, &[1], manner, content]);
            }
            seed("transform", &[&choice, &[0], manner, TEXTS.concat().as_bytes()]);
        }
        let utf_8 = case_bytes("UTF-8").unwrap();
        let steps = [[1].as_slice(), &choice].concat().repeat(2);
        let text = TEXTS.concat();
        seed("chain", &[&[2], &utf_8, &steps, &utf_8, &[1, 1, 2, 0, 0], text.as_bytes()]);
    }
}

/// Lines of many languages, garbled in each code page.
fn seed_repairs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/detection/everyday.txt");
    let texts = fs::read_to_string(path).unwrap();
    let lines = texts.lines().filter(|line| !line.is_ascii());
    for (index, line) in lines.enumerate().step_by(5) {
        let [page, times, mask] = [index as u8 / 5 % 12, 1 + index as u8 % 3, index as u8 | 1];
        let lines = [line, "\n"].concat();
        seed("repair", &[&[9, 1, 0, 7, page, times, mask, index as u8 % 3], lines.as_bytes()]);
    }
}

/// Inputs and outputs of the vectors.
fn seed_vectors() {
    for file in ["rfc2047.jsonl", "utf.jsonl"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(file);
        for line in fs::read_to_string(path).unwrap().lines() {
            let vector: Value = serde_json::from_str(line).unwrap();
            let bytes = STANDARD.decode(vector["input_b64"].as_str().unwrap()).unwrap();
            let known = |key: &str| case_bytes(vector[key].as_str()?);
            if let (Some(from), Some(to)) = (known("from"), known("to")) {
                seed("convert", &[&from, &to, &[1, 1, 0, 2, 0, 0], &bytes]);
                seed("decode", &[&from, &CHUNKINGS[1], &bytes]);
            }
            seed("header_decode", &[&[0, 0, 0, 0], &bytes]);
            seed("header_decode", &[&[1, 1, 0, 0], &bytes]);
            let text = vector["expect_utf8"].as_str().unwrap_or("");
            seed("header_encode", &[&[0, 1, 0, 0], text.as_bytes()]);
            seed("header_encode", &[&[3, 0, 0, 0], text.as_bytes()]);
        }
    }
}

fn seed_encoded_words() {
    for known in alias::all().step_by(7) {
        seed("labels", &[known.name.as_bytes()]);
        seed("labels", &[b"libiconv:", known.name.as_bytes()]);
    }
    for (word, _) in ErrorAction::NAMES {
        seed("labels", &[word.as_bytes()]);
    }
    for word in ["keep", "strip", "add", "any", "forbid", "require", "lf", "crlf", "same"] {
        seed("labels", &[word.as_bytes()]);
    }
}

/// A mapping file of each format.
fn seed_mappings() {
    for file in MAPPING_FILES {
        for manner in CHUNKINGS {
            seed("user_defined", &[&manner[..4], file, b"\0A\x80\x81\x40\x81\xFF\xE2\x82\xAC"]);
        }
    }
}

fn main() {
    seed_mappings();
    seed_encodings();
    seed_encoding_standard();
    seed_vectors();
    seed_encoded_words();
    seed_transforms();
    seed_repairs();
}
