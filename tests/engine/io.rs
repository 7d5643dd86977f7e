//! The `std::io` adapters behave as `Read` and `Write` require.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Read, Write};

use charpipe::TranscodeOptions;
use charpipe::Transcoder;
use charpipe::{Error, ErrorCounts, TranscodeReader, TranscodeWriter};

fn conversion_options(from: &str, to: &str, policy: &str) -> TranscodeOptions {
    let mut options = TranscodeOptions::from_labels(from, to).unwrap();
    options.error_policy.malformed = policy.parse().unwrap();
    options.error_policy.unmappable = policy.parse().unwrap();
    options
}

/// Does each of these things in turn, when read from or written to.
#[derive(Debug)]
struct ScriptedIo(Vec<Result<&'static str, ErrorKind>>);

impl ScriptedIo {
    fn next(&mut self) -> io::Result<&'static str> {
        match self.0.is_empty() {
            true => Ok(""),
            false => self.0.remove(0).map_err(io::Error::from),
        }
    }
}

impl Read for ScriptedIo {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let text = self.next()?;
        space[..text.len()].copy_from_slice(text.as_bytes());
        Ok(text.len())
    }
}

impl Write for ScriptedIo {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.next().map(|_| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn adapters_and_transcoders_are_send_sync_and_debug() {
    fn holds<T: Send + Sync + Debug>() {}
    holds::<TranscodeReader<io::Stdin>>();
    holds::<TranscodeWriter<io::Stdout>>();
    holds::<Transcoder>();
    holds::<TranscodeOptions>();
    holds::<Error>();
}

#[test]
fn interrupted_or_blocking_read_loses_no_data() {
    let script = ScriptedIo(vec![
        Ok("one "),
        Err(ErrorKind::Interrupted),
        Ok("€"),
        Err(ErrorKind::WouldBlock),
        Ok(" two"),
    ]);
    let mut reader =
        TranscodeReader::new(script, &conversion_options("utf-8", "utf-7", "stop")).unwrap();
    let mut text = String::new();
    let error = reader.read_to_string(&mut text).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "one +IKw two");
}

#[test]
fn reader_returns_data_then_the_error_then_end() {
    let mut reader =
        TranscodeReader::new(&b"ab\xFFcd"[..], &conversion_options("utf-8", "utf-8", "stop"))
            .unwrap();
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    let mut space = [0; 9];
    assert_eq!(reader.read(&mut space).unwrap(), 2);
    assert_eq!(reader.read(&mut space).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(reader.read(&mut space).unwrap(), 0);
}

#[test]
fn read_into_an_empty_buffer_reads_zero_bytes() {
    let script = ScriptedIo(vec![Err(ErrorKind::WouldBlock)]);
    let mut reader =
        TranscodeReader::new(script, &conversion_options("utf-8", "utf-8", "stop")).unwrap();
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    assert_eq!(reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn failed_writer_keeps_failing() {
    let invalid = (b"a\xFFb", ScriptedIo(vec![]));
    let broken = (b"a b", ScriptedIo(vec![Err(ErrorKind::StorageFull)]));
    for (bytes, inner) in [(&invalid.0[..], invalid.1), (&broken.0[..], broken.1)] {
        let mut writer =
            TranscodeWriter::new(inner, &conversion_options("utf-8", "utf-8", "stop")).unwrap();
        assert!(writer.write(bytes).is_err());
        assert!(writer.write(b"more").is_err());
        assert!(writer.flush().is_ok());
        assert!(writer.finish().is_err());
    }
}

#[test]
fn writer_reports_an_error_at_the_end() {
    let mut writer =
        TranscodeWriter::new(Vec::new(), &conversion_options("utf-8", "latin1", "replace"))
            .unwrap();
    writer.write_all("€ \u{E9}\u{20}".as_bytes()).unwrap();
    writer.write_all(b"\xE2\x82").unwrap();
    assert_eq!(writer.error_counts(), ErrorCounts { replaced: 1, ..ErrorCounts::default() });
    writer.try_finish().unwrap();
    assert_eq!(writer.error_counts(), ErrorCounts { replaced: 2, ..ErrorCounts::default() });
    assert!(writer.write(b"more").is_err());
    assert_eq!(writer.finish().unwrap(), b"? \xE9 ?");
}

#[test]
fn tally_separates_lost_and_converted_characters() {
    for (action, text, errors, transliterated, escaped) in [
        ("translit", "é", 0, 1, 0),
        ("translit", "éя€", 1, 2, 0),
        ("xml", "éя", 0, 0, 2),
        ("replace", "éя", 2, 0, 0),
        ("skip", "éя", 2, 0, 0),
    ] {
        let mut options = TranscodeOptions::from_labels("utf-8", "ascii").unwrap();
        options.error_policy.unmappable = action.parse().unwrap();
        let mut writer = TranscodeWriter::new(Vec::new(), &options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        writer.try_finish().unwrap();
        let tally = writer.error_counts();
        let counted = (tally.errors(), tally.transliterated, tally.escaped);
        assert_eq!(counted, (errors, transliterated, escaped), "{action} {text}");
    }
}

#[test]
fn slice_is_converted_by_one_transform_as_by_a_writer() {
    let inputs = [
        "",
        "\u{FEFF}\u{E9}",
        "e\u{301} \u{AC01} \u{FDFA}\u{FDFA}\u{FDFA}\n",
        "&eacute; &amp",
        "a \u{439}\r\n\u{436}\u{443}",
        "\u{212B} & x",
    ];
    let malformed = [b"\xC3".as_slice(), b"a\nb\xFFc"];
    for (from, to) in [
        ("utf-8", "utf-8/nfd"),
        ("utf-8", "utf-8/nfkd"),
        ("utf-8/nfc", "utf-8"),
        ("utf-8/html", "utf-8"),
        ("utf-8/xml", "utf-8"),
        ("utf-8", "utf-8/crlf"),
        ("utf-8", "utf-8/cyrillic-russian"),
        ("utf-8", "utf-8/xml:ascii"),
        ("utf-8", "utf-8/base64"),
        ("utf-8/html", "utf-8/nfc"),
    ] {
        let options = TranscodeOptions::from_labels(from, to).unwrap();
        for input in inputs.iter().map(|text| text.as_bytes()).chain(malformed) {
            let mut writer = TranscodeWriter::new(Vec::new(), &options).unwrap();
            let written = writer.write_all(input).and_then(|()| writer.finish());
            let expected = written.map_err(|error| error.to_string());
            let converted = options.transcode(input).map_err(|error| error.to_string());
            assert_eq!(converted, expected, "{from} {to} {input:?}");
        }
    }
}
