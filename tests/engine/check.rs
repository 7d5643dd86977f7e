//! The library's checker: what it finds, where, and that nothing depends on how input comes.

mod alternatives;
mod binary;
mod bom;
mod characters;
mod conversion;
mod driver;
mod model;
mod positions;
mod reference;
