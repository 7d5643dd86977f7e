//! The argument vectors of the differential test.

use std::collections::BTreeSet;
use std::fmt;

/// Locales that are generated: name, source, charmap.
pub const LOCALES: [(&str, &str, &str); 4] = [
    ("de_DE", "de_DE", "ISO-8859-1"),
    ("da_DK.utf8", "da_DK", "UTF-8"),
    ("ja_JP.eucjp", "ja_JP", "EUC-JP"),
    ("ru_RU.koi8r", "ru_RU", "KOI8-R"),
];

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Vector {
    pub environment: Vec<(String, String)>,
    pub arguments: Vec<String>,
}

impl Vector {
    fn new(arguments: &[&str]) -> Vector {
        Vector {
            environment: Vec::new(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        }
    }

    fn with(mut self, name: &str, value: &str) -> Vector {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Whether the run may write files.
    pub fn writes(&self) -> bool {
        self.arguments.iter().any(|argument| argument.contains("-o") || argument.starts_with("--o"))
    }

    pub fn is_localized(&self) -> bool {
        self.environment.iter().any(|(name, _)| name == "LC_CTYPE" || name == "LC_ALL")
    }

    pub fn variable(&self, name: &str) -> Option<&str> {
        let found = self.environment.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|other| other == argument)
    }
}

/// A shell command, which is also the key of a stored result.
impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}={value} ")?;
        }
        f.write_str("iconv")?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument:?}"))
    }
}

/// Returns all vectors.
pub fn all() -> Vec<Vector> {
    let mut vectors = BTreeSet::new();
    options(&mut vectors);
    names(&mut vectors);
    errors(&mut vectors);
    inputs(&mut vectors);
    outputs(&mut vectors);
    locales(&mut vectors);
    vectors.into_iter().collect()
}

const LONG: [&str; 9] = [
    "from-code",
    "to-code",
    "list",
    "output",
    "silent",
    "verbose",
    "program-name",
    "HANG",
    "nothing",
];

fn options(vectors: &mut BTreeSet<Vector>) {
    let mut add = |arguments: &[&str]| vectors.insert(Vector::new(arguments));
    for name in LONG.into_iter().filter(|name| *name != "list") {
        for len in 0..=name.len() {
            let prefix = format!("--{}", &name[..len]);
            if prefix == "--" || "--list".starts_with(&prefix) {
                continue;
            }
            for argument in [prefix.clone(), format!("{prefix}=utf8"), format!("{prefix}=")] {
                // Without a number of seconds it sleeps for an hour.
                if argument.starts_with("--H") && !argument.contains('=') {
                    continue;
                }
                add(&[&argument]);
                add(&[&argument, "latin1", "ok"]);
                add(&["ok", &argument, "-t", "utf8"]);
                add(&[&argument, "-x"]);
            }
        }
    }
    for argument in [
        "-x",
        "-cx",
        "-f",
        "-t",
        "-o",
        "-cf",
        "-",
        "--",
        "-l=",
        "-W",
        "-h",
        "--li=a",
        "--list=",
        "--v",
        "--ve",
        "--ver",
        "--vers=1",
        "--h=1",
        "--us=1",
        "--u=",
        "--=",
        "--=x",
        "---",
        "-c-",
        "--From-code",
        "--from_code",
        "-\u{e9}",
        "--\u{e9}",
        "-C",
        "-F",
        "-i",
        "-v",
        "-0",
        "-1",
        "--c",
        "-cs",
        "-scs",
        "-futf8",
        "-tutf16le",
        "-cftf8",
        "-lx",
        "-cc",
        "--silent",
        "--sil",
        "--verbose",
    ] {
        add(&[argument]);
        add(&[argument, "ok"]);
        add(&["ok", argument]);
        add(&["-f", "utf8", argument, "-t", "utf16le", "ok"]);
        add(&["ok", "-f", "utf8", "-t", "utf16be", argument]);
        add(&["-f", argument, "-t", "utf8", "ok"]);
        vectors_posix(argument).into_iter().for_each(|arguments| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            add(&arguments);
        });
    }
    // Every order of options and operands.
    let parts: [&[&str]; 4] = [&["-f", "utf8"], &["-tutf16le"], &["-c"], &["text"]];
    for order in permutations(parts.len()) {
        let arguments: Vec<&str> = order.iter().flat_map(|part| parts[*part]).copied().collect();
        vectors.insert(Vector::new(&arguments));
        vectors.insert(Vector::new(&arguments).with("POSIXLY_CORRECT", "1"));
        let mut ended = arguments.clone();
        ended.insert(2, "--");
        vectors.insert(Vector::new(&ended));
        ended.extend(["--", "-x"]);
        vectors.insert(Vector::new(&ended));
    }
    for arguments in [
        &["-f", "latin1", "-f", "utf8", "-t", "utf16", "-t", "latin1", "latin"][..],
        &["-o", "first", "-o", "second", "ok"],
        &["-f", "utf8", "-f", "", "ok"],
        &["--program-name=zork", "missing"],
        &["--program-name=/a/zork", "-x"],
        &["--program-name", "zork", "-f", "x", "-t", "y"],
        &["--", "-x"],
        &["-"],
        &["-", "-"],
        &["ok", "-", "ok"],
    ] {
        vectors.insert(Vector::new(arguments));
    }
}

