"""Runs the notebooks of examples/notebooks completely, if Jupyter and matplotlib are installed."""
# label: slow
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NOTEBOOKS = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "notebooks"
MISSING = [name for name in ("nbconvert", "ipykernel", "matplotlib", "pandas")
           if importlib.util.find_spec(name) is None]
PROGRAM = os.environ.get("RIDGEWATT_PROGRAM")


@unittest.skipIf(MISSING, f"not here: {', '.join(MISSING)}")
@unittest.skipUnless(NOTEBOOKS.is_dir(), "the notebooks are not next to the tests")
class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "XDG_STATE_HOME": folder, "IPYTHONDIR": folder,
                           "JUPYTER_RUNTIME_DIR": folder}
            if PROGRAM:
                environment["PATH"] = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
            ran = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute",
                                  str(NOTEBOOKS / name), "--output-dir", folder, "--log-level", "ERROR"],
                                 env=environment, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])

    def test_first_answer(self):
        self.run_notebook("first_answer.ipynb")

    @unittest.skipUnless(PROGRAM, "the program that loads the fake board is not here")
    def test_measure_and_tune(self):
        self.run_notebook("measure_and_tune.ipynb")

    def test_few_shot_prediction(self):
        self.run_notebook("few_shot_prediction.ipynb")

    def test_language_models(self):
        self.run_notebook("language_models.ipynb")

    def test_no_outputs_are_kept(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            text = path.read_text()
            self.assertEqual(text.count('"outputs": []'), text.count('"cell_type": "code"'), path.name)


if __name__ == "__main__":
    unittest.main()
