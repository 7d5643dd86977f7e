//! Shell completions: the scripts, and the candidates that they request.
//!
//! The scripts in `completions/` know nothing about options or encodings. For each completion they
//! run `charpipe --complete=CURRENT WORD...`: CURRENT is the word up to the cursor, the WORDs are
//! the arguments before it. The first line of the output is `values`, or `files` if file names are
//! candidates too, which the shell itself completes. Each of the other lines is a candidate that
//! begins with CURRENT, a tab and a description. A space belongs after a candidate unless it ends
//! with `=`.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};

use charpipe_detect::Language;
use charpipe_encoding::encoding::alias;
use charpipe_encoding::encoding::{ALL, Encoding, OptionSpec, OptionValues};
use charpipe_mail::rfc2047::RFC_2047;
use charpipe_transcode::error_policy::ErrorAction;
use charpipe_transcode::options::EncodingSpec;
use charpipe_transcode::transform_spec;
use charpipe_transform::Transform;
use clap::{Arg, ArgAction, Command, ValueHint};

use super::args;
use super::detect::language_name;
use super::iconv::{self, command::OPTION_PREFIX};

/// Returns the output for a completion script, if the command line is a request of one.
pub fn requested_candidates(argv: &[OsString]) -> Option<String> {
    let mut words = argv.iter().skip(1).map(|word| OsStr::to_string_lossy(word));
    let request = words.next()?;
    let current = request.strip_prefix("--complete=")?;
    if current.contains(char::is_control) {
        return Some("values\n".to_owned());
    }
    let words: Vec<_> = words.collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    Some(Completion::new(&args::command(), &words, current).to_string())
}

/// What a word can be completed to.
struct Completion {
    /// Whether file names are candidates too.
    takes_files: bool,
    /// The candidates with their descriptions.
    candidates: BTreeMap<String, String>,
}

impl std::fmt::Display for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.takes_files { "files\n" } else { "values\n" })?;
        let mut candidates = self.candidates.iter();
        candidates.try_for_each(|(value, description)| writeln!(f, "{value}\t{description}"))
    }
}

impl Completion {
    /// Completes the word `current` after these arguments.
    fn new(root: &Command, words: &[&str], current: &str) -> Completion {
        let mut completion = Completion { takes_files: false, candidates: BTreeMap::new() };
        let subcommand = words.first().and_then(|name| root.find_subcommand(name));
        let command = subcommand.unwrap_or(root);
        let line = CompletedLine::parse(command, &words[usize::from(subcommand.is_some())..]);
        if let Some(option) = line.awaits_value {
            completion.add_values(option, "", current);
        } else if current.starts_with('-') && !line.has_only_operands {
            match attached_value(command, current) {
                Some((option, len)) => {
                    completion.add_values(option, &current[..len], &current[len..]);
                }
                None => completion.add_options(command, &line.given, current),
            }
        } else {
            // The operands of `list` are patterns.
            let is_path = |arg: &Arg| arg.get_value_hint() != ValueHint::Unknown;
            completion.takes_files = command.get_positionals().any(is_path);
            if words.is_empty() {
                for subcommand in root.get_subcommands() {
                    completion.add_matching(current, subcommand.get_name(), about(subcommand));
                }
            }
            for value in command.get_positionals().flat_map(Arg::get_possible_values) {
                completion.add_matching(current, value.get_name(), String::new());
            }
            if !completion.takes_files {
                completion.add_options(command, &line.given, current);
            }
            if command.get_positionals().any(|arg| value_name(arg) == "PATTERN") {
                completion.add_names("", current);
            }
        }
        completion
    }

    fn add(&mut self, value: String, description: &str) {
        let line = description.lines().next().unwrap_or_default();
        self.candidates.entry(value).or_insert_with(|| line.replace('\t', " "));
    }

    /// Adds a candidate if it begins with what is typed.
    fn add_matching(&mut self, typed: &str, value: &str, description: String) {
        if value.starts_with(typed) {
            self.add(value.to_owned(), &description);
        }
    }

