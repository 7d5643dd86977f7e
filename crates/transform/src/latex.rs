//! Accents and characters of LaTeX: `\'e`, `\c{c}`, `\ss{}`, `---` (LaTeX2e, `encguide`; BibTeX).
//!
//! Decoders leave commands that represent no character unchanged, so a document keeps its markup. White space after
//! a command such as `\ss` belongs to it, as do braces around an escape, `{\"o}`. An accent is composed with its
//! letter where Unicode has the composed character, or else follows it as a combining character.
//!
//! Encoders write non-ASCII characters that LaTeX has a command for; others remain, which LaTeX reads as UTF-8.
//! What is special in LaTeX is escaped. With `unicode` it remains, for whole files.

use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

use super::item_transform::{Item, ItemFormat, ItemText, ItemTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::{OptionSpec, OptionValues};
use charpipe_kernel::special_bytes::SpecialBytes;

/// The option that keeps what is special in LaTeX.
const UNICODE: &str = "unicode";

static OPTIONS: [OptionSpec; 1] = [OptionSpec {
    name: UNICODE,
    values: OptionValues::Flag,
    description: "only non-ASCII letters and symbols, for whole files; \\%, ~, -- and `` remain",
}];

/// Text of LaTeX.
pub static LATEX: Transform = Transform {
    name: "latex",
    aliases: &["tex"],
    title: "LaTeX",
    description: "Accents and symbols of LaTeX: \\'e, \\c{c}, \\ss{}, --- (LaTeX2e, encguide)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(LatexDecoder::new(options.flag(UNICODE))))
        }),
        encoder: |options| Box::new(ItemTransform::new(LatexEncoder::new(options.flag(UNICODE)))),
    },
};

/// Accents: the command and the combining character. Those that are letters need braces or a space.
const ACCENTS: [(u8, char); 14] = [
    (b'`', '\u{300}'),
    (b'\'', '\u{301}'),
    (b'^', '\u{302}'),
    (b'~', '\u{303}'),
    (b'=', '\u{304}'),
    (b'u', '\u{306}'),
    (b'.', '\u{307}'),
    (b'"', '\u{308}'),
    (b'r', '\u{30A}'),
    (b'H', '\u{30B}'),
    (b'v', '\u{30C}'),
    (b'd', '\u{323}'),
    (b'c', '\u{327}'),
    (b'k', '\u{328}'),
];

/// The line below a letter, whose command is `\b`.
const MACRON_BELOW: (u8, char) = (b'b', '\u{331}');

fn accents() -> impl Iterator<Item = (u8, char)> {
    ACCENTS.into_iter().chain([MACRON_BELOW])
}

/// Ligatures, the longest first.
const LIGATURES: [(&str, char); 6] =
    [("---", '—'), ("--", '–'), ("``", '“'), ("''", '”'), ("?`", '¿'), ("!`", '¡')];

/// Single characters after a backslash that represent another character.
const SYMBOLS: [(u8, char); 9] = [
    (b'#', '#'),
    (b'$', '$'),
    (b'%', '%'),
    (b'&', '&'),
    (b'_', '_'),
    (b'{', '{'),
    (b'}', '}'),
    (b'-', '\u{AD}'),
    (b',', '\u{202F}'),
];

/// The names of commands with their characters.
fn commands() -> &'static [(&'static str, char)] {
    static COMMANDS: OnceLock<Vec<(&str, char)>> = OnceLock::new();
    COMMANDS.get_or_init(|| {
        let rows = include_str!("data/latex.tsv").lines().filter(|row| !row.starts_with('#'));
        let row = |row: &'static str| {
            let (character, names) = row.split_once('\t').unwrap_or_default();
            let character = character.chars().next().unwrap_or_default();
            names.split(' ').map(move |name| (name, character))
        };
        rows.flat_map(row).collect()
    })
}

/// The maximum length of an escape in bytes.
const MAX_LEN: usize = 48;

