"""Fetches the texts that the detector is trained, tuned and measured with.

usage: fetch.py DIR [ROLE | SOURCE]...

Downloads the packages of sources.toml and writes DIR/ROLE/SOURCE/LANGUAGE.txt: UTF-8 in NFC, one
sentence or paragraph per line, each line once. Languages are ISO 639 codes; Chinese and Serbian have a
script (zh-Hans, sr-Latn). `cargo xtask fetch-texts` calls it.
"""

import re
import subprocess
import sys
import tarfile
import tomllib
import unicodedata
import zipfile
import zlib
from multiprocessing import Pool
from pathlib import Path

import readers

HERE = Path(__file__).parent

# The maximum size of a text, in bytes. Of larger texts a part of the lines is kept, by their hashes.
MAX_BYTES = {"train": 2_000_000, "tune": 500_000, "test": 500_000}

# Languages whose texts are in several scripts, by line.
LATIN_OR_CYRILLIC = {"sr", "uz", "az", "tt", "be", "bs", "kk", "mn"}
# Locales without a script for which another one than the default of the language is used.
ALIASES = {"iw": "he", "no": "nb", "in": "id", "gr": "el", "jp": "ja", "cz": "cs", "ua": "uk", "tl": "fil"}
# ISO 639-3 codes of languages that have a code of two letters, and the names of word lists.
LONG = dict(
    item.split(":")
    for item in """
    afr:af ara:ar arb:ar azj:az bel:be bos:bs bre:br bul:bg cat:ca ces:cs cym:cy dan:da deu:de ell:el eng:en epo:eo ekk:et est:et
    eus:eu fao:fo pes:fa fas:fa fin:fi fra:fr fry:fy gle:ga gla:gd glg:gl heb:he hin:hi hrv:hr hun:hu hye:hy ind:id isl:is ita:it
    jpn:ja kat:ka kaz:kk khk:mn kir:ky kor:ko lit:lt ltz:lb lvs:lv lav:lv mkd:mk mlt:mt mri:mi nld:nl nno:nn nob:nb pol:pl por:pt
    roh:rm ron:ro rus:ru slk:sk slv:sl spa:es als:sq sqi:sq srp:sr swe:sv tat:tt tgk:tg tgl:fil tha:th tuk:tk tur:tr uig:ug ukr:uk
    urd:ur uzn:uz vie:vi yid:yi zlm:ms cmn:zh ydd:yi
    wbulgarian:bg wcatalan:ca wdanish:da wdutch:nl wesperanto:eo wfaroese:fo wfrench:fr wirish:ga witalian:it wngerman:de
    wpolish:pl wspanish:es wswedish:sv wukrainian:uk
    """.split()
)
HAN_SCRIPTS = {"cn": "Hans", "sg": "Hans", "hans": "Hans", "tw": "Hant", "hk": "Hant", "mo": "Hant", "hant": "Hant"}
SCRIPTS = {
    "Cyrl": ["ru", "uk", "bg", "mk", "ky", "tg", "ab", "os", "ce", "cv", "ba", "rue", "sah", "kv", "mrj"],
    "Grek": ["el"],
    "Hebr": ["he", "yi"],
    "Arab": ["ar", "fa", "ur", "ps", "ckb", "ug", "sd", "skr", "azb", "mzn", "arz"],
    "Thai": ["th"],
    "Geor": ["ka"],
    "Armn": ["hy"],
    "Deva": ["hi", "mr", "ne", "mai", "sa", "kok", "brx", "dgo"],
}
# Languages of other scripts.
OTHER_SCRIPTS = set(
    """
    am as ben bn bo bpy brx chr dv div dz gu guj hoc kan kn kho khm km lo mal ml mni my mya or ori pa pan sat shan shn si sin ta tam te
    tel ti tig
    """.split()
)
SCRIPT_OF = {language: script for script, languages in SCRIPTS.items() for language in languages}
RANGES = {
    "Latn": [(0x41, 0x24F), (0x1E00, 0x1EFF)],
    "Cyrl": [(0x400, 0x52F)],
    "Grek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "Hebr": [(0x590, 0x5FF)],
    "Arab": [(0x600, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE)],
    "Thai": [(0xE00, 0xE7F)],
    "Geor": [(0x10A0, 0x10FF)],
    "Armn": [(0x530, 0x58F)],
    "Deva": [(0x900, 0x97F)],
    "Hira": [(0x3040, 0x30FF)],
    "Hang": [(0xAC00, 0xD7AF)],
    "Hani": [(0x3400, 0x9FFF)],
}
PATTERNS = {name: re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + "]") for name, ranges in RANGES.items()}
WORD = re.compile(r"[^\W\d_]{2,}")


