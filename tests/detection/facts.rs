//! Sentences in many languages and encodings, which no model was trained with.

use charpipe::internals::detect::{
    Confidence, Content, DetectionHints, Detector, Language, detect,
};
use charpipe::transcode;

use crate::detectors::is_correct;

/// Languages, their encodings, and a text.
const TEXTS: [(&str, &str, &str); 34] = [
    (
        "fr",
        "CP1252 ISO-8859-1 MACINTOSH IBM850",
        "Où est passée la clé du garage ? Elle était posée près du téléphone hier soir, après le dîner, et maintenant on ne la trouve nulle part.",
    ),
    (
        "de",
        "CP1252 ISO-8859-1 MACINTOSH IBM850 IBM437",
        "Der Bäcker öffnet erst um sieben Uhr, aber schon früher stehen müde Gäste vor der Tür und hoffen, daß es heute süße Brötchen gibt.",
    ),
    (
        "es",
        "CP1252 ISO-8859-1 MACINTOSH IBM850",
        "¿Cuándo llegará el próximo tren? Mañana saldrá otro más rápido, según dice el señor que está detrás de la ventanilla de información.",
    ),
    (
        "pt",
        "CP1252 ISO-8859-1 IBM850",
        "Amanhã não haverá aula porque a professora está doente e ninguém sabe quando voltará à escola; as crianças ficarão em casa com os avós.",
    ),
    (
        "it",
        "CP1252 ISO-8859-1",
        "Perché non è più venuto? Aveva già comprato il biglietto, però all'ultimo momento ha cambiato idea ed è rimasto in città con la sua famiglia.",
    ),
    (
        "sv",
        "CP1252 ISO-8859-1 IBM850",
        "Båten går från ön klockan sju på morgonen, så vi måste stå upp tidigt och äta frukost innan vi åker hem till fastlandet på söndag.",
    ),
    (
        "da",
        "CP1252 ISO-8859-1 IBM865",
        "Børnene løber rundt på græsset og råber, mens de ældre sidder i skyggen under æbletræet og drikker øl og kaffe hele eftermiddagen.",
    ),
    (
        "nl",
        "CP1252",
        "De coördinator van het project heeft drie categorieën voorgesteld, maar de reünie van de oud-leerlingen valt daar volgens hem niet onder. Dat is geen idee van één persoon.",
    ),
    (
        "fi",
        "CP1252 ISO-8859-1",
        "Kesällä järvellä on hyvin hiljaista, mutta syksyllä tänne tulee paljon väkeä keräämään sieniä ja käymään löylyssä vanhassa saunassa.",
    ),
    (
        "is",
        "CP1252 ISO-8859-1 IBM861",
        "Það er komið að því að leggja af stað, því veðrið er orðið gott og færðin yfir heiðina ætti að vera þokkaleg fram á kvöld.",
    ),
    (
        "pl",
        "CP1250 ISO-8859-2 IBM852 MAC-CENTRALEUROPE",
        "Wczoraj wieczorem przyszła paczka, której już dawno się nie spodziewałem; w środku leżały książki, żółty szalik i krótki list od siostry.",
    ),
    (
        "cs",
        "CP1250 ISO-8859-2 IBM852 MAC-CENTRALEUROPE",
        "Když jsme přišli domů, pršelo už tři hodiny a voda ve sklepě stála skoro po kolena, takže jsme ji museli celou noc vynášet v kbelících.",
    ),
    (
        "hu",
        "CP1250 ISO-8859-2 IBM852",
        "A nagymama minden vasárnap főzött nekünk húslevest, és utána hosszú történeteket mesélt arról, milyen volt az élet a tanyán gyerekkorában, a nehéz időkben.",
    ),
    (
        "sk",
        "CP1250 ISO-8859-2",
        "Vlak mešká už štyridsať minút a nikto nevie, prečo; ľudia na nástupišti sa začínajú hnevať a deti chcú ísť domov, lebo sú hladné.",
    ),
    (
        "lt",
        "CP1257 ISO-8859-13",
        "Žiemą čia būna labai šalta, todėl žmonės daugiausia sėdi namuose, geria karštą arbatą ir laukia, kol vėl išauš šviesesnės dienos.",
    ),
    (
        "lv",
        "CP1257 ISO-8859-13",
        "Vakar vakarā pie mums ieradās ciemiņi no laukiem, atveda pilnu grozu ar āboliem un ilgi stāstīja, kā šogad viņiem klājies ar ražu.",
    ),
    (
        "et",
        "CP1257 ISO-8859-13",
        "Õhtul läksime mere äärde jalutama, kuid külm tuul sundis meid üsna pea tagasi pöörduma ja sooja tuppa teed jooma minema.",
    ),
    (
        "tr",
        "CP1254 ISO-8859-9 IBM857",
        "Dün akşam komşular bize geldi; çay içtik, eski günlerden konuştuk ve çocuklar uyuyana kadar bahçede oturup yıldızları seyrettik.",
    ),
    (
        "ru",
        "CP1251 KOI8-R ISO-8859-5 IBM866 CP10007 IBM855",
        "Вчера мы долго гуляли по набережной и говорили о том, как изменился город за последние двадцать лет: новые дома, мосты и дороги.",
    ),
    (
        "uk",
        "CP1251 KOI8-U",
        "Учора ввечері ми довго сиділи на ґанку, їли вареники з вишнями і слухали, як десь далеко за річкою співають дівчата.",
    ),
    (
        "bg",
        "CP1251 IBM855",
        "Снощи валя силен дъжд и реката преля, затова днес децата няма да ходят на училище, а ще помагат на възрастните да почистят двора.",
    ),
    (
        "be",
        "CP1251",
        "Учора ўвечары мы доўга сядзелі каля вогнішча, елі бульбу і слухалі, як стары лясьнік распавядаў пра сваё жыццё ў пушчы.",
    ),
    (
        "sr",
        "CP1251",
        "Јуче смо цео дан били на реци, пекли рибу и причали о томе како ћемо следеће године путовати на море са свим пријатељима.",
    ),
    (
        "kk",
        "RK1048 PT154",
        "Кеше кешке біз өзен жағасында ұзақ отырдық, балық қуырып жеп, келесі жылы қайда баратынымыз туралы әңгімелестік.",
    ),
    (
        "el",
        "CP1253 ISO-8859-7 CP737",
        "Χθες το βράδυ περπατήσαμε πολλή ώρα δίπλα στη θάλασσα και μιλούσαμε για τα παλιά χρόνια, όταν όλοι μέναμε στην ίδια γειτονιά.",
    ),
    (
        "he",
        "CP1255 ISO-8859-8 IBM862",
        "אתמול בערב הלכנו לאורך החוף ודיברנו על הימים שבהם כולנו גרנו באותה שכונה ושיחקנו יחד אחרי בית הספר.",
    ),
    (
        "ar",
        "CP1256 ISO-8859-6",
        "ذهبنا مساء أمس إلى شاطئ البحر وتحدثنا طويلا عن الأيام التي كنا نعيش فيها جميعا في الحي نفسه ونلعب بعد المدرسة.",
    ),
    ("th", "TIS-620", "เมื่อวานนี้เราเดินเล่นริมทะเลนานมากและคุยกันเรื่องสมัยที่เราทุกคนยังอยู่บ้านใกล้กัน"),
    (
        "vi",
        "CP1258 VISCII TCVN5712-1",
        "Tối hôm qua chúng tôi đi dạo rất lâu bên bờ biển và kể cho nhau nghe chuyện ngày xưa, khi mọi người còn sống trong cùng một khu phố.",
    ),
    (
        "zh-Hans",
        "GB18030 EUC-CN",
        "昨天晚上我们在海边走了很久，谈起从前大家住在同一条街上的日子，那时候放学以后总是一起玩。",
    ),
    (
        "zh-Hant",
        "BIG5 EUC-TW",
        "昨天晚上我們在海邊走了很久，談起從前大家住在同一條街上的日子，那時候放學以後總是一起玩。",
    ),
    (
        "ja",
        "CP932 EUC-JP",
        "昨日の夜は海辺を長い間散歩しながら、みんなが同じ町に住んでいた頃の話をしました。学校のあとはいつも一緒に遊んでいました。",
    ),
    (
        "ko",
        "EUC-KR UHC JOHAB",
        "어제 저녁에 우리는 바닷가를 오래 걸으면서 모두 같은 동네에 살던 시절의 이야기를 나누었습니다.",
    ),
    (
        "hr",
        "CP1250 ISO-8859-2",
        "Jučer smo cijeli dan proveli na rijeci, pekli ribu i razgovarali o tome kako ćemo sljedeće godine putovati na more sa svim prijateljima, čak i u kišnom ožujku.",
    ),
];

