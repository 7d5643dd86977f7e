//! Reports every error of a conversion with its position.
//!
//!     cargo run --no-default-features --example error_positions

use charpipe::{Error, ErrorAction, ErrorEvent, ErrorReporter, TranscodeOptions};

/// Prints every error.
struct Printer {
    count: usize,
}

impl ErrorReporter for Printer {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, event: &ErrorEvent) {
        self.count += 1;
        if let Some(position) = event.position {
            println!("{position}: {}", event.display("UTF-8", "ISO-8859-1"));
        }
    }
}

fn main() -> Result<(), Error> {
    let input = b"caf\xC3\xA9\nna\xEFve\n3 \xE2\x82\xAC\n";
    let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::ISO_8859_1)
        .on_malformed(ErrorAction::Skip)
        .on_unmappable(ErrorAction::Replace(Some("EUR".to_owned())));
    let (mut transcoder, mut output) = (options.build()?, Vec::new());
    let mut printer = Printer { count: 0 };
    transcoder.process_reader(&mut &input[..], &mut output, &mut printer)?;
    transcoder.finish_input(&mut output, &mut printer)?;
    transcoder.finish(&mut output, &mut printer)?;
    assert_eq!((output.as_slice(), printer.count), (&b"caf\xE9\nnave\n3 EUR\n"[..], 2));

    // Without a reporter: the first error ends the conversion.
    let error = charpipe::UTF_8.decode_strict(input).unwrap_err();
    println!("{error}");
    Ok(())
}
