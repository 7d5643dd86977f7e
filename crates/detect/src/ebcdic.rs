//! EBCDIC: recognizes it by its structure, and compares its code pages by their punctuation.
//!
//! All code pages have letters, digits, space and most punctuation at the same bytes. ASCII and its supersets
//! have space and digits where EBCDIC has controls. The pages differ in a few bytes: what is `[` in one of
//! them is `¢` or `Ý` in others. Programs use all of these characters, so that the language models are not
//! sufficient.

use std::sync::LazyLock;

use super::model::COST_UNITS;

/// The structure of an input, taken for EBCDIC.
#[derive(Debug, Clone, Copy, Default)]
pub struct EbcdicShape {
    /// Whether it may be EBCDIC.
    pub is_possible: bool,
    /// Whether it is nothing else.
    pub is_certain: bool,
    /// Whether it has the line endings of Unix on z/OS.
    pub has_nel: bool,
    /// Whether it has as much punctuation as programs have.
    is_program: bool,
}

/// What a byte is in all code pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EbcdicByteKind {
    Letter,
    Space,
    Punctuation,
    /// A line ending, a form feed or a tab.
    Newline,
    Control,
    /// `$`, `#`, `@` or `"`, which some code pages do not have.
    National,
    /// Another character that is not in all code pages.
    Variable,
}

const NEL: u8 = 0x15;

/// The minimum length of an input that is recognized by its structure, and the length from which on a smaller
/// part of its bytes has to be the same in all code pages.
const MIN_CERTAIN_LEN: usize = 20;
const MIN_LONG_LEN: usize = 80;

fn byte_kind(byte: u8) -> EbcdicByteKind {
    match byte {
        0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 => EbcdicByteKind::Letter,
        0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9 | 0xF0..=0xF9 => EbcdicByteKind::Letter,
        0x40 => EbcdicByteKind::Space,
        0x05 | 0x0C | 0x0D | NEL | 0x25 => EbcdicByteKind::Newline,
        0..=0x3F | 0xFF => EbcdicByteKind::Control,
        0x4B..=0x4E | 0x50 | 0x5C..=0x5E | 0x60 | 0x61 => EbcdicByteKind::Punctuation,
        0x6B..=0x6F | 0x7A | 0x7D | 0x7E => EbcdicByteKind::Punctuation,
        0x5B | 0x7B | 0x7C | 0x7F => EbcdicByteKind::National,
        _ => EbcdicByteKind::Variable,
    }
}

impl EbcdicShape {
    pub fn new(bytes: &[u8]) -> EbcdicShape {
        let mut byte_counts = [0_usize; 256];
        bytes.iter().for_each(|byte| byte_counts[usize::from(*byte)] += 1);
        let mut counts = [0_usize; 7];
        for (byte, count) in (0..=255).zip(byte_counts) {
            counts[byte_kind(byte) as usize] += count;
        }
        let [letters, spaces, punctuation, newlines, controls, national, _] = counts;
        let len = bytes.len();
        let familiar = letters + spaces + punctuation + newlines + national;
        let has_words = letters * 2 >= len && familiar * 5 >= len * 4;
        let has_few_controls = controls * 50 <= len;
        let has_spaces = spaces * 30 >= len;
        let share = if len < MIN_LONG_LEN { 95 } else { 85 };
        let is_certain = len >= MIN_CERTAIN_LEN
            && controls * 500 <= len
            && has_spaces
            && letters * 4 >= len - spaces
            && familiar * 100 >= len * share;
        EbcdicShape {
            is_possible: has_few_controls && (has_words || has_spaces),
            is_certain,
            has_nel: byte_counts[usize::from(NEL)] > 0,
            is_program: punctuation * 8 >= letters,
        }
    }

    /// Returns the cost of the punctuation of a text in a code page, in units of the models, compared with that
    /// of some punctuation in the models. The bytes are those of [`to_ascii_superset`].
    pub fn punctuation_cost(self, bytes: &[u8], decode: impl Fn(u8) -> Option<char>) -> f64 {
        let (model, expected) = match self.is_program {
            true => (&PROGRAM, PROGRAM_PUNCTUATION_COST),
            false => (&PROSE, PROSE_PUNCTUATION_COST),
        };
        let character = |byte: u8| decode(byte).unwrap_or('\u{FFFD}');
        let (mut cost, mut before) = (0.0, '\n');
        let mut brackets = [(0_usize, 0_usize); 2];
        for (index, byte) in bytes.iter().enumerate() {
            let own = character(*byte);
            if !byte.is_ascii() && !is_letter(own) {
                let after = bytes.get(index + 1).map_or('\n', |byte| character(*byte));
                cost += model.cost(own, before, after) - expected;
                match own {
                    '[' => brackets[0].0 += 1,
                    '{' => brackets[1].0 += 1,
                    ']' if brackets[0].0 > 0 => brackets[0].0 -= 1,
                    '}' if brackets[1].0 > 0 => brackets[1].0 -= 1,
                    ']' => brackets[0].1 += 1,
                    '}' => brackets[1].1 += 1,
                    _ => {}
                }
            }
            before = own;
        }
        let unbalanced: usize = brackets.iter().map(|(open, closed)| open + closed).sum();
        (cost + (UNBALANCED_COST * unbalanced as f64).min(MAX_UNBALANCED_COST)) * COST_UNITS
    }
}

