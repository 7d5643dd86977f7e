//! `include/charpipe.h` is what cbindgen writes. `CHARPIPE_BLESS=1` updates it.

use std::{env, fs};

#[test]
fn header_is_current() {
    let path = crate::package().join("include/charpipe.h");
    let mut header = Vec::new();
    let config = cbindgen::Config::from_root_or_default(crate::package());
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(crate::package().join("src/lib.rs"))
        .generate()
        .unwrap();
    bindings.write(&mut header);
    let header = String::from_utf8(header).unwrap();
    if env::var_os("CHARPIPE_BLESS").is_some() {
        fs::write(&path, &header).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap();
    assert!(current == header, "run CHARPIPE_BLESS=1 cargo test -p charpipe-capi header");
}
