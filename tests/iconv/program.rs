//! Runs an `iconv` in a directory of fixtures.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, thread};

use tempfile::TempDir;

use charpipe_test_support::{missing, watch};

/// The inputs that every run finds in its directory.
pub const FIXTURES: [(&str, &[u8]); 16] = [
    ("ok", b"ok\n"),
    ("empty", b""),
    ("text", "caf\u{e9} \u{4e2d} x\n".as_bytes()),
    ("latin", "caf\u{e9}\n".as_bytes()),
    ("invalid", b"abc\xE9def\n"),
    ("worse", b"a\xE4\xB8\xADb\xFF\xC3\xA9"),
    ("truncated", b"ab\xC3"),
    ("rest", b"\xA9 tail\n"),
    ("surrogate", b"a\xED\xA0\x80b"),
    ("utf16", b"\xFF\xFEa\0"),
    ("kana", b"\x1B$B$\"\x1B(B"),
    ("kana-open", b"\x1B$B$\""),
    ("punctuation", "\u{201c}\u{e4}\u{d6}\u{df}\u{20ac}\u{201d} \u{e9}\u{e5}\u{f8}\u{c6} \u{2013} \u{bd} \u{2122}\u{1f600}\n".as_bytes()),
    ("cyrillic", "\u{43c}\u{438}\u{440}\n".as_bytes()),
    ("-x", b"x\n"),
    ("wide", b"\0\0\0a\0\x11\0\0\0\0\0b"),
];

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code, or 128 and the number of the signal.
    pub status: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The files that the run created or changed.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// An `iconv`.
#[derive(Debug, Clone)]
pub struct Program(PathBuf);

impl Program {
    pub fn charpipe() -> Program {
        Program(env!("CARGO_BIN_EXE_charpipe").into())
    }

    pub fn at(path: PathBuf) -> Program {
        Program(path)
    }

    /// The iconv in `PATH`, of whatever library.
    pub fn system() -> Option<Program> {
        let paths = env::var_os("PATH")?;
        let mut candidates = env::split_paths(&paths).map(|path| path.join("iconv"));
        candidates.find(|path| path.is_file()).map(Program)
    }

    /// The program that `CHARPIPE_TEST_ICONV` names, or else the system's iconv, if it is that of the GNU
    /// C library.
    pub fn glibc() -> Option<Program> {
        let named = env::var_os("CHARPIPE_TEST_ICONV").map(|path| Program(path.into()));
        let is_glibc = |program: &Program| {
            let version = watch::command(&program.0).arg("--version").output();
            version.is_ok_and(|output| {
                let version = String::from_utf8_lossy(&output.stdout).into_owned();
                version.contains("GLIBC") || version.contains("GNU libc")
            })
        };
        let found = named.or_else(Program::system).filter(is_glibc);
        if found.is_none() {
            missing("iconv");
        }
        found
    }

    /// A command with the name `iconv` and only these variables in its environment.
    pub fn command(&self, environment: &[(String, String)]) -> Command {
        let mut command = watch::command(&self.0);
        command.arg0("iconv").env_clear();
        let kept = [
            "PATH",
            "CHARPIPE_TEST_BUFFER_SIZE",
            "CHARPIPE_TEST_MUTANT",
            "CHARPIPE_TEST_MUTANTS_REACHED",
            "LLVM_PROFILE_FILE",
        ];
        for name in kept {
            command.envs(env::var_os(name).map(|value| (name, value)));
        }
        let variables = environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        command.envs(variables);
        command
    }

    pub fn run<S: AsRef<OsStr>>(
        &self,
        directory: &Path,
        environment: &[(String, String)],
        arguments: &[S],
        stdin: &[u8],
    ) -> Outcome {
        let before = files_of(directory);
        let mut command = self.command(environment);
        command.args(arguments).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let output = thread::scope(|scope| {
            // The program need not read its input.
            scope.spawn(move || drop(pipe.write_all(stdin)));
            child.wait_with_output().unwrap()
        });
        let mut files = files_of(directory);
        files.retain(|name, content| before.get(name) != Some(content));
        let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        Outcome {
            status: output.status.code().unwrap_or_else(|| 128 + signal.unwrap()),
            stdout: output.stdout,
            stderr: output.stderr,
            files,
        }
    }
}

/// Runs charpipe as `iconv` in the locale `C` with fixtures of its own.
pub fn charpipe(arguments: &[&str]) -> Outcome {
    charpipe_with_input(arguments, b"")
}

/// Runs charpipe as `iconv` in the locale `C` with fixtures of its own and this standard input.
pub fn charpipe_with_input(arguments: &[&str], stdin: &[u8]) -> Outcome {
    let directory = fixtures();
    Program::charpipe().run(directory.path(), &locale("C"), arguments, stdin)
}

/// The environment of a locale for text; messages are English.
pub fn locale(ctype: &str) -> Vec<(String, String)> {
    vec![("LC_CTYPE".to_owned(), ctype.to_owned())]
}

/// A new directory with the fixtures and a subdirectory.
pub fn fixtures() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in FIXTURES {
        fs::write(directory.path().join(name), content).unwrap();
    }
    fs::create_dir(directory.path().join("directory")).unwrap();
    directory
}

fn files_of(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files
        .map(|file| {
            let name = file.file_name().into_string().unwrap();
            (name, fs::read(file.path()).unwrap())
        })
        .collect()
}

/// A directory of locales for `LOCPATH`, if the system can generate them.
pub fn generated_locales() -> Option<&'static Path> {
    static LOCALES: OnceLock<Option<TempDir>> = OnceLock::new();
    let generate = || {
        let directory = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            let made = crate::vectors::LOCALES.map(|(name, source, charmap)| {
                let path = directory.path().join(name);
                scope.spawn(move || {
                    let mut command = watch::command("localedef");
                    command.args(["--no-archive", "-c", "-i", source, "-f", charmap]).arg(&path);
                    let output = command.output();
                    output.is_ok() && path.join("LC_CTYPE").is_file()
                })
            });
            let made = made.map(|thread| thread.join().unwrap());
            made.iter().all(|made| *made)
        })
        .then_some(directory)
    };
    LOCALES.get_or_init(generate).as_ref().map(TempDir::path)
}
