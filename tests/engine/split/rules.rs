//! The rules, derived from the configurations that the codecs reach.

use charpipe::internals::codec::State;
use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions, lookup_label};
use charpipe::internals::transcode::split::{ByteOrder, SplitPoints, SplitTarget};

use crate::split::exploration::{
    Automaton, Configuration, DecoderAutomaton, EncoderAutomaton, Synchronizing, encode, explore,
    walk,
};
use crate::split::texts;
use charpipe_test_support::XorShift;

/// Bytes that begin, shift or end something in some encoding.
const SAMPLE_BYTES: &[u8] =
    b"\n\r\x0E\x0F\x14\x15\x1B\x25 $%()+&-~!0A@BDGJNOKz{}\x60\x7F\x80\x81\x8E\x8F\x9F\xA0\xA1\xC0\xD8\xDC\xE0\xED\xEF\xF0\xF4\xFC\xFE\xFF";

/// Code units at the limits of ranges, and those that contain 0A.
const SAMPLE_UNITS: &[u32] = &[
    0,
    0xA,
    0x41,
    0xFF,
    0x0A00,
    0x0A41,
    0x4E0A,
    0xD7FF,
    0xD800,
    0xDBFF,
    0xDC00,
    0xDC0A,
    0xDFFF,
    0xFEFF,
    0xFFFE,
    0xFFFF,
    0x1_0000,
    0x10_FFFF,
    0x11_0000,
    0x0A00_0000,
    0x7FFF_FFFF,
    0xFFFE_0000,
    0xFFFF_FFFF,
];

/// Characters that begin, extend or end something in some encoding.
const SAMPLE_CHARACTERS: &str =
    "\n\ra0+-&~é\u{301}\u{4E00}\u{AC00}\u{416}\u{915}\u{93C}\u{304B}\u{309A}\u{CA}";

struct Subject {
    encoding: &'static Encoding,
    options: EncodingOptions,
}

impl Subject {
    fn new(label: &str) -> Subject {
        let (name, options) = label.split_once('|').unwrap_or((label, ""));
        let encoding = lookup_label(name).unwrap();
        Subject { encoding, options: EncodingOptions::parse(options, encoding.options).unwrap() }
    }

    fn rule(&self) -> charpipe::internals::transcode::split::SplitRule {
        self.encoding.factory.split_rule(&self.options)
    }

    fn decoder(&self, remembered: Option<u8>) -> DecoderAutomaton {
        DecoderAutomaton { decoder: self.encoding.decoder(&self.options), remembered }
    }

    /// Returns bytes of this encoding, some of them corrupted.
    fn sample_bytes(&self) -> Vec<Vec<u8>> {
        let mut rng = XorShift::new(7);
        let mut encoder = self.encoding.encoder(&self.options);
        let encodable = texts::encodable(&mut *encoder, &texts::characters());
        let mut samples = Vec::new();
        for round in 0..4 {
            let text = texts::random_text(&mut rng, &encodable, 60);
            let (_, _, mut bytes) = encode(&mut *encoder, State::INITIAL, &text, true);
            for _ in 0..round * 5 {
                let at = rng.below(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng.one(SAMPLE_BYTES);
                }
            }
            samples.push(bytes);
        }
        samples
    }

    fn explore_bytes(&self, not_after: Option<u8>) -> Vec<Synchronizing<Vec<u8>>> {
        let symbols: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        self.explore_from(&mut self.decoder(not_after), &[], &symbols, 1)
    }

    /// Explores units of `width` bytes after a byte order mark.
    fn explore_units(
        &self,
        width: usize,
        order: ByteOrder,
        bom: &[u8],
    ) -> Vec<Synchronizing<Vec<u8>>> {
        let units = SAMPLE_UNITS.iter().filter(|unit| width == 4 || **unit <= 0xFFFF);
        let symbols: Vec<Vec<u8>> = units
            .map(|unit| match order {
                ByteOrder::Big => unit.to_be_bytes()[4 - width..].to_vec(),
                _ => unit.to_le_bytes()[..width].to_vec(),
            })
            .collect();
        self.explore_from(&mut self.decoder(None), bom, &symbols, width)
    }

