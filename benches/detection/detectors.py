"""Runs other detectors on the samples of `cargo xtask measure-detection`.

usage: detectors.py SAMPLES

Reads SAMPLES/samples.tsv, SAMPLES/texts and SAMPLES/files, which samples.py writes, and writes
SAMPLES/DETECTOR.tsv with the number of the sample, the name of the encoding as the detector prints it,
and whether Python decodes the sample with that name to its text. The first line has the version.
Detectors that are not installed are skipped, and so are those that have a file already.
"""

import importlib.metadata
import re
import subprocess
import sys
import unicodedata
from multiprocessing import Pool
from pathlib import Path

ENCA_LANGUAGES = {"be", "bg", "cs", "et", "hr", "hu", "lt", "lv", "pl", "ru", "sk", "sl", "uk", "zh"}


def chardet_result(data):
    import chardet

    return chardet.detect(data)["encoding"]


def charset_normalizer_result(data):
    import charset_normalizer

    best = charset_normalizer.from_bytes(data).best()
    return best.encoding if best else None


def icu_result(data):
    import icu

    detector = icu.CharsetDetector(data)
    match = detector.detect() if data else None
    # The order of the letters of right-to-left text is added to the names of code pages of EBCDIC.
    return re.sub("_(ltr|rtl)$", "", match.getName()) if match else None


PYTHON_DETECTORS = {"chardet": chardet_result, "charset-normalizer": charset_normalizer_result, "icu": icu_result}


def result_of(job):
    name, file = job
    return PYTHON_DETECTORS[name](file.read_bytes())


def python_results(name, samples, files):
    with Pool() as pool:
        yield from pool.imap(result_of, [(name, file) for file in files], chunksize=64)


def command_results(command, files):
    """The last word of each line that a command prints for its arguments."""
    for start in range(0, len(files), 500):
        part = files[start : start + 500]
        output = subprocess.run([*command, *map(str, part)], capture_output=True, text=True, errors="replace").stdout
        lines = output.splitlines()
        # For a single file uchardet does not print the name.
        assert len(lines) == len(part), f"{command}: {len(lines)} lines for {len(part)} files"
        yield from (line.rsplit(" ", 1)[-1].rsplit(":", 1)[-1] for line in lines)


def enca_results(samples, files):
    results = {}
    languages = {}
    for sample, file in zip(samples, files):
        language = sample[3].split("-")[0]
        languages.setdefault(language if language in ENCA_LANGUAGES else "none", []).append(file)
    for language, part in languages.items():
        results.update(zip(part, command_results(["enca", "-L", language, "-P", "-i"], part)))
    yield from (results[file] for file in files)


DETECTORS = {
    "chardet": python_results,
    "charset-normalizer": python_results,
    "icu": python_results,
    "uchardet": lambda name, samples, files: command_results(["uchardet"], files),
    "enca": lambda name, samples, files: enca_results(samples, files),
    "file": lambda name, samples, files: command_results(["file", "--mime-encoding"], files),
}


def version(name):
    """Returns the version of a detector, or None if it is not installed."""
    try:
        if name == "icu":
            import icu

            return icu.ICU_VERSION
        if name in PYTHON_DETECTORS:
            return importlib.metadata.version(name)
        output = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        return re.search(r"\d+\.[\d.]*\d", output).group()
    except (ImportError, FileNotFoundError):
        return None


def decodes_to(data, name, text):
    try:
        return unicodedata.normalize("NFC", data.decode(name)) == text
    except (LookupError, UnicodeDecodeError):
        return False


def main():
    directory = Path(sys.argv[1])
    samples = [line.split("\t") for line in (directory / "samples.tsv").read_text().splitlines()]
    files = [directory / "files" / sample[0] for sample in samples]
    texts, start = (directory / "texts").read_bytes(), 0
    expected = []
    for sample in samples:
        end = start + int(sample[8])
        expected.append(unicodedata.normalize("NFC", texts[start:end].decode()))
        start = end
    for name, detector in DETECTORS.items():
        output = directory / f"{name}.tsv"
        found = version(name)
        if found is None:
            print(f"skipped: {name} is not installed")
        if found is None or output.exists():
            continue
        lines = [f"version\t{found}\n"]
        for sample, file, text, result in zip(samples, files, expected, detector(name, samples, files)):
            right = bool(result) and decodes_to(file.read_bytes(), result, text)
            lines.append(f"{sample[0]}\t{result or ''}\t{int(right)}\n")
        output.write_text("".join(lines))
        print(f"{name} {found}", flush=True)


if __name__ == "__main__":
    main()
