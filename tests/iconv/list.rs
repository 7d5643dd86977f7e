//! `-l`, `--version` and `--help`.

use std::collections::HashSet;

use crate::program::{Program, charpipe, fixtures, locale};

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn list_has_every_name_of_glibc_in_its_order() {
    let Some(glibc) = Program::glibc() else { return };
    let directory = fixtures();
    let theirs = lines(&glibc.run(directory.path(), &locale("C"), &["-l"], b"").stdout);
    let ours = lines(&charpipe(&["-l"]).stdout);
    let known: HashSet<&String> = theirs.iter().collect();
    let common: Vec<&String> = ours.iter().filter(|name| known.contains(name)).collect();
    // glibc lists the name of its internal encoding, which it does not convert.
    let expected: Vec<&String> = theirs.iter().filter(|name| *name != "INTERNAL//").collect();
    assert_eq!(common.len(), expected.len());
    for (one, other) in common.iter().zip(&expected) {
        assert_eq!(one, other);
    }
}

#[test]
fn list_has_each_name_once_and_every_name_converts() {
    let ours = lines(&charpipe(&["--list"]).stdout);
    let names: HashSet<&String> = ours.iter().collect();
    assert_eq!(names.len(), ours.len());
    for line in ours.iter().step_by(20) {
        let outcome = charpipe(&["-f", line, "-t", "utf8", "empty"]);
        assert_eq!((outcome.status, outcome.stderr.len()), (0, 0), "{line}");
    }
}

#[test]
fn version_names_neither_glibc_nor_libiconv() {
    for option in ["--version", "-V"] {
        let outcome = charpipe(&[option]);
        let text = String::from_utf8(outcome.stdout).unwrap();
        assert!(text.starts_with("iconv (charpipe) "), "{text}");
        for name in ["glibc", "gnu libc", "libiconv"] {
            assert!(!text.to_lowercase().contains(name), "{text}");
        }
        assert_eq!(outcome.status, 0);
    }
}

#[test]
fn usage_is_that_of_glibc() {
    let Some(glibc) = Program::glibc() else { return };
    let directory = fixtures();
    let theirs = glibc.run(directory.path(), &locale("C"), &["--usage"], b"");
    assert_eq!(charpipe(&["--usage"]), theirs);
    let help = charpipe(&["-?"]);
    assert!(help.stdout.starts_with(b"Usage: iconv [OPTION...] [FILE...]\n"));
}

#[test]
fn list_on_a_terminal_has_the_layout_of_glibc() {
    let Some(glibc) = Program::glibc() else { return };
    let theirs = terminal_list(&glibc);
    let ours = terminal_list(&Program::charpipe());
    let heading = |text: &str| text.split("  437,").next().map(str::to_owned);
    assert_eq!(heading(&theirs).unwrap().lines().count(), 5);
    assert_eq!(heading(&theirs).unwrap().lines().next(), ours.lines().next());
    let longest = |text: &str| text.lines().map(|line| line.trim_end().len()).max();
    assert_eq!(longest(&ours), longest(&theirs));
    assert!(ours.contains("UTF-8, "), "{ours}");
}

/// Returns what `-l` prints on a terminal.
fn terminal_list(program: &Program) -> String {
    use std::io::Read as _;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut child = program.command(&[]).arg("-l").stdout(terminal).spawn().unwrap();
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    let mut controller = std::fs::File::from(controller);
    // Reading fails when the other side is closed.
    while let Ok(len) = controller.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..len]);
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8(bytes).unwrap()
}
