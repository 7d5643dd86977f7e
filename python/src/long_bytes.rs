//! Writes a long result to the memory of the `bytes` object that it becomes.
//!
//! The stable ABI has no function that shortens a `bytes` object, but a `BytesIO` does that for its content if nothing else
//! refers to it. So the result is written once, while other threads run Python, and its pages are the only ones that are
//! touched. If an interpreter copies the content instead, the result is the same.

#![allow(unsafe_code)]

use std::hint::black_box;
use std::io::{self, Write};
use std::{mem, ptr};

use charpipe::Error;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_writer::new_bytes;
use crate::exception;

/// The longest block that the C library of Linux takes from its heap, in bytes.
const MAX_HEAP_BLOCK: usize = 32 << 20;

/// A `bytes` object that is being written.
pub struct LongBytes<'py> {
    pub target: Target,
    view: ffi::Py_buffer,
    stream: Bound<'py, PyAny>,
}

impl<'py> LongBytes<'py> {
    /// Returns what a conversion writes while other threads run Python, and its result. The object grows if `capacity` bytes do not suffice.
    pub fn write<T: Send>(
        py: Python<'py>,
        capacity: usize,
        convert: impl FnOnce(&mut Target) -> Result<T, Error> + Send,
    ) -> PyResult<(Bound<'py, PyBytes>, T)> {
        let mut bytes = LongBytes::with_capacity(py, capacity)?;
        let target = &mut bytes.target;
        let result = py.detach(|| convert(target)).map_err(|error| exception(py, &error))?;
        Ok((bytes.finish()?, result))
    }

    /// Returns an object of `capacity` bytes to write to.
    pub fn with_capacity(py: Python<'py>, capacity: usize) -> PyResult<LongBytes<'py>> {
        reserve_heap(capacity);
        let size = ffi::Py_ssize_t::try_from(capacity)?;
        // SAFETY: the thread is attached. A null pointer makes an object whose bytes are to be written. The result is null,
        // with an exception set, or a reference that is given to `object`.
        let object = unsafe {
            Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(ptr::null(), size))
        }?;
        let stream = py.import("io")?.getattr("BytesIO")?.call1((object,))?;
        let memory = stream.call_method0("getbuffer")?;
        let mut view = ffi::Py_buffer::new();
        // SAFETY: the thread is attached, and both pointers are valid. The buffer owns a reference to its object.
        if unsafe { ffi::PyObject_GetBuffer(memory.as_ptr(), &mut view, ffi::PyBUF_WRITABLE) } != 0
        {
            return Err(PyErr::fetch(py));
        }
        let target = Target { start: view.buf.cast(), capacity, len: 0, rest: Vec::new() };
        Ok(LongBytes { target, view, stream })
    }

    /// Returns the object with what was written.
    pub fn finish(mut self) -> PyResult<Bound<'py, PyBytes>> {
        let (len, rest) = (self.target.len, mem::take(&mut self.target.rest));
        let stream = self.stream.clone();
        drop(self);
        stream.call_method1("seek", (len,))?;
        stream.call_method0("truncate")?;
        if !rest.is_empty() {
            stream.call_method1("write", (new_bytes(stream.py(), &rest)?,))?;
        }
        Ok(stream.call_method0("getvalue")?.cast_into::<PyBytes>()?)
    }
}

impl Drop for LongBytes<'_> {
    fn drop(&mut self) {
        // SAFETY: the thread is attached, and `PyObject_GetBuffer` has filled in the view.
        unsafe { ffi::PyBuffer_Release(&mut self.view) };
    }
}

/// The memory of the object.
pub struct Target {
    start: *mut u8,
    capacity: usize,
    len: usize,
    /// What is written when the memory is full.
    rest: Vec<u8>,
}

// SAFETY: the memory is that of a stream that only the creating thread knows, and lives as long as the `LongBytes`.
unsafe impl Send for Target {}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (start, rest) = bytes.split_at(bytes.len().min(self.capacity - self.len));
        // SAFETY: at least as many bytes of the memory follow, and no reference to them exists.
        unsafe { ptr::copy_nonoverlapping(start.as_ptr(), self.start.add(self.len), start.len()) };
        self.len += start.len();
        self.rest.try_reserve(rest.len())?;
        self.rest.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes glibc take a block of a size from the heap, which keeps pages that it has touched. It maps other memory for each block
/// that is longer than any that was freed, and the kernel clears its pages.
fn reserve_heap(size: usize) {
    let mut block = Vec::<u8>::new();
    if cfg!(target_env = "gnu") && size < MAX_HEAP_BLOCK {
        // An allocation that fails is reported when the object is created.
        let _ = block.try_reserve_exact(size + 4096);
        black_box(&mut block);
    }
}
