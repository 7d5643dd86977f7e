//! The encoder of encoded-words: results by hand, and properties of random text, which a simple
//! reference decoder decodes again.

mod addresses;
mod errors;
mod layout;
mod mail_programs;
mod random;
mod reader;
mod round_trip;
mod texts;
mod walk;
mod words;
