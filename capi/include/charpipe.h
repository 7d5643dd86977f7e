#ifndef CHARPIPE_H
#define CHARPIPE_H

#include <stddef.h>

// A conversion.
struct charpipe_iconv;

// A conversion descriptor.
typedef struct charpipe_iconv *charpipe_iconv_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens a conversion from the encoding `fromcode` to `tocode`, as iconv_open(3). `tocode` may end in
// `//TRANSLIT` and `//IGNORE`. An empty name is the encoding of the locale. On failure the result is
// `(charpipe_iconv_t)-1` and `errno` is `EINVAL`.
//
// # Safety
//
// The arguments must be null or strings that end in NUL.
charpipe_iconv_t charpipe_iconv_open(const char *tocode,
                                     const char *fromcode);

// Converts text, as iconv(3): reads from `*inbuf` and writes to `*outbuf`, and advances both. Returns the
// number of characters that were transliterated or skipped. On failure the result is `(size_t)-1`,
// and `errno` is
//
// - `E2BIG`: the next character does not fit into the output buffer;
// - `EILSEQ`: `*inbuf` is at an invalid sequence, or at a character that the output encoding does
//   not have; or with `//IGNORE`: all was read, and some of it was skipped;
// - `EINVAL`: `*inbuf` is at an incomplete sequence at the end of the input;
// - `EBADF`: `cd` is not a descriptor.
//
// Without `inbuf` or `*inbuf` the conversion returns to its initial state, and what remains to be written
// is written to `*outbuf` if there is one.
//
// # Safety
//
// `cd` must be a descriptor that is not used by another thread. Each other argument must be null or
// valid for reading and writing; `*inbuf` must have `*inbytesleft` bytes, `*outbuf` space for
// `*outbytesleft` bytes, and the two must not overlap.
size_t charpipe_iconv(charpipe_iconv_t cd,
                      char **inbuf,
                      size_t *inbytesleft,
                      char **outbuf,
                      size_t *outbytesleft);

// Closes a conversion, as iconv_close(3). Returns 0, or -1 with the `errno` `EBADF` if `cd` is not a
// descriptor.
//
// # Safety
//
// `cd` must be a descriptor that is not used again.
int charpipe_iconv_close(charpipe_iconv_t cd);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHARPIPE_H */