    /// Adds the options that are not given yet.
    fn add_options(&mut self, command: &Command, given: &HashSet<&str>, typed: &str) {
        let may_repeat = |arg: &Arg| matches!(arg.get_action(), ArgAction::Append);
        let is_offered = |arg: &&Arg| {
            !arg.is_hide_set() && (!given.contains(arg.get_id().as_str()) || may_repeat(arg))
        };
        for arg in command.get_opts_and_flags().filter(is_offered) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            if let Some(long) = arg.get_long() {
                self.add_matching(typed, &format!("--{long}"), help.clone());
                if arg.is_require_equals_set() && typed.len() > 2 {
                    self.add_matching(typed, &format!("--{long}="), help.clone());
                }
            }
            if let Some(short) = arg.get_short() {
                self.add_matching(typed, &format!("-{short}"), help);
            }
        }
    }

    /// Adds the values of an option, each after the part of the word that precedes the value.
    fn add_values(&mut self, option: &Arg, before: &str, typed: &str) {
        for value in option.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            self.add_value(before, typed, value.get_name(), &help);
        }
        match value_name(option) {
            "FILE" => self.takes_files = true,
            "ACTION" => {
                for (name, description) in ErrorAction::NAMES {
                    self.add_value(before, typed, name.trim_end_matches("TEXT"), description);
                }
            }
            "LANG" => {
                for language in Language::all() {
                    self.add_value(before, typed, language.code(), language_name(language));
                }
            }
            "NAME" if option.get_id() == "about" => self.add_names(before, typed),
            "STEPS" => {
                let start = typed.rfind("..").map_or(0, |at| at + 2);
                let before = format!("{before}{}", &typed[..start]);
                let typed = &typed[start..];
                self.add_transforms(&before, typed, "", true);
                self.add_encodings("chain", &before, typed);
            }
            "STEP" => self.add_transforms(before, typed, "", false),
            "ENCODING" => self.add_encodings(option.get_id().as_str(), before, typed),
            _ => {}
        }
    }

    fn add_value(&mut self, before: &str, typed: &str, value: &str, description: &str) {
        if let Some(value) = complete_ignoring_case(typed, value) {
            self.add(format!("{before}{value}"), description);
        }
    }

    /// Adds the transforms that may follow `prefix`: all of them, or only those of text.
    fn add_transforms(&mut self, before: &str, typed: &str, prefix: &str, with_bytes: bool) {
        let allowed = |transform: &&Transform| with_bytes || !transform.is_for_bytes();
        for transform in transform_spec::all().filter(allowed) {
            let value = format!("{prefix}{}", transform.name);
            self.add_value(before, typed, &value, transform.description);
        }
    }

    /// Adds the names of encodings and transforms.
    fn add_names(&mut self, before: &str, typed: &str) {
        self.add_transforms(before, typed, "", true);
        self.add_labels(before, typed);
    }

    /// Adds the names of encodings, encoding options, transforms, and the suffixes of iconv.
    fn add_encodings(&mut self, option: &str, before: &str, typed: &str) {
        if option.starts_with(OPTION_PREFIX) {
            return self.add_iconv_names(option, before, typed);
        }
        if option == "from" {
            self.add_value(before, typed, "auto", "UTF-8, or the encoding of the byte order mark");
            self.add_value(before, typed, "detect", "The result of charpipe detect");
        }
        if let Some((label, _)) = typed.rsplit_once('/') {
            if !label.ends_with('/') && label.parse::<EncodingSpec>().is_ok() {
                self.add_transforms(before, typed, &format!("{label}/"), true);
            }
        }
        if option == "to" {
            self.add_suffixes(before, typed);
        }
        let encodings = typed.rmatch_indices(':').find_map(|(at, _)| {
            Some((find_encoding(&typed[..at])?, typed[..=at].to_owned(), &typed[at + 1..]))
        });
        if let Some((encoding, label, options)) = encodings {
            self.add_encoding_options(encoding, &format!("{before}{label}"), options);
        }
        match typed.rsplit_once(',') {
            Some((list, last)) if option != "to" && list.parse::<EncodingSpec>().is_ok() => {
                self.add_labels(&format!("{before}{list},"), last);
            }
            _ => self.add_labels(before, typed),
        }
    }

    /// Adds the suffixes of iconv after the name of an encoding.
    fn add_suffixes(&mut self, before: &str, typed: &str) {
        let label = typed.split_once('/').map(|(label, _)| label);
        if let Some(label) = label.filter(|label| find_encoding(label).is_some()) {
            let translit = "Transliterate unmappable characters";
            self.add_value(before, typed, &format!("{label}//TRANSLIT"), translit);
            let ignore = "Discard unconvertible input";
            self.add_value(before, typed, &format!("{label}//IGNORE"), ignore);
        }
    }

    /// Adds the names of encodings that iconv lists.
    fn add_iconv_names(&mut self, option: &str, before: &str, typed: &str) {
        if option.ends_with("to") {
            self.add_suffixes(before, typed);
        }
        for name in iconv::names() {
            self.add_value(before, typed, &name, "");
        }
    }

    /// Adds the primary names of all encodings; after the first letter their aliases too.
    fn add_labels(&mut self, before: &str, typed: &str) {
        let encodings = ALL.iter().copied().chain([&RFC_2047]);
        for encoding in encodings.clone() {
            self.add_value(before, typed, encoding.name(), encoding.description());
        }
        if typed.is_empty() {
            return;
        }
        let supported: HashSet<_> = encodings.map(|encoding| encoding.name()).collect();
        for alias in alias::all() {
            if supported.contains(alias.encoding) && is_plain(alias.name) {
                self.add_value(before, typed, alias.name, alias.encoding);
            }
        }
    }

    /// Adds the options of an encoding that are not given in `typed`, or the values of the last one.
    fn add_encoding_options(&mut self, encoding: &Encoding, before: &str, typed: &str) {
        let (given, last) = match typed.rfind(',') {
            Some(comma) => typed.split_at(comma + 1),
            None => ("", typed),
        };
        let before = format!("{before}{given}");
        let is_given = |spec: &OptionSpec| {
            given.split(',').any(|part| part.split('=').next() == Some(spec.name))
        };
        for spec in encoding.options.iter().filter(|spec| !is_given(spec)) {
            let name = match spec.values {
                OptionValues::Flag => spec.name.to_owned(),
                _ => format!("{}=", spec.name),
            };
            let Some(value) = last.strip_prefix(&format!("{}=", spec.name)) else {
                self.add_value(&before, last, &name, spec.description);
                continue;
            };
            let before = format!("{before}{}=", spec.name);
            match spec.values {
                OptionValues::Choice(words) => {
                    words.iter().for_each(|word| self.add_value(&before, value, word, ""));
                }
                OptionValues::Flag => {
                    ["yes", "no"].iter().for_each(|word| self.add_value(&before, value, word, ""));
                }
                OptionValues::Encoding => self.add_labels(&before, value),
                OptionValues::Integer(..) => {}
            }
        }
    }
}

