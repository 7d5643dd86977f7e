//! Why a file was not converted, and which option of the command would make a difference.

use charpipe::detect::Confidence;
use charpipe::inplace::Failure;

use super::exit::in_words;

/// A failure in words, with the remedy if there is one.
pub fn with_remedy(failure: Failure) -> String {
    let remedy = match failure {
        Failure::Unsure(_, Confidence::Guess) => " (use --min-confidence guess)",
        Failure::Unsure(..) => " (use --min-confidence likely)",
        Failure::Unknown => "; --fallback names what it is then",
        Failure::Linked(_) => "; --break-hard-links parts it from the others",
        Failure::BackedUp(_) => "; --force replaces it",
        _ => "",
    };
    in_words(&failure.into()) + remedy
}
