//! `charpipe_iconv_open`, `charpipe_iconv` and `charpipe_iconv_close`: iconv(3) for C programs.
//!
//! The functions read and write through pointers of the caller, which is the only unsafe code here; the
//! conversion is [`IconvConversion`], which is safe. Nothing is written after the bytes that `outbuf` is
//! advanced by. A panic does not leave a function: the call fails with `EBADF`, as all later calls with
//! the descriptor do. (A library that was built with `panic = "abort"` ends the process instead.)

#![cfg(unix)]

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use charpipe::internals::iconv::{IconvConversion, IconvOutput, IconvStatus};
use errno::{Errno, set_errno};

/// What the functions return on failure: `(size_t)-1`.
const FAILED: usize = usize::MAX;

/// A conversion.
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct charpipe_iconv {
    conversion: IconvConversion,
    /// Whether a call has panicked.
    is_unusable: bool,
}

/// A conversion descriptor.
#[allow(non_camel_case_types, reason = "the name in C")]
pub type charpipe_iconv_t = *mut charpipe_iconv;

/// The descriptor that `charpipe_iconv_open` returns on failure: `(charpipe_iconv_t)-1`.
fn invalid_descriptor() -> charpipe_iconv_t {
    ptr::without_provenance_mut(usize::MAX)
}

/// The output buffer of a caller.
struct CallerBuffer {
    at: *mut u8,
    space: usize,
}

impl IconvOutput for CallerBuffer {
    fn space(&self) -> usize {
        self.space
    }

    fn write(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.space);
        // SAFETY: the caller of `charpipe_iconv` guarantees that `space` bytes can be written, and at most
        // as many are. The input does not overlap with them.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
            self.at = self.at.add(bytes.len());
        }
        self.space -= bytes.len();
    }
}

/// Calls a function. Returns [`FAILED`] and sets `errno` if it fails or panics.
fn guarded(call: impl FnOnce() -> Result<usize, c_int>) -> usize {
    match catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(libc::EBADF)) {
        Ok(value) => value,
        Err(error) => {
            set_errno(Errno(error));
            FAILED
        }
    }
}

/// Returns the name of the category `LC_CTYPE` of the process's locale, and its encoding.
fn process_locale() -> (String, String) {
    let text = |pointer: *const c_char| match pointer.is_null() {
        true => String::new(),
        // SAFETY: the functions return null or strings, which are copied before the next call.
        false => unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned(),
    };
    // SAFETY: a null pointer only queries the locale.
    let name = text(unsafe { libc::setlocale(libc::LC_CTYPE, ptr::null()) });
    // SAFETY: the item exists on all systems.
    let encoding = text(unsafe { libc::nl_langinfo(libc::CODESET) });
    (name, encoding)
}

/// Opens a conversion from the encoding `fromcode` to `tocode`, as iconv_open(3). `tocode` may end in
/// `//TRANSLIT` and `//IGNORE`. An empty name is the encoding of the locale. On failure the result is
/// `(charpipe_iconv_t)-1` and `errno` is `EINVAL`.
///
/// # Safety
///
/// The arguments must be null or strings that end in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_iconv_open(
    tocode: *const c_char,
    fromcode: *const c_char,
) -> charpipe_iconv_t {
    let mut descriptor = invalid_descriptor();
    guarded(|| {
        if tocode.is_null() || fromcode.is_null() {
            return Err(libc::EINVAL);
        }
        // SAFETY: the caller guarantees strings.
        let (to, from) = unsafe { (CStr::from_ptr(tocode), CStr::from_ptr(fromcode)) };
        let conversion = IconvConversion::open(to.to_bytes(), from.to_bytes(), process_locale);
        let conversion = conversion.ok_or(libc::EINVAL)?;
        descriptor = Box::into_raw(Box::new(charpipe_iconv { conversion, is_unusable: false }));
        Ok(0)
    });
    descriptor
}

