//! charpipe
fn main() {}
