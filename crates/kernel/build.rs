//! Finds out whether the compiler supports AVX-512. `CHARPIPE_NO_AVX512=1` leaves it out, to measure AVX2.

use std::process::Command;

/// The first release in which the instructions of AVX-512 are stable.
const MIN_MINOR_VERSION: u32 = 89;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CHARPIPE_NO_AVX512");
    println!("cargo:rustc-check-cfg=cfg(avx512)");
    let is_x86_64 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let is_wanted = std::env::var_os("CHARPIPE_NO_AVX512").is_none();
    if is_wanted && is_x86_64 && minor_version().is_some_and(|minor| minor >= MIN_MINOR_VERSION) {
        println!("cargo:rustc-cfg=avx512");
    }
}

/// Returns the 89 of `rustc 1.89.0 (…)`.
fn minor_version() -> Option<u32> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.split('.').nth(1)?.parse().ok()
}
