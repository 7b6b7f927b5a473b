"""Fifty random questions, determined by a seed. Python's answers and the JSON of the command line
agree to the last digit, and the attributes are the same numbers in SI units."""
# label: slow
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import ridgewatt as rw

PROGRAM = os.environ.get("RIDGEWATT_PROGRAM", "ridgewatt")
MODELS = ["zoo:resnet18", "zoo:resnet50", "zoo:mobilenet_v2", "zoo:mobilenet_v3", "zoo:bert_base"]
# JSON key, attribute, and factor from the attribute to the JSON value. The last digit of interval
# ends may differ, because divisions and multiplications have another order.
NUMBERS = [("time_ms", "time_s", 1e3), ("power_w", "power_w", 1), ("energy_j", "energy_j", 1),
           ("time_median_ms", "time_median_s", 1e3), ("latency_ms", "latency_s", 1e3)]
ENDS = [("time_lo_ms", "time_lo_s", 1e3), ("time_hi_ms", "time_hi_s", 1e3),
        ("power_lo_w", "power_lo_w", 1), ("power_hi_w", "power_hi_w", 1),
        ("energy_lo_j", "energy_lo_j", 1), ("energy_hi_j", "energy_hi_j", 1)]
KNOBS = [("cpu_cores", "cpu_cores", 1), ("cpu_mhz", "cpu_clock_hz", 1e6),
         ("gpu_mhz", "gpu_clock_hz", 1e6), ("mem_mhz", "mem_clock_hz", 1e6)]