/// Text in encodings that are rare, or that other detectors do not know.
const RARE_TEXTS: [(&str, &str); 8] = [
    (
        "ISO-8859-3",
        "Ġieli nikteb ittra twila lil ħija li joqgħod barra minn Malta, u ngħidlu x'qed jiġri fir-raħal: min iżżewweġ, min bena dar ġdida u min ħa l-ħobż tal-ġimgħa. Hu dejjem iwieġeb wara ftit ġranet, għax iħobb jaqra l-aħbarijiet.",
    ),
    (
        "ISO-8859-10",
        "Það er komið að því að leggja af stað, því veðrið er orðið gott og færðin yfir heiðina ætti að vera þokkaleg fram á kvöld. Við tökum með okkur nesti og hlýja peysu, því ekki er víst að hlýtt verði þegar á líður.",
    ),
    (
        "ISO-8859-15",
        "Le cœur de l'œuvre, c'est la sœur de l'auteur : elle coûte 25 € à l'entrée, mais l'œil averti n'hésite pas. Un bœuf entier nourrirait à peine l'équipe, et l'on espère vendre mille billets à 30 € avant l'été prochain.",
    ),
    (
        "ISO-8859-16",
        "W „żółtym” zeszycie zapisałem, ile kosztuje każdy przejazd: 5 € do miasta i 7 € z powrotem. Siostra mówi, że „można taniej”, ale ja wolę pociąg, bo jest szybszy, a książkę też łatwiej w nim czytać niż w autobusie.",
    ),
    (
        "CP10007",
        "Вчера мы долго гуляли по набережной и говорили о том, как изменился город за последние двадцать лет: новые дома, мосты и дороги. Никто уже не помнит старой пристани, где стояли рыбацкие лодки и пахло смолой.",
    ),
    (
        "IBM855",
        "Вчера мы долго гуляли по набережной и говорили о том, как изменился город за последние двадцать лет: новые дома, мосты и дороги. Никто уже не помнит старой пристани, где стояли рыбацкие лодки и пахло смолой.",
    ),
    (
        "PT154",
        "Кеше кешке біз өзен жағасында ұзақ отырдық, балық қуырып жеп, келесі жылы қайда баратынымыз туралы әңгімелестік. Күн батқан соң үлкендер ескі әндерді айтты, ал балалар үйге қайтқысы келмеді.",
    ),
    (
        "ISO-8859-13",
        "Žiemą čia būna labai šalta, todėl žmonės daugiausia sėdi namuose, geria karštą arbatą ir laukia, kol vėl išauš šviesesnės dienos. Senelė pasakoja „senas pasakas“, o vaikai klausosi išplėtę akis iki vėlyvo vakaro.",
    ),
];

