"""Archives of which equal contents have equal bytes, and from which nothing is taken on trust."""

from __future__ import annotations

import hashlib
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from memlab.errors import ConfigError, DataError, Faults

MOST_BYTES = 512 * 1024**2
"""An archive may hold so many bytes, unpacked."""
MOST_FILES = 1_000
_LONGEST = 200
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16
_UTF8 = 0x800
_END = struct.Struct("<4s4H2LH")
_STEP = 1 << 20
_ATTRIBUTES = "has attributes that a bundle does not give"
_PACKED = "is packed in another way than a bundle is"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError)


def write_archive(contents: Mapping[str, bytes | Path], path: Path) -> None:
    """Write a ZIP file: names sorted, times and modes fixed, nothing of this machine in it.

    Equal contents give equal bytes wherever zlib packs alike.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(contents):
            given = contents[name]
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system, info.external_attr = 3, _MODE
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, given if isinstance(given, bytes) else given.read_bytes())


def extract(
    path: Path, folder: Path, known: Callable[[str], bool], *, most_bytes: int = MOST_BYTES
) -> dict[str, str]:
    """Unpack an archive into `folder` and return the sha256 of each file.

    Everything about its members is checked before the first is unpacked: `known` tells whether
    a name may be there. So neither a path nor a small file that unpacks into a large one does
    harm.

    Raises:
        DataError: no file, or not a ZIP file.
        Faults: members that `write_archive` would not have written; all of them at once.
    """
    _check_end(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            faults = [*_faults(members, known), *_size_faults(members, most_bytes)]
            if faults:
                raise Faults(faults, f"{path} is refused, nothing was unpacked")
            return {info.filename: _unpack(archive, info, folder) for info in members}
    except _DAMAGE as error:
        raise DataError(f"{path} is damaged: {error}", "a bundle as memlab wrote it") from error
    except OSError as error:
        raise DataError(f"{path} cannot be unpacked: {error.strerror}", "room to unpack") from error


def repacked(names: Iterable[str], folder: Path, scratch: Path) -> str:
    """Return the sha256 of the archive that unpacked files make here."""
    write_archive({name: folder / name for name in names}, scratch)
    return sha256(scratch)


def sha256(path: Path) -> str:
    """Return the sha256 (hex) of a file, read a piece at a time."""
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_STEP):
            sha.update(piece)
    return sha.hexdigest()


def _check_end(path: Path) -> None:
    """Check the end of the file, which tells how much there is to read of members."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - _END.size))
            end = file.read(_END.size)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", "a bundle") from error
    if len(end) < _END.size or not end.startswith(b"PK\5\6"):
        raise DataError(
            f"{path} does not end as a ZIP file does",
            "a bundle as memlab wrote it, with nothing after it",
        )
    _, disk, first, here, count, length, start, comment = _END.unpack(end)
    whole = start + length + _END.size == size and comment == 0
    if (disk, first) != (0, 0) or here != count or count > MOST_FILES or not whole:
        raise DataError(
            f"the end of {path} does not fit the rest", f"one whole ZIP of up to {MOST_FILES} files"
        )


def _faults(members: Iterable[zipfile.ZipInfo], known: Callable[[str], bool]) -> list[str]:
    faults: list[str] = []
    packing: list[str] = []
    seen, last = set(), ""
    for info in members:
        name = info.filename
        fault = _name_fault(name, info.orig_filename) or _kind_fault(info)
        fault = fault or ("" if known(name) else "is no part of a bundle")
        if name.casefold() in seen:
            fault = "is there twice"
        elif not fault and name < last:
            fault = "stands out of order"
        seen.add(name.casefold())
        last = name
        if fault:
            told = packing if fault in (_ATTRIBUTES, _PACKED) else faults
            told.append(f"{name!r:.200} {fault}")
    if packing:
        again = f"repacked by another program: {packing[0]}, and {len(packing) - 1} more"
        faults.append(f"{again}; take the file as `memlab bundle` wrote it")
    return faults


def _name_fault(name: str, original: str) -> str:
    """Say what is wrong with a name; only plain relative paths are right."""
    parts = name.split("/")
    if name != original or not name.isprintable() or len(name) > _LONGEST:
        return "has a name that cannot be shown"
    if name.startswith("/") or "\\" in name or ":" in name:
        return "is an absolute path, or one of another system"
    if name.endswith("/"):
        return "is a folder"
    if any(part in ("", ".", "..") for part in parts):
        return "leads out of the folder"
    return ""


def _kind_fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "is a symbolic link"
    if info.flag_bits & 1:
        return "is encrypted"
    plain = (info.external_attr, info.create_system, info.date_time, info.extra, info.comment)
    if plain != (_MODE, 3, _TIME, b"", b"") or info.internal_attr or info.volume:
        return _ATTRIBUTES
    utf8 = 0 if info.filename.isascii() else _UTF8
    if info.compress_type != zipfile.ZIP_DEFLATED or info.flag_bits != utf8:
        return _PACKED
    return ""


def _size_faults(members: Iterable[zipfile.ZipInfo], most_bytes: int) -> list[str]:
    total = sum(info.file_size for info in members)
    if total <= most_bytes:
        return []
    remedy = "raise the limit if you trust it"
    return [str(ConfigError(f"{total:,} bytes unpacked", f"at most {most_bytes:,}", remedy))]


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> str:
    """Write one member; zipfile reads no more of it than the size that was checked."""
    target = folder / info.filename
    target.parent.mkdir(parents=True, exist_ok=True)
    sha = hashlib.sha256()
    with archive.open(info) as packed, target.open("xb") as file:
        while piece := packed.read(_STEP):
            sha.update(piece)
            file.write(piece)
    return sha.hexdigest()
