/* The semantics of iconv(3), with values from POSIX and from glibc and libiconv. */
#include <charpipe.h>
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static charpipe_iconv_t cd;

#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

static void open_as(const char *to, const char *from) {
    cd = charpipe_iconv_open(to, from);
    if (cd == (charpipe_iconv_t)-1) {
        printf("iconv_open(\"%s\", \"%s\"): %s\n", to, from, strerror(errno));
        exit(1);
    }
}

/* Converts with a buffer of `space` bytes, and compares the result, errno, the number of bytes read and
   the output. Nothing else in the buffer may change. */
static void convert(int line, const char *input, size_t length, size_t space, long result, int error,
                    size_t read, const char *output, size_t written) {
    /* The copy has no byte more, so that valgrind finds reads after it. */
    char *copy = malloc(length ? length : 1), *buffer = malloc(space + 1);
    memcpy(copy, input, length);
    memset(buffer, 0x5A, space + 1);
    char *in = copy, *out = buffer;
    size_t in_left = length, out_left = space;
    errno = 0;
    long actual = (long)charpipe_iconv(cd, &in, &in_left, &out, &out_left);
    int actual_error = actual == -1 ? errno : 0;
    int is_same = actual == result && actual_error == error && in == copy + read &&
                  in_left == length - read && out == buffer + written &&
                  out_left == space - written && memcmp(buffer, output, written) == 0;
    for (size_t at = written; at <= space; at++)
        is_same &= buffer[at] == 0x5A;
    if (!is_same) {
        failures++;
        printf("line %d: result %ld, errno %d, read %zu, written %zu:", line, actual, actual_error,
               length - in_left, space - out_left);
        for (char *byte = buffer; byte < out; byte++)
            printf(" %02X", (unsigned char)*byte);
        puts("");
    }
    free(copy);
    free(buffer);
}

#define CONVERT(input, space, result, error, read, output) \
    convert(__LINE__, input, sizeof(input) - 1, space, result, error, read, output, sizeof(output) - 1)

static void reset(int line, size_t space, long result, int error, const char *output, size_t written) {
    char *buffer = malloc(space + 1), *out = buffer;
    size_t out_left = space;
    errno = 0;
    long actual = (long)charpipe_iconv(cd, NULL, NULL, &out, &out_left);
    int actual_error = actual == -1 ? errno : 0;
    if (actual != result || actual_error != error || out != buffer + written ||
        out_left != space - written || memcmp(buffer, output, written) != 0) {
        failures++;
        printf("line %d: result %ld, errno %d, written %zu\n", line, actual, actual_error,
               space - out_left);
    }
    free(buffer);
}

#define RESET(space, result, error, output) \
    reset(__LINE__, space, result, error, output, sizeof(output) - 1)

static void close_it(void) { CHECK(charpipe_iconv_close(cd) == 0); }

static void errors_leave_the_input_at_the_sequence(void) {
    open_as("ISO-8859-1", "UTF-8");
    CONVERT("ab\xE2\x82", 9, -1, EINVAL, 2, "ab");
    CONVERT("ab\xE2\x82\xAC", 9, -1, EILSEQ, 2, "ab");
    CONVERT("ab\xFFz", 9, -1, EILSEQ, 2, "ab");
    CONVERT("\xE2", 9, -1, EINVAL, 0, "");
    /* After an error the conversion continues wherever the caller does. */
    CONVERT("z\xC3\xA9", 9, 0, 0, 3, "z\xE9");
    close_it();
    open_as("UTF-8", "UTF-16LE");
    CONVERT("\x3D\xD8\0", 9, -1, EINVAL, 0, "");
    CONVERT("\x3D\xD8", 9, -1, EINVAL, 0, "");
    CONVERT("a\0\x3D\xD8\x3D\xD8", 9, -1, EILSEQ, 2, "a");
    CONVERT("\x3D\xD8\0\xDE", 9, 0, 0, 4, "\xF0\x9F\x98\x80");
    close_it();
    open_as("UTF-8", "EUC-JP");
    CONVERT("\xA4\xA2\xA4", 9, -1, EINVAL, 2, "\xE3\x81\x82");
    CONVERT("\xA4\x20", 9, -1, EILSEQ, 0, "");
    close_it();
}

/* An error is at the character, wherever the call began: after a byte order mark or a shift sequence, and not
   after a character that the next one might have changed. */
