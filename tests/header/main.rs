//! What the decoder of header words promises.

mod decoded;
mod faults;
mod limits;
mod model;
mod model_charset;
#[path = "../contract/random.rs"]
mod random;
mod rules;
mod strict;
mod strict_model;
mod twin;
mod vectors;
mod walk;