/// The arguments before the cursor.
struct CompletedLine<'a> {
    /// The ids of the options given.
    given: HashSet<&'a str>,
    /// The last option, if its value is the next word.
    awaits_value: Option<&'a Arg>,
    /// Whether `--` is given.
    has_only_operands: bool,
}

impl<'a> CompletedLine<'a> {
    fn parse(command: &'a Command, words: &[&str]) -> CompletedLine<'a> {
        let mut line =
            CompletedLine { given: HashSet::new(), awaits_value: None, has_only_operands: false };
        for word in words {
            if line.awaits_value.take().is_some() || line.has_only_operands {
                continue;
            }
            line.has_only_operands = *word == "--";
            let mut options = Vec::new();
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) = long.split_once('=').unzip();
                options.extend(find_long(command, name.unwrap_or(long)));
                line.awaits_value = options.last().copied().filter(|_| value.is_none());
            } else if let Some(letters) = word.strip_prefix('-') {
                let mut rest = letters.chars();
                while let Some(option) = rest.next().and_then(|letter| find_short(command, letter))
                {
                    options.push(option);
                    if takes_next_word(option) {
                        line.awaits_value = Some(option).filter(|_| rest.as_str().is_empty());
                        break;
                    }
                }
            }
            line.awaits_value = line.awaits_value.filter(|option| takes_next_word(option));
            line.given.extend(options.iter().map(|option| option.get_id().as_str()));
        }
        line
    }
}

/// Returns the option whose value is in this word, and the number of bytes before the value:
/// `--to=utf`, `-tutf` or `-ctutf`.
fn attached_value<'a>(command: &'a Command, word: &str) -> Option<(&'a Arg, usize)> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=')?;
        let option =
            find_long(command, name).filter(|option| option.get_action().takes_values())?;
        return Some((option, word.len() - value.len()));
    }
    for (at, letter) in word.char_indices().skip(1) {
        let option = find_short(command, letter)?;
        if takes_next_word(option) {
            return Some((option, at + letter.len_utf8())).filter(|(_, len)| *len < word.len());
        }
    }
    None
}

