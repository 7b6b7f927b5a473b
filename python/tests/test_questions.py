"""Answers of the questions: identities, hand-computed cases, and the methods of answers."""
# label: slow
import builtins
import importlib.util
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy

import ridgewatt as rw


def importing_without(*missing):
    """Makes imports fail as if these packages were not installed."""
    real = builtins.__import__

    def fake(name, *rest, **named):
        if name.split(".")[0] in missing:
            raise ImportError(name)
        return real(name, *rest, **named)
    return mock.patch("builtins.__import__", fake)


class Models(unittest.TestCase):
    def test_resnet50_is_what_the_paper_says(self):
        """He et al. 2016, table 1: 3.8e9 multiply-adds; torchvision counts 4.09e9 (stride in the
        3x3 convolution) and 25,557,032 parameters."""
        answer = rw.analyze("zoo:resnet50", batch=1)
        self.assertAlmostEqual(answer.macs / 4.09e9, 1, delta=0.005)
        self.assertEqual(answer.parameters, 25557032)

    def test_layers_sum_to_the_whole(self):
        answer = rw.analyze("zoo:resnet18", batch=4)
        for name in ("macs", "flops", "bytes_read", "bytes_written"):
            self.assertAlmostEqual(sum(getattr(layer, name) for layer in answer),
                                   getattr(answer, name), delta=1e-9 * getattr(answer, name))

    def test_a_model_says_what_it_was_made_with(self):
        model = rw.Model("zoo:resnet50", training=True, optimizer="adam", precision="fp16")
        self.assertEqual((model.training, model.optimizer, model.precision, model.name),
                         (True, "adam", "fp16", "zoo:resnet50"))
        with self.assertRaisesRegex(rw.UsageError, "with a Model"):
            rw.estimate(model, device="agx-orin", precision="fp32")


