//! The locale of the environment: its encoding and its transliterations, found without the C library
//! in the files that glibc's `localedef` writes.
//!
//! A locale is a directory `/usr/lib/locale/NAME` with a file for each category, or an entry of
//! `/usr/lib/locale/locale-archive`. As in glibc the locale is `C` if that of any category is not
//! installed.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use charpipe_transcode::error_policy::TransliterationTable;

use super::encoding_name;

const LOCALE_DIRECTORY: &str = "/usr/lib/locale";
const LOCALE_ALIASES: &str = "/usr/share/locale/locale.alias";

/// The variables of the categories that `setlocale` sets.
const CATEGORIES: [&str; 12] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

/// The encoding of the locale `C`.
const C_ENCODING: &str = "ANSI_X3.4-1968";

/// The transliterations of the locale `C` that `C.UTF-8` does not have.
const C_TRANSLITERATIONS: &str = include_str!("translit_c.tsv");

/// The text for characters without a transliteration in most locales.
const MISSING_TRANSLITERATION: &str = "?";

/// Tag characters, which glibc's encoders drop in every locale.
const TAGS: std::ops::RangeInclusive<u32> = 0xE0000..=0xE007F;

/// The locale of the environment.
#[derive(Debug)]
pub struct Locale {
    /// The name of its encoding.
    pub encoding: String,
    /// The content of its file `LC_CTYPE`; `None` for `C`.
    ctype: Option<Vec<u8>>,
    /// The table of transliterations, once it was needed.
    table: OnceLock<Option<&'static TransliterationTable>>,
    /// The text for characters without a transliteration, once it was needed.
    missing: OnceLock<Option<String>>,
}

impl Locale {
    /// Returns the locale of the environment.
    pub fn from_environment() -> &'static Locale {
        static LOCALE: OnceLock<Locale> = OnceLock::new();
        LOCALE.get_or_init(|| {
            Locale::resolve(|name| env::var(name).ok(), &Database::from_environment())
        })
    }

    /// Returns the locale that a process has set, by the name of its category `LC_CTYPE` and its
    /// encoding. Each pair of names is resolved once, and kept for the rest of the process.
    pub fn of_process(ctype_name: &str, encoding: &str) -> &'static Locale {
        type Known = (String, &'static Locale);
        static LOCALES: Mutex<Vec<Known>> = Mutex::new(Vec::new());
        let mut locales = LOCALES.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |(name, locale): &&Known| name == ctype_name && locale.encoding == encoding;
        if let Some((_, locale)) = locales.iter().find(is_known) {
            return locale;
        }
        let ctype = Database::from_environment().ctype(ctype_name);
        let locale: &Locale = Box::leak(Box::new(Locale::new(encoding.to_owned(), ctype)));
        locales.push((ctype_name.to_owned(), locale));
        locale
    }

    fn new(encoding: String, ctype: Option<Vec<u8>>) -> Locale {
        Locale { encoding, ctype, table: OnceLock::new(), missing: OnceLock::new() }
    }

    fn resolve(variable: impl Fn(&str) -> Option<String>, database: &Database) -> Locale {
        let value = |name: &str| variable(name).filter(|value| !value.is_empty());
        let name_of = |category: &str| {
            let name = value("LC_ALL").or_else(|| value(category)).or_else(|| value("LANG"));
            name.unwrap_or_else(|| "C".to_owned())
        };
        let ctype_name = name_of(CATEGORIES[0]);
        let ctype = database.ctype(&ctype_name);
        let mut others: Vec<String> = CATEGORIES[1..].iter().map(|name| name_of(name)).collect();
        others.sort_unstable();
        others.dedup();
        let is_installed =
            |name: &String| *name == ctype_name || is_c(name) || database.ctype(name).is_some();
        let encoding = ctype.as_deref().and_then(encoding_of);
        if let Some(encoding) = encoding.filter(|_| others.iter().all(is_installed)) {
            return Locale::new(encoding, ctype);
        }
        let encoding = match database.is_missing() {
            true => encoding_of_name(&ctype_name),
            false => C_ENCODING,
        };
        Locale::new(encoding.to_owned(), None)
    }

    /// Returns the table of transliterations, if it is not that of `C.UTF-8`. In the locale `C` it is
    /// that and glibc's for Greek and Cyrillic letters.
    pub fn transliterations(&self) -> Option<&'static TransliterationTable> {
        *self.table.get_or_init(|| self.read_transliterations())
    }

    fn read_transliterations(&self) -> Option<&'static TransliterationTable> {
        let rows = match self.ctype.as_deref() {
            Some(file) => {
                let mut rows = transliterations(file)?;
                rows.extend(TransliterationTable::default_rows(TAGS));
                rows
            }
            None if self.encoding == C_ENCODING => {
                let lines = C_TRANSLITERATIONS.lines().filter_map(|line| line.split_once('\t'));
                let rows = lines.filter_map(|(code, text)| {
                    Some((u32::from_str_radix(code, 16).ok()?, vec![text.to_owned()]))
                });
                rows.chain(TransliterationTable::default_rows(..)).collect()
            }
            None => return None,
        };
        Some(TransliterationTable::leak(rows))
    }

    /// Returns the text for characters without a transliteration. Some locales have none, such as
    /// `tr_TR`.
    pub fn missing_transliteration(&'static self) -> Option<&'static str> {
        let Some(file) = self.ctype.as_deref() else { return Some(MISSING_TRANSLITERATION) };
        self.missing.get_or_init(|| default_missing(file)).as_deref()
    }
}

