//! The examples of RFC 1642 and RFC 2152, and RFC 1642's appendix A.

use crate::encoding::testing::{decode_every_way, encode_every_way};

#[test]
fn rfc_examples_decode() {
    for (wire, text) in [
        // RFC 1642 and RFC 2152.
        ("A+ImIDkQ.", "A\u{2262}\u{391}."),
        ("Hi Mom +Jjo-!", "Hi Mom \u{263A}!"),
        ("Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!"),
        ("+ZeVnLIqe-", "\u{65E5}\u{672C}\u{8A9E}"),
        ("Item 3 is +AKM-1.", "Item 3 is \u{A3}1."),
    ] {
        assert_eq!(decode_every_way("UTF-7", wire.as_bytes()), (text.to_owned(), vec![]));
    }
}

#[test]
fn rfc_examples_encode_with_set_o_direct() {
    for (wire, text) in [
        ("A+ImIDkQ.", "A\u{2262}\u{391}."),
        ("Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!"),
        ("+ZeVnLIqe-", "\u{65E5}\u{672C}\u{8A9E}"),
        ("Item 3 is +AKM-1.", "Item 3 is \u{A3}1."),
    ] {
        assert_eq!(encode_every_way("UTF-7:optional=direct", text).0, wire.as_bytes(), "{wire}");
    }
}

const APPENDIX_A: &str = include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.utf8");
const WITH_SET_O: &str = include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.set-o.utf7");
const WITHOUT_SET_O: &str =
    include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.no-set-o.utf7");
const CLOSE_NEEDED: &str =
    include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.needed.utf7");

#[test]
fn rfc_1642_appendix_a_round_trips() {
    assert_eq!(APPENDIX_A.len(), 1280);
    for (label, wire, len) in [
        ("UTF-7:optional=direct,close=always", WITH_SET_O, 1294),
        ("UTF-7:close=always", WITHOUT_SET_O, 1330),
        ("UTF-7", CLOSE_NEEDED, 1317),
    ] {
        assert_eq!(wire.len(), len);
        assert!(encode_every_way(label, APPENDIX_A).0 == wire.as_bytes(), "{label}");
        let decoded = decode_every_way("UTF-7", wire.as_bytes());
        assert!(decoded == (APPENDIX_A.to_owned(), vec![]), "{label}");
    }
}

#[test]
fn eol_keep_preserves_line_endings_between_mailbox_names() {
    let (text, wire) = ("Entwürfe\r\n台北\n&a\né", &b"Entw&APw-rfe\r\n&U,BTFw-\n&-a\n&AOk-"[..]);
    assert_eq!(encode_every_way("UTF-7-IMAP:eol=keep", text), (wire.to_vec(), vec![]));
    assert_eq!(decode_every_way("UTF-7-IMAP:eol=keep", wire), (text.to_owned(), vec![]));
    // Without the option a line end is part of the one name.
    assert_eq!(encode_every_way("UTF-7-IMAP", "a\nb").0, b"a&AAo-b");
    assert_eq!(decode_every_way("UTF-7-IMAP", b"a\nb").1.len(), 1);
    for malformed in [&b"&AAo-"[..], b"&AOk\n", b"&AOk-&AOk-"] {
        assert_eq!(decode_every_way("UTF-7-IMAP:eol=keep", malformed).1.len(), 1, "{malformed:?}");
    }
    // Each name begins again: a run may follow one of the line before.
    assert_eq!(decode_every_way("UTF-7-IMAP:eol=keep", b"&AOk-\n&AOk-").1, []);
}