fn takes_next_word(option: &Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}

fn find_long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let has_name = |arg: &&Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long() == Some(name) || aliases.contains(&name)
    };
    command.get_opts_and_flags().find(has_name)
}

trait OptionsAndFlags {
    fn get_opts_and_flags(&self) -> impl Iterator<Item = &Arg>;
}

impl OptionsAndFlags for Command {
    /// Returns all arguments but the operands.
    fn get_opts_and_flags(&self) -> impl Iterator<Item = &Arg> {
        self.get_arguments().filter(|arg| !arg.is_positional())
    }
}

fn find_short(command: &Command, letter: char) -> Option<&Arg> {
    command.get_opts_and_flags().find(|arg| arg.get_short() == Some(letter))
}

fn value_name(option: &Arg) -> &str {
    option.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str())
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Returns the encoding with this label, which has no encoding options.
fn find_encoding(label: &str) -> Option<&'static Encoding> {
    let spec: EncodingSpec = label.parse().ok()?;
    Some(spec.encoding).filter(|_| spec.options.is_empty())
}

/// Returns `name` with its start as typed, if it starts so in any case. Shells drop candidates that
/// do not begin with what is typed.
fn complete_ignoring_case(typed: &str, name: &str) -> Option<String> {
    let (start, rest) = name.split_at_checked(typed.len())?;
    if !start.eq_ignore_ascii_case(typed) {
        return None;
    }
    let is_lower_case = typed.bytes().any(|byte| byte.is_ascii_lowercase())
        && !typed.bytes().any(|byte| byte.is_ascii_uppercase());
    let is_word_in_any_case = start != typed && is_lower_case;
    Some(match is_word_in_any_case {
        true => format!("{typed}{}", rest.to_ascii_lowercase()),
        false => format!("{typed}{rest}"),
    })
}