def ask_program(words):
    """Returns the JSON that the command line prints."""
    done = subprocess.run([PROGRAM, *words, "--format", "json", "--quiet"], capture_output=True,
                          text=True, check=False)
    if not done.stdout:
        raise AssertionError(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def options(question):
    """Converts keyword arguments to options. Their names and units must be the same."""
    words = []
    for name, value in question.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        else:
            words += [option, ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return words


class Equality(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.random = random.Random(20)
        cls.sweeps = {}
        for kind in (False, True):
            rows = rw.estimate(rw.Model("zoo:mobilenet_v2", training=kind), device="orin-nano",
                               modes="all", batch=16 if kind else [1, 4])
            chosen = cls.random.sample(list(rows), 60)
            columns = {"batch": [row.batch for row in chosen]}
            for name in ("time_s", "power_w"):
                columns[name] = [getattr(row, name) for row in chosen]
            for name in ("cpu_cores", "cpu_clock_hz", "gpu_clock_hz", "mem_clock_hz"):
                columns[name] = [getattr(row.mode, name) for row in chosen]
            path = str(pathlib.Path(cls.folder.name) / f"sweep{kind:d}.csv")
            rw.Sweep(columns, workload="mobilenet", kind="training" if kind else "inference",
                     board="orin-nano", provenance="modelled").write(path)
            cls.sweeps[kind] = path

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same_numbers(self, row, said):
        for key, name, scale in NUMBERS:
            if key in said and said[key] is not None:
                self.assertEqual(getattr(row, name) * scale, said[key], (key, said))
        for key, name, scale in ENDS:
            if key in said:
                self.assertAlmostEqual(getattr(row, name) * scale / said[key], 1, delta=5e-16)
        for key, name, scale in KNOBS:
            if key in said.get("mode", {}):
                self.assertEqual(getattr(row.mode, name), round(said["mode"][key] * scale))
        if "batch" in said:
            self.assertEqual(row.batch, said["batch"])

    def same(self, answer, words):
        said = ask_program(words)
        self.assertEqual(answer.to_dict(), said, words)
        return said

    def test_analyze(self):
        for _ in range(10):
            model = self.random.choice(MODELS)
            question = {"batch": self.random.choice([1, 2, 7, 16, 64])}
            if self.random.random() < 0.5:
                question["training"] = True
                question["optimizer"] = self.random.choice(["sgd", "momentum", "adam"])
            question["precision"] = self.random.choice(["fp32", "fp16", "int8", "stored"])
            question["convention"] = self.random.choice(["full", "macs"])
            answer = rw.analyze(model, **question)
            said = self.same(answer, ["analyze", model, *options(question)])
            for name, value in said["totals"].items():
                self.assertEqual(getattr(answer, name), value, name)
            self.assertEqual([layer.flops for layer in answer],
                             [node["flops"] for node in said["nodes"]])

    def estimate_question(self):
        question = {"batch": self.random.sample([1, 2, 4, 8, 16, 32], 2),
                    "modes": self.random.choice(["presets", "maxn"]),
                    "workers": self.random.choice([0, 2, 4])}
        if self.random.random() < 0.4:
            question["training"] = True
        if self.random.random() < 0.3:
            question["runtime"] = self.random.choice(["tensorrt", "onnxruntime"])
            question.pop("training", None)
        return question

    def test_estimate(self):
        for _ in range(12):
            model = self.random.choice(MODELS)
            device = self.random.choice(["agx-orin", "agx-xavier", "orin-nano", "xavier-nx"])
            question = self.estimate_question()
            answer = rw.estimate(model, device=device, **question)
            said = self.same(answer, ["estimate", model, "--device", device, *options(question)])
            self.assertEqual(len(answer), len(said["estimates"]))
            for row, one in zip(answer, said["estimates"]):
                self.same_numbers(row, one)
                self.assertEqual(row.fits_memory, one["fits_memory"])

    def test_roofline(self):
        for number in range(6):
            model = None if number == 0 else self.random.choice(MODELS)
            device = self.random.choice(["agx-orin", "agx-xavier", "xavier-nx"])
            question = {"modes": self.random.choice(["presets", "maxn"])}
            if model:
                question["batch"] = self.random.choice([1, 8, 32])
            answer = rw.roofline(model, device=device, **question)
            said = self.same(answer, ["roofline", *([model] if model else []), "--device", device,
                                      *options(question)])
            self.assertEqual(len(answer), len(said["modes"]))
            for row, one in zip(answer, said["modes"]):
                self.assertEqual(row.roof, one["roof"])
                for key, name, scale in (("ceiling_gflop_per_s", "ceiling_flop_per_s", 1e9),
                                         ("reached_gb_per_s", "reached_bytes_per_s", 1e9),
                                         ("time_balance", "time_balance", 1)):
                    self.assertEqual(getattr(row, name) / scale, one[key])
            for layer, one in zip(answer.layers, said.get("layers", [])):
                self.assertEqual((layer.gpu_s * 1e3, layer.power_w), (one["gpu_ms"], one["power_w"]))

    def test_tune(self):
        for number in range(10):
            model = self.random.choice(MODELS)
            device = "all" if number == 0 else self.random.choice(["agx-orin", "xavier-nx"])
            question = {"minimize": self.random.choice(["time", "energy", "edp", "power"])}
            watts, ms = self.random.choice([None, 6, 15, 30]), self.random.choice([None, 20, 500])
            given, words = dict(question), options(question)
            if watts:
                given["max_power_w"] = watts
                words += ["--max-power", str(watts)]
            if ms:
                given["max_time_s"] = ms / 1e3
                words += ["--max-time", str(ms)]
            if self.random.random() < 0.3:
                given["batch"] = [1, 8]
                words += ["--batch", "1,8"]
            if number % 2 == 1:
                seconds = self.random.choice([0, 0.002, 0.02])
                given.update(workers=self.random.choice([0, 2]), loader_s_per_sample=seconds,
                             training=True)
                words += ["--training", "--workers", str(given["workers"]), "--loader-time",
                          str(seconds * 1e3)]
            answer = rw.tune(model, device=device, **given)
            said = self.same(answer, ["tune", model, "--device", device, *words])
            self.assertEqual(answer.feasible, said["feasible"])
            self.same_numbers(answer[0], said if answer.feasible else said["nearest_miss"])
            if answer.feasible:
                self.assertEqual(answer.best.objective, said["objective"])

    def test_predict_and_pareto(self):
        for number in range(6):
            samples, seed = self.sweeps[number % 2 == 1], self.random.randrange(100)
            words = ["--samples", samples, "--device", "orin-nano", "--seed", str(seed)]
            if number < 3:
                answer = rw.predict(samples, device="orin-nano", seed=seed)
                said = self.same(answer, ["predict", *words])
            else:
                costs = self.random.sample(["time", "power", "energy"], 2)
                answer = rw.pareto(samples, device="orin-nano", seed=seed, costs=costs)
                said = self.same(answer, ["pareto", *words, "--x", costs[0], "--y", costs[1]])
            for row, one in zip(answer, said["rows"]):
                self.same_numbers(row, one)
                self.assertEqual(row.provenance, one["provenance"])

    def test_plan(self):
        for number in range(6):
            rate, watts, ms = (self.random.choice(values) for values in
                               ([20, 60, 200], [7, 10, 15], [50, 200, 1000]))
            strategy = "exhaustive" if number < 4 else "auto"
            answer = rw.schedule.plan(
                inference=self.sweeps[False], training=self.sweeps[True], arrival_rate_hz=rate,
                max_power_w=watts, max_latency_s=ms / 1e3, strategy=strategy,
                keep_outliers=True)
            said = self.same(answer, [
                "schedule", "plan", "--inference-sweep", self.sweeps[False], "--training-sweep",
                self.sweeps[True], "--arrival-rate", str(rate), "--max-power", str(watts),
                "--max-latency", str(ms), "--strategy", strategy, "--keep-outliers"])
            self.assertEqual(answer.feasible, said["feasible"])
            said = said if answer.feasible else said["nearest_miss"]
            for key, name, scale in (("latency_ms", "latency_s", 1e3), ("power_w", "power_w", 1),
                                     ("period_ms", "period_s", 1e3)):
                value = getattr(answer, name)
                self.assertEqual(None if value is None else value * scale, said[key])

    def test_plan_of_models(self):
        for watts, confidence in ((20, None), (20, 0.95), (9, None)):
            answer = rw.schedule.plan(
                inference_model="zoo:mobilenet_v2", training_model=rw.Model("zoo:lenet5", training=True),
                device="agx-orin", modes="presets", inference_batch=[1, 4], arrival_rate_hz=30,
                max_latency_s=0.2, max_power_w=watts, confidence=confidence)
            said = self.same(answer, [
                "schedule", "plan", "--inference", "zoo:mobilenet_v2", "--training", "zoo:lenet5",
                "--device", "agx-orin", "--modes", "presets", "--inference-batch", "1,4",
                "--arrival-rate", "30", "--max-latency", "200", "--max-power", str(watts),
                *(["--confidence", str(confidence)] if confidence else [])])
            self.assertEqual(answer.provenance, "modelled")
            self.assertEqual(answer.feasible, said["feasible"])
            stated = {one["limit"]: one["confidence"] for one in said.get("limits", [])}
            self.assertEqual(answer.confidence, stated)

    def test_models_that_cannot_be_planned(self):
        trained = rw.Model("zoo:lenet5", training=True)
        for words, given in (("has no effect without", {"training": self.sweeps[True], "device": "nano"}),
                             ("both give the training",
                              {"training": self.sweeps[True], "training_model": trained}),
                             ("the Model has another kind",
                              {"inference_model": trained, "arrival_rate_hz": 1, "device": "nano"}),
                             ("the Model was made", {"training_model": trained, "device": "nano",
                                                     "training_precision": "fp16"}),
                             ("needs an arrival rate",
                              {"inference_model": "zoo:lenet5", "device": "nano"})):
            with self.assertRaisesRegex(rw.UsageError, words):
                rw.schedule.plan(**given)

    def test_errors_are_the_same_line(self):
        """Errors of every kind except PermissionError, which does not occur for root."""
        kinds = set()
        for ask, words in (
                (lambda: rw.estimate("zoo:resnet5", device="agx-orin"),
                 ["estimate", "zoo:resnet5", "--device", "agx-orin"]),
                (lambda: rw.estimate("zoo:resnet50", device="agx-orn"),
                 ["estimate", "zoo:resnet50", "--device", "agx-orn"]),
                (lambda: rw.estimate("zoo:resnet50", device="agx-orin", modes="MODE_31W"),
                 ["estimate", "zoo:resnet50", "--device", "agx-orin", "--modes", "MODE_31W"]),
                (lambda: rw.read_sweep("/nowhere.csv"), ["sweep", "check", "/nowhere.csv"]),
                (lambda: rw.read_sweep("/etc"), ["sweep", "check", "/etc"]),
                (lambda: rw.read_sweep(self.sweeps[True]).write("/dev/full"),
                 ["predict", "--samples", self.sweeps[True], "--device", "orin-nano", "-o",
                  "/dev/full"]),
                (lambda: rw.estimate("zoo:resnet50", device="nano", precision="fp8"),
                 ["estimate", "zoo:resnet50", "--device", "nano", "--precision", "fp8"]),
                (lambda: rw.analyze(__file__), ["analyze", __file__]),
                (lambda: rw.tune("zoo:resnet50", device="agx-orin", minimize="tme"),
                 ["tune", "zoo:resnet50", "--device", "agx-orin", "--minimize", "tme"]),
                (lambda: rw.tune("zoo:resnet50", device="agx-orin", max_power_w=5).best,
                 ["tune", "zoo:resnet50", "--device", "agx-orin", "--max-power", "5"])):
            with self.assertRaises(rw.Error) as raised:
                ask()
            kinds.add(type(raised.exception))
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
            line = done.stderr.strip().splitlines()[-1].removeprefix("ridgewatt: ")
            self.assertEqual(str(raised.exception), line)
            status = {rw.UsageError: 2, rw.NoSolutionError: 3}.get(type(raised.exception), 1)
            self.assertEqual(done.returncode, status, line)
        self.assertEqual(kinds, {rw.UsageError, rw.NotFoundError, rw.InputError, rw.IoError,
                                 rw.NotSupportedError, rw.NoSolutionError})


if __name__ == "__main__":
    unittest.main()
