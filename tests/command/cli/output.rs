//! `-o`: a file that is replaced only on success.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::cli::acl;
use crate::cli::command::{
    as_unprivileged_user, charpipe, create_directory, names, shell, shell_with_mounts,
};
use charpipe_test_support::{Requirement, missing, require, watch};
use tempfile::TempDir;

#[test]
fn a_new_file_appears_with_all_of_the_output() {
    let directory = create_directory(&[("in", b"\xE9\n")]);
    let run = charpipe().current_dir(&directory).args(["-f", "latin1", "-o", "out", "in"]).assert();
    run.success().stdout("").stderr("");
    assert_eq!(fs::read_to_string(directory.path().join("out")).unwrap(), "é\n");
    assert_eq!(names(directory.path()), ["in", "out"]);
}

#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    let directory = create_directory(&[]);
    let script = "umask 027; \"$@\" -o out </dev/null";
    shell(script).current_dir(&directory).assert().success();
    assert_eq!(fs::metadata(directory.path().join("out")).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn an_old_file_is_replaced_and_keeps_its_mode() {
    let directory = create_directory(&[("out", b"old, and longer than the new one")]);
    let out = directory.path().join("out");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o604)).unwrap();
    charpipe().arg("-o").arg(&out).write_stdin("new").assert().success();
    assert_eq!(fs::read_to_string(&out).unwrap(), "new");
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, 0o604);
}

#[test]
fn replaced_file_keeps_its_owner_if_permitted() {
    if !require(Requirement::Superuser) {
        return;
    }
    let directory = create_directory(&[("out", b"old")]);
    let out = directory.path().join("out");
    std::os::unix::fs::chown(&out, Some(1234), Some(4321)).unwrap();
    charpipe().arg("-o").arg(&out).write_stdin("new").assert().success();
    let new = fs::metadata(&out).unwrap();
    assert_eq!((new.uid(), new.gid()), (1234, 4321));
}

/// Creates the files `out`, whose content is `old`, and `in` in a directory. Everyone may write to all of them.
fn create_writable_directory(input: &[u8]) -> TempDir {
    let directory = create_directory(&[("out", b"old"), ("in", input)]);
    for path in [directory.path(), &directory.path().join("out"), &directory.path().join("in")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    directory
}

#[test]
fn file_whose_owner_cannot_be_kept_is_not_replaced() {
    if !require(Requirement::Superuser) {
        return;
    }
    let Some(mut command) = as_unprivileged_user() else { return };
    let directory = create_writable_directory(b"new");
    let output = command.current_dir(&directory).args(["-o", "out", "in"]).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    let why = "cannot preserve owner and group: permission denied (use --no-preserve=owner,group)";
    assert_eq!(messages, format!("charpipe: out: cannot be written: {why}\n"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["in", "out"]);
}

/// `iconv` writes to the file itself, as that of glibc.
#[test]
fn iconv_rewrites_a_file_whose_owner_cannot_be_kept() {
    if !require(Requirement::Superuser) {
        return;
    }
    let Some(mut command) = as_unprivileged_user() else { return };
    let directory = create_writable_directory(b"caf\xE9");
    let words = ["iconv", "-f", "latin1", "-t", "utf-8", "-o", "out", "in"];
    let output = command.current_dir(&directory).args(words).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), "café".as_bytes());
    assert_eq!(names(directory.path()), ["in", "out"]);
}

#[test]
fn symlink_is_kept_and_its_target_is_replaced() {
    let directory = create_directory(&[("target", b"old")]);
    let sub = directory.path().join("sub");
    fs::create_dir(&sub).unwrap();
    symlink("../target", sub.join("link")).unwrap();
    charpipe().arg("-o").arg(sub.join("link")).write_stdin("new").assert().success();
    assert_eq!(fs::read_to_string(directory.path().join("target")).unwrap(), "new");
    assert!(sub.join("link").is_symlink());
    assert_eq!(names(&sub), ["link"]);
}

