"""The questions: what is asked of a model, a board, a sweep or a few samples. Arguments carry their
SI unit in the name; None means not given. All raise UsageError for a wrong argument, NotFoundError
for a file, model or board that is not there, and InputError for malformed content, each with the
line that the command line prints. Long work lets other threads of Python run and ends at Ctrl+C.
What has steps to count (profiles of a search, epochs of networks that are trained) calls
`progress(label, done, total)` at each."""
from . import _core

__all__ = ["analyze", "estimate", "roofline", "tune", "predict", "suggest", "pareto", "read_sweep",
           "example_sweep"]


def analyze(model, *, batch=None, training=None, precision=None, optimizer=None, dims=None,
            runtime=None, convention=None, traffic=None, cache_bytes=None):
    """What a model costs: operations, bytes, parameters and memory, in total and by node.

    model: an ONNX file, zoo:NAME, or a Model, whose runtime does not count. batch: samples (as
    exported, or 1). dims: extents of symbolic axes by name. runtime: count kernels as it launches
    them. convention: "full", "macs" or "pagoda"; traffic: "unfused", "fused" or "ideal";
    cache_bytes: last-level cache of the device.

    Returns an Analysis, a sequence of Layer."""
    return _core.analyze(**locals())


def estimate(model, *, device=None, modes=None, batch=None, training=None, precision=None,
             runtime=None, optimizer=None, dims=None, workers=None, loader_s_per_sample=None,
             python_caller=None, dataset_size=None, epochs=None, progress=None):
    """Time, power and energy of a model in power modes of a board, from its twin: no profiling.

    model: an ONNX file, zoo:NAME, or a Model. device: a board, a board file, a Board, or "all",
    which ranks the boards; without it the board at hand. modes: "presets" (the default), "all",
    "maxn", names of presets as a list or split at commas, or a CSV file. batch: one size or a list
    (1, or 16 for training). runtime: "all" compares them. workers: loader processes;
    loader_s_per_sample: what one of them takes at the highest CPU clock. dataset_size, epochs: the
    job whose time and energy to_dict() then tells.

    Returns Estimates, a sequence of Estimate in the order asked. NotSupportedError: no board, or no
    runtime, can do it. What does not fit the memory has fits_memory False."""
    return _core.estimate(**locals())


def roofline(model=None, *, device=None, modes=None, batch=None, training=None, precision=None,
             runtime=None, optimizer=None, dims=None, workers=None, loader_s_per_sample=None,
             python_caller=None, power_cap_w=None, levels=None, seed=None, progress=None):
    """Roofs and balance points of power modes of a board, and where the layers of a model lie.

    model: an ONNX file, zoo:NAME, a Model, or None for the roofs alone. device, modes: as of
    estimate(); layers are shown in the first mode, at one batch. power_cap_w: power that no kernel
    may exceed (the board's limit). levels: caches, their bandwidth in bytes/s by name.

    Returns a Roofline, a sequence of Roof, one per mode and class of kernels; its layers are those
    of the model. UsageError: a mode under a governor, whose clocks follow the load."""
    return _core.roofline(**locals())


def tune(model=None, *, device=None, sweep=None, samples=None, references=None, workload=None,
         batch=None, training=None, precision=None, runtime=None, optimizer=None, dims=None,
         minimize=None, max_power_w=None, max_time_s=None, max_energy_j=None, max_latency_s=None,
         max_slowdown=None, arrival_rate_hz=None, energy_weight=None, time_weight=None,
         confidence=None, strategy=None, profiles=None, minibatches=None, time_budget_s=None,
         verify=None, min_gain=None, noise=None, dataset_size=None, epochs=None,
         keep_outliers=None, seed=None, progress=None, **on_board):
    """The best power mode and batch within limits.

    Asked of the twin of a board (model and device; device="all" ranks the boards, runtime="all" the
    runtimes), of a sweep that plays the board, or of a few profiled samples; sweep, samples and
    references are Sweeps or paths of CSV files, of which `workload` names the part. Limits are
    upper ones: power (W), time and energy of a minibatch (s, J), worst latency of a request (s),
    slowdown against MAXN (0.05: 5 %). minimize: time, energy, power, edp, cost, latency or
    throughput; without `batch` the sizes that can matter to it are tried, for time and throughput
    of an inference 1 alone. confidence: probability with which estimates are to keep each limit.

    Returns Tuned. Without an answer that is no error: feasible is False, miss is the nearest point
    and mends say which limit to loosen; only `best` raises NoSolutionError.

    A board at hand (device="local" or "fake:BOARD") profiles a program instead: the first argument
    is then its command, "python3 train.py" or a list of words, in which {batch} stands for the
    batch; see ridgewatt.live.tune, which also takes the arguments of `on_board`. The Tuned's
    apply() sets the answer."""
    asked = {name: value for name, value in locals().items() if value is not None}
    asked.update(asked.pop("on_board"))
    if isinstance(device, str) and (device == "local" or device.startswith("fake:")):
        from . import live
        return live.tune(asked.pop("model", None), **asked)
    return _core.tune(**asked)


def predict(samples, *, device=None, model=None, references=None, query=None, method=None,
            reference_model=None, interval=None, workload=None, keep_outliers=None, seed=None,
            progress=None):
    """Time, power and energy of all modes from a few profiled ones.

    samples, references: Sweeps or paths of CSV files. device: the board whose modes are predicted;
    query: other points, a CSV file or a list of PowerMode or (PowerMode, batch). model: with
    device, its twin is the prior. interval: probability of the intervals (0.9).

    Returns Predictions, a sequence of PredictedPoint. UsageError: too few samples."""
    return _core.predict(**locals())


def suggest(samples=None, *, count=5, budgets_w=None, device=None, model=None, references=None,
            query=None, method=None, reference_model=None, interval=None, workload=None,
            keep_outliers=None, seed=None, progress=None):
    """Which modes to profile next: the `count` most telling ones, in an order that a board follows
    with few changes. budgets_w: (least, most), for the fastest mode within each budget of power.

    Returns Predictions; without samples their costs are None. NoSolutionError: none is left."""
    return _core.suggest(**locals())


def pareto(samples=None, *, sweep=None, costs=("time", "power"), device=None, model=None,
           references=None, query=None, method=None, reference_model=None, interval=None,
           workload=None, keep_outliers=None, seed=None, progress=None):
    """The modes that no other beats in both of two costs: of samples as predict() completes them,
    or of a measured sweep. costs: two of "time", "power" and "energy"; time and energy per sample.

    Returns Predictions by rising first cost."""
    return _core.pareto(**locals())


def read_sweep(path, *, workload=None):
    """The sweep in a CSV file as it stands, the outliers too. workload: which of several,
    NAME, NAME:KIND or NAME:KIND:PROVENANCE, each also with @BOARD behind it, or @BOARD alone.
    Every other call that reads a sweep takes one of several as "FILE#NAME"."""
    return _core.read_sweep(**locals())


def example_sweep(model=None, *, device=None, training=None, batch=None, modes=None, seed=None):
    """A small sweep to try the other questions with, where there is neither a board nor a
    recording: what a fake board would measure, without its noise. Its rows say "fake", and so does
    all that is made of them.

    model: zoo:NAME or an ONNX file (zoo:mobilenet_v3_large); device: the board that is played
    (agx-orin); batch: one size or a list (1, 4 and 16; 16 for training); modes: so many at most, a
    grid of some levels of each knob (96); seed: of the fake board's physics.

    Returns a Sweep. UsageError: no batch fits the memory."""
    return _core.example_sweep(**locals())
