"""FewShotPredictor: it predicts the same values as predict(), and scikit-learn can use it."""
# label: slow
import pickle
import unittest

import numpy
import ridgewatt as rw

try:
    import sklearn.base
    import sklearn.model_selection
    sklearn_is_here = True
except ImportError:
    sklearn_is_here = False

KNOBS = ("cpu_cores", "cpu_clock_hz", "gpu_clock_hz", "mem_clock_hz")


class Learning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sweep = rw.example_sweep("zoo:lenet5", device="agx-orin", batch=[1, 4], modes=60)
        cls.rows = list(sweep)
        cls.X = numpy.array([[getattr(row.mode, knob) for knob in KNOBS] + [row.batch] for row in cls.rows])
        cls.time_s = numpy.array([row.time_s for row in cls.rows])
        cls.power_w = numpy.array([row.power_w for row in cls.rows])
        cls.both = numpy.column_stack([cls.time_s, cls.power_w])
        cls.learn = numpy.arange(0, len(cls.rows), 2)
        cls.other = cls.learn + 1

    def test_two_costs_are_those_of_predict(self):
        fitted = rw.FewShotPredictor().fit(self.X[self.learn], self.both[self.learn])
        mean, std = fitted.predict(self.X[self.other], return_std=True)
        table = {name: self.X[self.learn, i].tolist() for i, name in enumerate((*KNOBS, "batch"))}
        table = {name: [int(value) for value in values] if name in ("cpu_cores", "batch") else values
                 for name, values in table.items()}
        samples = rw.Sweep({**table, "time_s": self.time_s[self.learn].tolist(),
                            "power_w": self.power_w[self.learn].tolist()})
        found = rw.predict(samples, query=[(self.rows[i].mode, self.rows[i].batch) for i in self.other],
                           keep_outliers=True)
        self.assertEqual(mean.tolist(), [[row.time_s, row.power_w] for row in found])
        half = [(row.time_hi_s - row.time_lo_s) / 2 / 1.6448536269514722 for row in found]
        numpy.testing.assert_allclose(std[:, 0], half, rtol=1e-12)

    def test_one_cost_keeps_its_shape_and_is_learned(self):
        for cost in (self.time_s, self.power_w, self.time_s * self.power_w):
            fitted = rw.FewShotPredictor().fit(self.X[self.learn], cost[self.learn])
            mean, std = fitted.predict(self.X[self.other], return_std=True)
            self.assertEqual((mean.shape, std.shape), ((len(self.other),), (len(self.other),)))
            self.assertTrue((std > 0).all())
            self.assertGreater(fitted.score(self.X[self.other], cost[self.other]), 0.8)

    def test_a_single_cost_is_learned_as_what_it_is(self):
        """An energy alone is what predict() gives for constant power."""
        table = {name: self.X[self.learn, i].tolist() for i, name in enumerate((*KNOBS, "batch"))}
        table = {name: [int(value) for value in values] if name in ("cpu_cores", "batch") else values
                 for name, values in table.items()}
        query = [(self.rows[i].mode, self.rows[i].batch) for i in self.other]
        energy_j = self.time_s * self.power_w
        columns = {"time_s": energy_j[self.learn].tolist(), "power_w": [1.0] * len(self.learn)}
        found = rw.predict(rw.Sweep({**table, **columns}), query=query, keep_outliers=True)
        fitted = rw.FewShotPredictor(cost="energy").fit(self.X[self.learn], energy_j[self.learn])
        self.assertEqual(fitted.predict(self.X[self.other]).tolist(), [row.time_s for row in found])
        with self.assertRaisesRegex(rw.UsageError, "cost has no effect with two columns"):
            rw.FewShotPredictor(cost="power").fit(self.X, self.both)
        with self.assertRaisesRegex(rw.UsageError, "cost: 'watts' is unknown"):
            rw.FewShotPredictor(cost="watts").fit(self.X, self.power_w)

    def test_power_alone_is_nearly_as_good_as_with_time(self):
        """The power of the work depends on the speed, which clocks change. Constant times have almost
        twice the error."""
        sweep = rw.example_sweep("zoo:resnet18", device="agx-orin", batch=[16], modes=300)
        X = numpy.array([[getattr(row.mode, knob) for knob in KNOBS] + [row.batch] for row in sweep])
        both = numpy.array([[row.time_s, row.power_w] for row in sweep])
        learn, other = numpy.arange(0, len(X), 15), numpy.arange(1, len(X), 3)

        def error(fitted):
            power = numpy.asarray(fitted.predict(X[other])).reshape(len(other), -1)[:, -1]
            return numpy.abs(power / both[other, 1] - 1).mean()
        alone = rw.FewShotPredictor(cost="power").fit(X[learn], both[learn, 1])
        ratio = error(alone) / error(rw.FewShotPredictor().fit(X[learn], both[learn]))
        self.assertLess(ratio, 1.5)

    def test_score_is_r2(self):
        fitted = rw.FewShotPredictor().fit(self.X[self.learn], self.time_s[self.learn])
        truth, mean = self.time_s[self.other], fitted.predict(self.X[self.other])
        by_hand = 1 - ((truth - mean) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
        self.assertAlmostEqual(fitted.score(self.X[self.other], truth), by_hand, 12)

    def test_parameters(self):
        predictor = rw.FewShotPredictor(method="linear", seed=3)
        self.assertEqual(predictor.get_params()["method"], "linear")
        self.assertIs(predictor.set_params(seed=4), predictor)
        self.assertEqual(predictor.seed, 4)
        with self.assertRaisesRegex(rw.UsageError, "no parameter 'sed'"):
            predictor.set_params(sed=1)

    def test_fewer_columns(self):
        fitted = rw.FewShotPredictor(columns=("gpu_clock_hz", "batch")).fit(self.X[self.learn][:, [2, 4]],
                                                                           self.power_w[self.learn])
        self.assertEqual(fitted.n_features_in_, 2)
        self.assertEqual(fitted.predict(self.X[:3, [2, 4]]).shape, (3,))
        clocks = rw.FewShotPredictor(columns=KNOBS).fit(self.X[self.learn][::2, :4], self.time_s[self.learn][::2])
        self.assertEqual(clocks.predict(self.X[:3, :4]).shape, (3,))

    def test_wrong_input_is_one_line(self):
        learned = rw.FewShotPredictor()
        for X, y, word in ((self.X[:, :2], self.time_s, "5 columns"), (self.X, self.time_s[1:], "must have one cost"),
                           (self.X, -self.time_s, "not positive"), (-self.X, self.time_s, "negative"),
                           (self.X[:, 0], self.time_s, "shape"), (self.X, self.time_s * numpy.nan, "NaN"),
                           (self.X * 1j, self.time_s, "Complex"), ([["12 cores"] * 5], [1.0], "numbers"),
                           (self.X, None, "is None")):
            with self.assertRaisesRegex(rw.UsageError, word):
                learned.fit(X, y)
        with self.assertRaisesRegex(rw.UsageError, "call fit first"):
            rw.FewShotPredictor().predict(self.X)
        with self.assertRaisesRegex(rw.UsageError, "'gpu' is not a column"):
            rw.FewShotPredictor(columns=("gpu",)).fit(self.X[:, :1], self.time_s)

    def test_a_fitted_one_pickles(self):
        fitted = rw.FewShotPredictor().fit(self.X[self.learn], self.time_s[self.learn])
        back = pickle.loads(pickle.dumps(fitted))
        self.assertEqual(back.predict(self.X[:4]).tolist(), fitted.predict(self.X[:4]).tolist())

    @unittest.skipUnless(sklearn_is_here, "skipped: scikit-learn is not here")
    def test_scikit_learn(self):
        folds = sklearn.model_selection.KFold(3, shuffle=True, random_state=0)
        predictor = rw.FewShotPredictor(seed=1)
        scores = sklearn.model_selection.cross_val_score(predictor, self.X, self.power_w, cv=folds)
        self.assertEqual(len(scores), 3)
        self.assertGreater(scores.min(), 0.8)
        self.assertEqual(sklearn.base.clone(predictor).get_params(), predictor.get_params())
        self.assertTrue(sklearn.base.is_regressor(predictor))
        search = sklearn.model_selection.GridSearchCV(predictor, {"method": ["auto", "linear"]}, cv=folds)
        search.fit(self.X, self.power_w)
        self.assertIn(search.best_params_["method"], ("auto", "linear"))

    # Most of these checks use columns that are not knobs, which the predictor rejects.
    @unittest.skipUnless(sklearn_is_here, "skipped: scikit-learn is not here")
    def test_the_checks_of_scikit_learn(self):
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.estimator_checks import check_estimator
        passed = set()
        for predictor, check in check_estimator(rw.FewShotPredictor(), generate_only=True):
            name = check.func.__name__
            with self.subTest(check=name):
                try:
                    check(predictor)
                    passed.add(name)
                except rw.UsageError as error:
                    self.assertRegex(str(error), "must have . columns|cpu_cores: must be at least 1")
                except AssertionError as error:  # the check expects a message about its own columns
                    self.assertIn("columns, ", f"{error} {error.__cause__} {error.__context__}")
        self.assertLessEqual({"check_no_attributes_set_in_init", "check_parameters_default_constructible",
                              "check_get_params_invariance", "check_set_params", "check_estimators_unfitted",
                              "check_supervised_y_no_nan", "check_fit1d", "check_complex_data",
                              "check_estimator_sparse_data"}, passed)
        with self.assertRaises(NotFittedError):
            rw.FewShotPredictor().predict(self.X)


if __name__ == "__main__":
    unittest.main()