/// Returns whether a name needs no quotes in any shell.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:+/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Completes the last of several words, and returns the candidates.
    fn complete(line: &str) -> (bool, Vec<String>) {
        let words: Vec<_> = line.split(' ').collect();
        let (current, before) = words.split_last().unwrap();
        let completion = Completion::new(&args::command(), before, current);
        (completion.takes_files, completion.candidates.into_keys().collect())
    }

    #[test]
    fn words_are_completed_by_their_position() {
        for (line, takes_files, expected) in [
            (
                "",
                true,
                &[
                    "check",
                    "detect",
                    "fix",
                    "help",
                    "iconv",
                    "install-links",
                    "list",
                    "repair",
                    "show",
                    "split",
                ][..],
            ),
            ("ch", true, &["check"]),
            ("a ch", true, &[]),
            ("check ", true, &[]),
            ("check --fo", false, &["--format"]),
            ("--fo", false, &["--force"]),
            ("check --from", false, &[]),
            (
                "list --",
                false,
                &[
                    "--about",
                    "--color",
                    "--for",
                    "--from",
                    "--help",
                    "--json",
                    "--man",
                    "--transforms",
                    "--tsv",
                    "--version",
                ],
            ),
            ("list koi8-r", false, &["koi8-r", "koi8-ru"]),
            ("list htm", false, &["html"]),
            ("list --about koi8-r", false, &["koi8-r", "koi8-ru"]),
            ("list --about=htm", false, &["--about=html"]),
            ("--chain koi8-r", false, &["koi8-r", "koi8-ru"]),
            ("--chain base64..koi8-ru..htm", false, &["base64..koi8-ru..html"]),
            ("--chain base6", false, &["base64", "base64url"]),
            ("list --json --j", false, &[]),
            ("-ir --gl", false, &["--glob"]),
            ("-ir --glob * --gl", false, &["--glob"]),
            ("check -- --fo", true, &[]),
            ("check --format g", false, &["gcc", "github", "gitlab"]),
            ("help ran", false, &["ranges"]),
            ("check --format=g", false, &["--format=gcc", "--format=github", "--format=gitlab"]),
            ("--bo", false, &["--bom"]),
            ("--bom ", false, &["add", "keep", "strip"]),
            ("check --bom ", false, &["any", "forbid", "require"]),
            ("--backu", false, &["--backup", "--backup="]),
            ("--backup ", true, &[]),
            ("--list=", false, &["--list=iconv", "--list=json", "--list=plain", "--list=tsv"]),
            ("-o ", true, &[]),
            ("--output=", true, &[]),
            ("-ofi", true, &[]),
            ("--jobs ", false, &[]),
            ("--on-error rep", false, &["replace", "replace="]),
            ("--on-invalid=xml-", false, &["--on-invalid=xml-hex"]),
            ("--no-", false, &["--no-ignore", "--no-preserve"]),
            ("--completions po", false, &["powershell"]),
            ("-f det", false, &["detect"]),
            ("-t det", false, &[]),
            ("-t utf-7:cl", false, &["utf-7:close="]),
            ("-t utf-7:close=a", false, &["utf-7:close=always"]),
            ("-f utf-8,koi8-ru", false, &["utf-8,koi8-ru"]),
            ("-f no-such-name,koi8-ru", false, &[]),
            ("-t utf-8,koi8-ru", false, &[]),
            ("-f utf-8,latin1:pe", false, &["utf-8,latin1:per="]),
            ("-t ascii//", false, &["ascii//IGNORE", "ascii//TRANSLIT"]),
            ("-t ascii/base6", false, &["ascii/base64", "ascii/base64url"]),
            ("-f latin1/q", false, &["latin1/qp"]),
            ("--via nf", false, &["nfc", "nfd", "nfkc", "nfkd"]),
            ("-t ascii//t", false, &["ascii//translit"]),
            ("-f ISO_8859-1:", false, &["ISO_8859-1:1987"]),
            ("check -e rfc2047:str", false, &["rfc2047:strict"]),
            ("check --color a", false, &["always", "auto"]),
            ("-f koi8-r", false, &["koi8-r", "koi8-ru"]),
            ("-f KOI8-R", false, &["KOI8-R", "KOI8-RU"]),
            ("-fkoi8-r", false, &["-fkoi8-r", "-fkoi8-ru"]),
            ("-cf koi8-r", false, &["koi8-r", "koi8-ru"]),
            ("--from-code koi8-ru", false, &["koi8-ru"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|value| (*value).to_owned()).collect();
            assert_eq!(complete(line), (takes_files, expected), "{line:?}");
        }
    }

    #[test]
    fn patterns_of_a_list_are_names_and_options() {
        let (takes_files, candidates) = complete("list ");
        assert!(!takes_files);
        for name in ["--about", "-f", "UTF-8", "KOI8-R", "RFC2047", "html", "base64"] {
            assert!(candidates.iter().any(|candidate| candidate == name), "{name}");
        }
    }

    #[test]
    fn exactly_the_labels_without_special_characters_are_candidates() {
        let first = (b'a'..=b'z').chain(b'0'..=b'9').map(char::from);
        let candidates = first.flat_map(|letter| complete(&format!("-t {letter}")).1);
        let candidates: HashSet<_> = candidates.map(|it| it.to_ascii_lowercase()).collect();
        assert!(candidates.len() > 1500, "{}", candidates.len());
        for candidate in &candidates {
            assert!(find_encoding(candidate).is_some() && is_plain(candidate), "{candidate}");
        }
        for alias in alias::all().filter(|alias| is_plain(alias.name)) {
            let is_candidate = candidates.contains(&alias.name.to_ascii_lowercase());
            assert_eq!(is_candidate, find_encoding(alias.name).is_some(), "{}", alias.name);
        }
    }

    #[test]
    fn control_characters_are_not_completed() {
        for (current, expected) in [("utf\n-7:cl", 1), ("utf-7:cl", 2)] {
            let words = ["charpipe", &format!("--complete={current}"), "-t"];
            let candidates = requested_candidates(&words.map(OsString::from)).unwrap();
            assert_eq!(candidates.lines().count(), expected);
        }
    }

    #[test]
    fn hidden_options_are_not_candidates() {
        let root = args::command();
        let hidden: Vec<_> = root.get_arguments().filter(|arg| arg.is_hide_set()).collect();
        assert!(!hidden.is_empty());
        for arg in hidden {
            let long = format!("--{}", arg.get_long().unwrap());
            assert_eq!(complete(&long).1, Vec::<String>::new());
        }
    }
}
