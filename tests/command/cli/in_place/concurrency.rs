//! Concurrent changes by other processes, signals, and full disks.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{in_place, lines, mappings, read};
use crate::cli::command::{
    at_once, charpipe, create_directory, messages_of, names, plain, shell, shell_with_mounts,
};
use charpipe_test_support::{missing, watch};

const PROGRAM: &str = env!("CARGO_BIN_EXE_charpipe");

/// Runs the command under strace with these options; none where that cannot be done.
pub fn strace(directory: &Path, options: &[&str], words: &[&str]) -> Option<Command> {
    let works = watch::command("strace").args(["-o", "/dev/null", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        missing("the permission to trace with strace");
        return None;
    }
    let mut command = watch::command("strace");
    command.current_dir(directory).args(["-f", "-o"]).arg("/dev/null").args(options);
    command.arg(PROGRAM).args(words).stderr(Stdio::piped());
    Some(command)
}

/// The system calls of a run, one a line.
fn calls(words: &[&str], directory: &Path) -> Option<Vec<String>> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let path = log.path().to_str().unwrap().to_owned();
    let traced =
        "trace=fsync,fchown,fchmod,rename,renameat,renameat2,linkat,openat,flock,write,pwrite64";
    let output = strace(directory, &["-o", &path, "-e", traced], words)?.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(log.path()).unwrap();
    // Where another thread makes a call meanwhile, one is messages in two parts.
    let begun = text.lines().filter(|line| !line.contains(" resumed>"));
    Some(begun.map(|line| line.replace(" <unfinished ...>", ")")).collect())
}

#[test]
fn content_is_synced_before_rename_and_directory_after() {
    // A file that gets its name late is synced with it; if it is large, also before, while no other thread waits.
    let large = b"\xE9".repeat(40_000);
    for (option, content, syncs) in [
        ("--no-o-tmpfile", &b"\xE9"[..], 2),
        ("--no-o-tmpfile", &large, 2),
        ("-v", b"\xE9", 2),
        ("-v", &large, 3),
    ] {
        let directory = create_directory(&[("a", content)]);
        let Some(calls) = calls(&["-i", "-f", "latin1", option, "a"], directory.path()) else {
            return;
        };
        let find = |what: &str| calls.iter().position(|call| call.contains(what));
        let all: Vec<_> = calls.iter().filter(|call| call.contains("fsync(")).collect();
        assert_eq!(all.len(), syncs, "{calls:#?}");
        let written = calls.iter().position(|call| call.contains("write(") && call.contains("303"));
        let order = [written, find("fchmod("), find("fsync("), find("rename")];
        assert!(order.iter().all(Option::is_some), "{order:?} {calls:#?}");
        assert!(order.is_sorted(), "{order:?} {calls:#?}");
        let last = calls.iter().rposition(|call| call.contains("fsync("));
        assert!(last > find("rename"), "{calls:#?}");
        let before_rename = &calls[..find("rename").unwrap()];
        let last = before_rename.iter().rposition(|call| call.contains("fsync("));
        assert!(last > find("linkat("), "{calls:#?}");
    }
}

#[test]
fn input_is_opened_nonblocking_and_locked() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let words = ["-i", "-f", "latin1", "--no-o-tmpfile", "a"];
    let Some(calls) = calls(&words, directory.path()) else { return };
    let source =
        calls.iter().find(|call| call.contains("\"a\"") && call.contains("openat(")).unwrap();
    for flag in ["O_RDONLY", "O_NOCTTY", "O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW"] {
        assert!(source.contains(flag), "{source}");
    }
    let temporary = calls.iter().find(|call| call.contains("O_EXCL")).unwrap();
    for part in ["\".a.charpipe-", "O_NOFOLLOW", "O_CLOEXEC", ", 0600)"] {
        assert!(temporary.contains(part), "{temporary}");
    }
    assert!(calls.iter().any(|call| call.contains("LOCK_EX|LOCK_NB")), "{calls:#?}");
    // Both are opened within a descriptor, and so is the rename.
    for call in [source, temporary, calls.iter().find(|call| call.contains("rename")).unwrap()] {
        assert!(!call.contains("AT_FDCWD"), "{call}");
    }
}

