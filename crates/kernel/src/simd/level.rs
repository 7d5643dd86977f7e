//! The SIMD levels and the choice among them.

#![allow(unsafe_code)]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the reason for all blocks is at the match")]

use std::sync::atomic::{AtomicU8, Ordering};

use super::Kernel;
#[cfg(avx512)]
use super::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::portable::Portable;
#[cfg(test)]
use super::portable_wide::PortableWide;
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Sse41};

/// A SIMD level that the processor supports.
#[derive(Debug, Clone, Copy)]
pub enum Level {
    /// x86-64 with the instructions of AVX-512 that Ice Lake and Zen 4 introduced, and AVX2.
    #[cfg(avx512)]
    Avx512(Avx512),
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// x86-64 with SSE4.1.
    #[cfg(target_arch = "x86_64")]
    Sse41(Sse41),
    /// AArch64 with Neon.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// Any processor, with arrays.
    Portable(Portable),
    /// Vectors of 64 bytes as arrays, to test kernels that have them on any processor.
    #[cfg(test)]
    PortableWide(PortableWide),
}

/// The numbers of the levels in [`SELECTED`].
#[cfg(avx512)]
const AVX512: u8 = 5;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 4;
#[cfg(target_arch = "x86_64")]
const SSE41: u8 = 3;
#[cfg(target_arch = "aarch64")]
const NEON: u8 = 2;
const PORTABLE: u8 = 1;

/// The number of the level that [`run`] uses, or 0 before the first call. The processor supports
/// the level.
static SELECTED: AtomicU8 = AtomicU8::new(0);

impl Level {
    /// Returns all levels that the processor supports, the best one first.
    pub fn all() -> impl Iterator<Item = Level> {
        let levels = [
            #[cfg(avx512)]
            Avx512::new().map(Level::Avx512),
            #[cfg(target_arch = "x86_64")]
            Avx2::new().map(Level::Avx2),
            #[cfg(target_arch = "x86_64")]
            Sse41::new().map(Level::Sse41),
            #[cfg(target_arch = "aarch64")]
            Neon::new().map(Level::Neon),
            Some(Level::Portable(Portable)),
            #[cfg(test)]
            (!cfg!(miri)).then_some(Level::PortableWide(PortableWide)),
        ];
        // Arrays need no unsafe code, and most of the time in Miri.
        let max_count = if cfg!(miri) { 2 } else { usize::MAX };
        levels.into_iter().flatten().take(max_count)
    }

    /// Runs a kernel at this level.
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(avx512)]
            Level::Avx512(avx512) if K::HAS_WIDE => avx512.run(kernel),
            #[cfg(avx512)]
            Level::Avx512(avx512) => avx512.avx2().run(kernel),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(avx2) => avx2.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Level::Sse41(sse41) => sse41.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Level::Neon(neon) => kernel.run(neon),
            Level::Portable(portable) => kernel.run(portable),
            #[cfg(test)]
            Level::PortableWide(wide) => kernel.run_wide(wide),
        }
    }

    /// The name of the level, for benchmarks.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(avx512)]
            Level::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Sse41(_) => "sse4.1",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "neon",
            Level::Portable(_) => "portable",
            #[cfg(test)]
            Level::PortableWide(_) => "portable-wide",
        }
    }

    /// Returns the number of the level.
    const fn number(self) -> u8 {
        match self {
            #[cfg(avx512)]
            Level::Avx512(_) => AVX512,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => AVX2,
            #[cfg(target_arch = "x86_64")]
            Level::Sse41(_) => SSE41,
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => NEON,
            Level::Portable(_) => PORTABLE,
            #[cfg(test)]
            Level::PortableWide(_) => PORTABLE,
        }
    }

    /// Returns the selected level, or the best one at the first call.
    #[inline]
    fn selected() -> Level {
        // SAFETY, for every block of this file: only the number of a value of `Level` is stored, and such a value
        // exists only if the processor supports the level.
        match SELECTED.load(Ordering::Relaxed) {
            #[cfg(avx512)]
            AVX512 => Level::Avx512(unsafe { Avx512::new_unchecked() }),
            #[cfg(target_arch = "x86_64")]
            AVX2 => Level::Avx2(unsafe { Avx2::new_unchecked() }),
            #[cfg(target_arch = "x86_64")]
            SSE41 => Level::Sse41(unsafe { Sse41::new_unchecked() }),
            #[cfg(target_arch = "aarch64")]
            NEON => Level::Neon(unsafe { Neon::new_unchecked() }),
            PORTABLE => Level::Portable(Portable),
            _ => select_best(),
        }
    }
}

#[cold]
fn select_best() -> Level {
    let best = Level::all().next().unwrap_or(Level::Portable(Portable));
    SELECTED.store(best.number(), Ordering::Relaxed);
    best
}

/// Returns the names of the levels that the processor supports, the best one first.
pub fn level_names() -> impl Iterator<Item = &'static str> {
    Level::all().map(Level::name)
}

/// Selects a level by its name for all following calls of `run`, for benchmarks. Returns whether
/// the processor supports it.
pub fn select_level(name: &str) -> bool {
    let level = Level::all().find(|level| level.name() == name);
    if let Some(level) = level {
        SELECTED.store(level.number(), Ordering::Relaxed);
    }
    level.is_some()
}

/// Runs a kernel at the best level that the processor supports. The choice takes about a
/// nanosecond.
#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    Level::selected().run(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_level_is_the_best_one() {
        let best = Level::all().next().unwrap();
        assert_eq!(Level::selected().name(), best.name());
        assert_eq!(Level::selected().name(), best.name());
        assert!(!select_level("none"));
    }
}
