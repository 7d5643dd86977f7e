//! Counts the allocations of the running thread, and their bytes.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of allocations of this thread so far.
pub fn count() -> usize {
    ALLOCATIONS.get()
}

/// Returns the number of bytes that this thread has allocated so far.
#[allow(dead_code, reason = "not all tests with this file need it")]
pub fn bytes() -> usize {
    BYTES.get()
}

struct CountingAllocator;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

impl CountingAllocator {
    fn record(size: usize) {
        // A thread that is ending has no counter any more, and nothing reads it.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + size));
    }
}

// SAFETY: every method hands its arguments on to the system's allocator unchanged, and the
// counter needs no memory of its own: it is initialized at compile time and has no destructor.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CountingAllocator::record(layout.size());
        // SAFETY: the caller keeps the same promises that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: `at` came from `System` with this layout, as all memory here does.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CountingAllocator::record(size);
        // SAFETY: as in `dealloc`; the new size is the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }
}
