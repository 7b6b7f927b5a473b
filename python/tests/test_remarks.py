"""What an answer states about itself in addition to its figures: remarks, origin, and plots."""
# label: slow
import pathlib
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import numpy

import ridgewatt as rw
from ridgewatt import _core, plots


class Axes:
    """Records what a plot draws, in place of the axes of matplotlib."""

    def __init__(self):
        self.lines, self.points, self.labels, self.text = [], [], [], {}

    def plot(self, x, y, **options):
        self.lines.append((list(x), list(y)))
        self.labels.append(options.get("label"))
        return [mock.Mock()]

    def scatter(self, x, y, **options):
        self.points.append((list(x), list(y)))
        self.labels.append(options.get("label"))
        drawn = mock.Mock()
        drawn.get_facecolor.return_value = ["C0"]
        return drawn

    def __getattr__(self, name):
        return lambda *given, **_: self.text.update({name: given[0] if given else None})


def without_pandas():
    return mock.patch.dict(sys.modules, pandas=None)


class RowsLeftOut(unittest.TestCase):
    """The quality check flags exact rows of a fake board: 7 of the 108."""

    @classmethod
    def setUpClass(cls):
        cls.sweep = rw.example_sweep("zoo:resnet18", modes=40)

    def answers(self, **options):
        few = self.sweep
        yield lambda: rw.tune(sweep=self.sweep, max_power_w=30, **options)
        yield lambda: rw.pareto(sweep=self.sweep, **options)
        yield lambda: rw.predict(few, query=[(few[0].mode, 1)], method="linear", **options)
        yield lambda: rw.schedule.plan(inference=self.sweep, arrival_rate_hz=5, max_power_w=60, **options)

    def test_answers_say_and_warn(self):
        for ask in self.answers():
            with self.assertWarnsRegex(RuntimeWarning, "7 of 108 rows left out.*keep_outliers=True") as said:
                answer = ask()
            self.assertEqual(said.filename, __file__)
            self.assertRegex(answer.remarks[0], "7 of 108 rows left out")
            self.assertIn("7 of 108 rows left out", repr(answer))
            self.assertRegex(answer._repr_html_(), "</table>.*<li>.*7 of 108 rows left out")
            self.assertEqual(answer.to_frame().attrs["remarks"], answer.remarks)

    def test_kept_rows_are_no_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for ask in self.answers(keep_outliers=True):
                self.assertNotIn("left out", " ".join(ask().remarks))

    def test_modelled_rows_are_said(self):
        rows = rw.estimate("zoo:resnet18", device="agx-orin", modes="presets")
        with without_pandas():
            frame = rows.to_frame()
        sweep = rw.Sweep({name: frame[name] for name in ("gpu_clock_hz", "batch", "time_s", "power_w")},
                         provenance="modelled")
        self.assertRegex(" ".join(rw.pareto(sweep=sweep, keep_outliers=True).remarks), "intervals are not read")


class Remarks(unittest.TestCase):
    def test_every_answer_has_them(self):
        answers = [kind for kind in vars(_core).values() if hasattr(kind, "to_frame")]
        self.assertGreater(len(answers), 10)
        for kind in answers:
            self.assertEqual(kind._fields.get("remarks"), "list[str]", kind)

    def test_of_an_estimate(self):
        rows = rw.estimate("zoo:resnet50", device="orin-nano-8gb", modes="presets")
        said = rows.to_dict()
        self.assertTrue(said["preset_note"])
        self.assertIn(said["preset_note"], rows.remarks)
        for remark in said["remarks"]:
            self.assertIn(remark, rows.remarks)
        bert = rw.estimate("zoo:bert_base", device="agx-orin", modes="maxn")
        self.assertRegex(" ".join(bert.remarks), "assumed sequence = 384")
        self.assertIn("assumed sequence", bert._repr_html_())

    def test_of_tune(self):
        tuned = rw.tune("zoo:bert_base", device="agx-orin", max_power_w=30)
        self.assertRegex(" ".join(tuned.remarks), "assumed sequence = 384")
        for remark in tuned.to_dict()["remarks"]:
            self.assertIn(remark, tuned.remarks)
        ranked = rw.tune("zoo:lenet5", device="all", batch=1)
        for remarks in (ranked.remarks, ranked.to_dict()["remarks"]):
            self.assertRegex(" ".join(remarks), "of the card alone")

    def test_of_an_explanation_and_roofs(self):
        found = rw.explain("zoo:bert_base", device="agx-orin", measured_s=1)
        self.assertRegex(" ".join(found.remarks), "assumed sequence = 384")
        for remark in found.to_dict().get("remarks", []) + found.to_dict()["sentences"]:
            self.assertIn(remark, found.remarks)
        roofs = rw.roofline("zoo:bert_base", device="agx-orin", modes="maxn")
        self.assertRegex(" ".join(roofs.remarks), "assumed sequence = 384")


