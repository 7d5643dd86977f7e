//! Conversions for which glibc has a module of its own, which does not go through Unicode: between
//! GB2312 and BIG5, where simplified and traditional characters become each other, between GB2312 and
//! GBK, and between the code pages IBM1008 and IBM420.

use charpipe_encoding::codec::{Checkpoint, DecodeStage, EncodeStage, Progress};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_encoding::encoding::{CodecFactory, Encoding, EncodingOptions};

/// A conversion between two encodings.
#[derive(Debug, Clone, Copy)]
pub struct DirectConversion {
    /// The encoding of the input.
    pub from: &'static Encoding,
    /// The encoding of the output.
    pub to: &'static Encoding,
    /// The text that is written for a character without a code when errors are skipped.
    pub missing: Option<&'static str>,
}

impl DirectConversion {
    /// Returns the direct conversion between two encodings, if there is one.
    pub fn between(from: &'static Encoding, to: &'static Encoding) -> Option<DirectConversion> {
        let (to, missing) = match (from.name(), to.name()) {
            ("EUC-CN", "BIG5") => (&GB2312_TO_BIG5, Some(WHITE_SQUARE)),
            ("BIG5", "EUC-CN") => (&BIG5_TO_GB2312, Some(WHITE_SQUARE)),
            ("EUC-CN", "GBK") => (&GB2312_TO_GBK, None),
            ("GBK", "EUC-CN") => (&GBK_TO_GB2312, None),
            ("IBM1008", "IBM420") => return Some(DirectConversion::of_bytes(&IBM1008_TO_IBM420)),
            ("IBM420", "IBM1008") => return Some(DirectConversion::of_bytes(&IBM420_TO_IBM1008)),
            _ => return None,
        };
        Some(DirectConversion { from, to, missing })
    }

    fn of_bytes(from: &'static Encoding) -> DirectConversion {
        DirectConversion { from, to: charpipe_encoding::ISO_8859_1, missing: None }
    }
}

const WHITE_SQUARE: &str = "\u{25A1}";

static GB2312_TO_BIG5: Encoding = substituting(
    "BIG5",
    &SubstitutingFactory {
        encoding: &charpipe_encoding::BIG5,
        rows: include_str!("direct/gb2312-big5.tsv"),
    },
);

static BIG5_TO_GB2312: Encoding = substituting(
    "EUC-CN",
    &SubstitutingFactory {
        encoding: &charpipe_encoding::EUC_CN,
        rows: include_str!("direct/big5-gb2312.tsv"),
    },
);

static GB2312_TO_GBK: Encoding = substituting(
    "GBK",
    &SubstitutingFactory {
        encoding: &charpipe_encoding::GBK,
        rows: include_str!("direct/gb2312-gbk.tsv"),
    },
);

static GBK_TO_GB2312: Encoding = substituting(
    "EUC-CN",
    &SubstitutingFactory {
        encoding: &charpipe_encoding::EUC_CN,
        rows: include_str!("direct/gbk-gb2312.tsv"),
    },
);

const fn substituting(name: &'static str, factory: &'static SubstitutingFactory) -> Encoding {
    Encoding::new(name, "with the substitutes of a direct conversion", factory)
}

/// An encoding that encodes some characters as others.
#[derive(Debug)]
struct SubstitutingFactory {
    encoding: &'static &'static Encoding,
    /// A character and its substitute per line.
    rows: &'static str,
}

impl CodecFactory for SubstitutingFactory {
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage> {
        self.encoding.decoder(options)
    }

    fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage> {
        let lines = self.rows.lines().filter_map(|line| line.split_once('\t'));
        let pairs = lines.filter_map(|(from, to)| Some((from.chars().next()?, to.chars().next())));
        let substitutes: Vec<_> = pairs.collect();
        let encoder = self.encoding.factory.encoder_with_substitutes(&substitutes);
        encoder.unwrap_or_else(|| self.encoding.encoder(options))
    }
}

/// The bytes of IBM420 for those of IBM1008 in order.
const IBM1008_IBM420: &str = include_str!("direct/ibm1008-ibm420.txt");

static IBM1008_TO_IBM420: Encoding =
    Encoding::new("IBM1008", "as the bytes of IBM420", &ByteMapFactory { is_inverse: false });

static IBM420_TO_IBM1008: Encoding =
    Encoding::new("IBM420", "as the bytes of IBM1008", &ByteMapFactory { is_inverse: true });

/// An encoding whose bytes decode to the characters with the values of other bytes.
#[derive(Debug)]
struct ByteMapFactory {
    is_inverse: bool,
}

impl CodecFactory for ByteMapFactory {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        let rows = IBM1008_IBM420.lines().filter(|line| !line.starts_with('#'));
        let words = rows.flat_map(str::split_ascii_whitespace);
        let targets = words.filter_map(|word| u8::from_str_radix(word, 16).ok());
        let mut map = [0; 0x100];
        for (source, target) in (0..=0xFF).zip(targets) {
            let (from, to) = if self.is_inverse { (target, source) } else { (source, target) };
            map[usize::from(from)] = to;
        }
        Box::new(ByteMapDecoder(map))
    }

    fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage> {
        charpipe_encoding::ISO_8859_1.encoder(options)
    }
}

/// A decoder in which every byte is a character.
struct ByteMapDecoder([u8; 0x100]);

impl Checkpoint for ByteMapDecoder {
    fn max_lookahead(&self) -> usize {
        2
    }
}

impl DecodeStage for ByteMapDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let mut written = 0;
        for (read, byte) in src.iter().enumerate() {
            let character = char::from(self.0[usize::from(*byte)]);
            if dst.len() - written < character.len_utf8() {
                return Progress::output_full(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
        }
        Progress::input_empty(src.len(), written)
    }
}

#[cfg(test)]
mod tests {
    use charpipe_encoding::codec::Status;

    use super::*;

    #[test]
    fn every_byte_fits_into_the_lookahead_of_the_decoder() {
        for encoding in [&IBM1008_TO_IBM420, &IBM420_TO_IBM1008] {
            let mut decoder = encoding.factory.decoder(&EncodingOptions::default());
            let mut text = vec![0; decoder.max_lookahead()];
            for byte in 0..=0xFF {
                let progress = decoder.decode(&[byte], &mut text, false);
                assert_eq!((progress.read, progress.status), (1, Status::InputEmpty), "{byte:02X}");
            }
        }
    }
}
