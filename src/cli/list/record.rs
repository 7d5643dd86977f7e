//! What a list has of an encoding.

use charpipe_encoding::encoding::Encoding;
use charpipe_encoding::encoding::alias::{self, Alias};

use crate::cli::json::{JsonObject, ToJson};

/// An encoding in the list.
pub struct EncodingRecord {
    pub name: &'static str,
    pub description: &'static str,
    pub category: &'static str,
    pub mime: Option<&'static str>,
    pub windows_code_page: Option<u32>,
    pub decode: bool,
    pub encode: bool,
    split: SplitRecord,
    pub aliases: Vec<AliasRecord>,
}

/// Where files in an encoding can be split, and text that is encoded in it.
pub struct SplitRecord {
    source: String,
    target: String,
}

pub struct AliasRecord {
    pub name: &'static str,
    /// The standards and programs that define the alias.
    pub sources: Vec<&'static str>,
}

impl EncodingRecord {
    /// Describes an encoding; `names` are all its names.
    pub fn new(encoding: &Encoding, names: &[Alias]) -> EncodingRecord {
        let aliases = names.iter().filter(|alias| alias.name != encoding.name());
        let split = encoding.split_rule();
        EncodingRecord {
            name: encoding.name(),
            description: encoding.description(),
            category: encoding.category(),
            mime: alias::mime_name(names),
            windows_code_page: alias::windows_code_page(names),
            decode: true,
            encode: true,
            split: SplitRecord {
                source: split.source.to_string(),
                target: split.target.to_string(),
            },
            aliases: aliases
                .map(|alias| AliasRecord {
                    name: alias.name,
                    sources: alias::source_names(alias.sources).collect(),
                })
                .collect(),
        }
    }

    /// Describes an encoding.
    pub fn of(encoding: &Encoding) -> EncodingRecord {
        let names: Vec<_> = alias::all().filter(|it| it.encoding == encoding.name()).collect();
        EncodingRecord::new(encoding, &names)
    }
}

impl ToJson for EncodingRecord {
    fn write_json(&self, json: &mut String) {
        let SplitRecord { source, target } = &self.split;
        JsonObject::default()
            .with("name", self.name)
            .with("description", self.description)
            .with("category", self.category)
            .with("mime", self.mime)
            .with("windows_code_page", self.windows_code_page)
            .with("decode", self.decode)
            .with("encode", self.encode)
            .with("split", JsonObject::default().with("source", source).with("target", target))
            .with("aliases", &self.aliases)
            .write_json(json);
    }
}

impl ToJson for AliasRecord {
    fn write_json(&self, json: &mut String) {
        let object = JsonObject::default().with("name", self.name).with("sources", &self.sources);
        object.write_json(json);
    }
}
