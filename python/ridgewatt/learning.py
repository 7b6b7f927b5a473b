"""The predictor of `predict` with the interface of a scikit-learn regressor:

    predictor = ridgewatt.FewShotPredictor().fit(X, time_s)
    mean, std = predictor.predict(other_X, return_std=True)

NumPy is required, scikit-learn is not.
"""
import inspect
import sys
from collections.abc import Sequence
from typing import Any

from . import _core, errors
from .questions import predict as _predict

__all__ = ["FewShotPredictor"]

COLUMNS = ("cpu_cores", "cpu_clock_hz", "gpu_clock_hz", "mem_clock_hz", "batch")
# Half the width of the 90 % interval of a normal distribution, in standard deviations.
_WIDTH_90 = 1.6448536269514722
_INTERVAL = 0.9
# The cost as which a single column is learned. An energy changes with the knobs as a time does.
_COLUMN_OF = {"time": "time", "power": "power", "energy": "time"}


def _not_fitted(text: str) -> Exception:
    """Returns a UsageError. If scikit-learn is loaded, the class of the error is also derived from
    scikit-learn's NotFittedError."""
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return errors.UsageError(text)
    theirs: Any = getattr(exceptions, "NotFittedError")
    both: type[Exception] = type("NotFittedError", (errors.UsageError, theirs), {})
    return both(text)


def _numbers(values: Any, name: str) -> Any:
    """Returns the values as an array of floats. Raises UsageError if they are sparse, complex, not
    numeric or not finite. `name` is used in the message."""
    import numpy
    if hasattr(values, "toarray"):
        raise errors.UsageError(f"{name}: sparse input is not supported: pass {name}.toarray()")
    try:
        array = numpy.asarray(values)
        if numpy.iscomplexobj(array):
            raise errors.UsageError(f"{name}: Complex data not supported")
        array = array.astype(float)
    except (TypeError, ValueError) as error:
        if isinstance(error, errors.UsageError):
            raise
        raise errors.UsageError(f"{name}: must be an array of numbers: {error}") from None
    if not numpy.isfinite(array).all():
        raise errors.UsageError(f"{name}: contains NaN or inf")
    return array


def _typical_times(points: list[tuple[_core.PowerMode, int]]) -> list[float]:
    """Returns times for points of which only the power is known: those of minibatches that spend
    equal shares of their time on CPU, GPU and memory at the highest clocks. The model of power
    divides the energy of the work by the time, so constant times would mean that clocks have no
    effect on speed."""
    times = [float(batch) for _, batch in points]
    clocks = [[getattr(mode, name) for mode, _ in points] for name in COLUMNS[1:4]]
    known = [column for column in clocks if min(column) > 0]
    if not known:
        return times
    return [time * sum(max(column) / column[i] for column in known) / len(known)
            for i, time in enumerate(times)]


