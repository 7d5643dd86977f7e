//! Tests of the transfer encodings, between bytes.

mod models;
mod programs;
mod random;

use crate::transform::inputs::Seeds;

/// Inputs of the contract for each transform.
pub const SEEDS: Seeds = &[
    ("base64", BASE64_SEEDS),
    ("base64url", BASE64_SEEDS),
    (
        "base32",
        &[
            "MZXW6YTBOI======\n",
            "MZXW6YTB\r\nMZXW6YTB\r\n",
            "MY",
            "MZ======",
            "M=======",
            "MZX=W6",
            "MZXW6Y==",
            "mzxw6",
            "MY======MY======",
        ],
    ),
    ("base32hex", &["CPNMUOJ1E8======", "CPNMUOJ1\nCPNMUOJ1\n", "CO", "CP======", "CPN"]),
    (
        "hex",
        &[
            "666F6f6261720a0D7e7f80FF",
            "66 6F\n6f 6",
            "0x66",
            "6",
            "00112233445566778899AABBCCDDEEFFg",
        ],
    ),
    (
        "qp",
        &[
            "=C3=A9=\n=c3=a9= \t\r\n \t",
            "a \t \n b\t\r\n c\r ",
            "=G1=1G=4\n==41=",
            "=4",
            "= x",
            "73 characters in this line, 73 characters in this line, 73 characters 73é\n",
            "74 characters in this line, 74 characters in this line, 74 characters 74. \n",
            "76 characters in this line, 76 characters in this line, 76 characters, 76...\r\n",
        ],
    ),
    ("percent", PERCENT_SEEDS),
    ("form", PERCENT_SEEDS),
    (
        "byte-escapes",
        &[
            "caf\\xC3\\xA9 caf\\303\\251 C:\\xC3\\\\xC3\n",
            "\\a\\b\\t\\n\\v\\f\\r\\\"\\'\\\\\\0\\12\\q\\",
            "\\xG1\\x1G\\x4\\x",
            "\\400\\4é\\30",
            "\\30\\8\\\n\\377",
        ],
    ),
    (
        "uuencode",
        &[
            "text\nbegin 644 cat.txt\n#0V%T\n`\nend\nmore\nbegin 0644 x\r\n#0V%T\r\n \r\nend",
            "begin 644 a\n#0V%\n#0V%TTT\n#0a%T\n\n`\nendx\n`\nend\n",
            "begin 644 a\n#0V%T\nend\n",
            "begin 644 a\n\nend\n",
            "begin 644 a\n`x\nend\n",
            "begin 64 a\nbegin\nbegi",
        ],
    ),
];

const BASE64_SEEDS: &[&str] = &[
    "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9v\r\nYmE=\r\n",
    "Zm9vYmFyZm9vYmFyZm9v\nYmFyZm9vYmFyZm9vYmFy\nZ g\t=\n=",
    "Zg",
    "Zg=",
    "Zg===",
    "Zh==",
    "Z",
    "Zg==Zg==",
    "Zg=Z",
    "Zm*9v",
    "====",
    "+/+/-_-_",
];

const PERCENT_SEEDS: &[&str] =
    &["a+b%20c%C3%a9&x=y%2B\r\n", "%G1%1G%4%%41%", "%4", "<a b>\r\r\n", "http://host/?a[0]=b#c"];
