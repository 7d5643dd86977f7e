//! The bytes of an object with a buffer, without a copy.

#![allow(unsafe_code)]

use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;

/// The buffer of `bytes`, `bytearray`, `memoryview` and the like, which cannot be resized meanwhile. Its bytes may be
/// changed by another thread when the GIL is released.
pub struct BytesBuffer<'py> {
    view: ffi::Py_buffer,
    // It is released while the thread is attached.
    _py: Python<'py>,
}

impl<'py> BytesBuffer<'py> {
    pub fn new(object: &Bound<'py, PyAny>) -> PyResult<BytesBuffer<'py>> {
        let mut view = ffi::Py_buffer::new();
        // SAFETY: the thread is attached, and both pointers are valid.
        let result =
            unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &mut view, ffi::PyBUF_SIMPLE) };
        match result {
            0 => Ok(BytesBuffer { view, _py: object.py() }),
            _ => Err(PyErr::fetch(object.py())),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        match usize::try_from(self.view.len) {
            // SAFETY: a simple buffer is contiguous and has `len` bytes.
            Ok(len @ 1..) => unsafe { slice::from_raw_parts(self.view.buf.cast(), len) },
            _ => &[],
        }
    }
}

impl Drop for BytesBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the thread is attached, and `PyObject_GetBuffer` has filled in the view.
        unsafe { ffi::PyBuffer_Release(&mut self.view) };
    }
}
