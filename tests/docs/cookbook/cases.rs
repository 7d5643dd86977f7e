//! The tasks of docs/cookbook.md in its order: input, and what the result must be.

use super::{Case, Expected, Mode, Text, any_output, leaves, output, output_among_others, task};

const CAFE: &str = "café\n";
const CAFE_LATIN1: &[u8] = b"caf\xE9\n";
/// An encoding with three codes.
const CHARMAP: &str = "<code_set_name> MACHINE\n<escape_char> /\n<comment_char> %\n<mb_cur_max> 1\nCHARMAP\n\
    <U000A> /x0a LINE FEED\n<U0041> /x41 A\n<U20AC> /x80 EURO SIGN\nEND CHARMAP\n";
const ONE_CONVERTED: &str = "1 converted, 0 unchanged, 0 skipped, 0 failed";
const ONE_FIXED: &str = "1 fixed, 0 unchanged, 0 skipped, 0 failed";

/// 12 bytes of a program, none of them NUL.
const BINARY: &[u8] = b"\x89\x9A\x01\x02\x03\xC0\xC1\xFF\x04\x05\x9C\xF0";

const RUSSIAN: &str = "Сегодня мы видели много интересного, и все было хорошо.\n";
/// [`RUSSIAN`] in windows-1251.
const RUSSIAN_1251: &[u8] = b"\xD1\xE5\xE3\xEE\xE4\xED\xFF \xEC\xFB \xE2\xE8\xE4\xE5\xEB\xE8 \xEC\xED\xEE\xE3\xEE \xE8\xED\xF2\xE5\xF0\xE5\xF1\xED\xEE\xE3\xEE, \xE8 \xE2\xF1\xE5 \xE1\xFB\xEB\xEE \xF5\xEE\xF0\xEE\xF8\xEE.\n";

const CHINESE: &str = "我们今天看了一部很好的电影，大家都觉得非常有意思。\n";
/// [`CHINESE`] in GBK.
const CHINESE_GBK: &[u8] = b"\xCE\xD2\xC3\xC7\xBD\xF1\xCC\xEC\xBF\xB4\xC1\xCB\xD2\xBB\xB2\xBF\xBA\xDC\xBA\xC3\xB5\xC4\xB5\xE7\xD3\xB0\xA3\xAC\xB4\xF3\xBC\xD2\xB6\xBC\xBE\xF5\xB5\xC3\xB7\xC7\xB3\xA3\xD3\xD0\xD2\xE2\xCB\xBC\xA1\xA3\n";

const ARABIC: &str = "ذهبت اليوم إلى السوق مع أصدقائي وكان كل شيء جميلا.\n";
/// [`ARABIC`] in windows-1256.
const ARABIC_1256: &[u8] = b"\xD0\xE5\xC8\xCA \xC7\xE1\xED\xE6\xE3 \xC5\xE1\xEC \xC7\xE1\xD3\xE6\xDE \xE3\xDA \xC3\xD5\xCF\xDE\xC7\xC6\xED \xE6\xDF\xC7\xE4 \xDF\xE1 \xD4\xED\xC1 \xCC\xE3\xED\xE1\xC7.\n";

pub(super) fn all() -> Vec<Case> {
    let sections = [
        convert_files(),
        subtitles_and_spreadsheets(),
        byte_order_marks_and_line_endings(),
        normalization_and_ascii(),
        find_errors(),
        repair(),
        detect(),
        mail(),
        escapes(),
        names_and_lists(),
        pipes(),
        safety(),
    ];
    sections.into_iter().flatten().collect()
}

/// Text in UTF-16LE with a byte order mark.
fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn bom(text: &str) -> String {
    format!("\u{FEFF}{text}")
}