/// Converts text, as iconv(3): reads from `*inbuf` and writes to `*outbuf`, and advances both. Returns the
/// number of characters that were transliterated or skipped. On failure the result is `(size_t)-1`,
/// and `errno` is
///
/// - `E2BIG`: the next character does not fit into the output buffer;
/// - `EILSEQ`: `*inbuf` is at an invalid sequence, or at a character that the output encoding does
///   not have; or with `//IGNORE`: all was read, and some of it was skipped;
/// - `EINVAL`: `*inbuf` is at an incomplete sequence at the end of the input;
/// - `EBADF`: `cd` is not a descriptor.
///
/// Without `inbuf` or `*inbuf` the conversion returns to its initial state, and what remains to be written
/// is written to `*outbuf` if there is one.
///
/// # Safety
///
/// `cd` must be a descriptor that is not used by another thread. Each other argument must be null or
/// valid for reading and writing; `*inbuf` must have `*inbytesleft` bytes, `*outbuf` space for
/// `*outbytesleft` bytes, and the two must not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_iconv(
    cd: charpipe_iconv_t,
    inbuf: *mut *mut c_char,
    inbytesleft: *mut usize,
    outbuf: *mut *mut c_char,
    outbytesleft: *mut usize,
) -> usize {
    if cd.is_null() || cd == invalid_descriptor() {
        set_errno(Errno(libc::EBADF));
        return FAILED;
    }
    // SAFETY: the caller guarantees a descriptor, which no other thread uses.
    let charpipe_iconv { conversion, is_unusable } = unsafe { &mut *cd };
    if *is_unusable {
        set_errno(Errno(libc::EBADF));
        return FAILED;
    }
    *is_unusable = true;
    guarded(|| {
        // SAFETY: each pointer is null or valid.
        let (input, output) = unsafe { (read_if_any(inbuf), read_if_any(outbuf)) };
        let mut buffer = CallerBuffer { at: output.cast(), space: 0 };
        if !output.is_null() {
            // SAFETY: as above.
            buffer.space = unsafe { read_if_any_number(outbytesleft) };
        }
        let outcome = if input.is_null() {
            let output = (!output.is_null()).then_some(&mut buffer as &mut dyn IconvOutput);
            conversion.reset(output)
        } else {
            // SAFETY: as above.
            let len = unsafe { read_if_any_number(inbytesleft) };
            // SAFETY: the caller guarantees that these bytes can be read, and a larger number cannot be
            // meant.
            let src = unsafe {
                std::slice::from_raw_parts(input.cast::<u8>(), len.min(isize::MAX as usize))
            };
            conversion.convert(src, &mut buffer)
        };
        // SAFETY: pointers that are not null are valid for writing, and the counts are those of bytes in
        // the buffers.
        unsafe {
            if outcome.read > 0 {
                *inbuf = input.add(outcome.read);
                *inbytesleft -= outcome.read;
            }
            if !output.is_null() && !outbytesleft.is_null() {
                *outbuf = buffer.at.cast();
                *outbytesleft = buffer.space;
            }
        }
        *is_unusable = false;
        match outcome.status {
            IconvStatus::Complete => Ok(outcome.irreversible),
            IconvStatus::OutputFull => Err(libc::E2BIG),
            IconvStatus::Invalid => Err(libc::EILSEQ),
            IconvStatus::Incomplete => Err(libc::EINVAL),
        }
    })
}

/// Returns `*pointer`, or null if the pointer is.
///
/// # Safety
///
/// The pointer must be null or valid for reading.
unsafe fn read_if_any(pointer: *mut *mut c_char) -> *mut c_char {
    // SAFETY: the caller guarantees it.
    if pointer.is_null() { ptr::null_mut() } else { unsafe { *pointer } }
}

/// Returns `*pointer`, or 0 if the pointer is null.
///
/// # Safety
///
/// The pointer must be null or valid for reading.
unsafe fn read_if_any_number(pointer: *mut usize) -> usize {
    // SAFETY: the caller guarantees it.
    if pointer.is_null() { 0 } else { unsafe { *pointer } }
}

/// Closes a conversion, as iconv_close(3). Returns 0, or -1 with the `errno` `EBADF` if `cd` is not a
/// descriptor.
///
/// # Safety
///
/// `cd` must be a descriptor that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_iconv_close(cd: charpipe_iconv_t) -> c_int {
    if cd.is_null() || cd == invalid_descriptor() {
        set_errno(Errno(libc::EBADF));
        return -1;
    }
    let result = guarded(|| {
        // SAFETY: the caller guarantees a descriptor of `charpipe_iconv_open`, which is a box.
        drop(unsafe { Box::from_raw(cd) });
        Ok(0)
    });
    if result == 0 { 0 } else { -1 }
}