/// The maximum number of accents on a letter.
const MAX_ACCENTS: usize = 2;

/// The text of an escape: a letter and its accents.
#[derive(Debug, Clone, Copy)]
struct AccentedLetter {
    characters: [char; 1 + MAX_ACCENTS],
    len: usize,
}

impl From<char> for AccentedLetter {
    fn from(letter: char) -> AccentedLetter {
        AccentedLetter { characters: [letter; 1 + MAX_ACCENTS], len: 1 }
    }
}

impl AccentedLetter {
    /// Returns the letter with another accent, or `None` if it has too many.
    fn with_accent(mut self, accent: char) -> Option<AccentedLetter> {
        *self.characters.get_mut(self.len)? = accent;
        self.len += 1;
        Some(self)
    }

    /// Returns `read` bytes converted to the composed letter.
    fn item(self, read: usize, dst: &mut [u8]) -> Item {
        let mut text = ItemText::<{ 4 * (1 + MAX_ACCENTS) }>::new();
        self.characters[..self.len].iter().copied().nfc().for_each(|it| push_char(it, &mut text));
        text.item(read, dst)
    }
}

/// Why no escape was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoEscape {
    /// The bytes are something else.
    Other,
    /// The input ends first.
    Incomplete,
}

/// Reads an escape.
struct Reader<'a> {
    src: &'a str,
    at: usize,
    /// Whether nothing follows `src`.
    end: bool,
}

impl Reader<'_> {
    /// Returns the next byte, or `None` at the end of the input.
    fn peek(&self) -> Result<Option<u8>, NoEscape> {
        match self.src.as_bytes().get(self.at) {
            Some(byte) => Ok(Some(*byte)),
            None if self.end => Ok(None),
            None => Err(NoEscape::Incomplete),
        }
    }

    /// Consumes a byte.
    fn expect(&mut self, byte: u8) -> Result<(), NoEscape> {
        if self.peek()? != Some(byte) {
            return Err(NoEscape::Other);
        }
        self.at += 1;
        Ok(())
    }

    fn skip_spaces(&mut self) -> Result<(), NoEscape> {
        while let Some(b' ' | b'\t') = self.peek()? {
            self.at += 1;
        }
        Ok(())
    }

    /// Consumes the name of a command, which is one other character or letters.
    fn name(&mut self) -> Result<&str, NoEscape> {
        self.expect(b'\\')?;
        let start = self.at;
        while let Some(b'a'..=b'z' | b'A'..=b'Z') = self.peek()? {
            self.at += 1;
        }
        if self.at == start {
            match self.peek()? {
                Some(byte) if byte.is_ascii_graphic() => self.at += 1,
                _ => return Err(NoEscape::Other),
            }
        }
        Ok(&self.src[start..self.at])
    }

    /// Reads an escape: a command of a character, or an accent and its letter. A symbol only where `has_symbols`.
    fn escape(
        &mut self,
        has_symbols: bool,
        accents_left: usize,
    ) -> Result<AccentedLetter, NoEscape> {
        let name = self.name()?;
        let first = name.as_bytes()[0];
        let accent = accents().find(|(byte, _)| name.len() == 1 && *byte == first);
        if let Some((_, accent)) = accent {
            if accents_left == 0 {
                return Err(NoEscape::Other);
            }
            return self.accented(first, accent, accents_left - 1);
        }
        if !first.is_ascii_alphabetic() {
            let symbol = SYMBOLS.iter().find(|(byte, _)| has_symbols && *byte == first);
            return symbol.map(|(_, character)| (*character).into()).ok_or(NoEscape::Other);
        }
        let known = commands().iter().find(|(known, _)| *known == name);
        let (_, character) = known.ok_or(NoEscape::Other)?;
        // Braces without content, or spaces, end the name.
        match self.peek()? {
            Some(b'{') => {
                self.at += 1;
                self.expect(b'}')?;
            }
            _ => self.skip_spaces()?,
        }
        match has_symbols || !character.is_ascii() {
            true => Ok((*character).into()),
            false => Err(NoEscape::Other),
        }
    }

    /// Reads the letter after an accent: in braces, a command, or a character.
    fn accented(
        &mut self,
        command: u8,
        accent: char,
        accents_left: usize,
    ) -> Result<AccentedLetter, NoEscape> {
        let start = self.at;
        self.skip_spaces()?;
        let is_separated = self.at > start;
        let letter = match self.peek()? {
            Some(b'{') => {
                self.at += 1;
                let letter = match self.peek()? {
                    Some(b'\\') => self.base(accents_left)?,
                    _ => self.letter()?,
                };
                self.expect(b'}')?;
                letter
            }
            Some(b'\\') => self.base(accents_left)?,
            _ if command.is_ascii_alphabetic() && !is_separated => return Err(NoEscape::Other),
            _ => self.letter()?,
        };
        letter.with_accent(accent).ok_or(NoEscape::Other)
    }

    /// Reads the escape that an accent is put on. Dotless letters have their dots back.
    fn base(&mut self, accents_left: usize) -> Result<AccentedLetter, NoEscape> {
        let letter = self.escape(false, accents_left)?;
        Ok(match letter.characters[0] {
            'ı' => 'i'.into(),
            'ȷ' => 'j'.into(),
            _ => letter,
        })
    }

    fn letter(&mut self) -> Result<AccentedLetter, NoEscape> {
        self.peek()?;
        let letter = self.src[self.at..].chars().next().filter(|letter| letter.is_alphabetic());
        let letter = letter.ok_or(NoEscape::Other)?;
        self.at += letter.len_utf8();
        Ok(letter.into())
    }
}

