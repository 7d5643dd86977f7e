//! Labels with the prefix of a library or of the Encoding Standard have its table: every byte of
//! the 8-bit encodings, and every code and character of the others that the map has.

use charpipe::internals::encoding::{self, EncodingOptions};

use crate::mappings::multi_byte::{decoded, encoded};
use xtask::archive;

/// Maps that a label means without having their table, and why.
const EXCEPTIONS: &[(&str, &str)] = &[];

#[test]
fn prefixed_labels_have_the_tables_of_their_vendor() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for name in archive::names() {
        let (origin, own) = name.split_once('/').expect("an origin and a name");
        let prefixed = ["glibc", "libiconv"].contains(&origin);
        let Some(encoding) = encoding::for_label(&format!("{origin}:{own}")).filter(|_| prefixed)
        else {
            continue;
        };
        let map = archive::map(name);
        if map.decode.iter().any(|(code, _)| code.len() > 1) || !map.shifted.is_empty() {
            continue;
        }
        compared += 1;
        let options = EncodingOptions::default();
        let (mut decoder, mut encoder) = (encoding.decoder(&options), encoding.encoder(&options));
        let codes = map
            .decode
            .iter()
            .filter(|(code, text)| decoded(&mut *decoder, code).as_ref() != Some(text));
        let characters = map.encode.iter().filter(|(character, code)| {
            encoded(&mut *encoder, character.encode_utf8(&mut [0; 4])).as_ref() != Some(code)
        });
        let count = (codes.count(), characters.count());
        if count != (0, 0) && !EXCEPTIONS.iter().any(|(known, _)| *known == name) {
            wrong.push(format!("{name} is {}: {count:?}", encoding.name()));
        }
    }
    assert!(compared > 250, "{compared}");
    assert_eq!(wrong, Vec::<String>::new());
}
