//! The files of a release: archives, checksums and package descriptions, made as
//! `.github/workflows/release.yml` makes them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

use super::{CHARPIPE, REPOSITORY_ROOT, read};
use charpipe_test_support::{Requirement, is_installed, require, watch};

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs a program in the repository, which must succeed, and returns its standard output.
pub fn run(program: &str, args: &[&str]) -> String {
    let mut command = watch::command(program);
    let run = command.args(args).current_dir(REPOSITORY_ROOT).output().unwrap();
    let messages = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{program} {args:?}: {messages}");
    String::from_utf8(run.stdout).unwrap()
}

pub fn yaml(text: &str) -> Yaml {
    let mut documents = YamlLoader::load_from_str(text).unwrap();
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// The targets and the suffixes of their binaries, from the workflow.
fn targets() -> Vec<(String, String)> {
    let workflow = yaml(&read(".github/workflows/release.yml"));
    let matrix = workflow["jobs"]["archives"]["strategy"]["matrix"]["include"].clone();
    let text = |value: &Yaml| value.as_str().unwrap_or_default().to_owned();
    matrix.into_iter().map(|row| (text(&row["target"]), text(&row["suffix"]))).collect()
}

/// Makes the archives of a release in a directory, with a program for every target that runs the one
/// under test, and their checksums.
pub fn create_release() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    for (target, suffix) in targets() {
        let binary = path(&format!("charpipe{suffix}"));
        fs::write(&binary, format!("#!/bin/sh\nexec '{CHARPIPE}' \"$@\"\n")).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        if target.contains("windows") && !["zip", "7z"].into_iter().any(is_installed) {
            fs::write(path(&format!("charpipe-{VERSION}-{target}.zip")), "").unwrap();
        } else {
            run("packaging/archive", &[VERSION, &target, &binary, &path("")]);
        }
        fs::remove_file(binary).unwrap();
    }
    fs::write(path(&format!("charpipe-{VERSION}-source.tar.gz")), "source").unwrap();
    run("sh", &["-c", "cd \"$1\" && sha256sum -- * > SUMS && mv SUMS SHA256SUMS", "sh", &path("")]);
    directory
}

#[test]
fn archives_have_the_program_pages_completions_and_licenses() {
    let release = create_release();
    let name = format!("charpipe-{VERSION}-x86_64-unknown-linux-musl");
    let archive = release.path().join(format!("{name}.tar.gz"));
    let listed = run("tar", &["-tzf", archive.to_str().unwrap()]);
    let mut files: Vec<_> = listed
        .lines()
        .filter_map(|line| line.strip_prefix(&format!("{name}/")))
        .filter(|file| !file.is_empty() && !file.ends_with('/'))
        .collect();
    files.sort_unstable();
    let expected = "CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md charpipe \
        completions/_charpipe completions/_charpipe.ps1 completions/charpipe.bash \
        completions/charpipe.elv completions/charpipe.fish completions/charpipe.nu \
        man/charpipe-check.1 man/charpipe-detect.1 man/charpipe-fix.1 man/charpipe-help.1 man/charpipe-iconv.1 \
        man/charpipe-install-links.1 man/charpipe-list.1 man/charpipe-repair.1 \
        man/charpipe-show.1 man/charpipe-split.1 man/charpipe.1";
    assert_eq!(files, expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn descriptions_have_the_version_and_checksums_of_the_release() {
    let release = create_release();
    let sums_file = release.path().join("SHA256SUMS");
    let output = tempfile::tempdir().unwrap();
    let [sums_path, output_path] =
        [&sums_file, output.path()].map(|path: &Path| path.to_str().unwrap().to_owned());
    run("packaging/fill", &[VERSION, &sums_path, &output_path]);
    let sums = fs::read_to_string(&sums_file).unwrap();
    let sums: BTreeMap<_, _> = sums
        .lines()
        .map(|line| line.split_once("  ").unwrap())
        .map(|(sum, name)| (name, sum))
        .collect();
    let filled = |path: &str| fs::read_to_string(output.path().join(path)).unwrap();

    // winget: the required fields of its schemas.
    let version = yaml(&filled("winget/charpipe.charpipe.yaml"));
    let installer = yaml(&filled("winget/charpipe.charpipe.installer.yaml"));
    let locale = yaml(&filled("winget/charpipe.charpipe.locale.en-US.yaml"));
    for (manifest, kind) in
        [(&version, "version"), (&installer, "installer"), (&locale, "defaultLocale")]
    {
        assert_eq!(manifest["PackageIdentifier"].as_str(), Some("charpipe.charpipe"));
        assert_eq!(manifest["PackageVersion"].as_str(), Some(VERSION));
        assert_eq!(manifest["ManifestType"].as_str(), Some(kind));
        assert_eq!(manifest["ManifestVersion"].as_str(), Some("1.6.0"));
    }
    assert_eq!(version["DefaultLocale"], locale["PackageLocale"]);
    for field in ["Publisher", "PackageName", "License", "ShortDescription"] {
        assert!(locale[field].as_str().is_some_and(|text| (2..=256).contains(&text.len())));
    }
    let archive = format!("charpipe-{VERSION}-x86_64-pc-windows-msvc");
    let program = installer["NestedInstallerFiles"][0]["RelativeFilePath"].as_str().unwrap();
    assert_eq!(program, format!("{archive}\\charpipe.exe"));
    let windows = &installer["Installers"][0];
    assert!(
        windows["InstallerUrl"].as_str().unwrap().ends_with(&format!("/v{VERSION}/{archive}.zip"))
    );
    let sum = sums[format!("{archive}.zip").as_str()];
    assert_eq!(windows["InstallerSha256"].as_str(), Some(sum));

    // Homebrew: each archive is followed by its checksum.
    let formula = filled("homebrew/charpipe.rb").replace("#{version}", VERSION);
    let mut lines = formula.lines().map(str::trim);
    let mut archives = 0;
    while let Some(line) = lines.find(|line| line.starts_with("url ")) {
        let name = line.rsplit('/').next().unwrap().trim_end_matches('"');
        assert_eq!(lines.next(), Some(format!("sha256 \"{}\"", sums[name]).as_str()));
        archives += 1;
    }
    assert_eq!(archives, 4);

    // Arch Linux.
    let build = filled("aur/PKGBUILD");
    let source = sums[format!("charpipe-{VERSION}-source.tar.gz").as_str()];
    assert!(build.contains(&format!("\nsha256sums=('{source}')\n")));
    assert!(build.contains(&format!("\npkgver={VERSION}\n")));
}

#[test]
fn a_missing_checksum_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let sums = directory.path().join("SHA256SUMS");
    fs::write(&sums, "").unwrap();
    let mut command = watch::command("packaging/fill");
    command.args([Path::new(VERSION), &sums, &directory.path().join("out")]);
    let run = command.current_dir(REPOSITORY_ROOT).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains("no checksum in"));
}

