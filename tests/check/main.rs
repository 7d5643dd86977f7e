//! The library's checker: what it finds, where, and that nothing depends on how input comes.

mod binary;
mod conversion;
mod marks;
mod model;
mod places;
mod run;
mod twin;
