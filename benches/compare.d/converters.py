"""The programs that are measured: how each is called, found and installed."""

import dataclasses
import os
import pathlib
import shutil
import subprocess

from encoding_table import ENCODINGS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHARPIPE = str(ROOT / "target/dist/charpipe")
# Where `cargo install` puts converters, out of the user's own directory.
CACHE = ROOT / "target/converters"


@dataclasses.dataclass(frozen=True)
class Converter:
    """A program to measure beside, the package that has it, and a command that names its version."""

    name: str
    package: str
    version: tuple = ("--version",)
    installer: str = "apt-get"
    # The program, if it is not called like the converter.
    program: str = ""

    # A package of the repository that is built, instead of one that is installed.
    source: str = ""

    def path(self):
        name = self.program or self.name
        return shutil.which(name) or shutil.which(name, path=CACHE / "bin")

    def install(self):
        if self.source:
            directories = ["--root", str(CACHE), "--target-dir", str(CACHE / "build")]
            return ["cargo", "install", "--quiet", "--locked", *directories, "--path", self.source]
        if self.installer == "cargo":
            return ["cargo", "install", "--quiet", "--locked", "--root", str(CACHE), self.package]
        return ["apt-get", "install", "-y", "-qq", "--no-install-recommends", self.package]


CONVERTERS = {
    converter.name: converter
    for converter in [
        Converter("cat", "coreutils"),
        Converter("iconv", "libc-bin"),
        Converter("uconv", "icu-devtools"),
        Converter("recode", "recode"),
        Converter("nkf", "nkf"),
        Converter("recode_rs", "recode_rs", version=(), installer="cargo"),
        Converter("sutf", "sutf", source=str(ROOT / "benches/compare.d/sutf")),
        Converter("coreutils", "coreutils", program="base64"),
        Converter("dos2unix", "dos2unix"),
        Converter("unix2dos", "dos2unix"),
        Converter("sed", "sed"),
        Converter("cp", "coreutils"),
        Converter("sharutils", "sharutils", program="uuencode"),
    ]
}


def limit_to_avx2():
    """Leaves AVX-512 out of the command that is built next, and makes simdutf not use it."""
    os.environ["CHARPIPE_NO_AVX512"] = "1"
    os.environ["SIMDUTF_FORCE_IMPLEMENTATION"] = "haswell"


def has_avx512():
    """Whether the processor has the instructions of the AVX-512 level, and they are used."""
    info = pathlib.Path("/proc/cpuinfo")
    is_limited = "CHARPIPE_NO_AVX512" in os.environ
    return not is_limited and info.exists() and " avx512_vbmi2 " in info.read_text(encoding="utf-8")


def build():
    """Makes the command that is measured."""
    command = ["cargo", "build", "--profile", "dist", "--locked", "--quiet"]
    subprocess.run(command, cwd=ROOT, check=True)


def provide(wanted, *, install):
    """The converters that are here, of those wanted. Missing ones are installed if that is allowed."""
    missing = [converter for name in wanted if not (converter := CONVERTERS[name]).path()]
    for converter in missing:
        command = converter.install()
        if not install:
            print(f"missing: {converter.name} ({' '.join(command)}, or --install)", flush=True)
        elif subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            print(f"missing: {converter.name} (it could not be installed)", flush=True)
    return [name for name in wanted if CONVERTERS[name].path()]


def version(name):
    """The first line of what a converter says of itself; of a crate what cargo has noted."""
    converter = CONVERTERS[name]
    if not converter.version:
        listed = ["cargo", "install", "--list", "--root", str(CACHE)]
        lines = subprocess.run(listed, capture_output=True, text=True, check=False).stdout
        found = [line.rstrip(":") for line in lines.splitlines() if line.startswith(name)]
        return found[0] if found else name
    said = subprocess.run([converter.path(), *converter.version], capture_output=True, text=True, check=False)
    return said.stdout.strip().splitlines()[0].strip()


def _iconv(path, source, target, skip):
    return [path, *(["-c"] if skip else []), "-f", source, "-t", target]


def _uconv(path, source, target, skip):
    return [path, *(["-c"] if skip else []), "-f", source, "-t", target]


def _recode(path, source, target, skip):
    # From an encoding to itself it copies without a look. Without the slashes, encodings of DOS and hosts
    # bring line ends of their own.
    return None if skip or source == target else [path, f"{source}/..{target}/"]


def _nkf(path, source, target, skip):
    # Neither words of mail nor narrow katakana are to be changed.
    return None if skip else [path, source.upper(), target, "-m0", "-x"]


def _recode_rs(path, source, target, skip):
    return None if skip else [path, "-f", source, "-t", target]


def _sutf(path, source, target, skip):
    # It converts from UTF-8 and to it.
    return None if skip or "utf-8" not in (source, target) else [path, "-f", source, "-t", target]


COMMANDS = {
    "iconv": _iconv,
    "uconv": _uconv,
    "recode": _recode,
    "nkf": _nkf,
    "recode_rs": _recode_rs,
    "sutf": _sutf,
}


def command(name, source, target, action=""):
    """The words of a conversion from the standard input to the standard output, or None.

    An action is what to do about errors: skip or replace; of the converters only skip is asked.
    """
    if name == "cat":
        return ["cat"]
    if name == "charpipe":
        policy = {"": [], "skip": ["-c"], "replace": ["--on-error", "replace"]}[action]
        return [CHARPIPE, "-j1", *policy, "-f", source, "-t", target]
    if source == "rfc2047":
        return [CONVERTERS[name].path(), "-w", "-m"] if name == "nkf" else None
    names = ENCODINGS[source].called(name), ENCODINGS[target].called(name, written=True)
    if None in names or action == "replace":
        return None
    return COMMANDS[name](CONVERTERS[name].path(), *names, action == "skip")


def row_command(name, row):
    """The words of the conversion of a row, or None."""
    if not row.arguments:
        return command(name, row.source, row.target, row.action)
    if name == "charpipe":
        one_thread = ["-j1"] if row.arguments[0].startswith("-") else []
        return [CHARPIPE, *one_thread, *row.arguments]
    return row.others.get(name)
