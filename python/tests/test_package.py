"""The package itself: importing it without the compiled part, and its errors."""
import copy
import os
import pathlib
import pickle
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

    def test_who_looks_through_all_modules_goes_on(self):  # as pickle and torch.compile do
        found = run_python("import ridgewatt; print(hasattr(ridgewatt, 'torch'))", SOURCES.parent)
        self.assertEqual(found.stdout, "False\n", found.stderr)


class Errors(unittest.TestCase):
    def test_kinds_are_pythons_too(self):
        for kind, base in ((ridgewatt.UsageError, ValueError), (ridgewatt.InputError, ValueError),
                           (ridgewatt.NotFoundError, FileNotFoundError), (ridgewatt.IoError, OSError)):
            self.assertTrue(issubclass(kind, base) and issubclass(kind, ridgewatt.Error))
            self.assertEqual(str(kind("one line")), "one line")


class Copies(unittest.TestCase):
    """The arguments of questions can be pickled for process pools, joblib and caches."""
    def test_pickled_values_are_the_same(self):
        mode = ridgewatt.PowerMode(cpu_cores=4, gpu_clock_hz=1.3005e9, governor="schedutil")
        self.assertEqual(pickle.loads(pickle.dumps(mode)), mode)
        board = ridgewatt.Board("agx-orin")
        self.assertEqual(repr(pickle.loads(pickle.dumps(board))), repr(board))
        for model in (ridgewatt.Model("zoo:lenet5", training=True, optimizer="adam"),
                      ridgewatt.Model("zoo:resnet18", precision="fp16", dims={"image": 320})):
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual((repr(again), again.dims), (repr(model), model.dims))
        sweep = ridgewatt.example_sweep("zoo:lenet5", device="nano", batch=[1, 4])
        again = pickle.loads(pickle.dumps(sweep))
        self.assertEqual(repr(again), repr(sweep))
        self.assertEqual([row.mode for row in again], [row.mode for row in sweep])
        for row, other in zip(again, sweep):  # it is pickled as CSV, with times in ms
            self.assertAlmostEqual(row.time_s / other.time_s, 1, places=15)
            self.assertAlmostEqual(row.energy_j / other.energy_j, 1, places=15)
            self.assertEqual(row.power_w, other.power_w)

    def test_a_copy_of_what_cannot_change_is_the_same_object(self):
        answer = ridgewatt.estimate("zoo:lenet5", device="nano", modes="maxn")
        for value in (answer, answer[0], answer[0].mode, ridgewatt.Board("nano")):
            self.assertIs(copy.copy(value), value)
            self.assertIs(copy.deepcopy({"of": [value]})["of"][0], value)


if __name__ == "__main__":
    unittest.main()
