//! What `charpipe fix` changes in files: what `charpipe check` asks for by options and the rules of files.

use std::io::Read;
use std::sync::Arc;

use crate::cli::check::check_file;
use crate::cli::check::file_rules::FileRuleFinder;
use crate::cli::check::rules::{FileRules, RuleSource};
use crate::cli::fs::file_converter::{FileClaim, FileConverter, FileConverterOptions, FileError};
use crate::cli::paths::SelectedFile;
use crate::cli::sniff::{ExpectedEncoding, InputEncoding, OtherEncoding, Resolution};
use charpipe_check::{BomRule, CheckOptions, DeclarationRule, FindingKind, NewlineRule};
use charpipe_encoding::Error;
use charpipe_encoding::encoding::Encoding;
use charpipe_encoding::line_ending::LineEnding;
use charpipe_transcode::ChainStep;
use charpipe_transcode::error_policy::ErrorAction;
use charpipe_transcode::io::TranscodeReader;
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

/// What files should be, and how the encoding of those that are not is determined.
#[derive(Debug, Clone)]
pub struct FixConfig {
    pub encoding: EncodingSpec,
    pub bom: BomRule,
    pub newline: NewlineRule,
    /// The transforms of the text.
    pub via: Vec<ChainStep>,
    pub other: OtherEncoding,
    pub editorconfig: bool,
    pub gitattributes: bool,
    pub fix_declaration: bool,
    /// Whether this is `charpipe check --diff`.
    pub is_check: bool,
}

impl FixConfig {
    /// Returns the options of the check that decides whether a file is changed.
    pub fn check_options(&self, rules: &FileRules) -> Result<CheckOptions, Error> {
        let mut options = CheckOptions::new(self.encoding.clone());
        (options.bom, options.newline) = (self.bom, self.newline);
        if self.fix_declaration {
            options.declaration = DeclarationRule::Match;
        }
        rules.apply(&mut options)?;
        Ok(options)
    }

    /// Returns the options of the conversion to what this check asks for.
    pub fn transcode_options(
        &self,
        wanted: &CheckOptions,
        defaults: &TranscodeOptions,
    ) -> Result<(TranscodeOptions, InputEncoding), Error> {
        let to = wanted.encoding.clone();
        let newline = NewlineRule::NAMES.iter().find(|(_, rule)| *rule == wanted.newline);
        let mut via = match newline {
            Some((name, _)) if wanted.newline != NewlineRule::Any => vec![name.parse()?],
            _ => Vec::new(),
        };
        via.extend_from_slice(&self.via);
        let bom = bom_policy(wanted.bom, &to);
        let expected = ExpectedEncoding { expected: to.clone(), other: self.other.clone() };
        let mut options = defaults.clone();
        (options.from, options.to, options.via, options.bom) = (to.clone(), to, via, bom);
        Ok((options, InputEncoding::Expected(expected)))
    }
}

/// Returns what to do with a byte order mark.
fn bom_policy(rule: BomRule, to: &EncodingSpec) -> BomPolicy {
    let keeps = || {
        let options = TranscodeOptions::new(charpipe_encoding::UTF_8, to.clone());
        options.transcode(charpipe_encoding::bom::UTF8_BOM).is_ok()
    };
    match rule {
        BomRule::Require => BomPolicy::Add,
        BomRule::Any if keeps() => BomPolicy::Keep,
        BomRule::Any | BomRule::Forbid => BomPolicy::Strip,
    }
}

/// Returns the new line ending under these options, if line endings change.
pub fn new_line_ending(options: &TranscodeOptions) -> Option<LineEnding> {
    let endings = [("lf", LineEnding::Lf), ("crlf", LineEnding::CrLf), ("cr", LineEnding::Cr)];
    let step = options.via.first()?.to_string();
    endings.into_iter().find_map(|(name, ending)| (name == step).then_some(ending))
}

/// Returns the steps after that of the line ending.
pub fn text_steps(options: &TranscodeOptions) -> &[ChainStep] {
    &options.via[usize::from(new_line_ending(options).is_some())..]
}

