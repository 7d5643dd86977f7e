//! What happens where memory runs out: one line on the standard error, and exit code 2.
//!
//! The standard library would print its own words and a backtrace, and abort.

#![allow(
    unsafe_code,
    reason = "an allocator cannot be written without; this one passes all calls on"
)]

use std::alloc::{GlobalAlloc, Layout, System};

use signal_hook::low_level::exit;

use super::exit::ExitStatus;

/// The allocator of the system, which ends the process instead of failing.
struct ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

// SAFETY: every call goes to `System` unchanged, and so does its result, unless it is null: then the
// call does not return.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this very function.
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

/// Ends the process. Takes no memory and no lock, for the caller may hold any.
#[cold]
fn exit_out_of_memory() -> ! {
    let _ = rustix::io::write(rustix::stdio::stderr(), b"charpipe: out of memory\n");
    exit(ExitStatus::Failure as i32)
}