static void position_of_an_error_does_not_depend_on_the_calls(void) {
    open_as("ASCII", "UCS-2");
    CONVERT("\xFE\xFF\xC7\xBB", 9, -1, EILSEQ, 2, "");
    close_it();
    open_as("ASCII", "UCS-2");
    CONVERT("\xFE\xFF", 9, 0, 0, 2, "");
    CONVERT("\xC7\xBB", 9, -1, EILSEQ, 0, "");
    close_it();
    open_as("ASCII", "ISO-2022-JP");
    CONVERT("a\x1B$BF|", 9, -1, EILSEQ, 4, "a");
    CONVERT("F|", 9, -1, EILSEQ, 0, "");
    close_it();
    static const char *const COMBINING[] = {"CP1255", "CP1258", "TCVN"};
    for (size_t at = 0; at < sizeof COMBINING / sizeof *COMBINING; at++) {
        open_as("ASCII", COMBINING[at]);
        CONVERT("z\xE2", 9, -1, EILSEQ, 1, "z");
        CONVERT("\xE2z", 9, -1, EILSEQ, 0, "");
        close_it();
    }
}

static void full_output_consumes_only_what_was_written(void) {
    open_as("ISO-8859-1", "UTF-8");
    CONVERT("abc", 0, -1, E2BIG, 0, "");
    CONVERT("\xC3\xA9z", 0, -1, E2BIG, 0, "");
    CONVERT("\xFF", 0, -1, EILSEQ, 0, "");
    CONVERT("\xE2", 0, -1, EINVAL, 0, "");
    CONVERT("", 0, 0, 0, 0, "");
    CONVERT("a\xC3\xA9z", 2, -1, E2BIG, 3, "a\xE9");
    CONVERT("a\xC3\xA9", 2, 0, 0, 3, "a\xE9");
    close_it();
    open_as("UTF-16LE", "UTF-8");
    CONVERT("\xF0\x9F\x98\x80", 2, -1, E2BIG, 0, "");
    CONVERT("\xF0\x9F\x98\x80", 3, -1, E2BIG, 0, "");
    CONVERT("\xF0\x9F\x98\x80", 4, 0, 0, 4, "\x3D\xD8\0\xDE");
    close_it();
    open_as("UTF-8", "Shift_JIS");
    CONVERT("\x93\xFA\x96\x7B", 5, -1, E2BIG, 2, "\xE6\x97\xA5");
    close_it();
}

static void large_input_stops_at_any_byte_of_the_output(void) {
    enum { COUNT = 40000 };
    char *text = malloc(3 * COUNT), *out = malloc(2 * COUNT + 1);
    for (int at = 0; at < COUNT; at++)
        memcpy(text + 3 * at, at % 7 ? "\xE6\x97\xA5" : "abc", 3);
    open_as("EUC-JP", "UTF-8");
    for (size_t space = 1; space < 2 * COUNT; space = space * 5 / 4 + 1) {
        char *in = text, *to = out;
        size_t in_left = 3 * COUNT, out_left = space;
        memset(out, 0x5A, 2 * COUNT + 1);
        size_t result = charpipe_iconv(cd, &in, &in_left, &to, &out_left);
        CHECK(result == (size_t)-1 && errno == E2BIG);
        /* "abc" in 3 bytes, then six characters in 12. */
        size_t cycles = space / 15, rest = space % 15;
        size_t read = 21 * cycles + (rest < 3 ? rest : 3 + (rest - 3) / 2 * 3);
        CHECK((size_t)(in - text) == read && 3 * COUNT - in_left == read);
        CHECK(out_left <= 1 && to == out + (space - out_left));
        for (size_t at = space - out_left; at < 2 * COUNT + 1; at++)
            if (out[at] != 0x5A) {
                CHECK(!"nothing is written after the output");
                break;
            }
    }
    close_it();
    free(text);
    free(out);
}

