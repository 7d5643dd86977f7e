//! The texts that the models are trained with.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;

use super::Item;
use super::character::{Kind, Script, fold, kind};

/// The maximum size of a text of one source, in bytes.
const MAX_SOURCE_SIZE: usize = 2_500_000;

/// How much less each further occurrence of a word counts: texts of a few sources repeat their terms.
const REPETITION_EXPONENT: f32 = 0.35;

/// Code points of characters that detection has to know although the texts hardly have them, and their
/// frequencies.
pub const KNOWN_RANGES: [(Range<u32>, f64); 9] = [
    (0xA0..0x180, 2e-6),
    (0x180..0x250, 1e-8),
    (0x370..0x400, 2e-7),
    (0x400..0x530, 2e-7),
    (0x5D0..0x5F5, 2e-7),
    (0x60C..0x6D5, 1e-7),
    (0x1E00..0x1F00, 5e-8),
    (0x2010..0x2050, 2e-7),
    (0x2500..0x25A0, 1e-5),
];

/// Typical uses of signs that may be missing in the texts.
pub const SIGN_LINES: [&str; 45] = [
    "30 km², 25 m², 100 cm², 5 mm² 2,5 km²",
    "12 m³ 3 cm³ 50 dm³ 7 km³ 1,5 m³",
    "20 °C, -5 °C, 68 °F, 20°C 45° 90° N 12° E",
    "5 µm 10 µs 100 µg 3 µl 2 µF",
    "§ 12, § 5, §3 §§ 14",
    "© 2020 © 2021, © 1999-2005",
    "Word® word Word™ word, Word® 5 Word™ (word®) word® word™. a® b® e® s® t® n® x® o® e™ s™ t™ n™ x™ o™",
    "word® word™ word® word™, word® word™ word©",
    "12 € 100 € 1.250 € 5,99 € €20 € 30 10€ (€) 1 € word 15 € word, € 5 €/word €.",
    "£10 £ 20 £5 ¥100 ¥ 50",
    "word… word… …word … word…\"",
    "word – word – word, 1990–1995 word — word — word, — word",
    "“word” “word word” “word, word.” ‘word’ ‘word word’",
    "„word“ „word word“ „word“, „word” „word word”",
    "«word» «word word» « word » « word word »",
    "»word« »word word«",
    "word’s l’word d’word word’",
    "3 × 5, 10×20 2 ± 1 ±5 6 ÷ 2",
    "½ 1½ ¼ ¾ 2½",
    "• word • word • word",
    "· word · word",
    "n.º 1 1º 2ª 3º 4.ª n.° 5 nº 7",
    "¿word? ¡word! ¿word word? ¡word word!",
    "5 ‰ 3‰ †1990 †",
    "a = −5 x ≤ 5 y ≥ 3 z ≠ 0 ≈ 7 ∞ √2",
    "№ 5 №7 № 12",
    "←word →word ↑ ↓ word → word",
    "┌────────┐ │ word │ ├───┼────┤ └────────┘",
    "╔════════╗ ║ word ║ ╠═══╬════╣ ╚════════╝",
    "│ word     │ 12 │ ║ word ║ 5 ║",
    "█████ ▓▓▓ ▒▒ ░░░ ▄▄ ▀▀",
    "word word ¦ word ¬ word",
    "10 %, 5 % 1 000 10 000",
    "²word ³word word² word³ word¹",
    "1² 2³ 10² 2¹ x² y³ a² r² e²",
    "‹word› ‹word word›",
    "‚word‘ ‚word word‘",
    "word¸ ¨ ´word `word´ ¯ ˆ ˜",
    "2 ½ ¾ word ¼ word",
    "word\u{A0}word 5\u{A0}km 10\u{A0}% 5\u{A0}word word\u{A0}5 12\u{A0}345",
    "«\u{A0}word\u{A0}» «\u{A0}word word\u{A0}», (word\u{A0}word)",
    "word\u{A0}: word\u{A0}; word\u{A0}! word\u{A0}? word\u{A0}– word",
    "M.\u{A0}Word word.\u{A0}word word\u{A0}(word) \u{A0}\u{A0}word \u{A0} \u{A0} 20\u{A0}°C",
    "5 µg/m³ 10 W/m² kg/m³ m/s² 3 Ω 5 kΩ",
    "¶ word ¶ 5",
];

/// The text in one language.
#[derive(Debug)]
pub struct LanguageText {
    pub lines: Vec<String>,
    len: usize,
}

/// Returns the lines of all sources in a language, without duplicates.
pub fn lines(directory: &Path, file: &str) -> Result<Vec<String>> {
    let mut sources: Vec<_> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    sources.sort();
    let (mut seen, mut lines) = (HashSet::new(), Vec::new());
    for source in sources {
        let Ok(text) = fs::read_to_string(source.join(format!("{file}.txt"))) else { continue };
        let mut size = 0;
        for line in text.lines() {
            size += line.len();
            if size > MAX_SOURCE_SIZE {
                break;
            }
            if line.len() > 1 && seen.insert(line.to_owned()) {
                lines.push(line.to_owned());
            }
        }
    }
    Ok(lines)
}

impl LanguageText {
    pub fn read(
        directory: &Path,
        file: &str,
        script: Script,
        english: &HashSet<&str>,
    ) -> Result<LanguageText> {
        let is_own = |line: &String| match script {
            Script::Latin => file == "en" || !english.contains(line.as_str()),
            Script::Kana => line
                .chars()
                .any(|key| matches!(kind(key), Kind::Letter(Script::Kana | Script::Han))),
            _ => line.chars().any(|key| kind(key) == Kind::Letter(script)),
        };
        let lines: Vec<String> = lines(directory, file)?.into_iter().filter(is_own).collect();
        let len = lines.iter().map(|line| line.chars().count() + 1).sum();
        Ok(LanguageText { lines, len })
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Calls a function with the characters of each line. The more often a word has occurred, the lower its
    /// weight.
    pub fn each_line(&self, mut on_line: impl FnMut(&[Item])) {
        let mut seen: HashMap<String, u32> = HashMap::new();
        let (mut items, mut word) = (Vec::new(), String::new());
        for line in &self.lines {
            items.clear();
            let mut start = 0;
            for character in line.chars().chain(['\n']) {
                let (folded, case) = fold(character);
                let is_letter = matches!(
                    kind(folded),
                    Kind::Letter(script) if !matches!(script, Script::Han | Script::Kana | Script::Thai)
                );
                if is_letter {
                    word.push(folded);
                } else {
                    if !word.is_empty() {
                        let weight = match seen.get_mut(&word) {
                            Some(count) => {
                                *count += 1;
                                (*count as f32).powf(-REPETITION_EXPONENT)
                            }
                            None => {
                                seen.insert(word.clone(), 1);
                                1.0
                            }
                        };
                        let first: usize = start;
                        items[first..].iter_mut().for_each(|item: &mut Item| item.weight = weight);
                        word.clear();
                    }
                    start = items.len() + 1;
                }
                items.push(Item { folded, case, weight: 0.5 });
            }
            on_line(&items);
        }
    }
}
