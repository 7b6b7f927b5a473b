"""The build backend: the content of archives, and its error lines. These tests compile nothing."""
# label: slow
import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PYTHON = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PYTHON / "backend"))
from ridgewatt_build import BuildError, archive, build_sdist, build_wheel, metadata  # noqa: E402
from ridgewatt_build.cmake import Settings  # noqa: E402

ROOT = PYTHON.parent


class InAFolder(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)


class Project(InAFolder):
    def test_is_read_as_a_toml_reader_does(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("skipped: this Python has no tomllib")
        text = (ROOT / "pyproject.toml").read_text()
        whole = tomllib.loads(text)
        ours = metadata.parse(text)
        extras = whole["project"].pop("optional-dependencies")
        self.assertEqual(ours, {"build-system": whole["build-system"], "project": whole["project"],
                                "project.optional-dependencies": extras})

    def test_notation_beyond_the_subset_is_refused(self):
        for line in ('a = """x"""', "a = {b = 1}", "a = 1", 'a = "\\n"', "[[a]]", "a"):
            with self.assertRaises(BuildError, msg=line):
                metadata.parse(f"[project]\n{line}\n")

    def test_another_version_than_cmakes_is_refused(self):
        (self.folder / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
        (self.folder / "CMakeLists.txt").write_text("project(ridgewatt VERSION 0.1.0 LANGUAGES C CXX)\n")
        with self.assertRaisesRegex(BuildError, "version 0.2.0, CMakeLists.txt 0.1.0"):
            metadata.read(self.folder)


class Sdist(InAFolder):
    def test_holds_sources_and_is_the_same_twice(self):
        contents = []
        for run in ("a", "b"):
            (self.folder / run).mkdir()
            contents.append((self.folder / run / build_sdist(self.folder / run)).read_bytes())
        self.assertEqual(*contents)
        with tarfile.open(self.folder / "a" / "ridgewatt-0.1.0.tar.gz") as tar:
            names = tar.getnames()
        self.assertEqual(names, sorted(names))
        for name in ("pyproject.toml", "CMakeLists.txt", "PKG-INFO", "LICENSE", "python/binding/module.cc",
                     "boards/agx-orin.toml", "ridgewatt/base/error.h", "python/backend/ridgewatt_build/__init__.py"):
            self.assertIn(f"ridgewatt-0.1.0/{name}", names)
        self.assertFalse([name for name in names if "__pycache__" in name or name.endswith((".o", ".so", ".pyc"))])

    @unittest.skipUnless((ROOT / ".git").exists() and shutil.which("git"), "skipped: not a clone, or no git")
    def test_without_git_the_same_files_are_found(self):
        tracked = archive.source_files(ROOT)
        for path in tracked:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.folder / path)
        cache = self.folder / "python" / "ridgewatt" / "__pycache__"
        cache.mkdir()
        (cache / "x.pyc").write_bytes(b"")
        self.assertEqual(archive.source_files(self.folder), tracked)

    def test_times_are_those_asked_for(self):
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        with tarfile.open(self.folder / build_sdist(self.folder)) as tar:
            self.assertEqual({entry.mtime for entry in tar}, {1700000000})
        os.environ["SOURCE_DATE_EPOCH"] = "today"
        with self.assertRaisesRegex(BuildError, "not a number of seconds: today"):
            build_sdist(self.folder)


class Wheel(InAFolder):
    def test_record_lists_every_file_with_its_hash(self):
        target = self.folder / "x.whl"
        archive.write_wheel(target, {"a/b.py": b"one", "c.so": b"two"}, "x.dist-info/RECORD")
        with zipfile.ZipFile(target) as wheel:
            lines = dict(line.split(",", 1) for line in wheel.read("x.dist-info/RECORD").decode().splitlines())
            self.assertEqual(set(lines), set(wheel.namelist()))
            self.assertEqual(lines.pop("x.dist-info/RECORD"), ",")
            for name, rest in lines.items():
                digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                self.assertEqual(rest, f"sha256={digest},3")


class Refusals(InAFolder):
    def test_unknown_setting_and_relative_library(self):
        with self.assertRaisesRegex(BuildError, "unknown setting libary: there are library, build-dir, cmake-args"):
            Settings.of({"libary": "/usr"}, ROOT)
        with self.assertRaisesRegex(BuildError, "give the absolute path"):
            Settings.of({"library": "prefix"}, ROOT)

    def test_cmake_arguments_are_split_as_a_shell_would(self):
        self.assertEqual(Settings.of({"cmake-args": "-DA='b c' -DD=1"}, ROOT).cmake_args, ["-DA=b c", "-DD=1"])
        self.assertEqual(Settings.of({"cmake-args": ["-DA=1", "-DB=2"]}, ROOT).cmake_args, ["-DA=1", "-DB=2"])

    def test_no_cmake(self):
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = str(self.folder)
        with self.assertRaisesRegex(BuildError, "there is no cmake: apt install cmake"):
            build_wheel(self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])

    @unittest.skipUnless(shutil.which("cmake"), "skipped: no cmake")
    def test_what_is_missing_is_named_in_one_line(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import ridgewatt_build; "
                "ridgewatt_build.build_wheel(sys.argv[2], dict(word.split('=', 1) for word in sys.argv[3:]))")
        (self.folder / "bin").mkdir()
        for tool in ("cmake", "make"):
            (self.folder / "bin" / tool).symlink_to(shutil.which(tool) or "/bin/false")
        cases = ((["cmake-args=-DSQLite3_LIBRARY= -DSQLite3_INCLUDE_DIR="],
                  "SQLite3 is missing: apt install libsqlite3-dev"),
                 ([], "there is no C++ compiler: apt install g++"),
                 ([f"library={self.folder}"], f"no installed ridgewatt of this version in {self.folder}"))
        for index, (settings, line) in enumerate(cases):
            done = subprocess.run([sys.executable, "-B", "-c", code, PYTHON / "backend", self.folder,
                                   f"build-dir={self.folder}/build{index}", *settings], capture_output=True, text=True,
                                  env={**os.environ, "PATH": os.environ["PATH"] if settings else f"{self.folder}/bin"})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"ridgewatt: {line}", done.stderr.splitlines()[-1])
        self.assertEqual(list(self.folder.glob("*.whl*")), [])


if __name__ == "__main__":
    unittest.main()
