//! What `std::io` leads a user of the adapters to expect.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Read, Write};

use charpipe::plan::Plan;
use charpipe::pump::Pump;
use charpipe::{Error, Reader, Tally, Writer};

fn plan(from: &str, to: &str, policy: &str) -> Plan {
    let mut plan = Plan::new(from.parse().unwrap(), to.parse().unwrap());
    plan.policy.invalid = policy.parse().unwrap();
    plan.policy.unmappable = policy.parse().unwrap();
    plan
}

/// Does each of these things in turn, when read from or written to.
#[derive(Debug)]
struct Script(Vec<Result<&'static str, ErrorKind>>);

impl Script {
    fn next(&mut self) -> io::Result<&'static str> {
        match self.0.is_empty() {
            true => Ok(""),
            false => self.0.remove(0).map_err(io::Error::from),
        }
    }
}

impl Read for Script {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let text = self.next()?;
        space[..text.len()].copy_from_slice(text.as_bytes());
        Ok(text.len())
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.next().map(|_| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn adapters_and_pumps_go_from_thread_to_thread_and_can_be_shown() {
    fn holds<T: Send + Sync + Debug>() {}
    holds::<Reader<io::Stdin>>();
    holds::<Writer<io::Stdout>>();
    holds::<Pump>();
    holds::<Plan>();
    holds::<Error>();
}

#[test]
fn a_read_that_was_interrupted_or_would_block_loses_nothing() {
    let script = Script(vec![
        Ok("one "),
        Err(ErrorKind::Interrupted),
        Ok("€"),
        Err(ErrorKind::WouldBlock),
        Ok(" two"),
    ]);
    let mut reader = Reader::new(script, &plan("utf-8", "utf-7", "stop")).unwrap();
    let mut text = String::new();
    let error = reader.read_to_string(&mut text).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "one +IKw two");
}

#[test]
fn a_reader_gives_all_before_a_fault_then_the_error_then_nothing() {
    let mut reader = Reader::new(&b"ab\xFFcd"[..], &plan("utf-8", "utf-8", "stop")).unwrap();
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    let mut room = [0; 9];
    assert_eq!(reader.read(&mut room).unwrap(), 2);
    assert_eq!(reader.read(&mut room).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(reader.read(&mut room).unwrap(), 0);
}

#[test]
fn a_reader_that_is_asked_for_nothing_reads_nothing() {
    let script = Script(vec![Err(ErrorKind::WouldBlock)]);
    let mut reader = Reader::new(script, &plan("utf-8", "utf-8", "stop")).unwrap();
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    assert_eq!(reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_writer_that_has_failed_neither_goes_on_nor_ends_well() {
    let faulty = (b"a\xFFb", Script(vec![]));
    let broken = (b"a b", Script(vec![Err(ErrorKind::StorageFull)]));
    for (bytes, inner) in [(&faulty.0[..], faulty.1), (&broken.0[..], broken.1)] {
        let mut writer = Writer::new(inner, &plan("utf-8", "utf-8", "stop")).unwrap();
        assert!(writer.write(bytes).is_err());
        assert!(writer.write(b"more").is_err());
        assert!(writer.flush().is_ok());
        assert!(writer.finish().is_err());
    }
}

#[test]
fn a_writer_tells_of_a_fault_at_the_very_end() {
    let mut writer = Writer::new(Vec::new(), &plan("utf-8", "latin1", "replace")).unwrap();
    writer.write_all("€ \u{E9}\u{20}".as_bytes()).unwrap();
    writer.write_all(b"\xE2\x82").unwrap();
    assert_eq!(writer.tally(), Tally { replaced: 1, ..Tally::default() });
    writer.try_finish().unwrap();
    assert_eq!(writer.tally(), Tally { replaced: 2, ..Tally::default() });
    assert!(writer.write(b"more").is_err());
    assert_eq!(writer.finish().unwrap(), b"? \xE9 ?");
}

#[test]
fn tally_tells_lost_characters_from_converted_ones() {
    for (action, text, errors, transliterated, escaped) in [
        ("translit", "é", 0, 1, 0),
        ("translit", "éя€", 1, 2, 0),
        ("xml", "éя", 0, 0, 2),
        ("replace", "éя", 2, 0, 0),
        ("skip", "éя", 2, 0, 0),
    ] {
        let mut plan = Plan::new("utf-8".parse().unwrap(), "ascii".parse().unwrap());
        plan.policy.unmappable = action.parse().unwrap();
        let mut writer = Writer::new(Vec::new(), &plan).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        writer.try_finish().unwrap();
        let tally = writer.tally();
        let counted = (tally.errors(), tally.transliterated, tally.escaped);
        assert_eq!(counted, (errors, transliterated, escaped), "{action} {text}");
    }
}