#[test]
fn tmpdir_is_not_used() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let mut command = charpipe();
    command.env("TMPDIR", "/nonexistent").current_dir(&directory).args(["-i", "-f", "latin1", "a"]);
    command.assert().success();
    assert_eq!(read(directory.path(), "a"), "é".as_bytes());
}

/// Starts a run that waits before it syncs its first file, which is this call, and comes back when
/// it does.
pub fn delayed(directory: &Path, words: &[&str], call: usize) -> Option<std::process::Child> {
    let inject = format!("inject=fsync:delay_enter=1500000:when={call}");
    let slow = ["-e", "trace=fsync", "-e", &inject];
    let words = [words, &["--no-o-tmpfile"]].concat();
    let child = strace(directory, &slow, &words)?.spawn().unwrap();
    let written = || {
        let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
        let mut others = entries.filter(|entry| entry.file_name() != "a");
        others.any(|entry| entry.metadata().is_ok_and(|found| found.len() > 0))
    };
    let begin = Instant::now();
    while !written() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(50));
    Some(child)
}

/// Each waits for a delayed system call.
#[test]
fn changes_by_other_processes_are_seen() {
    let cases: [fn(); 5] = [
        mappings::a_store_through_a_mapping_during_the_conversion_is_kept,
        mappings::a_store_just_before_the_rename_is_kept_where_mappings_are_synced,
        concurrently_changed_file_is_left_unchanged,
        redirected_path_is_not_followed,
        second_process_on_one_file_is_rejected,
    ];
    at_once(cases, |case| case());
}

/// A change of a file by another process.
type FileChange = fn(&Path);

fn concurrently_changed_file_is_left_unchanged() {
    let changes: [(&str, FileChange); 4] = [
        ("written", |path| fs::write(path, "other").unwrap()),
        ("replaced", |path| {
            fs::write(path.with_extension("new"), "other").unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        }),
        ("mode", |path| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(path, mode).unwrap();
        }),
        ("gone", |path| fs::remove_file(path).unwrap()),
    ];
    at_once(changes, |(what, change)| {
        let directory = create_directory(&[("a", b"\xE9")]);
        let path = directory.path().join("a");
        let words = ["-i", "-f", "latin1", "--backup", "a"];
        let Some(child) = delayed(directory.path(), &words, 1) else { return };
        change(&path);
        let left = fs::read(&path).ok();
        let output = child.wait_with_output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        let expected = "charpipe: a: cannot be written: changed by another process\n";
        assert!(messages.starts_with(expected), "{what}: {messages}");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(fs::read(&path).ok(), left, "{what}");
        assert!(names(directory.path()).len() <= 1, "{what}: {:?}", names(directory.path()));
    });
}

fn redirected_path_is_not_followed() {
    let directory = create_directory(&[]);
    let [one, other] = ["one", "other"].map(|name| directory.path().join(name));
    for sub in [&one, &other] {
        fs::create_dir(sub).unwrap();
        fs::write(sub.join("a"), b"\xE9").unwrap();
    }
    let (way, moved) = (directory.path().join("way"), directory.path().join("moved"));
    symlink("one", &way).unwrap();
    // strace has its own working directory, where it is seen how far the run is.
    let path = way.join("a");
    let words = ["-i", "-f", "latin1", path.to_str().unwrap()];
    let Some(child) = delayed(&one, &words, 1) else { return };
    fs::remove_file(&way).unwrap();
    symlink("other", &way).unwrap();
    fs::rename(&one, &moved).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(&moved, "a"), "é".as_bytes());
    assert_eq!(read(&other, "a"), b"\xE9");
    assert_eq!((names(&moved), names(&other)), (vec!["a".to_owned()], vec!["a".to_owned()]));
}