def language_of(locale):
    """Returns the language of a locale, with a script where there are several."""
    parts = [part.lower() for part in re.split(r"[-_@.]", locale) if part]
    if not parts:
        return None
    if parts == ["zh"] and "_" not in locale:
        return "zh-Hans"
    language = ALIASES.get(parts[0], LONG.get(parts[0], parts[0]) if len(parts[0]) > 2 else parts[0])
    if not re.fullmatch("[a-z]{2,3}", language):
        return None
    if language == "zh":
        script = next((HAN_SCRIPTS[part] for part in parts[1:] if part in HAN_SCRIPTS), None)
        return f"zh-{script}" if script else None
    for part in parts[1:]:
        if part in ("latin", "latn", "lat"):
            return f"{language}-Latn"
        if part in ("cyrillic", "cyrl"):
            return f"{language}-Cyrl"
        if part == "utf" or part == "utf8":
            continue
        if len(part) == 4 and part.isalpha():
            return f"{language}-{part.title()}"
    return language


def accept(language, line):
    """Returns the language and script that a line is in, or None."""
    counts = {name: len(pattern.findall(line)) for name, pattern in PATTERNS.items()}
    total = sum(counts.values())
    base = language.split("-")[0]
    if base in OTHER_SCRIPTS:
        # Vowel signs are not letters for `isalpha`.
        others = sum(ord(character) >= 0x980 and not character.isspace() for character in line) - total
        return language if others > total and others >= 2 else None
    if total < 2:
        return None
    if base == "ja":
        return language if counts["Hira"] * 4 >= total else None
    if base == "ko":
        return language if counts["Hang"] * 2 >= total else None
    if base == "zh":
        return language if counts["Hani"] * 2 >= total and not counts["Hira"] else None
    script = max(counts, key=counts.get)
    if counts[script] * 2 < total:
        return None
    if base in SCRIPT_OF:
        return language if script == SCRIPT_OF[base] else None
    if base in LATIN_OR_CYRILLIC:
        if script not in ("Latn", "Cyrl", "Arab"):
            return None
        default = {"be": "Cyrl", "tt": "Cyrl", "kk": "Cyrl", "mn": "Cyrl", "uz": "Latn", "az": "Latn", "bs": "Latn"}.get(base)
        return base if script == default else f"{base}-{script}"
    return language


# ---- packages


def deb_names(patterns):
    names = []
    for pattern in patterns:
        if pattern.endswith("*"):
            found = subprocess.run(["apt-cache", "pkgnames", pattern[:-1]], capture_output=True, text=True, check=True)
            names += sorted(found.stdout.split())
        else:
            names.append(pattern)
    return names


def download(source, directory):
    """Downloads the packages of a source and returns the files."""
    directory.mkdir(parents=True, exist_ok=True)
    done = directory / "complete"
    if not done.exists():
        kind, packages = source["kind"], source["packages"]
        if kind == "deb":
            for name in chunks(deb_names(packages), 40):
                run(["apt-get", "download", "--quiet", *name], directory)
        elif kind == "npm":
            run(["npm", "pack", "--silent", *packages], directory)
        elif kind == "pypi":
            run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *packages], directory)
        else:
            sys.exit(f"{source['name']}: unknown kind {kind}")
        done.touch()
    return sorted(file for file in directory.iterdir() if file.name != "complete")


