//! Checks how a run has ended.

use std::path::Path;

use crate::fault_injection::errors;
use crate::fault_injection::scenario::{self, RunResult};

/// Compares a run in which a call has failed with an undisturbed one.
pub fn check_result(
    call: &str,
    error: &str,
    quiet: &RunResult,
    ending: &RunResult,
) -> Result<(), String> {
    let bearable = errors::is_tolerable(call, error) && ending.disturbed;
    if ending.messages.contains("internal error (please report this bug)") {
        return Err("panics".to_owned());
    }
    match ending.exit_code {
        None => Err("hangs".to_owned()),
        code if code == quiet.exit_code => check_unaffected(bearable, quiet, ending),
        Some(SIGPIPE) if error == "EPIPE" => Ok(()),
        _ if bearable => Err("gives up".to_owned()),
        Some(2) => check_reported_error(call, quiet, ending),
        Some(_) => Err("ends with that code".to_owned()),
    }
}

/// The signal with a minus before it.
const SIGPIPE: i32 = -13;

fn check_unaffected(bearable: bool, quiet: &RunResult, ending: &RunResult) -> Result<(), String> {
    match () {
        () if ending.output != quiet.output => Err("the output is another".to_owned()),
        () if ending.files != quiet.files => {
            Err(format!("the files are others: {}", names(ending)))
        }
        () if bearable && ending.messages != quiet.messages => {
            Err("reports something else".to_owned())
        }
        () => Ok(()),
    }
}

fn check_reported_error(call: &str, quiet: &RunResult, ending: &RunResult) -> Result<(), String> {
    // It may have been the message that could not be written.
    if ending.messages.is_empty() && !call.starts_with("write") {
        return Err("says nothing".to_owned());
    }
    let before = scenario::initial_files();
    for (name, content) in &ending.files {
        let old = before.get(name) == Some(content);
        let new = quiet.files.get(name) == Some(content);
        let left = call.contains("unlinkat") && is_leftover(name);
        if !old && !new && !left {
            return Err(format!("{} is neither old nor new: {}", name.display(), names(ending)));
        }
    }
    let gone = before.keys().find(|name| !ending.files.contains_key(*name));
    gone.map_or(Ok(()), |name| Err(format!("{} is gone", name.display())))
}

fn is_leftover(path: &Path) -> bool {
    path.to_string_lossy().contains(".charpipe-")
}

fn names(ending: &RunResult) -> String {
    let names = ending.files.iter().map(|(name, of)| format!("{} ({})", name.display(), of.len()));
    names.collect::<Vec<_>>().join(", ")
}
