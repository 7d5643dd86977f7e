//! The commands of the page leave files valid: what the parser of a format reads in the result of a command is
//! what it reads in the input. The inputs have the characters that are syntax in their format.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;

use tempfile::TempDir;

use super::{REPOSITORY_ROOT, escape_start, install, missing_tool, rows, run, task};
use charpipe_test_support::{missing, sample_stride, watch};

/// A program that parses standard input, with its arguments before those of the format.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Parser {
    /// A format of parse.py, and the encodings of the input and of the result.
    Python(&'static str, [&'static str; 2]),
    /// `java.util.Properties`, in these encodings.
    Properties([&'static str; 2]),
    /// The compiler of Java, and the output of the program.
    Java,
    Jq,
    Xmllint,
}

/// Formats that differ before and after the command are two parsers.
struct FormatCase {
    task: &'static str,
    /// The file that the command reads and perhaps changes; empty for standard input.
    file: &'static str,
    input: Vec<u8>,
    parser: Parser,
    /// What parses the result, if that has another format.
    result_parser: Option<Parser>,
    exit: i32,
    /// What is in the content, in the output of the parser.
    content: &'static str,
}

fn case(
    task: &'static str,
    file: &'static str,
    input: impl AsRef<[u8]>,
    parser: Parser,
) -> FormatCase {
    let input = input.as_ref().to_vec();
    FormatCase { task, file, input, parser, result_parser: None, exit: 0, content: "" }
}

impl FormatCase {
    fn parsed_as(mut self, parser: Parser) -> FormatCase {
        self.result_parser = Some(parser);
        self
    }

    fn exits(mut self, code: i32) -> FormatCase {
        self.exit = code;
        self
    }

    /// The output of the parser for the input must have this text, so that the case has the characters.
    fn has(mut self, content: &'static str) -> FormatCase {
        self.content = content;
        self
    }
}

const UTF_8: [&str; 2] = ["utf-8", "utf-8"];

/// Keys and values with escaped backslashes, separators, line continuations and control characters.
const PROPERTIES: &str = r#"# C:\u0043 comment \u00e9
path=C:\\temp\\new\\u00e9
m=a\nb\tc\f\
  continued \u00e9 \"quoted\" \u0022q\u0022 \' 100% a=b:c
key\u003dwith\u003aseparators\ \u0020=\u00e9\u005cn\u005c\u00e9
\u0023no-comment=x\u000ay\u000dz\u0009
\u0021no-comment=\ leading space
sm\u00f8rrebr\u00f8d=\ud83d\ude00\u2028\u0085\u007f\u0000
lone=\ud83d end
odd=\\\u00e9 \\\\u00e9
"#;

const JSON: &str = r#"{"say \"hi\"": "C:\\temp\\\u0041 \u00e9 \\u00e9", "\u0022\u005c\u002f\/": "\n\r\t\b\f\u0000\u001f\u007f\u0085",
"m": ["\ud83d\ude00", "\u2028\u2029\ufeff", "50% = &amp; <\u003cb> \u0027 '", "\\\\\u00e9\\"], "raw": RAW}
"#;

const JAVA: &str = r#"class Main {
    /** C:&#92;temp \u00e9 */
    public static void main(String[] arguments) {
        String \u00e9t\u00e9 = "C:\\temp \\u00e9 \"q\" \u005c\u0022 a\tb \101\u0031 \u00e9\ud83d\ude00 % = \uu00e9";
        char quote = '\'', other = '\u005c'';
        for (char unit : (\u00e9t\u00e9 + quote + other + "\\\u00e9").toCharArray()) System.out.println((int) unit);
    }
}
"#;

const XML: &str = "<!DOCTYPE a [<!ENTITY e 'x'>]>\n<a b=\"&#233; &quot;&#10;&#9;&#13;&#x20;&lt;&amp;amp; %=\\ '\" c='&apos;&#34;'>&#xE9;&amp;eacute; &lt;b> &#60;\n&#13;]]&gt;<!-- é -->\u{20AC}</a>\n";

