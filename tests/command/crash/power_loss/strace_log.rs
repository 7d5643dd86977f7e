//! The system calls of a run, as logged by `strace`.

use std::collections::HashMap;

/// A call that has come back.
#[derive(Debug)]
pub struct SystemCall {
    pub name: String,
    pub arguments: Vec<String>,
    /// None if it failed.
    pub result: Option<i64>,
    /// The line, for messages.
    pub line: String,
}

/// The arguments of `strace`: strings whole and in hexadecimal, so that a comma is never within one, and
/// every call that names a file or a descriptor.
pub const OPTIONS: [&str; 6] = ["-f", "-xx", "-s", "1000000", "-e", "trace=%file,%desc,sync"];

/// The calls in a log, in the order in which they came back, and those of `close` in which they began.
pub fn parse_calls(log: &str) -> Vec<SystemCall> {
    let mut begun = HashMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let (thread, event) = line.split_once(' ').unwrap_or_default();
        let event = event.trim_start();
        if let Some(front) = event.strip_suffix(" <unfinished ...>") {
            // The number of the descriptor is free at once: another thread may have got it before
            // the call comes back.
            let is_close = front.starts_with("close(");
            calls.extend(is_close.then(|| parse_call(&format!("{front}) = 0"))).flatten());
            begun.insert(thread, if is_close { "" } else { front });
            continue;
        }
        let resumed = event.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>"));
        let whole = match resumed {
            Some((_, rest)) => begun.remove(thread).unwrap_or_default().to_owned() + rest,
            None => event.to_owned(),
        };
        calls.extend(parse_call(&whole));
    }
    calls
}

/// A line that is not a call is about a signal, or the end of a thread.
fn parse_call(line: &str) -> Option<SystemCall> {
    let (front, back) = line.rsplit_once(" = ")?;
    let (name, arguments) = front.trim_end().strip_suffix(')')?.split_once('(')?;
    let word = back.split(' ').next().unwrap_or_default();
    let result = match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    Some(SystemCall {
        name: name.to_owned(),
        arguments: split_arguments(arguments),
        result: result.filter(|result| *result >= 0),
        line: line.to_owned(),
    })
}

/// Parts between commas that are in no brackets.
fn split_arguments(arguments: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in arguments.chars() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is a first").push(letter);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

impl SystemCall {
    /// An argument as it is written.
    pub fn word(&self, number: usize) -> &str {
        self.arguments.get(number).unwrap_or_else(|| panic!("no argument {number}: {}", self.line))
    }

    pub fn number(&self, number: usize) -> i64 {
        self.word(number).parse().unwrap_or_else(|_| panic!("argument {number}: {}", self.line))
    }

    /// The bytes of a string.
    pub fn bytes(&self, number: usize) -> Vec<u8> {
        let quoted = self.word(number).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let quoted = quoted.unwrap_or_else(|| panic!("argument {number}: {}", self.line));
        let byte = |digits| u8::from_str_radix(digits, 16).expect("two digits");
        quoted.split("\\x").skip(1).map(byte).collect()
    }

    pub fn text(&self, number: usize) -> String {
        String::from_utf8(self.bytes(number)).expect("paths are ASCII here")
    }

    pub fn has(&self, number: usize, flag: &str) -> bool {
        self.word(number).split('|').any(|word| word == flag)
    }
}

#[test]
fn system_calls_are_parsed_from_a_log() {
    let log = r#"7  openat(AT_FDCWD, "\x2e", O_RDONLY|O_CLOEXEC) = 5
8  fsync(5 <unfinished ...>
7  write(1, "\x61\x2c", 2) = 2
8  <... fsync resumed>)                    = -1 EIO (Input/output error) (INJECTED)
7  statx(6, "", 0, {a=1, b=[2, 3]}) = 0
8  --- SIGCHLD {si_signo=SIGCHLD} ---
7  +++ exited with 0 +++
"#;
    let calls = parse_calls(log);
    let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["openat", "write", "fsync", "statx"]);
    let results: Vec<_> = calls.iter().map(|call| call.result).collect();
    assert_eq!(results, [Some(5), Some(2), None, Some(0)]);
    assert_eq!((calls[0].text(1).as_str(), calls[0].has(2, "O_CLOEXEC")), (".", true));
    assert_eq!((calls[1].bytes(1), calls[1].number(2)), (b"a,".to_vec(), 2));
    assert_eq!(calls[3].arguments.len(), 4);
}
