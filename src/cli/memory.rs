//! Exits with 2 and a one-line message when memory allocation fails.
//!
//! The standard library would print its own message and abort.

#![allow(unsafe_code, reason = "required for an allocator; this one forwards all calls")]

use std::alloc::{GlobalAlloc, Layout, System};

use super::exit::ExitStatus;
use super::sys::process::exit_immediately;
use super::terminal;

/// The system allocator, which exits the process on failure.
#[derive(Debug)]
pub struct ExitingAllocator;

// SAFETY: every call is forwarded to `System` unchanged, and its result is returned unless it is
// null: then the call does not return.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of this function.
        exit_if_null(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        exit_if_null(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        exit_if_null(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

fn exit_if_null(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        exit_out_of_memory();
    }
    block
}

/// Exits the process. The caller may hold any lock.
#[cold]
fn exit_out_of_memory() -> ! {
    let message: &[u8] = match terminal::has_status_line() {
        true => b"\r\x1b[Jcharpipe: out of memory\n",
        false => b"charpipe: out of memory\n",
    };
    exit_immediately(message, ExitStatus::Failure as i32)
}
