//! Calls of Python's error handlers.

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The error handler with a name, which is looked up for the first error.
pub struct ErrorHandler<'a, 'py> {
    name: &'a str,
    function: Option<Bound<'py, PyAny>>,
}

impl<'a, 'py> ErrorHandler<'a, 'py> {
    pub fn new(name: &'a str) -> ErrorHandler<'a, 'py> {
        ErrorHandler { name, function: None }
    }

    /// Calls the handler. Returns the replacement and the position where to continue, which is not checked.
    pub fn call(
        &mut self,
        exception: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let function = match &self.function {
            Some(function) => function,
            None => {
                let codecs = exception.py().import("codecs")?;
                self.function.insert(codecs.getattr("lookup_error")?.call1((self.name,))?)
            }
        };
        let result = function.call1((exception,))?;
        let wrong =
            || PyTypeError::new_err("an error handler must return a tuple (replacement, int)");
        let pair = result.cast::<PyTuple>().map_err(|_| wrong())?;
        if pair.len() != 2 {
            return Err(wrong());
        }
        Ok((pair.get_item(0)?, pair.get_item(1)?))
    }
}

/// Returns the position in an input of `len` units that a handler returned. A negative one is from the end.
///
/// # Errors
///
/// Returns an `IndexError` for a position that is not in the input.
pub fn position(py: Python<'_>, value: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    let out_of_bounds =
        || PyIndexError::new_err(format!("position {value} from error handler out of bounds"));
    let number: isize = value.extract().map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(py) {
            true => out_of_bounds(),
            false => error,
        }
    })?;
    let index = match usize::try_from(number) {
        Ok(index) => Some(index),
        Err(_) => len.checked_sub(number.unsigned_abs()),
    };
    index.filter(|index| *index <= len).ok_or_else(out_of_bounds)
}