class Boards(unittest.TestCase):
    def test_agx_orin(self):
        """NVIDIA's table: 12 cores, 2048 CUDA cores; 18,096 modes as PowerTrain counts them."""
        board = rw.Board("agx-orin")
        self.assertIn("agx-orin", rw.boards())
        self.assertEqual(board.cpu_cores, 12)
        self.assertEqual(len(board.modes()), 18096)
        sizes = numpy.prod([len(levels) for levels in board.knobs.values()])
        self.assertEqual(sizes, 18096)
        self.assertEqual(board.presets[0].name, "MAXN")

    def test_modes_are_values(self):
        mode = rw.PowerMode(cpu_cores=12, gpu_clock_hz=1300.5e6)
        self.assertEqual(mode, rw.PowerMode(cpu_cores=12, gpu_clock_hz=1300.5e6))
        self.assertEqual(len({mode, rw.PowerMode(cpu_cores=12, gpu_clock_hz=1300.5e6)}), 1)
        self.assertNotEqual(mode, "12 cores")


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rw.estimate("zoo:resnet18", device="orin-nano", modes="all", batch=[1, 4])

    def test_energy_is_time_times_power(self):
        for row in self.rows[::97]:
            self.assertAlmostEqual(row.energy_j / (row.time_s * row.power_w), 1, delta=1e-12)
            self.assertLess(row.time_lo_s, row.time_s)
            self.assertLess(row.time_s, row.time_hi_s)

    def test_a_sequence(self):
        self.assertEqual(self.rows[-1].mode, self.rows[len(self.rows) - 1].mode)
        self.assertEqual(len(self.rows[3:9:2]), 3)
        with self.assertRaises(IndexError):
            self.rows[len(self.rows)]

    def test_frame_has_every_attribute(self):
        frame = self.rows.to_frame()
        self.assertEqual(len(frame["time_s"]), len(self.rows))
        self.assertEqual(float(frame["gpu_clock_hz"][5]), self.rows[5].mode.gpu_clock_hz)
        self.assertEqual(list(frame["time_s"]), [row.time_s for row in self.rows])

    def test_without_pandas_a_dict_of_arrays(self):
        with importing_without("pandas"):
            frame = self.rows.to_frame()
        self.assertIsInstance(frame, dict)
        self.assertEqual(frame["time_s"].dtype, numpy.float64)
        self.assertEqual(frame["batch"].dtype, numpy.int64)
        self.assertEqual(frame["fits_memory"].dtype, numpy.bool_)

    def test_without_matplotlib_one_error(self):
        with importing_without("matplotlib"):
            with self.assertRaisesRegex(rw.NotSupportedError, "matplotlib"):
                self.rows.plot()

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not here")
        matplotlib.use("Agg")
        tuned = rw.tune("zoo:resnet18", device="orin-nano", max_power_w=10)
        sweep = rw.Sweep({"time_s": [1.0, 2.0], "power_w": [2.0, 1.0]})
        for answer in (self.rows, tuned, rw.analyze("zoo:resnet18"), sweep,
                       rw.pareto(sweep=sweep, keep_outliers=True),
                       rw.roofline("zoo:resnet18", device="orin-nano", modes="maxn")):
            self.assertTrue(answer.plot().has_data())
        matplotlib.pyplot.close("all")

    def test_the_kind_of_a_sweep_is_a_word(self):
        columns = {"time_s": [0.01], "power_w": [20.0]}
        self.assertEqual(rw.Sweep(columns, kind="Training").kind, "training")
        self.assertEqual(rw.Sweep(columns, kind="train").kind, "training")
        self.assertEqual(rw.Sweep(columns, kind="forward").kind, "forward")
        with self.assertRaisesRegex(rw.InputError, "did you mean training"):
            rw.Sweep(columns, kind="trianing")

    def test_a_table_for_notebooks_is_escaped(self):
        sweep = rw.Sweep({"time_s": [1.0], "power_w": [2.0]}, workload="<b>")
        self.assertNotIn("<b>", sweep._repr_html_())
        self.assertIn("<table>", sweep._repr_html_())
        self.assertIn(f"{len(self.rows) - 60} more rows", self.rows._repr_html_())

    def test_an_answer_without_rows_shows_itself(self):
        sweep = rw.Sweep({"time_s": [0.01], "power_w": [20.0], "batch": [1]}, kind="inference")
        plan = rw.schedule.plan(inference=sweep, arrival_rate_hz=10, max_power_w=100, keep_outliers=True)
        self.assertTrue(plan)
        text = plan._repr_html_()
        self.assertNotIn("0 rows", text)
        for name in ("feasible", "mode", "power_w", "latency_s"):
            self.assertIn(f"<th>{name}</th>", text)

    def test_a_wrong_type_is_refused_with_what_is_taken(self):
        for name, value, meant in (("batch", "4", "'4' is not a whole number or a list of them"),
                                   ("modes", rw.PowerMode(gpu_clock_hz=612e6), "text.*write it as 'gpu=612'"),
                                   ("modes", [rw.PowerMode(gpu_clock_hz=612e6)], "text.*write it as 'gpu=612'"),
                                   ("modes", 3, "3 is not a text")):
            with self.assertRaisesRegex(rw.UsageError, meant, msg=name):
                rw.estimate("zoo:lenet5", device="orin-nano", **{name: value})

    def test_tune_finds_the_least_of_all_modes(self):
        """The answer is the fastest row within the limit, found by a direct search."""
        tuned = rw.tune("zoo:resnet18", device="orin-nano", batch=1, max_power_w=8)
        within = [row for row in self.rows if row.batch == 1 and row.power_w <= 8]
        self.assertEqual(tuned.best.time_s, min(row.time_s for row in within))
        self.assertLessEqual(tuned.best.power_w, 8)
        self.assertEqual((tuned.provenance, tuned.origin.board), ("modelled", rw.Board("orin-nano").name))

    def test_an_answer_is_true_where_it_keeps_the_limits(self):
        self.assertTrue(rw.tune("zoo:lenet5", device="nano", batch=1))
        self.assertFalse(rw.tune("zoo:lenet5", device="nano", batch=1, max_power_w=0.1))

    def test_no_solution(self):
        tuned = rw.tune("zoo:resnet18", device="orin-nano", max_power_w=1)
        self.assertFalse(tuned.feasible)
        self.assertGreater(tuned.miss.power_w, 1)
        self.assertEqual([one.kind for one in tuned.relaxations], ["power"])
        with self.assertWarnsRegex(DeprecationWarning, "use Tuned.relaxations"):
            self.assertEqual([one.kind for one in tuned.mends], ["power"])
        with self.assertWarnsRegex(DeprecationWarning, "use ridgewatt.Relaxation"):
            self.assertIs(rw.Mend, rw.Relaxation)
        with self.assertRaises(rw.NoSolutionError):
            tuned.best

    def test_progress_is_reported_and_may_end_the_work(self):
        rows = self.rows[::40]
        samples = rw.Sweep({"time_s": [row.time_s for row in rows],
                            "power_w": [row.power_w for row in rows],
                            "batch": [row.batch for row in rows],
                            "gpu_clock_hz": [row.mode.gpu_clock_hz for row in rows]})

        def stop(_label, _done, _total):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            rw.predict(samples, method="nn", query=[(rows[0].mode, 1)], progress=stop)


class Rooflines(unittest.TestCase):
    def test_roofs_by_hand(self):
        """FP32 pipes of AGX Orin at MAXN: 2048 cores x 2 x 1300.5 MHz = 5.327e12 FLOP/s, NVIDIA's
        5.3 TFLOPS; the balance is the quotient of both roofs."""
        answer = rw.roofline("zoo:mobilenet_v2", device="agx-orin", modes="maxn", batch=8)
        vector = next(roof for roof in answer if roof.roof == "vector")
        self.assertAlmostEqual(vector.ceiling_flop_per_s, 2048 * 2 * 1300.5e6, delta=1)
        for roof in answer:
            self.assertAlmostEqual(roof.time_balance * roof.reached_bytes_per_s
                                   / roof.reached_flop_per_s, 1)
        self.assertAlmostEqual(sum(roof.gpu_share for roof in answer), 1, delta=0.02)
        self.assertAlmostEqual(sum(answer.time_parts.values()), sum(
            row.time_s for row in rw.estimate("zoo:mobilenet_v2", device="agx-orin", modes="maxn",
                                              batch=8)))


