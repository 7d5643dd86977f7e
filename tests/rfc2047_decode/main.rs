//! What the decoder of header words promises.

mod driver;
mod errors;
mod lookahead;
mod model;
mod model_charset;
#[path = "../contract/rng.rs"]
mod rng;
mod lenient;
mod strict;
mod strict_model;
mod reference;
mod vectors;
mod walk;
