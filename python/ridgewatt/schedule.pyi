# Made by tools/python_reference.py from the parameters of the questions; do not edit.
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from . import _core
from ._core import Board, Model, PowerMode, Sweep

__all__ = [
    "plan",
]

def plan(
    *,
    inference: Sweep | str | PathLike[str] | None = None,
    training: Sweep | str | PathLike[str] | Sequence[Sweep | str | PathLike[str]] | None = None,
    non_urgent: Sweep | str | PathLike[str] | Sequence[Sweep | str | PathLike[str]] | None = None,
    switch_cost_s: float | None = None,
    keep_outliers: bool | None = None,
    non_urgent_rate_hz: float | Sequence[float] | None = None,
    arrival_rate_hz: float | None = None,
    max_latency_s: float | None = None,
    max_power_w: float | None = None,
    bound: str | None = None,
    inference_model: Model | str | PathLike[str] | None = None,
    training_model: Model | str | PathLike[str] | Sequence[Model | str | PathLike[str]] | None = None,
    device: Board | str | PathLike[str] | None = None,
    modes: str | Sequence[str] | None = None,
    inference_batch: int | Sequence[int] | None = None,
    training_batch: int | None = None,
    inference_runtime: str | None = None,
    inference_precision: str | None = None,
    training_precision: str | None = None,
    idle_power_w: float | None = None,
    busy_share: float | Sequence[float] | None = None,
    strategy: str | None = None,
    profiles: int | None = None,
    training_references: Sweep | str | PathLike[str] | Sequence[Sweep | str | PathLike[str]] | None = None,
    inference_references: Sweep | str | PathLike[str] | Sequence[Sweep | str | PathLike[str]] | None = None,
    confidence: float | None = None,
    seed: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> _core.Plan: ...
