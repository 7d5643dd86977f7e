//! Reads lines of a file whose encoding a byte order mark may declare, and writes them in another
//! encoding.
//!
//!     cargo run --no-default-features --example reader

use std::io::{BufRead, BufReader, Write};

use charpipe::{DecodeReader, TranscodeOptions, TranscodeWriter};

fn main() -> std::io::Result<()> {
    // UTF-16 with a byte order mark. Any `Read` will do, such as a `File`.
    let input = b"\xFF\xFEo\0n\0e\0\n\0t\0w\0\xF6\0\n\0";
    let reader = DecodeReader::new(&input[..]).with_encoding(charpipe::WINDOWS_1252);
    let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::ISO_8859_1);
    let mut writer = TranscodeWriter::new(Vec::new(), &options)?;
    for line in BufReader::new(reader).lines() {
        let line = line?;
        println!("{line}");
        writeln!(writer, "{}", line.to_uppercase())?;
    }
    assert_eq!(writer.finish()?, b"ONE\nTW\xD6\n");
    Ok(())
}
