//! The library charpipe for the page `page/`, which runs in a browser: detection, previews of a sample, and conversions
//! of files in chunks.
//!
//! Everything here is called by the page's worker. Nothing opens a file or knows the page.

mod catalog;
mod conversion;
mod detection;
mod errors;
mod options;
mod preview;

pub use catalog::{encodings, transforms};
pub use conversion::Conversion;
pub use detection::{CandidateEntry, DetectionResult, FileDetector};
pub use errors::ErrorEntry;
pub use options::ConversionOptions;
pub use preview::{ConvertedSample, DecodedSample, convert_sample, decode_sample};
