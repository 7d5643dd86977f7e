//! The conversion: of inputs to one output, of a range of a file, or of each file separately.

use anyhow::Result;

use super::convert_files;
use super::exit::ExitStatus;

pub mod args;
pub mod config;
mod input_encoding;
mod inputs;
mod name_prefix;
mod output;
mod range;
mod range_report;

use args::ConvertArgs;
use config::{ConvertConfig, files_config};

/// Converts as the arguments say.
///
/// # Errors
///
/// Returns an error if the usage is invalid, or the conversion cannot be completed. Errors in the data are
/// part of the status.
pub fn run(args: &ConvertArgs) -> Result<ExitStatus> {
    if args.per_file.in_place || args.per_file.has_own_outputs() {
        return convert_files::run(&files_config(args)?);
    }
    convert(&ConvertConfig::from_args(args)?)
}

/// Converts inputs to one output.
///
/// # Errors
///
/// Returns an error if the conversion cannot be completed. Errors in the data are part of the status.
pub fn convert(config: &ConvertConfig) -> Result<ExitStatus> {
    match &config.range {
        Some(range) => range::convert_range(config, range),
        None => inputs::convert(config),
    }
}