/// The fixes by all rules that apply to files, made as they are needed.
#[derive(Debug)]
pub struct FixSet {
    config: FixConfig,
    rule_files: FileRuleFinder,
    fixes: Vec<Arc<FileFix>>,
    /// Whether rules could not be read.
    pub has_errors: bool,
}

/// How files with some rules are fixed.
#[derive(Debug)]
pub struct FileFix {
    rules: FileRules,
    /// The check that decides whether a file is changed.
    check: CheckOptions,
    pub converter: Arc<FileConverter>,
    /// A converter that changes no declaration.
    converter_of_text: Arc<FileConverter>,
}

impl FixSet {
    pub fn new(config: &FixConfig) -> FixSet {
        FixSet {
            config: config.clone(),
            rule_files: FileRuleFinder::new(config.editorconfig, config.gitattributes),
            fixes: Vec::new(),
            has_errors: false,
        }
    }

    /// Returns the fix for a file. `default` has the options that do not depend on the file.
    pub fn get(
        &mut self,
        file: &SelectedFile,
        default: &FileConverter,
    ) -> Result<Arc<FileFix>, FileError> {
        let has_errors = &mut self.has_errors;
        let rules = self.rule_files.rules(file, &mut |message| *has_errors |= message.print());
        if rules.is_incomplete {
            return Err(FileError::UnknownRules);
        }
        if let Some(known) = self.fixes.iter().find(|known| known.rules == rules) {
            return Ok(known.clone());
        }
        let defaults = default.options();
        let check = self.config.check_options(&rules)?;
        let (transcode_options, input_encoding) =
            self.config.transcode_options(&check, &defaults.transcode_options)?;
        let options =
            FileConverterOptions { transcode_options, input_encoding, ..defaults.clone() };
        let mut text_options = options.clone();
        text_options.transcode_options.fix_declaration = false;
        let converter = Arc::new(default.with_options(options)?);
        let converter_of_text = Arc::new(default.with_options(text_options)?);
        let fix = Arc::new(FileFix { rules, check, converter, converter_of_text });
        self.fixes.push(fix.clone());
        Ok(fix)
    }
}

/// What is to be done with a file.
#[derive(Debug)]
pub enum FixAction {
    /// It is binary by an attribute.
    Exclude,
    /// The check finds nothing.
    Keep,
    /// It is converted, for these reasons.
    Fix(Arc<FileConverter>, Vec<String>),
}

impl FileFix {
    /// Checks a file and returns what is to be done. With `explain`, the changes are listed, except for that of
    /// the encoding.
    pub fn examine(&self, claim: &FileClaim, explain: bool) -> Result<FixAction, FileError> {
        if self.rules.is_binary {
            return Ok(FixAction::Exclude);
        }
        let mut findings = FindingCounts::of(claim, &self.check)?;
        let mut changes_text =
            findings.encoding_errors == 0 && self.changes_text(claim, &self.check.encoding)?;
        if findings == FindingCounts::default() && !changes_text {
            return Ok(FixAction::Keep);
        }
        let changes_declaration = findings.declarations > 0 || findings.encoding_errors > 0;
        let converter = match changes_declaration {
            true => &self.converter,
            false => &self.converter_of_text,
        };
        let is_reencoded = findings.encoding_errors > 0;
        if explain && is_reencoded {
            // The other rules are about the text in its own encoding.
            let input_encoding = &converter.options().input_encoding;
            let resolved = input_encoding.resolve(&mut claim.reader()).map_err(FileError::Read)?;
            let encoding = match resolved.resolution {
                Resolution::Encoding(encoding) => Some(encoding),
                Resolution::Detected(detected) => Some(detected.encoding),
                Resolution::Unknown | Resolution::Binary => None,
            };
            if let Some(encoding) = encoding {
                let mut check = self.check.clone();
                check.encoding = encoding;
                findings = FindingCounts::of(claim, &check)?;
                changes_text = self.changes_text(claim, &check.encoding)?;
            }
        }
        let TranscodeOptions { bom, to, .. } = &converter.options().transcode_options;
        let keeps_bom = *bom == BomPolicy::Keep && (!is_reencoded || to.can_contain_nul());
        let mut converter = converter.clone();
        if keeps_bom && !self.steps().is_empty() && has_bom(claim)? {
            // As a character it would be removed.
            let mut options = converter.options().clone();
            options.transcode_options.bom = BomPolicy::Add;
            converter = Arc::new(converter.with_options(options)?);
        }
        let mut changes = self.changes(&findings);
        if changes_text {
            changes.push("characters changed".to_owned());
        }
        Ok(FixAction::Fix(converter, changes))
    }

