//! The rules for a file, and the names of the files that they are from.

use std::str::FromStr;

use charpipe_check::{BomRule, CheckOptions, NewlineRule};
use charpipe_transcode::options::EncodingSpec;

/// The name of files with rules of editors.
pub const EDITORCONFIG: &str = ".editorconfig";

/// The name of files with rules of git.
pub const GITATTRIBUTES: &str = ".gitattributes";

/// Returns the rule with this name.
pub fn parse_rule<R: FromStr<Err = &'static str>>(name: &str) -> anyhow::Result<R> {
    name.parse().map_err(anyhow::Error::msg)
}

/// Where a rule is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSource {
    EditorConfig,
    GitAttributes,
}

impl RuleSource {
    /// Returns the name of the files.
    pub const fn file_name(self) -> &'static str {
        match self {
            RuleSource::EditorConfig => EDITORCONFIG,
            RuleSource::GitAttributes => GITATTRIBUTES,
        }
    }
}

/// The encoding that a file should be in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodingRule {
    /// A valid label.
    pub label: String,
    /// The rule for byte order marks, if it is not that of the command line.
    pub bom: Option<BomRule>,
}

/// The rules for a file. `None` means the rule of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRules {
    pub encoding: Option<(EncodingRule, RuleSource)>,
    /// The name of the encoding that was detected, for `--encoding=detect`.
    pub detected: Option<&'static str>,
    pub newline: Option<(NewlineRule, RuleSource)>,
    /// Whether an attribute says that the file is binary.
    pub is_binary: bool,
    /// Whether a file with rules could not be read.
    pub is_incomplete: bool,
}

impl FileRules {
    /// Replaces the options of the command line for which there is a rule.
    pub fn apply(&self, options: &mut CheckOptions) -> Result<(), charpipe_encoding::Error> {
        if let Some((rule, _)) = &self.encoding {
            options.encoding = rule.label.parse::<EncodingSpec>()?;
            options.alternatives.clear();
            options.bom = rule.bom.unwrap_or(options.bom);
        } else if let Some(name) = self.detected {
            options.encoding = name.parse::<EncodingSpec>()?;
        }
        options.newline = self.newline.map_or(options.newline, |(rule, _)| rule);
        Ok(())
    }
}
