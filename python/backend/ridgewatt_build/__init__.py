"""Builds the sdist and the wheel of ridgewatt (PEP 517, PEP 660), with CMake and the standard library.

    /usr/bin/python3 -m build --no-isolation       # dist/ridgewatt-VERSION.tar.gz and the wheel of it
    pip install --no-build-isolation .

Settings (`-C NAME=VALUE`):

    library=PREFIX      an installed ridgewatt (CMake's --prefix): only the binding is compiled against it
    build-dir=FOLDER    where CMake builds (default: build-python in the source tree); kept for the next build
    cmake-args=WORDS    handed to CMake, split as a shell would; may be given several times

Archives hold sorted names and one time, SOURCE_DATE_EPOCH or the first of 1980: the same files give the
same bytes. What is missing (CMake, a compiler, a library) is said in one line, with the package that has it.
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
    """Writes the .tar.gz of the tracked files that a build needs; gives its name."""
    project = metadata.read(ROOT)
    name = f"ridgewatt-{project['version']}"
    files = {path: (ROOT / path).read_bytes() for path in archive.source_files(ROOT)}
    files["PKG-INFO"] = metadata.core(ROOT, project).encode()
    archive.write_tar(pathlib.Path(sdist_directory) / f"{name}.tar.gz", name, files, archive.executables(ROOT, files))
    return f"{name}.tar.gz"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the .dist-info folder of the wheel without compiling; gives its name."""
    project = metadata.read(ROOT)
    files = metadata.dist_info(ROOT, project, cmake.tag())
    for path, content in files.items():
        target = pathlib.Path(metadata_directory) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return metadata.dist_info_name(project)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Compiles the binding, and the library where no installed one is given; gives the wheel's name."""
    project = metadata.read(ROOT)
    with tempfile.TemporaryDirectory() as staged:
        cmake.build(ROOT, cmake.Settings.of(config_settings, ROOT), project["version"], pathlib.Path(staged))
        files = archive.read_folder(pathlib.Path(staged))
    return _write(wheel_directory, project, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that points at the build folder, whose .py files are links to the source tree."""
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