class Misses(unittest.TestCase):
    def test_the_miss_of_all_boards_is_the_nearest(self):
        tuned = rw.tune("zoo:lenet5", device="all", batch=1, max_power_w=0.1)
        self.assertFalse(tuned)
        nearest = min((one.miss.power_w, one.device) for one in tuned.ranking)
        self.assertEqual((tuned.miss.power_w, tuned.device), nearest)
        self.assertAlmostEqual(tuned.relaxations[0].value, nearest[0], delta=0.01)

    def test_a_language_model_that_does_not_fit_has_no_figures(self):
        tunes = rw.llm.tune("zoo:llama-3.1-8b", device="orin-nano-8gb", quantization=["f16", "q4_k_m"])
        by_fit = {row.fits: row for row in tunes}
        self.assertEqual(set(by_fit), {False, True})
        none, some = by_fit[False], by_fit[True]
        for name in ("joules_per_token", "tpot_s", "ttft_s", "request_s", "decode_power_hi_w", "switch_s"):
            self.assertIsNone(getattr(none, name), name)
            self.assertGreaterEqual(getattr(some, name), 0, name)
        with without_pandas():
            frame = tunes.to_frame()
        self.assertEqual(numpy.isnan(frame["joules_per_token"]).tolist(), [not row.fits for row in tunes])
        axes = Axes()
        plots.draw(tunes, axes)
        self.assertEqual(axes.points, [([1e3 * some.tpot_s], [some.joules_per_token])])

    def test_both_modes_of_phases_are_in_the_frame(self):
        tunes = rw.llm.tune("zoo:llama-3.1-8b", device="agx-orin", phases=True, max_ttft_s=0.7)
        best = tunes.best
        self.assertNotEqual(best.mode, best.prefill_mode)
        with without_pandas():
            frame = tunes.to_frame()
        self.assertEqual(frame["gpu_clock_hz"][0], best.mode.gpu_clock_hz)
        self.assertEqual(frame["prefill_gpu_clock_hz"][0], best.prefill_mode.gpu_clock_hz)
        self.assertIn("prefill_mode=", repr(best))