const HTML: &str = "<p title=\"&eacute; &quot;&NewLine;&#9; '\" class=a&#32;b&eacute>&lt;b&gt; &amp;eacute; &amp;&#35;233; &copy;&nbsp;&euro; 5 < 6 & 7 % = \\ &#x3c;i> é 日</p>\n";

const CSV: &str = "name,\"say \"\"hi\"\"\",100%\n表,\"a\nb\",=1+1\n\"C:\\\\temp\\\",'x',\"é,;\"\n";

const LOG: &str = "\"GET /caf%C3%A9%20%22%0A%25C3?a=b%3Dc+d HTTP/1.1\" 200 \"caf\\\\xC3\\\\xA9\"\n";

const SQL: &str = "CREATE TABLE menu (a, b);\nINSERT INTO menu VALUES ('it''s 100%', 'C:\\temp\\'),\n ('a\nb = \"é\"', 'x;--');\n";

fn cases() -> Vec<FormatCase> {
    use Parser::{Java, Jq, Properties, Python, Xmllint};
    let json = JSON.replace("RAW", "\"é raw 日 \\\"\"");
    let sjis = |text: &str| encode(text, "cp932");
    let utf_16 = |text: &str| encode(text, "utf-16");
    let csv = |encodings| Python("csv", encodings);
    vec![
        case("Shift_JIS CSV from Windows to UTF-8", "orders.csv", sjis(&CSV.replace('é', "ソ")), csv(["cp932", "utf-8"]))
            .has(r#"['\u8868', 'a\nb', '=1+1'], ['C:\\\\temp\\', "'x'", '\u30bd,;']"#),
        case("Unicode text of Excel (UTF-16, tabs, CRLF) to UTF-8 with LF", "export.txt",
            utf_16("a\t\"say \"\"hi\"\"\"\r\n\"x\ny\"\t=1\\%é\r\n"), Python("tabs", ["utf-16", "utf-8"]))
            .has(r#"['x\ny', '=1\\%\xe9']"#),
        case("Drop what MySQL's utf8mb3 cannot store", "dump.sql", SQL.replace("it''s", "😀it''s\\👋"),
            Python("sql-bmp", UTF_8)).parsed_as(Python("sql", UTF_8)).exits(1)
            .has(r#"("it's\\ 100%", 'C:\\temp\\'), ('a\nb = "\xe9"', 'x;--')"#),
        case("Strip a BOM in place", "menu.csv", format!("\u{FEFF}{CSV}"), csv(["utf-8-sig", "utf-8"])),
        case("CSV that Excel saved as UTF-8 to CP1252", "menu.csv",
            format!("\u{FEFF}{}", CSV.replace('表', "€").replace('\n', "\r\n")), csv(["utf-8-sig", "cp1252"])),
        case("CSV in Windows encoding to UTF-8 for Excel, with BOM and CRLF", "menu.csv",
            encode(&CSV.replace('表', "€").replace("a\nb", "a b"), "windows-1252"), csv(["cp1252", "utf-8-sig"])),
        case("CSV of Excel for Mac (Mac Roman, CR) to UTF-8 with LF", "menu.csv",
            encode("\"Größe\",\"Übung \"\"x\"\"\"\rFüße,schöne Äpfel\r", "macintosh"), csv(["mac_roman", "utf-8"]))
            .has(r#"'\xdcbung "x"'"#),
        case("UTF-8 as Latin-1 in the escapes of JSON (Facebook): `\\u00c3\\u00a9` to é", "messages.json",
            r#"{"caf\u00c3\u00a9": "say \"\u00e6\u0097\u00a5\" \\ \n =%"}"#, Python("facebook", UTF_8))
            .parsed_as(Python("json", UTF_8)).has(r#"'caf\xe9': 'say "\u65e5" \\ \n =%'"#),
        case("Body of a message of one part to text", "message.eml",
            "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe =3D\"=5C% a=\nb\n",
            Python("message", UTF_8)).parsed_as(Python("text", UTF_8)).has(r#"Gr\xfc\xdfe ="\\% ab\n"#),
        case("Values of LDIF in base64", "people.ldif",
            "dn:: w6k=\ncn:: SsO2\n cmc=\nphoto:: /9j/\nsn:: IGE=\ndescription: a=b \"c\" \\\n  %\n", Python("ldif", UTF_8))
            .has(r"('cn', b'J\xc3\xb6rg')"),
        case("Text to LDIF in ASCII", "people.ldif", "dn: é\ncn: J\n örg\nsn: a=b\nphoto:: /9j/\n", Python("ldif", ["utf-8", "ascii"])),
        case("Quoted-printable in vCards, keep URLs", "contacts.vcf",
            "N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=F6=\nrg=3B\nURL:http://x/?a=bc&d=3D\n", Python("vcard", UTF_8))
            .has("('N', 'J\\xf6rg;'), ('URL', 'http://x/?a=bc&d=3D')"),
        case("Add a BOM for Excel", "menu.csv", CSV, csv(["utf-8", "utf-8-sig"])),
        case("UTF-8 with BOM to UTF-16", "menu.csv", format!("\u{FEFF}{CSV}"), csv(["utf-8-sig", "utf-16"])),
        case("Undo mojibake: a dump that was encoded in UTF-8 twice", "dump.sql", encode_twice(SQL), Python("sql", ["double", "utf-8"])),
        case("Undo mojibake in parts of a file", "dump.sql", encode_twice(SQL), Python("sql", ["double", "utf-8"])),
        case("Convert, and change the declaration too", "data.xml",
            encode(&format!("<?xml version='1.0' encoding='ISO-8859-1'?>{}", XML.replace('\u{20AC}', "é")), "latin1"),
            Python("xml", ["declared", "declared"])),
        case("Unfold header fields, one line each", "message.eml",
            "Subject: =?utf-8?Q?a=3D=22b=22?=\n =?utf-8?Q?_=5C_100%_=3D?=\nTo: \"A \\\"B\\\", C\"\n\t<a@example.org>,\n b@example.org\nX: a=b; c=\"d\n e\"\n\nbody =\n 50%\n",
            Python("mail", UTF_8)).has(r#"('Subject', 'a="b" \\ 100% =')"#),
        case("Decode a quoted-printable body", "", "caf=C3=A9 =3D=22=5C=25 100% a=\nb\n=3DC3\n", Python("qp", UTF_8))
            .parsed_as(Python("text", UTF_8)).has(r#"caf\xe9 ="\\% 100% ab\n=C3\n"#),
        case("Encode a body as base64 with CRLF", "", "a=b \"c\" \\ % é\r\n", Python("text", UTF_8))
            .parsed_as(Python("base64", UTF_8)),
        case("Decode HTML entities of a text", "", HTML, Python("entities", UTF_8))
            .parsed_as(Python("text", UTF_8)),
        case("Decode XML entities of a text", "", "&amp;lt; &lt;&quot;&apos; \\ % = &#233;\n", Python("entities", UTF_8))
            .parsed_as(Python("text", UTF_8)),
        case("Decode the HTML entities of a page, keep the markup", "page.html", HTML, Python("html", UTF_8))
            .has(r#"('title', '\xe9 "\n\t \'')"#),
        case("Decode the entities of an XML file, keep the markup", "data.xml", XML, Python("xml", UTF_8))
            .has("&quot;&#xA;&#x9;&#xD; &lt;&amp;amp;"),
        case("Decode the entities of an XML file, keep the markup", "data.xml", XML, Xmllint),
        case("Encode as named HTML entities, keep the markup", "", HTML, Python("html", UTF_8)),
        case("Write numeric entities where the encoding has no code", "", HTML, Python("html", ["utf-8", "latin1"])),
        case("Write numeric entities where the encoding has no code", "", XML, Python("xml", ["utf-8", "latin1"])),
        case("Java `.properties` to UTF-8", "menu.properties", PROPERTIES, Properties(UTF_8))
            .has("path = C:\\temp\\new\\u00e9\n"),
        case("Java `.properties` to UTF-8", "menu.properties", PROPERTIES.replace("end", "é raw 日"), Properties(UTF_8))
            .has("lone = <D83D><0020><00E9><0020>raw<0020><65E5>\n"),
        case("Java `.properties` to UTF-8", "menu.properties", JAVA, Java).has("\n9\n"),
        case("UTF-8 to Java `.properties` in ASCII", "menu.properties", PROPERTIES.replace("end", "é raw 日"),
            Properties(["utf-8", "latin1"])),
        case("UTF-8 to Java `.properties` in ASCII", "menu.properties", JAVA.replace("\\uu00e9", "é日"), Java),
        case("Decode the `\\u` escapes of a JSON file", "data.json", &json, Python("json", UTF_8))
            .has(r#"'say "hi"': 'C:\\temp\\A \xe9 \\u00e9'"#),
        case("Decode the `\\u` escapes of a JSON file", "data.json", &json, Jq),
        case("Decode the `\\u` escapes of a JSON file", "data.json", json.replace(r"\ud83d\ude00", r"\ud83d \ude00"),
            Python("json", UTF_8)).has(r"\ud83d \ude00"),
        case("Write a JSON file in ASCII", "data.json", &json, Python("json", ["utf-8", "ascii"])),
        case("Write a JSON file in ASCII", "data.json", &json, Jq),
        case("Decode `\\xC3\\xA9` in logs", "", LOG.replace("\\\\", "\\").replace("caf\\", "\\x22\\x0A\\x5C \\x5CxC3 caf\\"), Python("log", UTF_8)),
        case("Decode `%C3%A9` in logs", "", LOG, Python("log", UTF_8)).has(r#"b'GET /caf\xc3\xa9 "\n%C3?a=b=c+d"#),
        case("Decode `\\303\\251` in file names that git prints", "", "\"caf\\303\\251 \\\"\\\\303 \\t\\n\\033\\\\\"\nplain=100%\n",
            Python("git", UTF_8)).has(r#"b'caf\xc3\xa9 "\\303 \t\n\x1b\\'"#),
        case("Encode for a URL", "", "café/3 €?a=\"b\"&c=%20\\\n", Python("text", UTF_8)).parsed_as(Python("url", UTF_8)),
    ]
}

/// Returns a text in an encoding.
fn encode(text: &str, label: &str) -> Vec<u8> {
    transcode(text.as_bytes(), "utf-8", label)
}

/// Returns a text in UTF-8 after that was read as windows-1252 and encoded again.
fn encode_twice(text: &str) -> Vec<u8> {
    transcode(text.as_bytes(), "windows-1252", "utf-8")
}

fn transcode(text: &[u8], from: &str, to: &str) -> Vec<u8> {
    let [from, to] = [from, to].map(|label| label.parse::<charpipe::EncodingSpec>().unwrap());
    charpipe::TranscodeOptions::new(from, to).transcode(text).unwrap()
}

/// Returns the command of a parser, for the input or the result, and what the installed program prints if it
/// is the one that is expected.
fn parser_command(parser: Parser, side: usize) -> (Vec<String>, [&'static str; 2], &'static str) {
    let script = |name: &str| format!("{REPOSITORY_ROOT}/tests/docs/cookbook/{name}");
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match parser {
        Parser::Python(format, encodings) => (
            words(&["python3", "-I", "-S", &script("parse.py"), format, encodings[side]]),
            ["python3", "--version"],
            "Python 3",
        ),
        Parser::Properties(encodings) => (
            words(&[
                "java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                property_classes(),
                "PrintProperties",
                encodings[side],
            ]),
            ["javac", "-version"],
            "javac ",
        ),
        Parser::Java => (
            words(&[
                "sh",
                "-c",
                "cat > Main.java
                javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -proc:none -encoding UTF-8 Main.java &&
                exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Main",
            ]),
            ["javac", "-version"],
            "javac ",
        ),
        Parser::Jq => (words(&["jq", "-aS", "."]), ["jq", "--version"], "jq-"),
        Parser::Xmllint => {
            (words(&["xmllint", "--c14n", "-"]), ["xmllint", "--version"], "using libxml")
        }
    }
}

/// Returns a directory with the compiled PrintProperties.java, or an empty one without a compiler.
fn property_classes() -> &'static str {
    static CLASSES: LazyLock<TempDir> = LazyLock::new(|| {
        let directory = tempfile::tempdir().unwrap();
        let mut command = watch::command("javac");
        command.args(["-J-XX:TieredStopAtLevel=1", "-proc:none", "-d"]).arg(directory.path());
        let source = format!("{REPOSITORY_ROOT}/tests/docs/cookbook/PrintProperties.java");
        let _ = command.arg(source).output();
        directory
    });
    CLASSES.path().to_str().unwrap()
}

/// Returns whether the program of a parser is installed, and the one that is expected.
fn is_expected(version: [&str; 2], expected: &str) -> bool {
    let output = watch::command(version[0]).arg(version[1]).output();
    let has = |text: &[u8]| String::from_utf8_lossy(text).contains(expected);
    // `java FILE` compiles since version 11.
    let is_new = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let major = text
            .strip_prefix("javac ")
            .and_then(|it| it.split(['.', '\n', '-']).next()?.parse().ok());
        major.is_none_or(|major: u32| major >= 11)
    };
    output.is_ok_and(|output| {
        (has(&output.stdout) || has(&output.stderr))
            && is_new(&output.stdout)
            && is_new(&output.stderr)
    })
}

/// Returns what the parser prints.
fn parse(parser: Parser, side: usize, source: &[u8]) -> Result<String, String> {
    let (words, ..) = parser_command(parser, side);
    let directory = tempfile::tempdir().unwrap();
    let mut command = watch::command(&words[0]);
    command.args(&words[1..]).current_dir(&directory).env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let written = stdin.write_all(source);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    match output.status.success() && written.is_ok() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn commands_keep_the_content_that_the_parser_of_the_format_reads() {
    let page = fs::read_to_string(Path::new(REPOSITORY_ROOT).join("docs/cookbook.md")).unwrap();
    let rows = rows(&page);
    let commands = tempfile::tempdir().unwrap();
    install(commands.path());
    let (mut wrong, mut compared, mut known) = (Vec::new(), 0, HashMap::new());
    for case in cases().into_iter().step_by(sample_stride(3)) {
        let FormatCase { task: name, file, parser, .. } = case;
        let row = rows.iter().find(|row| row.task == name).expect(name);
        let result_parser = case.result_parser.unwrap_or(parser);
        let programs = [parser, result_parser].map(|parser| parser_command(parser, 0));
        let mut is_expected = |version: [&'static str; 2], expected| {
            *known.entry(version).or_insert_with(|| is_expected(version, expected))
        };
        if let Some((words, ..)) =
            programs.iter().find(|(_, version, expected)| !is_expected(*version, expected))
        {
            missing(&words[0]);
            continue;
        }
        if let Some(tool) = missing_tool(&row.charpipe, super::Mode::Plain) {
            missing(tool);
            continue;
        }
        let mut setup = task(name);
        setup = match file {
            "" => setup.stdin(&case.input),
            file => setup.file(file, &case.input),
        };
        let met = run(&row.charpipe, &setup, commands.path());
        let is_in_place = !file.is_empty() && met.files[file] != case.input;
        let result = if is_in_place { &met.files[file] } else { &met.output };
        let before = parse(parser, 0, &case.input).expect(name);
        assert!(before.contains(case.content), "{name}: {:?} is not in {before}", case.content);
        let after = parse(result_parser, 1, result);
        if met.exit != case.exit || after.as_ref() != Ok(&before) || *result == case.input {
            let messages = escape_start(&met.messages);
            wrong.push(format!(
                "{name} ({parser:?}): exit {} {messages}\n{}\n{before}\n{after:?}",
                met.exit,
                escape_start(result)
            ));
        }
        compared += 1;
    }
    eprintln!("{compared} commands compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