class FewShotPredictor:
    """Predicts time, power or energy of operating points from a few profiled ones.

    X has one row per point and one column per name in `columns`: the knobs of a PowerMode (clocks
    in Hz) and "batch". y contains one positive cost per point, or two columns, time (s) and power
    (W). `cost` states which cost a single column is: "time", "power" or "energy". Power is learned
    better from two columns, because it depends on how fast the work is done: from 20 modes of an
    AGX Orin, its mean error on five networks is 2 to 6 % with both columns and 3 to 7 % alone. The
    product of both columns has an error of 3 to 5 % as the energy, and an energy alone 6 to 8 %.

    `method` and `seed` have the same meaning as in predict(). `device` is the board of the points:
    modes that it does not have are refused, and predicted powers end at its limit.

    `score` returns the coefficient of determination R2. The methods `get_params` and `set_params`
    are those of scikit-learn, so that `clone`, `cross_val_score` and `GridSearchCV` accept the
    predictor.
    """

    _estimator_type = "regressor"

    def __init__(self, *, columns: Sequence[str] = COLUMNS, method: str = "auto",
                 seed: int | None = None, device: str | None = None, cost: str = "time") -> None:
        self.columns = columns
        self.method = method
        self.seed = seed
        self.device = device
        self.cost = cost

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the arguments of the constructor by name. `deep` has no effect, because no
        argument is an estimator."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> "FewShotPredictor":
        """Sets arguments of the constructor and returns the predictor. Raises UsageError if there
        is no such argument."""
        for name, value in params.items():
            if name not in self._names():
                raise errors.UsageError(f"FewShotPredictor has no parameter {name!r}: its parameters are "
                                        + ", ".join(self._names()))
            setattr(self, name, value)
        return self

    def _points(self, X: Any) -> list[tuple[_core.PowerMode, int]]:
        rows = _numbers(X, "X")
        if rows.ndim != 2 or rows.shape[1] != len(self.columns):
            raise errors.UsageError(f"X: must have {len(self.columns)} columns, "
                                    + ", ".join(self.columns) + f"; its shape is {rows.shape}")
        unknown = [name for name in self.columns if name not in COLUMNS]
        if unknown:
            raise errors.UsageError(f"columns: {unknown[0]!r} is not a column of a point; choose from "
                                    + ", ".join(COLUMNS))
        if (rows < 0).any():
            raise errors.UsageError("X: contains a negative value")
        points = []
        for row in rows.tolist():
            knobs: dict[str, Any] = {name: value for name, value in zip(self.columns, row) if value > 0}
            batch = int(knobs.pop("batch", 1))
            if "cpu_cores" in knobs:
                knobs["cpu_cores"] = int(knobs["cpu_cores"])
            points.append((_core.PowerMode(**knobs), batch))
        return points

    def fit(self, X: Any, y: Any) -> "FewShotPredictor":
        """Learns from the points X and their costs y, of shape (points,) or (points, 2), and
        returns the predictor. Raises UsageError if the shapes do not match, a cost is not positive,
        or `cost` is given for two columns."""
        import numpy
        points = self._points(X)
        if y is None:
            raise errors.UsageError("y: must have one cost per point, but is None")
        costs = _numbers(y, "y")
        if costs.shape not in ((len(points),), (len(points), 2)):
            raise errors.UsageError(f"y: must have one cost, or time and power, per point; its shape "
                                    f"is {costs.shape} for {len(points)} points")
        if (costs <= 0).any():
            raise errors.UsageError("y: contains a cost that is not positive")
        if self.cost not in _COLUMN_OF:
            raise errors.UsageError(f"cost: {self.cost!r} is unknown; choose from "
                                    + ", ".join(_COLUMN_OF))
        if costs.ndim == 2 and self.cost != "time":
            raise errors.UsageError("cost has no effect with two columns, time and power")
        self.n_features_in_ = len(self.columns)
        self._learned = [_COLUMN_OF[self.cost]] if costs.ndim == 1 else ["time", "power"]
        # The other cost of a time or an energy is constant.
        both = numpy.ones((len(costs), 2))
        if self._learned == ["power"]:
            both[:, 0] = _typical_times(points)
        both[:, [("time", "power").index(name) for name in self._learned]] = costs.reshape(len(costs), -1)
        table: dict[str, list[float] | list[int]] = {
            name: [getattr(mode, name) for mode, _ in points] for name in COLUMNS[:-1]}
        table["batch"] = [batch for _, batch in points]
        table["time_s"], table["power_w"] = both[:, 0].tolist(), both[:, 1].tolist()
        # Outliers count too: the caller chose the points.
        self.samples_ = _core.Sweep(table, workload="learned", provenance="replayed")
        return self

    def _predictions(self, X: Any) -> _core.Predictions:
        if not hasattr(self, "samples_"):
            raise _not_fitted("FewShotPredictor is not fitted: call fit first")
        return _predict(self.samples_, query=self._points(X), method=self.method, seed=self.seed,
                        device=self.device, interval=_INTERVAL, keep_outliers=True)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Returns the predicted cost of each point, in the shape of the y that was given to fit().
        With return_std=True, returns (mean, standard deviation). The standard deviation is computed
        from the 90 % interval as if the error had a normal distribution. It is NaN if the method
        has no intervals."""
        import numpy
        found = self._predictions(X)

        def column(name: str) -> Any:
            values = [getattr(row, name) for row in found[:]]
            return numpy.array([numpy.nan if value is None else value for value in values])
        names = self._learned
        units = {"time": "s", "power": "w"}
        mean = numpy.column_stack([column(f"{name}_{units[name]}") for name in names])
        if len(names) == 1:
            mean = mean[:, 0]
        if not return_std:
            return mean
        std = numpy.column_stack([(column(f"{name}_hi_{units[name]}") - column(f"{name}_lo_{units[name]}"))
                                  / (2 * _WIDTH_90) for name in names])
        return mean, std[:, 0] if len(names) == 1 else std

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns the coefficient of determination R2 of predict(X). With two costs, returns the
        mean of both."""
        import numpy
        truth = numpy.asarray(y, dtype=float)
        truth = truth.reshape(len(truth), -1)
        error = truth - numpy.asarray(self.predict(X)).reshape(truth.shape)
        weight = numpy.ones(len(truth)) if sample_weight is None else numpy.asarray(sample_weight)
        mean = (weight[:, None] * truth).sum(axis=0) / weight.sum()
        rest = (weight[:, None] * error ** 2).sum(axis=0)
        spread = (weight[:, None] * (truth - mean) ** 2).sum(axis=0)
        return float((1 - rest / spread).mean())

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"FewShotPredictor({said})"
