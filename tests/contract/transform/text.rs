//! Tests of the line endings, escapes and forms of characters, between texts.

use charpipe::TranscodeOptions;
use charpipe::internals::transform;

use crate::codec_driver::Transcript;
use crate::transform::driver::{Direction, TransformCase, convert, converted};
use crate::transform::inputs::Seeds;
use crate::transform::tools;
use charpipe_test_support::{Requirement, XorShift, require};

/// Inputs of the contract for each transform.
pub const SEEDS: Seeds = &[
    (
        "unfold",
        &[
            "Subject: a\n é\r\n\tc\r d\n\nbody\n more",
            "From x\nA: b\n c\n\ntext\n d\n\nFrom y\nE: f\n g\n",
            "A: b\n\n--x\nContent-Type: c;\n d\n\n e",
        ],
    ),
    (
        "ldif",
        &[
            "# é\ndn:: b3U95Za25qWt6YOo\ncn:: SsO2\n cmc=\njpegPhoto:: /9j/\nsn: é\n  x\n\ncn:: *\nb:: YSA=",
            "a: b \r\nc: <é\r\n d\r\ne:< file:x\r\nf:: w6k\r\n-\r\n g",
        ],
    ),
    (
        "vcard",
        &[
            "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=\r\n=B6=0D=0Arg;=FF=4\r\nURL:x?a=bc\r\n",
            "N;quoted-printable;charset=shift_jis:=93=FA=96{é=83=\nVERSION:3.0\nA:b\\n\\,\\\\\\q\n c\r\n\td\\",
            "BEGIN:VCARD\nA;CHARSET=ISO-2022-JP;ENCODING=QUOTED-PRINTABLE:=1B$B=46=7CK=5C=1B(B\nB;CHARSET=utf-16;QUOTED-PRINTABLE:=00a=FE",
        ],
    ),
    ("idna", &["Bücher.de\nxn--bcher-kva.de\r\na b\n", "xn--bcher-kv", "faß。日本語.JP."]),
    ("punycode", &["bücher\nabc-\n", "3B-ww4c5e180e575a65lsy2b\n99999999"]),
    ("lf", LINES),
    ("crlf", LINES),
    ("cr", LINES),
    ("nel", LINES),
    ("ls", LINES),
    (
        "html",
        &[
            "&lt;a href=&quot;x&quot;&gt;&notit; &notin; &hellip;&amp",
            "&#233;&#xE9&#128;&#0;&#xD800;&#x110000; &#00000000000000000000000000000000000000000000000000000000065;",
            "&CounterClockwiseContourIntegral;&NotEqualTilde;&unknown; & &# &#x",
        ],
    ),
    ("xml", &["&lt;&gt;&amp;&quot;&apos;&#233;&#xe9;&#1; AT&T &eacute; &amp"]),
    (
        "java",
        &[
            r#"\b\t\n\f\r\"\'\\\s\0\377\400 \u20ac\uuu20AC \ud83d\ude00 \ud83d \ude00 \q \u12"#,
            "a\\\r\nb\\",
        ],
    ),
    ("json", &[r#"\"\\\/\b\f\n\r\t\u00e9\uD834\uDD1E \ud834 \u12x \q"#]),
    ("c", &[r#"\a\b\?\0\1012\x41 \303\251\xc3\xa9 \303 \u20ac\U0001F600 \x100"#, "a\\\r\nb\\"]),
    ("rust", &[r#"\t\0\x41\x80\u{1_F60_0_}\u{110000}\u{}\q"#, "a\\\r\n   b\\"]),
    ("python", &[r#"\x41\xe9\u20ac\U0001F600\N{EURO SIGN}\777\q\ud83d"#, "a\\\r\nb\\"]),
    ("go", &[r#"\a\'\"\101\12\x41\303\251\xc3\xa9\x4 \u20ac\U0001F600\ud83d\q"#]),
    (
        "javascript",
        &[r#"\b\'\q\é\0\101\x41\xe9\u20ac\ud83d\ude00\u{1F600}\ud83d\u{}"#, "a\\\r\nb\\"],
    ),
    ("swift", &[r#"\0\'\u{e9}\u{0001F600}\u{1_0}\x41\q"#]),
    ("postgres", &[r"\b\'\q\é\303\251\xc3\xa9\x4g\u20ac\ud83d\ude00\U0001F600\ud83d"]),
    ("sql", &[r"\20AC\+01f600\d83d\de00\\ '' ' \12g \d83d \g"]),
    ("css", &[r#"\20AC x\e9\1F600  \"\\ \g\é\110000 \0 "#, "\\e9\r\n\\e9\r\\\r\n\\\n\\"]),
    (
        "rtf",
        &[
            r"{\b \'e9\'81\'8g \u8364?\u8364\'80\u-10179?\u-8704?\u-10179?x\u233 y \~\_\-\{\\}",
            "\\tab a\\par\r\n\\par\nb\\par\\emdash\\pard\\fs24 x\\\n\\",
        ],
    ),
    (
        "names",
        &[r"\N{EURO SIGN}\N{U+1F600} \N{NO SUCH NAME} \N{} \N{U+D800} \Nx \\N{EURO SIGN} \N{EURO"],
    ),
    ("percent-u", &["%u20AC%E9%ud83d%ude00%zz%u12 %uD83Dx 100%"]),
    ("u-plus", &["U+20AC U+1F600U+0041 U+12 U+110000 U+D800 UU+"]),
    (
        "latex",
        &[
            r#"\'e\c{c}\c c\"{\i}\'{\^e}{\"o} {\ss} \ss x\L{}\'{\ae} {\bf x} \cite{x} \' e \'1"#,
            r"a -- b --- ``c'' ?` ~ \% \textbackslash{} \",
        ],
    ),
    ("fullwidth", &["ｶﾞｷﾞﾊﾟｳﾞﾞﾟ｡ ab ￦ﾡ￮"]),
    ("halfwidth", &["ＡＺ！～＜＆\u{3000}ガパヴ。“−〈￦ㄱ○"]),
    ("mojibake", &["cafÃ© doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t ’é É» Ð¿Ñ€Ð¸Ð²ÐµÑ‚\n╨┐╤Ç í\u{a0}½í¸\u{81}"]),
    ("strip-bom", &["\u{FEFF}\u{FEFF}a", "\u{FEFF}"]),
];

const LINES: &[&str] = &["a\nb\r\nc\rd\r\r\n\n\r", "é\u{85}\u{84}\u{2028}\u{2029}\n\r\r\n"];

/// Forms that decode what they encode to the same text.
const ESCAPE_FORMS: [&str; 17] = [
    "html",
    "xml",
    "java",
    "json",
    "c",
    "rust",
    "python",
    "go",
    "javascript",
    "swift",
    "postgres",
    "sql",
    "css",
    "rtf",
    "percent-u",
    "u-plus",
    "names",
];

/// Texts for encoders.
const TEXTS: [&str; 30] = [
    "a", "b", "7", "f", "x", "u", "{", "}", ";", "&", "<", ">", "\"", "'", "\\", "?", " ", "\n",
    "\r", "\t", "\0", "\u{1}", "\u{1B}", "\u{7F}", "\u{85}", "é", "…", "日", "\u{FFFF}", "😀",
];

fn is_utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("valid UTF-8")
}

fn encode(label: &str, text: &str) -> String {
    let Transcript { out, errors } = convert(label, Direction::Encode, text.as_bytes());
    assert_eq!(errors, [], "{label}: {text:?}");
    is_utf8(out)
}

/// Returns the decoded text, or `None` if there are errors.
fn decode(label: &str, text: &str) -> Option<String> {
    let Transcript { out, errors } = convert(label, Direction::Decode, text.as_bytes());
    errors.is_empty().then(|| is_utf8(out))
}

/// Random texts of these parts.
fn texts(count: usize, parts: &[&str]) -> Vec<String> {
    let mut random = XorShift::new(0x5EED_7E87);
    (0..count).map(|_| random.text(12, parts)).collect()
}

/// Returns the result of a Python expression for each text `s`: a text, or `None` for an exception.
/// Returns nothing if Python is not installed.
fn python(expression: &str, texts: &[String]) -> Option<Vec<Option<String>>> {
    let program = format!(
        "import sys, warnings, html, json, ast\n\
         warnings.simplefilter('ignore')\n\
         for line in sys.stdin:\n\
         \x20   s = bytes.fromhex(line).decode()\n\
         \x20   try: print(({expression}).encode().hex())\n\
         \x20   except Exception: print('-')\n"
    );
    let hex = |text: &String| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let input: Vec<String> = texts.iter().map(hex).collect();
    let output = tools::run("python3", &["-c", &program], (input.join("\n") + "\n").as_bytes())?;
    let unhex = |line: &str| {
        let byte = |at| u8::from_str_radix(&line[at..at + 2], 16).expect("hexadecimal digits");
        (line != "-").then(|| is_utf8((0..line.len()).step_by(2).map(byte).collect()))
    };
    let results: Vec<_> = is_utf8(output).lines().map(unhex).collect();
    assert_eq!(results.len(), texts.len());
    Some(results)
}

/// Compares a decoder with a Python expression of the text `s`. Inputs for which `is_other` returns true
/// are left out.
fn compare_decoder(label: &str, expression: &str, parts: &[&str], is_other: fn(&str) -> bool) {
    let mut texts = texts(4000, parts);
    texts.retain(|text| !is_other(text));
    let Some(expected) = python(expression, &texts) else { return };
    for (text, expected) in texts.iter().zip(expected) {
        assert_eq!(decode(label, text), expected, "{label}: {text:?}");
    }
}

/// Returns whether a quotation mark or a line feed is not escaped.
fn has_unescaped(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' | b'\n' => return true,
            _ => {}
        }
    }
    false
}

/// Compares an encoder with a Python expression of the text `s`.
fn compare_encoder(label: &str, expression: &str) {
    let texts = texts(1000, &TEXTS);
    let Some(expected) = python(expression, &texts) else { return };
    for (text, expected) in texts.iter().zip(expected) {
        assert_eq!(Some(encode(label, text)), expected, "{label}: {text:?}");
    }
}

#[test]
fn what_encoders_write_is_decoded_to_the_same_text() {
    for name in ESCAPE_FORMS {
        let transform = transform::for_name(name).expect("a registered transform");
        let options = transform.options.iter().map(|option| option.name);
        // These leave some characters or escapes unchanged.
        let encoder_options =
            options.filter(|name| !["strict", "lenient", "keep-markup", "unicode"].contains(name));
        for option in encoder_options.chain([""]) {
            let label = format!("{name}:{option}");
            for text in texts(500, &TEXTS) {
                // CSS has no escape of U+0000.
                if name == "css" && text.contains('\0') {
                    continue;
                }
                let encoded = encode(&label, &text);
                assert_eq!(decode(&label, &encoded).as_ref(), Some(&text), "{label}: {encoded:?}");
                // These have no references in HTML and XML.
                let is_kept =
                    matches!(name, "html" | "xml") && text.contains(['\u{85}', '\u{FFFF}']);
                if option == "ascii" && !is_kept {
                    assert!(encoded.is_ascii(), "{label}: {encoded:?}");
                }
            }
        }
    }
}

#[test]
fn every_split_of_random_inputs_gives_the_same() {
    let others = ["lf", "crlf", "cr", "nel", "ls", "latex", "fullwidth", "halfwidth"];
    for name in ESCAPE_FORMS.into_iter().chain(others) {
        let mut parts = TEXTS.to_vec();
        parts.extend([
            "&amp;",
            "&#x",
            "\\u00",
            "\\ud83d",
            "\\ude00",
            "\\x",
            "\\30",
            "ﾊ",
            "ﾟ",
            "\r\n",
            "\\'",
            "e9",
            "%u",
            "U+",
            "\\u-10179?",
            "\\u8364",
            "\\20AC",
            "\\+0",
            "\\c",
            "{\\",
        ]);
        for (index, text) in texts(150, &parts).iter().enumerate() {
            let direction = [Direction::Decode, Direction::Encode][index % 2];
            let case = TransformCase::new(name, direction);
            if case.create().is_some() {
                case.convert_every_split(text.as_bytes());
            }
        }
    }
}

#[test]
fn html_has_the_names_of_python() {
    let names = python(
        "'\\n'.join(n + ' ' + v for n, v in __import__('html.entities').entities.html5.items())",
        &[String::new()],
    );
    let Some(names) = names else { return };
    let names = names[0].as_ref().expect("a table");
    let mut count = 0;
    for line in names.replace("NewLine; \n", "Tab; \t").lines() {
        let (name, text) = line.split_once(' ').expect("two fields");
        assert_eq!(decode("html", &format!("&{name}")).as_deref(), Some(text), "{name}");
        let strict = decode("html:strict", &format!("&{name}"));
        assert_eq!(strict.is_some(), name.ends_with(';'), "{name}");
        count += 1;
    }
    assert_eq!(count, 2231);
    assert_eq!(decode("html:strict", "&NewLine;").as_deref(), Some("\n"));
}

#[test]
fn html_agrees_with_python() {
    let parts = [
        "&", "#", "x", "X", ";", "amp", "lt", "not", "in", "notin", "acE", "frac12", "Amp", "copy",
        "a", "é", " ", "65", "233", "80", "&amp;", "&#", "&#x", "&#128;", "&#8364;", "&euro;",
        "&AMP", "0",
    ];
    let texts = texts(8000, &parts);
    let Some(expected) = python("html.unescape(s)", &texts) else { return };
    let mut count = 0;
    for (text, expected) in texts.iter().zip(expected) {
        let decoded = decode("html", text);
        // Python drops control characters and noncharacters, and replaces other invalid numbers.
        let has_control =
            decoded.as_ref().is_some_and(|text| text.contains(|c: char| c.is_control()));
        if decoded.is_none() || has_control {
            continue;
        }
        count += 1;
        assert_eq!(decoded, expected, "{text:?}");
    }
    assert!(count > 6000, "{count}");
    compare_encoder("html", "html.escape(s).replace('&#x27;', '&#39;')");
    compare_encoder("html:keep-quotes", "html.escape(s, quote=False)");
    compare_encoder(
        "xml:ascii,keep-quotes",
        "html.escape(s, quote=False).encode('ascii', 'xmlcharrefreplace').decode()\
         .replace('&#65535;', '\\uffff')",
    );
}

#[test]
fn html_agrees_with_recode() {
    if !require(Requirement::Program("recode")) {
        return;
    }
    let text: String = ('\u{A0}'..'\u{17F}').chain("…“”→α€日ϑ♠".chars()).collect();
    let encoded = tools::run("recode", &["-f", "utf-8..HTML_4.0"], text.as_bytes());
    let encoded = is_utf8(encoded.expect("recode knows HTML"));
    assert_eq!(decode("html:strict", &encoded).as_deref(), Some(&*text));
    let (known, rest) = encoded.split_once("&thorn;").expect("Latin-1");
    assert!(encode("html:named", &text).starts_with(known));
    assert!(rest.ends_with("&hellip;&ldquo;&rdquo;&rarr;&alpha;&euro;&#26085;&thetasym;&spades;"));
    assert!(
        encode("html:named", &text)
            .ends_with("&hellip;&ldquo;&rdquo;&rarr;&alpha;&euro;&#26085;&thetasym;&spades;")
    );
}

#[test]
fn json_agrees_with_python() {
    let parts = [
        "\\",
        "\\\\",
        "\\\"",
        "\\/",
        "\\b",
        "\\n",
        "\\u00e9",
        "\\uD83D\\uDE00",
        "\\u",
        "12",
        "ab",
        "é",
        "\t",
        "'",
        "\\'",
        "\\x41",
        "😀",
        " ",
    ];
    compare_decoder("json", "json.loads('\"' + s + '\"', strict=False)", &parts, has_unescaped);
    compare_decoder("json:strict", "json.loads('\"' + s + '\"')", &parts, has_unescaped);
    compare_encoder("json", "json.dumps(s, ensure_ascii=False)[1:-1]");
    compare_encoder("json:ascii", "json.dumps(s)[1:-1]");
}

#[test]
fn unicode_escapes_alone_keep_the_text_of_json() {
    let texts = texts(2000, &TEXTS);
    let Some(raw) = python("json.dumps(s, ensure_ascii=False)", &texts) else { return };
    // U+007F remains, as with ensure_ascii=False.
    let escaped = python("json.dumps(s).replace('\\\\u007f', '\\x7f')", &texts);
    let escaped = escaped.expect("as before");
    let all_escaped = python(
        "'\"' + ''.join('\\\\u%04x' % ord(c) for c in s if c < '\\U00010000') + '\"'",
        &texts,
    );
    let mut decoded = Vec::new();
    for (raw, escaped) in raw.iter().zip(&escaped) {
        let (raw, escaped) = (raw.as_deref().unwrap(), escaped.as_deref().unwrap());
        assert_eq!(encode("json:unicode", raw).as_str(), escaped, "{raw:?}");
        decoded.extend(decode("json:unicode", escaped));
    }
    let read = python("json.loads(s, strict=False)", &decoded).expect("as before");
    assert_eq!(read.into_iter().flatten().collect::<Vec<_>>(), texts);
    // Where every character is an escape, those that must be remain.
    let escaped: Vec<_> = all_escaped.expect("as before").into_iter().flatten().collect();
    let decoded: Vec<_> = escaped.iter().flat_map(|text| decode("json:unicode", text)).collect();
    assert_ne!(decoded, escaped);
    assert_eq!(python("json.loads(s)", &decoded), python("json.loads(s)", &escaped));
}

#[test]
fn python_agrees_with_python() {
    let parts = [
        "\\",
        "\\\\",
        "\\\"",
        "\\'",
        "\\a",
        "\\n",
        "\\v",
        "\\x4",
        "\\xe9",
        "\\u20ac",
        "\\U0001F600",
        "\\u",
        "\\U0011",
        "\\0",
        "\\12",
        "\\377",
        "7",
        "8",
        "ab",
        "é",
        "\t",
        "\\\n",
        "\\q",
        "\\é",
        "\\ud83d",
        "\\N{EURO SIGN}",
        "\\N{HANGUL SYLLABLE GAG}",
        "\\N{euro sign}",
        "\\N{EURO",
        " SIGN",
        "}",
    ];
    compare_decoder("python", "ast.literal_eval('\"' + s + '\"')", &parts, has_unescaped);
    compare_encoder(
        "python:ascii",
        "__import__('re').sub(r'\\\\x(07|08|0b|0c)', lambda m: '\\\\' + 'abvf'[[7, 8, 11, 12].index(int(m[1], 16))], s.encode('unicode_escape').decode()).replace('\"', '\\\\\"')",
    );
}

/// Returns the result of a JavaScript expression for each text `s`: a text, or `None` for an exception or an
/// unpaired surrogate. Returns nothing if Node.js is not installed.
fn node(expression: &str, texts: &[String]) -> Option<Vec<Option<String>>> {
    if !require(Requirement::Program("node")) {
        return None;
    }
    let program = format!(
        "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n\
         const result = s => {{ try {{ return {expression} }} catch {{ return null }} }};\n\
         const isText = s => s !== null && !/\\p{{Surrogate}}/u.test(s);\n\
         console.log(JSON.stringify(texts.map(result).map(s => isText(s) ? s : null)))"
    );
    let input = serde_json::to_vec(texts).expect("texts");
    let output = tools::run("node", &["-e", &program], &input).expect("node runs the program");
    Some(serde_json::from_slice(&output).expect("a list of texts"))
}

#[test]
fn percent_u_agrees_with_node() {
    let parts = ["%", "%u", "u", "20AC", "%E9", "%uD83D%uDE00", "%ud83d", "é", "+", "%4", "1", "z"];
    let escaped = texts(3000, &parts);
    let Some(expected) = node("unescape(s)", &escaped) else { return };
    for (text, expected) in escaped.iter().zip(expected) {
        // Node reads unpaired surrogates.
        if let Some(expected) = expected {
            assert_eq!(decode("percent-u", text), Some(expected), "{text:?}");
        }
    }
    let texts = texts(1000, &TEXTS);
    for (text, expected) in texts.iter().zip(node("escape(s)", &texts).expect("as before")) {
        assert_eq!(Some(encode("percent-u", text)), expected, "{text:?}");
    }
}

#[test]
fn javascript_agrees_with_node() {
    let parts = [
        "\\",
        "\\\\",
        "\\\"",
        "\\'",
        "\\n",
        "\\v",
        "\\q",
        "\\é",
        "\\x4",
        "\\xe9",
        "\\u20ac",
        "\\u{1F600}",
        "\\u{",
        "}",
        "\\uD83D\\uDE00",
        "\\ud83d",
        "\\0",
        "\\12",
        "\\377",
        "\\400",
        "7",
        "8",
        "ab",
        "é",
        "\t",
        "\\\n",
        "\\\u{2028}",
    ];
    let mut escaped = texts(4000, &parts);
    escaped.retain(|text| !has_unescaped(text));
    // Without strict mode there are octal escapes.
    let evaluation = "new Function('return \"' + s + '\"')()";
    let Some(expected) = node(evaluation, &escaped) else { return };
    for (text, expected) in escaped.iter().zip(expected) {
        assert_eq!(decode("javascript", text), expected, "{text:?}");
    }
    let texts = texts(1000, &TEXTS);
    for label in ["javascript", "javascript:ascii"] {
        let encoded: Vec<_> = texts.iter().map(|text| encode(label, text)).collect();
        let decoded = node(evaluation, &encoded).expect("as before");
        assert_eq!(decoded.into_iter().flatten().collect::<Vec<_>>(), texts, "{label}");
    }
}

#[test]
fn names_agree_with_uconv() {
    if !require(Requirement::Program("uconv")) {
        return;
    }
    // Assigned in every version, and without a decomposition, which uconv would apply.
    let ranges =
        [0xA1..0x180, 0x391..0x3A2, 0x410..0x450, 0x5D0..0x5EB, 0x3041..0x3097, 0x4E00..0x4E20];
    let characters = ranges.into_iter().chain([0xAC00..0xAC40, 0x1F600..0x1F640]).flatten();
    let text: String = characters.filter_map(char::from_u32).collect();
    let run = |rule: &str, text: &str| {
        let words = ["-f", "utf-8", "-t", "utf-8", "-x", rule];
        is_utf8(tools::run("uconv", &words, text.as_bytes()).expect("uconv knows names"))
    };
    assert_eq!(run("any-name", &text), encode("names", &text));
    assert_eq!(run("name-any", &encode("names", &text)), text);
    assert_eq!(decode("names", &run("any-name", &text)).as_ref(), Some(&text));
}

#[test]
fn latex_agrees_with_recode() {
    if !require(Requirement::Program("recode")) {
        return;
    }
    // recode writes others as similar letters of ASCII.
    let latin = ('\u{C0}'..='\u{FF}').filter(|character| !"ÐÞðþ×÷".contains(*character));
    let letters: String = latin.flat_map(|letter| [letter, ' ']).collect();
    let theirs = tools::run("recode", &["-f", "utf-8..latex"], letters.as_bytes());
    let theirs = is_utf8(theirs.expect("recode knows LaTeX"));
    assert!(theirs.is_ascii() && theirs.len() > 2 * letters.chars().count(), "{theirs}");
    assert_eq!(decode("latex", &theirs).as_deref(), Some(&*letters));
    let ours = encode("latex", &letters);
    let decoded = tools::run("recode", &["-f", "latex..utf-8"], ours.as_bytes());
    assert_eq!(is_utf8(decoded.expect("as before")), letters, "{ours}");
}

#[test]
fn c_agrees_with_bytes_of_python() {
    // In C `\x` takes all digits, and `\?` is a question mark.
    let parts = [
        "\\303",
        "\\251",
        "\\xc3",
        "\\xa9",
        "\\342",
        "\\202\\254",
        "\\12",
        "\\0",
        "\\a",
        "\\\\",
        "\\n",
        "g",
        "9",
        "\\\"",
        "\\360\\237",
        "\\230\\200",
        " ",
    ];
    let expression = "ast.literal_eval('b\"' + s + '\"').decode()";
    compare_decoder("c", expression, &parts, |text| {
        text.contains("\\xc39") || text.contains("\\xa99")
    });
}

#[test]
fn rust_agrees_with_the_standard_library() {
    for text in texts(2000, &TEXTS) {
        for escaped in [
            text.escape_default().to_string(),
            text.escape_unicode().to_string(),
            text.escape_debug().to_string(),
        ] {
            assert_eq!(decode("rust", &escaped).as_ref(), Some(&text), "{escaped}");
        }
        let expected =
            text.escape_default().to_string().replace("\\'", "'").replace("\\u{0}", "\\0");
        assert_eq!(encode("rust:ascii", &text), expected);
    }
}

/// A slow decoder of Java escapes, over code units.
fn java_model(text: &str) -> Option<String> {
    let text: Vec<char> = text.chars().collect();
    let (mut units, mut at) = (Vec::new(), 0);
    while at < text.len() {
        if text[at] != '\\' {
            units.extend(text[at].encode_utf16(&mut [0; 2]).iter().copied());
            at += 1;
            continue;
        }
        at += 1;
        let letter = *text.get(at)?;
        if letter == 'u' {
            while text.get(at) == Some(&'u') {
                at += 1;
            }
            let digits: String = text.get(at..at + 4)?.iter().collect();
            if !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            units.push(u16::from_str_radix(&digits, 16).ok()?);
            at += 4;
            continue;
        }
        let octal: String =
            text[at..].iter().take(3).take_while(|digit| ('0'..='7').contains(digit)).collect();
        let octal = if octal.starts_with(['4', '5', '6', '7']) {
            &octal[..octal.len().min(2)]
        } else {
            &octal
        };
        if !octal.is_empty() {
            units.push(u16::from_str_radix(octal, 8).ok()?);
            at += octal.len();
            continue;
        }
        let index = "btnfrs\"'\\".find(letter)?;
        units.push(u16::from(b"\x08\t\n\x0C\r \"'\\"[index]));
        at += 1;
    }
    // A surrogate of an escape and one of text never form a pair: text has none alone.
    String::from_utf16(&units).ok()
}

#[test]
fn java_agrees_with_a_model() {
    let parts = [
        "\\",
        "\\\\",
        "\\\"",
        "\\s",
        "\\n",
        "\\0",
        "\\47",
        "\\377",
        "\\400",
        "7",
        "\\u20ac",
        "\\uuu00e9",
        "\\ud83d",
        "\\ude00",
        "\\uu",
        "12ab",
        "é",
        "😀",
        " ",
        "\\q",
    ];
    let (mut valid, texts) = (0, texts(8000, &parts));
    for text in &texts {
        let expected = java_model(text);
        assert_eq!(decode("java", text), expected, "{text}");
        valid += usize::from(expected.is_some());
    }
    assert!(valid > 500 && valid < texts.len() - 500, "{valid} of {}", texts.len());
}

/// Compares an encoder with a program for random lines.
fn compare_lines(program: &str, args: &[&str], label: &str, lines: &[&str]) {
    if !require(Requirement::Program(program)) {
        return;
    }
    for text in texts(60, lines) {
        let expected = tools::run(program, args, text.as_bytes()).expect("a result");
        assert_eq!(encode(label, &text), is_utf8(expected), "{program} {args:?}: {text:?}");
    }
}

#[test]
fn line_endings_agree_with_dos2unix() {
    let mixed = ["\r\n", "\n", "\r", "a", "é", "\r\r\n", " "];
    compare_lines("dos2unix", &[], "lf:keep-cr", &mixed);
    // unix2dos adds a CR to CRCRLF.
    compare_lines("unix2dos", &[], "crlf:keep-cr", &["\r\n", "\n", "b", "é\ra", " "]);
    compare_lines("mac2unix", &[], "lf", &["\r", "a", "é\r"]);
    compare_lines("unix2mac", &[], "cr", &["\n", "a", "é\n"]);
    compare_lines("nkf", &["-W", "-w", "-x", "-m0", "-Lw"], "crlf", &["a\n", "b\r\n", "é\n"]);
    compare_lines("nkf", &["-W", "-w", "-x", "-m0", "-Lu"], "lf", &["a\n", "b\r\n", "é\n"]);
}

#[test]
fn line_endings_agree_with_universal_newlines_of_python() {
    let expression =
        "__import__('io').TextIOWrapper(__import__('io').BytesIO(s.encode()), 'utf-8').read()";
    let texts = texts(1000, &["\r", "\n", "\r\n", "a", "\u{85}", "\u{2028}"]);
    let Some(expected) = python(expression, &texts) else { return };
    for (text, expected) in texts.iter().zip(expected) {
        let expected = expected.expect("no errors");
        for (name, newline) in
            [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r"), ("nel", "\u{85}"), ("ls", "\u{2028}")]
        {
            let written = expected.replace('\n', newline);
            assert_eq!(encode(name, text), written, "{name}: {text:?}");
            if !(name == "nel" && text.contains('\u{85}')
                || name == "ls" && text.contains('\u{2028}'))
            {
                assert_eq!(decode(name, &written).as_ref(), Some(&expected), "{name}: {text:?}");
            }
            // A decoder accepts what it would write itself.
            let is_own = encode(name, text) == *text && !(name == "nel" || name == "ls");
            assert!(
                name == "nel" || name == "ls" || is_own == decode(name, text).is_some(),
                "{name}: {text:?}"
            );
        }
    }
}

/// Compares an encoder with `nkf` for each character of its repertoire.
fn compare_nkf(option: &str, label: &str, differs: &str) {
    let characters = (0xA1..0xFFF0).filter_map(char::from_u32).filter(|c| !differs.contains(*c));
    let text: String = characters.flat_map(|character| [character, '\n']).collect();
    let run = |options: &[&str]| {
        let common = ["-W", "-w", "-m0", "-Lu"];
        tools::run("nkf", &[&common, options].concat(), text.as_bytes()).map(is_utf8)
    };
    let (Some(plain), Some(expected)) = (run(&["-x"]), run(&["-x", option])) else { return };
    let expected = match option {
        "-X" => run(&["-X"]).expect("a result"),
        _ => expected,
    };
    let own = encode(label, &text);
    let lines = text.lines().zip(plain.lines()).zip(expected.lines().zip(own.lines()));
    let mut count = 0;
    for ((character, plain), (expected, own)) in lines {
        // nkf changes some characters without these options, because of JIS X 0208.
        if character == plain {
            assert_eq!(own, expected, "nkf {option}: {character}");
            count += 1;
        }
    }
    assert!(count > 50_000, "{count} characters");
}

#[test]
fn widths_agree_with_nkf() {
    if !require(Requirement::Program("nkf")) {
        return;
    }
    let not_in_jis = "＂＇～ヷヺ";
    compare_nkf("-X", "fullwidth", "");
    compare_nkf("-Z0", "halfwidth:punctuation", not_in_jis);
    compare_nkf("-Z1", "halfwidth:punctuation,space=one", not_in_jis);
    compare_nkf("-Z2", "halfwidth:punctuation,space=two", not_in_jis);
    compare_nkf("-Z3", "halfwidth:punctuation,entities", "＂＇～ヷヺ＆");
    compare_nkf("-Z4", "halfwidth:punctuation,katakana", not_in_jis);
    let marks: String = ('ｦ'..='ﾝ').flat_map(|letter| [letter, 'ﾞ', letter, 'ﾟ', letter]).collect();
    let expected = tools::run("nkf", &["-W", "-w", "-m0", "-X"], marks.as_bytes()).map(is_utf8);
    let own = encode("fullwidth", &marks).replace('ヷ', "ワ゛").replace('ヺ', "ヲ゛");
    assert_eq!(Some(own), expected);
}

#[test]
fn widths_agree_with_the_unicode_character_database() {
    let narrow: String =
        (0xFF61..0xFFE0).chain(0xFFE8..0xFFEF).filter_map(char::from_u32).collect();
    let wide: String = (0xFF01..0xFF61).chain(0xFFE0..0xFFE7).filter_map(char::from_u32).collect();
    let texts: Vec<String> = (narrow.clone() + &wide).chars().map(String::from).collect();
    let expression = "chr(int(__import__('unicodedata').decomposition(s).split()[-1], 16))";
    let Some(expected) = python(expression, &texts) else { return };
    for (text, expected) in texts.iter().zip(expected) {
        let Some(expected) = expected else { continue };
        // The database has combining marks here.
        let expected = expected.replace('\u{3099}', "゛").replace('\u{309A}', "゜");
        let (label, inverse) = match narrow.contains(text.as_str()) {
            true => ("fullwidth:all", "halfwidth:all"),
            false => ("halfwidth:all", "fullwidth:all"),
        };
        assert_eq!(encode(label, text), expected, "{label}");
        assert_eq!(encode(inverse, &expected), *text, "{inverse}");
    }
}

#[test]
fn strict_line_endings_have_exact_positions() {
    let texts = texts(300, &["\r", "\n", "\r\n", "a", "é"]);
    for text in &texts {
        for name in ["lf", "crlf", "cr"] {
            let own = match name {
                "lf" => "\n",
                "crlf" => "\r\n",
                _ => "\r",
            };
            let mut expected = Vec::new();
            let mut at = 0;
            while at < text.len() {
                if text[at..].starts_with(own) {
                    at += own.len();
                    continue;
                }
                if matches!(text.as_bytes()[at], b'\r' | b'\n') {
                    expected.push(at);
                }
                at += 1;
                while !text.is_char_boundary(at) {
                    at += 1;
                }
            }
            let errors = convert(name, Direction::Decode, text.as_bytes()).errors;
            let found: Vec<usize> = errors.iter().map(|error| error.input_offset).collect();
            assert_eq!(found, expected, "{name}: {text:?}");
        }
    }
}

#[test]
fn output_of_an_encoder_needs_no_second_pass() {
    for (label, text, expected) in [
        ("crlf", "a\r\nb\n", "a\r\nb\r\n"),
        ("lf", "a\r\nb\n", "a\nb\n"),
        ("strip-bom", "\u{FEFF}a", "a"),
        ("halfwidth:all", "ＡＢ\u{3000}ガ", "AB ｶﾞ"),
    ] {
        assert_eq!(converted(label, Direction::Encode, text.as_bytes()), expected.as_bytes());
        assert_eq!(converted(label, Direction::Encode, expected.as_bytes()), expected.as_bytes());
    }
}

#[test]
fn lines_of_header_fields_are_joined() {
    for (text, expected) in [
        ("Subject: a\n b\n\tc\nTo: é\r\n d\r\n", "Subject: a b\tc\nTo: é d\r\n"),
        ("A: b\n \n c\n\nbody\n text\n", "A: b  c\n\nbody\n text\n"),
        ("A: b\r\r\n c\n", "A: b\r c\n"),
        ("A: b\r c\r", "A: b\r c\r"),
        ("A: b\r\n", "A: b\r\n"),
        ("\n a\n b", "\n a\n b"),
        ("value\n more", "value more"),
        (
            "From x\n y\nA: b\n c\n\ntext\n more\n\nFrom z\nD: e\n f\n",
            "From x\n y\nA: b c\n\ntext\n more\n\nFrom z\nD: e f\n",
        ),
        (
            "A: b\n\n--x\nContent-Type: a;\n b\n\ntext\n more\n",
            "A: b\n\n--x\nContent-Type: a; b\n\ntext\n more\n",
        ),
    ] {
        for size in [1, 2, 3, 7, 64] {
            let options = TranscodeOptions::from_chain("utf-8..unfold..utf-8").unwrap();
            let unfolded = options.buffer_size(size).transcode(text.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(unfolded).unwrap(), expected, "{text:?} {size}");
        }
    }
}
