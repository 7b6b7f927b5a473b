"""Functions that answer questions about a model, a board, a sweep or a few samples.

Arguments that are physical quantities have their SI unit at the end of their name. None means that
an argument is not given. Each function raises UsageError if an argument is wrong, NotFoundError if
a file, model or board does not exist, and InputError if the content of a file is malformed. The
message is the line that the command line prints.

Long calls do not block other Python threads and end at Ctrl+C. Work with countable steps, such as
the profiles of a search or the training epochs of a network, calls `progress(label, done, total)`
at most 20 times per second and at the end of each part. An exception from `progress` ends the work.
"""
from . import _core
from .parameters import asks


@asks("analyze", "Analysis")
def analyze():
    """Counts the cost of a model from its graph: operations, bytes, parameters and memory, in total
    and per node.

    If `model` is a Model, its training, precision, optimizer and dims apply, and giving them again
    raises UsageError. Its runtime has no effect here. To count kernels as a runtime launches them,
    give `runtime`, which excludes `traffic`.

    Returns an Analysis, a sequence of Layer.
    """


@asks("estimate", "Estimates")
def estimate():
    """Estimates time, power and energy of a model in power modes of a board. The estimates come
    from the board's twin, which is a fitted model of the board; nothing is profiled.

    Returns Estimates, a sequence of Estimate. With dataset_size, its to_dict() includes the time
    and energy of the whole job. If a row does not fit the memory of the board, its fits_memory is
    False. Raises NotSupportedError if no board or no runtime can run the model.
    """


@asks("roofline", "Roofline")
def roofline():
    """Computes the roofs and balance points of power modes of a board, and where the layers of a
    model lie under them.

    Without a model, computes only the roofs. Returns a Roofline, a sequence of Roof, one per mode
    and class of kernels. Its `layers` are those of the model. Raises UsageError for a mode with a
    DVFS governor, because its clocks depend on the load.
    """


@asks("explain", "Explanation")
def explain():
    """Explains why a measured time is longer than expected: possible causes, the most probable
    first.

    Give the measurement as measured_s, samples_per_s or a profile. For a language model, give
    tokens_per_s, first_token_s or both instead.

    Returns an Explanation, a sequence of ExplainedCause. Raises UsageError if no measurement is
    given, or if measured_s and samples_per_s are both given.
    """


def _tune(**asked):
    """Implements tune(): answers from a twin, a sweep or samples, or profiles a program on a real or
    fake board."""
    asked = {name: value for name, value in asked.items() if value is not None}
    device = asked.get("device")
    if isinstance(device, str) and (device == "local" or device.startswith("fake:")):
        from . import live
        return live._tune(asked.pop("model", None), **asked)
    return _core.tune(**asked)


@asks("tune", "Tuned", _tune, more="tune program")
def tune():
    """Finds the best power mode and batch within limits.

    The costs of the operating points come from one of these sources:

    - the twin of a board: give a model and `device`
    - a sweep, which takes the place of the board: give `sweep`
    - a few profiled samples: give `samples`
    - a program, which is profiled on a board: give its command and device="local" or "fake:BOARD"

    device="all" ranks all boards, and runtime="all" ranks all runtimes. `sweep`, `samples` and
    `references` are Sweeps or paths of CSV files. If a file contains several sweeps, `workload`
    selects one. Without `batch`, training uses 16. Inference uses only 1 if the objective is time,
    latency or power and no request rate is given. For other goals, it tries 1, 2, 4 .. 128, as far
    as memory and the latency limit permit.

    For a program, the first argument is its command: a text such as "python3 train.py", or a list
    of words. {batch} in it stands for the batch size. Arguments that only ridgewatt.live.tune()
    lists may be given as well.

    Returns a Tuned, whose apply() sets the mode of the answer. If no point meets the limits, no
    error is raised: `feasible` is False, `miss` is the nearest point, and `relaxations` lists
    limits to relax. Only `best` then raises NoSolutionError.
    """


@asks("predict", "Predictions")
def predict():
    """Predicts time, power and energy of all modes from a few profiled ones.

    The predicted points are all modes of the device, or those of `query`: a CSV file, or a list
    whose elements are PowerMode or (PowerMode, batch). If a model and its device are given, the
    estimates of the device's twin for this model are used as prior knowledge.

    Returns Predictions, a sequence of PredictedPoint. Raises UsageError if there are no samples or
    too few.
    """


@asks("suggest", "Predictions")
def suggest():
    """Suggests the most informative modes to profile next, in an order in which few clocks change
    from one mode to the next.

    Returns Predictions. Without samples, the costs in it are None. Raises NoSolutionError if every
    mode is already profiled or, with `budgets`, if no further mode is expected to be faster.
    """


@asks("pareto", "Predictions")
def pareto():
    """Finds the Pareto front of two costs: the modes for which no other mode is better in both.

    The costs come from a sweep, or from samples and predictions for all other modes. If the samples
    contain every mode, nothing is predicted and `method` of the result is empty.

    Returns Predictions, sorted by the first cost, lowest first.
    """


def read_sweep(path: "str | PathLike[str]", *, workload: "str | None" = None) -> "_core.Sweep":
    """Reads a sweep from a CSV file with all its rows, including outliers.

    If the file contains several sweeps, `workload` selects one: NAME, NAME:KIND or
    NAME:KIND:PROVENANCE, each optionally followed by @BOARD, or only @BOARD. All other functions
    that read a sweep accept "FILE#NAME" instead.

    Returns a Sweep. Raises UsageError if several sweeps or none match.
    """
    return _core.read_sweep(**locals())


def example_sweep(model: "str | PathLike[str] | None" = None, *,
                  device: "Board | str | PathLike[str] | None" = None,
                  training: "bool | None" = None, batch: "int | Sequence[int] | None" = None,
                  modes: "int | None" = None, seed: "int | None" = None) -> "_core.Sweep":
    """Creates a small sweep for trying other functions without a board or a recording. It contains
    what a fake (simulated) board would measure, without noise. The provenance of its rows, and of
    all results from them, is "fake".

    - model: zoo:NAME or an ONNX file; default zoo:mobilenet_v3_large
    - device: the simulated board; default agx-orin
    - training: a training instead of inference
    - batch: one batch size or a list; default 1, 4 and 16, or 16 for training
    - modes: maximum number of modes; they form a grid over the levels of each knob; default 96
    - seed: seed of the random properties of the fake board; default 1

    Returns a Sweep. Raises UsageError if no batch fits the memory.
    """
    return _core.example_sweep(**locals())


__all__ = [name for name, one in globals().items() if getattr(one, "__module__", "") == __name__ and name[0] != "_"]