#[test]
fn dangling_symlink_gets_its_target() {
    let directory = create_directory(&[]);
    symlink("target", directory.path().join("link")).unwrap();
    charpipe().arg("-o").arg(directory.path().join("link")).write_stdin("new").assert().success();
    assert_eq!(names(directory.path()), ["link", "target"]);
    assert!(directory.path().join("link").is_symlink());
}

#[test]
fn symlink_loop_is_rejected() {
    let directory = create_directory(&[]);
    symlink("b", directory.path().join("a")).unwrap();
    symlink("a", directory.path().join("b")).unwrap();
    charpipe().arg("-o").arg(directory.path().join("a")).write_stdin("new").assert().code(2);
}

#[test]
fn stopping_error_leaves_only_the_old_file() {
    let directory = create_directory(&[("out", b"old"), ("in", b"ab\xFF")]);
    let run = charpipe().current_dir(&directory).args(["-s", "-o", "out", "in"]).assert();
    run.code(1).stderr("charpipe: out: not written because of errors\n");
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["in", "out"]);
}

#[test]
fn skipped_or_replaced_errors_do_not_prevent_the_output() {
    for (option, content) in [("--on-error=skip", "ab"), ("--on-error=replace=*", "ab*")] {
        let directory = create_directory(&[("out", b"old"), ("in", b"ab\xFF")]);
        charpipe().current_dir(&directory).args([option, "-o", "out", "in"]).assert().code(1);
        assert_eq!(fs::read_to_string(directory.path().join("out")).unwrap(), content);
    }
}

#[test]
fn missing_input_leaves_only_the_old_file() {
    let directory = create_directory(&[("out", b"old"), ("in", b"ab")]);
    charpipe().current_dir(&directory).args(["-o", "out", "nope", "in"]).assert().code(2);
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"old");
    charpipe().current_dir(&directory).args(["-o", "new", "in", "nope"]).assert().code(2);
    assert_eq!(names(directory.path()), ["in", "out"]);
}

#[test]
fn full_disk_leaves_only_the_old_file() {
    let directory = create_directory(&[("out", b"old")]);
    let script = "ulimit -f 1; head -c 100000 /dev/zero | \"$@\" -o out";
    let mut limited = shell(script);
    let run = limited.envs([watch::NO_PROFILE]).current_dir(&directory).assert().code(2);
    run.stderr("charpipe: out: write error: File too large\n");
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["out"]);
}

#[test]
fn a_hyphen_is_the_standard_output() {
    charpipe().args(["-o", "-"]).write_stdin("text").assert().success().stdout("text");
}

#[test]
fn a_device_is_written_directly() {
    charpipe().args(["-o", "/dev/null"]).write_stdin("text").assert().success();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let run = charpipe().args(["-o", "/dev/full"]).write_stdin("text").assert().code(2);
    run.stderr("charpipe: /dev/full: write error: No space left on device\n");
}

#[test]
fn dev_stdout_is_written_directly_if_it_is_a_pipe() {
    charpipe().args(["-o", "/dev/stdout"]).write_stdin("text").assert().success().stdout("text");
}

#[test]
fn open_descriptor_is_written_at_its_offset() {
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"] {
        for redirection in ["> log", ">> log"] {
            let directory = create_directory(&[("in", b"text\n")]);
            symlink("/dev/stdout", directory.path().join("link")).unwrap();
            let script = format!("(echo start; \"$@\" -o {name} in; echo end) {redirection}");
            shell(&script).current_dir(&directory).assert().success();
            let log = fs::read_to_string(directory.path().join("log")).unwrap();
            assert_eq!(log, "start\ntext\nend\n", "{name} {redirection}");
        }
    }
    for (name, number) in [("/dev/stderr", 2), ("/dev/fd/5", 5), ("/proc/self/fd/7", 7)] {
        let directory = create_directory(&[("in", b"text\n")]);
        let script = format!(
            "exec {number}>log; echo start >&{number}; \"$@\" -o {name} in; echo end >&{number}"
        );
        shell(&script).current_dir(&directory).assert().success();
        let log = fs::read_to_string(directory.path().join("log")).unwrap();
        assert_eq!(log, "start\ntext\nend\n", "{name}");
    }
}

