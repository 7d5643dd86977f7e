"""Writes the samples of `cargo test --test detection` from the Universal Declaration of Human Rights.

usage: fixed.py DIR

Reads the texts in DIR/tune/udhr and writes tests/detection/samples.tsv: script group, language, encoding,
bytes in hexadecimal, and text. The encoders are those of samples.py.
"""

import sys
import tomllib
from pathlib import Path

import samples

LENGTHS = [60, 200]
TEST = samples.HERE / "../../tests/detection/samples.tsv"


class Rows(list):
    def add(self, kind, group, language, encoding, length, source, form, data, text):
        if "\t" in text or "\\" in text:
            return False
        self.append((group, language, encoding, data.hex(), text.replace("\n", "\\n")))
        return True


def main():
    texts = samples.Texts(Path(sys.argv[1]), "tune")
    texts.files = {
        language: [file for file in files if file.parent.name == "udhr"] for language, files in texts.files.items()
    }
    rows = Rows()
    for group, pairs in tomllib.loads((samples.HERE / "pairs.toml").read_text()).items():
        for language, encodings in pairs.items():
            for encoding in encodings.split():
                for length in LENGTHS:
                    samples.make(texts, rows, "fixed", group, language, encoding, length, 1)
    TEST.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
