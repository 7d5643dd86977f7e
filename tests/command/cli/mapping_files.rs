//! Encodings that mapping files define: `-f ./machine.ucm`.

use predicates::str::contains;

use crate::cli::command::{charpipe, create_directory, subcommand};

/// A code of two bytes for each of two letters, and one that is only encoded.
const UCM: &[u8] = b"<code_set_name> \"machine\"\n<uconv_class> \"MBCS\"\nCHARMAP\n<U000A> \\x0A |0\n<U0041> \\x41 |0\n\
    <U00E9> \\x81\\x40 |0\n<U4E00> \\x81\\x41 |0\n<U00C9> \\x81\\x40 |1\nEND CHARMAP\n";

#[test]
fn mapping_file_is_an_encoding_in_both_directions() {
    let directory = create_directory(&[("m.ucm", UCM), ("a", b"A\x81\x40\n\x81\x41")]);
    let run = |words: &[&str]| charpipe().current_dir(&directory).args(words).assert();
    let text = run(&["-f", "./m.ucm", "a"]).success().get_output().stdout.clone();
    assert_eq!(text, "Aé\n一".as_bytes());
    let path = directory.path().join("m.ucm");
    let absolute = path.to_str().unwrap();
    for path in [absolute, "././m.ucm"] {
        let mut command = charpipe();
        command.current_dir(&directory).args(["-t", path]).write_stdin("AÉ\n一");
        command.assert().success().stdout(&b"A\x81\x40\n\x81\x41"[..]);
    }
    // Both are the same encoding, and suffixes are those of iconv.
    run(&["-f", "./m.ucm", "-t", "./m.ucm//IGNORE", "a"])
        .success()
        .stdout(&b"A\x81\x40\n\x81\x41"[..]);
    run(&["-i", "-f", "./m.ucm", "a"]).success();
    assert_eq!(std::fs::read(directory.path().join("a")).unwrap(), "Aé\n一".as_bytes());
}

#[test]
fn errors_in_the_data_name_the_encoding() {
    let directory = create_directory(&[("m.ucm", UCM), ("a", b"A\n\x81\x81")]);
    let run = charpipe().current_dir(&directory).args(["-f", "./m.ucm", "a"]).assert().code(1);
    run.stderr(contains("a:2:1: byte 2: invalid machine sequence 81 81"));
    let mut command = charpipe();
    command.current_dir(&directory).args(["-t", "./m.ucm"]).write_stdin("A€");
    command.assert().code(1).stderr(contains("byte 1: U+20AC cannot be encoded in machine"));
    let mut check = subcommand("check");
    check
        .current_dir(&directory)
        .args(["-e", "./m.ucm", "a"])
        .assert()
        .code(1)
        .stdout(contains("a:2:1: byte 2"));
}

#[test]
fn errors_in_the_mapping_file_have_its_line() {
    let directory = create_directory(&[("\u{1B}[2J.map", b"0x41 0x41\nno\n"), ("empty", b"")]);
    let run = |path: &str| {
        charpipe().current_dir(&directory).args(["-f", path]).write_stdin("").assert().code(2)
    };
    run("./\u{1B}[2J.map").stderr(contains("./\\x1B[2J.map:2: expected the bytes of a code"));
    run("./empty").stderr("charpipe: ./empty:1: the file has no mappings\n");
    run("./none").stderr(contains("charpipe: ./none: No such file or directory"));
    run("./").stderr(contains("./: Is a directory"));
    // A name without a path is that of a built-in encoding.
    run("empty").stderr(contains("unknown encoding"));
}

#[cfg(target_os = "linux")]
#[test]
fn endless_mapping_file_is_rejected() {
    let mut command = charpipe();
    command.args(["-f", "/dev/zero"]).write_stdin("");
    command
        .assert()
        .code(2)
        .stderr("charpipe: /dev/zero: not a mapping file: longer than 64 MiB\n");
}
