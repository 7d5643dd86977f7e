//! Rules from `.editorconfig` files (EditorConfig Specification 0.17.2): `charset` and `end_of_line`.
//!
//! The files may come from a stranger: they are only read up to a maximum size, and a glob is matched in
//! time linear in its length and that of the path.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::check::{BomRule, CheckOptions, NewlineRule};
use crate::cli::config::Input;
use crate::cli::exit::io_message;
use crate::cli::fs::input::InputStream;
use crate::cli::quote::Quoted;
use crate::cli::sys::file_name;
use crate::options::EncodingSpec;

mod glob;

use glob::Glob;

/// The name of the files.
const FILE_NAME: &str = ".editorconfig";

/// The maximum size of a file, in bytes.
const MAX_FILE_SIZE: u64 = 64 << 10;

/// The rules for a file. `None` means the rule of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileRules {
    charset: Option<Charset>,
    end_of_line: Option<NewlineRule>,
}

/// A value of `charset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Latin1,
    Utf8,
    Utf8Bom,
    Utf16Be,
    Utf16Le,
}

impl Charset {
    const NAMES: [(&str, Charset); 5] = [
        ("latin1", Charset::Latin1),
        ("utf-8", Charset::Utf8),
        ("utf-8-bom", Charset::Utf8Bom),
        ("utf-16be", Charset::Utf16Be),
        ("utf-16le", Charset::Utf16Le),
    ];

    /// Returns the encoding, and the rule for byte order marks if it is not that of the command line.
    fn rules(self) -> (&'static str, Option<BomRule>) {
        match self {
            Charset::Latin1 => ("ISO-8859-1", Some(BomRule::Any)),
            Charset::Utf8 => ("UTF-8", Some(BomRule::Forbid)),
            Charset::Utf8Bom => ("UTF-8", Some(BomRule::Require)),
            Charset::Utf16Be => ("UTF-16BE", None),
            Charset::Utf16Le => ("UTF-16LE", None),
        }
    }
}

/// The values of `end_of_line`.
const LINE_ENDINGS: [(&str, NewlineRule); 3] =
    [("lf", NewlineRule::Lf), ("crlf", NewlineRule::CrLf), ("cr", NewlineRule::Cr)];

impl FileRules {
    /// Replaces the options of the command line for which there is a rule.
    pub fn apply(self, options: &mut CheckOptions) -> Result<(), crate::Error> {
        if let Some(charset) = self.charset {
            let (encoding, bom) = charset.rules();
            options.encoding = encoding.parse::<EncodingSpec>()?;
            options.alternatives.clear();
            options.bom = bom.unwrap_or(options.bom);
        }
        options.newline = self.end_of_line.unwrap_or(options.newline);
        Ok(())
    }
}

/// Finds the rules of files, one directory after the other.
#[derive(Debug, Default)]
pub struct EditorConfig {
    /// The parent of the last file, as named.
    parent: Option<PathBuf>,
    /// The ancestors of the last file, the root first.
    directories: Vec<DirectoryRules>,
}

#[derive(Debug)]
struct DirectoryRules {
    path: PathBuf,
    /// None if it has not been read.
    file: Option<ConfigFile>,
}

