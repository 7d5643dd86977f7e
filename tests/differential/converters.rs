//! How the converters of other projects are called: their functions from one Python process, for
//! thousands of short questions, and their programs for whole texts.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use charpipe_test_support::{missing, watch};

/// A converter of another project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherConverter {
    /// The GNU C library's iconv.
    Glibc,
    /// International Components for Unicode, whose program is uconv.
    Icu,
    /// CPython's codecs.
    Cpython,
    /// Perl's Encode.
    Perl,
    /// The encodings of the Java platform.
    Java,
}

impl OtherConverter {
    pub const ALL: [OtherConverter; 5] = [
        OtherConverter::Glibc,
        OtherConverter::Icu,
        OtherConverter::Cpython,
        OtherConverter::Perl,
        OtherConverter::Java,
    ];

    /// Its name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            OtherConverter::Glibc => "glibc",
            OtherConverter::Icu => "ICU",
            OtherConverter::Cpython => "CPython",
            OtherConverter::Perl => "Perl's Encode",
            OtherConverter::Java => "Java",
        }
    }

    /// The version whose disagreements have been measured. Other versions may have fewer.
    pub fn measured(self) -> &'static str {
        match self {
            OtherConverter::Glibc => "2.36",
            OtherConverter::Icu => "72.1",
            OtherConverter::Cpython => "3.11",
            OtherConverter::Perl => "3.17",
            OtherConverter::Java => "17",
        }
    }
}

impl fmt::Display for OtherConverter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name(), self.measured())
    }
}

/// The result of a converter for one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConverterResult {
    /// It accepts the input and gives this.
    Output(Vec<u8>),
    /// It refuses the input.
    Error,
}

/// The error action of a converter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryMode {
    /// Refuse it.
    Strict,
    /// Write one U+FFFD for each ill-formed sequence.
    Replace,
    /// Leave out what cannot be converted.
    Ignore,
    /// Keep surrogates, as Python's `surrogatepass`.
    Wobbly,
    /// Convert short inputs, each with its length in front.
    Units,
    /// List labels with the canonical names that they resolve to.
    Labels,
}

impl QueryMode {
    fn argument(self) -> &'static str {
        match self {
            QueryMode::Strict => "strict",
            QueryMode::Replace => "replace",
            QueryMode::Ignore => "ignore",
            QueryMode::Wobbly => "surrogatepass",
            QueryMode::Units => "units",
            QueryMode::Labels => "labels",
        }
    }
}

/// One input to be converted by one converter, which knows the two encodings by these names.
#[derive(Debug, Clone)]
pub struct ConverterQuery<'a> {
    pub converter: OtherConverter,
    pub mode: QueryMode,
    pub from: &'a str,
    pub to: &'a str,
    pub input: &'a [u8],
}

/// The program through which converters are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperProgram {
    /// Calls the libraries of glibc and ICU, and CPython's own codecs.
    Python,
    Perl,
    /// Compiles its source at each start.
    Java,
}

impl HelperProgram {
    /// The converters that it calls.
    pub fn converters(self) -> &'static [OtherConverter] {
        match self {
            HelperProgram::Python => {
                &[OtherConverter::Glibc, OtherConverter::Icu, OtherConverter::Cpython]
            }
            HelperProgram::Perl => &[OtherConverter::Perl],
            HelperProgram::Java => &[OtherConverter::Java],
        }
    }

    fn command(self) -> Command {
        let (program, arguments) = match self {
            HelperProgram::Python => ("python3", vec!["-c", include_str!("converters.py")]),
            HelperProgram::Perl => ("perl", vec!["-e", include_str!("converters.pl")]),
            HelperProgram::Java => {
                let source =
                    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/Converters.java");
                ("java", vec!["-XX:TieredStopAtLevel=1", source])
            }
        };
        let mut command = watch::command(program);
        command.args(arguments);
        command
    }
}

/// The converters that are present, reached through one process of their host.
pub struct ConverterProcess {
    process: Child,
    results: BufReader<ChildStdout>,
    versions: BTreeMap<OtherConverter, String>,
}