class Sweeps(unittest.TestCase):
    def test_columns_come_back(self):
        columns = {"time_s": [0.25, 0.5], "power_w": [10.0, 5.5], "batch": [1, 2],
                   "gpu_clock_hz": [1300.5e6, 612e6], "energy_j": [2.5, 2.8]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sweep.csv"
            rw.Sweep(columns, workload="w", kind="training", board="agx-orin").write(path)
            read = rw.read_sweep(path)
        frame = read.to_frame()
        for name, values in columns.items():
            self.assertEqual(list(frame[name]), values, name)
        self.assertEqual((read.workload, read.kind, read.board), ("w", "training", "agx-orin"))

    def test_a_frame_keeps_where_it_comes_from(self):
        pandas = importlib.util.find_spec("pandas")
        if pandas is None:
            self.skipTest("pandas is not here")
        sweep = rw.example_sweep("zoo:mobilenet_v3_large", device="agx-orin", batch=16, modes=20)
        frame = sweep.to_frame()
        some = rw.Sweep(frame[frame.cpu_cores > 1])  # unknown columns are NaN
        self.assertEqual((some.provenance, some.workload, some.board),
                         ("fake", sweep.workload, "agx-orin"))
        self.assertEqual(rw.Sweep(frame, provenance="modelled").provenance, "modelled")
        with self.assertRaisesRegex(rw.UsageError, r"ridgewatt\.Sweep"):
            rw.predict(frame, device="agx-orin")
        with self.assertRaisesRegex(rw.UsageError, "Hz"):
            rw.Sweep({"time_s": [1.0], "power_w": [1.0], "gpu_clock_hz": [1300.5]})

    def test_pareto_by_hand(self):
        """Of (1, 9), (2, 5), (3, 6), (4, 1), the third is not on the front."""
        sweep = rw.Sweep({"time_s": [1.0, 2.0, 3.0, 4.0], "power_w": [9.0, 5.0, 6.0, 1.0],
                          "gpu_clock_hz": [4e8, 3e8, 2e8, 1e8]})
        front = rw.pareto(sweep=sweep, keep_outliers=True)
        self.assertEqual([row.time_s for row in front], [1.0, 2.0, 4.0])

    def test_store_closes(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(rw.NotFoundError):
                rw.Store(pathlib.Path(folder) / "none.db")
            path = pathlib.Path(folder) / "text.db"
            path.write_text("no database")
            with self.assertRaises(rw.InputError):
                rw.Store(path)


class Explanations(unittest.TestCase):
    def test_layers_of_a_profile_add_up(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder) / "profile.json"
            profile.write_text('[{"count": 2}, {"name": "Conv_0 + Relu_0", "timeMs": 2}, {"name": "Gemm_0", "timeMs": 4}]')
            found = rw.explain("zoo:lenet5", device="agx-orin", runtime="tensorrt", profile=str(profile))
            self.assertAlmostEqual(found.measured_s, 3e-3)
            self.assertAlmostEqual(1e-3 * sum(layer["over_ms"] for layer in found.layers), found.gap_s)
            with self.assertRaises(rw.NotFoundError):
                rw.explain("zoo:lenet5", device="agx-orin", profile=str(profile) + "x")
        self.assertEqual(rw.explain("zoo:lenet5", device="agx-orin", measured_s=1).layers, [])

    def test_a_change_is_judged(self):
        found = rw.explain("zoo:resnet50", device="agx-orin", measured_s=0.06, power_w=12, after_s=0.06,
                           removed="power_mode")
        change = found.to_dict()["change"]
        self.assertEqual((change["removed"], change["verdict"], change["gain"]), ("power_mode", "refuted", 1))


class Plans(unittest.TestCase):
    def test_one_mode_by_hand(self):
        """One mode, batch 4 at 10 requests/s: a period of 0.4 s holds the inference of 0.1 s and
        three trainings of 0.1 s, and the worst latency with the strict bound is 3 / 10 + 0.1 + 0.1
        seconds."""
        mode = {"gpu_clock_hz": [1e9]}
        plan = rw.schedule.plan(
            inference=rw.Sweep({"time_s": [0.1], "power_w": [10.0], "batch": [4], **mode}),
            training=rw.Sweep({"time_s": [0.0999], "power_w": [12.0], "batch": [16], **mode},
                              kind="training"),
            arrival_rate_hz=10, max_latency_s=1, max_power_w=20, keep_outliers=True)
        self.assertTrue(plan.feasible)
        self.assertEqual((plan.batch, plan.training_minibatches_per_cycle), (4, 3))
        self.assertAlmostEqual(plan.period_s, 0.4)
        self.assertAlmostEqual(plan.latency_s, 0.3 + 0.1 + 0.0999)
        self.assertEqual(plan.power_w, 12)


if __name__ == "__main__":
    unittest.main()
