"""The reference and the stubs are what the package says of itself, and the stubs are right."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from ridgewatt import _core

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def printed(what):
    return subprocess.run([sys.executable, "-B", str(ROOT / "tools/python_reference.py"), what],
                          capture_output=True, text=True, check=True).stdout


class Reference(unittest.TestCase):
    def test_reference_is_printed_from_docstrings(self):
        self.assertEqual(printed("docs"), (ROOT / "docs/reference/python.md").read_text(),
                         "run 'PYTHONPATH=build/python tools/python_reference.py docs > "
                         "docs/reference/python.md'")

    def test_stubs_are_printed_from_the_compiled_part(self):
        self.assertEqual(printed("stubs"), (ROOT / "python/ridgewatt/_core.pyi").read_text(),
                         "run 'PYTHONPATH=build/python tools/python_reference.py stubs > "
                         "python/ridgewatt/_core.pyi'")

    def test_stubs_are_true(self):
        """By mypy's own comparison with the module as it is when imported. That pybind11's classes
        have a metaclass is not said in stubs, and so allowed."""
        try:
            import mypy.stubtest  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not here")
        with tempfile.TemporaryDirectory() as folder:
            allowed = pathlib.Path(folder) / "allowed"
            allowed.write_text("".join(f"ridgewatt._core.{name}\n" for name, value
                                       in vars(_core).items() if isinstance(value, type)
                                       and not name.startswith("_")))
            done = subprocess.run(
                [sys.executable, "-B", "-m", "mypy.stubtest", "ridgewatt._core", "--allowlist",
                 str(allowed)], cwd=folder,
                env={**os.environ, "MYPYPATH": str(ROOT / "python")}, capture_output=True,
                text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-500:])


if __name__ == "__main__":
    unittest.main()
