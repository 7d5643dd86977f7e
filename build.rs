//! Finds out what the compiler and the linker support.

use std::path::Path;
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
    if let Some(directory) = unwinder_directory() {
        println!("cargo:rustc-link-search=native={directory}");
        autocfg::emit("static_unwinder");
    }
}

/// Returns a variable of the environment; the empty string if it is not set.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Returns the directory of the static library that has the same functions as `libgcc_s.so.1`, if the
/// compiler of the system has one.
fn unwinder_directory() -> Option<String> {
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let is_gnu =
        variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    let linker = match variable("RUSTC_LINKER") {
        linker if !linker.is_empty() => linker,
        _ if variable("HOST") == variable("TARGET") => "cc".to_owned(),
        _ => return None,
    };
    let output = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output();
    let path = String::from_utf8(output.ok().filter(|_| is_gnu)?.stdout).ok()?;
    // A compiler that does not have the file prints its bare name.
    let directory = Path::new(path.trim()).parent().filter(|directory| directory.is_absolute())?;
    directory.to_str().map(str::to_owned)
}