#[test]
fn descriptions_are_written_to_a_relative_directory() {
    let release = create_release();
    let mut command = watch::command(Path::new(REPOSITORY_ROOT).join("packaging/fill"));
    command.args([VERSION, "SHA256SUMS", "descriptions"]);
    let run = command.current_dir(release.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(release.path().join("descriptions/aur/PKGBUILD").is_file());
}

#[test]
fn binstall_finds_the_archives() {
    let manifest = read("Cargo.toml");
    let (_, section) = manifest.split_once("[package.metadata.binstall]\n").unwrap();
    let value = |key: &str| {
        let line = section.lines().find(|line| line.starts_with(key)).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let release = create_release();
    for (target, _) in targets() {
        let suffix = if target.contains("windows") { ".zip" } else { ".tar.gz" };
        let fill = |text: String| {
            text.replace("{ repo }", "https://github.com/charpipe/charpipe")
                .replace("{ version }", VERSION)
                .replace("{ target }", &target)
                .replace("{ archive-suffix }", suffix)
        };
        let url = fill(value("pkg-url"));
        let name = url.rsplit('/').next().unwrap();
        assert!(release.path().join(name).exists(), "{name}");
        let directory = fill(value("bin-dir"));
        assert_eq!(directory, format!("charpipe-{VERSION}-{target}/{{ bin }}{{ binary-ext }}"));
    }
}

#[test]
fn debian_package_has_existing_files() {
    let manifest = read("Cargo.toml");
    let (_, assets) = manifest.split_once("\nassets = [\n").unwrap();
    let (assets, _) = assets.split_once("\n]\n").unwrap();
    let mut count = 0;
    for line in assets.lines() {
        let source = line.split('"').nth(1).unwrap();
        let directory = Path::new(source).parent().unwrap();
        let exists = match source {
            "target/release/charpipe" => true,
            _ if source.contains('*') => Path::new(REPOSITORY_ROOT).join(directory).is_dir(),
            _ => Path::new(REPOSITORY_ROOT).join(source).is_file(),
        };
        assert!(exists, "{source}");
        count += 1;
    }
    assert!(count >= 7);
    let changelog = read("packaging/deb/changelog");
    assert!(changelog.starts_with(&format!("charpipe ({VERSION}-1) ")), "{changelog}");
}

/// Lists the files of a directory and those below.
fn files_below(directory: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(REPOSITORY_ROOT).join(directory)).unwrap() {
        let name = format!("{directory}/{}", entry.unwrap().file_name().display());
        match Path::new(REPOSITORY_ROOT).join(&name).is_dir() {
            true => found.extend(files_below(&name)),
            false => found.push(PathBuf::from(name)),
        }
    }
    found
}

#[test]
fn every_file_has_the_syntax_of_its_kind() {
    for file in files_below("packaging").into_iter().chain(files_below(".github")) {
        let path = file.to_str().unwrap();
        let text = read(path);
        let extension = file.extension().and_then(|extension| extension.to_str());
        match extension {
            _ if text.starts_with("#!/usr/bin/env bash\n") || path.ends_with("PKGBUILD") => {
                run("bash", &["-n", path]);
                if require(Requirement::Program("shellcheck")) && !path.ends_with("PKGBUILD") {
                    run("shellcheck", &[path]);
                }
            }
            Some("yaml" | "yml") => drop(yaml(&text)),
            Some("rb") if require(Requirement::Program("ruby")) => drop(run("ruby", &["-c", path])),
            Some("nix") if require(Requirement::Program("nix-instantiate")) => {
                run("nix-instantiate", &["--parse", path]);
            }
            None if path.ends_with("Dockerfile") && require(Requirement::Program("hadolint")) => {
                run("hadolint", &[path]);
            }
            _ => {}
        }
        if path.starts_with(".github/workflows") && require(Requirement::Program("actionlint")) {
            run("actionlint", &[path]);
        }
    }
}

#[test]
fn workflows_run_what_exists() {
    for file in ["ci", "release"] {
        let workflow = yaml(&read(&format!(".github/workflows/{file}.yml")));
        assert!(workflow["permissions"].is_hash());
        for job in workflow["jobs"].as_hash().unwrap().values() {
            assert!(!job["runs-on"].is_badvalue());
            for step in job["steps"].as_vec().unwrap() {
                assert!(step["run"].as_str().is_some() != step["uses"].as_str().is_some());
                let Some(script) = step["run"].as_str() else { continue };
                run("bash", &["-n", "-c", script]);
                // Values from outside are passed in variables, not written into the script.
                assert!(!script.contains("${{"), "{script}");
                let words = script.split([' ', '\n']);
                for word in
                    words.filter(|word| word.starts_with("packaging/") || *word == ".ci/run")
                {
                    assert!(Path::new(REPOSITORY_ROOT).join(word).is_file(), "{word}");
                }
            }
        }
    }
}

#[test]
fn ci_workflow_runs_every_step_of_each_group() {
    let listed = run(".ci/run", &["--list"]);
    let workflow = yaml(&read(".github/workflows/ci.yml"));
    for group in ["gate", "nightly"] {
        let steps = workflow["jobs"][group]["strategy"]["matrix"]["step"].as_vec().unwrap();
        let steps: Vec<&str> = steps.iter().map(|step| step.as_str().unwrap()).collect();
        let line = format!("{group}: {}", steps.join(" "));
        assert!(listed.lines().any(|printed| printed == line), "{line}\n{listed}");
    }
}

#[test]
fn pages_name_the_version_of_the_manifest() {
    for page in ["docs/ci.md", "docs/iconv.md", "docs/install.md"] {
        let text = read(page);
        let mut count = 0;
        for before in ["    rev: v", "charpipe/charpipe@v", "charpipe_", "charpipe-iconv_"] {
            for rest in text.split(before).skip(1) {
                assert!(rest.starts_with(VERSION), "{page}: {before}{rest}");
                count += 1;
            }
        }
        assert!(count >= 2, "{page}");
    }
}

#[test]
fn every_file_names_the_repository_of_the_manifest() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("\nrepository = \"").unwrap();
    let repository = rest.split('"').next().unwrap();
    for path in [
        "action.yml",
        "docs/book.toml",
        "docs/install.md",
        "packaging/action/install",
        "packaging/aur/PKGBUILD",
        "packaging/deb/copyright",
        "packaging/homebrew/charpipe.rb",
        "packaging/winget/charpipe.charpipe.installer.yaml",
        "packaging/winget/charpipe.charpipe.locale.en-US.yaml",
    ] {
        let text = read(path);
        for url in text.split("https://").skip(1) {
            let url = url.split([' ', '\n', '"', '\'', ')', '<']).next().unwrap();
            let is_of_charpipe = format!("https://{url}").starts_with(repository);
            assert!(is_of_charpipe || !url.contains("/charpipe"), "{path}: {url}");
        }
        assert!(path == "action.yml" || text.contains(repository), "{path}");
    }
}