    fn explore_from(
        &self,
        decoder: &mut DecoderAutomaton,
        bom: &[u8],
        symbols: &[Vec<u8>],
        width: usize,
    ) -> Vec<Synchronizing<Vec<u8>>> {
        let mut start = vec![Configuration::initial()];
        if !bom.is_empty() {
            start = vec![decoder.step(&start[0], &bom.to_vec()).0];
        }
        for bytes in self.sample_bytes() {
            let symbols: Vec<_> = bytes.chunks_exact(width).map(<[u8]>::to_vec).collect();
            // Without the first unit, which could be a byte order mark.
            let first = start[0].clone();
            start.extend(walk(decoder, first, &symbols[(width > 1).into()..]));
        }
        let is_sample = |symbol: &Vec<u8>| width > 1 || SAMPLE_BYTES.contains(&symbol[0]);
        explore(decoder, start, symbols, is_sample, |at| at.last.is_some())
    }

    /// Returns why these split points are wrong, if they are.
    fn check_source(&self, points: &SplitPoints) -> Result<(), String> {
        match *points {
            SplitPoints::AnyByte { line_feeds } => {
                let found = self.explore_bytes(None);
                if found.len() < 256 {
                    return Err(format!("{} bytes are not synchronizing", 256 - found.len()));
                }
                let ends = found.iter().filter(|found| found.ends_with_line_feed);
                let line_ends: Vec<u8> = ends.map(|found| found.symbol[0]).collect();
                (line_ends == line_feeds.iter().collect::<Vec<_>>())
                    .then_some(())
                    .ok_or_else(|| format!("the line feeds are {line_ends:02X?}"))
            }
            SplitPoints::AfterByte { bytes, line_feeds, not_after } => {
                let found = self.explore_bytes(not_after);
                if bytes.is_empty() || found.len() == 256 {
                    return Err("no byte, or any byte".to_owned());
                }
                for byte in bytes.iter() {
                    let Some(found) = found.iter().find(|found| found.symbol == [byte]) else {
                        return Err(format!("{byte:02X} is not synchronizing"));
                    };
                    if line_feeds.contains(byte) != found.ends_with_line_feed {
                        return Err(format!("{byte:02X} is a line feed or is not"));
                    }
                }
                let all = || found.iter().all(|found| bytes.contains(found.symbol[0]));
                let is_tight = line_feeds == bytes || all();
                is_tight.then_some(()).ok_or_else(|| "other bytes are synchronizing too".to_owned())
            }
            SplitPoints::AfterLineFeedUnit { width, byte_order } => {
                let width = usize::from(width);
                let bom = |order| match (order, width) {
                    (ByteOrder::Big, 2) => vec![0xFE, 0xFF],
                    (ByteOrder::Big, _) => vec![0, 0, 0xFE, 0xFF],
                    (_, 2) => vec![0xFF, 0xFE],
                    _ => vec![0xFF, 0xFE, 0, 0],
                };
                let starts = match byte_order {
                    ByteOrder::Bom => vec![
                        (ByteOrder::Big, bom(ByteOrder::Big)),
                        (ByteOrder::Little, bom(ByteOrder::Little)),
                        (ByteOrder::Little, b"a\0\0\0"[..width].to_vec()),
                    ],
                    order => vec![(order, Vec::new())],
                };
                for (order, start) in starts {
                    let mut line_feed = vec![0; width];
                    line_feed[if order == ByteOrder::Big { width - 1 } else { 0 }] = b'\n';
                    let explored = self.explore_units(width, order, &start);
                    let found = explored.iter().find(|found| found.symbol == line_feed);
                    if !found.is_some_and(|found| found.ends_with_line_feed) {
                        return Err(format!(
                            "{line_feed:02X?} is not synchronizing after {start:02X?}"
                        ));
                    }
                }
                Ok(())
            }
            SplitPoints::None { .. } => {
                let found = self.explore_bytes(None);
                let line_feed = found.iter().find(|found| found.ends_with_line_feed);
                line_feed
                    .map_or(Ok(()), |found| Err(format!("{:02X?} is synchronizing", found.symbol)))
            }
        }
    }