impl ConverterProcess {
    /// Starts those that Python calls. Reports it and returns none without Python.
    pub fn start() -> Option<ConverterProcess> {
        ConverterProcess::of(HelperProgram::Python)
    }

    /// Starts the converters of a host. Says so and gives none where the host is missing.
    pub fn of(host: HelperProgram) -> Option<ConverterProcess> {
        let mut command = host.command();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            missing(&format!("{host:?}"));
            return None;
        };
        let mut results = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        results.read_line(&mut greeting).unwrap();
        let mut versions = BTreeMap::new();
        for &converter in host.converters() {
            let version = greeting
                .split_whitespace()
                .filter_map(|word| word.split_once('='))
                .find(|(name, _)| *name == format!("{converter:?}"));
            match version {
                Some((_, version)) => drop(versions.insert(converter, version.to_owned())),
                None => missing(converter.name()),
            }
        }
        Some(ConverterProcess { process: child, results, versions })
    }

    pub fn has(&self, converter: OtherConverter) -> bool {
        self.versions.contains_key(&converter)
    }

    /// Whether this converter is here in the version whose disagreements have been measured.
    pub fn is_as_measured(&self, converter: OtherConverter) -> bool {
        self.versions.get(&converter).is_some_and(|version| version == converter.measured())
    }

    /// The results of these queries, which only converters that are here may be asked.
    pub fn query(&mut self, questions: &[ConverterQuery]) -> Vec<ConverterResult> {
        let mut stdin = self.process.stdin.take().unwrap();
        let results = &mut self.results;
        thread::scope(|scope| {
            // Results are read while queries are still being written: neither pipe may fill up.
            let asking = scope.spawn(move || {
                let mut lines = Vec::new();
                for question in questions {
                    let ConverterQuery { converter, mode, from, to, input } = question;
                    let mode = mode.argument();
                    writeln!(lines, "{converter:?} {mode} {from} {to} {}", input.len()).unwrap();
                    lines.extend_from_slice(input);
                    if lines.len() > 1 << 16 {
                        stdin.write_all(&lines).unwrap();
                        lines.clear();
                    }
                }
                // Results held back so far are requested now.
                writeln!(lines, "- - - - 0").unwrap();
                stdin.write_all(&lines).unwrap();
                stdin.flush().unwrap();
                stdin
            });
            let results = questions.iter().map(|_| read_result(results)).collect();
            self.process.stdin = Some(asking.join().unwrap());
            results
        })
    }
}

impl Drop for ConverterProcess {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().ok();
    }
}

fn read_result(from: &mut impl BufRead) -> ConverterResult {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("refuses"), None) => ConverterResult::Error,
        (Some("gives"), Some(length)) => {
            let mut bytes = vec![0; length.parse().unwrap()];
            from.read_exact(&mut bytes).unwrap();
            ConverterResult::Output(bytes)
        }
        _ => panic!("the converters ended: {line:?}"),
    }
}

/// The program of a converter, where it is here; where it is not, it says so.
pub fn program(converter: OtherConverter) -> Option<&'static str> {
    let (program, marks) = match converter {
        OtherConverter::Glibc => ("iconv", ["GLIBC", "GNU libc"]),
        OtherConverter::Icu => ("uconv", ["ICU"; 2]),
        OtherConverter::Cpython | OtherConverter::Perl | OtherConverter::Java => return None,
    };
    let version = watch::command(program).arg("--version").output();
    let printed = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let own = |line: &str| marks.iter().any(|mark| line.contains(mark));
    if printed.is_ok_and(|printed| printed.lines().next().is_some_and(own)) {
        return Some(program);
    }
    missing(&format!("{program} of {}", converter.name()));
    None
}

/// Returns the conversion of a whole text by a program.
pub fn by_program(program: &str, from: &str, to: &str, input: &[u8]) -> ConverterResult {
    let mut child = watch::command(program)
        .args(["-f", from, "-t", to])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // A program that stops at an error reads no further; that is not a failure here.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().unwrap()
    });
    if output.status.success() {
        ConverterResult::Output(output.stdout)
    } else {
        ConverterResult::Error
    }
}