#[test]
fn closed_descriptor_is_rejected() {
    let run = charpipe().args(["-o", "/dev/fd/77"]).write_stdin("x").assert().code(2);
    run.stderr("charpipe: /dev/fd/77: cannot be written: Bad file descriptor\n");
    let run = shell("\"$@\" -o /dev/stdout </dev/null >&-").assert().code(2);
    run.stderr("charpipe: standard output is closed\n");
    // The process has opened descriptors with some of these numbers itself; others may be inherited.
    for number in 3..10 {
        let script = format!("\"$@\" -o /dev/fd/{number} {number}>&-");
        let run = shell(&script).write_stdin("x").assert();
        let code = run.get_output().status.code();
        assert_eq!((code, run.get_output().stdout.len()), (Some(2), 0), "{number}");
    }
    let directory = create_directory(&[]);
    for (name, closed) in [("/dev/stdin", "<&-"), ("/dev/fd/0", "<&-"), ("/dev/stderr", "2>&-")] {
        shell(&format!("printf x > in; \"$@\" -o {name} in {closed}"))
            .current_dir(&directory)
            .assert()
            .code(2);
    }
}

#[test]
fn read_only_descriptor_is_rejected() {
    let directory = create_directory(&[("in", b"text\n"), ("log", b"old")]);
    for (script, name) in [
        ("printf x | \"$@\" -o /dev/stdin in", "/dev/stdin"),
        ("\"$@\" -o /dev/stdin in <log", "/dev/stdin"),
        ("\"$@\" -o /dev/fd/4 in 4<log", "/dev/fd/4"),
    ] {
        let run = shell(script).current_dir(&directory).assert().code(2);
        let reason = "is open for reading only";
        run.stderr(format!("charpipe: {name}: cannot be written: {reason}\n"));
    }
    assert_eq!(fs::read(directory.path().join("log")).unwrap(), b"old");
}

#[test]
#[cfg(target_os = "linux")]
fn an_open_descriptor_is_written_without_proc() {
    let directory = create_directory(&[("in", b"\xE9\n")]);
    let script = "set -e; mount -t tmpfs none /proc
        echo start > log; for name in /dev/fd/5 /proc/self/fd/5 /dev/stdout; do
        \"$@\" -f latin1 -o $name in 5>>log >>log; done; \"$@\" -f latin1 -o new in; cat log new";
    let Some(mut command) = shell_with_mounts(directory.path(), script) else { return };
    command.assert().success().stdout("start\né\né\né\né\n");
}

#[test]
fn file_with_hard_links_is_rejected() {
    let directory = create_directory(&[("out", b"old")]);
    fs::hard_link(directory.path().join("out"), directory.path().join("other")).unwrap();
    let run = charpipe().current_dir(&directory).args(["-o", "out"]).write_stdin("x").assert();
    run.code(2).stderr(
        "charpipe: out: cannot be written: has 2 hard links; replacing it would break them\n",
    );
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["other", "out"]);
}

#[test]
fn an_old_file_keeps_its_extended_attributes() {
    let directory = create_directory(&[("out", b"old")]);
    let out = directory.path().join("out");
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(&out, "user.origin", b"here", flags).is_err() {
        return missing("a file system with extended attributes");
    }
    charpipe().arg("-o").arg(&out).write_stdin("new").assert().success();
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&out, "user.origin", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"here");
    assert_eq!(fs::read(&out).unwrap(), b"new");
}

#[test]
fn an_old_file_keeps_its_access_control_list() {
    let directory = create_directory(&[("out", b"old")]);
    let out = directory.path().join("out");
    if !acl::give(&out) {
        return missing("a file system with access control lists");
    }
    charpipe().arg("-o").arg(&out).write_stdin("new").assert().success();
    assert!(acl::is_set(&out));
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, acl::MODE);
}

#[test]
fn a_fifo_is_written_directly() {
    let directory = create_directory(&[]);
    let script = "mkfifo fifo; cat fifo & printf text | \"$@\" -o fifo; wait";
    shell(script).current_dir(&directory).assert().success().stdout("text");
    assert_eq!(names(directory.path()), ["fifo"]);
}