static void shift_sequences_are_written_at_the_reset(void) {
    open_as("ISO-2022-JP", "UTF-8");
    CONVERT("\xE6\x97\xA5", 9, 0, 0, 3, "\x1B$BF|");
    CONVERT("\xE6\x9C\xAC", 9, 0, 0, 3, "K\\");
    RESET(2, -1, E2BIG, "");
    RESET(3, 0, 0, "\x1B(B");
    RESET(3, 0, 0, "");
    CONVERT("\xE6\x97\xA5", 9, 0, 0, 3, "\x1B$BF|");
    /* Without a buffer the state is only forgotten. */
    CHECK(charpipe_iconv(cd, NULL, NULL, NULL, NULL) == 0);
    CONVERT("\xE6\x97\xA5", 9, 0, 0, 3, "\x1B$BF|");
    char *none = NULL;
    size_t zero = 0;
    CHECK(charpipe_iconv(cd, &none, &zero, &none, &zero) == 0);
    CONVERT("a", 9, 0, 0, 1, "a");
    /* A character is written with its shift sequence or not at all. */
    CONVERT("\xE6\x97\xA5", 4, -1, E2BIG, 0, "");
    CONVERT("\xE6\x97\xA5", 5, 0, 0, 3, "\x1B$BF|");
    close_it();
    open_as("UTF-8", "ISO-2022-JP");
    CONVERT("\x1B$B", 9, 0, 0, 3, "");
    CONVERT("F|\x1B", 9, -1, EINVAL, 2, "\xE6\x97\xA5");
    CONVERT("\x1B(BF|", 9, 0, 0, 5, "F|");
    CONVERT("\x1B$B", 9, 0, 0, 3, "");
    RESET(0, 0, 0, "");
    CONVERT("F|", 9, 0, 0, 2, "F|");
    close_it();
    open_as("UTF-7", "UTF-8");
    CONVERT("\xC3\xA9", 20, 0, 0, 2, "+AO");
    RESET(20, 0, 0, "k-");
    close_it();
}

static void byte_order_marks_begin_a_text(void) {
    open_as("UTF-16", "UTF-8");
    CONVERT("", 9, 0, 0, 0, "");
    CONVERT("a", 3, -1, E2BIG, 0, "");
    CONVERT("a", 9, 0, 0, 1, "\xFF\xFE\x61\0");
    CONVERT("a", 9, 0, 0, 1, "\x61\0");
    RESET(0, 0, 0, "");
    CONVERT("a", 9, 0, 0, 1, "\xFF\xFE\x61\0");
    close_it();
    open_as("UTF-8", "UTF-16");
    CONVERT("\xFE", 9, -1, EINVAL, 0, "");
    CONVERT("\xFE\xFF", 9, 0, 0, 2, "");
    CONVERT("\0a", 9, 0, 0, 2, "a");
    close_it();
}

static void characters_that_may_combine_are_held(void) {
    open_as("UTF-8", "CP1255");
    CONVERT("\xE0", 9, 0, 0, 1, "");
    CONVERT("\xE1", 1, -1, E2BIG, 0, "");
    CONVERT("\xE1", 9, 0, 0, 1, "\xD7\x90");
    RESET(1, -1, E2BIG, "");
    RESET(9, 0, 0, "\xD7\x91");
    RESET(9, 0, 0, "");
    /* Alef and patah are one character. */
    CONVERT("\xE0\xC7", 9, 0, 0, 2, "\xEF\xAC\xAE");
    close_it();
    open_as("BIG5-HKSCS", "UTF-8");
    CONVERT("\xC3\x8A", 9, 0, 0, 2, "");
    RESET(1, -1, E2BIG, "");
    RESET(9, 0, 0, "\x88\x66");
    CONVERT("\xC3\x8A\xCC\x84", 9, 0, 0, 4, "\x88\x62");
    CONVERT("\xC3\x8A", 9, 0, 0, 2, "");
    CONVERT("\xCC\x84", 9, 0, 0, 2, "\x88\x62");
    close_it();
    /* A character that cannot be encoded does not change the one before it, even if the next one could
       change both. */
    open_as("BIG5-HKSCS", "CP1258");
    CONVERT("~\xCA\xF5", 9, -1, EILSEQ, 2, "~\x88\x66");
    RESET(9, 0, 0, "");
    CONVERT("~\xCA\xF5", 2, -1, E2BIG, 2, "~");
    CONVERT("\xF5", 2, -1, EILSEQ, 0, "\x88\x66");
    close_it();
    /* One code for two characters, of which the first fits. */
    open_as("UTF-8", "BIG5-HKSCS");
    CONVERT("\x88\x62", 1, -1, E2BIG, 0, "");
    CONVERT("\x88\x62", 3, -1, E2BIG, 2, "\xC3\x8A");
    CONVERT("", 9, 0, 0, 0, "\xCC\x84");
    CONVERT("\x88\x62", 9, 0, 0, 2, "\xC3\x8A\xCC\x84");
    close_it();
}

