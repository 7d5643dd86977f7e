/* Compares charpipe with iconv(3) of the C library: random text of each encoding, in random parts, into
   buffers of random sizes. Each call must have the same result and errno, read and write as many bytes,
   and all output must be the same. Encodings with states are marked: there a call may hold back or
   write less, and only the whole output and the positions of errors are compared.

   Usage: differential LIBRARY SEED ROUNDS */
#include <charpipe.h>
#include <dlfcn.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 4096, MAX_TRACE = 1 << 16 };

static uint64_t state;

static uint32_t next_random(uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

static void *open_libc(const char *to, const char *from) { return (void *)iconv_open(to, from); }
static size_t call_libc(void *cd, char **in, size_t *in_left, char **out, size_t *out_left) {
    return iconv((iconv_t)cd, in, in_left, out, out_left);
}
static void close_libc(void *cd) { iconv_close((iconv_t)cd); }

/* The library may export iconv too, so it is not linked. */
static charpipe_iconv_t (*charpipe_open)(const char *, const char *);
static size_t (*charpipe_call)(charpipe_iconv_t, char **, size_t *, char **, size_t *);
static int (*charpipe_close)(charpipe_iconv_t);

static void *open_charpipe(const char *to, const char *from) { return charpipe_open(to, from); }
static size_t call_charpipe(void *cd, char **in, size_t *in_left, char **out, size_t *out_left) {
    return charpipe_call(cd, in, in_left, out, out_left);
}
static void close_charpipe(void *cd) { charpipe_close(cd); }

static int load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        return 0;
    }
    *(void **)&charpipe_open = dlsym(library, "charpipe_iconv_open");
    *(void **)&charpipe_call = dlsym(library, "charpipe_iconv");
    *(void **)&charpipe_close = dlsym(library, "charpipe_iconv_close");
    return charpipe_open && charpipe_call && charpipe_close;
}

static const struct library {
    void *(*open)(const char *, const char *);
    size_t (*call)(void *, char **, size_t *, char **, size_t *);
    void (*close)(void *);
} LIBRARIES[] = {{open_libc, call_libc, close_libc}, {open_charpipe, call_charpipe, close_charpipe}};

struct run {
    unsigned char output[8 * MAX_TEXT];
    size_t output_len;
    /* For each call: result, errno, bytes read, bytes written. */
    long trace[MAX_TRACE];
    size_t trace_len;
    size_t errors[MAX_TEXT];
    size_t error_count;
};

/* Converts `input` in random parts. Bytes at which there is an error are skipped. */
static int run(const struct library *library, const char *to, const char *from, const char *input,
               size_t length, uint64_t seed, size_t max_part, size_t max_space, struct run *result) {
    state = seed;
    void *cd = library->open(to, from);
    if (cd == (void *)-1)
        return 0;
    size_t at = 0, available = 0;
    char buffer[512];
    result->output_len = result->trace_len = result->error_count = 0;
    int is_end = 0;
    for (;;) {
        size_t space = 1 + next_random((uint32_t)max_space), out_left = space;
        if (result->trace_len + 4 > MAX_TRACE)
            return 0;
        char *in = (char *)input + at, *out = buffer;
        size_t in_left = available - at;
        memset(buffer, 0x5A, sizeof buffer);
        size_t value = is_end ? library->call(cd, NULL, NULL, &out, &out_left)
                              : library->call(cd, &in, &in_left, &out, &out_left);
        int error = value == (size_t)-1 ? errno : 0;
        size_t written = (size_t)(out - buffer), read = is_end ? 0 : (size_t)(in - input) - at;
        if (written != space - out_left || (!is_end && read != available - at - in_left)) {
            printf("%s to %s: pointers and counts differ\n", from, to);
            exit(1);
        }
        for (size_t byte = written; byte < sizeof buffer; byte++)
            if (library == &LIBRARIES[1] && buffer[byte] != 0x5A) {
                printf("%s to %s: byte %zu written after %zu\n", from, to, byte, written);
                exit(1);
            }
        memcpy(result->output + result->output_len, buffer, written);
        result->output_len += written;
        long *trace = result->trace + result->trace_len;
        trace[0] = (long)value;
        trace[1] = error;
        trace[2] = (long)read;
        trace[3] = (long)written;
        result->trace_len += 4;
        if (is_end) {
            if (error != E2BIG)
                break;
            continue;
        }
        at += read;
        if (error == EILSEQ) {
            result->errors[result->error_count++] = at;
            at++;
        }
        if (error == E2BIG || (error == EILSEQ && at < available))
            continue;
        if (available == length) {
            is_end = 1;
            continue;
        }
        size_t part = 1 + next_random((uint32_t)max_part);
        available = available + part < length ? available + part : length;
        if (available < at)
            available = at;
    }
    library->close(cd);
    return 1;
}

