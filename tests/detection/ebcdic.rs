//! EBCDIC: programs, job control, records without line endings, and languages other than English.

use charpipe::internals::detect::{Confidence, Content, detect};
use charpipe::transcode;

use crate::facts::{assert_detected, encode};

const COBOL: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. STOCK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ITEM-RECORD.
           05  ITEM-NAME          PIC X(20) VALUE SPACES.
           05  ITEM-COUNT         PIC 9(5)  COMP-3.
       PROCEDURE DIVISION.
           PERFORM 100-READ UNTIL END-OF-FILE = 'Y'.
           DISPLAY 'ITEMS: ' ITEM-COUNT.
           STOP RUN.
";

const JCL: &str = "//NIGHTLY  JOB (4711),'REPORT',CLASS=A,MSGCLASS=X,NOTIFY=&SYSUID
//STEP1    EXEC PGM=IEBGENER,REGION=4M
//SYSPRINT DD  SYSOUT=*
//SYSUT1   DD  DSN=PROD.LEDGER.DATA,DISP=SHR
//SYSUT2   DD  DSN=&&TEMP,DISP=(NEW,PASS),SPACE=(TRK,(5,5))
//SYSIN    DD  DUMMY
";

const C: &str = "#include <stdio.h>
int main(int argc, char *argv[]) {
    int sums[4] = {0};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1]) sums[i % 4] ^= i | 1;
    }
    printf(\"%d\\n\", sums[0]);
    return sums[1] ? 1 : 0;
}
";

const PYTHON: &str = "class Shelf:
    def __init__(self, books=None):
        self.books = books or {}

    @property
    def count(self):
        return sum(self.books[name] for name in self.books)  # all of them
";

const PAGES: [&str; 4] = ["IBM037", "IBM500", "IBM1047", "IBM1140"];

fn records(text: &str) -> String {
    text.lines().map(|line| format!("{line:80}")).collect()
}

#[test]
fn programs_are_text() {
    for text in [COBOL, JCL, C, PYTHON] {
        for page in PAGES.into_iter().chain(["IBM273"]) {
            assert_detected(&encode(text, page), page, Confidence::Guess);
            assert_detected(&encode(&records(text), page), page, Confidence::Guess);
        }
    }
}

#[test]
fn short_parts_of_programs_are_text() {
    for text in [COBOL, JCL, PYTHON] {
        for line in text.lines().filter(|line| line.trim_start().len() >= 30) {
            let detection = detect(&encode(line, "IBM037"));
            assert_eq!(detection.content, Content::Text, "{line}");
            let best = detection.candidates[0].encoding.name();
            assert!(best.starts_with("IBM"), "{line}: {best}");
        }
    }
}

#[test]
fn lines_may_end_with_nel() {
    let bytes = encode(&JCL.replace('\n', "\u{85}"), "IBM1047");
    assert!(bytes.contains(&0x15));
    assert_eq!(detect(&bytes).best().unwrap().encoding.name(), "IBM1047");
}

/// Nothing in the text shows the code page.
#[test]
fn the_most_common_code_page_is_preferred() {
    assert_eq!(detect(&encode(COBOL, "IBM500")).best().unwrap().encoding.name(), "IBM037");
}

#[test]
fn programs_may_have_comments_in_another_language() {
    let text = "    /* Die Länge wird in Zeichen gezählt, nicht in Bytes; die Größe der Tabelle ändert sich nie. */
    if (length > maximum) { table[length] = used; } /* für später */
";
    for page in PAGES.into_iter().chain(["IBM273"]) {
        assert_detected(&encode(text, page), page, Confidence::Guess);
    }
}

#[test]
fn other_scripts_and_national_pages_are_detected() {
    for (page, text) in [
        (
            "IBM875",
            "Το λεωφορείο για το χωριό φεύγει κάθε πρωί στις επτά από την πλατεία της αγοράς.",
        ),
        (
            "IBM1025",
            "Автобус в деревню уходит каждое утро в семь часов с площади возле старого рынка.",
        ),
        (
            "IBM1026",
            "Köye giden otobüs her sabah saat yedide eski çarşının yanındaki büyük meydandan kalkıyor.",
        ),
        (
            "IBM870",
            "Autobus do wsi odjeżdża każdego ranka o siódmej z dużego placu obok starej hali targowej; bilety są też u kierowcy, lecz dopłata wynosi wtedy dwa złote, więc lepiej kupić wcześniej.",
        ),
        (
            "IBM277",
            "Bussen til landsbyen kører hver morgen klokken syv fra den store plads ved siden af den gamle hal; på søndage går den først på ærens dag.",
        ),
        (
            "IBM278",
            "Bussen till byn går varje morgon klockan sju från det stora torget bredvid den gamla hallen; på söndagar går den först åtta.",
        ),
    ] {
        assert_detected(&encode(text, page), page, Confidence::Guess);
    }
}

/// Text in other encodings, without spaces, is not EBCDIC.
#[test]
fn other_text_is_not_ebcdic() {
    for (encoding, text) in [
        ("CP932", "東京の天気は晴れです。　明日は雨が降るでしょう。　カメラとテレビを買いました。"),
        ("BIG5HKSCS", "今天天氣很好，我們一起去公園散步，晚上回家吃飯。"),
        ("GB18030", "今天天气很好，我们一起去公园散步，晚上回家吃饭。"),
        ("CP1251", "Автобус@деревня@ру@@@@"),
    ] {
        let bytes = transcode("UTF-8", encoding, text.as_bytes()).unwrap();
        let best = detect(&bytes).candidates[0].encoding.name();
        assert!(!best.starts_with("IBM0") && !best.starts_with("IBM1"), "{encoding}: {best}");
    }
}