const EBCDIC_TEXTS: [(&str, &str); 4] = [
    (
        "IBM037",
        "Der Bericht wurde gestern geprüft und für gut befunden; die Rechnung über 250 Stück liegt bei. Bitte prüfen Sie die Zahlen, bevor der Lauf am Montag früh beginnt, und melden Sie mögliche Fehler sofort.",
    ),
    (
        "IBM500",
        "Le rapport [version 2] a été vérifié hier ; la facture de 250 pièces est jointe ! Veuillez contrôler les chiffres [page 3] avant le traitement de lundi matin, et signaler aussitôt toute erreur constatée.",
    ),
    (
        "IBM1047",
        "int main(void) { int values[3] = { 1, 2, 3 }; /* the values of the first record */ printf(\"%d\\n\", values[0] + values[1]); return values[2]; } /* nothing else is needed to compile the program */\n",
    ),
    (
        "IBM1140",
        "The price of the book is 25 € in the shop and 20 € by mail. Orders above 100 € are sent without charge, and customers who return a book within 14 days receive the full amount.",
    ),
];

pub fn encode(text: &str, encoding: &str) -> Vec<u8> {
    transcode("UTF-8", encoding, text.as_bytes())
        .unwrap_or_else(|error| panic!("{encoding}: {error}"))
}

/// Asserts that the text is restored with the detected encoding.
pub fn assert_detected(bytes: &[u8], encoding: &str, min_confidence: Confidence) {
    let detection = detect(bytes);
    let best = detection.candidates.first().unwrap_or_else(|| panic!("{encoding}: {detection:?}"));
    assert!(
        is_correct(bytes, encoding, best.encoding.name()),
        "{encoding}: {:?}",
        &detection.candidates[..detection.candidates.len().min(3)]
    );
    assert!(best.confidence >= min_confidence, "{encoding}: {best:?}");
}