    /// Returns why this rule for the target is wrong, if it is.
    fn check_target(&self, target: SplitTarget) -> Result<(), String> {
        let characters = texts::characters();
        let mut encoder = EncoderAutomaton(self.encoding.encoder(&self.options));
        let mut rng = XorShift::new(3);
        let mut start = vec![Configuration::initial()];
        let encodable = texts::encodable(&mut *encoder.0, &characters);
        for _ in 0..4 {
            let text: Vec<char> = texts::random_text(&mut rng, &encodable, 60).chars().collect();
            start.extend(walk(&mut encoder, Configuration::initial(), &text));
        }
        let is_sample = |character: &char| SAMPLE_CHARACTERS.contains(*character);
        let found = explore(&mut encoder, start, &characters, is_sample, |_| false);
        let initial = Configuration::initial();
        let separate =
            found.len() == characters.len() && found.iter().all(|found| found.target == initial);
        let line_feed = found.iter().find(|found| found.symbol == '\n').map(|found| &found.target);
        let expected = match line_feed {
            _ if separate => "any character",
            None => "none",
            Some(target) if *target == initial => "line feed",
            Some(_) => "line feed, header",
        };
        let given = match target {
            SplitTarget::AnyCharacter => "any character",
            SplitTarget::AfterLineFeed { header: false } => "line feed",
            SplitTarget::AfterLineFeed { header: true } => "line feed, header",
            _ => "none",
        };
        if given == expected { Ok(()) } else { Err(format!("{given} instead of {expected}")) }
    }

    /// Returns why the line feeds that have to be verified are wrong, if they are.
    fn check_unverified(&self) -> Result<(), String> {
        let mut decoder = self.decoder(None);
        for byte in self.rule().unverified_line_feeds.iter() {
            let (after, text) = decoder.step(&Configuration::initial(), &vec![byte]);
            if after != Configuration::initial() || text != b"\n" {
                return Err(format!("{byte:02X} in the initial state is not a line feed"));
            }
        }
        Ok(())
    }
}

