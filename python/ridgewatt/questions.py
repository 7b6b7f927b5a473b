"""The questions: what is asked of a model, a board, a sweep or a few samples. Arguments carry their
SI unit in the name; None means not given. All raise UsageError for a wrong argument, NotFoundError
for a file, model or board that is not there, and InputError for malformed content, each with the
line that the command line prints. Long work lets other threads of Python run and ends at Ctrl+C.
What has steps to count (profiles of a search, epochs of networks that are trained) calls
`progress(label, done, total)` at each."""
from . import _core
from .parameters import asks

__all__ = ["analyze", "estimate", "roofline", "explain", "tune", "predict", "suggest", "pareto", "read_sweep",
           "example_sweep"]


@asks("analyze", "Analysis")
def analyze():
    """What a model costs: operations, bytes, parameters and memory, in total and by node.

    Of a Model the runtime does not count, and what was said when it was made holds.

    Returns an Analysis, a sequence of Layer."""


@asks("estimate", "Estimates")
def estimate():
    """Time, power and energy of a model in power modes of a board, from its twin: no profiling.

    Returns Estimates, a sequence of Estimate in the order asked; with dataset_size its to_dict()
    has the time and energy of the job. NotSupportedError: no board, or no runtime, can do it. What
    does not fit the memory has fits_memory False."""


@asks("roofline", "Roofline")
def roofline():
    """Roofs and balance points of power modes of a board, and where the layers of a model lie.

    Without a model: the roofs alone. Returns a Roofline, a sequence of Roof, one per mode and class
    of kernels; its layers are those of the model. UsageError: a mode under a governor, whose clocks
    follow the load."""


@asks("explain", "Explanation")
def explain():
    """Why a measured time is not what the hardware can do: causes, the most probable first.

    Of a language model tokens_per_s, first_token_s or both are measured instead of a time.

    Returns an Explanation, a sequence of ExplainedCause. UsageError: neither a time nor a rate, or
    both."""


def _tune(**asked):
    """On a twin, a sweep or samples; on a real or fake board a program is profiled."""
    asked = {name: value for name, value in asked.items() if value is not None}
    device = asked.get("device")
    if isinstance(device, str) and (device == "local" or device.startswith("fake:")):
        from . import live
        return live._tune(asked.pop("model", None), **asked)
    return _core.tune(**asked)


@asks("tune", "Tuned", _tune, more="tune program")
def tune():
    """The best power mode and batch within limits.

    Asked of the twin of a board (model and device; device="all" ranks the boards, runtime="all" the
    runtimes), of a sweep that simulates the board, or of a few profiled samples; sweep, samples and
    references are Sweeps or paths of CSV files, of which `workload` names the part. Without `batch`
    the sizes that can matter to `minimize` are tried, for time and throughput of an inference 1
    alone.

    Returns Tuned. Without an answer that is no error: feasible is False, miss is the nearest point
    and relaxations say which limit to relax; only `best` raises NoSolutionError.

    A real or fake board (device="local" or "fake:BOARD") profiles a program instead: the first argument
    is then its command, "python3 train.py" or a list of words, in which {batch} stands for the
    batch. The arguments that ridgewatt.live.tune has and this list does not are for it. The Tuned's
    apply() sets the answer."""


@asks("predict", "Predictions")
def predict():
    """Time, power and energy of all modes from a few profiled ones.

    Predicted are all modes of the device, or the points of `query`: a CSV file or a list of
    PowerMode or (PowerMode, batch). With a model and its device its twin is the prior.

    Returns Predictions, a sequence of PredictedPoint. UsageError: no samples, or too few of them."""


@asks("suggest", "Predictions")
def suggest():
    """Which modes to profile next: the most telling ones, in an order that a board follows with few
    changes.

    Returns Predictions; without samples their costs are None. NoSolutionError: none is left."""


@asks("pareto", "Predictions")
def pareto():
    """The modes that no other beats in both of two costs: of samples as predict() completes them,
    or of a measured sweep.

    What the samples have is not predicted; where they have every mode, nothing is fitted and the
    method is empty.

    Returns Predictions by rising first cost."""


def read_sweep(path: "str | PathLike[str]", *, workload: "str | None" = None) -> "_core.Sweep":
    """The sweep in a CSV file as it stands, the outliers too. workload: which of several,
    NAME, NAME:KIND or NAME:KIND:PROVENANCE, each also with @BOARD behind it, or @BOARD alone.
    Every other call that reads a sweep takes one of several as "FILE#NAME"."""
    return _core.read_sweep(**locals())


def example_sweep(model: "str | PathLike[str] | None" = None, *,
                  device: "Board | str | PathLike[str] | None" = None,
                  training: "bool | None" = None, batch: "int | Sequence[int] | None" = None,
                  modes: "int | None" = None, seed: "int | None" = None) -> "_core.Sweep":
    """A small sweep to try the other questions with, where there is neither a board nor a
    recording: what a fake board would measure, without its noise. Its rows say "fake", and so does
    all that is made of them.

    model: zoo:NAME or an ONNX file (zoo:mobilenet_v3_large); device: the board that is played
    (agx-orin); batch: one size or a list (1, 4 and 16; 16 for training); modes: how many at most, a
    grid of some levels of each knob (96); seed: of the fake board's physics.

    Returns a Sweep. UsageError: no batch fits the memory."""
    return _core.example_sweep(**locals())
