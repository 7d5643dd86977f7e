//! docs/install.md. `tests/docs` runs its examples of the kind `console`; here is what needs files of a
//! release, and the form of everything else.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{REPOSITORY_ROOT, read};
use crate::packaging::release::{VERSION, create_release, run, yaml};
use charpipe_test_support::watch;

/// The fenced blocks of this kind.
fn fenced_blocks(kind: &str) -> Vec<String> {
    let page = read("docs/install.md");
    let fence = format!("```{kind}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Runs the commands as written, with a `curl` that takes files from a local directory.
#[test]
fn static_binary_is_installed_from_a_release() {
    let blocks = fenced_blocks("sh");
    let script = blocks.iter().find(|block| block.contains("curl ")).unwrap();
    assert!(script.contains(&format!("version={VERSION}\n")));
    let release = create_release();
    let home = tempfile::tempdir().unwrap();
    let (work, bin) = (home.path().join("work"), home.path().join("bin"));
    fs::create_dir(&work).unwrap();
    fs::create_dir(&bin).unwrap();
    symlink(release.path(), home.path().join("release")).unwrap();
    let curl = format!(
        "#!/bin/sh\n\
         case $2 in https://github.com/charpipe/charpipe/releases/download/v{VERSION}/*) ;; *) exit 22 ;; esac\n\
         cp \"$HOME/release/${{2##*/}}\" .\n"
    );
    fs::write(bin.join("curl"), curl).unwrap();
    fs::set_permissions(bin.join("curl"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let run = watch::command("sh")
        .args(["-e", "-c", script])
        .current_dir(&work)
        .env("HOME", home.path())
        .env("PATH", format!("{}:{path}", bin.display()))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let archive = format!("charpipe-{VERSION}-x86_64-unknown-linux-musl.tar.gz");
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{archive}: OK\n"));
    let program = home.path().join(".local/bin/charpipe");
    let version = watch::command(program).arg("--version").output().unwrap().stdout;
    assert_eq!(String::from_utf8(version).unwrap(), format!("charpipe {VERSION}\n"));
    assert!(home.path().join(".local/share/man/man1/charpipe-check.1").exists());
}

#[test]
fn commands_are_well_formed_and_name_existing_files() {
    let blocks = fenced_blocks("sh");
    assert!(blocks.len() >= 10);
    for block in &blocks {
        run("sh", &["-n", "-c", block]);
        for word in block.split_whitespace().filter(|word| word.starts_with("packaging/")) {
            assert!(Path::new(REPOSITORY_ROOT).join(word).exists(), "{word}");
        }
    }
    let page = read("docs/install.md");
    for word in page.split('`').filter(|word| word.starts_with("packaging/")) {
        assert!(Path::new(REPOSITORY_ROOT).join(word).exists(), "{word}");
    }
}

#[test]
fn action_has_the_inputs_of_the_page() {
    let action = yaml(&read("action.yml"));
    let page = read("docs/install.md");
    let inputs = action["inputs"].as_hash().unwrap();
    for (name, input) in inputs {
        let (name, default) = (name.as_str().unwrap(), input["default"].as_str().unwrap());
        let default = match (name, default) {
            ("version", _) => "that of the action ".to_owned(),
            (_, "") => String::new(),
            _ => format!("`{default}` "),
        };
        assert!(page.contains(&format!("| `{name}` | {default}|")), "{name}");
    }
    let workflows: Vec<_> = fenced_blocks("yaml").iter().map(|block| yaml(block)).collect();
    let steps = workflows[0]["jobs"]["check"]["steps"].clone();
    let step = steps.into_iter().find(|step| !step["with"].is_badvalue()).unwrap();
    assert_eq!(step["uses"].as_str(), Some(format!("charpipe/charpipe@v{VERSION}").as_str()));
    for (name, _) in step["with"].as_hash().unwrap() {
        assert!(inputs.contains_key(name), "{name:?}");
    }
}

#[test]
fn manifest_has_the_rust_version_of_the_page() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("\nrust-version = \"").unwrap();
    let version = rest.split('"').next().unwrap();
    assert!(read("docs/install.md").contains(&format!("With Rust {version} or later")));
}
