/* Compares the speed of charpipe_iconv with that of iconv(3) of the C library: processor time of
   converting a file of 8 MiB of each text, in buffers of 8 KiB or of the sizes that are given in bytes,
   alternating, the minimum of nine; and of opening and closing a descriptor.

       cargo build --profile library -p charpipe-capi
       cc -O2 -I capi/include capi/benches/speed.c target/library/libcharpipe_capi.so -o speed
       LD_LIBRARY_PATH=target/library ./speed [SIZE...] */
#include <charpipe.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT = 8 << 20, MAX_BUFFER = 1 << 20, DEFAULT_BUFFER = 8192, MAX_ENCODED = 5 * TEXT, RUNS = 9, OPENED = 20000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double run(int is_charpipe, const char *to, const char *from, char *text, size_t length,
                  size_t size, size_t *total) {
    static char buffer[MAX_BUFFER];
    double start = now();
    void *cd = is_charpipe ? (void *)charpipe_iconv_open(to, from) : (void *)iconv_open(to, from);
    size_t at = 0;
    *total = 0;
    while (at < length) {
        size_t left = length - at < size ? length - at : size, before = left;
        char *in = text + at, *out = buffer;
        size_t space = size;
        size_t result = is_charpipe ? charpipe_iconv(cd, &in, &left, &out, &space)
                                    : iconv((iconv_t)cd, &in, &left, &out, &space);
        if (result == (size_t)-1 && errno == EILSEQ) {
            printf("%s to %s: error at byte %zu\n", from, to, at + before - left);
            exit(1);
        }
        at += before - left;
        *total += size - space;
    }
    double elapsed = now() - start;
    if (is_charpipe)
        charpipe_iconv_close(cd);
    else
        iconv_close((iconv_t)cd);
    return elapsed;
}

static void compare(const char *what, const char *to, const char *from, char *text, size_t length,
                    size_t buffer) {
    double best[2] = {1e9, 1e9};
    size_t total[2];
    for (int count = 0; count < RUNS; count++)
        for (int library = 0; library < 2; library++) {
            double elapsed = run(library, to, from, text, length, buffer, &total[library]);
            best[library] = elapsed < best[library] ? elapsed : best[library];
        }
    if (total[0] != total[1])
        printf("%s: the outputs differ\n", what);
    double size = (double)length / 1e6;
    printf("| %s | %s | %s | %zu | %.0f | %.0f | %.1f |\n", what, from, to, buffer, size / best[0],
           size / best[1], best[0] / best[1]);
}

static size_t fill(char *text, const char *line) {
    size_t length = strlen(line), total = 0;
    for (; total + length <= TEXT; total += length)
        memcpy(text + total, line, length);
    return total;
}

static size_t encode(const char *to, char *text, size_t length, char *encoded) {
    iconv_t cd = iconv_open(to, "UTF-8");
    size_t left = MAX_ENCODED;
    char *out = encoded;
    iconv(cd, &text, &length, &out, &left);
    iconv_close(cd);
    return (size_t)(out - encoded);
}

/* Compares the time of opening and closing a descriptor. */
static void compare_opening(const char *to, const char *from) {
    double best[2] = {1e9, 1e9};
    for (int count = 0; count < RUNS; count++)
        for (int library = 0; library < 2; library++) {
            double start = now();
            for (int opened = 0; opened < OPENED; opened++)
                if (library)
                    charpipe_iconv_close(charpipe_iconv_open(to, from));
                else
                    iconv_close(iconv_open(to, from));
            double elapsed = (now() - start) / OPENED;
            best[library] = elapsed < best[library] ? elapsed : best[library];
        }
    printf("| %s | %s | %.2f | %.2f | %.1f |\n", from, to, best[0] * 1e6, best[1] * 1e6,
           best[1] / best[0]);
}

int main(int argc, char **argv) {
    static const struct {
        const char *language, *encoding, *line;
    } TEXTS[] = {
        {"English", "ISO-8859-1", "It was the best of times, it was the worst of times, naturally.\n"},
        {"French", "ISO-8859-1", "Longtemps, je me suis couché de bonne heure. À peine ma bougie éteinte.\n"},
        {"Russian", "WINDOWS-1251", "Все счастливые семьи похожи друг на друга, каждая по-своему.\n"},
        {"Russian", "KOI8-R", "Все счастливые семьи похожи друг на друга, каждая по-своему.\n"},
        {"Japanese", "EUC-JP", "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。\n"},
        {"Japanese", "SHIFT_JIS", "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。\n"},
        {"Japanese", "ISO-2022-JP", "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。\n"},
        {"Chinese", "GB18030", "道可道,非常道。名可名,非常名。无名天地之始;有名万物之母。\n"},
        {"Chinese", "GBK", "道可道,非常道。名可名,非常名。无名天地之始;有名万物之母。\n"},
        {"Chinese", "BIG5", "道可道,非常道。名可名,非常名。無名天地之始;有名萬物之母。\n"},
        {"Korean", "EUC-KR", "나랏말싸미 한국에 달아 문자와로 서로 사맞지 아니할새 이런 전차로\n"},
        {"Japanese", "UTF-16LE", "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。\n"},
        {"Japanese", "UTF-32LE", "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。\n"},
        {"English", "UTF-32LE", "It was the best of times, it was the worst of times, naturally.\n"},
    };
    static const size_t DEFAULT_SIZES[] = {8192};
    size_t sizes[8], size_count = 0;
    for (int at = 1; at < argc && size_count < 8; at++) {
        size_t size = strtoul(argv[at], NULL, 10);
        if (size < 16 || size > MAX_BUFFER)
            return printf("a size is a number of bytes from 16 to %d\n", MAX_BUFFER), 1;
        sizes[size_count++] = size;
    }
    if (size_count == 0)
        memcpy(sizes, DEFAULT_SIZES, sizeof DEFAULT_SIZES), size_count = 1;
    setlocale(LC_ALL, "C.UTF-8");
    char *text = malloc(TEXT), *encoded = malloc(MAX_ENCODED);
    puts("| text | from | to | buffer, bytes | C library, MB/s | charpipe, MB/s | ratio |\n"
         "|---|---|---|---:|---:|---:|---:|");
    for (size_t at = 0; at < sizeof TEXTS / sizeof *TEXTS; at++) {
        size_t length = fill(text, TEXTS[at].line);
        size_t encoded_length = encode(TEXTS[at].encoding, text, length, encoded);
        for (size_t index = 0; index < size_count; index++) {
            compare(TEXTS[at].language, "UTF-8", TEXTS[at].encoding, encoded, encoded_length,
                    sizes[index]);
            compare(TEXTS[at].language, TEXTS[at].encoding, "UTF-8", text, length, sizes[index]);
        }
    }
    for (size_t index = 0; index < size_count; index++) {
        /* With and without a transliteration. */
        size_t length = fill(text, "éèêëàâäîïôöùûüç“”„«»€");
        compare("Latin letters", "ASCII//TRANSLIT", "UTF-8", text, length, sizes[index]);
        length = fill(text, "国境の長いトンネルを抜けると雪国であった");
        compare("Japanese", "ASCII//TRANSLIT", "UTF-8", text, length, sizes[index]);
    }
    puts("\n| from | to | C library, µs | charpipe, µs | ratio |\n|---|---|---:|---:|---:|");
    for (size_t at = 0; at < sizeof TEXTS / sizeof *TEXTS; at++) {
        compare_opening("UTF-8", TEXTS[at].encoding);
        compare_opening(TEXTS[at].encoding, "UTF-8");
    }
    compare_opening("ASCII//TRANSLIT", "UTF-8");
}