fn vectors_posix(argument: &str) -> Vec<Vec<String>> {
    let long = |text: &str| text.to_owned();
    vec![
        vec![long("--silent"), argument.to_owned(), long("--verbose"), long("invalid")],
        vec![argument.to_owned(), argument.to_owned()],
    ]
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, count - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |at| insert(order, at))).collect()
}

const SUFFIXES: [&str; 24] = [
    "",
    "/",
    "//",
    "///",
    "////",
    ",",
    "//,",
    "//TRANSLIT",
    "//translit",
    "//IGNORE",
    "//Ignore",
    "//TRANSLIT//IGNORE",
    "//IGNORE//TRANSLIT",
    "//TRANSLIT,IGNORE",
    "//TRANSLIT/IGNORE",
    "/TRANSLIT",
    "//TRANSLITX",
    "//FOO",
    "// TRANSLIT",
    "//TRANSLIT ",
    "//TRANSLIT,FOO",
    "//FOO//TRANSLIT",
    ",TRANSLIT",
    "/IGNORE/TRANSLIT",
];

fn names(vectors: &mut BTreeSet<Vector>) {
    let mut add = |arguments: &[&str]| vectors.insert(Vector::new(arguments));
    for suffix in SUFFIXES {
        for name in ["latin1", "UTF-8", "ISO-10646/UTF8", "", "nonsense", "us-ascii"] {
            let name = format!("{name}{suffix}");
            add(&["-f", "utf8", "-t", &name, "text"]);
            add(&["-f", &name, "-t", "utf16le", "text"]);
            add(&["-c", "-f", "utf8", "-t", &name, "worse"]);
            add(&["-f", &name, "-t", &name, "ok"]);
        }
    }
    for name in [
        "utf8",
        "UTF8",
        "Utf-8",
        "utf_8",
        "utf--8",
        " utf8",
        "utf8 ",
        "utf 8",
        "utf8\t",
        "u t f 8",
        "UTF-8:x",
        "utf8:bom",
        "utf-7:close=always",
        "whatwg:latin1",
        "glibc:utf-8",
        "auto",
        "detect",
        "rfc2047",
        "binary",
        "unknown-8bit",
        "char",
        "wchar_t",
        "INTERNAL",
        "ISO_8859-1:1987",
        "x",
        "./x",
        "../x",
        "x/y",
        "latin1/x",
        "ISO-10646/UTF8",
        "ISO-10646/UTF-8",
        "iso-10646/ucs4",
        "UCS-2",
        "UCS-4",
        "UCS-2LE",
        "UNICODE",
        "UTF-16",
        "UTF-32",
        "UTF-7",
        "utf16be",
        "CP1252",
        "cp-1252",
        "windows-1252",
        "1252",
        "latin\u{e9}1",
        "latin!1",
        "lat(in)1",
        "\u{130}SO-8859-1",
        "ascii",
        "ANSI_X3.4-1968",
        "437",
        "EUC-JP",
        "euc-jisx0213",
        "SHIFT_JIS",
        "BIG5",
        "big5-hkscs",
        "gb2312",
        "GBK",
        "gb18030",
        "EUC-KR",
        "iso-2022-jp",
        "ISO-2022-KR",
        "koi8-r",
        "tcvn5712-1",
        "CP1255",
        "EBCDIC-US",
        "IBM037",
        "ARMSCII-8",
        "TSCII",
        "T.61-8BIT",
        "ISO_6937",
        "MAC",
        "UTF-8,",
        ",utf8",
        "utf8.",
        ".",
        "-",
        "_",
        "utf8\u{1b}",
        "//",
        "/",
        "",
    ] {
        add(&["-f", "utf8", "-t", name, "text"]);
        add(&["-f", "utf8", "-t", name, "ok", "ok"]);
        add(&["-f", name, "-t", "utf8", "latin"]);
        add(&["-f", name, "-t", "utf8", "invalid"]);
        add(&["-c", "-f", name, "-t", "utf8", "invalid"]);
        add(&["-f", name, "-t", name, "ok"]);
        add(&["-f", "utf8", "-t", &format!("{name}//TRANSLIT"), "punctuation"]);
        add(&["-f", "nonsense", "-t", name]);
    }
}

