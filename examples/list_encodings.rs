//! Lists all encodings with their names.
//!
//!     cargo run --no-default-features --example list_encodings

use charpipe::Encoding;

fn main() {
    for encoding in Encoding::all() {
        let aliases: Vec<_> = encoding.aliases().map(|alias| alias.name()).collect();
        println!("{}: {} ({})", encoding.name(), encoding.description(), aliases.join(", "));
    }
    assert!(Encoding::all().len() > 450);
}
