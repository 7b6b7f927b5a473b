"""Inference and training on one board: which power mode, inference batch and training minibatches
per cycle."""
from . import _core
from .parameters import asks

__all__ = ["plan"]


@asks("schedule plan", "Plan", _core.plan)
def plan():
    """Finds the mode, inference batch and training minibatches per cycle with the highest training
    throughput within the limits.

    If `training` or `non_urgent` contain several workloads, they take turns.

    Returns a Plan. If no plan meets the limits, `feasible` is False, the attributes are those of
    the nearest miss, and `miss` describes the violated limits. Raises UsageError if no workload or
    no required rate is given, and InputError if the sweeps have no mode in common.
    """
