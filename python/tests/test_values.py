"""Answers are values: they can be pickled, copied, compared and hashed, also in other processes."""
# label: slow
import concurrent.futures
import contextlib
import copy
import io
import math
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import ridgewatt as rw
from ridgewatt import _core

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "typed" / "choose_mode.py"


def answers():
    """Returns one answer of each kind that needs no board, by name."""
    sweep = rw.example_sweep("zoo:lenet5", device="agx-orin", batch=1, modes=60)
    return {"analyze": rw.analyze("zoo:lenet5"),
            "estimate": rw.estimate("zoo:lenet5", device="nano", modes="presets"),
            "roofline": rw.roofline("zoo:lenet5", device="nano"),
            "tune": rw.tune("zoo:lenet5", device="agx-orin", max_power_w=30),
            "no answer": rw.tune("zoo:vgg16", device="agx-orin", max_power_w=3),
            "predict": rw.predict(sweep, query=[row.mode for row in sweep][:5]),
            "explain": rw.explain("zoo:resnet50", device="agx-orin", measured_s=1),
            "sweep": sweep, "board": rw.Board("agx-orin"), "model": rw.Model("zoo:lenet5"),
            "mode": rw.PowerMode(gpu_clock_hz=1e9), "llm": rw.llm.estimate("zoo:llama-3.1-8b", device="agx-orin")}


def time_of(answer):
    return answer[0].time_s


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.answers = answers()

    def each(self):
        for name, value in self.answers.items():
            with self.subTest(name):
                yield value

    def test_a_pickle_is_equal_to_what_was_pickled(self):
        for value in self.each():
            back = pickle.loads(pickle.dumps(value))
            self.assertIsNot(back, value)
            self.assertEqual(back, value)
            self.assertEqual(value, back)
            self.assertEqual(hash(back), hash(value))
            self.assertEqual(repr(back), repr(value))
            self.assertIsInstance(back, next(c for c in type(value).__mro__ if c.__module__ == _core.__name__))
            self.assertEqual(pickle.loads(pickle.dumps(back)), value)
            self.assertEqual(copy.deepcopy([value]), [value])
            if hasattr(value, "to_dict"):
                self.assertEqual(back.to_dict(), value.to_dict())
            if hasattr(value, "_columns"):
                self.assertEqual(len(back), len(value))
                self.assertEqual(back[:], value[:])
                self.assertEqual(list(back.to_frame()), list(value.to_frame()))
                self.assertEqual(back._repr_html_(), value._repr_html_())

    def test_the_same_question_has_an_equal_answer(self):
        for mine, other in zip(self.answers.values(), answers().values()):
            self.assertEqual(mine, other)
            self.assertEqual(len({mine, other}), 1)

    def test_other_content_is_not_equal(self):
        values = list(self.answers.values())
        for i, mine in enumerate(values):
            for other in values[i + 1:]:
                self.assertNotEqual(mine, other)
            self.assertNotEqual(mine, "text")
        rows = self.answers["estimate"]
        self.assertNotEqual(rows[0], rows[1])
        self.assertNotEqual(rows, rw.estimate("zoo:lenet5", device="nano", modes="presets", batch=2))

    def test_what_an_answer_refuses_its_pickle_refuses(self):
        back = pickle.loads(pickle.dumps(self.answers["no answer"]))
        self.assertFalse(back.feasible)
        with self.assertRaises(rw.NoSolutionError):
            back.best
        self.assertEqual(back.miss, self.answers["no answer"].miss)

    def test_not_a_number_is_equal_to_itself(self):
        sweep = rw.Sweep({"cpu_cores": [1], "time_s": [1.0], "power_w": [2.0], "energy_j": [math.nan]})
        self.assertEqual(pickle.loads(pickle.dumps(sweep))[0], sweep[0])

    def test_a_pool_of_processes(self):
        value = self.answers["estimate"]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(list(pool.map(time_of, [value] * 3)), [value[0].time_s] * 3)
            self.assertEqual(pool.submit(rw.estimate, "zoo:lenet5", device="nano", modes="presets").result(), value)

    def test_joblib(self):
        try:
            import joblib
        except ImportError:
            self.skipTest("skipped: joblib is not here")
        value = self.answers["estimate"]
        with tempfile.TemporaryDirectory() as folder:
            found = joblib.Parallel(n_jobs=2)(joblib.delayed(time_of)(value) for _ in range(2))
            self.assertEqual(found, [value[0].time_s] * 2)
            path = pathlib.Path(folder) / "answer"
            joblib.dump(value, path)
            self.assertEqual(joblib.load(path), value)

    def test_dask(self):
        try:
            import dask
        except ImportError:
            self.skipTest("skipped: dask is not here")
        value = self.answers["estimate"]
        asked = [dask.delayed(time_of)(value), dask.delayed(rw.estimate)("zoo:lenet5", device="nano", modes="presets")]
        found, again = dask.compute(*asked, scheduler="processes", num_workers=2)
        self.assertEqual(found, value[0].time_s)
        self.assertEqual(again, value)

    def test_the_example_keeps_its_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-B", EXAMPLE, "--model", "zoo:lenet5", "--board", "agx-orin=30", "--board",
                     "agx-orin=3", "--keep", f"{folder}/kept"]
            first = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertRegex(first.stdout, r"agx-orin +30 +\S.*\nagx-orin +3 +none")
            again = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(again.stdout, first.stdout)


class Progress(unittest.TestCase):
    def test_a_search_reports_to_the_bar(self):
        sweep = rw.example_sweep("zoo:lenet5", device="agx-orin", batch=1, modes=60)
        with contextlib.redirect_stderr(io.StringIO()), rw.ProgressBar() as bar:
            seen = []

            def report(label, done, total):
                seen.append((label, done, total))
                bar(label, done, total)
            rw.tune(sweep=sweep, max_power_w=30, profiles=5, progress=report)
        self.assertTrue(seen)
        self.assertTrue(all(0 <= done <= total for _, done, total in seen))


if __name__ == "__main__":
    unittest.main()