    /// Returns the transforms of the text.
    fn steps(&self) -> &[ChainStep] {
        text_steps(&self.converter.options().transcode_options)
    }

    /// Returns whether the transforms change the text of a file in this encoding. Malformed sequences are left to the
    /// conversion.
    fn changes_text(&self, claim: &FileClaim, encoding: &EncodingSpec) -> Result<bool, FileError> {
        let steps = self.steps();
        if steps.is_empty() {
            return Ok(false);
        }
        let without = TranscodeOptions::new(encoding.clone(), charpipe_encoding::UTF_8)
            .bom(BomPolicy::Strip)
            .on_malformed(ErrorAction::Skip);
        let mut options = without.clone();
        options.via.extend_from_slice(steps);
        let mut texts = [
            TranscodeReader::new(claim.reader(), &options)?,
            TranscodeReader::new(claim.reader(), &without)?,
        ];
        loop {
            let mut parts = [Vec::new(), Vec::new()];
            for (text, part) in texts.iter_mut().zip(&mut parts) {
                text.take(COMPARED_SIZE).read_to_end(part).map_err(FileError::Read)?;
            }
            if parts[0] != parts[1] || parts[0].is_empty() {
                return Ok(parts[0] != parts[1]);
            }
        }
    }

    /// Lists what is changed.
    fn changes(&self, findings: &FindingCounts) -> Vec<String> {
        let because = |source: Option<RuleSource>| {
            source.map_or(String::new(), |source| format!(" by {}", source.file_name()))
        };
        let by_encoding = because(self.rules.encoding.as_ref().map(|(_, source)| *source));
        let by_newline = because(self.rules.newline.as_ref().map(|(_, source)| *source));
        let mut changes = Vec::new();
        if findings.unexpected_boms > 0 {
            changes.push(format!("byte order mark removed{by_encoding}"));
        }
        if findings.missing_boms > 0 {
            changes.push(format!("byte order mark added{by_encoding}"));
        }
        if findings.line_endings > 0 {
            let (count, s) =
                (findings.line_endings, if findings.line_endings == 1 { "" } else { "s" });
            let newline = new_line_ending(&self.converter.options().transcode_options);
            let newline = newline.map_or(String::new(), |newline| newline.to_string());
            changes.push(format!("{count} line ending{s} changed to {newline}{by_newline}"));
        }
        if findings.declarations > 0 {
            changes.push("declaration of the encoding changed".to_owned());
        }
        changes
    }
}

/// Returns whether a file begins with a byte order mark.
fn has_bom(claim: &FileClaim) -> Result<bool, FileError> {
    let mut head = Vec::new();
    claim.reader().take(MAX_BOM_LEN).read_to_end(&mut head).map_err(FileError::Read)?;
    Ok(Encoding::for_bom(&head).is_some())
}

/// The maximum length of a byte order mark in bytes.
const MAX_BOM_LEN: u64 = 4;

/// The number of bytes that are compared at a time.
const COMPARED_SIZE: u64 = 1 << 16;

/// The numbers of findings in a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct FindingCounts {
    encoding_errors: u64,
    unexpected_boms: u64,
    missing_boms: u64,
    line_endings: u64,
    declarations: u64,
}

impl FindingCounts {
    fn of(claim: &FileClaim, check: &CheckOptions) -> Result<FindingCounts, FileError> {
        let mut counts = FindingCounts::default();
        check_file(&mut claim.reader(), check, &mut |finding| {
            let count = match finding.kind {
                FindingKind::UnexpectedBom => &mut counts.unexpected_boms,
                FindingKind::MissingBom => &mut counts.missing_boms,
                FindingKind::WrongLineEnding { .. } => &mut counts.line_endings,
                FindingKind::WrongDeclaration { .. } => &mut counts.declarations,
                _ => &mut counts.encoding_errors,
            };
            *count += 1;
        })?;
        Ok(counts)
    }
}
