//! What is binary and what is text.

use super::*;

fn binary_reason(bytes: &[u8], encoding: &str) -> Option<BinaryReason> {
    let encoding = (!encoding.is_empty()).then(|| encoding.parse().unwrap());
    let whole = scan_reader(&mut &*bytes, encoding.as_ref()).unwrap();
    for size in [1, 2, 3, 7, 100] {
        let mut scan = BinaryScanner::new(encoding.as_ref());
        for chunk in bytes.chunks(size) {
            if scan.is_done() {
                break;
            }
            scan.feed(chunk);
        }
        assert_eq!(scan.finish(), whole, "{size}");
    }
    whole
}

#[test]
fn reason_depends_on_the_encoding() {
    let text = "Tout était prêt, à l’heure où l’été s’achève.\n".repeat(20);
    let in_encoding = |name: &str| crate::transcode("UTF-8", name, text.as_bytes()).unwrap();
    let stray = [&in_encoding("cp1252")[..], b"\x01"].concat();
    let many = [&in_encoding("cp1252")[..], &[1; 20]].concat();
    for (bytes, encoding, expected) in [
        (&b""[..], "latin1", None),
        (b"", "utf-16", None),
        (b"\xE9", "latin1", None),
        (b"caf\xE9\r\n\x1A", "cp437", None),
        (b"caf\xE9\0", "latin1", Some(BinaryReason::Nul)),
        (b"caf\xE9\x02", "latin1", Some(BinaryReason::ControlChars)),
        // C1 control characters, and letters with the same codes.
        (b"caf\x82 \x94 \x93\n", "latin1", Some(BinaryReason::ControlChars)),
        (b"caf\x82 \x94 \x93\n", "cp437", None),
        (&stray, "cp1252", None),
        (&many, "cp1252", Some(BinaryReason::ControlChars)),
        // UTF-8 is evidence in itself.
        ("é \u{16}é and some more text\n".as_bytes(), "utf-8", None),
        // Vietnamese letters in the position of control characters, and EBCDIC.
        (b"\x02\x05\x06 \xE9\n", "viscii", None),
        (b"\x83\x81\x86\x25", "cp037", None),
        (b"\x03\x11\x83\x81", "cp037", Some(BinaryReason::ControlChars)),
        (b"\x1B$)C\x0E0!\x0F\n", "iso-2022-kr", None),
        (b"a\0\xE9\0", "utf-16le", None),
        (b"\xE9\0", "utf-16le", None),
        (b"\x01\0\x02\0", "utf-16le", Some(BinaryReason::ControlChars)),
        (&in_encoding("utf-16"), "utf-16", None),
        (&in_encoding("utf-16le"), "latin1", Some(BinaryReason::Nul)),
        (b"\x9A\x30\x21\xB1\x7F\xA5\xC3\x14\xE1\xEE", "utf-16be", Some(BinaryReason::RandomBytes)),
        (b"Subject: =?utf-8?q?=01?=\n", "rfc2047", None),
        (b"BZh91AY&SY\x94\xE5", "utf-16le", Some(BinaryReason::Signature("bzip2"))),
        (b"%PDF-1.4\n", "", Some(BinaryReason::Signature("PDF"))),
    ] {
        assert_eq!(binary_reason(bytes, encoding), expected, "{encoding} {bytes:?}");
    }
}