/// Returns whether a character is scored by the language models.
pub fn is_letter(character: char) -> bool {
    match character {
        'µ' | 'ª' | 'º' => false,
        _ => character.is_alphabetic() || character == '\u{A0}',
    }
}

/// Converts EBCDIC to a superset of ASCII: what is the same in all code pages is ASCII, and each other byte is
/// some byte from 0x80 on.
pub fn to_ascii_superset(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| CONVERSION.to[usize::from(*byte)]).collect()
}

/// Converts a byte back.
pub fn from_ascii_superset(byte: u8) -> u8 {
    CONVERSION.from[usize::from(byte)]
}

struct Conversion {
    to: [u8; 256],
    from: [u8; 256],
}

/// The characters that are the same in all code pages.
const INVARIANT: [(u8, &[u8]); 17] = [
    (0x81, b"abcdefghi"),
    (0x91, b"jklmnopqr"),
    (0xA2, b"stuvwxyz"),
    (0xC1, b"ABCDEFGHI"),
    (0xD1, b"JKLMNOPQR"),
    (0xE2, b"STUVWXYZ"),
    (0xF0, b"0123456789"),
    (0x40, b" "),
    (0x4B, b".<(+"),
    (0x50, b"&"),
    (0x5C, b"*);"),
    (0x60, b"-/"),
    (0x6B, b",%_>?"),
    (0x7A, b":"),
    (0x7D, b"'="),
    (0x0C, b"\x0C\r"),
    (0x05, b"\t"),
];

static CONVERSION: LazyLock<Conversion> = LazyLock::new(|| {
    let mut conversion = Conversion { to: [0; 256], from: [0; 256] };
    let mut is_set = [false; 256];
    let mut set = |ebcdic: u8, ascii: u8| {
        conversion.to[usize::from(ebcdic)] = ascii;
        conversion.from[usize::from(ascii)] = ebcdic;
        is_set[usize::from(ebcdic)] = true;
    };
    for (first, characters) in INVARIANT {
        (first..).zip(characters).for_each(|(ebcdic, ascii)| set(ebcdic, *ascii));
    }
    // All line endings are the same to the models.
    set(NEL, b'\n');
    set(0x25, b'\n');
    let mut others = 0x80..=0xFF;
    for byte in 0..=255 {
        if byte > 0x40 && byte_kind(byte) != EbcdicByteKind::Control && !is_set[usize::from(byte)] {
            let own = others.next().unwrap_or(0xFF);
            conversion.to[usize::from(byte)] = own;
            conversion.from[usize::from(own)] = byte;
        }
    }
    conversion
});

/// The cost of each bracket without a counterpart, and the maximum of all together, in nats.
const UNBALANCED_COST: f64 = 1.5;
const MAX_UNBALANCED_COST: f64 = 30.0;

/// The costs of signs that ASCII does not have, in nats: `¬` before another operator, other common signs, and
/// all others.
const NOT_COST: f64 = 4.0;
const SIGN_COST: f64 = 7.5;
const RARE_SIGN_COST: f64 = 9.0;

/// The part of the cost of some punctuation in the models that programs, or other texts, do not have, in nats.
const PROGRAM_PUNCTUATION_COST: f64 = 6.0;
const PROSE_PUNCTUATION_COST: f64 = 4.0;

/// The number of classes of the characters before and after punctuation.
const CONTEXT_COUNT: usize = 8;

/// The cost of punctuation by the characters before and after it.
struct PunctuationModel {
    /// The cost of each ASCII character in each context.
    costs: Vec<[f64; CONTEXT_COUNT * CONTEXT_COUNT]>,
}

static PROGRAM: LazyLock<PunctuationModel> =
    LazyLock::new(|| PunctuationModel::new(&PROGRAM_LINES));
static PROSE: LazyLock<PunctuationModel> = LazyLock::new(|| PunctuationModel::new(&PROSE_LINES));