fn errors(vectors: &mut BTreeSet<Vector>) {
    let names: Vec<&str> = crate::program::FIXTURES.iter().map(|(name, _)| *name).collect();
    for from in ["utf8", "utf-16", "ucs-4be", "iso-2022-jp", "cp1252"] {
        for to in ["latin1", "utf8", "utf16", "iso-2022-jp", "us-ascii", "ucs-2le"] {
            for name in names.iter().filter(|name| **name != "-x") {
                for policy in
                    [&[][..], &["-c"], &["//IGNORE"], &["//TRANSLIT"], &["-c", "//TRANSLIT"]]
                {
                    let suffix = policy.iter().find(|word| word.starts_with('/')).unwrap_or(&"");
                    let to = format!("{to}{suffix}");
                    let mut arguments = vec!["-f", from, "-t", &to, name];
                    arguments.extend(policy.iter().filter(|word| !word.starts_with('/')));
                    vectors.insert(Vector::new(&arguments));
                }
            }
        }
    }
}

fn inputs(vectors: &mut BTreeSet<Vector>) {
    let inputs = [
        "ok",
        "invalid",
        "text",
        "truncated",
        "rest",
        "empty",
        "missing",
        "directory",
        "-",
        "latin",
    ];
    let targets: [&[&str]; 4] =
        [&["-t", "latin1"], &["-t", "utf16"], &["-c", "-t", "latin1"], &["-t", "latin1//IGNORE"]];
    for one in inputs {
        for two in inputs {
            for target in targets {
                let mut arguments = vec!["-f", "utf8"];
                arguments.extend(target);
                arguments.extend([one, two]);
                vectors.insert(Vector::new(&arguments));
                arguments.push("ok");
                arguments.push("--verbose");
                vectors.insert(Vector::new(&arguments));
            }
        }
    }
    for arguments in [
        &["-f", "utf-16", "-t", "utf8", "utf16", "utf16"][..],
        &["-f", "iso-2022-jp", "-t", "utf8", "kana-open", "kana"],
        &["-f", "iso-2022-jp", "-t", "utf8", "kana-open", "ok"],
        &["-f", "utf8", "-t", "utf-7", "latin", "latin"],
        &["-f", "utf8", "-t", "iso-2022-kr", "ok", "ok"],
    ] {
        vectors.insert(Vector::new(arguments));
    }
}

fn outputs(vectors: &mut BTreeSet<Vector>) {
    let utf8 = ["-f", "utf8", "-t"];
    for output in
        ["new", "ok", "latin", "empty", "directory", "none/new", "", "-", "new/", "/dev/null"]
    {
        for to in ["utf8", "latin1", "utf16le"] {
            for inputs in [
                &["ok"][..],
                &["latin"],
                &["text"],
                &["empty"],
                &["missing"],
                &["ok", "latin"],
                &[],
            ] {
                let mut arguments = utf8.to_vec();
                arguments.extend([to, "-o", output]);
                arguments.extend(inputs);
                vectors.insert(Vector::new(&arguments));
                arguments.push("-c");
                vectors.insert(Vector::new(&arguments));
            }
        }
    }
}

fn locales(vectors: &mut BTreeSet<Vector>) {
    let names = [
        "C",
        "POSIX",
        "C.UTF-8",
        "C.utf8",
        "C.ISO-8859-1",
        "de_DE",
        "de_DE.ISO-8859-1",
        "de_DE.UTF-8",
        "de_DE@euro",
        "de",
        "de_AT",
        "DE_DE",
        "german",
        "da_DK.UTF-8",
        "da_DK.utf8",
        "da_DK",
        "ja_JP.EUC-JP",
        "ja_JP.eucjp",
        "ru_RU.KOI8-R",
        "xx_YY",
        "xx_YY.UTF-8",
        "",
        "../de_DE",
    ];
    for name in names {
        for arguments in [
            &["-f", "utf8", "latin"][..],
            &["-f", "utf8", "cyrillic"],
            &["-t", "utf8", "ok"],
            &["-t", "utf16le", "latin"],
            &["-f", "utf8", "-t", "ascii//TRANSLIT", "punctuation"],
            &["-f", "utf8", "-t", "latin1//TRANSLIT", "punctuation"],
            &["-f", "utf8", "-t", "ascii//TRANSLIT", "cyrillic", "text"],
            &["-f", "utf8", "-t", "//TRANSLIT", "punctuation"],
            &["-f", "nonsense"],
            &["-t", "nonsense"],
            &["-f", "utf8", "-t", "//IGNORE", "-c", "text"],
        ] {
            vectors.insert(Vector::new(arguments).with("LC_CTYPE", name));
            vectors.insert(Vector::new(arguments).with("LC_CTYPE", name).with("LANG", "C.UTF-8"));
            vectors.insert(Vector::new(arguments).with("LC_CTYPE", "C").with("LC_ALL", name));
            vectors
                .insert(Vector::new(arguments).with("LC_CTYPE", "C.UTF-8").with("LC_TIME", name));
        }
    }
}
