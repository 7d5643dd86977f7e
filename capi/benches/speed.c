/* Compares the speed of charpipe_iconv with that of iconv(3) of the C library: processor time of
   converting a file of 8 MiB of each text, in buffers of 8 KiB, alternating, the minimum of nine.

       cargo build --profile library -p charpipe-capi
       cc -O2 -I capi/include capi/benches/speed.c target/library/libcharpipe_capi.so -o speed
       LD_LIBRARY_PATH=target/library ./speed */
#include <charpipe.h>
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT = 8 << 20, BUFFER = 8192, RUNS = 9 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double run(int is_charpipe, const char *to, const char *from, char *text, size_t length,
                  size_t *total) {
    static char buffer[BUFFER];
    double start = now();
    void *cd = is_charpipe ? (void *)charpipe_iconv_open(to, from) : (void *)iconv_open(to, from);
    size_t at = 0;
    *total = 0;
    while (at < length) {
        size_t left = length - at < BUFFER ? length - at : BUFFER, before = left;
        char *in = text + at, *out = buffer;
        size_t space = BUFFER;
        size_t result = is_charpipe ? charpipe_iconv(cd, &in, &left, &out, &space)
                                    : iconv((iconv_t)cd, &in, &left, &out, &space);
        if (result == (size_t)-1 && errno == EILSEQ) {
            printf("%s to %s: error at byte %zu\n", from, to, at + before - left);
            exit(1);
        }
        at += before - left;
        *total += BUFFER - space;
    }
    double elapsed = now() - start;
    if (is_charpipe)
        charpipe_iconv_close(cd);
    else
        iconv_close((iconv_t)cd);
    return elapsed;
}

static void compare(const char *what, const char *to, const char *from, char *text, size_t length) {
    double best[2] = {1e9, 1e9};
    size_t total[2];
    for (int count = 0; count < RUNS; count++)
        for (int library = 0; library < 2; library++) {
            double elapsed = run(library, to, from, text, length, &total[library]);
            best[library] = elapsed < best[library] ? elapsed : best[library];
        }
    if (total[0] != total[1])
        printf("%s: the outputs differ\n", what);
    double size = (double)length / 1e6;
    printf("| %s | %s | %s | %.0f | %.0f | %.1f |\n", what, from, to, size / best[0], size / best[1],
           best[0] / best[1]);
}

static size_t fill(char *text, const char *line) {
    size_t length = strlen(line), total = 0;
    for (; total + length <= TEXT; total += length)
        memcpy(text + total, line, length);
    return total;
}

static size_t encode(const char *to, char *text, size_t length, char *encoded) {
    iconv_t cd = iconv_open(to, "UTF-8");
    size_t left = 2 * TEXT;
    char *out = encoded;
    iconv(cd, &text, &length, &out, &left);
    iconv_close(cd);
    return (size_t)(out - encoded);
}

int main(void) {
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
        {"Chinese", "BIG5", "道可道,非常道。名可名,非常名。無名天地之始;有名萬物之母。\n"},
        {"Korean", "EUC-KR", "나랏말싸미 한국에 달아 문자와로 서로 사맞지 아니할새 이런 전차로\n"},
        {"Japanese", "UTF-16LE", "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。\n"},
    };
    char *text = malloc(TEXT), *encoded = malloc(2 * TEXT);
    puts("| text | from | to | C library, MB/s | charpipe, MB/s | ratio |\n|---|---|---|---:|---:|---:|");
    for (size_t at = 0; at < sizeof TEXTS / sizeof *TEXTS; at++) {
        size_t length = fill(text, TEXTS[at].line);
        size_t encoded_length = encode(TEXTS[at].encoding, text, length, encoded);
        compare(TEXTS[at].language, "UTF-8", TEXTS[at].encoding, encoded, encoded_length);
        compare(TEXTS[at].language, TEXTS[at].encoding, "UTF-8", text, length);
    }
}