fn is_c(name: &str) -> bool {
    matches!(name, "C" | "POSIX")
}

/// Returns the encoding that the name of a locale states, on systems without glibc's locales.
fn encoding_of_name(name: &str) -> &str {
    match name.split_once('.') {
        Some((_, encoding)) => encoding.split('@').next().unwrap_or(encoding),
        None if cfg!(windows) || !is_c(name) => "UTF-8",
        None => C_ENCODING,
    }
}

/// Where locales are installed.
struct Database {
    directories: Vec<PathBuf>,
    archive: Option<PathBuf>,
    aliases: PathBuf,
}

impl Database {
    fn from_environment() -> Database {
        let path = env::var_os("LOCPATH").filter(|path| !path.is_empty());
        let archive = path.is_none().then(|| Path::new(LOCALE_DIRECTORY).join("locale-archive"));
        let mut directories: Vec<PathBuf> =
            path.map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        directories.push(LOCALE_DIRECTORY.into());
        Database { directories, archive, aliases: LOCALE_ALIASES.into() }
    }

    /// Returns whether the system has no locales of this form at all.
    fn is_missing(&self) -> bool {
        !self.directories.iter().any(|directory| directory.is_dir())
    }

    /// Returns the content of the file `LC_CTYPE` of an installed locale.
    fn ctype(&self, name: &str) -> Option<Vec<u8>> {
        if is_c(name) || name.contains('/') {
            return None;
        }
        let archive = self.archive.as_deref().and_then(|path| fs::read(path).ok());
        let archived = archive.and_then(|archive| archived_ctype(&archive, name));
        let below = |name: &str| self.directories.iter().find_map(|path| ctype_below(path, name));
        archived.or_else(|| below(name)).or_else(|| below(&self.alias(name)?))
    }

    /// Returns the locale that an alias such as `german` means.
    fn alias(&self, name: &str) -> Option<String> {
        let text = fs::read(&self.aliases).ok()?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut words = lines.filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            Some((words.next()?, words.next()?))
        });
        words.find(|(alias, _)| *alias == name).map(|(_, locale)| locale.to_owned())
    }
}

/// The parts of the name of a locale, as in `de_DE.UTF-8@euro`.
#[derive(Debug, PartialEq, Eq)]
struct NameParts<'a> {
    language: &'a str,
    territory: &'a str,
    codeset: Option<&'a str>,
    modifier: &'a str,
}

impl<'a> NameParts<'a> {
    fn parse(name: &'a str) -> NameParts<'a> {
        let at = name.find('@').unwrap_or(name.len());
        let (name, modifier) = name.split_at(at);
        let (name, codeset) = match name.split_once('.') {
            Some((name, codeset)) => (name, Some(codeset)),
            None => (name, None),
        };
        let (language, territory) = name.split_at(name.find('_').unwrap_or(name.len()));
        NameParts { language, territory, codeset, modifier }
    }

    /// Returns the names of directories in which the locale may be, the most exact first.
    fn candidates(&self) -> Vec<String> {
        let mut codesets: Vec<String> = Vec::new();
        if let Some(codeset) = self.codeset {
            codesets.extend([format!(".{codeset}"), format!(".{}", normalized_codeset(codeset))]);
        }
        codesets.push(String::new());
        let mut names = Vec::new();
        for modifier in [self.modifier, ""] {
            for territory in [self.territory, ""] {
                for codeset in &codesets {
                    names.push(format!("{}{territory}{codeset}{modifier}", self.language));
                }
            }
        }
        names
    }
}

/// Returns the letters and digits of a codeset in lower case, after `iso` if there are only digits.
fn normalized_codeset(codeset: &str) -> String {
    let kept = codeset.chars().filter(char::is_ascii_alphanumeric);
    let kept: String = kept.map(|character| character.to_ascii_lowercase()).collect();
    match kept.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("iso{kept}"),
        false => kept,
    }
}

