//! Collects output, and makes a `bytes` object of it while other threads run Python.
//!
//! `PyBytes::new` copies a result with the GIL: for results of megabytes, where each page that is touched
//! first costs as much as converting it, threads would wait for each other. The stable ABI has no
//! function that shortens a `bytes` object, so that the length must be known when it is created.

#![allow(unsafe_code)]

use std::io::{self, Write};
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The maximum length that is copied without releasing the GIL, in bytes.
const SHORT_OUTPUT: usize = 64 * 1024;

/// The output of a conversion. An allocation that fails is an error of kind
/// [`OutOfMemory`](io::ErrorKind::OutOfMemory), and a `MemoryError` of Python.
#[derive(Default)]
pub struct BytesWriter {
    bytes: Vec<u8>,
}

impl BytesWriter {
    /// Creates a writer with space for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> io::Result<BytesWriter> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(capacity)?;
        Ok(BytesWriter { bytes })
    }

    /// Returns what was written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes that were written, to write more.
    pub fn as_mut_vec(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Removes what was written.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Returns a new object with what was written.
    pub fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        new_bytes(py, &self.bytes)
    }
}

impl Write for BytesWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.try_reserve(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a new object with a copy of `bytes`, or a `MemoryError`.
pub fn new_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let size = ffi::Py_ssize_t::try_from(bytes.len())?;
    let is_short = bytes.len() <= SHORT_OUTPUT;
    let source = if is_short { bytes.as_ptr().cast() } else { ptr::null() };
    // SAFETY: the thread is attached, and `source` points to `size` bytes. A null pointer makes an object whose bytes are to
    // be written. The result is null, with an exception set, or a reference that is given to `object`.
    let object =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(source, size)) }?;
    if is_short {
        return Ok(object.cast_into::<PyBytes>()?);
    }
    // SAFETY: the thread is attached, and the object is of the type `bytes`.
    let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) }.cast::<u8>();
    let start = Uninitialized(start);
    py.detach(|| start.fill(bytes));
    Ok(object.cast_into::<PyBytes>()?)
}

/// The bytes of a new object, which nothing else refers to.
struct Uninitialized(*mut u8);

// SAFETY: the memory is that of an object that only the creating thread knows, and lives as long as it.
unsafe impl Send for Uninitialized {}

impl Uninitialized {
    /// Writes the bytes of the object, whose length is that of `bytes`.
    fn fill(self, bytes: &[u8]) {
        // SAFETY: the object has as many bytes, and is not known to any other code.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.0, bytes.len()) };
    }
}
