"""The search of a program that tunes itself while it runs; ridgewatt.live.in_place() makes it."""
import contextlib
from typing import Any, ContextManager, Dict, Iterable, Iterator, Optional, Tuple, TypeVar

from . import _core, errors, worker

__all__ = ["InPlace"]

Item = TypeVar("Item")


class InPlace:
    """A search that runs while this program does; in_place() makes it. Within its block modes are
    tried, a few minibatches each; once the search has ended the block goes on in the best mode, and
    the first mode is back at its end, whatever ends it (also by SIGKILL: another process watches).
    Minibatches are marked by mark(), by minibatches(), or by ridgewatt.mark() anywhere in the
    program, at a moment when the device is idle."""

    def __init__(self, **options: Any) -> None:
        self._core = _core._InPlace(**options)
        self._runs = False
        self._begun = False
        self._result: Optional[Tuple[_core.Tuned, Dict[str, Any]]] = None

    @property
    def hears(self) -> bool:
        """It runs, in this process: ridgewatt.mark() and fetched() are its own, too."""
        return self._runs and self._core.ours

    def begin(self) -> "InPlace":
        """Sets the first mode of the search. UsageError: it was begun before; PermissionError:
        modes need root; IoError: the board has no power sensor; NotSupportedError: it has no modes."""
        if self._begun:
            raise errors.UsageError("the search was begun before: start a new one")
        self._begun = True
        self._core.begin()
        self._runs = True
        worker.runs.add(self)
        return self

    def end(self) -> _core.Tuned:
        """Ends it: the first mode is back. The Tuned of what was found until then; Error where no
        window was measured, and what ended the search."""
        if not self._runs:
            raise errors.UsageError("the search does not run")
        self._runs = False
        worker.runs.discard(self)
        tuned, report = self._core.end()
        self._result = tuned, report
        return self.tuned

    def __enter__(self) -> "InPlace":
        return self.begin()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not self.hears:
            return
        try:
            self.end()
        except errors.Error:
            if kind is None:  # else what the block raised says more
                raise

    def mark(self) -> None:
        """A minibatch ended. The device must be idle then (torch.cuda.synchronize())."""
        if self.hears:
            self._core.mark()

    def fetched(self) -> None:
        """The data of the minibatch has come."""
        if self.hears:
            self._core.fetched()

    def phase(self, name: str) -> ContextManager[None]:
        """Phases of the program have no part in the search."""
        return contextlib.nullcontext()

    def minibatches(self, loader: Iterable[Item]) -> Iterator[Item]:
        """What the loader yields, with fetched() when it has come and mark() when the body of the
        loop is done with it."""
        for batch in loader:
            self.fetched()
            yield batch
            self.mark()

    @property
    def found(self) -> Optional[_core.Tuned]:
        """The Tuned once the search has ended: from then on the block runs in its best mode. None
        before."""
        return self._result[0] if self._result else self._core.found()

    @property
    def tuned(self) -> _core.Tuned:
        """After the block: the Tuned. UsageError before."""
        return self._ended()[0]

    @property
    def report(self) -> Dict[str, Any]:
        """After the block: what `ridgewatt tune --in-place --format json` prints, as a dict."""
        return self._ended()[1]

    def _ended(self) -> Tuple[_core.Tuned, Dict[str, Any]]:
        if self._result is None:
            raise errors.UsageError("the search runs still: found tells its answer once there is one"
                                    if self._runs else "there is no answer")
        return self._result

    def __repr__(self) -> str:
        return f"InPlace({'runs' if self._runs else 'ended' if self._begun else 'not begun'})"