/// Returns the file `LC_CTYPE` of a locale below a directory. If the name states an encoding, the
/// locale must have it.
fn ctype_below(directory: &Path, name: &str) -> Option<Vec<u8>> {
    let parts = NameParts::parse(name);
    let file = parts
        .candidates()
        .iter()
        .find_map(|name| fs::read(directory.join(name).join("LC_CTYPE")).ok())?;
    let encoding = encoding_of(&file)?;
    let is_right = |codeset| encoding_name::are_aliases(codeset, &encoding);
    parts.codeset.is_none_or(is_right).then_some(file)
}

/// Returns the 32-bit number at an offset.
fn word(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*file.get(at..)?.first_chunk()?))
}

/// Returns the file `LC_CTYPE` of a locale in an archive.
fn archived_ctype(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    const MAGIC: u32 = 0xDE02_0109;

    let number = |at| Some(word(archive, at)? as usize);
    if word(archive, 0)? != MAGIC {
        return None;
    }
    let parts = NameParts::parse(name);
    let codeset = parts.codeset.map(|codeset| format!(".{}", normalized_codeset(codeset)));
    let name = [parts.language, parts.territory, &codeset.unwrap_or_default(), parts.modifier];
    let name = format!("{}\0", name.concat());
    // The header: magic number, serial number, then offset, used and size of the table of names.
    let (names, size) = (number(8)?, number(16)?);
    for entry in 0..size {
        let at = names + 12 * entry;
        let (name_at, record_at) = (number(at + 4)?, number(at + 8)?);
        if name_at != 0 && archive.get(name_at..)?.starts_with(name.as_bytes()) {
            // The record: a count of references, then offset and length for each category.
            let (start, len) = (number(record_at + 4)?, number(record_at + 8)?);
            return Some(archive.get(start..start.checked_add(len)?)?.to_vec());
        }
    }
    None
}

/// The numbers of the items in a file `LC_CTYPE`, as in `<langinfo.h>`.
mod item {
    pub const ENCODING: usize = 14;
    pub const TRANSLIT_COUNT: usize = 61;
    pub const FROM_INDEX: usize = 62;
    pub const FROM_TABLE: usize = 63;
    pub const TO_INDEX: usize = 64;
    pub const TO_TABLE: usize = 65;
    pub const DEFAULT_MISSING_LEN: usize = 66;
    pub const DEFAULT_MISSING: usize = 67;
}

/// Returns the offset of an item in a file `LC_CTYPE`: an array of a magic number, a count, and the
/// offset of each item.
fn item_offset(file: &[u8], item: usize) -> Option<usize> {
    const MAGIC: u32 = 0x2009_0720;

    let is_ctype = word(file, 0)? == MAGIC && item < word(file, 4)? as usize;
    is_ctype.then(|| word(file, 8 + 4 * item)).flatten().map(|offset| offset as usize)
}

/// Returns the name of the encoding in a file `LC_CTYPE`.
fn encoding_of(file: &[u8]) -> Option<String> {
    let name = file.get(item_offset(file, item::ENCODING)?..)?;
    let name = &name[..name.iter().position(|byte| *byte == 0)?];
    String::from_utf8(name.to_owned()).ok().filter(|name| !name.is_empty())
}

/// Returns the transliterations in a file `LC_CTYPE`: the candidates for each character.
fn transliterations(file: &[u8]) -> Option<BTreeMap<u32, Vec<String>>> {
    // The start of an item, and an element of a string in it.
    let offset = |item| item_offset(file, item);
    let element = |item, index: usize| word(file, offset(item)? + 4 * index);
    let string = |item, start: usize| {
        let codes = (start..).map(|index| element(item, index));
        let text = codes.take_while(|code| *code != Some(0));
        text.map(|code| code.and_then(char::from_u32)).collect::<Option<String>>()
    };
    let mut rows = BTreeMap::new();
    for row in 0..element(item::TRANSLIT_COUNT, 0)? as usize {
        let from = string(item::FROM_TABLE, element(item::FROM_INDEX, row)? as usize)?;
        let mut characters = from.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else { continue };
        let mut at = element(item::TO_INDEX, row)? as usize;
        let mut candidates = Vec::new();
        // An empty string ends the list, unless it comes first.
        loop {
            let text = string(item::TO_TABLE, at)?;
            at += text.chars().count() + 1;
            let is_last = text.is_empty();
            if !is_last || candidates.is_empty() {
                candidates.push(text);
            }
            if is_last {
                break;
            }
        }
        rows.insert(u32::from(character), candidates);
    }
    Some(rows)
}