#[test]
fn rules_of_all_encodings_are_those_of_their_codecs() {
    let subjects: Vec<Subject> = texts::encodings_with_options()
        .into_iter()
        .map(|(encoding, options)| Subject { encoding, options })
        .collect();
    let check = |subject: &Subject| {
        let rule = subject.rule();
        let results = [
            subject.check_source(&rule.source),
            subject.check_target(rule.target),
            subject.check_unverified(),
        ];
        let failed = results.into_iter().filter_map(Result::err).collect::<Vec<_>>();
        let name = format!("{}{}", subject.encoding.name(), subject.options);
        (!failed.is_empty()).then(|| format!("{name}: {rule}: {}", failed.join("; ")))
    };
    let wrong: Vec<String> = texts::in_parallel(&subjects, check).into_iter().flatten().collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

/// Returns the points after these bytes, all of which are line feeds.
fn after(label: &str) -> SplitPoints {
    lookup_label(label).unwrap().split_rule().source
}

#[test]
fn wrong_source_rules_are_found() {
    let line_feed = after("utf-8");
    let any_byte = after("latin1");
    let shifts = after("ibm939");
    let ebcdic_line_feed =
        after("ibm1047").for_target(SplitTarget::AfterLineFeed { header: false });
    for (label, points) in [
        ("iso-2022-jp", line_feed),
        ("iso-2022-jp-2", line_feed),
        ("whatwg:iso-2022-jp", line_feed),
        ("iso-2022-kr", line_feed),
        ("jis7", line_feed),
        ("ibm939", line_feed),
        ("ibm939", after("utf-ebcdic")),
        ("ibm1047", after("utf-ebcdic").for_target(SplitTarget::AnyCharacter)),
        ("ibm930", ebcdic_line_feed),
        ("iso-2022-kr", shifts),
        ("hz", line_feed),
        ("utf-7-imap", line_feed),
        ("utf-7-imap", any_byte),
        ("utf-7", any_byte),
        ("utf-5", line_feed),
        ("utf-16", line_feed),
        ("utf-16le", line_feed),
        ("utf-16le", after("utf-16be")),
        ("utf-16be", after("utf-16")),
        ("utf-16", after("utf-16le")),
        ("utf-16", after("utf-16be")),
        ("utf-32", after("utf-32le")),
        ("utf-32le", after("utf-16le")),
        ("utf-16le", after("utf-32le")),
        ("jis_x0208", line_feed),
        ("jis_x0208", any_byte),
        ("ibm971", after("jis_x0208")),
        ("jis_x0208", after("ibm971")),
        ("utf-8", any_byte),
        ("shift_jis", any_byte),
        ("cp1255", any_byte),
        ("iso_6937", any_byte),
        ("scsu", line_feed),
        ("lmbcs-1", line_feed),
        ("compound_text", line_feed),
        ("iscii-dev", any_byte),
        ("ibm037", line_feed),
        ("latin1", ebcdic_line_feed),
        ("utf-8", after("iso-2022-jp")),
    ] {
        let subject = Subject::new(label);
        assert!(subject.check_source(&points).is_err(), "{label} {points}");
    }
}

/// The bytes 0A 00 in the middle of U+0A41 U+4E00, which are 41 0A 00 4E.
#[test]
fn unaligned_line_feeds_of_utf_16_are_found() {
    let subject = Subject::new("utf-16le");
    let symbols: Vec<Vec<u8>> = [b"\n\0".as_slice(), b"\n", b"\0", b"A", b"\xD8"]
        .iter()
        .map(|bytes| bytes.to_vec())
        .collect();
    let is_found = |symbols: &[Vec<u8>]| {
        let start = vec![Configuration::initial()];
        let found = explore(&mut subject.decoder(None), start, symbols, |_| true, |_| false);
        found.iter().any(|found| found.symbol == b"\n\0")
    };
    assert!(!is_found(&symbols));
    let aligned = [b"\n\0".to_vec(), b"A\0".to_vec(), b"\0\xD8".to_vec(), b"\0\n".to_vec()];
    assert!(is_found(&aligned));
}

#[test]
fn wrong_target_rules_are_found() {
    let line_feed = SplitTarget::AfterLineFeed { header: false };
    for (label, target) in [
        ("utf-7", SplitTarget::AnyCharacter),
        ("utf-7-imap", line_feed),
        ("utf-7-imap|eol=keep", SplitTarget::AnyCharacter),
        ("utf-5|wrap=8", line_feed),
        ("utf-16", line_feed),
        ("utf-16", SplitTarget::AnyCharacter),
        ("utf-8-sig", line_feed),
        ("iso-2022-kr", line_feed),
        ("libiconv:iso-2022-kr", line_feed),
        ("libiconv:iso-2022-kr", SplitTarget::AfterLineFeed { header: true }),
        ("whatwg:iso-2022-jp", line_feed),
        ("iso-2022-jp", SplitTarget::AnyCharacter),
        ("big5hkscs", SplitTarget::AnyCharacter),
        ("ibm939", SplitTarget::AnyCharacter),
        ("scsu", line_feed),
        ("compound_text", line_feed),
        ("c99", SplitTarget::AnyCharacter),
        ("utf-8", line_feed),
        ("iso-2022-jp", SplitTarget::AfterLineFeed { header: true }),
    ] {
        assert!(Subject::new(label).check_target(target).is_err(), "{label} {target}");
    }
}

/// The numbers of encodings by the kind of their rule.
#[test]
fn most_encodings_can_be_split() {
    let splittable =
        |encoding: &&&Encoding| !matches!(encoding.split_rule().source, SplitPoints::None { .. });
    let is_target =
        |encoding: &&&Encoding| !matches!(encoding.split_rule().target, SplitTarget::None { .. });
    assert!(ALL.iter().filter(splittable).count() > ALL.len() - 31);
    assert!(ALL.iter().filter(is_target).count() > ALL.len() - 8);
}
