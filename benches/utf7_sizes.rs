//! Prints the tables of `docs/notes/utf-7-sizes.md`: `cargo bench -p xtask --bench utf7_sizes`.

mod sizes;

fn main() {
    println!("RFC 1642's estimates\n\n{}", sizes::estimated());
    println!("A closed run of n characters of the BMP\n\n{}", sizes::runs());
    println!("Bytes per character, measured\n\n{}", sizes::measured());
}
