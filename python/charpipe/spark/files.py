"""Files of local and remote file systems: directories, globs, compression."""

from __future__ import annotations

import functools
import io
import json
import posixpath
import re
from typing import NamedTuple, Optional

import pyarrow as pa
from pyarrow import fs

# Names of pyarrow's codecs by the suffixes of files.
CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_OTHER_CODECS = (".deflate", ".lz4", ".lzo", ".snappy", ".xz", ".z", ".zip", ".7z")
# Schemes that have other names in pyarrow.
_SCHEMES = {"s3a": "s3", "s3n": "s3"}
# The number of bytes of a remote file that are read at least, because each read is a request.
_BUFFER = 64 << 10
# The number of bytes of a compressed remote file that are read at a time.
_COMPRESSED_BUFFER = 8 << 20

# Names of Hadoop's configuration that apply to files of S3.
S3A_NAMES = (
    "fs.s3a.access.key",
    "fs.s3a.secret.key",
    "fs.s3a.session.token",
    "fs.s3a.endpoint",
    "fs.s3a.endpoint.region",
    "fs.s3a.path.style.access",
    "fs.s3a.connection.ssl.enabled",
)


class Configuration(NamedTuple):
    """What is known about remote file systems besides the environment."""

    # Arguments of a file system of fsspec, as JSON.
    fsspec: Optional[str] = None
    # Names and values of ``S3A_NAMES``.
    s3a: tuple[tuple[str, str], ...] = ()


class File(NamedTuple):
    """A file with its size in bytes."""

    uri: str
    size: int

    @property
    def codec(self):
        """The codec of a compressed file, or ``None``."""
        suffix = posixpath.splitext(self.uri)[1].lower()
        if suffix in _OTHER_CODECS:
            raise ValueError(f"{self.uri}: files of the kind {suffix} are not supported")
        return CODECS.get(suffix)

    @property
    def is_local(self):
        """Whether reading a few bytes is not a request to another machine."""
        return "://" not in self.uri


def _split_uri(uri):
    """Return the scheme and the host, as a URI, and the path."""
    if uri.startswith("file:"):
        return "", re.sub("^file:/*", "/", uri)
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)(.*)", uri, re.S)
    if match is None:
        return "", uri
    scheme, host, path = match.groups()
    return f"{_SCHEMES.get(scheme, scheme)}://{host}", path


@functools.lru_cache(maxsize=64)
def _file_system(root, configuration):
    """Return the file system with a root, and the path of that."""
    if not root:
        return fs.LocalFileSystem(), ""
    if configuration.fsspec is None:
        try:
            if configuration.s3a and root.startswith("s3://"):
                return _s3(root, dict(configuration.s3a)), root.removeprefix("s3://")
            return fs.FileSystem.from_uri(root + "/")
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    import fsspec

    other, path = fsspec.core.url_to_fs(root + "/", **json.loads(configuration.fsspec or "{}"))
    return fs.PyFileSystem(_Handler(other)), path


def _s3(root, s3a):
    """Return the file system of S3 with Hadoop's configuration."""
    arguments = {
        "access_key": s3a.get("fs.s3a.access.key"),
        "secret_key": s3a.get("fs.s3a.secret.key"),
        "session_token": s3a.get("fs.s3a.session.token"),
        "region": s3a.get("fs.s3a.endpoint.region"),
    }
    endpoint = s3a.get("fs.s3a.endpoint")
    if endpoint:
        scheme, separator, host = endpoint.rpartition("://")
        if not separator:
            scheme = "http" if s3a.get("fs.s3a.connection.ssl.enabled", "").lower() == "false" else "https"
        arguments |= {"endpoint_override": host.rstrip("/"), "scheme": scheme}
        arguments["force_virtual_addressing"] = s3a.get("fs.s3a.path.style.access", "").lower() == "false"
    elif not arguments["region"]:
        arguments["region"] = fs.resolve_s3_region(root.removeprefix("s3://"))
    return fs.S3FileSystem(**{name: value for name, value in arguments.items() if value is not None})


class _Handler(fs.FSSpecHandler):
    """A file system of fsspec, whose files can be read by several threads."""

    def open_input_file(self, path):
        # A file in memory is a single object, with one position for all that open it.
        if "memory" in self.fs.protocol:
            return pa.BufferReader(self.fs.cat_file(path))
        return super().open_input_file(path)