static void suffixes_are_those_of_glibc(void) {
    open_as("ASCII//TRANSLIT", "UTF-8");
    CONVERT("caf\xC3\xA9\xC3\xA9 \xD1\x8F", 50, 3, 0, 10, "cafee ?");
    CONVERT("\xC2\xBD", 2, -1, E2BIG, 0, "");
    CONVERT("a\xFF", 9, -1, EILSEQ, 1, "a");
    close_it();
    open_as("ISO-8859-1//IGNORE", "UTF-8");
    CONVERT("a\xFF" "b\xE2\x82\xAC" "c", 50, -1, EILSEQ, 7, "abc");
    CONVERT("xyz", 50, 0, 0, 3, "xyz");
    CONVERT("a\xFFzz", 2, -1, E2BIG, 3, "az");
    CONVERT("a\xFF\xE2", 9, -1, EINVAL, 2, "a");
    close_it();
    /* A transliteration in the same call hides what was skipped, and is counted alone. */
    open_as("ascii//translit//ignore", "utf8");
    CONVERT("\xC3\xA9\xFFz", 9, 1, 0, 4, "ez");
    CONVERT("\xFFz\xC3\xA9\xC3\xA9", 9, 2, 0, 6, "zee");
    CONVERT("\xFFz", 9, -1, EILSEQ, 2, "z");
    close_it();
    /* So do the characters that the reset transliterates or skips. */
    open_as("ISO-8859-1//TRANSLIT", "CP1255");
    CONVERT("z\xE0", 9, 0, 0, 2, "z");
    RESET(0, -1, E2BIG, "");
    RESET(9, 1, 0, "?");
    RESET(9, 0, 0, "");
    close_it();
    open_as("ISO-8859-1//IGNORE", "CP1255");
    CONVERT("z\xE0", 9, 0, 0, 2, "z");
    RESET(9, -1, EILSEQ, "");
    CONVERT("z", 9, 0, 0, 1, "z");
    close_it();
    open_as("UTF-8//IGNORE,TRANSLIT ", "ASCII");
    CONVERT("\xFFz", 9, -1, EILSEQ, 2, "z");
    close_it();
    open_as("ISO-8859-1//UNKNOWN", "UTF8//IGNORE");
    CONVERT("a\xFF", 9, -1, EILSEQ, 1, "a");
    close_it();
    open_as("", "UTF-8");
    CONVERT("a", 9, 0, 0, 1, "a");
    close_it();
    static const char *const UNKNOWN[] = {"nope", "ISO-8859-1/TRANSLIT", "utf_8", "utf-8:x"};
    for (size_t at = 0; at < sizeof UNKNOWN / sizeof *UNKNOWN; at++) {
        errno = 0;
        CHECK(charpipe_iconv_open(UNKNOWN[at], "UTF-8") == (charpipe_iconv_t)-1 && errno == EINVAL);
        errno = 0;
        CHECK(charpipe_iconv_open("UTF-8", UNKNOWN[at]) == (charpipe_iconv_t)-1 && errno == EINVAL);
    }
}

static void descriptors_are_checked(void) {
    char buffer[4], *out = buffer;
    size_t left = 4;
    errno = 0;
    CHECK(charpipe_iconv((charpipe_iconv_t)-1, NULL, NULL, &out, &left) == (size_t)-1);
    CHECK(errno == EBADF && left == 4);
    CHECK(charpipe_iconv_close((charpipe_iconv_t)-1) == -1 && errno == EBADF);
}

/* Two descriptors have separate states. */
static void descriptors_are_independent(void) {
    open_as("ISO-2022-JP", "UTF-8");
    charpipe_iconv_t first = cd;
    CONVERT("\xE6\x97\xA5", 9, 0, 0, 3, "\x1B$BF|");
    open_as("ISO-2022-JP", "UTF-8");
    CONVERT("\xE6\x97\xA5", 9, 0, 0, 3, "\x1B$BF|");
    close_it();
    cd = first;
    CONVERT("\xE6\x97\xA5", 9, 0, 0, 3, "F|");
    close_it();
}

/* A size that the memory cannot have: programs that know that the output fits. */
static void space_may_be_unlimited(void) {
    char input[] = "abc", buffer[4] = "____", *in = input, *out = buffer;
    size_t in_left = 3, out_left = SIZE_MAX;
    open_as("UTF-8", "ISO-8859-1");
    CHECK(charpipe_iconv(cd, &in, &in_left, &out, &out_left) == 0);
    CHECK(out_left == SIZE_MAX - 3 && memcmp(buffer, "abc_", 4) == 0);
    close_it();
}

int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    errors_leave_the_input_at_the_sequence();
    position_of_an_error_does_not_depend_on_the_calls();
    full_output_consumes_only_what_was_written();
    large_input_stops_at_any_byte_of_the_output();
    shift_sequences_are_written_at_the_reset();
    byte_order_marks_begin_a_text();
    characters_that_may_combine_are_held();
    suffixes_are_those_of_glibc();
    descriptors_are_checked();
    descriptors_are_independent();
    space_may_be_unlimited();
    return failures != 0;
}
