"""Files of local and remote file systems: directories, globs, compression."""

from __future__ import annotations

import functools
import json
import posixpath
import re
from typing import NamedTuple

import pyarrow as pa
from pyarrow import fs

# Names of pyarrow's codecs by the suffixes of files.
CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_OTHER_CODECS = (".deflate", ".lz4", ".lzo", ".snappy", ".xz", ".z", ".zip", ".7z")
# Schemes that have other names in pyarrow.
_SCHEMES = {"s3a": "s3", "s3n": "s3"}


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
def _file_system(root, options):
    """Return the file system with a root, and the path of that."""
    if not root:
        return fs.LocalFileSystem(), ""
    if options == "null":
        try:
            return fs.FileSystem.from_uri(root + "/")
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    import fsspec

    other, path = fsspec.core.url_to_fs(root + "/", **(json.loads(options) or {}))
    return fs.PyFileSystem(_Handler(other)), path


class _Handler(fs.FSSpecHandler):
    """A file system of fsspec, whose files can be read by several threads."""

    def open_input_file(self, path):
        # A file in memory is a single object, with one position for all that open it.
        if "memory" in self.fs.protocol:
            return pa.BufferReader(self.fs.cat_file(path))
        return super().open_input_file(path)


def resolve(uri, options=None):
    """Return the file system of a URI or a local path, and the path in it.

    pyarrow's file systems are used if there are no options and pyarrow has one for the scheme, and otherwise
    those of fsspec.
    """
    root, path = _split_uri(uri)
    file_system, base = _file_system(root, json.dumps(options, sort_keys=True))
    return file_system, _join(base, path) if root else path


def _join(base, path):
    return posixpath.join(base, path.lstrip("/")).rstrip("/") or "/"


def _uri(uri, options, path):
    """Return the URI of a path in the file system of another URI."""
    root, _ = _split_uri(uri)
    if not root:
        return path
    _, base = _file_system(root, json.dumps(options, sort_keys=True))
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


def find(uris, options=None, *, is_recursive=False):
    """Return the files of paths, which may be globs or directories.

    Hidden files, whose names begin with ``_`` or ``.``, are left out.
    """
    files = []
    for uri in uris:
        file_system, path = resolve(uri, options)
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
            files += _files(file_system, info, is_recursive, functools.partial(_uri, uri, options))
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