static const struct encoding {
    const char *name;
    /* Whether calls are compared one by one. */
    int is_exact;
    /* Whether malformed bytes have the same length in both libraries. */
    int has_same_errors;
} ENCODINGS[] = {
    {"UTF-8", 1, 1},       {"UTF-16LE", 1, 1},      {"UTF-16BE", 1, 1},    {"UTF-32LE", 1, 1},
    {"UTF-32BE", 1, 1},    {"UCS-2LE", 1, 0},       {"ISO-8859-1", 1, 1},  {"ISO-8859-5", 1, 1},
    {"ISO-8859-7", 1, 1},  {"ISO-8859-15", 1, 1},   {"KOI8-R", 1, 1},      {"CP1251", 1, 1},
    {"CP1252", 1, 1},      {"CP437", 1, 1},         {"IBM1047", 1, 1},     {"IBM037", 1, 1},
    {"MACINTOSH", 1, 1},   {"EUC-JP", 1, 0},        {"SHIFT_JIS", 1, 0},   {"CP932", 1, 0},
    {"EUC-KR", 1, 0},      {"CP949", 1, 0},         {"JOHAB", 1, 0},       {"GBK", 1, 0},
    {"GB18030", 1, 0},     {"EUC-CN", 1, 0},        {"BIG5", 1, 0},        {"EUC-TW", 1, 0},
    {"TIS-620", 1, 1},     {"GEORGIAN-PS", 1, 1},   {"ARMSCII-8", 1, 1},   {"VISCII", 1, 1},
    {"ISO-2022-JP", 0, 0}, {"ISO-2022-KR", 0, 0},   {"UTF-7", 0, 0},
    {"UTF-16", 0, 0},      {"UTF-32", 0, 0},        {"CP1255", 0, 0},      {"CP1258", 0, 0},
    {"BIG5-HKSCS", 0, 0},  {"SHIFT_JISX0213", 0, 0},{"EUC-JISX0213", 0, 0},{"IBM939", 0, 0},
    {"IBM933", 0, 0},      {"TSCII", 0, 0},
};

/* Code points that the encoding has, in UTF-8. */
static size_t repertoire(const char *name, char (*characters)[5], size_t max) {
    size_t count = 0;
    for (uint32_t tried = 0; tried < 5000 && count < max; tried++) {
        uint32_t code = tried < 96 ? 0x20 + tried : next_random(tried % 4 ? 0x3000 : 0x10000);
        if (tried % 7 == 0)
            code = 0x3040 + next_random(0x6F00);
        int is_private = code >= 0xD800 && code < 0xF900;
        /* After these glibc writes ASCII in the set JIS X 0201 too, charpipe in ASCII. */
        int is_roman = code == 0xA5 || code == 0x203E;
        if (is_private || is_roman || code == 0x7F || (code >= 0x80 && code < 0xA0) || code >= 0xFE00)
            continue;
        char text[5] = {0}, *in = text, out_buffer[32], *out = out_buffer;
        if (code < 0x80)
            text[0] = (char)code;
        else if (code < 0x800)
            text[0] = (char)(0xC0 | code >> 6), text[1] = (char)(0x80 | (code & 0x3F));
        else
            text[0] = (char)(0xE0 | code >> 12), text[1] = (char)(0x80 | (code >> 6 & 0x3F)),
            text[2] = (char)(0x80 | (code & 0x3F));
        iconv_t cd = iconv_open(name, "UTF-8");
        if (cd == (iconv_t)-1)
            return 0;
        size_t in_left = strlen(text), out_left = sizeof out_buffer;
        int is_encoded = iconv(cd, &in, &in_left, &out, &out_left) == 0;
        iconv(cd, NULL, NULL, &out, &out_left);
        iconv_close(cd);
        /* Some encoders write SUB for characters that they do not have. */
        char decoded[32], *back = out_buffer, *to = decoded;
        size_t back_left = (size_t)(out - out_buffer), decoded_left = sizeof decoded;
        cd = iconv_open("UTF-8", name);
        iconv(cd, &back, &back_left, &to, &decoded_left);
        iconv(cd, NULL, NULL, &to, &decoded_left);
        iconv_close(cd);
        size_t length = strlen(text);
        if (is_encoded && (size_t)(to - decoded) == length && memcmp(decoded, text, length) == 0)
            memcpy(characters[count++], text, 5);
    }
    return count;
}

static struct run runs[2];
static unsigned compared, exact;

