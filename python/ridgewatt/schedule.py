"""Serving and training on one board: which mode, batch and training minibatches per cycle."""
from . import _core
from .parameters import asks

__all__ = ["plan"]


@asks("schedule plan", "Plan", _core.plan)
def plan():
    """The mode, batch and training minibatches per cycle with the most training within the limits.

    Of training and non_urgent several take turns.

    Returns a Plan. Without a plan within the limits feasible is False, the attributes are those of
    the nearest miss and miss says in words what it misses. UsageError: no workload, or a rate that
    is missing; InputError: sweeps that have no mode in common."""
