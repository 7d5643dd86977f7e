//! `charpipe`: converts text between encodings.

use std::process::ExitCode;

use charpipe::cli::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    charpipe::cli::main()
}
