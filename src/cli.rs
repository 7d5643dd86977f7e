//! The command: from arguments to an exit code, and all access to files. The library converts text.

mod advice;
mod args;
mod check;
mod cleanup;
mod closed_stdio;
mod color;
mod completion_scripts;
mod completions;
mod convert;
mod convert_files;
mod detect;
mod error_printer;
mod exit;
mod file_label;
/// Access to files: opening, reading, writing, atomic replacement, and conversion of files.
pub mod fs {
    pub mod byte_count;
    pub mod directory;
    pub mod file_converter;
    pub mod input;
    pub mod output;
}
mod fix;
mod help;
mod help_topic;
mod iconv;
mod json;
mod labels;
mod line_repairer;
mod list;
mod man_pages;
mod mapping_file;
mod memory;
mod messages;
mod ordered_messages;
mod paths;
mod progress;
pub mod quote;
mod range;
mod repair;
mod run;
mod shared_args;
mod short_help;
mod show;
pub mod sniff;
mod split;
mod streams;
mod subcommand_names;
mod sys;
mod terminal;
mod text_fixes;
mod text_rows;
mod threads;

pub use memory::ExitingAllocator;

/// Runs the command with the arguments of the process. Returns its exit code.
pub fn main() -> u8 {
    exit::install_panic_hook();
    let argv: Vec<_> = std::env::args_os().collect();
    if let Some(call) = iconv::IconvCall::from_argv(&argv) {
        return call.run();
    }
    // Also for the message about a command line that cannot be parsed.
    color::ColorChoice::from_argv(&argv).apply();
    exit::exit_with(run::run(&argv))
}
