"""The types of the installed package, checked by mypy. Its sources pass the strict check, a wrong
call is an error, answers have the types of their fields, and the stubs agree with the imported
module."""
# label: slow
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import ridgewatt
from ridgewatt import _core

try:
    import mypy.api
except ImportError:
    mypy = None

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "typed" / "choose_mode.py"
RIGHT = ["rw.FewShotPredictor(method='auto', seed=1).fit([[1.0]], [2.0]).score([[1.0]], [2.0])",
         "rw.predict('samples.csv', device='nano', progress=rw.ProgressBar())",
         "rw.estimate('zoo:lenet5', device='nano', batch=[1, 4], workers=2, fan=0.5)",
         "rw.estimate(rw.Model('zoo:lenet5'), modes=['maxn'], dims={'image': 320})[0].time_s",
         "rw.roofline(device='nano', power_cap_w=12.5, levels={'L2': 1e12})",
         "rw.tune('zoo:lenet5', device='nano', max_power_w=30).best",
         "rw.tune('python3 train.py', device='local', settle_s=3, max_celsius=80)",
         "rw.live.tune(['python3', 'train.py'], max_power_w=30, window=20)",
         "rw.live.in_place(max_power_w=30, window_precision=0.05)",
         "rw.read_sweep('sweep.csv', workload='resnet18')"]
WRONG = ["rw.FewShotPredictor(methods='auto')",
         "rw.estimate('zoo:lenet5', power=3)", "rw.estimate('zoo:lenet5', workers='two')",
         "rw.estimate('zoo:lenet5', device=3)", "rw.estimate()", "rw.roofline('zoo:lenet5', max_power=30)",
         "rw.roofline(training='yes')", "rw.tune('zoo:lenet5', max_power_w='30')",
         "rw.tune('zoo:lenet5', device='agx-orin', max_power=30)", "rw.tune(max_power=30)",
         "rw.live.tune('python3 train.py', max_power=30)", "rw.live.in_place(settle_s=1)", "rw.read_sweep()",
         "rw.no_such_function()"]
REVEALED = {"rw.tune('zoo:lenet5', device='nano').best.mode": "ridgewatt._core.PowerMode",
            "rw.tune('zoo:lenet5', device='nano').best.latency_s": "Union[builtins.float, None]",
            "rw.tune('zoo:lenet5', device='nano').relaxations[0].kind": "builtins.str",
            "rw.estimate('zoo:lenet5', device='nano')[0].gpu_load": "builtins.float",
            "rw.measure().end().energy_j": "Union[builtins.float, None]"}


@unittest.skipIf(mypy is None, "skipped: mypy is not here")
class Types(unittest.TestCase):
    # All tests share a folder and its mypy cache, so that NumPy and the library are read once.
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        shutil.copytree(pathlib.Path(ridgewatt.__file__).parent, cls.folder / "ridgewatt",
                        ignore=shutil.ignore_patterns("*.so", "__pycache__"))

    def mypy(self, *arguments):
        """Returns the output of mypy for the installed package, and its status."""
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        said, failed, status = mypy.api.run(["--strict", "--cache-dir", str(self.folder / "cache"), *arguments])
        return said + failed, status

    def test_the_package_passes(self):
        said, status = self.mypy("-p", "ridgewatt")
        self.assertEqual(status, 0, said)

    def test_arguments_are_typed(self):
        path = self.folder / "call.py"
        path.write_text("import ridgewatt as rw\n" + "".join(f"{call}\n" for call in RIGHT + WRONG))
        said, _ = self.mypy("--follow-imports=silent", "call.py")
        wrong = {int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line}
        self.assertEqual(wrong, set(range(2 + len(RIGHT), 2 + len(RIGHT) + len(WRONG))), said)

    def test_the_example_passes_and_a_misspelled_argument_is_an_error(self):
        text = EXAMPLE.read_text()
        self.assertGreaterEqual(len(text.splitlines()), 95)
        path = self.folder / "choose_mode.py"
        path.write_text(text)
        said, status = self.mypy("--follow-imports=silent", "choose_mode.py")
        self.assertEqual(status, 0, said)
        right = "max_power_w=place.max_power_w"
        self.assertIn(right, text)
        path.write_text(text.replace(right, "max_power=place.max_power_w"))
        said, status = self.mypy("--follow-imports=silent", "choose_mode.py")
        self.assertIn('Unexpected keyword argument "max_power"', said)
        self.assertIn("Found 1 error", said)

    def test_answers_have_the_types_of_their_fields(self):
        path = self.folder / "reveal.py"
        path.write_text("import ridgewatt as rw\n" + "".join(f"reveal_type({call})\n" for call in REVEALED))
        said, status = self.mypy("--follow-imports=silent", "reveal.py")
        self.assertEqual(status, 0, said)
        types = [line.split('"')[1] for line in said.splitlines() if "Revealed type" in line]
        self.assertEqual(types, list(REVEALED.values()))

    def test_stubs_are_true(self):
        """Compares the stubs with the imported module (mypy.stubtest). It allows the metaclass of
        pybind11's classes, which stubs do not contain."""
        allowed = self.folder / "allowed"
        allowed.write_text("".join(f"ridgewatt._core.{name}\n" for name, value in vars(_core).items()
                                   if isinstance(value, type)))
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        done = subprocess.run([sys.executable, "-B", "-m", "mypy.stubtest", "ridgewatt._core", "--allowlist",
                               str(allowed)], cwd=elsewhere, env={**os.environ, "MYPYPATH": str(self.folder)},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-500:])


if __name__ == "__main__":
    unittest.main()