static int compare(const char *to, const char *from, const char *input, size_t length, uint64_t seed,
                   int is_exact) {
    size_t max_part = 1 + seed % 40, max_space = 16 + (seed / 40) % 60;
    for (int library = 0; library < 2; library++)
        if (!run(&LIBRARIES[library], to, from, input, length, seed, max_part, max_space,
                 &runs[library])) {
            printf("%s to %s: library %d cannot convert\n", from, to, library);
            return 0;
        }
    compared++;
    exact += (unsigned)is_exact;
    int is_same = runs[0].output_len == runs[1].output_len &&
                  memcmp(runs[0].output, runs[1].output, runs[0].output_len) == 0 &&
                  runs[0].error_count == runs[1].error_count &&
                  memcmp(runs[0].errors, runs[1].errors, runs[0].error_count * sizeof(size_t)) == 0;
    if (is_same && is_exact)
        is_same = runs[0].trace_len == runs[1].trace_len &&
                  memcmp(runs[0].trace, runs[1].trace, runs[0].trace_len * sizeof(long)) == 0;
    if (is_same)
        return 1;
    printf("%s to %s, seed %llu, %zu bytes: output %zu and %zu bytes, %zu and %zu errors\n", from, to,
           (unsigned long long)seed, length, runs[0].output_len, runs[1].output_len,
           runs[0].error_count, runs[1].error_count);
    for (size_t at = 0; at < runs[0].output_len && at < runs[1].output_len; at++)
        if (runs[0].output[at] != runs[1].output[at]) {
            printf("  output differs at byte %zu: %02X and %02X\n", at, runs[0].output[at],
                   runs[1].output[at]);
            break;
        }
    for (size_t at = 0; at < runs[0].trace_len && at < runs[1].trace_len; at += 4) {
        const long *one = runs[0].trace + at, *other = runs[1].trace + at;
        if (memcmp(one, other, 4 * sizeof(long)) != 0) {
            printf("  call %zu: %ld %ld %ld %ld and %ld %ld %ld %ld\n", at / 4, one[0], one[1], one[2],
                   one[3], other[0], other[1], other[2], other[3]);
            break;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4 || !load(argv[1]))
        return 2;
    setlocale(LC_ALL, "C.UTF-8");
    uint64_t seed = strtoull(argv[2], NULL, 10);
    unsigned rounds = (unsigned)atoi(argv[3]), failures = 0;
    static char characters[600][5];
    for (size_t index = 0; index < sizeof ENCODINGS / sizeof *ENCODINGS; index++) {
        const struct encoding *encoding = &ENCODINGS[index];
        state = seed;
        size_t count = repertoire(encoding->name, characters, 600);
        if (count == 0) {
            printf("%s: not in this C library\n", encoding->name);
            continue;
        }
        for (unsigned round = 0; round < rounds && failures < 20; round++) {
            static char text[MAX_TEXT], encoded[8 * MAX_TEXT];
            size_t length = 0;
            state = seed + round;
            for (int left = 150; left > 0; left--) {
                const char *character = characters[next_random((uint32_t)count)];
                memcpy(text + length, character, strlen(character));
                length += strlen(character);
            }
            iconv_t cd = iconv_open(encoding->name, "UTF-8");
            char *in = text, *out = encoded;
            size_t in_left = length, out_left = sizeof encoded;
            iconv(cd, &in, &in_left, &out, &out_left);
            iconv(cd, NULL, NULL, &out, &out_left);
            iconv_close(cd);
            size_t encoded_len = (size_t)(out - encoded);
            uint64_t call_seed = seed * 1000 + round;
            int is_exact = encoding->is_exact;
            failures += !compare(encoding->name, "UTF-8", text, length, call_seed, is_exact);
            failures += !compare("UTF-8", encoding->name, encoded, encoded_len, call_seed, is_exact);
            failures += !compare("UTF-16LE", encoding->name, encoded, encoded_len, call_seed, is_exact);
            if (!encoding->has_same_errors)
                continue;
            /* Characters that the encoding does not have, and malformed bytes. With a full output an
               unmappable character is EILSEQ, in glibc E2BIG at first. */
            memcpy(text + length / 2, "\xF0\x9F\x98\x80", 4);
            failures += !compare(encoding->name, "UTF-8", text, length, call_seed, 0);
            for (int damaged = 0; damaged < 5; damaged++)
                encoded[next_random((uint32_t)encoded_len)] = (char)next_random(256);
            /* In UTF-8 the first two bytes of E0 80 80 are an error or incomplete. */
            is_exact &= strcmp(encoding->name, "UTF-8") != 0;
            failures += !compare("UTF-8", encoding->name, encoded, encoded_len, call_seed, is_exact);
        }
    }
    printf("%u conversions compared, %u of them call by call\n", compared, exact);
    return failures != 0 || compared == 0;
}