impl PunctuationModel {
    fn new(lines: &[&str]) -> PunctuationModel {
        const CONTEXTS: usize = CONTEXT_COUNT * CONTEXT_COUNT;
        let mut counts = vec![[0.0; CONTEXTS]; 128];
        let (mut totals, mut contexts) = (vec![0.02; 128], [0.0; CONTEXTS]);
        for line in lines {
            let characters: Vec<char> =
                ['\n'].into_iter().chain(line.chars()).chain(['\n']).collect();
            for window in characters.windows(3) {
                let own = window[1];
                if own.is_ascii_punctuation() {
                    let context = context_pair(own, window[0], window[2]);
                    counts[own as usize][context] += 1.0;
                    contexts[context] += 1.0;
                    totals[own as usize] += 1.0;
                }
            }
        }
        let sum: f64 = (0..128).map(|code| totals[code]).sum();
        let mut costs = counts;
        for (code, row) in costs.iter_mut().enumerate() {
            let total: f64 = totals[code] / sum;
            for (context, count) in row.iter_mut().enumerate() {
                let probability = (*count + 2.0 * total) / (contexts[context] + 2.0);
                *count = -libm::log(probability);
            }
        }
        PunctuationModel { costs }
    }

    /// Returns the cost of a character that is not a letter, in nats.
    fn cost(&self, own: char, before: char, after: char) -> f64 {
        match own {
            '!'..='~' => self.costs[own as usize][context_pair(own, before, after)],
            '¬' if matches!(after, '=' | '>' | '<') => NOT_COST,
            '¬' | '£' | '§' | '°' | '€' | '«' | '»' => SIGN_COST,
            _ => RARE_SIGN_COST,
        }
    }
}

fn context_pair(own: char, before: char, after: char) -> usize {
    context(own, before) * CONTEXT_COUNT + context(own, after)
}

fn context(own: char, other: char) -> usize {
    match other {
        _ if other == own => 0,
        '\n' | '\r' | '\u{85}' => 1,
        ' ' | '\t' => 2,
        '0'..='9' => 3,
        '(' | '[' | '{' | '<' => 4,
        ')' | ']' | '}' | '>' => 5,
        _ if other.is_alphabetic() || other == '_' => 6,
        _ => 7,
    }
}

/// Typical punctuation of text that is not a program.
const PROSE_LINES: [&str; 20] = [
    "Word word, word word. Word word: word; word? Word! Word word!",
    "Word ! Word word ? Word : word word !",
    "Word word !",
    "Word! Word, word! Word.\" \"Word!\"",
    "Word! Word word. Word!) word...",
    "\"Word word!\" \"Word!\" \"Word!\\n\" word!)",
    "(word) (word word), word (word); word (5).",
    "word [1], word [2] [word] word. [word word] [3]",
    "\"word word\" \"word\", 'word' word's l'word d'word don't",
    "user@word.word, <word@word.word>, word@word.word",
    "http://www.word.word/word/word?word=word&word=5#word word/word",
    "5 % $5 $10.50 #1 No. #5 & word & word 5+5 = 10 1/2",
    "word-word 1990-1995 - word -- word word",
    "* word * word word** 5 * 5",
    "1. word 2) word 3. word a) word",
    "word_word {word} word; \"word\";5.00;\"word word\"",
    "%s %d {name} {0} $word",
    "C:\\word\\word ~/word word|word",
    "word | word | word | word word",
    "word, word, word; word, word. word. word, word: word",
];