struct LatexDecoder {
    has_only_unicode: bool,
    special: SpecialBytes,
}

impl LatexDecoder {
    fn new(has_only_unicode: bool) -> LatexDecoder {
        let special = SpecialBytes::new(move |byte| match byte {
            b'\\' | b'{' => true,
            _ => !has_only_unicode && b"-`'?!~".contains(&byte),
        });
        commands();
        LatexDecoder { has_only_unicode, special }
    }

    /// Returns the text at the start of the input and the length of its escape.
    fn read(&self, src: &str, end: bool) -> Result<(AccentedLetter, usize), NoEscape> {
        let has_symbols = !self.has_only_unicode;
        let mut reader = Reader { src, at: 0, end };
        match src.as_bytes()[0] {
            b'\\' => {
                let letter = reader.escape(has_symbols, MAX_ACCENTS)?;
                Ok((letter, reader.at))
            }
            b'{' => {
                reader.at = 1;
                let letter = reader.escape(false, MAX_ACCENTS)?;
                reader.expect(b'}')?;
                Ok((letter, reader.at))
            }
            b'~' => Ok(('\u{A0}'.into(), 1)),
            _ => {
                for (ligature, character) in LIGATURES {
                    if src.starts_with(ligature) {
                        return Ok((character.into(), ligature.len()));
                    }
                    if ligature.starts_with(src) && !end {
                        return Err(NoEscape::Incomplete);
                    }
                }
                Err(NoEscape::Other)
            }
        }
    }
}

impl ItemFormat for LatexDecoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let mut len = src.len().min(MAX_LEN);
        while !src.is_char_boundary(len) {
            len -= 1;
        }
        // Longer escapes are not read.
        let window = &src[..len];
        match self.read(window, end || src.len() >= MAX_LEN) {
            Ok((letter, len)) => letter.item(len, dst),
            Err(NoEscape::Incomplete) => Item::NeedMore,
            // What follows the backslash is not the start of an escape.
            Err(NoEscape::Other) => match src.as_bytes() {
                [b'\\', 0x20..0x7F, ..] => Item::unchanged(2, src, dst),
                _ => Item::unchanged(1, src, dst),
            },
        }
    }
}

/// The escape of a character.
type EscapeText = ItemText<MAX_LEN>;

