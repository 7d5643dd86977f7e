//! The transliterations: examples of the standards, and uconv, with the differences.

use crate::transform::driver::{Direction, TransformCase};
use crate::transform::tools;
use charpipe_test_support::{Requirement, require};

pub fn convert(scheme: &str, text: &str) -> String {
    let case = TransformCase::new(scheme, Direction::Encode);
    String::from_utf8(case.convert(text.as_bytes()).out).unwrap()
}

pub fn assert_converts(scheme: &str, examples: &[(&str, &str)]) {
    for (text, expected) in examples {
        assert_eq!(&convert(scheme, text), expected, "{scheme} of {text}");
        let case = TransformCase::new(scheme, Direction::Encode);
        case.convert_every_split(text.as_bytes());
    }
}

#[test]
fn cyrillic_names_are_those_of_passports() {
    // ICAO Doc 9303-3, section 6 B.
    assert_converts(
        "cyrillic-russian",
        &[
            ("Щербаков Юрий", "Shcherbakov Iurii"),
            ("ЩЕРБАКОВ ЮРИЙ", "SHCHERBAKOV IURII"),
            ("Подъячев Семён", "Podieiachev Semen"),
            ("Хабаровск, Игорь Цой", "Khabarovsk, Igor Tsoi"),
            ("Я. и Ю", "Ia. i Iu"),
            ("ООО «Ж»", "OOO «Zh»"),
            ("ИЖ-Ж", "IZH-Zh"),
        ],
    );
    // The examples of the resolution.
    assert_converts(
        "cyrillic-ukrainian",
        &[
            ("Алушта Андрій", "Alushta Andrii"),
            ("Борщагівка Борисенко", "Borshchahivka Borysenko"),
            ("Гадяч Богдан Згурський", "Hadiach Bohdan Zghurskyi"),
            ("Ґалаґан Ґорґани", "Galagan Gorgany"),
            ("Єнакієве Гаєвич Короп'є", "Yenakiieve Haievych Koropie"),
            ("Житомир Жанна Жежелів", "Zhytomyr Zhanna Zhezheliv"),
            ("Їжакевич Кадиївка Мар'їне", "Yizhakevych Kadyivka Marine"),
            ("Йосипівка Стрий Олексій", "Yosypivka Stryi Oleksii"),
            ("Харків Біла Церква", "Kharkiv Bila Tserkva"),
            ("Шостка Гоща Щербухи", "Shostka Hoshcha Shcherbukhy"),
            ("Юрій Корюківка", "Yurii Koriukivka"),
            ("Яготин Костянтин Знам’янка", "Yahotyn Kostiantyn Znamianka"),
            ("РОЗГОН ЗГОДА", "ROZGHON ZGHODA"),
            ("'яма'", "'yama'"),
        ],
    );
    assert_converts(
        "cyrillic-bulgarian",
        &[
            ("България", "Bulgaria"),
            ("София, Стара Загора", "Sofia, Stara Zagora"),
            ("Мария и Илиян", "Maria i Iliyan"),
            ("СОФИЯ", "SOFIA"),
            ("Щъркел, Кърджали, Ямбол", "Shtarkel, Kardzhali, Yambol"),
            ("Жельо Гьонов", "Zhelyo Gyonov"),
        ],
    );
    assert_converts(
        "cyrillic-serbian",
        &[
            ("Љубљана, Његош, ЊЕГОШ", "Ljubljana, Njegoš, NJEGOŠ"),
            ("Џорџ Ђоковић", "Džordž Đoković"),
        ],
    );
    assert_converts(
        "cyrillic-macedonian",
        &[("Ѓорѓи Ќосе Ѕвезда Џон Љубе Његош", "Gjorgji Kjose Dzvezda Djon Ljube Njegosh")],
    );
}

#[test]
fn iso_9_has_a_letter_for_each_letter() {
    assert_converts(
        "cyrillic-iso9",
        &[
            ("Юмор Щука Ёж объём", "Ûmor Ŝuka Ëž obʺëm"),
            ("Україна, Євген, Ґудзь", "Ukraïna, Êvgen, G\u{300}udzʹ"),
            ("ЩУКА Щ", "ŜUKA Ŝ"),
            ("Љубав, Џем, Њива", "L\u{302}ubav, D\u{302}em, N\u{302}iva"),
        ],
    );
}

#[test]
fn greek_follows_elot_743() {
    assert_converts(
        "greek-elot743",
        &[
            ("Αθήνα", "Athína"),
            ("Ευάγγελος", "Evángelos"),
            ("αυτός, αυγή, ΑΥΤΟΣ", "aftós, avgí, AFTOS"),
            ("ευχή, εύρηκα, Ευ", "efchí, évrika, Ef"),
            ("ναύτης", "náftis"),
            ("Μπάμπης, κομπ", "Bámpis, kob"),
            ("ΜΠΑΜΠΗΣ", "BAMPIS"),
            ("άγχος, Σφίγξ, άγγελος, γκολ", "ánchos, Sfínx, ángelos, gkol"),
            ("Ουρανός, ΟΥΡΑΝΟΣ, ούζο", "Ouranós, OURANOS, oúzo"),
            ("Ψυχή, ΨΥΧΗ, Χίος, Θήρα", "Psychí, PSYCHI, Chíos, Thíra"),
            ("προϋπόθεση, καΐκι", "proÿpóthesi, kaḯki"),
            ("Γιώργος", "Giórgos"),
        ],
    );
}