#[test]
fn sentences_are_detected_with_their_language() {
    for (language, encodings, text) in TEXTS {
        for encoding in encodings.split(' ') {
            let bytes = encode(text, encoding);
            assert_detected(&bytes, encoding, Confidence::Likely);
            let best = detect(&bytes).best().unwrap();
            assert_eq!(best.language, Language::for_code(language), "{encoding}");
        }
    }
}

#[test]
fn rare_encodings_are_detected() {
    for (encoding, text) in RARE_TEXTS.into_iter().chain(EBCDIC_TEXTS) {
        assert_detected(&encode(text, encoding), encoding, Confidence::Guess);
    }
}

#[test]
fn ebcdic_lines_end_with_newline() {
    let (encoding, text) = EBCDIC_TEXTS[0];
    let lines = text.replace(". ", ".\u{85}");
    assert_detected(&encode(&lines, encoding), encoding, Confidence::Guess);
}

/// Text with one sign, in a language that has non-ASCII letters and in one that has none here.
#[test]
fn signs_do_not_mislead() {
    let sentences = [
        ("fr", "La superficie est de 30 km{}, la densité est élevée.", "²³"),
        ("de", "Die Fläche beträgt 30 km{}, die Dichte ist höher.", "²³"),
        ("es", "La superficie es de 30 km{} y la población está creciendo.", "²³"),
        ("pt", "A superfície é de 30 km{} e a população está a crescer.", "²³"),
        ("it", "La superficie è di 30 km{} e la densità è alta.", "²³"),
        ("sv", "Ytan är 30 km{} och tätheten är högre än förr.", "²³"),
        ("nl", "De oppervlakte is 30 km{} en de dichtheid is hoog.", "²³"),
        ("da", "Arealet er 30 km{} og tætheden er højere end før.", "²³"),
        ("fi", "Pinta-ala on 30 km{} ja väestö kasvaa nopeasti.", "²³"),
        ("en", "The area is 30 km{} and the density is high.", "²³"),
        ("en", "The water has 25 {}C in summer and 4 {}C in winter.", "°"),
        ("fr", "Il fait 25 {}C en été et 4 {}C en hiver.", "°"),
        ("de", "Das Wasser hat 25 {}C, im Winter nur 4 {}C.", "°"),
        ("it", "La temperatura era di 25 {}C, poi di 4 {}C.", "°"),
        ("en", "The wire is 25 {}m thick, the coating only 4 {}m.", "µ"),
        ("de", "Der Draht ist 25 {}m dick, die Schicht nur 4 {}m.", "µ"),
        ("de", "Das steht in {} 12 und in {} 14 des Gesetzes.", "§"),
        ("en", "{} 2004 by the authors. All rights reserved.", "©"),
        ("fr", "{} 2004 par les auteurs. Tous droits réservés.", "©"),
        ("en", "The Example{} system is a product of the company.", "®™"),
        ("es", "El sistema Example{} es un producto de la empresa.", "®™"),
        ("en", "The book costs {}25 in the shop and {}20 by mail.", "€"),
        ("de", "Das Buch kostet 25 {} im Laden und 20 {} im Versand.", "€"),
        ("it", "Il libro costa 25 {} in negozio e 20 {} per posta.", "€"),
        ("en", "He waited{} and then, at last, they all came home.", "…"),
        ("en", "The years 1990 {} 1995 were good {} for most people.", "–"),
        ("sv", "Han kom hem 1990 {} och sedan dess bor han kvar.", "–"),
    ];
    for (language, sentence, signs) in sentences {
        for sign in signs.chars() {
            let text = sentence.replace("{}", &sign.to_string());
            let bytes = encode(&text, "CP1252");
            let best = detect(&bytes).candidates[0];
            assert!(
                is_correct(&bytes, "CP1252", best.encoding.name()),
                "{language} {text} {best:?}"
            );
        }
    }
    for text in ["He said “never again” and left.", "Elle dit “jamais” et partit en été."]
    {
        assert_detected(&encode(text, "CP1252"), "CP1252", Confidence::Guess);
    }
}

