//! Why a decoder or an encoder that writes into a buffer returned.

/// Why [`Decoder::decode_to_utf8`](crate::Decoder::decode_to_utf8) or
/// [`Encoder::encode_from_utf8`](crate::Encoder::encode_from_utf8) returned.
///
/// ```
/// use charpipe::CoderResult;
///
/// let mut buffer = [0; 64];
/// let result = charpipe::UTF_8.new_decoder().decode_to_utf8(b"a\xFFb", &mut buffer, true);
/// assert_eq!(result, (CoderResult::Malformed(1), 2, 1));
/// let result = charpipe::US_ASCII.new_encoder().encode_from_utf8("aéb", &mut buffer, true);
/// assert_eq!(result, (CoderResult::Unmappable('é'), 3, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoderResult {
    /// All input has been read. The first bytes of an incomplete sequence are kept for the next call, and so are
    /// the last characters if their encoding depends on what follows.
    InputEmpty,
    /// The output buffer has no space for the next character.
    OutputFull,
    /// The bytes read end with a malformed sequence, for which nothing has been written. The number is
    /// its length in bytes, zero if something is missing at the end of the input. It may have begun in
    /// an earlier call.
    Malformed(usize),
    /// The last character read is not in the encoding, and nothing has been written for it.
    Unmappable(char),
}
