//! The decoder of RFC 2047.

mod driver;
mod errors;
mod lenient;
mod lookahead;
mod model;
mod model_charset;
mod reference;
mod strict;
mod strict_model;
mod vectors;
mod walk;
