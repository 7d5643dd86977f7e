//! Converts the standard input with simdutf: `sutf -f FROM -t TO`.
//!
//! It reads blocks, converts the whole characters of each, and writes them, as simdutf's own command
//! does. That command needs a file and allocates an output buffer for each block; here both buffers
//! are reused, which is faster. Malformed input ends it with exit code 1.

use std::io::{self, Read, Write};
use std::process::ExitCode;

/// The size of the blocks in bytes. Of the powers of two from 32 KiB to 1 MiB the fastest.
const BLOCK_LEN: usize = 64 * 1024;

/// The length of the longest output of a block: Each byte becomes a value of UTF-32.
const MAX_OUTPUT: usize = 4 * BLOCK_LEN;

/// Converts whole characters, into a buffer unless they are the output. Returns the output, empty if
/// they are malformed.
type Convert = for<'a> fn(&'a [u8], &'a mut [u8]) -> &'a [u8];

/// Returns the length of the whole characters at the start of the bytes.
type WholeLen = fn(&[u8]) -> usize;

/// Calls a function of simdutf with pointers to its types.
macro_rules! convert {
    ($function:ident, $from:ty, $to:ty) => {
        |src, dst| {
            assert!(src.as_ptr().cast::<$from>().is_aligned());
            assert!(dst.as_ptr().cast::<$to>().is_aligned() && dst.len() >= MAX_OUTPUT);
            let len = src.len() / size_of::<$from>();
            // SAFETY: The input has `len` units, and a block never becomes longer than `MAX_OUTPUT`.
            let units =
                unsafe { simdutf::$function(src.as_ptr().cast(), len, dst.as_mut_ptr().cast()) };
            &dst[..units * size_of::<$to>()]
        }
    };
}

/// Returns the functions for a pair of encodings.
fn functions(from: &str, to: &str) -> Option<(WholeLen, Convert)> {
    let found: (WholeLen, Convert) = match (from, to) {
        ("utf-8", "utf-8") => (utf8_whole_len, valid),
        ("utf-8", "utf-16le") => (utf8_whole_len, convert!(convert_utf8_to_utf16le, u8, u16)),
        ("utf-8", "utf-16be") => (utf8_whole_len, convert!(convert_utf8_to_utf16be, u8, u16)),
        ("utf-8", "utf-32le") => (utf8_whole_len, convert!(convert_utf8_to_utf32, u8, u32)),
        ("utf-8", "latin1") => (utf8_whole_len, convert!(convert_utf8_to_latin1, u8, u8)),
        ("utf-16le", "utf-8") => (utf16_whole_len::<1>, convert!(convert_utf16le_to_utf8, u16, u8)),
        ("utf-16be", "utf-8") => (utf16_whole_len::<0>, convert!(convert_utf16be_to_utf8, u16, u8)),
        ("utf-32le", "utf-8") => (|src| src.len() & !3, convert!(convert_utf32_to_utf8, u32, u8)),
        ("latin1", "utf-8") => (<[u8]>::len, convert!(convert_latin1_to_utf8, u8, u8)),
        _ => return None,
    };
    Some(found)
}

fn valid<'a>(src: &'a [u8], _: &'a mut [u8]) -> &'a [u8] {
    if simdutf::validate_utf8(src) { src } else { &[] }
}

fn utf8_whole_len(src: &[u8]) -> usize {
    let Some(back) = src.iter().rev().take(3).position(|byte| byte & 0xC0 != 0x80) else {
        return src.len();
    };
    let lead = src.len() - 1 - back;
    let needed = match src[lead] {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    if needed > back + 1 { lead } else { src.len() }
}

/// `HIGH` is the index of the more significant byte of a unit.
fn utf16_whole_len<const HIGH: usize>(src: &[u8]) -> usize {
    let units = src.len() & !1;
    let is_high_surrogate = units > 0 && src[units - 2 + HIGH] & 0xFC == 0xD8;
    units - if is_high_surrogate { 2 } else { 0 }
}

/// Returns zeroed bytes that are aligned for values of UTF-32.
fn aligned(len: usize) -> &'static mut [u8] {
    let words = vec![0_u32; len / 4].leak();
    // SAFETY: The bytes of the words, which are not used otherwise.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), len) }
}

fn run(whole_len: WholeLen, convert: Convert) -> io::Result<()> {
    let malformed = || io::Error::from(io::ErrorKind::InvalidData);
    let (mut stdin, mut stdout) = (io::stdin().lock(), unbuffered_stdout()?);
    let (input, output) = (aligned(BLOCK_LEN), aligned(MAX_OUTPUT));
    let mut filled = 0;
    loop {
        let count = stdin.read(&mut input[filled..])?;
        filled += count;
        let whole = whole_len(&input[..filled]);
        if count == 0 && whole < filled {
            return Err(malformed());
        }
        if whole > 0 {
            let converted = convert(&input[..whole], output);
            if converted.is_empty() {
                return Err(malformed());
            }
            stdout.write_all(converted)?;
        }
        if count == 0 {
            return Ok(());
        }
        input.copy_within(whole..filled, 0);
        filled -= whole;
    }
}

/// Returns the standard output without the line buffer of std.
fn unbuffered_stdout() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = match words[..] {
        ["--version"] => {
            println!("simdutf 7.7.1, of the crate simdutf 0.7.0");
            return ExitCode::SUCCESS;
        }
        ["-f", from, "-t", to] => functions(from, to),
        _ => None,
    };
    let Some((whole_len, convert)) = found else {
        eprintln!("usage: sutf -f FROM -t TO, of utf-8, utf-16le, utf-16be, utf-32le, latin1");
        return ExitCode::from(2);
    };
    match run(whole_len, convert) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sutf: {error}");
            ExitCode::FAILURE
        }
    }
}
