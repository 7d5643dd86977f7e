//! What the decoder of header words promises.

mod decoded;
mod errors;
mod limits;
mod model;
mod model_charset;
#[path = "../contract/rng.rs"]
mod rng;
mod rules;
mod strict;
mod strict_model;
mod twin;
mod vectors;
mod walk;
