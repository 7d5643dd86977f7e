//! System calls that seccomp profiles of containers, security modules or older kernels forbid.

use std::fs;

use crate::cli::command::{create_directory, names};
use charpipe_test_support::{missing, watch};

/// Calls that not every system has or permits, with everything that they are combined with.
const FORBIDDEN: [(&str, &[&str]); 7] = [
    ("statx", &["EPERM", "ENOSYS"]),
    ("pidfd_open,pidfd_getfd,openat2,renameat2,close_range", &["EPERM", "ENOSYS"]),
    ("copy_file_range,sendfile,splice,linkat", &["EPERM", "ENOSYS"]),
    ("linkat", &["EACCES", "EOPNOTSUPP"]),
    ("getrandom,sched_getaffinity,prlimit64,rseq", &["EPERM", "ENOSYS"]),
    ("flistxattr,fgetxattr,fsetxattr,fremovexattr", &["ENOSYS", "EOPNOTSUPP"]),
    // Where it returns EPERM, the C library starts no thread.
    ("clone3,capget,ioctl", &["ENOSYS"]),
];

/// Command lines, and the files and contents that they leave.
const RUNS: [(&str, &[(&str, &str)]); 6] = [
    ("-o old text", &[("old", "é\n")]),
    ("-o new text", &[("new", "é\n")]),
    ("-o /dev/fd/5 text", &[("log", "start\né\nend\n")]),
    ("-i -j1 -k text", &[("text", "é\n")]),
    ("-i -j2 --backup text old text", &[("text", "é\n"), ("text~", "\\351")]),
    ("--no-o-tmpfile -i --backup text", &[("text", "é\n"), ("text~", "\\351")]),
];

#[test]
fn output_is_written_where_newer_system_calls_are_forbidden() {
    for (calls, errors) in FORBIDDEN {
        for error in errors {
            for (words, left) in RUNS {
                let directory = create_directory(&[("text", b"\xE9\n"), ("old", b"old\n")]);
                let inject = format!("inject={calls}:error={error}");
                let script = format!(
                    "exec 5>log; echo start >&5; strace -f -o strace -e trace={calls} -e {inject} \
                     {} -f latin1 {words} && echo end >&5",
                    env!("CARGO_BIN_EXE_charpipe")
                );
                let output =
                    watch::command("sh").current_dir(&directory).args(["-c", &script]).output();
                let output = output.unwrap();
                let printed = String::from_utf8(output.stderr).unwrap();
                if printed.contains("strace:") {
                    return missing("the permission to trace with strace");
                }
                assert!(output.status.success(), "{words} {inject}: {printed}");
                for (name, content) in left {
                    let found = fs::read(directory.path().join(name)).unwrap();
                    let expected = match *content {
                        "\\351" => b"\xE9\n",
                        text => text.as_bytes(),
                    };
                    assert_eq!(found, expected, "{words} {inject}: {name}");
                }
                let expected = ["log", "new", "old", "strace", "text", "text~", "old~"];
                let others: Vec<String> = names(directory.path())
                    .into_iter()
                    .filter(|name| !expected.contains(&name.as_str()))
                    .collect();
                assert!(others.is_empty(), "{words} {inject}: {others:?}");
            }
        }
    }
}

#[test]
fn copy_that_replaces_a_link_has_the_metadata_of_the_file() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let directory = create_directory(&[("text", b"\xE9\n")]);
    let path = directory.path().join("text");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let old = fs::metadata(&path).unwrap();
    let mut command = watch::command("strace");
    command.args([
        "-f",
        "-o",
        "/dev/null",
        "-e",
        "trace=linkat",
        "-e",
        "inject=linkat:error=EPERM",
    ]);
    command.arg(env!("CARGO_BIN_EXE_charpipe"));
    // It is named twice: the copy has to be known as the file that was written.
    let words = ["-f", "latin1", "-i", "-k", "--force", "-j1", "text", "text"];
    let Ok(output) = command.current_dir(&directory).args(words).output() else {
        return missing("strace");
    };
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(printed, "charpipe: 1 converted, 0 unchanged, 1 skipped, 0 failed\n");
    let new = fs::metadata(&path).unwrap();
    assert_eq!((new.mode(), new.mtime_nsec()), (old.mode(), old.mtime_nsec()));
    assert_eq!(fs::read(&path).unwrap(), "é\n".as_bytes());
    assert_eq!(names(directory.path()), ["text"]);
}
