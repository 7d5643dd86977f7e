//! The command: what a user sees of it, and what remains of files when it fails, is killed or runs out of memory.

mod cli;
#[cfg(target_os = "linux")]
mod crash;
#[cfg(target_os = "linux")]
mod fault_injection;
#[cfg(unix)]
mod pathological;