fn second_process_on_one_file_is_rejected() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let Some(first) = delayed(directory.path(), &["-i", "-f", "latin1", "a"], 1) else { return };
    let run = in_place(directory.path(), &["-f", "latin1", "a"]).code(2);
    assert_eq!(lines(&run), ["a: is locked by another process"]);
    assert!(first.wait_with_output().unwrap().status.success());
    assert_eq!(read(directory.path(), "a"), "é".as_bytes());
}

#[test]
fn concurrent_processes_convert_or_report_the_same_file() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let start = |_| {
        let mut command = plain();
        command.current_dir(&directory).args(["-i", "--force", "-f", "latin1", "a"]);
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(start).collect();
    let ended = children.into_iter().map(|mut child| child.wait().unwrap().success());
    let converted = ended.filter(|success| *success).count();
    // Each conversion makes two characters of each, with the same beginning.
    assert_eq!(read(directory.path(), "a").len(), 1 << converted, "{converted}");
    assert!(converted >= 1);
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn signal_leaves_files_intact_and_no_leftovers() {
    for (name, signal) in [("TERM", SIGTERM), ("INT", SIGINT), ("HUP", SIGHUP)] {
        for options in [&["-j1"][..], &["-j8", "--no-o-tmpfile"]] {
            let old = vec![0xE9; 1_000_000];
            let files: Vec<_> = (0..40).map(|number| number.to_string()).collect();
            let files: Vec<_> = files.iter().map(|name| (name.as_str(), &old[..])).collect();
            let directory = create_directory(&files);
            // In blocks of the usual size: there is much to convert.
            let mut command = watch::command(PROGRAM);
            command.current_dir(&directory).args(["-i", "-s", "-f", "latin1", "-r", "."]);
            let mut child = command.args(options).spawn().unwrap();
            let begin = Instant::now();
            // By now it is at work.
            let length = |name: &str| fs::metadata(directory.path().join(name)).unwrap().len();
            while length("0") == 1_000_000 && begin.elapsed() < Duration::from_secs(60) {
                sleep(Duration::from_millis(1));
            }
            let pid = child.id().to_string();
            let sent = watch::command("kill").args(["-s", name, &pid]).status().unwrap();
            assert!(sent.success());
            let status = child.wait().unwrap();
            // It may have come to its end before the signal came.
            assert!(status.signal() == Some(signal) || status.success(), "{status}");
            assert_eq!(names(directory.path()).len(), 40, "{:?}", names(directory.path()));
            for (name, _) in &files {
                assert!(matches!(length(name), 1_000_000 | 2_000_000), "{name}");
            }
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn full_disk_leaves_the_file_and_no_leftovers() {
    let directory = create_directory(&[]);
    let script = "mkdir disk && mount -t tmpfs -o size=128k none disk && cd disk || exit 1
        head -c 80000 /dev/zero | tr '\\0' '\\351' > a
        \"$@\" -i -f latin1 a; echo $?; wc -c < a; ls -A";
    let Some(mut command) = shell_with_mounts(directory.path(), script) else { return };
    let run = command.assert().success().stdout("2\n80000\na\n");
    assert_eq!(messages_of(&run)[0], "charpipe: a: cannot be written: No space left on device");
}

#[test]
fn file_size_limit_leaves_the_file_and_no_leftovers() {
    let directory = create_directory(&[("a", &[0xE9; 3000])]);
    let mut limited = shell("ulimit -f 1; \"$@\" -i -f latin1 a");
    let run = limited.envs([watch::NO_PROFILE]).current_dir(&directory).assert().code(2);
    assert_eq!(lines(&run), ["a: cannot be written: File too large"]);
    assert_eq!(read(directory.path(), "a"), [0xE9; 3000]);
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn a_file_that_vanishes_before_its_turn_fails_alone() {
    let directory = create_directory(&[("a", b"\xE9"), ("b", b"\xE9")]);
    let script = "(echo a; sleep 0.3; rm b; echo b; echo a) | \"$@\" -i -f latin1 --files-from -";
    let run = shell(script).current_dir(&directory).assert().code(2);
    assert_eq!(lines(&run), ["b: cannot be read: No such file or directory"]);
    assert_eq!(read(directory.path(), "a"), "é".as_bytes());
}