struct LatexEncoder {
    has_only_unicode: bool,
    special: SpecialBytes,
}

impl LatexEncoder {
    fn new(has_only_unicode: bool) -> LatexEncoder {
        let special = SpecialBytes::new(move |byte| {
            !byte.is_ascii() || !has_only_unicode && b"#$%&_{}\\^~".contains(&byte)
        });
        commands();
        LatexEncoder { has_only_unicode, special }
    }

    /// Appends the escape of a character, or nothing if it has none.
    fn write(&self, character: char, to: &mut EscapeText) {
        let ligature = LIGATURES.iter().find(|(_, known)| *known == character);
        let symbol = SYMBOLS.iter().find(|(_, known)| *known == character);
        let is_plain = !self.has_only_unicode;
        match (character, ligature, symbol) {
            ('\u{A0}', ..) if is_plain => to.push(b"~"),
            ('‘', ..) if is_plain => to.push(b"`"),
            ('’', ..) if is_plain => to.push(b"'"),
            (_, Some((ligature, _)), _) if is_plain => to.push(ligature.as_bytes()),
            (_, _, Some((symbol, _))) if is_plain => {
                to.push(b"\\");
                push_char(char::from(*symbol), to);
            }
            _ => match command_of(character) {
                Some(name) => {
                    ["\\", name, "{}"].map(str::as_bytes).iter().for_each(|part| to.push(part))
                }
                None => write_accents(character, to),
            },
        }
    }
}

