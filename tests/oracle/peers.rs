//! How the converters of other projects are called: their functions from one Python process, for
//! thousands of short questions, and their programs for whole texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::thread;

use crate::watch;

/// A converter of another project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Peer {
    /// The GNU C library's iconv.
    Glibc,
    /// International Components for Unicode, whose program is uconv.
    Icu,
    /// CPython's codecs.
    Cpython,
    /// Perl's Encode.
    Perl,
    /// The charsets of the Java platform.
    Java,
}

impl Peer {
    pub const ALL: [Peer; 5] = [Peer::Glibc, Peer::Icu, Peer::Cpython, Peer::Perl, Peer::Java];

    /// What it is called in the manual.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Glibc => "glibc",
            Peer::Icu => "ICU",
            Peer::Cpython => "CPython",
            Peer::Perl => "Perl's Encode",
            Peer::Java => "Java",
        }
    }

    /// The version whose disagreements have been measured. Other versions may have fewer.
    pub fn measured(self) -> &'static str {
        match self {
            Peer::Glibc => "2.36",
            Peer::Icu => "72.1",
            Peer::Cpython => "3.11",
            Peer::Perl => "3.17",
            Peer::Java => "17",
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name(), self.measured())
    }
}

/// What a converter says about one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It accepts the input and gives this.
    Gives(Vec<u8>),
    /// It refuses the input.
    Refuses,
}

/// What a converter is to do about ill-formed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Refuse it.
    Strict,
    /// Write one U+FFFD for each ill-formed sequence.
    Replace,
    /// Leave out what cannot be converted.
    Ignore,
    /// Convert short inputs, each with its length in front.
    Units,
    /// List labels with the canonical names that they stand for.
    Labels,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Mode::Strict => "strict",
            Mode::Replace => "replace",
            Mode::Ignore => "ignore",
            Mode::Units => "units",
            Mode::Labels => "labels",
        }
    }
}

/// One input to be converted by one peer, which knows the two encodings by these names.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub peer: Peer,
    pub mode: Mode,
    pub from: &'a str,
    pub to: &'a str,
    pub input: &'a [u8],
}

/// The program through which peers are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Calls the libraries of glibc and ICU, and CPython's own codecs.
    Python,
    Perl,
    /// Compiles its source at each start.
    Java,
}

impl Host {
    /// The peers that it calls.
    pub fn peers(self) -> &'static [Peer] {
        match self {
            Host::Python => &[Peer::Glibc, Peer::Icu, Peer::Cpython],
            Host::Perl => &[Peer::Perl],
            Host::Java => &[Peer::Java],
        }
    }

    fn command(self) -> Command {
        let (program, arguments) = match self {
            Host::Python => ("python3", vec!["-c", include_str!("peers.py")]),
            Host::Perl => ("perl", vec!["-e", include_str!("peers.pl")]),
            Host::Java => {
                let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/Peers.java");
                ("java", vec!["-XX:TieredStopAtLevel=1", source])
            }
        };
        let mut command = watch::command(program);
        command.args(arguments);
        command
    }
}

/// The peers that are present, reached through one process of their host.
pub struct Peers {
    child: Child,
    answers: BufReader<ChildStdout>,
    versions: BTreeMap<Peer, String>,
}

impl Peers {
    /// Starts those that Python calls. Says so and gives none where there is no Python.
    pub fn start() -> Option<Peers> {
        Peers::of(Host::Python)
    }

    /// Starts the peers of a host. Says so and gives none where the host is missing.
    pub fn of(host: Host) -> Option<Peers> {
        let mut command = host.command();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            skipped(&format!("no {host:?} here"));
            return None;
        };
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        answers.read_line(&mut greeting).unwrap();
        let mut versions = BTreeMap::new();
        for &peer in host.peers() {
            let version = greeting
                .split_whitespace()
                .filter_map(|word| word.split_once('='))
                .find(|(name, _)| *name == format!("{peer:?}"));
            match version {
                Some((_, version)) => drop(versions.insert(peer, version.to_owned())),
                None => skipped(&format!("no {} here", peer.name())),
            }
        }
        Some(Peers { child, answers, versions })
    }

    pub fn has(&self, peer: Peer) -> bool {
        self.versions.contains_key(&peer)
    }

    /// Whether this peer is here in the version whose disagreements have been measured.
    pub fn is_as_measured(&self, peer: Peer) -> bool {
        self.versions.get(&peer).is_some_and(|version| version == peer.measured())
    }

    /// The answers to these questions, which only peers that are here may be asked.
    pub fn ask(&mut self, questions: &[Question]) -> Vec<Answer> {
        let mut stdin = self.child.stdin.take().unwrap();
        let answers = &mut self.answers;
        thread::scope(|scope| {
            // Answers are read while questions are still being put: neither pipe may fill up.
            let asking = scope.spawn(move || {
                let mut lines = Vec::new();
                for question in questions {
                    let Question { peer, mode, from, to, input } = question;
                    let mode = mode.word();
                    writeln!(lines, "{peer:?} {mode} {from} {to} {}", input.len()).unwrap();
                    lines.extend_from_slice(input);
                    if lines.len() > 1 << 16 {
                        stdin.write_all(&lines).unwrap();
                        lines.clear();
                    }
                }
                // Answers held back so far are to come now.
                writeln!(lines, "- - - - 0").unwrap();
                stdin.write_all(&lines).unwrap();
                stdin.flush().unwrap();
                stdin
            });
            let answers = questions.iter().map(|_| read_answer(answers)).collect();
            self.child.stdin = Some(asking.join().unwrap());
            answers
        })
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

fn read_answer(from: &mut impl BufRead) -> Answer {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("refuses"), None) => Answer::Refuses,
        (Some("gives"), Some(length)) => {
            let mut bytes = vec![0; length.parse().unwrap()];
            from.read_exact(&mut bytes).unwrap();
            Answer::Gives(bytes)
        }
        _ => panic!("the peers ended: {line:?}"),
    }
}

/// The program of a peer, where it is here; where it is not, it says so.
pub fn program(peer: Peer) -> Option<&'static str> {
    let (program, marks) = match peer {
        Peer::Glibc => ("iconv", ["GLIBC", "GNU libc"]),
        Peer::Icu => ("uconv", ["ICU"; 2]),
        Peer::Cpython | Peer::Perl | Peer::Java => return None,
    };
    let version = watch::command(program).arg("--version").output();
    let told = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let own = |line: &str| marks.iter().any(|mark| line.contains(mark));
    if told.is_ok_and(|told| told.lines().next().is_some_and(own)) {
        return Some(program);
    }
    skipped(&format!("no {program} of {} here", peer.name()));
    None
}

/// Says once for each test what it goes without. The test harness keeps back what `println!`
/// writes for a test that passes, so this goes round it.
pub fn skipped(why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let line = format!("{}: skipped: {why}\n", thread::current().name().unwrap_or("oracle"));
    let mut said = SAID.lock().unwrap();
    if !said.contains(&line) {
        io::stderr().write_all(line.as_bytes()).unwrap();
        said.insert(line);
    }
}

/// What a program makes of a whole text.
pub fn by_program(program: &str, from: &str, to: &str, input: &[u8]) -> Answer {
    let mut child = watch::command(program)
        .args(["-f", from, "-t", to])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // A program that stops at a fault reads no further; that is no failure here.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().unwrap()
    });
    if output.status.success() { Answer::Gives(output.stdout) } else { Answer::Refuses }
}
