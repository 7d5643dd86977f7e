//! charpipe
#![warn(missing_docs)]

pub mod charset;
pub mod codec;
pub mod fault;
pub mod kernel;
