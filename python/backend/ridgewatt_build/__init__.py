"""Builds the source archive (sdist) and the wheel of ridgewatt with CMake (PEP 517, PEP 660). It
needs only the standard library of Python.

    /usr/bin/python3 -m build --no-isolation       # ridgewatt-VERSION.tar.gz and the wheel in dist/
    pip install --no-build-isolation .

Settings (`-C NAME=VALUE`):

    library=PREFIX      prefix of an installed ridgewatt (CMake's --prefix): compiles only the
                        binding
    build-dir=FOLDER    CMake's build folder, kept for the next build; default: build-python in the
                        source tree
    cmake-args=WORDS    arguments for CMake, split as in a shell; may be given several times

The same files always give the same bytes: names in archives are sorted and all times are
SOURCE_DATE_EPOCH or, without it, the first of January 1980. If CMake, a compiler or a library is
missing, the error is one line that names the package to install.
"""
import pathlib
import tempfile

from . import archive, cmake, metadata
from .errors import BuildError

__all__ = ["BuildError", "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable",
           "get_requires_for_build_sdist", "get_requires_for_build_wheel", "prepare_metadata_for_build_editable",
           "prepare_metadata_for_build_wheel"]

ROOT = pathlib.Path(__file__).resolve().parents[3]


def get_requires_for_build_sdist(config_settings=None):
    return []


get_requires_for_build_wheel = get_requires_for_build_editable = get_requires_for_build_sdist


def build_sdist(sdist_directory, config_settings=None):
    """Writes the .tar.gz of the tracked files that a build needs, and returns its name."""
    project = metadata.read(ROOT)
    name = f"ridgewatt-{project['version']}"
    files = {path: (ROOT / path).read_bytes() for path in archive.source_files(ROOT)}
    files["PKG-INFO"] = metadata.core(ROOT, project).encode()
    archive.write_tar(pathlib.Path(sdist_directory) / f"{name}.tar.gz", name, files, archive.executables(ROOT, files))
    return f"{name}.tar.gz"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the .dist-info folder of the wheel without compiling, and returns its name."""
    project = metadata.read(ROOT)
    files = metadata.dist_info(ROOT, project, cmake.tag())
    for path, content in files.items():
        target = pathlib.Path(metadata_directory) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return metadata.dist_info_name(project)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Compiles the binding, and also the library unless an installed one is given. Writes the wheel
    and returns its name."""
    project = metadata.read(ROOT)
    with tempfile.TemporaryDirectory() as staged:
        cmake.build(ROOT, cmake.Settings.of(config_settings, ROOT), project["version"], pathlib.Path(staged))
        files = archive.read_folder(pathlib.Path(staged))
    return _write(wheel_directory, project, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes a wheel that points to the build folder, in which the .py files are links to the
    source tree. Returns its name."""
    project = metadata.read(ROOT)
    settings = cmake.Settings.of(config_settings, ROOT)
    cmake.build(ROOT, settings, project["version"], None)
    return _write(wheel_directory, project, {"ridgewatt.pth": f"{settings.build_dir / 'python'}\n".encode()})


def _write(wheel_directory, project, files):
    tag = cmake.tag()
    files.update(metadata.dist_info(ROOT, project, tag))
    name = f"ridgewatt-{project['version']}-{tag}.whl"
    archive.write_wheel(pathlib.Path(wheel_directory) / name, files, f"{metadata.dist_info_name(project)}/RECORD")
    return name