impl EditorConfig {
    /// Returns the rules for a file, and passes errors in `.editorconfig` files to `on_error`, each once
    /// while the files of a directory are checked.
    pub fn rules(&mut self, input: &Input, on_error: &mut dyn FnMut(&str)) -> FileRules {
        let Input::File(path) = input else { return FileRules::default() };
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return FileRules::default(),
        };
        if self.parent.as_deref() != Some(parent) {
            match fs::canonicalize(parent) {
                Ok(directory) => self.enter(&directory),
                // The file cannot be opened either, which is reported.
                Err(_) => return FileRules::default(),
            }
            self.parent = Some(parent.to_owned());
        }
        let Some(name) = path.file_name() else { return FileRules::default() };
        let Some(directory) = self.directories.last() else { return FileRules::default() };
        let path = directory.path.join(name);
        let mut first = self.directories.len();
        for directory in self.directories.iter_mut().rev() {
            first -= 1;
            let file =
                directory.file.get_or_insert_with(|| ConfigFile::read(&directory.path, on_error));
            if file.is_root {
                break;
            }
        }
        let mut rules = FileRules::default();
        for directory in &self.directories[first..] {
            let (Some(file), Ok(relative)) = (&directory.file, path.strip_prefix(&directory.path))
            else {
                continue;
            };
            let relative = file_name::with_slashes(relative.as_os_str().as_encoded_bytes());
            file.apply(&String::from_utf8_lossy(&relative), &mut rules);
        }
        rules
    }

    /// Makes a directory the current one, and forgets those that are not among its ancestors.
    fn enter(&mut self, directory: &Path) {
        let mut ancestors: Vec<&Path> = directory.ancestors().collect();
        ancestors.reverse();
        let known = self.directories.iter().zip(&ancestors);
        let known = known.take_while(|(known, ancestor)| known.path == **ancestor).count();
        self.directories.truncate(known);
        self.directories.extend(
            ancestors[known..]
                .iter()
                .map(|ancestor| DirectoryRules { path: ancestor.to_path_buf(), file: None }),
        );
    }
}

/// A parsed `.editorconfig`.
#[derive(Debug, Default, PartialEq, Eq)]
struct ConfigFile {
    is_root: bool,
    sections: Vec<Section>,
}

#[derive(Debug, PartialEq, Eq)]
struct Section {
    glob: Glob,
    /// The values, of which `None` is `unset`.
    charset: Option<Option<Charset>>,
    end_of_line: Option<Option<NewlineRule>>,
}

impl ConfigFile {
    /// Reads the file of a directory. Without one there are no sections.
    fn read(directory: &Path, on_error: &mut dyn FnMut(&str)) -> ConfigFile {
        let path = directory.join(FILE_NAME);
        let name = Quoted::from_path(&path).to_string();
        let text = match read_text(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return ConfigFile::default(),
            Err(error) => {
                on_error(&format!("{name}: {}", io_message(&error)));
                return ConfigFile::default();
            }
        };
        ConfigFile::parse(&text, &mut |line, message| {
            on_error(&format!("{name}:{line}: {message}"))
        })
    }

    fn parse(text: &str, on_error: &mut dyn FnMut(usize, &str)) -> ConfigFile {
        let mut file = ConfigFile::default();
        // The section of an invalid glob matches nothing.
        let mut is_preamble = true;
        let mut has_section = false;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                is_preamble = false;
                let glob = Glob::new(name);
                has_section = glob.is_ok();
                match glob {
                    Ok(glob) => {
                        file.sections.push(Section { glob, charset: None, end_of_line: None })
                    }
                    Err(message) => on_error(number, &message),
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if is_preamble {
                if key == "root" {
                    file.is_root = value.eq_ignore_ascii_case("true");
                }
                continue;
            }
            let Some(section) = file.sections.last_mut().filter(|_| has_section) else { continue };
            let result = match &*key {
                "charset" => parse_value("charset", value, &Charset::NAMES)
                    .map(|value| section.charset = Some(value)),
                "end_of_line" => parse_value("end_of_line", value, &LINE_ENDINGS)
                    .map(|value| section.end_of_line = Some(value)),
                _ => Ok(()),
            };
            if let Err(message) = result {
                on_error(number, &message);
            }
        }
        file.sections.retain(|section| section.charset.is_some() || section.end_of_line.is_some());
        file
    }

    /// Adds the rules of the sections that match a path relative to the directory.
    fn apply(&self, path: &str, rules: &mut FileRules) {
        if self.sections.is_empty() {
            return;
        }
        let path: Vec<char> = path.chars().collect();
        for section in self.sections.iter().filter(|section| section.glob.matches(&path)) {
            rules.charset = section.charset.unwrap_or(rules.charset);
            rules.end_of_line = section.end_of_line.unwrap_or(rules.end_of_line);
        }
    }
}

