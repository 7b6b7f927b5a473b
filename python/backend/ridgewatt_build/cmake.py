"""Runs CMake for the compiled part of a wheel and reports what is missing."""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

from .errors import BuildError

# Name of a dependency in CMake, and its packages in Debian and Ubuntu.
PACKAGES = {"Python": "python3-dev", "pybind11": "pybind11-dev", "Protobuf": "libprotobuf-dev protobuf-compiler",
            "Eigen3": "libeigen3-dev", "fmt": "libfmt-dev", "nlohmann_json": "nlohmann-json3-dev",
            "CLI11": "libcli11-dev", "SQLite3": "libsqlite3-dev", "ZLIB": "zlib1g-dev"}
KNOWN = ("library", "build-dir", "cmake-args")


def tag():
    """Returns interpreter, ABI and platform of the running Python, as they appear in the name of a
    wheel. Raises BuildError if it is not CPython."""
    if sys.implementation.name != "cpython":
        raise BuildError(f"needs CPython, not {sys.implementation.name}")
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{version}-{version}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


@dataclasses.dataclass
class Settings:
    """The -C settings of a build."""
    library: str  # prefix of an installed ridgewatt; empty: compile the library too
    build_dir: pathlib.Path
    cmake_args: list

    @classmethod
    def of(cls, config_settings, root):
        given = dict(config_settings or {})
        unknown = sorted(name for name in given if name not in KNOWN)
        if unknown:
            raise BuildError(f"unknown setting {unknown[0]}: there are {', '.join(KNOWN)}")
        library = given.get("library", "")
        if library and not pathlib.Path(library).is_absolute():
            raise BuildError(f"library={library}: give the absolute path of an installed ridgewatt")
        args = given.get("cmake-args", [])
        words = [word for text in ([args] if isinstance(args, str) else args) for word in shlex.split(text)]
        return cls(library, (root / given.get("build-dir", "build-python")).absolute(), words)


def build(root, settings, version, prefix):
    """Configures and compiles the package. Installs it, stripped, into `prefix` unless that is
    None. Raises BuildError if a step fails."""
    if shutil.which("cmake") is None:
        raise BuildError("there is no cmake: apt install cmake g++")
    command = ["cmake", "-S", str(root / "python" if settings.library else root), "-B", str(settings.build_dir),
               "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}", "-DRIDGEWATT_PYTHON=REQUIRED",
               "-DRIDGEWATT_PYTHON_DIR=.", "-DRIDGEWATT_TESTS=OFF", "-DRIDGEWATT_EXAMPLES=OFF"]
    if settings.library:
        command += [f"-DCMAKE_PREFIX_PATH={settings.library}", f"-DRIDGEWATT_VERSION={version}"]
    if shutil.which("ninja") and not (settings.build_dir / "CMakeCache.txt").exists():
        command += ["-G", "Ninja"]
    _run([*command, *settings.cmake_args], settings)
    jobs = os.environ.get("RIDGEWATT_JOBS", str(os.cpu_count() or 1))
    _run(["cmake", "--build", str(settings.build_dir), "--target", "ridgewatt_python", "-j", jobs], settings)
    if prefix is not None:
        install = ["cmake", "--install", str(settings.build_dir), "--component", "python", "--strip"]
        _run([*install, "--prefix", str(prefix)], settings)


def _run(command, settings):
    """Runs one command. If it fails, prints the end of its output and raises BuildError with one
    line."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    if done.returncode:
        sys.stderr.write("".join(done.stdout.splitlines(keepends=True)[-40:]))
        raise BuildError(_reason(done.stdout, settings) or f"failed: {shlex.join(command[:2])} (its words are above)")


def _reason(said, settings):
    if re.search(r"No CMAKE_C(XX)?_COMPILER could be found|_COMPILER:\s+\S+\s+is not a full path", said):
        return "there is no C++ compiler: apt install g++"
    if re.search(r"unable to find a build program", said):
        return "there is neither ninja nor make: apt install ninja-build"
    found = re.search(r'Could NOT find (\w+)|provided by\s+"(\w+)"', said)
    name = (found[1] or found[2]) if found else ""
    if name == "ridgewatt":
        return f"no installed ridgewatt of this version in {settings.library}: cmake --install BUILD --prefix PREFIX"
    return f"{name} is missing: apt install {PACKAGES[name]}" if name in PACKAGES else ""
