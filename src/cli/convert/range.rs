//! Conversion of a range of one file.

use anyhow::{Context, Result, anyhow};
use charpipe_encoding::Error;
use charpipe_transcode::split::InputRange;

use crate::cli::error_printer::ErrorPrinter;
use crate::cli::exit::{ExitStatus, io_message};
use crate::cli::messages::{Message, print_message};
use crate::cli::ordered_messages::MessageSink;
use crate::cli::range::{open_for_ranges, range_transcoder};
use crate::cli::streams::Input;

use super::config::{ConvertConfig, RangeConfig};
use super::output::{commit_output, give_sample, open_convert_output, report_not_written};
use super::range_report::{RangeReport, ReportingPrinter};

/// Converts a range of a file.
///
/// # Errors
///
/// Returns an error if the conversion cannot be split, or if reading or writing fails.
pub fn convert_range(config: &ConvertConfig, range: &RangeConfig) -> Result<ExitStatus> {
    let [Input::File(path)] = config.inputs.as_slice() else {
        return Err(Error::Internal("--range without a file".into()).into());
    };
    let name = config.inputs[0].display_name();
    let mut transcoder = range_transcoder(&config.options, range.assume_line_start)?;
    let (mut file, size) = open_for_ranges(path)?;
    let bytes = transcoder
        .safe_range(&mut file, range.range.of_size(size))
        .with_context(|| format!("{name}: read error"))?;
    let mut input_range = InputRange::new(bytes).first_line(range.line_base.saturating_add(1));
    if let Some(state) = &range.start_state {
        input_range = input_range.start_state(state.clone());
    }
    let report = match &range.report {
        Some(output) => Some(RangeReport::new(output.open(config.named_temp_files)?)),
        None => None,
    };
    let mut output = open_convert_output(config)?;
    let errors = ErrorPrinter::new(&config.options, config.verbosity, MessageSink::Immediate);
    let mut errors = errors.assuming_utf8(config.assumes_utf8);
    errors.begin_file(&name);
    let mut errors = ReportingPrinter::new(errors, report, &config.options, config.verbosity);
    let with_context = |error| match error {
        Error::Read(error) => anyhow!("{name}: {}", io_message(&error)),
        Error::Io(error) => anyhow::Error::from(error).context(config.output.write_error_message()),
        error => error.into(),
    };
    let result = transcoder
        .convert(&mut file, &input_range, &mut output, &mut errors)
        .map_err(with_context)?;
    let (mut errors, report) = errors.into_parts();
    give_sample(&config.inputs[0], None, &mut errors);
    errors.end_file();
    if result.stopped.is_none() {
        commit_output(output, config)?;
    } else {
        report_not_written(&output, config);
    }
    if let Some((report, target)) = report.zip(range.report.as_ref()) {
        // A report means that the output exists.
        report
            .finish(path, size, config, range, &transcoder, &result)
            .with_context(|| target.write_error_message())?;
    }
    let is_joinable = result.stopped.is_some() || result.ends_as_assumed;
    if !is_joinable {
        let state = &result.end_state;
        let text = match state.is_resumable() {
            true => format!("the next range must be converted with --start-state={state}"),
            false => "the next range must be converted together with this one".to_owned(),
        };
        print_message(Message::about(&name).with_text(&text));
    }
    Ok(match errors.any() || !is_joinable {
        true => ExitStatus::DataErrors,
        false => ExitStatus::Success,
    })
}
