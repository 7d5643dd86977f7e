//! `charpipe`: converts text between encodings.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

use charpipe::cli::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

/// Instead of the entry point of the standard library, which reads `/proc/self/maps` to be able to report
/// stack overflows. That takes a fifth of a start. The arguments are available without it.
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#[allow(unsafe_code, reason = "the C library calls a function of this name")]
#[unsafe(no_mangle)]
extern "C" fn main() -> std::ffi::c_int {
    charpipe::cli::set_up_process();
    charpipe::cli::main().into()
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    charpipe::cli::main().into()
}

// The functions of `libgcc_s.so.1`, which every start would load otherwise. That takes a tenth of it.
#[cfg(static_unwinder)]
#[allow(unsafe_code, reason = "the block declares nothing")]
#[link(name = "gcc_eh", kind = "static", modifiers = "-bundle")]
unsafe extern "C" {}