fn convert_files() -> Vec<Case> {
    let many = |mut case: Case| {
        for number in 0..12 {
            case = case.file(format!("{number} a\nb"), CAFE_LATIN1);
        }
        case
    };
    vec![
        task("Convert Latin-1 sources to UTF-8 in place, leave UTF-8 files")
            .file("src/a.c", CAFE_LATIN1)
            .file("src/b.c", CAFE)
            .reports(&["1 converted, 1 unchanged, 0 skipped, 0 failed"])
            .leaves("src/a.c", CAFE),
        task("Convert a tree that also has small binary files")
            .file("tree/a.txt", CAFE_LATIN1)
            .file("tree/code", BINARY)
            .reports(&[
                "tree/code: skipped: binary file or other encoding (contains control characters)",
                "1 converted, 0 unchanged, 1 skipped, 0 failed",
            ])
            .leaves("tree/a.txt", CAFE)
            .other(leaves("tree/a.txt", CAFE).leaves(
                "tree/code",
                "\u{89}\u{9A}\u{1}\u{2}\u{3}\u{C0}\u{C1}\u{FF}\u{4}\u{5}\u{9C}\u{F0}",
            )),
        task("Convert a tree of Windows files in several encodings")
            .file("tree/a.txt", RUSSIAN_1251)
            .file("tree/b.txt", utf16(RUSSIAN))
            .file("tree/c.txt", bom(RUSSIAN))
            .reports(&["3 converted, 0 unchanged, 0 skipped, 0 failed"])
            .leaves("tree/a.txt", RUSSIAN)
            .leaves("tree/b.txt", RUSSIAN)
            .leaves("tree/c.txt", RUSSIAN)
            .other(leaves("tree/a.txt", RUSSIAN).leaves("tree/b.txt", RUSSIAN)),
        task("Convert a tree, and the encoding that XML, HTML, scripts and other files declare")
            .file("src/a.xml", b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>\n")
            .file("src/b.html", b"<!doctype html><meta charset=\"windows-1251\">\xE9\n")
            .file("src/c.rb", b"# coding: iso-8859-15\nputs '\xA4'\n")
            .file("src/d.txt", "plain\n")
            .reports(&["3 converted, 1 unchanged, 0 skipped, 0 failed"])
            .leaves("src/a.xml", "<?xml version='1.0' encoding='UTF-8'?><a>é</a>\n")
            .leaves("src/b.html", "<!doctype html><meta charset=\"utf-8\">й\n")
            .leaves("src/c.rb", "# coding: utf-8\nputs '€'\n"),
        task("Convert files to another directory")
            .file("src/a.c", CAFE_LATIN1)
            .file("src/b.c", "plain\n")
            .reports(&["1 converted, 1 copied unchanged, 0 skipped, 0 failed"])
            .leaves("utf8/a.c", CAFE)
            .leaves("utf8/b.c", "plain\n"),
        task("Write each converted file next to the original")
            .file("a.txt", CAFE_LATIN1)
            .file("b.txt", "plain\n")
            .reports(&["1 converted, 1 copied unchanged, 0 skipped, 0 failed"])
            .leaves("a.txt.utf8", CAFE)
            .leaves("b.txt.utf8", "plain\n"),
        task("Convert the files that find prints, with any names")
            .file("a b\nc.txt", CAFE_LATIN1)
            .file("-i.txt", CAFE_LATIN1)
            .file("other", CAFE_LATIN1)
            .reports(&["2 converted, 0 unchanged, 0 skipped, 0 failed"])
            .leaves("a b\nc.txt", CAFE)
            .leaves("-i.txt", CAFE),
        (0..12).fold(many(task("Convert in parallel with xargs")), |case, number| {
            let name: &'static str = format!("{number} a\nb").leak();
            case.leaves(name, CAFE)
        }),
        task("UTF-8 to CP1252").file("letter.txt", "“5 €”\n").prints(b"\x935 \x80\x94\n"),
        task("UTF-16 without a BOM, as bcp and SQL Server write it")
            .file("dump.sql", &utf16("INSERT INTO menu\nVALUES ('café')\n")[2..])
            .prints("INSERT INTO menu\nVALUES ('café')\n"),
        task("A log that is UTF-16 up to a byte, and UTF-8 from there (`>>` of PowerShell)")
            .file("install.log", [utf16("Größe\n"), "Füße\n".into()].concat())
            .prints("Größe\nFüße\n"),
        task("Code page 4103 of SAP").file("dump.txt", &utf16("Größe\n")[2..]).prints("Größe\n"),
        task("Unicode text of Excel (UTF-16, tabs, CRLF) to UTF-8 with LF")
            .file("export.txt", utf16("Größe\tPreis\r\n5\t3 €\r\n"))
            .stdin(utf16("Größe\tPreis\r\n5\t3 €\r\n"))
            .prints("Größe\tPreis\n5\t3 €\n"),
        task("Shift_JIS CSV from Windows to UTF-8")
            .file("orders.csv", b"\x93\xFA\x96{,\x87@,\xFB\xFC\n")
            .prints("日本,①,髙\n"),
        task("GB18030 or GBK to UTF-8")
            .file("news.txt", b"\xD6\xD0\xCE\xC4 \x810\x818\n")
            .prints("中文 \u{88}\n"),
        task("HZ to UTF-8").file("news.txt", "~{VPND~}\n").prints("中文\n"),
        task("EBCDIC to UTF-8").file("data.ebc", b"\xC1\x81\xF1\x25").prints("Aa1\n"),
        task("EBCDIC of z/OS, with NEL as the line ending, to UTF-8")
            .file("data.ebc", b"\xC1\x15\xF1\x15")
            .prints("A\n1\n"),
        task("EBCDIC in records of 80 bytes, without line endings")
            .file("data.ebc", [record_80(b"\xC7\x99\xDC\x95"), record_80(b"\xF1")].concat())
            .prints(format!("{:80}\n{:80}\n", "Grün", "1"))
            .other(output(format!("{:80}\n{:80}\n", "Grün", "1"))),
        task("EBCDIC in records with their lengths (RDW)")
            .file("data.ebc", b"\0\x08\0\0\xC7\x99\xDC\x95\0\x06\0\0\xF1\x40")
            .prints("Grün\n1 \n"),
        task("Strings of PDF to UTF-8")
            .file("title.bin", b"\x8Dcaf\xE9\x8E \xA0")
            .prints("“café” €"),
        task("Names in a Windows zip: CP932 that was read as CP437")
            .file("names.txt", "ô·û{.txt\n")
            .prints("日本.txt\n"),
        task("Rename files whose names are in Latin-1")
            .file("schön", "a")
            .file("plain", "b")
            .after("printf c > \"$(printf 'caf\\351')\"")
            .leaves("café", "c"),
        task("A compressed file")
            .file("server.log", CAFE_LATIN1)
            .after("gzip -k server.log")
            .leaves_among_others("server.log.gz", "server.log")
            .prints(CAFE),
        task("A short message (GSM 03.38, a septet in each byte) to UTF-8")
            .file("message.bin", b"5 \x1Be, \x05l\x08\n")
            .prints("5 €, élò\n"),
        task("A title of a library catalog (MARC-8) to UTF-8")
            .file("title.txt", b"Dvo\xE9r\xE2ak")
            .prints("Dvořák"),
        task("A text of a Commodore 64 to UTF-8")
            .file("hello.seq", b"\xC8ELLO\r")
            .prints("Hello\n"),
        task("An encoding that only a charmap defines to UTF-8")
            .file("machine.charmap", CHARMAP)
            .file("data.bin", b"A\x80\n")
            .prints("A€\n"),
        task("Drop what MySQL's utf8mb3 cannot store")
            .file("dump.sql", "é 😀 中\n")
            .prints("é  中\n")
            .exits(1),
    ]
}

/// A record in EBCDIC, with spaces at its end.
fn record_80(text: &[u8]) -> Vec<u8> {
    let mut record = text.to_vec();
    record.resize(80, b'\x40');
    record
}

fn subtitles_and_spreadsheets() -> Vec<Case> {
    let csv = "Größe;Preis\nÄpfel;3 €\n";
    vec![
        task("Subtitles in several encodings to UTF-8, with backups")
            .file("a.srt", RUSSIAN_1251)
            .file("b.srt", CHINESE_GBK)
            .file("c.srt", ARABIC_1256)
            .reports(&["3 converted, 0 unchanged, 0 skipped, 0 failed"])
            .leaves("a.srt", RUSSIAN)
            .leaves("a.srt~", RUSSIAN_1251)
            .leaves("b.srt", CHINESE)
            .leaves("b.srt~", CHINESE_GBK)
            .leaves("c.srt", ARABIC)
            .leaves("c.srt~", ARABIC_1256),
        task("Subtitles for a TV: UTF-8 with BOM and CRLF")
            .file("film.srt", RUSSIAN_1251)
            .reports(&[ONE_CONVERTED])
            .leaves("film.srt", bom(&RUSSIAN.replace('\n', "\r\n"))),
        task("CSV in Windows encoding to UTF-8 for Excel, with BOM and CRLF")
            .file("menu.csv", b"Gr\xF6\xDFe;Preis\n\xC4pfel;3 \x80\n")
            .reports(&[ONE_CONVERTED])
            .leaves("menu.csv", bom(&csv.replace('\n', "\r\n"))),
        task("CSV that Excel saved as UTF-8 to CP1252")
            .file("menu.csv", bom("Größe;3 €\r\n"))
            .prints(b"Gr\xF6\xDFe;3 \x80\r\n"),
        task("CSV of Excel for Mac (Mac Roman, CR) to UTF-8 with LF")
            .file("menu.csv", b"Gr\x9A\xA7e;\x86bung\rF\x9F\xA7e;sch\x9Ane \x80pfel\r")
            .prints("Größe;Übung\nFüße;schöne Äpfel\n"),
        task("Log of PowerShell 5 (UTF-16, CRLF) to UTF-8 with LF")
            .file("install.log", utf16("Größe\r\nFüße\r\n"))
            .reports(&[ONE_CONVERTED])
            .leaves("install.log", "Größe\nFüße\n"),
        task("A command for `powershell -EncodedCommand`")
            .stdin("Write-Host é")
            .prints("VwByAGkAdABlAC0ASABvAHMAdAAgAOkA"),
    ]
}

fn byte_order_marks_and_line_endings() -> Vec<Case> {
    let invalid = b"\xEF\xBB\xBFcaf\xE9\n";
    vec![
        task("Strip a BOM in place")
            .file("menu.csv", bom(CAFE))
            .reports(&[ONE_CONVERTED])
            .leaves("menu.csv", CAFE),
        task("Strip the BOM of a file with an invalid byte")
            .file("menu.csv", invalid)
            .reports(&[
                "menu.csv:1:5: byte 6: invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)",
                "menu.csv: 1 error: 1 kept",
                ONE_CONVERTED,
            ])
            .exits(1)
            .leaves("menu.csv", CAFE_LATIN1),
        task("Add a BOM for Excel")
            .file("menu.csv", CAFE)
            .reports(&[ONE_CONVERTED])
            .leaves("menu.csv", bom(CAFE))
            .other(leaves("menu.csv", bom("café\r\n"))),
        task("Join files that start with a BOM")
            .file("a.csv", bom("a\n"))
            .file("b.csv", bom("b\n"))
            .prints("a\nb\n"),
        task("Join files, with one BOM at the start")
            .file("a.csv", bom("a\n"))
            .file("b.csv", bom("b\n"))
            .prints(bom("a\nb\n"))
            .other(output(bom("a\n") + &bom("b\n"))),
        task("UTF-8 with BOM to UTF-16")
            .file("menu.csv", bom("é\n"))
            .prints(utf16("é\n"))
            .other(output(utf16("\u{FEFF}é\n"))),
        task("CRLF to LF")
            .file("menu.txt", "é\r\nb\r\n")
            .reports(&[ONE_CONVERTED])
            .leaves("menu.txt", "é\nb\n"),
        task("LF to CRLF")
            .file("menu.txt", "é\nb\n")
            .reports(&[ONE_CONVERTED])
            .leaves("menu.txt", "é\r\nb\r\n"),
        task("CR of the classic Mac OS to LF")
            .file("menu.txt", "é\rb\r")
            .reports(&[ONE_CONVERTED])
            .leaves("menu.txt", "é\nb\n"),
        task("No BOM, LF and UTF-8, all in one go")
            .file("src/a", bom("é\r\n"))
            .file("src/b", b"\x93\n")
            .file("src/c", "é\n")
            .reports(&[
                "src/a: fixed",
                "src/b: fixed (converted from CP1252 to UTF-8)",
                "2 fixed, 1 unchanged, 0 skipped, 0 failed",
            ])
            .exits(1)
            .leaves("src/a", "é\n")
            .leaves("src/b", "“\n"),
        task("See what that would change")
            .file("src/a", "é\r\nb\n")
            .prints("--- src/a\n+++ src/a\n@@ -1,2 +1,2 @@\n-é␍␊\n+é␊\n b\n")
            .reports(&["1 would be fixed, 0 unchanged, 0 skipped, 0 failed"])
            .exits(1)
            .other(output_among_others("\n@@ -1,2 +1,2 @@\n-é\r\n+é\n b\n").exits(1)),
    ]
}

fn normalization_and_ascii() -> Vec<Case> {
    let quotes = "“curly” – it’s…\n";
    vec![
        task("Compose characters (NFC)").stdin("e\u{301} ﬁ\n").prints("\u{E9} ﬁ\n"),
        task("Decompose characters (NFD)").stdin("\u{E9} ﬁ\n").prints("e\u{301} ﬁ\n"),
        task("Replace compatibility characters, such as ﬁ and ① (NFKC)")
            .stdin("e\u{301} ﬁ ①\n")
            .prints("\u{E9} fi 1\n"),
        task("Convert decomposed (macOS) names to Latin-1")
            .stdin("cafe\u{301}\n")
            .prints(CAFE_LATIN1),
        task("Curly quotes, dashes, ellipsis to ASCII")
            .stdin(quotes)
            .prints("\"curly\" - it's...\n"),
        task("Curly quotes and dashes to ASCII, keep all other characters")
            .stdin("“Ça – l’été”, 日本\n")
            .prints("\"Ça - l'été\", 日本\n"),
        task("Remove accents: café to cafe").stdin("café Łódź\n").prints("cafe Lodz\n"),
        task("Cyrillic and Greek to Latin letters without accents")
            .stdin("Привет Ελλάδα\n")
            .prints("Privet Ellada\n"),
        task("Kana to Latin letters").stdin("カナダ ひらがな\n").prints("kanada hiragana\n"),
        task("Chinese to Latin letters without accents")
            .stdin("汉字 北京\n")
            .prints("han zi bei jing\n"),
        task("Traditional to simplified Chinese, in GB18030")
            .stdin("漢字\n")
            .prints(b"\xBA\xBA\xD7\xD6\n"),
        task("The same result in any locale, as over ssh and in cron")
            .stdin(CAFE)
            .prints("cafe\n")
            .other(output("caf?\n")),
        task("Transliterate 100,000 lines")
            .file("quotes.txt", quotes.repeat(100_000))
            .prints("\"curly\" - it's...\n".repeat(100_000)),
    ]
}

fn find_errors() -> Vec<Case> {
    let no_continuation = "invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)";
    let confusing = "a\u{200B}b\n";
    vec![
        task("Find invalid UTF-8 in the files of a git repository")
            .file("a.c", CAFE)
            .file("b.c", b"ok\ncaf\xE9\n")
            .file("picture.png", b"\x89PNG\r\n\x1A\n\0\xFF")
            .file("untracked", CAFE_LATIN1)
            .after("git init -q && git add a.c b.c picture.png")
            .prints(format!("b.c:2:4: byte 6: {no_continuation}\n"))
            .exits(1)
            .other(output("b.c\npicture.png\n")),
        task("Print only the names of files that are not UTF-8")
            .file("a.c", CAFE)
            .file("b.c", CAFE_LATIN1)
            .prints("./b.c\n")
            .exits(1),
        task("Show the lines with invalid bytes")
            .file("server.log", b"one\ncaf\xE9 x\nthree\n")
            .prints(
                "server.log:2:4: byte 7: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)\n  2 | caf\\xE9 x\n    |    ^^^^\n",
            )
            .exits(1)
            .other(output(b"2:caf\xE9 x\n")),
        task("Convert the files that are not UTF-8")
            .file("a b\nc", CAFE_LATIN1)
            .file("d", CAFE)
            .reports(&[ONE_CONVERTED])
            .leaves("a b\nc", CAFE),
        task("Preview a conversion as a diff")
            .file("src/a.c", b"caf\xE9\nb\n")
            .prints("--- src/a.c\tCP1252\n+++ src/a.c\tUTF-8\n@@ -1,2 +1,2 @@\n-café\n+café\n b\n")
            .reports(&["1 would be fixed, 0 unchanged, 0 skipped, 0 failed"])
            .exits(1)
            .other(Expected { output: Text::Contains("+café\n b\n"), ..output("").exits(1) }),
        task("Annotate a pull request on GitHub")
            .file("src/a.c", CAFE_LATIN1)
            .prints_among_others("::error file=src/a.c,line=1,")
            .exits(1),
        task("Write a SARIF report for code scanning")
            .file("src/a.c", CAFE_LATIN1)
            .leaves_among_others("charpipe.sarif", "\"version\":\"2.1.0\"")
            .exits(1),
        task("Check what `.editorconfig` asks for")
            .file(".editorconfig", "[*]\ncharset = utf-8\nend_of_line = lf\n")
            .file("a.c", bom("é\r\n"))
            .prints(
                "./a.c:1:1: byte 0: unexpected byte order mark\n./a.c:1:3: byte 5: line ends with CRLF (expected LF)\n",
            )
            .exits(1),
        task("Find characters that are not ASCII")
            .file("src/a.c", "ok\ncafé\n")
            .prints("src/a.c:2:4: byte 6: U+00E9 LATIN SMALL LETTER E WITH ACUTE is not ASCII\n")
            .exits(1)
            .other(output("src/a.c:2:café\n")),
        task("Find zero-width, no-break space and bidi characters")
            .file("src/a.c", confusing)
            .prints("src/a.c:1:2: byte 1: U+200B ZERO WIDTH SPACE is invisible\n")
            .reports(&["use 'charpipe fix --via remove-zero-width PATH' to remove or replace such characters"])
            .exits(1)
            .other(output("src/a.c:1:a\u{200B}b\n")),
        task("Remove zero-width characters, and spaces that do not break, from a tree")
            .file("src/a.c", "a\u{200B}b\u{A0}é\n")
            .file("src/b.c", "plain é\n")
            .reports(&["src/a.c: fixed", "1 fixed, 1 unchanged, 0 skipped, 0 failed"])
            .exits(1)
            .leaves("src/a.c", "ab é\n")
            .leaves("src/b.c", "plain é\n"),
        task("Let pre-commit fix encodings, BOMs and line endings")
            .file("src/menu.py", bom("é\r\n"))
            .reports(&["src/menu.py: fixed", ONE_FIXED])
            .exits(1)
            .leaves("src/menu.py", "é\n"),
    ]
}

fn repair() -> Vec<Case> {
    let invalid = "invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)";
    let log = b"one\ncaf\xE9\ncaf\xC3\xA9 \xE9\n";
    // The three bytes of ”, E2 80 9D, read as windows-1252 with C1 controls.
    let with_controls = "café â€\u{9D}\n".replace('é', "Ã©");
    vec![
        task("Find the invalid bytes of a log")
            .file("server.log", log)
            .prints(format!(
                "server.log:2:4: byte 7: {invalid}\nserver.log:3:6: byte 15: {invalid}\n"
            ))
            .exits(1)
            .other(output("").exits(1)),
        task("Drop invalid bytes").file("server.log", log).prints("one\ncaf\ncafé \n").exits(1),
        task("Replace invalid bytes with U+FFFD")
            .file("server.log", log)
            .leaves("clean.log", "one\ncaf\u{FFFD}\ncafé \u{FFFD}\n")
            .exits(1),
        task("Convert a log with NUL bytes").file("server.log", b"a\0\xE9\n").prints("a\0é\n"),
        task("Check a log with NUL bytes").file("server.log", b"a\0\xC3\xA9\n"),
        task("UTF-8 with some lines in CP1252 or Latin-1")
            .file("mixed.txt", b"caf\xC3\xA9 \x93\n\x93caf\xE9\x94\n\xC3\xA9\n")
            .prints("café “\n“café”\né\n")
            .other(output("cafÃ© “\n“café”\né\n")),
        task("Undo mojibake: a dump that was encoded in UTF-8 twice")
            .file("dump.sql", "cafÃ© â‚¬\n")
            .prints("café €\n"),
        task("The same with C1 controls in it")
            .file("dump.sql", &with_controls)
            .prints("café ”\n")
            .other(output(b"caf\xC3\xA9 \xE2\x80").exits(1)),
        task("Quotation marks of windows-1252 that were read as Latin-1: U+0093 to “")
            .file("letter.txt", "He said \u{93}yes\u{94}, é\n")
            .prints("He said “yes”, é\n"),
        task("Cyrillic that was read as Latin-1: Ïðèâåò to Привет")
            .file("tags.txt", "Ïðèâåò\n")
            .prints("Привет\n"),
        task("UTF-8 as Latin-1 in the escapes of JSON (Facebook): `\\u00c3\\u00a9` to é")
            .file("messages.json", "{\"n\":\"caf\\u00c3\\u00a9 \\\"x\\\"\"}\n")
            .prints("{\"n\":\"café \\\"x\\\"\"}\n"),
        task("Undo mojibake in parts of a file")
            .file("dump.sql", "cafÃ© â‚¬\ncafé €\n")
            .prints("café €\ncafé €\n"),
        task("Find mojibake")
            .file("dump.sql", "café\ncafÃ©\n")
            .prints("dump.sql:2:4: byte 9: UTF-8 decoded in another encoding: \"Ã©\" for \"é\"\n")
            .exits(1)
            .other(output("2:cafÃ©\n")),
    ]
}

fn detect() -> Vec<Case> {
    let xml = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>caf\u{E9}</a>\n";
    let po = |name: &str| {
        format!(
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset={name}\\n\"\n\nmsgid \"size\"\nmsgstr \"Größe\"\n"
        )
    };
    let latin1 = |text: &str| text.chars().map(|c| u8::try_from(c).unwrap()).collect::<Vec<_>>();
    vec![
        task("Encoding and line endings of files")
            .file("letter.txt", RUSSIAN_1251)
            .file("menu.csv", bom("é\r\n"))
            .prints(
                "letter.txt: CP1251, certain, lf, language ru\nmenu.csv: UTF-8, certain, crlf, byte order mark\n",
            )
            // A MIME type.
            .other(output_among_others("menu.csv:   text/plain; charset=utf-8\n")),
        task("Only the name of the encoding, as uchardet prints it")
            .file("letter.txt", RUSSIAN_1251)
            .prints("WINDOWS-1251\n"),
        task("The same for several files")
            .file("letter.txt", RUSSIAN_1251)
            .file("menu.csv", CAFE)
            .prints("letter.txt: WINDOWS-1251\nmenu.csv: UTF-8\n")
            // It takes Russian for ISO-8859-1.
            .other(output_among_others("menu.csv:   utf-8\n")),
        task("Convert from the detected encoding")
            .file("letter.txt", RUSSIAN_1251)
            .stdin(RUSSIAN_1251)
            .prints(RUSSIAN),
        task("Encoding that XML, HTML or a coding line declares")
            .file("data.xml", latin1(xml))
            .file("index.html", b"<!doctype html><meta charset=windows-1251>\xE9\n")
            .file("run.py", b"# coding: cp850\nprint('\x82')\n")
            .prints(
                "data.xml: ISO-8859-1, certain, lf, XML declaration\n\
                 index.html: whatwg:windows-1251, certain, lf, HTML meta element\n\
                 run.py: IBM850, certain, lf, coding line\n",
            ),
        task("Convert, and change the declaration too")
            .file("data.xml", latin1(xml))
            .reports(&[ONE_CONVERTED])
            .leaves("data.xml", xml.replace("ISO-8859-1", "UTF-8")),
        task("The same for a gettext catalog")
            .file("de.po", latin1(&po("ISO-8859-1")))
            .reports(&[ONE_CONVERTED])
            .leaves("de.po", po("UTF-8"))
            // It also joins the lines of the header.
            .other(Expected {
                files: [("de.po", Text::Contains("Größe"))].into(),
                ..output("")
            }),
        task("The same for `@charset` in CSS")
            .file("style.css", b"@charset \"iso-8859-1\";\na::before { content: '\xE9' }\n")
            .reports(&[ONE_CONVERTED])
            .leaves("style.css", "@charset \"utf-8\";\na::before { content: 'é' }\n"),
        task("The same for `inputenc` of LaTeX")
            .file("paper.tex", b"\\documentclass{article}\n\\usepackage[latin1]{inputenc}\ncaf\xE9\n")
            .reports(&[ONE_CONVERTED])
            .leaves("paper.tex", "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\ncafé\n"),
        task("A manual page with a coding line")
            .file("menu.1", b".\\\" -*- coding: latin-1 -*-\n.TH MENU 1\ncaf\xE9\n")
            .prints(".\\\" -*- coding: latin-1 -*-\n.TH MENU 1\ncafé\n")
            .other(output_among_others("\ncaf\\[u00E9]\n")),
        task("Encodings, BOMs and line endings of a tree")
            .file("src/a", CAFE)
            .file("src/b", "plain\r\n")
            .prints(
                "encoding      files  bytes\n\
                 US-ASCII          1      7\n\
                 UTF-8             1      6\n\
                 total             2     13\n\
                 \n\
                 line endings  files\n\
                 lf                1\n\
                 crlf              1\n\
                 \n\
                 files with a byte order mark: 0\n\
                 files with findings: 0\n\
                 findings: 0\n",
            )
            // A MIME type.
            .other(output_among_others("src/b: text/plain; charset=us-ascii\n")),
    ]
}

fn mail() -> Vec<Case> {
    let message = "Subject: one\n two\nTo: a@example.org,\n\tb@example.org\n\nbody\n more\n";
    vec![
        task("Subjects of a mailbox")
            .file(
                "mbox",
                "From a Mon\nFrom: a@example.org\nSubject: =?utf-8?Q?caf=C3=A9?= =?utf-8?Q?_cr=C3=A8me?=\n\nSubject of the body\n\nFrom b Mon\nSubject: plain\n\n",
            )
            .prints("Subject: café crème\nSubject: plain\n")
            .other(output("Subject: café crème\nSubject of the body\nSubject: plain\n")),
        task("Subjects of a Maildir, with the names of files")
            .file(
                "Maildir/cur/1.a:2,S",
                "Subject: =?utf-8?Q?caf=C3=A9?=\n =?utf-8?Q?_cr=C3=A8me?=\n\nSubject: of the body\n",
            )
            .file("Maildir/new/2.b", "To: a@example.org\nSubject: plain\n\n")
            .prints("Maildir/cur/1.a:2,S: Subject: café crème\nMaildir/new/2.b: Subject: plain\n")
            .other(output_among_others("Maildir/new/2.b:Subject: plain\n")),
        task("Names of attachments (`filename*=UTF-8''…`)")
            .file(
                "message.eml",
                "Subject: x\nContent-Disposition: attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt\n\n",
            )
            .prints("Content-Disposition: attachment; filename=\"Grüße.txt\"\n")
            .other(output("Grüße.txt\n")),
        task("Encode a subject in a shell script")
            .prints("Subject: =?UTF-8?B?R3LDvMOfZQ==?= aus =?UTF-8?B?S8O2bG4=?=\n")
            .other(output("Subject: =?utf-8?b?R3LDvMOfZSBhdXMgS8O2bG4=?=\n")),
        task("Unfold header fields, one line each").file("message.eml", message).prints(
            "Subject: one two\nTo: a@example.org,\tb@example.org\n\nbody\n more\n",
        ),
        task("Decode a quoted-printable body")
            .stdin("caf=C3=A9, a long lin=\ne\n")
            .prints("café, a long line\n"),
        task("Body of a message of one part to text")
            .file(
                "message.eml",
                "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe, a long =\nline\n",
            )
            .prints("Grüße, a long line\n"),
        task("Decode a base64 body in ISO-8859-15").stdin("MyCkCg==\n").prints("3 €\n"),
        task("Encode a body as base64 with CRLF").stdin("3\n").prints("Mw0K\n"),
        task("Decode an ISO-2022-JP body").stdin("\x1B$BF|K\\\x1B(B\n").prints("日本\n"),
        task("Encode a body in ISO-2022-JP").stdin("日本\n").prints("\x1B$BF|K\\\x1B(B\n"),
        task("IMAP mailbox names, one per line")
            .stdin("INBOX\nEntw&APw-rfe\n&U,BTFw- & Co\n".replace("& Co", "&- Co"))
            .prints("INBOX\nEntwürfe\n台北 & Co\n"),
        task("Values of LDIF in base64")
            .file("people.ldif", "dn: o=x\ncn:: SsO2\n cmc=\nsn: Smith\n")
            .prints("dn: o=x\ncn: Jörg\nsn: Smith\n"),
        task("Text to LDIF in ASCII")
            .file("people.ldif", "dn: o=x\ncn: Jörg\nsn: Smith\n")
            .prints("dn: o=x\ncn:: SsO2cmc=\nsn: Smith\n"),
        task("Quoted-printable in vCards, keep URLs")
            .file(
                "contacts.vcf",
                "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6=\nrg\nURL:http://x/?a=bc\n",
            )
            .prints("N:Jörg\nURL:http://x/?a=bc\n"),
    ]
}

fn escapes() -> Vec<Case> {
    vec![
        task("Decode HTML entities of a text")
            .stdin("caf&eacute; &#8364; &lt;\n")
            .prints("café € <\n"),
        task("Decode XML entities of a text").stdin("AT&amp;T &lt; 3\n").prints("AT&T < 3\n"),
        task("Decode the HTML entities of a page, keep the markup")
            .file("page.html", "<b>caf&eacute; &lt; 3&nbsp;&euro;</b>\n")
            .prints("<b>café &lt; 3\u{A0}€</b>\n"),
        task("Decode the entities of an XML file, keep the markup")
            .file("data.xml", "<a b='&#10;'>&#233; &amp; &lt;</a>\n")
            .prints("<a b='&#10;'>é &amp; &lt;</a>\n"),
        task("Encode as named HTML entities, keep the markup")
            .stdin("<b>é €</b>\n")
            .prints("<b>&eacute; &euro;</b>\n"),
        task("Write numeric entities where the encoding has no code")
            .stdin("é €\n")
            .prints(b"\xE9 &#8364;\n"),
        task("Java `.properties` to UTF-8")
            .file("menu.properties", "menu=caf\\u00e9\n")
            .prints("menu=café\n"),
        task("UTF-8 to Java `.properties` in ASCII")
            .file("menu.properties", "menu=3 €\n")
            .prints("menu=3 \\u20ac\n"),
        task("Decode the `\\u` escapes of a JSON file")
            .file("data.json", "{\"caf\\u00e9\":\"\\ud83d\\ude00 \\\"\\n\"}\n")
            .prints("{\"café\":\"😀 \\\"\\n\"}\n"),
        task("Write a JSON file in ASCII")
            .file("data.json", "{\"café\":\"😀 \\\"\\n\"}\n")
            .prints("{\"caf\\u00e9\":\"\\ud83d\\ude00 \\\"\\n\"}\n"),
        task("Decode `\\xC3\\xA9` in logs").stdin("GET /caf\\xC3\\xA9\n").prints("GET /café\n"),
        task("Decode `\\303\\251` in file names that git prints")
            .stdin("\"caf\\303\\251\"\n")
            .prints("\"café\"\n"),
        task("Decode `%C3%A9` in logs").stdin("GET /caf%C3%A9?q=5%\n").prints("GET /café?q=5%\n"),
        task("The same if some are of Latin-1")
            .file("access.log", "GET /caf%C3%A9?q=5%\nGET /caf%E9%20x\n")
            .prints("GET /café?q=5%\nGET /café%20x\n"),
        task("Decode `%u20AC` of JavaScript's `escape`")
            .stdin("3%20%u20AC%E9%uD83D%uDE00 100%\n")
            .prints("3 €é😀 100%\n"),
        task("Decode the escapes of a JavaScript string")
            .stdin(r"caf\xe9\t\u{1F600}\u20ac")
            .prints("café\t😀€"),
        task("Decode the escapes of a CSS file")
            .file("style.css", "a::before { content: \"\\20AC \\\"\\e9\" }\n")
            .prints("a::before { content: \"€\\\"é\" }\n"),
        task("Accents of LaTeX or BibTeX to UTF-8")
            .file("refs.bib", "author = {Caf\\'e G\\\"odel},\n")
            .prints("author = {Café Gödel},\n"),
        task("UTF-8 to accents of LaTeX")
            .file("refs.bib", "author = {Café Gödel},\n")
            .prints("author = {Caf\\'e G\\\"odel},\n"),
        task("Text to RTF").stdin("3 € {é}\n").prints("3 \\u8364? \\{\\u233?\\}\\par\n"),
        task("Characters of an RTF file to UTF-8")
            .file("letter.rtf", "{\\rtf1 caf\\'e9 \\u8364?\\par}\n")
            .prints("{\\rtf1 café €\\par}\n"),
        task("Code points such as U+20AC to characters").stdin("U+20AC U+1F600\n").prints("€ 😀\n"),
        task("Names such as `\\N{EURO SIGN}` to characters")
            .stdin("3 \\N{EURO SIGN} \\N{LATIN SMALL LETTER E WITH ACUTE}\n")
            .prints("3 € é\n"),
        task("Encode for a URL").stdin("café/3 €").prints("caf%C3%A9%2F3%20%E2%82%AC"),
        task("Punycode of one label").stdin("bücher\nüber\n").prints("bcher-kva\nber-goa\n"),
        task("Domain names to IDNA")
            .stdin("bücher.example\nexample.org\n")
            .prints("xn--bcher-kva.example\nexample.org\n"),
        task("Domain names from IDNA").stdin("xn--bcher-kva.example\n").prints("bücher.example\n"),
    ]
}

fn names_and_lists() -> Vec<Case> {
    vec![
        task("List encodings for a completion script")
            .prints_among_others("\nISO-8859-1\n")
            .other(output_among_others("ISO-8859-1//")),
        task("Complete options and encodings in bash").prints_among_others("complete "),
        task("Find an encoding in the list")
            .prints_among_others("CP1251 ")
            .other(output_among_others("CYRILLIC//")),
        task("All names that contain 1251")
            .prints_among_others("windows-1251//\n")
            .other(output_among_others("WINDOWS-1251//\n")),
        task("Aliases, options and gaps of an encoding")
            .prints_among_others("undefined bytes      81 8D 8F 90 9D\n"),
        task("Which encodings can represent this file?")
            .file("menu.txt", "3 € für Ærø\n")
            .prints("ISO-8859-15  Latin alphabet No. 9: No. 1 with the euro (ISO/IEC 8859-15)\n")
            .other(output("iso-8859-15\n")),
        task("What is this character?")
            .prints_among_others("LATIN SMALL LETTER E WITH ACUTE")
            .other(output("LATIN SMALL LETTER E WITH ACUTE\n")),
        task("Names of other programs (PostgreSQL, Oracle, code pages)")
            .stdin(b"\xCF\n")
            .prints(b"\xBF\n"),
        task("The same default in every locale")
            .file("menu.txt", CAFE_LATIN1)
            .prints(CAFE)
            .other(output("caf").exits(1)),
        task("Convert from the encoding of the locale").file("menu.txt", CAFE).prints(CAFE),
    ]
}

fn pipes() -> Vec<Case> {
    let translated = task("Filter a buffer of Vim with `:%!`");
    let rc = |text: &str| utf16(text);
    vec![
        task("Follow a log in Latin-1")
            .file("server.log", CAFE_LATIN1)
            .runs(Mode::Endless)
            .prints(CAFE),
        task("Follow a log in UTF-8 or Latin-1")
            .file("server.log", b"caf\xE9\ncaf\xC3\xA9\n")
            .runs(Mode::Endless)
            .prints("café\ncafé\n"),
        task("Show progress")
            .file("dump.sql", CAFE)
            .runs(Mode::Terminal)
            .prints_among_others("0 B, 0 B/s, ")
            .leaves("new.sql", CAFE)
            .other(any_output().leaves("new.sql", CAFE)),
        task("Convert the output of another command, or a FIFO")
            .file("menu.txt", CAFE_LATIN1)
            .prints(CAFE),
        task("Convert all output of a script, errors too")
            .file("menu.txt", CAFE_LATIN1)
            .prints(CAFE),
        task("Run a program that reads and writes Latin-1").stdin(CAFE).prints("cafÉ\n"),
        task("Stop when the reader of a pipe exits").prints("y\n"),
        task("Compare UTF-16 files")
            .file("a.rc", rc("Datei\nÖffnen\n"))
            .file("b.rc", rc("Datei\nSchließen\n"))
            .prints("2c2\n< Öffnen\n---\n> Schließen\n")
            .exits(1),
        task("Search UTF-16 files").file("a.rc", rc("Datei\nÖffnen\n")).prints("Datei\n"),
        translated.file("letter.txt", "“café”\n").leaves("letter.txt", "\"cafe\"\n"),
    ]
}

fn safety() -> Vec<Case> {
    let mut interrupted = task("Interrupt a run (Ctrl-C) and repeat it");
    for number in 0..100 {
        let name: &'static str = format!("src/{number}").leak();
        interrupted = interrupted.file(name, CAFE_LATIN1).leaves(name, CAFE);
    }
    vec![
        task("Write the output to the input file")
            .file("menu.txt", CAFE_LATIN1)
            .leaves("menu.txt", CAFE),
        task("Redirect the output to the input by mistake")
            .file("menu.txt", CAFE_LATIN1)
            .reports(&["menu.txt: input file is output file"])
            .exits(2),
        task("Notice a full disk")
            .file("menu.txt", CAFE)
            .reports(&["write error: No space left on device"])
            .exits(2)
            .other(output("")),
        interrupted,
        task("Convert through a symbolic link")
            .file("menu.txt", CAFE_LATIN1)
            .link("link.txt", "menu.txt")
            .reports(&[ONE_CONVERTED])
            .leaves("menu.txt", CAFE)
            .other(leaves("link.txt", CAFE)),
        task("Keep read-only files")
            .file("menu.txt", CAFE_LATIN1)
            .after("chmod 444 menu.txt")
            .runs(Mode::Unprivileged)
            .reports(&[
                "menu.txt: cannot be written: Permission denied",
                "0 converted, 0 unchanged, 0 skipped, 1 failed",
            ])
            .exits(2)
            .other(leaves("menu.txt", CAFE)),
        task("Convert a file of a colleague in a shared directory")
            .file("menu.txt", CAFE_LATIN1)
            .after("chmod 666 menu.txt")
            .runs(Mode::Unprivileged)
            .reports(&[ONE_CONVERTED])
            .leaves("menu.txt", CAFE),
        task("Keep a backup")
            .file("menu.txt", CAFE_LATIN1)
            .reports(&[ONE_CONVERTED])
            .leaves("menu.txt", CAFE)
            .leaves("menu.txt.orig", CAFE_LATIN1),
        task("See what would be converted").file("src/a.c", CAFE_LATIN1).reports(&[
            "src/a.c: would be converted from ISO-8859-1 to UTF-8",
            "1 would be converted, 0 unchanged, 0 skipped, 0 failed",
        ]),
    ]
}
