//! A conversion as by iconv(3) is the same in any pieces of input and space of output, up to the first error, and the same as
//! that of the library.
//!
//! Input: four bytes for each of the two encodings, two for the sizes of pieces and of the output, two for the length of
//! the input, then the input.

use charpipe::BomPolicy;
use charpipe::TranscodeOptions;
use charpipe::internals::iconv::{IconvConversion, IconvOutcome, IconvOutput, IconvStatus};

use super::cases::choose_case;
use super::params::FuzzInput;

/// The space for the whole output.
const AMPLE_SPACE: usize = 1 << 20;

/// No character and no shift sequence needs more space.
const SUFFICIENT_SPACE: usize = 64;

/// A buffer of a caller.
struct Buffer {
    bytes: Vec<u8>,
    space: usize,
}

impl IconvOutput for Buffer {
    fn space(&self) -> usize {
        self.space - self.bytes.len()
    }

    fn write(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.space(), "writes more than there is space for");
        self.bytes.extend_from_slice(bytes);
    }
}

/// What can be seen of a conversion.
#[derive(Debug, PartialEq, Eq)]
struct IconvResult {
    output: Vec<u8>,
    /// The number of bytes read.
    read: usize,
    irreversible: usize,
    status: IconvStatus,
}

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let (from, to) = (&choose_case(&mut bytes).encoding, &choose_case(&mut bytes).encoding);
    let [piece_len, space] = bytes.array().map(|byte: u8| 1 + usize::from(byte));
    let content = bytes.with_ascii_prefix();
    let (from_name, to_name) = (from.encoding().name(), to.encoding().name());
    // A line feed after the last character is accepted, and has been read when a piece shows that more follows.
    if from_name == "UTF-5" {
        return;
    }
    let open = || {
        let locale = || ("C".to_owned(), "ANSI_X3.4-1968".to_owned());
        IconvConversion::open(to_name.as_bytes(), from_name.as_bytes(), locale)
    };
    let (Some(one), Some(other)) = (open(), open()) else { return };
    let context = || format!("{from_name} {to_name}: pieces of {piece_len}, space of {space}");
    let whole = convert(one, &content, content.len().max(1), AMPLE_SPACE);
    let pieces = convert(other, &content, piece_len, space);
    assert_eq!(pieces.status, whole.status, "{}", context());
    if whole.status == IconvStatus::Invalid {
        // A character that an earlier call has read cannot be left to the caller, nor one that begins inside a byte.
        let len = pieces.output.len().min(whole.output.len());
        assert_eq!(pieces.output[..len], whole.output[..len], "{}", context());
    } else {
        assert_eq!(pieces, whole, "{}", context());
    }

    let options = TranscodeOptions::new(from.encoding(), to.encoding()).bom(BomPolicy::Keep);
    if let (Ok(expected), IconvStatus::Complete, 0) =
        (options.transcode(&content), whole.status, whole.irreversible)
    {
        assert_eq!(whole.output, &*expected, "library: {}", context());
    }
}

/// Converts an input in pieces, each with the rest of the piece before, until an error or the end, and writes the end of the
/// output. The space grows if nothing fits.
fn convert(
    mut conversion: IconvConversion,
    content: &[u8],
    piece_len: usize,
    mut space: usize,
) -> IconvResult {
    let mut result =
        IconvResult { output: Vec::new(), read: 0, irreversible: 0, status: IconvStatus::Complete };
    let mut end = 0;
    loop {
        let mut buffer = Buffer { bytes: Vec::new(), space };
        let outcome = conversion.convert(&content[result.read..end], &mut buffer);
        result.read += outcome.read;
        result.irreversible += outcome.irreversible;
        result.output.extend_from_slice(&buffer.bytes);
        match outcome.status {
            IconvStatus::Invalid => {
                result.status = IconvStatus::Invalid;
                return result;
            }
            IconvStatus::OutputFull if outcome.read == 0 && buffer.bytes.is_empty() => {
                assert!(space < AMPLE_SPACE, "no space is enough");
                space = (space + SUFFICIENT_SPACE).min(AMPLE_SPACE);
            }
            IconvStatus::OutputFull => {}
            IconvStatus::Complete | IconvStatus::Incomplete if end < content.len() => {
                end = content.len().min(end + piece_len);
            }
            IconvStatus::Complete | IconvStatus::Incomplete => {
                result.status = outcome.status;
                break;
            }
        }
    }
    let mut buffer = Buffer { bytes: Vec::new(), space: AMPLE_SPACE };
    let IconvOutcome { irreversible, status, .. } = conversion.reset(Some(&mut buffer));
    result.irreversible += irreversible;
    result.output.extend_from_slice(&buffer.bytes);
    if status != IconvStatus::Complete && result.status == IconvStatus::Complete {
        result.status = status;
    }
    result
}