#[test]
fn kana_follows_hepburn() {
    assert_converts(
        "kana-hepburn",
        &[
            ("とうきょう おおさか", "tōkyō ōsaka"),
            ("がっこう マッチャ ざっし", "gakkō matcha zasshi"),
            ("しんよう しんぶん かんい", "shin'yō shinbun kan'i"),
            ("スーパー コンピューター", "sūpā konpyūtā"),
            ("ヴァイオリン パーティー フォーク", "vaiorin pātī fōku"),
            ("にいがた せんせい おねえさん おばあさん", "niigata sensei onēsan obāsan"),
            ("じゅうどう ちぢむ つづく を", "jūdō chijimu tsuzuku o"),
            ("あっ 日本", "a' 日本"),
        ],
    );
}

#[test]
fn latin_becomes_ascii() {
    assert_converts(
        "latin-ascii",
        &[
            ("Straße, Ærø, Œuvre, ĲSSEL", "Strasse, AEro, OEuvre, IJSSEL"),
            ("“Łódź” — ‘Þór’…", "\"Lodz\" - 'THor'..."),
            ("a\u{301}\u{323}5\u{338}", "a5"),
            ("е\u{301} か\u{3099}", "е\u{301} か\u{3099}"),
            ("½ © « »", " 1/2 (C) << >>"),
        ],
    );
}

/// Compares each line with what uconv makes of it, and returns the lines that differ with both results.
pub fn differences(scheme: &str, transform: &str, lines: &[String]) -> Option<Vec<[String; 3]>> {
    if !require(Requirement::Program("uconv")) {
        return None;
    }
    let text = lines.join("\n");
    let args = ["-f", "utf-8", "-t", "utf-8", "-b", "10000000", "-x", transform];
    let expected = String::from_utf8(tools::run("uconv", &args, text.as_bytes())?).unwrap();
    let found = convert(scheme, &text);
    let pairs = lines.iter().zip(found.split('\n').zip(expected.split('\n')));
    let differing = pairs.filter(|(_, (found, expected))| found != expected);
    Some(
        differing
            .map(|(line, (found, expected))| [line, found, expected].map(str::to_owned))
            .collect(),
    )
}

#[test]
fn latin_ascii_is_that_of_icu() {
    let characters = ('\u{80}'..='\u{FFFF}').filter(|character| !character.is_control());
    let lines: Vec<String> = characters
        .filter(|character| !matches!(character, '\u{2028}' | '\u{2029}'))
        .flat_map(|character| [format!("|{character}|"), format!("x{character}\u{301}y")])
        .collect();
    let Some(differing) = differences("latin-ascii", "Latin-ASCII", &lines) else { return };
    for [line, found, expected] in differing {
        // ICU also normalizes what it does not convert, and leaves the marks after some letters.
        let is_normalization = !expected.is_ascii() && !found.is_ascii();
        let keeps_mark = found.is_ascii() && expected.contains('\u{301}');
        assert!(is_normalization || keeps_mark, "{line:?}: {found:?}, {expected:?}");
    }
}

#[test]
fn iso_9_is_that_of_icu_with_exceptions() {
    let letters = "абвгґдђеёєжзѕиіїйјклљмнњопрстћуўфхцчџшщъыьэюяѓќ";
    let lines: Vec<String> = letters.chars().map(String::from).collect();
    let Some(differing) = differences("cyrillic-iso9", "Cyrillic-Latin; NFC", &lines) else {
        return;
    };
    let differing: Vec<_> =
        differing.iter().map(|line| line.each_ref().map(String::as_str)).collect();
    // The standard has I and E with a grave accent. ICU has acute ones, so that they differ from letters
    // with the stress mark of Bulgarian; and it composes ї from і.
    let expected = [["і", "ì", "í"], ["ї", "ï", "í\u{308}"], ["э", "è", "é"]];
    assert_eq!(differing, expected);
}