/// Returns the text for characters without a transliteration in a file `LC_CTYPE`, unless it is empty.
fn default_missing(file: &[u8]) -> Option<String> {
    let len = word(file, item_offset(file, item::DEFAULT_MISSING_LEN)?)? as usize;
    let start = item_offset(file, item::DEFAULT_MISSING)?;
    let codes = (0..len).map(|index| char::from_u32(word(file, start + 4 * index)?));
    codes.collect::<Option<String>>().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_locales_are_split_and_shortened() {
        let parts = NameParts::parse("de_DE.UTF-8@euro");
        let expected = NameParts {
            language: "de",
            territory: "_DE",
            codeset: Some("UTF-8"),
            modifier: "@euro",
        };
        assert_eq!(parts, expected);
        let candidates = parts.candidates();
        assert_eq!(candidates[..2], ["de_DE.UTF-8@euro", "de_DE.utf8@euro"]);
        assert_eq!(candidates.last().unwrap(), "de");
        assert_eq!(NameParts::parse("de").candidates()[0], "de");
    }

    #[test]
    fn codesets_are_normalized() {
        for (codeset, normalized) in
            [("UTF-8", "utf8"), ("ISO-8859-15", "iso885915"), ("8859-1", "iso88591")]
        {
            assert_eq!(normalized_codeset(codeset), normalized);
        }
    }

    #[test]
    fn damaged_files_are_rejected() {
        let file: Vec<u8> = [0x2009_0720, 70, u32::MAX, 12]
            .iter()
            .flat_map(|word: &u32| word.to_ne_bytes())
            .collect();
        for len in 0..file.len() {
            assert_eq!(encoding_of(&file[..len]), None);
            assert_eq!(transliterations(&file[..len]), None);
            assert_eq!(default_missing(&file[..len]), None);
        }
    }

    /// Returns an archive as localedef writes it (locarchive.h in glibc): a header, the table of names, whose
    /// first entry is empty here, and for each locale its name, its record and its file.
    fn archive(locales: &[(&str, &[u8])]) -> Vec<u8> {
        const HEADER_LEN: usize = 14 * 4;
        const RECORD_LEN: usize = (1 + 2 * 13) * 4;

        let mut header = [0; 14];
        (header[0], header[2], header[4]) = (0xDE02_0109, HEADER_LEN, 1 + locales.len());
        let mut words = [&header[..], &[0; 3]].concat();
        let mut rest = Vec::new();
        let start = HEADER_LEN + 12 * (1 + locales.len());
        for (name, file) in locales {
            let name_at = start + rest.len();
            let record_at = name_at + name.len() + 1;
            words.extend([1, name_at, record_at]);
            rest.extend([name.as_bytes(), b"\0"].concat());
            let mut record = [0; RECORD_LEN / 4];
            record[..3].copy_from_slice(&[1, record_at + RECORD_LEN, file.len()]);
            rest.extend(record.iter().flat_map(|word| (*word as u32).to_ne_bytes()));
            rest.extend_from_slice(file);
        }
        let words = words.iter().flat_map(|word| (*word as u32).to_ne_bytes());
        words.chain(rest).collect()
    }

    #[test]
    fn locales_are_found_in_an_archive() {
        // localedef normalizes the codeset in the name.
        let archive = archive(&[
            ("es_ES.iso885915", b"first"),
            ("es", b"second"),
            ("de_DE.utf8@x", b"third"),
        ]);
        for (name, file) in [
            ("es_ES.ISO-8859-15", Some(&b"first"[..])),
            ("es_ES.iso885915", Some(b"first")),
            ("es", Some(b"second")),
            ("de_DE.UTF-8@x", Some(b"third")),
            ("es_ES", None),
            ("de_DE.UTF-8", None),
        ] {
            assert_eq!(archived_ctype(&archive, name).as_deref(), file, "{name}");
        }
        for len in 0..archive.len() {
            assert_eq!(archived_ctype(&archive[..len], "de_DE.UTF-8@x"), None, "{len} bytes");
        }
        assert_eq!(archived_ctype(&[&[0; 4], &archive[4..]].concat(), "es"), None);
    }

    #[test]
    fn locale_without_a_database_has_the_encoding_of_its_name() {
        let database = Database { directories: Vec::new(), archive: None, aliases: PathBuf::new() };
        let of_c = if cfg!(windows) { "UTF-8" } else { "ANSI_X3.4-1968" };
        for (lang, encoding) in [
            ("de_DE.ISO-8859-1@x", "ISO-8859-1"),
            ("C.UTF-8", "UTF-8"),
            ("de_DE", "UTF-8"),
            ("C", of_c),
        ] {
            let locale =
                Locale::resolve(|name| (name == "LANG").then(|| lang.to_owned()), &database);
            assert_eq!(locale.encoding, encoding, "{lang}");
        }
    }
}
