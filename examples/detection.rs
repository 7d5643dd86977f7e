//! Detects the encodings of files, or of a sample.
//!
//!     cargo run --no-default-features --features detect --example detection [FILE]...

use std::fs::File;

use charpipe::detect::{Confidence, detect, detect_reader};

fn main() -> std::io::Result<()> {
    let sample = detect("Привет, мир. Это текст.".as_bytes());
    let best = sample.best().expect("text has a candidate");
    assert_eq!((best.encoding, best.confidence), (charpipe::UTF_8, Confidence::Certain));

    for path in std::env::args_os().skip(1) {
        let detection = detect_reader(&mut File::open(&path)?)?;
        let path = path.display();
        match detection.best() {
            Some(best) => println!("{path}: {} ({})", best.encoding.name(), best.confidence),
            None if detection.is_text() => println!("{path}: unknown encoding"),
            None => println!("{path}: no text"),
        }
    }
    Ok(())
}
