//! Finds out what the compiler and the linker support.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(avx512)");
    // The instructions of AVX-512 are stable since Rust 1.89.
    let is_x86_64 = variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    let has_avx512 = is_x86_64 && autocfg::new().probe_rustc_version(1, 89);
    if has_avx512 {
        autocfg::emit("avx512");
    }
    println!("cargo:rustc-check-cfg=cfg(static_unwinder)");
    if has_static_unwinder() {
        autocfg::emit("static_unwinder");
    }
}

/// Returns a variable of the environment; the empty string if it is not set.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Returns whether the linker finds the static library that has the functions of `libgcc_s.so.1`.
fn has_static_unwinder() -> bool {
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let is_command = !variable("CARGO_FEATURE_CLI").is_empty();
    let is_gnu =
        variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if !is_command || !is_gnu {
        return false;
    }
    let linker = match variable("RUSTC_LINKER") {
        linker if !linker.is_empty() => linker,
        _ if variable("HOST") == variable("TARGET") => "cc".to_owned(),
        _ => return false,
    };
    let output = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output();
    // A compiler that does not have the file prints its bare name.
    output.is_ok_and(|output| output.stdout.starts_with(b"/"))
}