/// Typical punctuation of programs and markup.
const PROGRAM_LINES: [&str; 58] = [
    "#include <word.h>",
    "#define WORD(a, b) ((a) > (b) ? (a) : (b))",
    "int main(int argc, char *argv[]) {",
    "    char buffer[80]; int table[10][20] = {{1, 2}, {3, 4}};",
    "    if (word[i] == '\\0' || !word[j]) { return -1; }",
    "    for (i = 0; i < n; i++) { sum += a[i] * b[i]; }",
    "    while (*p != '\\n' && p->next) p = p->next;",
    "    printf(\"%s: %d\\n\", name, count[5]);",
    "    /* word word */ x = y ^ z; flags |= MASK; flags &= ~MASK; a = b | c;",
    "    // word word: word",
    "    result = get_word(input, 5); total += index * 2;",
    "} else if (!found) { break; }",
    "};",
    "    switch (x) { case 'a': y = x << 2; default: break; }",
    "def word(self, name=None, *args, **kwargs):",
    "    return [x for x in words if x != name and x not in {}]",
    "    self.word[name] = {'a': 1, \"b\": [2, 3]}  # word word",
    "    raise ValueError(f\"word {name!r}: {value!s}\") from None",
    "    if not word[1:]: return word[:-1]",
    "    if ($x =~ /^word.*$/ || $y =~ /[^a-z]|word/) { @{$x->{word}} = map { \"$_\" } @y; $^W = 1; }",
    "    my ($self, %args) = @_; my @list = sort keys %$x; print \"Word word!\\n\" unless !defined $y{$z};",
    "    if (a != b || !c && (d || !e)) { puts(\"Word word!\"); } // word: word! | word |",
    "    /* word word! */ s = \"word! word\"; t = 'word!'; #if !defined(WORD) || !WORD",
    "    \"word|word|word\" ^word ^ word ~[a-z]+ [^/]+ (word|word) Word! Word",
    "# word word",
    "# Word `word` word, `word word`.",
    "#",
    "    ### word ###",
    "@property",
    "    \"\"\"Word word.\"\"\"",
    "    ('word', 'Word word'), (\"word\", \"Word\"), \"Word\", \"Word word\",",
    "words = (\"Word\", \"Word\", 'Word', 'Word')",
    "fn word(&self, x: &str) -> Vec<u8> { x.iter().map(|y| y + 1).collect() }",
    "    let word = vec![1, 2]; assert_eq!(a, b); #[test] println!(\"{}\", x);",
    "    match x { Some(y) => y?, None => [0; 5], _ if !z => {} }",
    "       IDENTIFICATION DIVISION.",
    "       PROGRAM-ID. WORD.",
    "       01  WORD-RECORD.    05  WORD-NAME  PIC X(20) VALUE SPACES.",
    "           MOVE WORD-A TO WORD-B. PERFORM 100-WORD UNTIL WORD = 'Y'.",
    "           IF A > B AND C NOT = D DISPLAY 'WORD: ' WORD.",
    "      * WORD WORD *",
    "//WORD    JOB (ACCT),'WORD',CLASS=A,MSGCLASS=X,NOTIFY=&SYSUID",
    "//STEP1   EXEC PGM=WORD,REGION=4M",
    "//SYSPRINT DD SYSOUT=*",
    "//WORD DD DSN=WORD.WORD($WORD),DISP=(NEW,CATLG),SPACE=(TRK,(5,5))",
    "//* WORD",
    "/* REXX */ say 'word' || word; if a \\= b then parse arg x . ; #x = @y",
    "WORD: PROCEDURE OPTIONS(MAIN); DCL A FIXED BIN(31); IF A ^= B THEN DO; A = B || C;",
    "WORD     CSECT  ,  LA    R1,WORD(,R2)  BALR  R14,R15  DC    C'WORD',X'5'",
    "SELECT a.word, COUNT(*) FROM word WHERE a.b = 'x' AND c <> 5 ORDER BY 1;",
    "$ word -x | word > word.txt; export WORD=\"$HOME/word\"; if [ -f \"$1\" ]; then `word`; fi",
    "<a href=\"word.html\" class=\"word\">word</a> <br /> &nbsp; <!-- word -->",
    "    <h2>Word 5</h2> <p>word word, word.</p> <li>word</li>",
    "msgid \"Word word %(name)s\" msgstr[0] \"word\" #: word/word.py:5",
    "{\"word\": \"word\", \"word\": [1, 2], \"word\": {\"a\": null}}",
    "# Word word. | word | word | [word](word.md) ```word``` `word` **word**",
    "    a = `word`; [[word]], {word: [5]}, word[i][j], (a[b]), \"[word]\" '{word}' a|b|c a |= b; x ^= y; ^= ^ |",
    "5;\"word\";12.5;\"word word\" a,b,c;d 2020-01-01T00:00:00+01:00 user@word.word",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_control_character_in_500_bytes_leaves_a_text_certain() {
        // "AB CD " in EBCDIC.
        let text = b"\xC1\xC2\x40\xC3\xC4\x40".repeat(100);
        for (len, is_certain) in [(500, true), (499, false)] {
            let bytes = [&text[..len - 1], b"\x01"].concat();
            assert_eq!(EbcdicShape::new(&bytes).is_certain, is_certain, "{len}");
        }
    }

    #[test]
    fn brackets_that_are_closed_before_they_are_opened_cost_more() {
        // 0x80 and 0x81 are the brackets of a code page.
        for brackets in [['[', ']'], ['{', '}']] {
            let cost = |bytes: &[u8]| {
                EbcdicShape::default().punctuation_cost(bytes, |byte| match byte {
                    0x80.. => Some(brackets[usize::from(byte & 1)]),
                    _ => Some(char::from(byte)),
                })
            };
            assert!(cost(b"a\x80a\x81a") < cost(b"a\x81a\x80a"), "{brackets:?}");
        }
    }

    #[test]
    fn neighbors_of_punctuation_are_of_eight_kinds() {
        let kinds = ["..", "\n\r\u{85}", " \t", "059", "([{<", ")]}>", "aZé_", "§+€"];
        let mut contexts: Vec<usize> = Vec::new();
        for kind in kinds {
            let mut of_kind: Vec<usize> = kind.chars().map(|other| context('.', other)).collect();
            of_kind.dedup();
            assert_eq!(of_kind.len(), 1, "{kind:?}");
            contexts.append(&mut of_kind);
        }
        contexts.sort_unstable();
        assert_eq!(contexts, (0..CONTEXT_COUNT).collect::<Vec<_>>());
    }
}
