//! Writes to a new `bytes` object while other threads run Python.
//!
//! `PyBytes::new` copies a finished result, with the GIL: for results of megabytes, where each page that is
//! touched first costs as much as converting it, that is half of the time, and threads wait for
//! each other.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io::{self, Write};
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

// A function of the stable ABI that PyO3 does not declare.
#[cfg_attr(windows, link(name = "python3", kind = "raw-dylib"))]
unsafe extern "C" {
    fn _PyBytes_Resize(bytes: *mut *mut ffi::PyObject, size: ffi::Py_ssize_t) -> c_int;
}

/// A `bytes` object that only this writer knows, with the number of bytes written.
pub struct BytesWriter {
    /// Null if there was no memory for more.
    object: *mut ffi::PyObject,
    written: usize,
    capacity: usize,
}

// SAFETY: the object is not known to the interpreter's users, and each call of the interpreter is made while
// attached to it. Otherwise only the memory of the object is written.
unsafe impl Send for BytesWriter {}

impl BytesWriter {
    /// Creates an object with space for `capacity` bytes.
    pub fn with_capacity(py: Python<'_>, capacity: usize) -> PyResult<BytesWriter> {
        let size = ffi::Py_ssize_t::try_from(capacity)?;
        // SAFETY: the thread is attached. A null pointer makes an object whose bytes are to be written.
        let object = unsafe { ffi::PyBytes_FromStringAndSize(ptr::null(), size) };
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        Ok(BytesWriter { object, written: 0, capacity })
    }

    /// Changes the number of bytes of the object, which may move.
    fn resize(&mut self, py: Python<'_>, capacity: usize) -> PyResult<()> {
        let size = ffi::Py_ssize_t::try_from(capacity)?;
        // SAFETY: the thread is attached, and the object has one reference, which is this one. Without
        // memory for it, it is released and the pointer is null.
        if unsafe { _PyBytes_Resize(&mut self.object, size) } != 0 {
            return Err(PyErr::fetch(py));
        }
        self.capacity = capacity;
        Ok(())
    }

    /// Returns the object with what was written.
    pub fn finish(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        self.resize(py, self.written)?;
        let object = std::mem::replace(&mut self.object, ptr::null_mut());
        // SAFETY: the reference is given to the result.
        Ok(unsafe { Bound::from_owned_ptr(py, object) }.cast_into::<PyBytes>()?)
    }
}

impl Write for BytesWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.written.saturating_add(bytes.len());
        if len > self.capacity {
            let capacity = len.saturating_add(self.capacity / 2);
            Python::attach(|py| self.resize(py, capacity)).map_err(io::Error::other)?;
        }
        // SAFETY: the object has `capacity` bytes, of which those from `written` on are for these, and
        // nothing else refers to it. `PyBytes_AsString` only computes the address.
        unsafe {
            let start = ffi::PyBytes_AsString(self.object).cast::<u8>();
            ptr::copy_nonoverlapping(bytes.as_ptr(), start.add(self.written), bytes.len());
        }
        self.written = len;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for BytesWriter {
    fn drop(&mut self) {
        if !self.object.is_null() {
            // SAFETY: the reference is the only one, and not used again.
            Python::attach(|_| unsafe { ffi::Py_DECREF(self.object) });
        }
    }
}