fn push_char<const N: usize>(character: char, to: &mut ItemText<N>) {
    to.push(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Returns the name of the command of a character.
fn command_of(character: char) -> Option<&'static str> {
    commands().iter().find(|(_, known)| *known == character).map(|(name, _)| *name)
}

/// Appends the accents and the letter of a composed character, or nothing if LaTeX has no command for one of them.
fn write_accents(character: char, to: &mut EscapeText) {
    let (mut parts, mut len) = (['\0'; 1 + MAX_ACCENTS], 0);
    decompose_canonical(character, |part| {
        if let Some(free) = parts.get_mut(len) {
            *free = part;
        }
        len += 1;
    });
    let Some([letter, marks @ ..]) = parts.get(..len).filter(|parts| parts.len() > 1) else {
        return;
    };
    let command = |mark: &char| accents().find(|(_, known)| known == mark).map(|(byte, _)| byte);
    if marks.iter().any(|mark| command(mark).is_none()) {
        return;
    }
    let commands = || marks.iter().rev().filter_map(command);
    let is_above = !marks.first().and_then(command).is_some_and(|it| b"dckb".contains(&it));
    let name = match letter {
        'i' if is_above => Some("i"),
        'j' if is_above => Some("j"),
        _ if letter.is_ascii_alphabetic() => None,
        _ => match command_of(*letter) {
            Some(name) => Some(name),
            None => return,
        },
    };
    let has_braces =
        |command: u8| marks.len() > 1 || command.is_ascii_alphabetic() || name.is_some();
    for command in commands() {
        to.push(b"\\");
        push_char(char::from(command), to);
        to.push(if has_braces(command) { b"{" } else { b"" });
    }
    match name {
        Some(name) => ["\\", name].map(str::as_bytes).iter().for_each(|part| to.push(part)),
        None => push_char(*letter, to),
    }
    for command in commands() {
        to.push(if has_braces(command) { b"}" } else { b"" });
    }
}

impl ItemFormat for LatexEncoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let character = src.chars().next().unwrap_or_default();
        let mut escape = EscapeText::new();
        self.write(character, &mut escape);
        match escape.as_bytes().is_empty() {
            true => Item::unchanged(character.len_utf8(), src, dst),
            false => escape.item(character.len_utf8(), dst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{decode, encode_every_way};

    #[test]
    fn accents_and_commands_are_decoded() {
        for (text, expected) in [
            (r#"\'e\`e\^e\"e\~n\=a\.z"#, "éèêëñāż"),
            (r"\'{e} \' e \c{c} \c c \v{s}\H{o}\u{a}\r{u}\d{t}\k{a}\b{k}", "é é ç ç šőăůṭąḵ"),
            (r#"\"{\i}\"\i{} \'\i x \v{\j}\'{\ae}\'\O{}"#, "ïï íx ǰǽǾ"),
            (r"\'{\^e}\d{\^o}\'{\'x}", "ếộx\u{301}\u{301}"),
            (r#"{\"o} {\ss} {\'{e}} {\o}x {\bf x} {\"ox}"#, "ö ß é øx {\\bf x} {öx}"),
            (r"stra\ss e \ss{}x \ae\oe \L\'od\'z \dots\ x", "straße ßx æœŁódź …\\ x"),
            (r"a -- b --- c - ``d'' 'e' ?`f? !`g!", "a – b — c - “d” 'e' ¿f? ¡g!"),
            (
                r"\% \& \# \$ \_ \{ \} \- \, ~ \textbackslash{}\textasciitilde{}",
                "% & # $ _ { } \u{AD} \u{202F} \u{A0} \\~",
            ),
            (
                r"\section{Caf\'e} \emph{x} \\ \'1 \' \c \cite{x} \ssx \'{} \unknown",
                "\\section{Café} \\emph{x} \\\\ \\'1 \\' \\c \\cite{x} \\ssx \\'{} \\unknown",
            ),
            ("\\", "\\"),
            ("{", "{"),
            (r"\'", r"\'"),
        ] {
            assert_eq!(decode("latex", text), expected, "{text}");
        }
        let text = r"\'e 50\% -- ~``x'' \& {\ss} \textbackslash{}\euro{}";
        assert_eq!(decode("latex:unicode", text), r"é 50\% -- ~``x'' \& ß \textbackslash{}€");
        let long = format!("\\'{}e", " ".repeat(100));
        assert_eq!(decode("latex", &long), long);
    }

    #[test]
    fn characters_are_encoded_as_commands() {
        for (text, expected) in [
            ("éïçőảßØå", "\\'e\\\"{\\i}\\c{c}\\H{o}ả\\ss{}\\O{}\\aa{}"),
            ("ếộǽǰį", "\\'{\\^{e}}\\^{\\d{o}}\\'{\\ae}\\v{\\j}\\k{i}"),
            (
                "50% {a_b} #1 $x$ ~^\\&",
                "50\\% \\{a\\_b\\} \\#1 \\$x\\$ \\textasciitilde{}\\textasciicircum{}\\textbackslash{}\\&",
            ),
            ("“a” ‘b’ – — …¿\u{A0}\u{AD}€", "``a'' `b' -- --- \\dots{}?`~\\-\\texteuro{}"),
            ("日 жé", "日 ж\\'e"),
        ] {
            assert_eq!(encode_every_way("latex", text), expected, "{text}");
        }
        assert_eq!(
            encode_every_way("latex:unicode", "\\'e é 50\\% – “x”\u{A0}"),
            "\\'e \\'e 50\\% \\textendash{} \\textquotedblleft{}x\\textquotedblright{}\u{A0}"
        );
    }

    #[test]
    fn what_is_encoded_is_decoded_to_the_same() {
        let latin = ('\u{A1}'..'\u{250}').chain('\u{1E00}'..'\u{1F00}');
        let all: Vec<char> =
            latin.chain(super::commands().iter().map(|(_, known)| *known)).collect();
        for characters in all.chunks(6) {
            // These are ASCII in LaTeX.
            let is_kept = |character: &&char| !matches!(character, '‘' | '’');
            let text: String =
                characters.iter().filter(is_kept).flat_map(|character| ['x', *character]).collect();
            for label in ["latex", "latex:unicode"] {
                let encoded = encode_every_way(label, &text);
                assert_eq!(decode(label, &encoded), text, "{label} {encoded}");
            }
        }
    }
}