#[test]
fn russian_letters_are_those_of_the_passport_rules() {
    // The table of ICAO Doc 9303-3 and the samples of the package iuliia 0.13 (PyPI), schema icao_doc_9303.
    let letters = [
        ("а", "a"),
        ("б", "b"),
        ("в", "v"),
        ("г", "g"),
        ("д", "d"),
        ("е", "e"),
        ("ё", "e"),
        ("ж", "zh"),
        ("з", "z"),
        ("и", "i"),
        ("й", "i"),
        ("к", "k"),
        ("л", "l"),
        ("м", "m"),
        ("н", "n"),
        ("о", "o"),
        ("п", "p"),
        ("р", "r"),
        ("с", "s"),
        ("т", "t"),
        ("у", "u"),
        ("ф", "f"),
        ("х", "kh"),
        ("ц", "ts"),
        ("ч", "ch"),
        ("ш", "sh"),
        ("щ", "shch"),
        ("ъ", "ie"),
        ("ы", "y"),
        ("ь", ""),
        ("э", "e"),
        ("ю", "iu"),
        ("я", "ia"),
    ];
    assert_converts("cyrillic-russian", &letters);
    assert_converts("cyrillic-russian", SAMPLES_OF_IULIIA);
    // The same package, schema gost_779, which is ISO 9:1995.
    assert_converts(
        "cyrillic-iso9",
        &[(
            "Юлия, съешь ещё этих мягких французских булок из Йошкар-Олы, да выпей алтайского чаю",
            "Ûliâ, sʺešʹ eŝë ètih mâgkih francuzskih bulok iz Joškar-Oly, da vypej altajskogo čaû",
        )],
    );
}

#[test]
fn greek_is_that_of_icu_with_exceptions() {
    let words = "Αθήνα Θεσσαλονίκη Πειραιάς Ηράκλειο Εύβοια Ναύπλιο αυγό αυτός ευχαριστώ εύκολος ηυξημένος \
         άγγελος άγκυρα σφίγξ έλεγχος μπορώ αμπέλι ντομάτα άντρας μπαρ Γιώργος Καλαμάτα χώρα ψυχή ουρανός \
         ούζο βοΐδι προϋπόθεση Άγιος Ευάγγελος παιδί είναι υιός Ευρώπη Αυστρία ναυς λαϊκός Μάιος άυλος \
         κλαμπ τζάκι ράδιο";
    let lines: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    // The United Nations' system is that of ELOT 743, with lines below letters that are not reversible.
    let transform = "Greek-Latin/UNGEGN; NFD; [\\u0331] Remove; NFC";
    let Some(differing) = differences("greek-elot743", transform, &lines) else { return };
    let differing: Vec<_> =
        differing.iter().map(|line| line.each_ref().map(String::as_str)).collect();
    // ELOT 743 has gk for γκ, and y with a dieresis for ϋ, because υ is y.
    let expected = [["άγκυρα", "ágkyra", "ánkyra"], ["προϋπόθεση", "proÿpóthesi", "proüpóthesi"]];
    assert_eq!(differing, expected);
}

#[test]
fn kana_syllables_are_those_of_icu_with_exceptions() {
    let rows = "か き く け こ さ し す せ そ た ち つ て と な に ぬ ね の は ひ ふ へ ほ ま み む め も や ゆ よ ら り る れ ろ \
         わ が ぎ ぐ げ ご ざ じ ず ぜ ぞ だ で ど ば び ぶ べ ぼ ぱ ぴ ぷ ぺ ぽ きゃ きゅ きょ しゃ しゅ しょ ちゃ ちゅ \
         ちょ ひゃ ひゅ ひょ りゃ りゅ りょ ぎゃ ぎゅ ぎょ じゃ じゅ じょ びゃ びゅ びょ ぴゃ ぴゅ ぴょ しぇ ちぇ じぇ てぃ \
         でぃ ふぁ ふぃ ふぇ ふぉ きって ざっし がっき いっぽ まっちゃ しんぶん しんいち きんえん ゔ を ゐ ゑ ぢ づ";
    let lines: Vec<String> = rows.split_whitespace().map(str::to_owned).collect();
    let Some(differing) = differences("kana-hepburn", "Hiragana-Latin", &lines) else { return };
    let differing: Vec<_> =
        differing.iter().map(|line| line.each_ref().map(String::as_str)).collect();
    // ICU distinguishes syllables that sound alike, so that it can be reversed.
    let expected = [
        ["を", "o", "wo"],
        ["ゐ", "i", "wi"],
        ["ゑ", "e", "we"],
        ["ぢ", "ji", "dji"],
        ["づ", "zu", "dzu"],
    ];
    assert_eq!(differing, expected);
}

/// Names and a pangram.
const SAMPLES_OF_IULIIA: &[(&str, &str)] = &[
    (
        "Юлия, съешь ещё этих мягких французских булок из Йошкар-Олы, да выпей алтайского чаю",
        "Iuliia, sieesh eshche etikh miagkikh frantsuzskikh bulok iz Ioshkar-Oly, da vypei altaiskogo chaiu",
    ),
    ("Юлия Щеглова", "Iuliia Shcheglova"),
    ("Гайа Васильева", "Gaia Vasileva"),
    ("Андрей Видный", "Andrei Vidnyi"),
    ("Артём Краевой", "Artem Kraevoi"),
    ("Мадыр Чёткий", "Madyr Chetkii"),
    ("Оксана Клеёнкина", "Oksana Kleenkina"),
    ("Игорь Ильин", "Igor Ilin"),
    ("Ян Разъездной", "Ian Razieezdnoi"),
];
