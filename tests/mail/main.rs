//! Header fields of mail: the decoder and the encoder of encoded-words.

mod rfc2047_decode;
mod rfc2047_encode;
