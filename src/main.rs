//! `charpipe`: converts text between encodings.

mod cli;

#[global_allocator]
static ALLOCATOR: cli::ExitingAllocator = cli::ExitingAllocator;

fn main() -> std::process::ExitCode {
    cli::main().into()
}
