"""Selects the files of a source archive and writes archives whose bytes depend only on their
content."""
import base64
import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import time
import zipfile

from .errors import BuildError

# Files that a build and the tests of the package need.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "boards", "cmake",
           "docs/reference/python.md", "engines", "examples/typed", "include", "kernels", "python", "ridgewatt",
           "studies", "tools/python_reference.py")
EPOCH_1980_S = 315532800  # the earliest time that a zip file can hold


def _time_s():
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if text and not text.isdecimal():
        raise BuildError(f"SOURCE_DATE_EPOCH is not a number of seconds: {text}")
    return max(int(text or EPOCH_1980_S), EPOCH_1980_S)


def source_files(root):
    """Returns the sorted paths, relative to `root`, of the files of SOURCES that git tracks.
    Outside a clone, returns all files of SOURCES except caches and hidden files."""
    if (root / ".git").exists():
        try:
            listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--", *SOURCES], check=True,
                                    capture_output=True).stdout.decode()
            return sorted(path for path in listed.split("\0") if path and (root / path).is_file())
        except (OSError, subprocess.CalledProcessError):
            pass  # git is missing or refuses this clone: search the folders
    found = []
    for source in SOURCES:
        for path in [root / source, *(root / source).rglob("*")]:
            relative = path.relative_to(root)
            if path.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in relative.parts):
                found.append(relative.as_posix())
    return sorted(found)


def executables(root, files):
    return {path for path in files if os.access(root / path, os.X_OK)}


def read_folder(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _place(target, content):
    """Writes the file completely or not at all."""
    part = target.with_name(target.name + ".part")
    part.write_bytes(content)
    os.replace(part, target)


def write_tar(target, folder, files, executable):
    """Writes `files`, a dict from path to content, into the folder `folder` of a .tar.gz."""
    time_s = _time_s()
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, filename="", mode="wb", mtime=time_s) as zipped, \
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(files):
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mtime = len(files[path]), time_s
            entry.mode = 0o755 if path in executable else 0o644
            tar.addfile(entry, io.BytesIO(files[path]))
    _place(target, packed.getvalue())


def write_wheel(target, files, record):
    """Writes `files`, a dict from path to content, as a wheel. `record` is the path of the list of
    their hashes."""
    def line(path):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(files[path])}\n"

    files = {**files, record: "".join([*map(line, sorted(files)), f"{record},,\n"]).encode()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, time.gmtime(_time_s())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, files[path])
    _place(target, packed.getvalue())
