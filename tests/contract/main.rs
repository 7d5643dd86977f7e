//! Holds every registered charset, with each value of each of its options, to the eight clauses
//! of the contract in `src/codec.rs`.
//!
//! `CHARSET=utf-8 cargo test --test contract` examines a single one, and `CHARPIPE_TEST_WHOLE=1` gives each
//! encoding all inputs instead of a sample.

mod allocation;
mod clauses;
mod examine;
mod half;
mod lossy;
mod octets;
mod pivot;
mod plans;
mod random;
mod sameness;
mod subject;
mod texts;
mod translation;
mod walk;
