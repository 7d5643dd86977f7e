//! The decoder examines each byte of any input only a few times.

use super::HeaderDecoder;
use crate::rfc2047::{RFC_2047, work_counter};
use charpipe_encoding::codec::{Checkpoint, DecodeStage, Progress, Status};
use charpipe_encoding::encoding::EncodingOptions;

/// How often a byte is examined, at most.
const OFTEN: u64 = 8;

/// Bytes that are examined again at an error, where a call begins: those that are examined first, and
/// text among them that resembles an encoded-word.
const ERROR: u64 = 256;

/// Bytes that are examined in any input.
const START: u64 = 1024;

/// Bytes that come in at a time, and space for what comes out.
const BLOCK: usize = 64 * 1024;

/// Options of the decoder.
const OPTIONS: [&str; 2] = ["", "strict"];

/// The starts of header fields.
const STARTS: [&[u8]; 3] = [b"", b"To: ", b"Subject: "];

/// Pieces of header fields, and text that resembles them.
const TOKENS: [&[u8]; 60] = [
    b"a",
    b"a\xFF",
    b"\xFF",
    b"\xC3\xA9",
    b"\xE2\x82",
    b" ",
    b"\t \t \t ",
    b"\n",
    b"\r\n",
    b"\r",
    b"\r\n ",
    b"\n\t",
    b"a:\n",
    b"To:\xFF\n",
    b"\xFF\n",
    b"=",
    b"?",
    b"=?",
    b" =?",
    b"?=",
    b"(",
    b")",
    b"\"",
    b"\\",
    b"<",
    b"@",
    b"=?utf-8?q?",
    b"=?utf-8?b?",
    b"=?utf-8?q?a",
    b"=?utf-8?q?=41?=",
    b"=?utf-8?q?=FF?=",
    b"=?utf-8?q?=FF=0Aabcde=E2=82?=",
    b"=?utf-8?q?=E2?=",
    b"=?utf-8?q?=82=AC?=",
    b"=?utf-8?q??=",
    b"=?utf-8?b??=",
    b"=?utf-8?b?-?=",
    b"=?utf-8?b?w?=",
    b"=?utf-8?b?6k?=",
    b"=?utf-8?b?5Lit5?=",
    b"=?utf-8?b?paH?=",
    b"=?utf-8?b?//////////8=?=",
    b"=?utf-8?b?AAAAAAAAAAA=?=",
    b"=?utf-8?b?QUFBQUFBQUE=?=",
    b"=?utf-8?b?Q-U\r\n F B=Q?=",
    b"=?utf-8*en?q?a?=",
    b"=?koi8-u?q?=C1?=",
    b"=?nope?q?a?=",
    b"=?utf-7?q?+AOk?=",
    b"=?utf-7?q?+2AA-?=",
    b"=?utf-16?b?/v8AYQ==?=",
    b"=?utf-16be?b?AAoACgAK?=",
    b"=?iso-2022-jp?b?GyRCJCIbKEI=?=",
    b"=?iso-2022-jp?b?GyRCJCI=?=",
    b"=?iso-2022-jp?q?=FF=0E?=",
    b"=?gb18030?q?=81=30=81?=",
    b"=?shift_jis?q?=81=FF?=",
    b"=?us-ascii?q?=80=81=82?=",
    b"=?utf-8?q?a?=@",
    b"<=?utf-8?q?a?=>",
];

/// Decodes all as the transcoder does: block by block, with what was left unread before the next.
/// Returns the number of examined bytes, and of errors.
fn work(options: &str, input: &[u8]) -> (u64, u64) {
    let encoding_options = EncodingOptions::parse(options, RFC_2047.options).unwrap();
    let mut decoder = HeaderDecoder::new(&encoding_options);
    let mut space = vec![0; BLOCK + decoder.max_lookahead()];
    let (mut at, mut seen, mut errors) = (0, 0, 0);
    work_counter::take();
    loop {
        let end = seen == input.len();
        let Progress { read, status: stop, .. } = decoder.decode(&input[at..seen], &mut space, end);
        at += read;
        match stop {
            Status::Error(error) => {
                at += error.resume_len;
                decoder.restore_state(error.resume_state);
                errors += 1;
            }
            Status::OutputFull => {}
            Status::InputEmpty if end => return (work_counter::take(), errors),
            Status::InputEmpty => seen = input.len().min(seen + BLOCK),
        }
    }
}

/// Checks a repeated piece after a start, in a size and in four times that, both within a header
/// field.
fn is_little_work(options: &str, front: &[u8], piece: &[u8]) {
    for size in [15_000, 60_000] {
        let input = [front, &piece.repeat(size / piece.len())].concat();
        let (examined, errors) = work(options, &input);
        let most = OFTEN * input.len() as u64 + ERROR * errors + START;
        let shown = [front, &piece[..piece.len().min(60)]].concat().escape_ascii().to_string();
        let often = examined as f64 / input.len() as f64;
        assert!(examined <= most, "{options}: {shown}: {often} a byte, {errors} errors");
    }
}

#[test]
fn anything_repeated_is_little_work() {
    for (index, options) in OPTIONS.into_iter().enumerate() {
        for (token, front) in TOKENS.iter().zip(STARTS.iter().cycle().skip(index)) {
            is_little_work(options, front, token);
            is_little_work(options, front, &[token, &b" "[..]].concat());
        }
    }
}

#[test]
fn text_that_resembles_encoded_words_is_copied_at_once() {
    // A byte is searched for the start of an encoded-word, examined as one, and copied.
    let input = b"=?".repeat(10_000);
    for options in OPTIONS {
        let (examined, _) = work(options, &input);
        assert!(examined <= 3 * input.len() as u64 + START, "{options}: {examined}");
    }
}

#[test]
fn the_text_of_a_long_word_is_little_work() {
    let q: [&[u8]; 9] =
        [b"a", b"=FF", b"\xFF", b"=41=FF", b"aaaaaa=0A", b"=E2=80=A8", b"?", b"=", b"\r\n "];
    let b: [&[u8]; 9] = [b"////", b"AAAA", b"QUFB", b"QUEK", b"-", b"=", b"Q=", b"4oCo", b"\r\n "];
    let texts = q.map(|text| ('q', text)).into_iter().chain(b.map(|text| ('b', text)));
    let texts: Vec<_> =
        texts.map(|(form, text)| (form, text.repeat(20_000 / text.len()))).collect();
    for charset in ["utf-8", "us-ascii", "utf-16", "utf-7", "iso-2022-jp", "gb18030"] {
        for (form, text) in &texts {
            let front = format!("=?{charset}?{form}?");
            is_little_work("", b"", &[front.as_bytes(), text, b"?= "].concat());
        }
    }
}

#[test]
fn any_mixture_is_little_work() {
    let mut random = 1_u64;
    let mut below = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % most
    };
    for round in 0..300 {
        let mut piece = Vec::new();
        for _ in 0..1 + below(6) {
            let token = TOKENS[below(TOKENS.len())];
            let most = [1, 1, 1, 300][below(4)];
            piece.extend(token.repeat(1 + below(most)));
        }
        is_little_work(OPTIONS[round % OPTIONS.len()], STARTS[below(STARTS.len())], &piece);
    }
}
