//! Error messages of in-place conversions, with the option that would allow the conversion.

use charpipe::detect::Confidence;
use charpipe::in_place::InPlaceError;

use super::exit::error_chain;

/// Returns the message of an error, with a hint if an option would allow the conversion.
pub fn with_hint(error: InPlaceError) -> String {
    let hint = match error {
        InPlaceError::LowConfidence(_, Confidence::Guess) => " (use --min-confidence guess)",
        InPlaceError::LowConfidence(..) => " (use --min-confidence likely)",
        InPlaceError::UnknownEncoding => " (use --default-encoding)",
        InPlaceError::HardLinked(_) => " (use --break-hard-links)",
        InPlaceError::BackupExists(_) => " (use --force to replace it)",
        _ => "",
    };
    error_chain(&error.into()) + hint
}
