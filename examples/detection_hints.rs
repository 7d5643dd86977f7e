//! Detects the encodings of files in a known language, or from a known country.
//!
//!     cargo run --no-default-features --features detect --example detection_hints HINT [FILE]...
//!
//! HINT is the tag of a language, such as `cs`, or a domain, such as `.cz`.

use std::fs::File;
use std::io::{self, Read};

use charpipe::detect::{Detection, DetectionHints, Detector, Language};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let hint = arguments.next().unwrap_or_default();
    let hint = hint.to_string_lossy();
    let hints = match hint.rsplit_once('.') {
        Some((_, domain)) => DetectionHints::new().with_top_level_domain(domain),
        None => match Language::for_code(&hint) {
            Some(language) => DetectionHints::new().with_language(language),
            None => DetectionHints::new(),
        },
    };
    for path in arguments {
        let detection = detect_with(&hints, &mut File::open(&path)?)?;
        for candidate in &detection.candidates {
            let percent = candidate.probability * 100.0;
            let language = candidate.language.map_or("-", Language::code);
            println!("{}: {} {percent:.1} % {language}", path.display(), candidate.encoding.name());
        }
    }
    Ok(())
}

fn detect_with(hints: &DetectionHints, input: &mut dyn Read) -> io::Result<Detection> {
    let mut detector = Detector::with_hints(hints);
    let mut buffer = [0; 8192];
    while !detector.is_done() {
        match input.read(&mut buffer)? {
            0 => break,
            count => detector.feed(&buffer[..count]),
        }
    }
    Ok(detector.finish())
}
