//! The command.
//!
//! With `CHARPIPE_TEST_BUFFER_SIZE=1` (or 2, 3, 7 …) in the environment every run of the command works
//! with buffers of this number of bytes; every test has to pass with those as well.

mod acl;
mod auto;
mod check;
mod command;
mod detect;
mod environment;
mod error_policies;
mod files;
mod forbidden_calls;
mod header;
mod hints;
mod in_place;
mod list;
mod messages;
mod options;
mod output;
mod races;
mod restrictions;
#[path = "../common/rng.rs"]
mod rng;
mod signals;
mod stdio;
mod streams;
mod terminal;
mod untrusted_names;
#[path = "../watch/mod.rs"]
mod watch;
mod workflow_commands;
