//! Converts bytes in an encoding that is known only at run time to a `String`.
//!
//!     cargo run --no-default-features --example bytes_to_string

use charpipe::Encoding;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A constant, if the encoding is known.
    let (text, had_errors) = charpipe::SHIFT_JIS.decode(b"\x93\xFA\x96\x7B\x8C\xEA");
    assert_eq!((&*text, had_errors), ("日本語", false));

    // A label, for example from a configuration file.
    let encoding = Encoding::lookup("ISO_8859-15")?;
    let text = encoding.decode_strict(b"3 \xA4")?;
    println!("{text} in {}", encoding.name());

    // Back, with `?` for what the encoding does not have.
    let (bytes, had_errors) = charpipe::ISO_8859_1.encode(&text);
    assert_eq!((&*bytes, had_errors), (&b"3 ?"[..], true));

    // Between two encodings, with encoding options.
    let utf7 = charpipe::transcode("latin1", "utf-7:close=always", b"caf\xE9")?;
    println!("{}", String::from_utf8(utf7)?);
    Ok(())
}
