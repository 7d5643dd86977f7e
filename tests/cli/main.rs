//! What the command promises, one promise a test.
//!
//! With `CHARPIPE_TEST_BLOCK=1` (or 2, 3, 7 …) in the environment every run of the command works
//! in blocks of so many bytes; each promise has to hold for those as well.

mod acl;
mod auto;
mod broken_streams;
mod check;
mod command;
mod detect;
mod faults;
mod files;
mod forbidden_calls;
mod header;
mod hints;
mod hostile_names;
mod in_place;
mod list;
mod options;
mod output;
mod policies;
mod races;
mod restrictions;
mod signals;
mod streams;
mod surroundings;
mod terminal;
#[path = "../watch/mod.rs"]
mod watch;
mod workflow_commands;
