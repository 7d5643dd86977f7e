"""Compares ``charpipe.convert`` with ``data.decode(name).encode()``, and the codecs ``charpipe:NAME`` with Python's own:
processor time, alternating, the minimum of 15 runs. Also the wall time of two threads against one.

    pip install charpipe; python benches/speed.py
"""

import sys
import threading
import time

import charpipe

LINES = {
    "gb18030": "道可道,非常道。名可名,非常名。无名天地之始;有名万物之母。",
    "gbk": "道可道,非常道。名可名,非常名。无名天地之始;有名万物之母。",
    "big5": "道可道,非常道。名可名,非常名。無名天地之始;有名萬物之母。",
    "shift_jis": "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。",
    "euc-jp": "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。",
    "iso-2022-jp": "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。",
    "euc-kr": "나랏말싸미 한국에 달아 문자와로 서로 사맞지 아니할새 이런 전차로",
    "utf-16-le": "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。",
    "cp1251": "Все счастливые семьи похожи друг на друга, каждая по-своему.",
    "cp1252": "Longtemps, je me suis couché de bonne heure. À peine ma bougie éteinte.",
    "cp037": "It was the best of times, it was the worst of times, naturally.",
}
RUNS = 15


def best(functions, clock=time.process_time):
    times = [float("inf")] * len(functions)
    for _ in range(RUNS):
        for index, function in enumerate(functions):
            start = clock()
            function()
            times[index] = min(times[index], clock() - start)
    return times


def speeds(size, functions):
    times = best(functions)
    ratios = [size / 1e6 / seconds for seconds in times]
    return f"{ratios[0]:.0f} | {ratios[1]:.0f} | {times[0] / times[1]:.1f}"


def repeated(function, count):
    def call():
        for _ in range(count):
            function()

    return call


def compare_codecs():
    print("| codec | bytes | decode: Python, µs | charpipe, µs | ratio | encode: Python, µs | charpipe, µs | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, line in LINES.items():
        for size, count in [(40, 20_000), (4096, 1000), (8_000_000, 1)]:
            text = line[:0]
            while len(text.encode(name)) < size and len(text) < 2_000_000:
                text = text + text + line + "\n" if size > 40 else text + line[len(text) % len(line)]
            data = text.encode(name)[: size // 2 * 2] if name != "iso-2022-jp" else text.encode(name)
            data = data.decode(name, "ignore").encode(name)
            text = data.decode(name)
            assert text == data.decode(f"charpipe:{name}") and data == text.encode(f"charpipe:{name}")
            cells = []
            for pair in [
                (lambda: data.decode(name), lambda: data.decode(f"charpipe:{name}")),
                (lambda: text.encode(name), lambda: text.encode(f"charpipe:{name}")),
            ]:
                own, other = (seconds / count * 1e6 for seconds in best([repeated(call, count) for call in pair]))
                cells += [f"{own:.2f}", f"{other:.2f}", f"{own / other:.2f}"]
            print(f"| {name} | {len(data)} | {' | '.join(cells)} |", flush=True)


def main():
    compare_codecs()
    print("| input | encoding | Python, MB/s | charpipe, MB/s | ratio |")
    print("|---|---|---:|---:|---:|")
    for name, line in LINES.items():
        text = (line + "\n") * (8_000_000 // len((line + "\n").encode(name)))
        data = text.encode(name)
        assert charpipe.convert(data, name) == text.encode()
        print(f"| 8 MB | {name} |", speeds(len(data), [
            lambda: data.decode(name).encode(),
            lambda: charpipe.convert(data, name),
        ]), "|")
    for name, line in LINES.items():
        row = line.encode(name)
        rows = [row] * 50_000
        print(f"| rows of {len(row)} bytes | {name} |", speeds(len(row) * len(rows), [
            lambda: [row.decode(name).encode() for row in rows],
            lambda: charpipe.convert_all(rows, name),
        ]), "|")
    for name in ("gb18030", "shift_jis"):
        data = (LINES[name] + "\n").encode(name) * 400_000

        def in_threads():
            threads = [threading.Thread(target=charpipe.convert, args=(data, name)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        def in_sequence():
            charpipe.convert(data, name)
            charpipe.convert(data, name)

        one, two = best([in_sequence, in_threads], time.perf_counter)
        print(f"two threads, {name}: {one / two:.2f} times as fast as one", file=sys.stderr)


if __name__ == "__main__":
    main()
