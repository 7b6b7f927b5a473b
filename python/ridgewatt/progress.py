"""A progress bar for the argument `progress` of the functions that answer questions:

    ridgewatt.tune("python3 train.py", device="local", progress=ridgewatt.ProgressBar())

It uses tqdm if that is installed.
"""
import importlib
import sys
from typing import Any

__all__ = ["ProgressBar"]


class ProgressBar:
    """A callable with the arguments (label, done, total). With tqdm, shows one bar per label, as a
    widget in notebooks. Without tqdm, writes a line to standard error."""

    def __init__(self) -> None:
        self._label: str | None = None
        self._bar: Any = None
        try:
            self._tqdm: Any = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            self._tqdm = None

    def __call__(self, label: str, done: int, total: int) -> None:
        if self._tqdm is None:
            sys.stderr.write(f"\r{label}: {done} of {total}" + ("\n" if done >= total else ""))
            sys.stderr.flush()
            return
        if self._bar is None or label != self._label or total != self._bar.total or done < self._bar.n:
            self.close()
            self._label, self._bar = label, self._tqdm(total=total, desc=label)
        self._bar.update(done - self._bar.n)
        if done >= total:
            self.close()

    def close(self) -> None:
        """Closes the current bar, even if it is not complete."""
        if self._bar is not None:
            self._bar.close()
        self._bar = None

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
