//! Finds out what the compiler supports.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(avx512)");
    // The instructions of AVX-512 are stable since Rust 1.89.
    let is_x86_64 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let has_avx512 = is_x86_64 && autocfg::new().probe_rustc_version(1, 89);
    if has_avx512 {
        autocfg::emit("avx512");
    }
}
