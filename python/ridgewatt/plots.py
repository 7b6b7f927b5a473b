"""Draws answers with matplotlib. Each kind of answer has its own function."""
from typing import Any

from . import errors, frames


def _label(ax: Any, title: str, x: str, y: str) -> Any:
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def _title(answer: Any, *words: str) -> str:
    """Returns the title of a figure, for example "resnet50 on agx-orin, modelled"."""
    said = [word for word in words if word]
    return ", ".join([" on ".join(said), answer.provenance] if said else [answer.provenance])


def _names(answer: Any) -> tuple[str, str]:
    """Returns the workload and the board of an answer. Empty if they are not known or the rows
    differ."""
    columns = answer._columns()
    return frames.stated(answer, "workload", columns), frames.stated(answer, "board", columns)


def _costs(columns: Any) -> dict[str, tuple[Any, str]]:
    """Returns the values and the label of each cost, as pareto() compares them: time and energy per
    sample if the rows have a batch, and power."""
    import numpy
    time = columns.get("time_s", columns.get("period_s"))
    batch = numpy.maximum(columns.get("batch", numpy.ones(len(time))), 1)
    of = "per sample" if (batch > 1).any() else "of a minibatch"
    costs = {"time": (1e3 * time / batch, f"time {of} (ms)"),
             "power": (columns["power_w"], "power (W)")}
    if "energy_j" in columns:
        costs["energy"] = (columns["energy_j"] / batch, f"energy {of} (J)")
    return costs


def _cloud(answer: Any, ax: Any) -> Any:
    """Draws two costs for every row, time and power or those of the Pareto front, and the front."""
    import numpy
    columns = answer._columns()
    front = getattr(answer, "costs", [])
    costs = _costs(columns)
    (x, x_label), (y, y_label) = (costs[name] for name in front or ("time", "power"))
    known = numpy.flatnonzero(numpy.isfinite(x) & numpy.isfinite(y))
    if len(known) == 0:
        raise errors.NotSupportedError("there is nothing to draw, because the rows have no costs")
    if front:  # the rows are those of the front
        best = sorted(known, key=lambda row: (x[row], y[row]))
    else:
        ax.scatter(x[known], y[known], s=8, label="modes")
        best, least = [], float("inf")
        for row in sorted(known, key=lambda row: (x[row], y[row])):
            if y[row] < least:
                least = y[row]
                best.append(row)
    ax.plot(x[best], y[best], color="C1", marker=".", drawstyle="steps-post", label="Pareto front")
    if max(x[known]) > 20 * min(x[known]):
        ax.set_xscale("log")
    ax.legend()
    return _label(ax, _title(answer, *_names(answer)), x_label, y_label)


def _groups(columns: Any) -> list[tuple[str, Any]]:
    """Returns a label and the rows of each group with a color of its own: by board and runtime if
    they differ, otherwise by memory clock."""
    import numpy
    differing = [name for name in ("board", "runtime") if len(set(columns.get(name, ()))) > 1]
    if not differing and "mem_clock_hz" in columns:
        memory = columns["mem_clock_hz"]
        return [(f"the least at {clock / 1e6:.0f} MHz of memory", memory == clock)
                for clock in sorted(set(memory))]
    count = len(columns["energy_j"])
    if not differing:
        return [("the least", numpy.ones(count, dtype=bool))]
    names = [", ".join(columns[name][row] for name in differing) for row in range(count)]
    return [(name, numpy.array([one == name for one in names])) for name in dict.fromkeys(names)]


def _energy(answer: Any, ax: Any) -> Any:
    """Draws the energy over the GPU clock for all modes, and a line through the lowest energy at
    each GPU clock. Boards and runtimes have their own colors. On one board, memory clocks do."""
    columns = answer._columns()
    if "gpu_clock_hz" not in columns:
        return _cloud(answer, ax)
    energy, label = _costs(columns)["energy"]
    gpu = columns["gpu_clock_hz"]
    groups = _groups(columns)
    for name, rows in groups:
        at = sorted(set(gpu[rows]))
        drawn, = ax.plot([one / 1e6 for one in at],
                         [energy[rows & (gpu == one)].min() for one in at], marker=".", label=name)
        ax.scatter(gpu[rows] / 1e6, energy[rows], s=3, alpha=0.2, color=drawn.get_color())
    ax.legend(fontsize="small" if len(groups) <= 12 else "xx-small")
    ax.set_yscale("log")
    return _label(ax, _title(answer, *_names(answer)), "GPU clock (MHz)", label)


def _timeline(tuned: Any, ax: Any) -> Any:
    """Draws the time of each profiled point, in the order of profiling. If nothing was profiled,
    draws time against power for the rows of the answer."""
    steps = tuned.profiled
    if not steps:
        return _cloud(tuned, ax)
    for kept, color in ((True, "C0"), (False, "C3")):
        chosen = [(number, step) for number, step in enumerate(steps, 1) if step.feasible == kept]
        ax.scatter([number for number, _ in chosen], [1e3 * step.time_s for _, step in chosen],
                   color=color, label="within the limits" if kept else "over a limit")
    ax.legend()
    return _label(ax, f"{tuned.strategy}, {tuned.provenance}", "profile",
                  "time of a minibatch (ms)")


