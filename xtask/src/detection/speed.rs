//! The speed of detection.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::python;
use super::sample::Sample;

/// Runs a command and prints its CPU time, which does not depend on what else the machine does.
const CPU_TIME: &str = "\
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime)
";

/// The size of the files.
const SIZE: usize = 256 << 20;

const RUNS: usize = 3;

/// The languages and encodings that are measured.
const FILES: [(&str, &str); 8] = [
    ("en", "ASCII"),
    ("fr", "UTF-8"),
    ("ja", "UTF-8"),
    ("fr", "windows-1252"),
    ("ru", "windows-1251"),
    ("ja", "Shift_JIS"),
    ("zh-Hans", "GB18030"),
    ("ja", "UTF-16LE"),
];

/// The speed for a file.
pub struct Speed {
    pub language: &'static str,
    pub encoding: &'static str,
    pub megabytes_per_second: f64,
}

/// Measures the CPU time of `charpipe detect` for large files, less that for a small one.
pub fn measure(program: &Path, samples: &[Sample], directory: &Path) -> Result<Vec<Speed>> {
    let file = directory.join("speed");
    fs::write(&file, "text\n")?;
    let start = best_time(program, &file)?;
    let mut speeds = Vec::new();
    for (language, encoding) in FILES {
        let mut data = Vec::new();
        for sample in samples.iter().filter(|sample| {
            sample.length == 5000 && sample.language == language && sample.is_pair()
        }) {
            match encoding {
                "ASCII" => data.extend(sample.text.bytes().filter(u8::is_ascii)),
                "UTF-8" => data.extend(sample.text.bytes()),
                _ if sample.encoding == encoding => data.extend(&sample.bytes),
                _ => continue,
            }
            if encoding != "UTF-16LE" {
                data.push(b'\n');
            }
        }
        if data.is_empty() {
            continue;
        }
        let data: Vec<u8> = data.repeat(SIZE / data.len() + 1);
        fs::write(&file, &data)?;
        let time = best_time(program, &file)? - start;
        let megabytes_per_second = data.len() as f64 / 1e6 / time;
        speeds.push(Speed { language, encoding, megabytes_per_second });
    }
    fs::remove_file(&file)?;
    Ok(speeds)
}

/// Returns the shortest CPU time, of the program and of the system, that detection takes.
fn best_time(program: &Path, file: &Path) -> Result<f64> {
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let mut command = Command::new(python());
        command.args(["-c", CPU_TIME]).arg(program).args(["detect", "--json", "--"]).arg(file);
        let output = command.output().context("python")?;
        best = best.min(String::from_utf8(output.stdout)?.trim().parse()?);
    }
    Ok(best)
}