def run(command, directory):
    subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def chunks(items, size):
    return [items[start : start + size] for start in range(0, len(items), size)]


def members(package):
    """Yields the paths and contents of the files in a package."""
    if package.suffix == ".deb":
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as process:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                yield from tar_members(archive, package)
    elif package.suffix in (".tgz", ".gz"):
        with tarfile.open(package) as archive:
            yield from tar_members(archive, package)
    else:
        with zipfile.ZipFile(package) as archive:
            for name in archive.namelist():
                yield f"{package.name}/{name}", lambda name=name: archive.read(name)


def tar_members(archive, package):
    for member in archive:
        if member.isfile():
            yield f"{package.name}/{member.name}", lambda member=member: archive.extractfile(member).read()


# ---- texts


def texts(job):
    """Returns the lines of a package by language, in order and each once."""
    source, package = job
    pattern = re.compile(source["files"])
    reader = getattr(readers, source["reader"])
    lines = {}
    for path, contents in members(package):
        match = pattern.search(path)
        if not match:
            continue
        groups = match.groupdict()
        language = language_of(groups["lang"]) if "lang" in groups else source["lang"]
        if language is None:
            continue
        for line in reader(path, contents()):
            line = unicodedata.normalize("NFC", line)
            line = line.rstrip() if source.get("markup") else " ".join(line.split())
            lines.setdefault(language, {})[line] = None
    return {language: list(found) for language, found in lines.items()}


def select(language, line, source):
    """Returns the language of a line that is long enough and of its script."""
    if source.get("markup"):
        return language
    minimum = 4 if language.split("-")[0] in ("ja", "ko", "zh", "th") else source.get("min", 10)
    if len(line) < minimum or "\ufffd" in line or not WORD.search(line):
        return None
    if any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xE000 <= ord(c) < 0xF900 for c in line):
        return None
    return accept(language, line)


def limit(lines, maximum):
    """Returns the lines, or a part of them if there are too many."""
    size = sum(len(line.encode()) + 1 for line in lines)
    if size <= maximum:
        return lines
    threshold = 2**32 * maximum // size
    return [line for line in lines if zlib.crc32(line.encode()) < threshold]


def fetch(source, directory, pool):
    packages = download(source, directory / ".packages" / source["name"])
    merged = {}
    for part in pool.imap(texts, [(source, package) for package in packages]):
        for language, lines in part.items():
            merged.setdefault(language, {}).update(dict.fromkeys(lines))
    english = set(merged.get("en", ()))
    final = {}
    for language, lines in merged.items():
        for line in lines:
            if language != "en" and line in english:
                continue
            chosen = select(language, line, source)
            if chosen:
                chosen = "sr-Cyrl" if chosen == "sr" else chosen
                final.setdefault(chosen, {})[line] = None
    output = directory / source["role"] / source["name"]
    output.mkdir(parents=True, exist_ok=True)
    count = 0
    for language, lines in sorted(final.items()):
        text = "".join(line + "\n" for line in limit(list(lines), MAX_BYTES[source["role"]]))
        if len(text.encode()) < source.get("least", 2000):
            continue
        (output / f"{language}.txt").write_text(text, encoding="utf-8", newline="")
        count += 1
    print(f"{source['role']}/{source['name']}: {count} languages", flush=True)


def main():
    directory, wanted = Path(sys.argv[1]).absolute(), sys.argv[2:]
    sources = tomllib.loads((HERE / "sources.toml").read_text())["source"]
    with Pool(2) as pool:
        for source in sources:
            if not wanted or source["role"] in wanted or source["name"] in wanted:
                fetch(source, directory, pool)


if __name__ == "__main__":
    main()