#[test]
fn hints_shift_the_result() {
    // A word in French, and another one in Russian.
    let best = |hints: DetectionHints| {
        let mut detector = Detector::with_hints(&hints);
        detector.feed(b"\xE0\n");
        detector.finish().candidates[0]
    };
    let czech = Language::for_code("cs").unwrap();
    let french = Language::for_code("fr").unwrap();
    assert_eq!(best(DetectionHints::new().with_language(french)).language, Some(french));
    let russian = best(DetectionHints::new().with_top_level_domain("ru"));
    assert_eq!(russian.language, Language::for_code("ru"));
    // A hint does not change what is certain.
    let text = encode(TEXTS[18].2, "CP1251");
    let mut detector = Detector::with_hints(&DetectionHints::new().with_language(czech));
    detector.feed(&text);
    assert_eq!(detector.finish().best().unwrap().language, Language::for_code("ru"));
}

#[test]
fn a_malformed_sequence_does_not_exclude_an_encoding() {
    let (_, _, text) = TEXTS[31];
    let mut bytes = encode(text, "EUC-JP").repeat(5);
    bytes.insert(101, 0xFF);
    assert_eq!(detect(&bytes).best().unwrap().encoding.name(), "EUC-JP");
}

/// A long text with seven characters outside ASCII, one of which is damaged.
#[test]
fn a_malformed_byte_in_utf_8_with_few_other_characters_is_ignored() {
    let ascii = "Most of the lines in this file have no such characters at all.\n".repeat(20);
    for signs in ["é è ç à ô ü ï", "¡ ¿ ñ á í ó ú", "« » œ É ê î û"] {
        let text = signs.split(' ').map(|sign| format!("{ascii}Here is one: {sign}.\n"));
        let mut bytes = text.collect::<String>().into_bytes();
        let damaged = bytes.iter().position(|byte| *byte >= 0xA0 && *byte < 0xC0).unwrap_or(0);
        bytes[damaged] = b'?';
        assert_eq!(detect(&bytes).best().unwrap().encoding.name(), "UTF-8");
    }
}

#[test]
fn a_sign_far_from_the_start_is_considered() {
    let text = TEXTS[1].2.repeat(1000) + " 25 €";
    let bytes = encode(&text, "CP1252");
    assert!(bytes.len() > 100_000);
    assert_detected(&bytes, "CP1252", Confidence::Likely);
}

/// The first 64 KiB are English, with a few quotation marks or none.
#[test]
fn another_language_far_from_the_start_is_considered() {
    let russian = "Всё остальное в этом файле написано по-русски, и таких строк здесь много.\n";
    for english in
        ["The beginning of this file is in English.\n", "It says “English” in this line.\n"]
    {
        let text = english.repeat(3000) + &russian.repeat(100);
        assert!(text.len() > 70_000);
        for encoding in ["CP1251", "KOI8-R"] {
            if encoding == "KOI8-R" && !english.is_ascii() {
                continue;
            }
            assert_detected(&encode(&text, encoding), encoding, Confidence::Guess);
        }
    }
}

/// Names in another language are among English words.
#[test]
fn english_words_do_not_mislead() {
    for (encoding, text) in [
        (
            "ISO-8859-13",
            "    ('Druskininkai', 'district of Alytus'), ('Šiauliai', 'city'), ('Panevėžys', 'city'), ('Kėdainiai', 'town')",
        ),
        (
            "CP1257",
            "# The names of the largest cities\ncities = [\"Šiauliai\", \"Panevėžys\", \"Marijampolė\", \"Mažeikiai\"]",
        ),
        (
            "CP1250",
            "first_names = ('Bożena', 'Łukasz', 'Małgorzata', 'Grażyna')  # the most common names",
        ),
        (
            "ISO-8859-2",
            "Name;City;Country\nJiří Dvořák;Plzeň;Czech Republic\nBožena Němcová;Přerov;Czech Republic",
        ),
        ("CP1252", "msgid \"Save and close the window\"\nmsgstr \"Tallenna ja sulje tämä näyttö\""),
    ] {
        assert_detected(&encode(text, encoding), encoding, Confidence::Guess);
    }
}

#[test]
fn a_sign_after_a_name_is_not_a_quotation_mark() {
    let text = "Il sistema Esempio® fa tutto da solo";
    assert_detected(&encode(text, "CP1252"), "CP1252", Confidence::Guess);
}

#[test]
fn candidates_have_probabilities() {
    let detection = detect(&encode(TEXTS[10].2, "CP1250"));
    let sum: f32 = detection.candidates.iter().map(|candidate| candidate.probability).sum();
    assert!((0.99..=1.01).contains(&sum), "{:?}", detection.candidates);
    assert!(detection.candidates.is_sorted_by(|one, other| one.probability >= other.probability));
    assert_eq!(detection.content, Content::Text);
}
