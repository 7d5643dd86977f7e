//! Builds the page: `cargo run -p charpipe-site-build` in the directory `site` writes one file, `target/site/try.html` of
//! the repository, which contains the module, the scripts and the styles, and needs no other file.

mod pack;

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

const TARGET: &str = "wasm32-unknown-unknown";

/// The largest size of the page as a server compresses it, in bytes. Of it the language models take 340 kB, the tables of
/// multi-byte encodings 180 kB and the code 310 kB.
const MAX_DOWNLOAD: usize = 1_200_000;

/// The scripts of the page, each after those that it imports from.
const SCRIPTS: [&str; 5] = ["text.js", "diff.js", "command.js", "bytes.js", "main.js"];

/// Files of the library that the module contains: the language models, and tables that are each compressed by themselves.
const MODELS: &str = "crates/detect/src/model.bin";
const TABLES: [&str; 1] = ["crates/encoding/src/encoding/multi_byte/data/cells.bin"];

fn main() -> Result<()> {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no directory site")?;
    let root = site.parent().ok_or("no repository")?;
    compile(site)?;
    let library = bindings(site, "charpipe_site")?;
    let unpacker = bindings(site, "charpipe_site_unpack")?;
    let tables =
        TABLES.iter().map(|name| fs::read(root.join(name))).collect::<Result<Vec<_>, _>>()?;
    let models = fs::read(root.join(MODELS))?;
    let packed = pack::pack(&library.module, &models, &tables)?;
    let page = page(&site.join("page"), &library, &unpacker, &packed)?;
    let output = root.join("target/site/try.html");
    fs::create_dir_all(output.parent().ok_or("no directory")?)?;
    fs::write(&output, &page)?;
    let download = gzip(page.as_bytes())?.len();
    println!("module:     {:>9} bytes", library.module.len());
    println!("packed:     {:>9} bytes, with gzip {}", packed.len(), gzip(&library.module)?.len());
    println!("page:       {:>9} bytes", page.len());
    println!("download:   {download:>9} bytes, the page with gzip");
    println!("{}", output.display());
    if download > MAX_DOWNLOAD {
        return Err(format!("the download is larger than {MAX_DOWNLOAD} bytes").into());
    }
    Ok(())
}

/// Compiles the two modules.
fn compile(site: &Path) -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--target", TARGET])
        .args(["-p", "charpipe-site", "-p", "charpipe-site-unpack"])
        .current_dir(site)
        // Vectors of 16 bytes: the kernels are compiled to a third of the code, and are faster.
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-C target-feature=+simd128")
        .status()?;
    if status.success() { Ok(()) } else { Err("cargo build failed".into()) }
}

/// A module and the script that calls it.
struct Bindings {
    module: Vec<u8>,
    script: String,
}

fn bindings(site: &Path, name: &str) -> Result<Bindings> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| site.join("target"), PathBuf::from);
    let output = target.join("bindings");
    Bindgen::new()
        .input_path(target.join(TARGET).join("release").join(format!("{name}.wasm")))
        .no_modules(true)?
        .omit_default_module_path(true)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&output)?;
    Ok(Bindings {
        module: fs::read(output.join(format!("{name}_bg.wasm")))?,
        script: without_comments(&fs::read_to_string(output.join(format!("{name}.js")))?),
    })
}

/// Returns the page with everything in it.
fn page(
    directory: &Path,
    library: &Bindings,
    unpacker: &Bindings,
    packed: &[u8],
) -> Result<String> {
    let read = |name: &str| fs::read_to_string(directory.join(name));
    let scripts = SCRIPTS.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?;
    let script: String =
        scripts.iter().map(|script| without_comments(&without_imports(script))).collect();
    let style = read("style.css")?;
    let worker = [
        as_constant("library", &library.script),
        as_constant("unpacker", &unpacker.script),
        without_comments(&read("worker.js")?),
    ]
    .concat();
    for text in [&script, &worker] {
        if text.contains("</script") || text.contains("<!--") {
            return Err("a script contains the end of its element".into());
        }
    }
    let policy = format!(
        "default-src 'none'; script-src '{}' 'wasm-unsafe-eval'; style-src '{}'; worker-src blob:; img-src data:; \
         base-uri 'none'; form-action 'none'",
        source_hash(&script),
        source_hash(&style),
    );
    let parts = [
        ("@csp@", &*policy),
        ("@version@", env!("CARGO_PKG_VERSION")),
        ("@style@", &style),
        ("@worker@", &worker),
        ("@unpacker@", &BASE64_STANDARD.encode(gzip(&unpacker.module)?)),
        ("@module@", &BASE64_STANDARD.encode(packed)),
        ("@script@", &script),
    ];
    fill(&read("index.html")?, &parts)
}

/// Replaces each name in a template, from left to right.
fn fill(template: &str, parts: &[(&str, &str)]) -> Result<String> {
    let (mut page, mut rest) = (String::new(), template);
    let next = |rest: &str| {
        parts.iter().filter_map(|part| Some((rest.find(part.0)?, part))).min_by_key(|found| found.0)
    };
    while let Some((at, (name, value))) = next(rest) {
        page.extend([&rest[..at], value]);
        rest = &rest[at + name.len()..];
    }
    let missing = parts.iter().find(|(name, _)| !template.contains(name));
    match missing {
        Some((name, _)) => Err(format!("the page does not contain {name}").into()),
        None => Ok(page + rest),
    }
}

/// Returns a script that follows those that it imports from.
fn without_imports(script: &str) -> String {
    let lines = script.lines().filter(|line| !line.starts_with("import "));
    lines.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect()
}

/// Returns a script without the lines that are comments and without indentation.
fn without_comments(script: &str) -> String {
    let is_comment = |line: &&str| ["//", "/*", "*"].iter().any(|start| line.starts_with(start));
    let lines = script.lines().map(str::trim_start).filter(|line| !is_comment(line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns a script that declares a constant: what the script of wasm-bindgen declares as `wasm_bindgen`.
fn as_constant(name: &str, script: &str) -> String {
    format!("const {name} = (() => {{\n{script}\nreturn wasm_bindgen;\n}})();\n")
}

/// Returns the source expression of Content Security Policy for the content of an element.
fn source_hash(content: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(content)))
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}