def _roofline(answer: Any, ax: Any) -> Any:
    """Draws the roofs of the first mode on logarithmic axes, and the layers as points."""
    import numpy
    layers = [layer for layer in answer.layers if layer.traffic_bytes > 0 and layer.work_flop > 0
              and layer.gpu_s > 0]
    at = [layer.work_flop / layer.traffic_bytes for layer in layers]
    span = numpy.geomspace(min([0.1, *at]), max([1e3, *at]), 100)
    first = [roof for roof in answer if roof.mode == answer[0].mode]
    for roof in first:
        drawn, = ax.plot(span, numpy.minimum(roof.ceiling_flop_per_s,
                                             span * roof.ceiling_bytes_per_s) / 1e9,
                         label=f"{roof.roof}: nobody passes")
        ax.plot(span, numpy.minimum(roof.reached_flop_per_s,
                                    span * roof.reached_bytes_per_s) / 1e9, linestyle="--",
                color=drawn.get_color(), label=f"{roof.roof}: reached")
    ax.scatter(at, [layer.work_flop / layer.gpu_s / 1e9 for layer in layers], s=10, color="black")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(fontsize="small")
    return _label(ax, _title(answer, *_names(answer)), "arithmetic intensity (FLOP/byte)", "GFLOP/s")


def _layers(analysis: Any, ax: Any) -> Any:
    """Draws the operations of the 15 layers with the most operations."""
    most = sorted(analysis, key=lambda layer: float(layer.flops))[-15:]
    ax.barh([layer.name for layer in most], [layer.flops / 1e9 for layer in most])
    return _label(ax, analysis.model, "operations of a minibatch (GFLOP)", "")


def _fits(answer: Any, ax: Any) -> Any:
    """Draws the free memory of each row."""
    gibibyte = 2.0 ** 30
    names = [f"{row.quantization} on {row.board}" for row in answer]
    ax.barh(names, [row.left_bytes / gibibyte for row in answer],
            color=["C0" if row.fits else "C3" for row in answer])
    ax.axvline(0, color="black", linewidth=1)
    return _label(ax, f"{answer.model}, {answer.provenance}", "memory left (GiB)", "")


def _language(answer: Any, ax: Any) -> Any:
    """Draws joules per token over time per token, in one color per board, runtime and quantization,
    and a line through each Pareto front. Leaves out rows without figures."""
    kinds: dict[tuple[str, ...], list[Any]] = {}
    for row in answer:
        if row.tpot_s is None:
            continue
        kinds.setdefault((row.board, row.runtime, row.quantization), []).append(row)
    if not kinds:
        raise errors.NotSupportedError("there is nothing to draw, because the model does not fit")
    for names, rows in kinds.items():
        drawn = ax.scatter([1e3 * row.tpot_s for row in rows],
                           [row.joules_per_token for row in rows], s=8, label=", ".join(names))
        front, least = [], float("inf")
        for row in sorted(rows, key=lambda row: (row.tpot_s, row.joules_per_token)):
            if row.joules_per_token < least:
                least = row.joules_per_token
                front.append(row)
        if len(front) > 1:
            ax.plot([1e3 * row.tpot_s for row in front], [row.joules_per_token for row in front],
                    color=drawn.get_facecolor()[0], marker=".", drawstyle="steps-post")
    if len(kinds) <= 12:
        ax.legend(fontsize="small")
    ax.set_xscale("log")
    ax.set_yscale("log")
    return _label(ax, f"{answer.model}, {answer.provenance}", "time per token (ms)",
                  "joules per token")


def _causes(answer: Any, ax: Any) -> Any:
    """Draws the probabilities of the causes that are above 1 %."""
    likely = [row for row in answer if row.probability >= 0.01][::-1]
    ax.barh([row.cause for row in likely], [100 * row.probability for row in likely])
    measured, expected = answer.measured_s, answer.expected_s
    if answer.measured_first_token_s is not None and answer.gap_of == "first token":
        measured, expected = answer.measured_first_token_s, answer.expected_first_token_s
    return _label(ax, f"{answer.gap_of}: {1e3 * measured:.3g} ms measured, {1e3 * expected:.3g} ms "
                  f"expected, {answer.provenance}", "probability (%)", "")


_FIGURES = {"Analysis": _layers, "Estimates": _energy, "Predictions": _cloud, "Sweep": _cloud,
            "Tuned": _timeline, "Roofline": _roofline, "Explanation": _causes, "Fits": _fits, "LanguageEstimates": _language,
            "LanguageTunes": _language}


def draw(answer: Any, ax: Any) -> Any:
    """Draws an answer on `ax` and returns `ax`. Raises NotSupportedError if there is no figure for
    this kind of answer or the answer has no rows."""
    name = type(answer).__name__
    if name not in _FIGURES:
        raise errors.NotSupportedError(f"there is no figure of {name}")
    if len(answer) == 0:
        raise errors.NotSupportedError("there is nothing to draw, because the answer has no rows")
    return _FIGURES[name](answer, ax)