#[test]
fn directory_as_output_is_rejected() {
    let directory = create_directory(&[]);
    fs::create_dir(directory.path().join("sub")).unwrap();
    for name in ["sub", "sub/", "new/"] {
        let run = charpipe().current_dir(&directory).args(["-o", name]).write_stdin("x").assert();
        run.code(2).stderr(format!(
            "charpipe: --output: {name} is a directory; use --output-dir to write to files in it\n"
        ));
    }
    assert_eq!(names(directory.path()), ["sub"]);
}

#[test]
fn file_in_a_missing_directory_is_rejected() {
    let run = charpipe().args(["-o", "/nope/out"]).write_stdin("x").assert().code(2);
    run.stderr("charpipe: /nope/out: cannot be written: No such file or directory\n");
}

#[test]
fn unwritable_directory_is_named_in_the_message() {
    if !require(Requirement::OrdinaryUser) {
        return;
    }
    let directory = create_directory(&[]);
    let sub = directory.path().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o555)).unwrap();
    let run = charpipe().current_dir(&directory).args(["-o", "sub/out"]).write_stdin("x").assert();
    run.code(2).stderr(
        "charpipe: sub/out: cannot be written: cannot create a file in directory sub: \
         permission denied\n",
    );
}

#[test]
fn read_only_file_is_rejected() {
    if !require(Requirement::OrdinaryUser) {
        return;
    }
    let directory = create_directory(&[("out", b"old")]);
    let out = directory.path().join("out");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o444)).unwrap();
    charpipe().arg("-o").arg(&out).write_stdin("new").assert().code(2);
    assert_eq!(fs::read(&out).unwrap(), b"old");
}

#[test]
fn a_name_of_the_greatest_length_can_be_written() {
    for name in ["x".repeat(255), "é".repeat(127)] {
        let directory = create_directory(&[]);
        let run = charpipe().current_dir(&directory).args(["-o", &name]).write_stdin("x").assert();
        run.success();
        assert_eq!(names(directory.path()), [name]);
    }
}

#[test]
fn output_file_may_be_an_input_under_any_name() {
    for output in ["in", "./in", "link"] {
        let directory = create_directory(&[("in", b"caf\xE9"), ("other", b"x")]);
        let path = directory.path();
        symlink("in", path.join("link")).unwrap();
        let words = ["-f", "latin1", "-o", output];
        charpipe().current_dir(path).args(words).args(["other", "in"]).assert().code(0).stderr("");
        assert_eq!(fs::read(path.join("in")).unwrap(), "xcafé".as_bytes());
        assert!(path.join("link").is_symlink());
        let run =
            shell("\"$@\" < in").current_dir(path).args(["-t", "latin1", "-o", output]).assert();
        run.code(0).stderr("");
        assert_eq!(fs::read(path.join("in")).unwrap(), b"xcaf\xE9");
        // An error leaves the file as it was.
        charpipe().current_dir(path).args(["-o", output, "in"]).assert().code(1);
        assert_eq!(fs::read(path.join("in")).unwrap(), b"xcaf\xE9");
    }
}

#[test]
fn output_file_that_is_an_input_keeps_its_hard_links() {
    let directory = create_directory(&[("in", b"text")]);
    let path = directory.path();
    fs::hard_link(path.join("in"), path.join("hard")).unwrap();
    for output in ["in", "hard"] {
        charpipe().current_dir(path).args(["-t", "utf-16", "-o", output, "in"]).assert().code(2);
        assert_eq!(fs::read(path.join("in")).unwrap(), b"text");
    }
}

#[test]
fn descriptor_of_an_input_is_rejected_as_output() {
    let directory = create_directory(&[("in", b"text")]);
    let run = shell("\"$@\" in -o /dev/fd/3 3>>in").current_dir(directory.path()).assert();
    run.code(2).stderr("charpipe: in: input file is output file\n");
    assert_eq!(fs::read(directory.path().join("in")).unwrap(), b"text");
}