/// The functions by the names of POSIX, for `LD_PRELOAD`.
#[cfg(feature = "posix-names")]
mod posix_names {
    use super::*;

    /// As [`charpipe_iconv_open`].
    ///
    /// # Safety
    ///
    /// As for that function.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn iconv_open(
        tocode: *const c_char,
        fromcode: *const c_char,
    ) -> charpipe_iconv_t {
        // SAFETY: the caller's guarantees are the same.
        unsafe { charpipe_iconv_open(tocode, fromcode) }
    }

    /// As [`charpipe_iconv`].
    ///
    /// # Safety
    ///
    /// As for that function.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn iconv(
        cd: charpipe_iconv_t,
        inbuf: *mut *mut c_char,
        inbytesleft: *mut usize,
        outbuf: *mut *mut c_char,
        outbytesleft: *mut usize,
    ) -> usize {
        // SAFETY: the caller's guarantees are the same.
        unsafe { charpipe_iconv(cd, inbuf, inbytesleft, outbuf, outbytesleft) }
    }

    /// As [`charpipe_iconv_close`].
    ///
    /// # Safety
    ///
    /// As for that function.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn iconv_close(cd: charpipe_iconv_t) -> c_int {
        // SAFETY: the caller's guarantees are the same.
        unsafe { charpipe_iconv_close(cd) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_is_an_error_of_the_call() {
        set_errno(Errno(0));
        assert_eq!(guarded(|| panic!("in a conversion")), FAILED);
        assert_eq!(errno::errno(), Errno(libc::EBADF));
    }

    #[test]
    fn descriptor_is_unusable_after_a_panic() {
        let mut input = *b"a";
        let (mut src, mut src_len) = (input.as_mut_ptr().cast::<c_char>(), input.len());
        // SAFETY: the descriptor is open, and the pointers are null or those of an array.
        unsafe {
            let descriptor = charpipe_iconv_open(c"UTF-8".as_ptr(), c"ASCII".as_ptr());
            (*descriptor).is_unusable = true;
            set_errno(Errno(0));
            let null = ptr::null_mut();
            let result = charpipe_iconv(descriptor, &mut src, &mut src_len, ptr::null_mut(), null);
            assert_eq!((result, errno::errno().0, src_len), (FAILED, libc::EBADF, 1));
            assert_eq!(charpipe_iconv_close(descriptor), 0);
        }
    }

    #[test]
    fn conversion_moves_the_pointers_of_the_caller() {
        let (mut input, mut output) = (*b"\xC3\xA9a\xFF", [0_u8; 3]);
        let mut src = input.as_mut_ptr().cast::<c_char>();
        let mut dst = output.as_mut_ptr().cast::<c_char>();
        let (mut src_len, mut space) = (input.len(), output.len());
        // SAFETY: the descriptor is open, and the pointers and lengths are those of arrays.
        unsafe {
            let descriptor = charpipe_iconv_open(c"ISO-8859-1".as_ptr(), c"UTF-8".as_ptr());
            let result = charpipe_iconv(descriptor, &mut src, &mut src_len, &mut dst, &mut space);
            assert_eq!((result, errno::errno().0), (FAILED, libc::EILSEQ));
            assert_eq!((src_len, space), (1, 1));
            assert_eq!(src.cast::<u8>(), input.as_mut_ptr().add(3));
            let null = ptr::null_mut();
            assert_eq!(charpipe_iconv(descriptor, null, ptr::null_mut(), null, ptr::null_mut()), 0);
            assert_eq!(charpipe_iconv_close(descriptor), 0);
        }
        assert_eq!(output, *b"\xE9a\0");
    }

    #[test]
    fn invalid_arguments_are_errors() {
        // SAFETY: the arguments are null or strings.
        unsafe {
            let descriptor = charpipe_iconv_open(ptr::null(), c"utf-8".as_ptr());
            assert_eq!((descriptor, errno::errno().0), (invalid_descriptor(), libc::EINVAL));
            let null = ptr::null_mut();
            for descriptor in [descriptor, ptr::null_mut()] {
                let result =
                    charpipe_iconv(descriptor, ptr::null_mut(), null, ptr::null_mut(), null);
                assert_eq!((result, errno::errno().0), (FAILED, libc::EBADF));
                assert_eq!(charpipe_iconv_close(descriptor), -1);
            }
        }
    }
}
