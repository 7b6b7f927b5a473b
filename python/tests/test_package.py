"""The package as such: what imports without the compiled part, and how errors look."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import ridgewatt

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "ridgewatt"


def run_python(code, folder):
    return subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "PYTHONPATH": str(folder)},
                          capture_output=True, text=True, check=False)


class WithoutTheCompiledPart(unittest.TestCase):
    def test_marks_and_workers_import(self):
        found = run_python("import ridgewatt; ridgewatt.mark(); print(ridgewatt.Worker.__name__)", SOURCES.parent)
        self.assertEqual(found.stdout, "Worker\n", found.stderr)

    def test_the_single_file_is_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(SOURCES / "worker.py", pathlib.Path(folder) / "ridgewatt.py")
            found = run_python("import ridgewatt; ridgewatt.mark()", folder)
            self.assertEqual(found.returncode, 0, found.stderr)

    def test_a_question_says_what_is_missing(self):
        found = run_python("import ridgewatt; ridgewatt.tune", SOURCES.parent)
        self.assertIn("needs the compiled part", found.stderr)


class Errors(unittest.TestCase):
    def test_kinds_are_pythons_too(self):
        for kind, base in ((ridgewatt.UsageError, ValueError), (ridgewatt.InputError, ValueError),
                           (ridgewatt.NotFoundError, FileNotFoundError), (ridgewatt.IoError, OSError)):
            self.assertTrue(issubclass(kind, base) and issubclass(kind, ridgewatt.Error))
            self.assertEqual(str(kind("one line")), "one line")


if __name__ == "__main__":
    unittest.main()