class Refusals(unittest.TestCase):
    def test_a_sweep_of_another_board(self):
        sweep = rw.example_sweep("zoo:lenet5", device="agx-orin", modes=20)
        with self.assertRaisesRegex(rw.InputError, "of board agx-orin, not of orin-nano"):
            rw.tune(sweep=sweep, device="orin-nano-8gb", max_power_w=20, keep_outliers=True)
        tuned = rw.tune(sweep=sweep, device="agx-orin", max_power_w=60, keep_outliers=True)
        self.assertEqual((tuned.device, tuned.to_dict()["device"]), ("agx-orin", "agx-orin"))

    def test_a_model_of_another_kind(self):
        samples = rw.example_sweep("zoo:lenet5", device="agx-orin", batch=1, modes=12)
        model = rw.Model("zoo:lenet5", training=True)
        for ask in (rw.predict, lambda rows, **given: rw.tune(samples=rows, **given),
                    lambda rows, **given: rw.tune(sweep=rows, **given)):
            with self.assertRaisesRegex(rw.UsageError, "Model is for training.*training=False"):
                ask(samples, device="agx-orin", model=model, keep_outliers=True)

    def test_swapped_sweeps_of_a_plan(self):
        rows = {"time_s": [0.1], "power_w": [10.0], "gpu_clock_hz": [1e9]}
        training = rw.Sweep({**rows, "batch": [16]}, workload="a", kind="training", board="agx-orin")
        inference = rw.Sweep({**rows, "batch": [1]}, workload="b", board="agx-orin")
        limits = {"arrival_rate_hz": 2, "max_latency_s": 5, "max_power_w": 40, "keep_outliers": True}
        plan = rw.schedule.plan(training=training, inference=inference, **limits)
        self.assertEqual((plan.workload, plan.board), ("b inference + a training", "agx-orin"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            training.write(path)
            for given in ({"training": inference, "inference": training}, {"inference": path},
                          {"training": inference, "inference": inference},
                          {"inference": inference, "non_urgent": path}):
                with self.assertRaisesRegex(rw.UsageError, "the sweep of the .* has rows of the kind"):
                    rw.schedule.plan(**given, **limits)

    def test_minibatches_of_a_program(self):
        with self.assertRaisesRegex(rw.UsageError, "minibatches has no effect with a program.*window"):
            rw.tune("/usr/bin/python3 prog.py", device="fake:agx-orin", minibatches=3)


class Explanations(unittest.TestCase):
    def test_the_gap_is_of_what_it_says(self):
        found = rw.explain("zoo:llama-3.1-8b", device="agx-orin", tokens_per_s=20, first_token_s=5)
        self.assertEqual((found.time_of, found.gap_of, found.measured_first_token_s),
                         ("token", "first token", 5))
        self.assertAlmostEqual(found.gap_s, found.measured_first_token_s - found.expected_first_token_s)
        axes = Axes()
        axes.barh = lambda *_: None
        plots.draw(found, axes)
        self.assertRegex(axes.text["set_title"], "^first token: 5e[+]03 ms measured")
        alone = rw.explain("zoo:llama-3.1-8b", device="agx-orin", tokens_per_s=20)
        self.assertEqual((alone.gap_of, alone.measured_first_token_s), ("token", None))
        self.assertAlmostEqual(alone.gap_s, alone.measured_s - alone.expected_s)


class Figures(unittest.TestCase):
    def test_a_front_is_drawn_as_it_is(self):
        sweep = rw.example_sweep(modes=40)
        for costs, of in ((("time", "power"), lambda row: (1e3 * row.time_s / row.batch, row.power_w)),
                          (("time", "energy"), lambda row: (1e3 * row.time_s / row.batch,
                                                            row.energy_j / row.batch))):
            front = rw.pareto(sweep=sweep, costs=costs, keep_outliers=True)
            self.assertEqual(front.costs, list(costs))
            self.assertIn(16, [row.batch for row in front])
            axes = Axes()
            plots.draw(front, axes)
            (x, y), = axes.lines
            self.assertEqual(axes.points, [])
            numpy.testing.assert_allclose(sorted(zip(x, y)), sorted(map(of, front)))
            self.assertRegex(axes.text["set_ylabel"], costs[1])
            self.assertRegex(axes.text["set_xlabel"], "per sample")

    def test_the_front_in_a_cloud_is_that_of_pareto(self):
        sweep = rw.example_sweep(modes=40)
        axes = Axes()
        plots.draw(sweep, axes)
        (x, _), = axes.lines
        self.assertEqual(len(axes.points[0][0]), len(sweep))
        self.assertEqual(len(x), len(rw.pareto(sweep=sweep, keep_outliers=True)))

    def test_boards_and_batches_of_an_estimate(self):
        axes = Axes()
        every = rw.estimate("zoo:lenet5", device="all", modes="maxn", batch=1)
        plots.draw(every, axes)
        boards = list(dict.fromkeys(row.board for row in every))
        self.assertEqual([label for label in axes.labels if label], boards)
        self.assertEqual(axes.text["set_title"], "zoo:lenet5, modelled")
        axes = Axes()
        rows = rw.estimate("zoo:resnet18", device="agx-orin", modes="presets", batch=[1, 16])
        plots.draw(rows, axes)
        self.assertEqual(axes.text["set_title"], "zoo:resnet18 on agx-orin, modelled")
        self.assertAlmostEqual(min(min(y) for _, y in axes.lines),
                               min(row.energy_j / row.batch for row in rows))


class Frames(unittest.TestCase):
    def test_origin_of_every_answer(self):
        sweep = rw.example_sweep("zoo:lenet5", device="agx-orin", modes=20)
        twin = {"workload": "zoo:lenet5", "kind": "inference", "board": "agx-orin",
                "provenance": "modelled", "twin": "fitted"}
        read = {"workload": sweep.workload, "kind": "inference", "board": "agx-orin", "provenance": "fake"}
        for answer, wanted in (
                (rw.estimate("zoo:lenet5", device="agx-orin", modes="presets"), twin),
                (rw.tune("zoo:lenet5", device="agx-orin", batch=1), twin),
                (rw.roofline("zoo:lenet5", device="agx-orin", modes="maxn"), twin),
                (sweep, read), (rw.pareto(sweep=sweep, keep_outliers=True), read),
                (rw.tune(sweep=sweep, max_power_w=50, keep_outliers=True), read)):
            with without_pandas():
                attrs = answer.to_frame().attrs
            self.assertEqual({name: attrs.get(name) for name in wanted}, wanted, type(answer))

    def test_without_pandas_rows_keep_their_origin(self):
        sweep = rw.example_sweep("zoo:lenet5", device="agx-orin", modes=20)
        with without_pandas():
            again = rw.Sweep(sweep.to_frame())
        self.assertEqual((again.provenance, again.board, again.workload),
                         ("fake", "agx-orin", sweep.workload))
        self.assertEqual(again[:], sweep[:])

    def test_a_governor_is_a_column(self):
        columns = {"gpu_clock_hz": [1e9, 1e9], "governor": ["", "schedutil"], "time_s": [0.01, 0.011],
                   "power_w": [30.0, 25.0]}
        sweep = rw.Sweep(columns)
        self.assertEqual([row.mode.governor for row in sweep], ["", "schedutil"])
        with without_pandas():
            self.assertEqual(rw.Sweep(sweep.to_frame())[:], sweep[:])
        with self.assertRaisesRegex(rw.UsageError, "governor: 3 is not a text"):
            rw.Sweep({**columns, "governor": [3, 3]})

    def test_modelled_rows_keep_runtime_and_twin(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.csv"
            path.write_text("workload,kind,batch,gpu_mhz,time_ms,power_w,provenance,runtime,twin\n"
                            "a,inference,1,1000,10,20,modelled,tensorrt,fitted\n")
            read = rw.read_sweep(path)
            with without_pandas():
                again = rw.Sweep(read.to_frame())
            again.write(path)
            self.assertIn("modelled,tensorrt,fitted", path.read_text())
        self.assertEqual((again.runtime, again.twin), ("tensorrt", "fitted"))


if __name__ == "__main__":
    unittest.main()
