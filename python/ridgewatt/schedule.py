"""Serving and training on one board: which mode, batch and training minibatches per cycle."""
from . import _core

__all__ = ["plan"]


def plan(*, inference=None, training=None, non_urgent=None, non_urgent_rate_hz=None,
         arrival_rate_hz=None, max_latency_s=None, max_power_w=None, bound=None, strategy=None,
         profiles=None, inference_references=None, training_references=None, idle_power_w=None,
         keep_outliers=None, seed=None, progress=None):
    """The mode, batch and training minibatches per cycle with the most training within the limits.

    inference, training, non_urgent: Sweeps or paths of CSV files, of training and non_urgent also
    lists, which take turns. arrival_rate_hz: requests per second of the inference; max_latency_s:
    bound on the worst latency, which counts what `bound` says ("strict", "exact", "published").
    strategy: "exhaustive" knows every point, others profile at most `profiles` of them.

    Returns a Plan. Without a plan within the limits feasible is False, the attributes are those of
    the nearest miss and miss says in words what it misses. UsageError: no workload, or a rate that
    is missing; InputError: sweeps that have no mode in common."""
    return _core.plan(**locals())
