"""The reference and the stubs match the package."""
import pathlib
import subprocess
import sys
import unittest

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

    def test_stubs_of_questions_are_printed_from_their_parameters(self):
        for name in ("questions", "llm", "schedule", "live"):
            self.assertEqual(printed(name), (ROOT / f"python/ridgewatt/{name}.pyi").read_text(),
                             f"run 'PYTHONPATH=build/python tools/python_reference.py {name} > "
                             f"python/ridgewatt/{name}.pyi'")


if __name__ == "__main__":
    unittest.main()
