//! The allocations of conversions of whole texts that are short.

use std::borrow::Cow;

use charpipe::Encoding;

use crate::allocation;

/// Calls `convert`, and returns its result with the number of allocations and of their bytes.
fn counted<T>(convert: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = (allocation::count(), allocation::bytes());
    let result = convert();
    (result, allocation::count() - before.0, allocation::bytes() - before.1)
}

/// Returns a text of characters that the encoding has, not all of them ASCII if it has others.
fn text_in(encoding: &'static Encoding, count: usize) -> String {
    let is_mapped = |character: &char| {
        let text = character.to_string();
        let bytes = encoding.encode_strict(&text);
        bytes.is_ok_and(|bytes| encoding.decode_strict(&bytes).is_ok_and(|back| back == text))
    };
    let characters: Vec<char> = "aéЖב日本한ไ".chars().filter(is_mapped).collect();
    characters.into_iter().cycle().take(count).collect()
}

#[test]
fn a_short_text_takes_one_allocation_of_its_length() {
    for encoding in Encoding::all() {
        for count in [1, 7, 16, 64, 250] {
            let text = text_in(encoding, count);
            let Ok(bytes) = encoding.encode_strict(&text) else { continue };
            if bytes.is_empty() || encoding.decode_strict(&bytes).ok().as_deref() != Some(&text) {
                continue;
            }
            let decoded = [
                counted(|| encoding.decode(&bytes).0.len()),
                counted(|| encoding.decode_strict(&bytes).map_or(0, |text| text.len())),
            ];
            let encoded = [
                counted(|| encoding.encode(&text).0.len()),
                counted(|| encoding.encode_strict(&text).map_or(0, |bytes| bytes.len())),
            ];
            for (len, allocations, size) in decoded.into_iter().chain(encoded) {
                assert!(allocations <= 1 && size <= len, "{encoding:?} {count}: {len} {size}");
            }
        }
    }
}

#[test]
fn a_long_text_takes_few_allocations_of_little_more_than_its_length() {
    for encoding in [charpipe::WINDOWS_1251, charpipe::UTF_16LE, charpipe::WHATWG_SHIFT_JIS] {
        let text = "Все люди рождаются. ".repeat(5000);
        let bytes = encoding.encode(&text).0.into_owned();
        // The first call makes tables, which all codecs share.
        assert!(!encoding.decode(&bytes).1);
        let (decoded, count, size) = counted(|| encoding.decode(&bytes).0);
        assert!(decoded == text && count == 1, "{encoding:?} {count}");
        assert!(size <= text.len() + text.len() / 32, "{encoding:?} {size}");
        let (encoded, count, size) = counted(|| encoding.encode(&text).0);
        assert!(*encoded == bytes && count == 1, "{encoding:?} {count}");
        assert!(size <= bytes.len() + bytes.len() / 32, "{encoding:?} {size}");
    }
}

#[test]
fn a_short_input_is_transcoded_with_short_buffers() {
    let text = "Все люди рождаются свободными. ";
    for (from, to) in [("utf-8", "koi8-r"), ("utf-8", "utf-16le"), ("utf-8/crlf", "iso-2022-jp")] {
        let options = charpipe::TranscodeOptions::from_labels(from, to).unwrap();
        // The first call makes tables, which all codecs share.
        options.transcode(text.as_bytes()).unwrap();
        let (result, _, size) = counted(|| options.transcode(text.as_bytes()).unwrap());
        assert!(!result.is_empty() && size <= 5 << 10, "{from} {to}: {size}");
    }
}

#[test]
fn ascii_is_borrowed_without_an_allocation() {
    let text = "Plain text of 26 letters. ".repeat(3);
    for encoding in Encoding::all().filter(|encoding| encoding.is_ascii_compatible()) {
        for len in [0, 1, 16, text.len()] {
            let text = &text[..len];
            let convert = || {
                let is_borrowed = [
                    matches!(encoding.decode(text.as_bytes()).0, Cow::Borrowed(_)),
                    matches!(encoding.decode_strict(text.as_bytes()), Ok(Cow::Borrowed(_))),
                    matches!(encoding.encode(text).0, Cow::Borrowed(_)),
                    matches!(encoding.encode_strict(text), Ok(Cow::Borrowed(_))),
                ];
                is_borrowed == [true; 4]
            };
            // The first call makes codecs, to see what they do with ASCII.
            assert!(convert(), "{encoding:?}");
            assert_eq!(counted(convert), (true, 0, 0), "{encoding:?}");
        }
    }
}
