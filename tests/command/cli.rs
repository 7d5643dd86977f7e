//! The command.
//!
//! With `CHARPIPE_TEST_BUFFER_SIZE=1` (or 2, 3, 7 …) in the environment every run of the command works
//! with buffers of this number of bytes; every test has to pass with those as well.

#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "helpers of tests for Unix"))]

#[cfg(unix)]
mod acl;
mod advice;
mod auto;
mod chains;
mod check;
mod color;
mod command;
mod declaration;
mod detect;
#[cfg(unix)]
mod environment;
mod error_policies;
#[cfg(unix)]
mod files;
mod fix;
#[cfg(unix)]
mod forbidden_calls;
mod header;
mod hints;
mod in_place;
mod jobs;
mod list;
mod mapping_files;
mod messages;
mod mixed;
mod options;
#[cfg(unix)]
mod output;
mod output_dir;
#[cfg(unix)]
mod progress;
#[cfg(unix)]
mod races;
#[cfg(unix)]
mod ranges;
#[cfg(unix)]
mod restrictions;
mod show;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod untrusted_names;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod workflow_commands;