/// Returns the rule for a value, or `None` for `unset`.
fn parse_value<T: Copy>(
    key: &str,
    value: &str,
    names: &[(&'static str, T)],
) -> Result<Option<T>, String> {
    if value.eq_ignore_ascii_case("unset") {
        return Ok(None);
    }
    let found = names.iter().find(|(name, _)| value.eq_ignore_ascii_case(name));
    found.map(|(_, rule)| Some(*rule)).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        let value = Quoted::new(value);
        format!("unknown {key} \"{value}\" (expected one of: {})", names.join(", "))
    })
}

/// Reads a file. Returns `None` if it does not exist.
fn read_text(path: &Path) -> io::Result<Option<String>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
        Err(error) => return Err(error),
        Ok(metadata) if metadata.is_dir() => return Ok(None),
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::other("is not a regular file"));
        }
        Ok(_) => {}
    }
    let mut text = Vec::new();
    InputStream::open(path)?.take(MAX_FILE_SIZE + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_FILE_SIZE {
        return Err(io::Error::other(format!("exceeds {} KiB", MAX_FILE_SIZE >> 10)));
    }
    String::from_utf8(text).map(Some).map_err(|_| io::Error::other("is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (ConfigFile, Vec<String>) {
        let mut errors = Vec::new();
        let mut on_error = |line, message: &str| errors.push(format!("{line}: {message}"));
        (ConfigFile::parse(text, &mut on_error), errors)
    }

    fn rules_of(text: &str, path: &str) -> FileRules {
        let mut rules = FileRules::default();
        parse(text).0.apply(path, &mut rules);
        rules
    }

    #[test]
    fn last_matching_section_decides_each_rule() {
        let text = "\u{FEFF}; comment\n# comment\nROOT = True\ncharset = latin1\n[*]\n\
                    charset=UTF-8\r\nend_of_line = lf\nindent_size = 4\nno pair\n\
                    [*.bat]\n  End_Of_Line =CRLF\n[old/**.txt]\ncharset = latin1 \n[*.raw]\n\
                    charset = unset\nend_of_line=unset\n";
        let (file, errors) = parse(text);
        assert!(file.is_root && errors.is_empty(), "{errors:?}");
        for (path, charset, end_of_line) in [
            ("a.rs", Some(Charset::Utf8), Some(NewlineRule::Lf)),
            ("x/a.bat", Some(Charset::Utf8), Some(NewlineRule::CrLf)),
            ("old/x/a.txt", Some(Charset::Latin1), Some(NewlineRule::Lf)),
            ("new/old/a.txt", Some(Charset::Utf8), Some(NewlineRule::Lf)),
            ("a.raw", None, None),
        ] {
            assert_eq!(rules_of(text, path), FileRules { charset, end_of_line }, "{path}");
        }
    }

    #[test]
    fn unknown_values_and_long_globs_are_reported() {
        let long = "a".repeat(1025);
        let text =
            format!("[*]\ncharset = utf8\nend_of_line = \x1Bx\n[{long}]\ncharset = latin1\n");
        let (file, errors) = parse(&text);
        assert!(file.sections.is_empty() && !file.is_root);
        assert_eq!(
            errors,
            [
                "2: unknown charset \"utf8\" (expected one of: latin1, utf-8, utf-8-bom, utf-16be, \
                 utf-16le)",
                "3: unknown end_of_line \"\\x1Bx\" (expected one of: lf, crlf, cr)",
                "4: the section name is longer than 1024 characters",
            ]
        );
    }

    #[test]
    fn any_text_is_parsed() {
        for text in ["[", "]", "[]", "[[]]", "=", "[*]\n=", "[{]\ncharset", "[*]\ncharset=", "\0"] {
            let (file, _) = parse(text);
            let mut rules = FileRules::default();
            file.apply("a", &mut rules);
            assert_eq!(rules, FileRules::default());
        }
    }
}
