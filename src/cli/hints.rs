//! Why a file was not converted, and which option of the command would make a difference.

use charpipe::detect::Confidence;
use charpipe::in_place::InPlaceError;

use super::exit::error_chain;

/// A failure in words, with the remedy if there is one.
pub fn with_hint(failure: InPlaceError) -> String {
    let hint = match failure {
        InPlaceError::LowConfidence(_, Confidence::Guess) => " (use --min-confidence guess)",
        InPlaceError::LowConfidence(..) => " (use --min-confidence likely)",
        InPlaceError::UnknownEncoding => "; --fallback names what it is then",
        InPlaceError::HardLinked(_) => "; --break-hard-links parts it from the others",
        InPlaceError::BackupExists(_) => "; --force replaces it",
        _ => "",
    };
    error_chain(&failure.into()) + hint
}
