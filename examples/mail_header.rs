//! Decodes and encodes header fields of mail (RFC 2047).
//!
//!     cargo run --no-default-features --features rfc2047 --example mail_header

use charpipe::rfc2047;

fn main() {
    let subject = rfc2047::decode(b"Subject: =?iso-8859-1?Q?caf=E9?= =?iso-8859-1?Q?_noir?=");
    println!("{subject}");
    assert_eq!(subject, "Subject: café noir");

    let field = rfc2047::encode("To: Zoë <zoe@example.org>").expect("the address is ASCII");
    println!("{field}");
    assert_eq!(field, "To: =?UTF-8?Q?Zo=C3=AB?= <zoe@example.org>");
}
