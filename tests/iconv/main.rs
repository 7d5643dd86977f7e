//! charpipe called as `iconv`, beside the program of the GNU C library.
//!
//! Where versions of glibc differ, `glibc-2.41.tsv` has the results of version 2.41. It is written with
//! `CHARPIPE_BLESS=1` and `CHARPIPE_TEST_ICONV=PROGRAM`, a program that runs iconv 2.41.

#![cfg(unix)]

mod differences;
mod differential;
mod direct;
mod files;
mod install;
mod libiconv;
mod list;
mod locales;
mod posix;
mod program;
mod recorded;
mod vectors;