def resolve(uri, configuration=Configuration()):
    """Return the file system of a URI or a local path, and the path in it.

    pyarrow's file systems are used if there are no arguments for fsspec and pyarrow has one for the scheme, and
    otherwise those of fsspec.
    """
    root, path = _split_uri(uri)
    file_system, base = _file_system(root, configuration)
    return file_system, _join(base, path) if root else path


def open_file(file, configuration):
    """Return a binary file that can seek."""
    file_system, path = resolve(file.uri, configuration)
    opened = file_system.open_input_file(path)
    return opened if file.is_local else io.BufferedReader(opened, _BUFFER)


def open_decompressed(file, configuration):
    """Return a binary file of the decompressed bytes."""
    file_system, path = resolve(file.uri, configuration)
    opened = file_system.open_input_file(path)
    if not file.is_local:
        opened = pa.BufferedInputStream(opened, _COMPRESSED_BUFFER)
    return pa.CompressedInputStream(opened, file.codec)


def _join(base, path):
    return posixpath.join(base, path.lstrip("/")).rstrip("/") or "/"


def _uri(uri, configuration, path):
    """Return the URI of a path in the file system of another URI."""
    root, _ = _split_uri(uri)
    if not root:
        return path
    _, base = _file_system(root, configuration)
    return re.match("[^/]*//[^/]*", uri).group() + "/" + path.removeprefix(base).lstrip("/")


def _is_hidden(path):
    """Whether Spark ignores a file or directory with this path."""
    name = posixpath.basename(path.rstrip("/"))
    return name.startswith(".") or name.startswith("_") and "=" not in name or name.endswith("._COPYING_")


def _regex(pattern):
    """Return the regular expression of a component of a glob."""
    found, position, depth = "", 0, 0
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char == "*":
            found += "[^/]*"
        elif char == "?":
            found += "[^/]"
        elif char == "\\" and position < len(pattern):
            found += re.escape(pattern[position])
            position += 1
        elif char == "[" and "]" in pattern[position:]:
            end = pattern.index("]", position)
            inside = pattern[position:end].replace("\\", "\\\\")
            found += "[" + ("^" + inside[1:] if inside[:1] in ("^", "!") else inside) + "]"
            position = end + 1
        elif char == "{":
            found += "(?:"
            depth += 1
        elif char == "}" and depth:
            found += ")"
            depth -= 1
        elif char == "," and depth:
            found += "|"
        else:
            found += re.escape(char)
    return re.compile(found, re.S)


def _glob(file_system, path):
    """Return the paths that match a glob."""
    components = path.split("/")
    first = next(i for i, name in enumerate(components) if re.search(r"[*?\[{]", name))
    found = ["/".join(components[:first])]
    for index in range(first, len(components)):
        regex = _regex(components[index])
        is_last = index == len(components) - 1
        matches = []
        for directory in found:
            selector = fs.FileSelector(directory or "/", allow_not_found=True)
            for info in file_system.get_file_info(selector):
                is_wanted = is_last or info.type == fs.FileType.Directory
                if is_wanted and regex.fullmatch(info.base_name) and not _is_hidden(info.path):
                    matches.append(info.path)
        found = matches
    return sorted(found)


def find(uris, configuration=Configuration(), *, is_recursive=False):
    """Return the files of paths, which may be globs or directories.

    Hidden files, whose names begin with ``_`` or ``.``, are left out.
    """
    files = []
    for uri in uris:
        file_system, path = resolve(uri, configuration)
        (info,) = file_system.get_file_info([path])
        if info.type != fs.FileType.NotFound:
            paths = [path]
        elif re.search(r"[*?\[{]", path):
            paths = _glob(file_system, path)
        else:
            paths = []
        if not paths:
            raise FileNotFoundError(f"{uri}: no such file or directory")
        for info in file_system.get_file_info(paths):
            files += _files(file_system, info, is_recursive, functools.partial(_uri, uri, configuration))
    return files


def _files(file_system, info, is_recursive, uri):
    if info.type == fs.FileType.File:
        return [File(uri(info.path), info.size)]
    found = []
    entries = file_system.get_file_info(fs.FileSelector(info.path))
    for entry in sorted(entries, key=lambda entry: entry.path):
        if _is_hidden(entry.path):
            continue
        if entry.type == fs.FileType.File:
            found.append(File(uri(entry.path), entry.size))
        elif is_recursive:
            found += _files(file_system, entry, is_recursive, uri)
        elif "=" in entry.base_name:
            raise ValueError(f"{entry.path}: partition columns are not supported; set recursiveFileLookup")
    return found
