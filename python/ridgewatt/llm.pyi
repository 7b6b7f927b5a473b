# Made by tools/python_reference.py from the parameters of the questions; do not edit.
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from . import _core
from ._core import Board, Model, PowerMode, Sweep

__all__ = [
    "fits",
    "estimate",
    "tune",
    "zoo",
]

def fits(
    model: str | PathLike[str],
    *,
    device: Board | str | PathLike[str] | None = None,
    quantization: str | Sequence[str] | None = None,
    context: int | None = None,
    batch: int | None = None,
    kv_type: str | None = None,
    reserve_bytes: float | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> _core.Fits: ...
def estimate(
    model: str | PathLike[str],
    *,
    device: Board | str | PathLike[str] | None = None,
    runtime: str | Sequence[str] | None = None,
    quantization: str | Sequence[str] | None = None,
    prompt: int | None = None,
    generate: int | None = None,
    concurrency: int | None = None,
    kv_type: str | None = None,
    modes: str | Sequence[str] | None = None,
    reserve_bytes: float | None = None,
    contexts: int | Sequence[int] | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> _core.LanguageEstimates: ...
def tune(
    model: str | PathLike[str],
    *,
    device: Board | str | PathLike[str] | None = None,
    runtime: str | Sequence[str] | None = None,
    quantization: str | Sequence[str] | None = None,
    prompt: int | None = None,
    generate: int | None = None,
    concurrency: int | None = None,
    kv_type: str | None = None,
    modes: str | Sequence[str] | None = None,
    reserve_bytes: float | None = None,
    min_cores: int | None = None,
    minimize: str | None = None,
    max_power_w: float | None = None,
    max_ttft_s: float | None = None,
    max_tpot_s: float | None = None,
    min_tokens_per_s: float | None = None,
    confidence: float | None = None,
    phases: bool | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> _core.LanguageTunes: ...
def zoo() -> list[str]: ...
