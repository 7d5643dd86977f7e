//! The source files that a build on this system compiles into the library and the command.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Meta, Token};

/// A file of the source.
pub struct SourceFile {
    /// The path from the root of the repository.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its syntax, with spans in the text.
    pub syntax: syn::File,
}

/// Files without mutants: generated ones, and the allocator, which must not allocate.
const EXCLUDED: [&str; 3] = [
    "crates/encoding/src/encoding/constants.rs",
    "crates/encoding/src/encoding/single_byte/tables.rs",
    "src/cli/memory.rs",
];

/// Returns the files of a crate whose root module is this file.
///
/// # Errors
///
/// If a file cannot be read or parsed.
pub fn files(root: &Path, crate_root: &str) -> Result<Vec<SourceFile>> {
    let mut found = Vec::new();
    let path = PathBuf::from(crate_root);
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    add(root, path, &directory, &mut found)?;
    found.retain(|file| !EXCLUDED.contains(&file.path.as_str()));
    Ok(found)
}

/// Adds a file and the files of its modules, which are in `directory`.
fn add(root: &Path, path: PathBuf, directory: &Path, found: &mut Vec<SourceFile>) -> Result<()> {
    let context = || path.display().to_string();
    let text = fs::read_to_string(root.join(&path)).with_context(context)?;
    let syntax = syn::parse_file(&text).with_context(context)?;
    let mut modules = Vec::new();
    for item in &syntax.items {
        match item {
            Item::Mod(module) if module.content.is_none() && is_compiled(&module.attrs) => {
                modules.push(module.ident.to_string());
            }
            _ => {}
        }
    }
    let path = path.to_str().context("a path that is not UTF-8")?.to_owned();
    found.push(SourceFile { path, text, syntax });
    for module in modules {
        let file = directory.join(format!("{module}.rs"));
        add(root, file, &directory.join(module), found)?;
    }
    Ok(())
}

/// Returns whether a build without tests compiles what has these attributes.
pub fn is_compiled(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).all(|attribute| {
        let condition = attribute.parse_args::<Meta>();
        condition.is_ok_and(|condition| holds(&condition))
    })
}

fn holds(condition: &Meta) -> bool {
    match condition {
        // All features are on, and the compiler has the instructions of every level.
        Meta::Path(path) => path.is_ident("unix") || path.is_ident("avx512"),
        Meta::NameValue(pair) => {
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(value), .. }) = &pair.value else {
                return false;
            };
            let value = value.value();
            pair.path.is_ident("feature")
                || pair.path.is_ident("target_os") && value == std::env::consts::OS
                || pair.path.is_ident("target_arch") && value == std::env::consts::ARCH
        }
        Meta::List(list) => {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            let Ok(conditions) = list.parse_args_with(parse) else {
                return false;
            };
            if list.path.is_ident("not") {
                !conditions.iter().all(holds)
            } else if list.path.is_ident("any") {
                conditions.iter().any(holds)
            } else {
                conditions.iter().all(holds)
            }
        }
    }
}
